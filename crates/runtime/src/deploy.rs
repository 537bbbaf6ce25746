//! Deployments: files become definitions and decisions, all or none.

use std::sync::Arc;

use md5::{Digest, Md5};
use orloj_calls::AssetFile;
use orloj_interpreter::{JobSettings, StartTrigger, StartWait};
use orloj_model::{CHECKS, Diagnostic, Dialect, Parsed, Severity};
use orloj_store::{
    AssetKey, DecisionKey, JobState, NewAsset, NewDecision, NewDefinition, NewDeployment,
    NewRequirements, NewResource, NewStart, Notice, RequirementsKey, StartKind,
};
use orloj_types::{DefinitionKey, DeploymentKey, EngineName, TenantId, Timestamp};

use crate::api::{
    AssetView, DecisionView, DefinitionView, Deploy, Deployed, Error, Resource, ResourceProblem,
};
use crate::assets::stored_kind;
use crate::decision_file::{self, DecisionFile};
use crate::definitions::{dialect_name, suspends_jobs};
use crate::deployed_jobs::{self, Activation, Owner};
use crate::driver::Input;
use crate::handle::{Orloj, check_tenant};
use crate::history::{self, is_chore_logged};
use crate::node::{Event, Reply, Request, job_settings, store_error};
use crate::reading::{Reading, transforms_name};
use crate::together;

/// Endings of files that hold processes.
const PROCESS_ENDINGS: [&str; 3] = [".bpmn", ".bpmn20.xml", ".xml"];
/// Endings of files that hold decisions.
const DECISION_ENDINGS: [&str; 2] = [".dmn", ".dmn11.xml"];
/// Longest name of a resource; as long as a file system takes.
const RESOURCE_NAME_BYTES_MAX: usize = 1_024;

/// A file of a deployment, read.
pub(crate) struct File {
    pub resource: Resource,
    /// Nothing in it tells whose rules it follows.
    is_plain: bool,
    pub content: Result<Content, Refused>,
}

/// What a file turned out to hold.
pub(crate) enum Content {
    Processes {
        parsed: Parsed,
        /// What changed it while it was read, as it is stored.
        transforms: Option<Arc<[u8]>>,
    },
    Decisions(DecisionFile),
    /// What elements refer to.
    Asset(AssetFile),
}

/// Why a file cannot be deployed.
#[derive(Default)]
pub(crate) struct Refused {
    diagnostics: Vec<Diagnostic>,
    message: String,
}

impl From<String> for Refused {
    fn from(message: String) -> Self {
        Self { diagnostics: Vec::new(), message }
    }
}

