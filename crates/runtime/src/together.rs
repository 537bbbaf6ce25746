//! What files of one deployment must have, and must not have, in common.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_interpreter::{AssetKind, StartTrigger};
use orloj_model::{Diagnostic, Dialect, Process, ReferenceKind, Severity};
use orloj_store::{PAGE_ROWS_MAX, StartKind, StartQuery};
use orloj_types::{TenantId, Timestamp};

use crate::api::{Error, ResourceProblem};
use crate::deploy::{Content, File};
use crate::handle::Orloj;
use crate::node::store_error;

/// The problems that only show when all files are looked at.
pub(crate) fn problems(files: &[File], now: Timestamp) -> Vec<ResourceProblem> {
    let mut problems = Vec::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    let mut ids: BTreeMap<(&str, Arc<str>), &str> = BTreeMap::new();
    for File { resource, content, .. } in files {
        if !names.insert(&resource.name) {
            problems.push(whole(&resource.name, "two files have this name".to_owned()));
        }
        for (kind, id) in content.iter().flat_map(ids_of) {
            if let Some(other) = ids.insert((kind, id.clone()), &resource.name) {
                let message = format!("{kind} id '{id}' is also in '{other}'");
                problems.push(whole(&resource.name, message));
            }
        }
    }
    // A file that was refused may hold what another one misses.
    if files.iter().all(|file| file.content.is_ok()) {
        problems.extend(files.iter().filter_map(|file| missing(file, &ids)));
    }
    problems.extend(messages_twice(files, now));
    problems
}

/// Where nothing of a deployment can run, its files are named.
pub(crate) fn nothing_in(files: &[File]) -> Vec<ResourceProblem> {
    let counts = |file: &File| file.content.iter().flat_map(ids_of).next().is_some();
    if files.iter().any(|file| counts(file) || file.content.is_err()) {
        return Vec::new();
    }
    let message = |file: &File| match &file.content {
        Ok(Content::Decisions(_)) => format!("no decision in {}", file.resource.name),
        _ => format!("no executable process in {}", file.resource.name),
    };
    files.iter().map(|file| whole(&file.resource.name, message(file))).collect()
}

fn whole(resource: &Arc<str>, message: String) -> ResourceProblem {
    ResourceProblem { resource: resource.clone(), diagnostics: Vec::new(), message }
}

fn ids_of(content: &Content) -> Vec<(&'static str, Arc<str>)> {
    match content {
        Content::Processes { parsed, .. } => {
            parsed.processes.iter().map(|p| ("process", p.id.as_str().into())).collect()
        }
        Content::Decisions(file) => {
            file.decisions.iter().map(|d| ("decision", d.id.clone())).collect()
        }
        Content::Asset(file) => match file.kind {
            AssetKind::Form => vec![("form", file.id.clone())],
            AssetKind::Linked => vec![("resource", file.id.clone())],
        },
    }
}

/// What Zeebe's elements bind to their deployment must be part of it.
fn missing(file: &File, ids: &BTreeMap<(&str, Arc<str>), &str>) -> Option<ResourceProblem> {
    let Ok(Content::Processes { parsed, .. }) = &file.content else { return None };
    if parsed.dialect != Dialect::Zeebe {
        return None;
    }
    let references = parsed.processes.iter().flat_map(Process::deployment_references);
    let missing = references.filter_map(|reference| {
        let (kind, code) = match reference.kind {
            ReferenceKind::Process => ("process", "process-not-deployed"),
            ReferenceKind::Decision => ("decision", "decision-not-deployed"),
            ReferenceKind::Form => ("form", "form-not-deployed"),
        };
        let is_there = ids.contains_key(&(kind, reference.id.as_str().into()));
        (!is_there).then(|| Diagnostic {
            severity: Severity::Error,
            position: reference.position,
            code,
            message: format!(
                "\"{}\" is bound to a {kind} \"{}\" of the same deployment, which has none",
                reference.element, reference.id
            ),
            element: Some(reference.element),
        })
    });
    let diagnostics: Vec<Diagnostic> = missing.collect();
    (!diagnostics.is_empty()).then(|| ResourceProblem {
        resource: file.resource.name.clone(),
        diagnostics,
        message: String::new(),
    })
}

/// Messages of start events of files in which, unlike Zeebe's, one message starts one process.
fn start_messages(files: &[File], now: Timestamp) -> Vec<(&File, &Process, Arc<str>)> {
    let mut found = Vec::new();
    for file in files {
        let Ok(Content::Processes { parsed, .. }) = &file.content else { continue };
        if parsed.dialect == Dialect::Zeebe {
            continue;
        }
        for process in &parsed.processes {
            for wait in orloj_interpreter::starts(process, now) {
                if let StartTrigger::Message { name } = wait.trigger {
                    found.push((file, process, name));
                }
            }
        }
    }
    found
}

fn messages_twice(files: &[File], now: Timestamp) -> Vec<ResourceProblem> {
    let mut seen: BTreeMap<Arc<str>, &Process> = BTreeMap::new();
    let mut problems = Vec::new();
    for (file, process, name) in start_messages(files, now) {
        if let Some(other) = seen.insert(name.clone(), process) {
            let message = format!(
                "message '{name}' would start both process '{}' and process '{}'",
                other.id, process.id
            );
            problems.push(whole(&file.resource.name, message));
        }
    }
    problems
}

impl Orloj {
    /// A message that starts a process which is deployed already cannot start another one.
    pub(crate) async fn messages_taken(
        &self,
        files: &[File],
        tenant: &TenantId,
    ) -> Result<Vec<ResourceProblem>, Error> {
        let replaced: BTreeSet<Arc<str>> = files
            .iter()
            .flat_map(|file| file.content.iter().flat_map(ids_of))
            .filter(|(kind, _)| *kind == "process")
            .map(|(_, id)| id)
            .collect();
        let mut problems = Vec::new();
        for (file, process, name) in start_messages(files, self.now()) {
            let query = StartQuery {
                engine: self.inner.engine.clone(),
                tenant: Some(tenant.clone()),
                kind: StartKind::Message,
                name: Some(name.clone()),
                after: None,
                limit: PAGE_ROWS_MAX,
            };
            for start in self.inner.store.starts(query).await.map_err(|e| store_error(&e))? {
                if replaced.contains(start.process_id.as_str()) {
                    continue;
                }
                let row = self.inner.store.definition(start.definition).await;
                let row = row.map_err(|e| store_error(&e))?;
                if row.is_some_and(|row| &*row.dialect != "zeebe") {
                    let message = format!(
                        "message '{name}' of process '{}' starts process '{}' already",
                        process.id, start.process_id
                    );
                    problems.push(whole(&file.resource.name, message));
                    break;
                }
            }
        }
        Ok(problems)
    }
}
