//! Deployments: files become definitions and decisions, all or none.

use std::collections::BTreeMap;
use std::sync::Arc;

use md5::{Digest, Md5};
use orloj_interpreter::{StartTrigger, StartWait};
use orloj_model::{
    DecisionBinding, Diagnostic, Dialect, ElementKind, Options, Parsed, Process, Severity,
};
use orloj_store::{
    DecisionKey, NewDecision, NewDefinition, NewDeployment, NewRequirements, NewResource, NewStart,
    Notice, RequirementsKey, StartKind, StartRepeat,
};
use orloj_types::{DefinitionKey, DeploymentKey, Timestamp, Value};

use crate::api::{
    DecisionView, DefinitionView, Deploy, Deployed, Error, Resource, ResourceProblem,
};
use crate::decision_file::{self, DecisionFile};
use crate::definitions::{CHECKS, dialect_name};
use crate::driver::Input;
use crate::handle::Orloj;
use crate::node::{Event, Reply, Request, store_error};

/// Endings of files that hold processes.
const PROCESS_ENDINGS: [&str; 3] = [".bpmn", ".bpmn20.xml", ".xml"];
/// Endings of files that hold decisions.
const DECISION_ENDINGS: [&str; 2] = [".dmn", ".dmn11.xml"];
/// Longest name of a resource; as long as a file system takes.
const RESOURCE_NAME_BYTES_MAX: usize = 1_024;

/// What a file turned out to hold.
enum Content {
    Processes(Parsed),
    Decisions(DecisionFile),
}

/// Why a file cannot be deployed.
#[derive(Default)]
struct Refused {
    diagnostics: Vec<Diagnostic>,
    message: String,
}

type ReadResult = Result<Content, Refused>;

impl Orloj {
    pub async fn deploy(&self, deploy: Deploy) -> Result<Deployed, Error> {
        if deploy.resources.is_empty() {
            return Err(Error::Invalid("a deployment needs at least one resource".into()));
        }
        let plain = deploy.plain_dialect;
        let resources = deploy.resources;
        let read_all = tokio::task::spawn_blocking(move || {
            let read = |resource: Resource| {
                let content = read(&resource, plain);
                (resource, content)
            };
            resources.into_iter().map(read).collect::<Vec<_>>()
        });
        let mut files = read_all.await.map_err(|e| Error::Internal(e.to_string()))?;
        for (_, content) in &mut files {
            self.check_scripts(content).await;
        }
        let files = accepted(files)?;

        let count = 1 + files.iter().map(|(_, content)| keys_of(content)).sum::<usize>();
        let Reply::Keys(keys) = self.request(Request::Keys { count }).await? else {
            return Err(Error::Internal("no keys for a deployment".into()));
        };
        let now = self.now();
        let mut keys = keys.into_iter();
        let mut key = || keys.next().unwrap_or_default();
        let deployment = NewDeployment {
            key: DeploymentKey::new(key()),
            engine: self.inner.engine.clone(),
            tenant: deploy.tenant,
            resources: files
                .into_iter()
                .map(|(resource, content)| new_resource(resource, content, now, &mut key))
                .collect(),
            now,
        };
        let definitions = deployment.resources.iter().flat_map(|resource| &resource.definitions);
        let starts = definitions.flat_map(|definition| &definition.starts);
        let due_at = starts.filter_map(|start| start.due_at).min();
        let stored = self.inner.store.deploy(deployment).await.map_err(|e| store_error(&e))?;
        self.inner.definitions.forget_latest();
        self.inner.decisions.forget_latest();
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
        Ok(Deployed {
            key: stored.key,
            duplicate: stored.duplicate,
            definitions: stored.definitions.iter().map(DefinitionView::from).collect(),
            decisions: stored.decisions.iter().map(DecisionView::from).collect(),
        })
    }

    /// A file whose scripts do not parse is refused as one whose XML does not.
    async fn check_scripts(&self, content: &mut ReadResult) {
        let Ok(Content::Processes(parsed)) = content else { return };
        let mut diagnostics = Vec::new();
        for process in &parsed.processes {
            diagnostics.extend(self.inner.programs.check(process).await);
        }
        if !diagnostics.is_empty() {
            *content = Err(Refused { diagnostics, message: String::new() });
        }
    }
}

fn read(resource: &Resource, plain_dialect: Dialect) -> ReadResult {
    let refused = |message: String| Refused { message, ..Refused::default() };
    if resource.name.contains('\0') || resource.name.len() > RESOURCE_NAME_BYTES_MAX {
        let message = "the name of a resource must be short and without U+0000";
        return Err(refused(message.to_owned()));
    }
    let name = resource.name.to_ascii_lowercase();
    let ends_in = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends_in(&DECISION_ENDINGS) {
        let file = decision_file::read(&resource.content, plain_dialect)
            .map_err(|diagnostics| Refused { diagnostics, message: String::new() })?;
        return Ok(Content::Decisions(file));
    }
    if !ends_in(&PROCESS_ENDINGS) {
        return Err(refused(format!(
            "resources of this kind are not supported yet; the name must end in one of {}, {}",
            PROCESS_ENDINGS.join(", "),
            DECISION_ENDINGS.join(", ")
        )));
    }
    let options = Options { plain_dialect, ..Options::default() };
    let parsed = orloj_model::parse(&resource.content, &options);
    if parsed.has_errors() {
        let errors = parsed.diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
        return Err(Refused { diagnostics: errors.collect(), message: String::new() });
    }
    if parsed.processes.is_empty() && parsed.dialect == Dialect::Zeebe {
        return Err(refused("the file has no executable process".to_owned()));
    }
    Ok(Content::Processes(parsed))
}