impl Orloj {
    pub async fn deploy(&self, deploy: Deploy) -> Result<Deployed, Error> {
        if deploy.resources.is_empty() {
            return Err(Error::Invalid("a deployment needs at least one resource".into()));
        }
        check_tenant(&deploy.tenant)?;
        let (plain, resources) = (deploy.plain_dialect, deploy.resources);
        let reading = self.inner.reading.clone();
        let read = tokio::task::spawn_blocking(move || read_all(&reading, resources, plain));
        let mut files = read.await.map_err(|e| Error::Internal(e.to_string()))?;
        for file in &mut files {
            self.check_scripts(&mut file.content).await;
            self.check_time_to_live(&mut file.content);
        }
        let mut problems = together::problems(&files, self.now());
        problems.extend(together::nothing_in(&files));
        problems.extend(self.messages_taken(&files, &deploy.tenant).await?);
        let files = accepted(files, problems)?;
        let warnings = warnings(&files);

        let retries = self.inner.settings.jobs.retries;
        let activation = deploy.activate_at.map(|at| Activation { at, retries });
        let count = 1 + files.iter().map(|(_, content)| keys_of(content)).sum::<usize>();
        let Reply::Keys(keys) = self.request(Request::Keys { count }).await? else {
            return Err(Error::Internal("no keys for a deployment".into()));
        };
        let now = self.now();
        let mut keys = keys.into_iter();
        let mut key = || keys.next().unwrap_or_default();
        let making = Making {
            engine: &self.inner.engine,
            tenant: &deploy.tenant,
            jobs: &job_settings(&self.inner.settings)?,
            activation,
            now,
        };
        let deployment = NewDeployment {
            key: DeploymentKey::new(key()),
            engine: self.inner.engine.clone(),
            tenant: deploy.tenant.clone(),
            resources: files
                .into_iter()
                .flat_map(|(resource, content)| new_resources(resource, content, &making, &mut key))
                .collect(),
            now,
            logs_chores: is_chore_logged(&self.inner.settings),
        };
        let definitions = deployment.resources.iter().flat_map(|resource| &resource.definitions);
        let chores = definitions.flat_map(|definition| &definition.chores);
        let waiting = chores.filter(|chore| chore.state == JobState::Waiting);
        let due_at = waiting.filter_map(|chore| chore.due_at).min();
        let stored = self.inner.store.deploy(deployment).await.map_err(|e| store_error(&e))?;
        self.inner.definitions.forget_latest();
        self.inner.decisions.forget_latest();
        self.register_deployed(&stored).await?;
        if !stored.duplicate {
            // A hint; the heartbeat tells as well.
            let mut notices = vec![Notice::Deployed];
            notices.extend(due_at.map(Notice::DueAt));
            let _ = self.inner.store.notify(notices).await;
            if let Some(at) = due_at {
                let event = Event::Noticed(Notice::DueAt(at));
                // An engine that stops fires nothing any more.
                let _ = self.inner.inputs.send(Input::Event(event));
            }
        }
        self.deployed_suspended(&stored).await?;
        Ok(Deployed {
            key: stored.key,
            duplicate: stored.duplicate,
            definitions: stored.definitions.iter().map(DefinitionView::from).collect(),
            decisions: stored.decisions.iter().map(DecisionView::from).collect(),
            assets: stored.assets.iter().map(AssetView::from).collect(),
            warnings,
        })
    }

    /// Camunda refuses processes whose instances it would have to keep for ever.
    fn check_time_to_live(&self, content: &mut Result<Content, Refused>) {
        let Ok(Content::Processes { parsed, .. }) = content else { return };
        let is_missing = |process: &&orloj_model::Process| {
            parsed.dialect == Dialect::Camunda7
                && history::is_ttl_missing(&self.inner.settings, process.time_to_live)
        };
        if let Some(process) = parsed.processes.iter().find(is_missing) {
            let message = format!(
                "process '{}' does not say how long its history is kept: give it a \
                 historyTimeToLive, or set `history.ttl`, or set `history.ttl_required` to false",
                process.id
            );
            *content = Err(message.into());
        }
    }

    /// A file whose scripts do not parse is refused as one whose XML does not.
    async fn check_scripts(&self, content: &mut Result<Content, Refused>) {
        let Ok(Content::Processes { parsed, .. }) = content else { return };
        let mut diagnostics = Vec::new();
        for process in &parsed.processes {
            diagnostics.extend(self.inner.programs.check(process).await);
        }
        if !diagnostics.is_empty() {
            *content = Err(Refused { diagnostics, message: String::new() });
        }
    }
}

/// Files that do not tell whose they are follow the others, if these agree.
fn read_all(reading: &Reading, resources: Vec<Resource>, plain: Option<Dialect>) -> Vec<File> {
    let read_as = |resource: Resource, dialect| {
        let (is_plain, content) = read(reading, &resource, dialect);
        File { resource, is_plain, content }
    };
    let fallback = plain.unwrap_or_default();
    let mut files: Vec<File> =
        resources.into_iter().map(|resource| read_as(resource, fallback)).collect();
    let others = match plain {
        Some(_) => None,
        None => agreed(&files).filter(|dialect| *dialect != fallback),
    };
    if let Some(dialect) = others {
        for file in files.iter_mut().filter(|file| file.is_plain) {
            *file = read_as(file.resource.clone(), dialect);
        }
    }
    files
}

