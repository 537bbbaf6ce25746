//! Deployment: files that come together, taken or refused together.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_calls::AssetFile;
use orloj_dmn::{Invocable, InvocableKind, Mode, Model};
use orloj_interpreter::AssetKind;
use orloj_model::{Diagnostic, Options, Position, Process, Severity, Trigger, parse};
use orloj_types::{DefinitionKey, DeploymentKey};

use super::World;
use super::bindings::Together;
use super::definition::Asset;
use super::signals::{start_triggers, text_of};
use crate::run::Engine;

/// Problems that a refusal tells.
const PROBLEMS_TOLD_MAX: usize = 5;
/// How codes begin that say what is not done here, though the model may be right.
const UNSUPPORTED: &str = "unsupported";
/// Of these, what no compatible system does either.
const UNSUPPORTED_ANYWHERE: [&str; 1] = ["unsupported-import"];

/// A file of a deployment.
#[derive(Clone, Debug)]
pub struct File {
    /// Without its folder; the ending tells what it is.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Why nothing was deployed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The engine that is meant would refuse it too.
    #[error("{0}")]
    Rejected(String),
    /// The model may be right, but holds something that cannot be run here.
    #[error("{0}")]
    Unsupported(String),
}

/// What a file is to the engine.
enum FileKind {
    Processes,
    Decisions,
    /// What elements refer to.
    Asset(AssetKind),
    /// Kept, and read by nobody.
    Other,
}

impl World {
    /// Deploys files together, or nothing of them.
    pub fn deploy(&mut self, files: &[File]) -> Result<DeploymentKey, Refusal> {
        let mut processes = Vec::new();
        let mut decisions = Vec::new();
        let mut assets: Vec<AssetFile> = Vec::new();
        let mut together = Together::default();
        for file in files {
            match kind_of(&file.name) {
                FileKind::Processes => processes.extend(self.read(file)?),
                FileKind::Decisions => {
                    let model = self.read_decisions(file)?;
                    for found in self.deployed_decisions(&model) {
                        together.decisions.insert(found.id.clone());
                        decisions.push((found.id, found.version_tag, model.clone()));
                    }
                }
                FileKind::Asset(kind) if self.engine == Engine::Zeebe => {
                    assets.push(read_asset(file, kind, &assets)?);
                }
                FileKind::Other if self.engine == Engine::Zeebe => {
                    let message = format!("{}: files of this kind are not known", file.name);
                    return Err(Refusal::Rejected(message));
                }
                FileKind::Asset(_) | FileKind::Other => {}
            }
        }
        let forms = assets.iter().filter(|asset| asset.kind == AssetKind::Form);
        together.forms.extend(forms.map(|form| form.id.clone()));
        self.check_together(&processes, &mut together)?;
        let deployment = DeploymentKey::new(self.keys.next(self.now));
        for (id, tag, model) in decisions {
            self.definitions.add_decision(id, tag, deployment, model);
        }
        for AssetFile { kind, id, version_tag: tag } in assets {
            let key = self.keys.next(self.now);
            self.definitions.add_asset(Asset { key, kind, id, deployment, tag });
        }
        let mut added = Vec::new();
        for process in processes {
            let key = DefinitionKey::new(self.keys.next(self.now));
            self.definitions.add(key, deployment, process);
            added.push(key);
        }
        for key in added {
            self.arm(key).map_err(|failed| Refusal::Rejected(failed.to_string()))?;
        }
        Ok(deployment)
    }

    fn read(&self, file: &File) -> Result<Vec<Process>, Refusal> {
        let hooks = self.hooks.clone();
        let parsed = parse(&file.bytes, &Options { hooks, ..Options::of(self.engine.dialect()) });
        if parsed.has_errors() {
            return Err(refusal(self.engine, &file.name, &parsed.diagnostics));
        }
        let needs_process = match self.engine {
            Engine::Zeebe | Engine::Flowable => true,
            // There such a file is kept like any other resource.
            Engine::Camunda7 => false,
        };
        if needs_process && parsed.processes.is_empty() {
            return Err(Refusal::Rejected(format!("{}: no executable process", file.name)));
        }
        Ok(parsed.processes)
    }

