//! A deployed process, ready to run.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_model::{ElementKind, Process, SubProcess, SubProcessKind, Throw};
use orloj_types::{DefinitionKey, DeploymentKey, ElementId, TenantId, Timestamp};

pub type Headers = Arc<[(Arc<str>, Arc<str>)]>;

#[derive(Debug)]
pub struct Definition {
    pub key: DefinitionKey,
    pub version: i32,
    pub tenant: TenantId,
    pub deployment: DeploymentKey,
    pub resource_name: Arc<str>,
    pub deployed_at: Timestamp,
    pub process: Arc<Process>,
    /// It was suspended when it was read: a version of the settings that says so, if it is still
    /// so. What a node knows by an older one does not count.
    pub suspended_under: Option<i64>,
    headers: BTreeMap<ElementId, Headers>,
}

impl Definition {
    pub fn new(row: &orloj_store::DefinitionRow, process: Arc<Process>) -> Self {
        let headers = process.elements.iter().filter_map(|element| {
            let worker = match &element.kind {
                ElementKind::ServiceTask(task) => task.worker()?,
                ElementKind::EndEvent(Throw::Message(task))
                | ElementKind::ThrowEvent(Throw::Message(task)) => task.worker()?,
                ElementKind::SubProcess(SubProcess {
                    kind: SubProcessKind::AdHoc(ad_hoc), ..
                }) => ad_hoc.worker.as_ref()?,
                _ => return None,
            };
            let headers: Headers = worker.headers.clone().into();
            (!headers.is_empty()).then(|| (element.id.clone(), headers))
        });
        Self {
            key: row.key,
            version: row.version,
            tenant: row.tenant.clone(),
            deployment: row.deployment,
            resource_name: row.resource_name.clone(),
            deployed_at: row.deployed_at,
            suspended_under: None,
            headers: headers.collect(),
            process,
        }
    }

    /// Of the jobs of an element.
    pub fn headers(&self, element: &str) -> Headers {
        self.headers.get(element).cloned().unwrap_or_else(|| Arc::new([]))
    }
}