/// The one dialect that files tell, if there is one.
fn agreed(files: &[File]) -> Option<Dialect> {
    let told = files.iter().filter(|file| !file.is_plain).filter_map(|file| match &file.content {
        Ok(Content::Processes { parsed, .. }) => Some(parsed.dialect),
        Ok(Content::Decisions(file)) => Some(file.dialect),
        Ok(Content::Asset(_)) | Err(_) => None,
    });
    let mut told: Vec<Dialect> = told.collect();
    told.dedup();
    match told[..] {
        [dialect] => Some(dialect),
        _ => None,
    }
}

/// Whether the file is plain, and what it holds.
fn read(
    reading: &Reading,
    resource: &Resource,
    plain_dialect: Dialect,
) -> (bool, Result<Content, Refused>) {
    let name = &resource.name;
    if name.contains('\0') || name.starts_with('\u{1}') || name.len() > RESOURCE_NAME_BYTES_MAX {
        let message = "the name of a resource must be short and without U+0000 and U+0001";
        return (false, Err(message.to_owned().into()));
    }
    let name = name.to_ascii_lowercase();
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends_in(&DECISION_ENDINGS) {
        let is_plain = decision_file::told(&resource.content).is_none();
        let file = decision_file::read(&resource.content, plain_dialect)
            .map_err(|diagnostics| Refused { diagnostics, message: String::new() });
        return (is_plain, file.map(Content::Decisions));
    }
    if let Some(kind) = AssetFile::kind_of(&name) {
        let asset = AssetFile::read(kind, &resource.content);
        return (false, asset.map(Content::Asset).map_err(Refused::from));
    }
    if !ends_in(&PROCESS_ENDINGS) {
        let message = format!(
            "resources of this kind are not supported yet; the name must end in one of {}, {}, \
             .form, .rpa",
            PROCESS_ENDINGS.join(", "),
            DECISION_ENDINGS.join(", "),
        );
        return (false, Err(message.into()));
    }
    let (parsed, transforms) = reading.read(&resource.content, plain_dialect);
    let is_plain = parsed.is_plain;
    if parsed.has_errors() {
        let errors = parsed.diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
        let diagnostics = errors.collect();
        return (is_plain, Err(Refused { diagnostics, message: String::new() }));
    }
    // Camunda 7 keeps such a file as one of the deployment's resources.
    if parsed.processes.is_empty() && parsed.dialect != Dialect::Camunda7 {
        let message = format!("no executable process in {}", resource.name);
        return (is_plain, Err(message.into()));
    }
    (is_plain, Ok(Content::Processes { parsed, transforms }))
}

/// The files, if nothing is wrong with any of them.
fn accepted(
    files: Vec<File>,
    mut problems: Vec<ResourceProblem>,
) -> Result<Vec<(Resource, Content)>, Error> {
    let mut fine = Vec::new();
    for File { resource, content, .. } in files {
        match content {
            Ok(content) => fine.push((resource, content)),
            Err(Refused { diagnostics, message }) => {
                problems.push(ResourceProblem { resource: resource.name, diagnostics, message });
            }
        }
    }
    if problems.is_empty() { Ok(fine) } else { Err(Error::Deployment(problems)) }
}

/// What is taken otherwise than it is written.
fn warnings(files: &[(Resource, Content)]) -> Vec<ResourceProblem> {
    let of_file = |(resource, content): &(Resource, Content)| {
        let Content::Processes { parsed, .. } = content else { return None };
        let all = parsed.diagnostics.iter();
        let diagnostics: Vec<_> =
            all.filter(|one| one.severity == Severity::Warning).cloned().collect();
        let (resource, message) = (resource.name.clone(), String::new());
        (!diagnostics.is_empty()).then_some(ResourceProblem { resource, diagnostics, message })
    };
    files.iter().filter_map(of_file).collect()
}

/// How many keys the content needs: one for each definition, one for each other file.
fn keys_of(content: &Content) -> usize {
    match content {
        Content::Processes { parsed, .. } => {
            // The second is for what activates it.
            parsed.processes.iter().map(|process| 2 + deployed_jobs::keys_of(process)).sum()
        }
        Content::Decisions(file) => 1 + file.decisions.len(),
        Content::Asset(_) => 1,
    }
}