    fn read_decisions(&self, file: &File) -> Result<Model, Refusal> {
        let mode = match self.engine {
            Engine::Zeebe => Mode::Camunda8,
            Engine::Camunda7 => Mode::Camunda7,
            Engine::Flowable => Mode::Flowable,
        };
        let options = orloj_dmn::Options { mode, ..orloj_dmn::Options::default() };
        Model::parse(&file.bytes, &options)
            .map_err(|problems| Refusal::Rejected(format!("{}: {problems}", file.name)))
    }

    fn deployed_decisions(&self, model: &Model) -> Vec<Invocable> {
        let is_deployed = |kind: InvocableKind| match kind {
            InvocableKind::Decision => true,
            // Only Flowable's tasks can ask for a service.
            InvocableKind::Service => self.engine == Engine::Flowable,
            InvocableKind::Knowledge => false,
        };
        let decisions = model.invocables().filter(|found| is_deployed(found.kind));
        decisions.filter(|found| !found.id.is_empty()).collect()
    }

    /// What processes of one deployment may not have in common.
    fn check_together(
        &self,
        processes: &[Process],
        together: &mut Together,
    ) -> Result<(), Refusal> {
        let mut messages: BTreeSet<Arc<str>> = BTreeSet::new();
        for process in processes {
            if !together.processes.insert(process.id.as_str().into()) {
                let message = format!("the process '{}' is there twice", process.id);
                return Err(Refusal::Rejected(message));
            }
            if self.engine == Engine::Zeebe {
                // There one message may start several processes.
                continue;
            }
            for (_, trigger) in start_triggers(process) {
                let Trigger::Message(start) = trigger else { continue };
                let Some(name) = text_of(&start.name, self.now) else { continue };
                if !messages.insert(name.clone()) {
                    let message = format!("the message '{name}' would start two processes");
                    return Err(Refusal::Rejected(message));
                }
            }
        }
        if self.engine == Engine::Zeebe {
            let missing = processes.iter().find_map(|process| together.missing(process));
            return missing.map_or(Ok(()), |missing| Err(Refusal::Rejected(missing)));
        }
        Ok(())
    }
}

/// Ids are there once for each kind.
fn read_asset(file: &File, kind: AssetKind, others: &[AssetFile]) -> Result<AssetFile, Refusal> {
    let refused = |message: String| Refusal::Rejected(format!("{}: {message}", file.name));
    let read = AssetFile::read(kind, &file.bytes).map_err(refused)?;
    match others.iter().any(|other| (other.kind, &other.id) == (kind, &read.id)) {
        true => Err(refused(format!("the id '{}' is there twice", read.id))),
        false => Ok(read),
    }
}

fn kind_of(name: &str) -> FileKind {
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".dmn", ".dmn11.xml"]) {
        FileKind::Decisions
    } else if ends(&[".cmmn", ".cmmn10.xml"]) {
        FileKind::Other
    } else if let Some(kind) = AssetFile::kind_of(name) {
        FileKind::Asset(kind)
    } else if ends(&[".bpmn", ".xml"]) {
        FileKind::Processes
    } else {
        FileKind::Other
    }
}

fn refusal(engine: Engine, file: &str, diagnostics: &[Diagnostic]) -> Refusal {
    let errors: Vec<&Diagnostic> =
        diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
    let told: Vec<String> = errors
        .iter()
        .take(PROBLEMS_TOLD_MAX)
        .map(|found| {
            let Position { line, column } = found.position;
            format!("{file}:{line}:{column}: {} ({})", found.message, found.code)
        })
        .collect();
    let told = told.join("; ");
    let is_unsupported = |found: &&Diagnostic| {
        // What is not done of Zeebe's models is refused there.
        engine != Engine::Zeebe
            && found.code.starts_with(UNSUPPORTED)
            && !UNSUPPORTED_ANYWHERE.contains(&found.code)
    };
    match errors.iter().all(is_unsupported) {
        true => Refusal::Unsupported(told),
        false => Refusal::Rejected(told),
    }
}