/// The files, if nothing is wrong with any of them.
fn accepted(files: Vec<(Resource, ReadResult)>) -> Result<Vec<(Resource, Content)>, Error> {
    let mut problems = Vec::new();
    let mut seen: BTreeMap<(&str, Arc<str>), Arc<str>> = BTreeMap::new();
    let mut fine = Vec::new();
    for (resource, result) in files {
        let content = match result {
            Ok(content) => content,
            Err(Refused { diagnostics, message }) => {
                problems.push(ResourceProblem { resource: resource.name, diagnostics, message });
                continue;
            }
        };
        for (kind, id) in ids_of(&content) {
            if let Some(other) = seen.insert((kind, id.clone()), resource.name.clone()) {
                problems.push(ResourceProblem {
                    resource: resource.name.clone(),
                    diagnostics: Vec::new(),
                    message: format!("{kind} id '{id}' is also in '{other}'"),
                });
            }
        }
        fine.push((resource, content));
    }
    for (resource, content) in &fine {
        problems.extend(missing_decisions(resource, content, &seen));
    }
    if problems.is_empty() { Ok(fine) } else { Err(Error::Deployment(problems)) }
}

/// A decision that Zeebe binds to the deployment must be part of it.
fn missing_decisions(
    resource: &Resource,
    content: &Content,
    seen: &BTreeMap<(&str, Arc<str>), Arc<str>>,
) -> Option<ResourceProblem> {
    let Content::Processes(parsed) = content else { return None };
    if parsed.dialect != Dialect::Zeebe {
        return None;
    }
    let elements = parsed.processes.iter().flat_map(|process| &process.elements);
    let missing = elements.filter_map(|element| {
        let ElementKind::DecisionTask(task) = &element.kind else { return None };
        let (DecisionBinding::Deployment, Some(Value::Text(id))) =
            (&task.binding, task.decision.as_constant())
        else {
            return None;
        };
        let is_there = seen.contains_key(&("decision", id.clone()));
        (!is_there).then(|| Diagnostic {
            severity: Severity::Error,
            position: element.position,
            element: Some(element.id.clone()),
            code: "decision-not-deployed",
            message: format!(
                "businessRuleTask \"{}\" is bound to a decision \"{id}\" of the same deployment, \
                 which has none",
                element.id
            ),
        })
    });
    let diagnostics: Vec<Diagnostic> = missing.collect();
    (!diagnostics.is_empty()).then(|| ResourceProblem {
        resource: resource.name.clone(),
        diagnostics,
        message: String::new(),
    })
}

fn ids_of(content: &Content) -> Vec<(&'static str, Arc<str>)> {
    match content {
        Content::Processes(parsed) => {
            parsed.processes.iter().map(|p| ("process", p.id.as_str().into())).collect()
        }
        Content::Decisions(file) => {
            file.decisions.iter().map(|d| ("decision", d.id.clone())).collect()
        }
    }
}

/// How many keys the content needs: one for each definition, one for the file of decisions.
fn keys_of(content: &Content) -> usize {
    match content {
        Content::Processes(parsed) => parsed.processes.len(),
        Content::Decisions(file) => 1 + file.decisions.len(),
    }
}

fn new_resource(
    resource: Resource,
    content: Content,
    now: Timestamp,
    mut key: impl FnMut() -> i64,
) -> NewResource {
    let mut new = NewResource {
        checksum: Md5::digest(&resource.content).into(),
        name: resource.name,
        content: resource.content,
        dialect: "".into(),
        checks: CHECKS,
        definitions: Vec::new(),
        requirements: None,
    };
    match content {
        Content::Processes(parsed) => {
            new.dialect = dialect_name(parsed.dialect).into();
            let definitions = parsed.processes.into_iter().map(|process| NewDefinition {
                key: DefinitionKey::new(key()),
                starts: starts_of(&process, now),
                process_id: process.id,
            });
            new.definitions = definitions.collect();
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
    }
    new
}

/// What the start events of the process wait for, as rows.
fn starts_of(process: &Process, now: Timestamp) -> Vec<NewStart> {
    let waits = orloj_interpreter::starts(process, now).into_iter();
    waits
        .map(|StartWait { event, trigger }| {
            let plain = |kind, name| NewStart { event, kind, name, due_at: None, repeat: None };
            match trigger {
                StartTrigger::Message { name } => plain(StartKind::Message, name),
                StartTrigger::Signal { name } => plain(StartKind::Signal, name),
                StartTrigger::Condition => plain(StartKind::Condition, "".into()),
                StartTrigger::Timer { due_at, repeat } => NewStart {
                    due_at: Some(due_at),
                    repeat: repeat.map(|repeat| StartRepeat {
                        text: repeat.text,
                        anchor: repeat.anchor,
                        fired: repeat.fired,
                    }),
                    ..plain(StartKind::Timer, "".into())
                },
            }
        })
        .collect()
}