/// What all files of a deployment have in common.
struct Making<'a> {
    engine: &'a EngineName,
    tenant: &'a TenantId,
    jobs: &'a JobSettings,
    /// Of processes, if they come suspended.
    activation: Option<Activation>,
    now: Timestamp,
}

/// The file and, if it was changed while it was read, what changed it.
fn new_resources(
    resource: Resource,
    content: Content,
    making: &Making<'_>,
    mut key: impl FnMut() -> i64,
) -> Vec<NewResource> {
    let now = making.now;
    let mut new = NewResource {
        checksum: Md5::digest(&resource.content).into(),
        name: resource.name,
        content: resource.content,
        dialect: "".into(),
        checks: CHECKS,
        definitions: Vec::new(),
        requirements: None,
        asset: None,
    };
    let mut changed_by = None;
    match content {
        Content::Processes { parsed, transforms } => {
            new.dialect = dialect_name(parsed.dialect).into();
            let definitions = parsed.processes.into_iter().map(|process| {
                let definition = DefinitionKey::new(key());
                let waits = orloj_interpreter::starts(&process, now);
                let Making { engine, tenant, jobs, .. } = *making;
                let owner = Owner { engine, tenant, definition };
                let mut chores =
                    deployed_jobs::start_timers_of(&process, &waits, &owner, jobs, now, &mut key);
                if let Some(activation) = making.activation {
                    deployed_jobs::suspend_timers(&mut chores);
                    let at = deployed_jobs::activation_of(&owner, activation, now, key());
                    chores.push(at);
                }
                let suspended = making.activation.is_some();
                let suspends_jobs = suspended && suspends_jobs(&new.dialect);
                NewDefinition {
                    key: definition,
                    suspended,
                    starts: starts_of(waits),
                    job_definitions: deployed_jobs::job_definitions_of(
                        &process,
                        suspends_jobs,
                        &mut key,
                    ),
                    process_id: process.id,
                    chores,
                }
            });
            new.definitions = definitions.collect();
            let added = transforms.as_deref().unwrap_or_default();
            if !added.is_empty() {
                // The same file under other transforms is another version.
                let mut digest = Md5::new();
                digest.update(new.checksum);
                digest.update(added);
                new.checksum = digest.finalize().into();
            }
            changed_by = transforms;
        }
        Content::Decisions(file) => {
            new.dialect = dialect_name(file.dialect).into();
            new.requirements = Some(NewRequirements {
                key: RequirementsKey(key()),
                id: file.id,
                name: file.name,
                decisions: file
                    .decisions
                    .into_iter()
                    .map(|decision| NewDecision {
                        key: DecisionKey(key()),
                        decision_id: decision.id,
                        name: decision.name,
                        version_tag: decision.version_tag,
                    })
                    .collect(),
            });
        }
        Content::Asset(file) => {
            new.asset = Some(NewAsset {
                key: AssetKey(key()),
                kind: stored_kind(file.kind),
                asset_id: file.id,
                version_tag: file.version_tag,
            });
        }
    }
    let transforms = changed_by.map(|transforms| NewResource {
        name: transforms_name(&new.name),
        checksum: Md5::digest(&transforms).into(),
        content: transforms,
        dialect: new.dialect.clone(),
        checks: CHECKS,
        definitions: Vec::new(),
        requirements: None,
        asset: None,
    });
    std::iter::once(new).chain(transforms).collect()
}

/// What the start events of the process wait for, as rows; timers are jobs.
pub(crate) fn starts_of(waits: Vec<StartWait>) -> Vec<NewStart> {
    let rows = waits.into_iter().filter_map(|StartWait { event, trigger }| {
        let (kind, name) = match trigger {
            StartTrigger::Message { name } => (StartKind::Message, name),
            StartTrigger::Signal { name } => (StartKind::Signal, name),
            StartTrigger::Condition => (StartKind::Condition, "".into()),
            StartTrigger::Timer { .. } => return None,
        };
        Some(NewStart { event, kind, name })
    });
    rows.collect()
}
