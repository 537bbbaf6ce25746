//! Deployments: files become definitions, all or none.

use std::collections::BTreeMap;
use std::sync::Arc;

use md5::{Digest, Md5};
use orloj_model::{Dialect, Options, Parsed, Severity};
use orloj_store::{NewDefinition, NewDeployment, NewResource, Notice};
use orloj_types::{DefinitionKey, DeploymentKey, ProcessId};

use crate::api::{DefinitionView, Deploy, Deployed, Error, Resource, ResourceProblem};
use crate::definitions::{CHECKS, dialect_name};
use crate::handle::Orloj;
use crate::node::{Reply, Request, store_error};

/// Endings of files that hold processes.
const PROCESS_ENDINGS: [&str; 3] = [".bpmn", ".bpmn20.xml", ".xml"];

impl Orloj {
    pub async fn deploy(&self, deploy: Deploy) -> Result<Deployed, Error> {
        if deploy.resources.is_empty() {
            return Err(Error::Invalid("a deployment needs at least one resource".into()));
        }
        let plain = deploy.plain_dialect;
        let resources = deploy.resources;
        let parsed = tokio::task::spawn_blocking(move || {
            let parse = |resource: Resource| {
                let parsed = parse(&resource, plain);
                (resource, parsed)
            };
            resources.into_iter().map(parse).collect::<Vec<_>>()
        });
        let parsed = parsed.await.map_err(|e| Error::Internal(e.to_string()))?;
        check(&parsed)?;

        let count = 1 + parsed.iter().map(|(_, p)| processes(p).len()).sum::<usize>();
        let Reply::Keys(keys) = self.request(Request::Keys { count }).await? else {
            return Err(Error::Internal("no keys for a deployment".into()));
        };
        let mut keys = keys.into_iter();
        let mut key = || keys.next().unwrap_or_default();
        let deployment = NewDeployment {
            key: DeploymentKey::new(key()),
            engine: self.inner.engine.clone(),
            tenant: deploy.tenant,
            resources: parsed
                .into_iter()
                .map(|(resource, parsed)| NewResource {
                    checksum: Md5::digest(&resource.content).into(),
                    definitions: processes(&parsed)
                        .into_iter()
                        .map(|process_id| NewDefinition {
                            key: DefinitionKey::new(key()),
                            process_id,
                        })
                        .collect(),
                    dialect: parsed.map_or("", |p| dialect_name(p.dialect)).into(),
                    checks: CHECKS,
                    name: resource.name,
                    content: resource.content,
                })
                .collect(),
            now: self.now(),
        };
        let stored = self.inner.store.deploy(deployment).await.map_err(|e| store_error(&e))?;
        self.inner.definitions.forget_latest();
        if !stored.duplicate {
            // A hint; the heartbeat tells as well.
            let _ = self.inner.store.notify(vec![Notice::Deployed]).await;
        }
        Ok(Deployed {
            key: stored.key,
            duplicate: stored.duplicate,
            definitions: stored.definitions.iter().map(DefinitionView::from).collect(),
        })
    }
}

fn parse(resource: &Resource, plain_dialect: Dialect) -> Result<Parsed, String> {
    let name = resource.name.to_ascii_lowercase();
    if !PROCESS_ENDINGS.iter().any(|ending| name.ends_with(ending)) {
        return Err(format!(
            "resources of this kind are not supported yet; the name must end in one of {}",
            PROCESS_ENDINGS.join(", ")
        ));
    }
    if resource.name.contains('\0') || resource.name.len() > RESOURCE_NAME_BYTES_MAX {
        return Err("the name of a resource must be short and without U+0000".into());
    }
    let options = Options { dialect: None, plain_dialect };
    Ok(orloj_model::parse(&resource.content, &options))
}

/// Longest name of a resource; as long as a file system takes.
const RESOURCE_NAME_BYTES_MAX: usize = 1_024;

fn processes(parsed: &Result<Parsed, String>) -> Vec<ProcessId> {
    parsed.iter().flat_map(|p| p.processes.iter().map(|process| process.id.clone())).collect()
}

fn check(parsed: &[(Resource, Result<Parsed, String>)]) -> Result<(), Error> {
    let mut problems = Vec::new();
    let mut seen: BTreeMap<ProcessId, Arc<str>> = BTreeMap::new();
    for (resource, result) in parsed {
        let mut problem = ResourceProblem {
            resource: resource.name.clone(),
            diagnostics: Vec::new(),
            message: String::new(),
        };
        match result {
            Err(message) => problem.message = message.clone(),
            Ok(parsed) if parsed.has_errors() => {
                let errors = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error);
                problem.diagnostics = errors.cloned().collect();
            }
            Ok(parsed) if parsed.processes.is_empty() && parsed.dialect == Dialect::Zeebe => {
                problem.message = "the file has no executable process".into();
            }
            Ok(parsed) => {
                for process in &parsed.processes {
                    if let Some(other) = seen.insert(process.id.clone(), resource.name.clone()) {
                        problem.message =
                            format!("process id '{}' is also in '{other}'", process.id);
                    }
                }
            }
        }
        if !problem.message.is_empty() || !problem.diagnostics.is_empty() {
            problems.push(problem);
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::Deployment(problems)) }
}
