//! Restarting: another instance like one that has ended.

use orloj_store::format::decode_variables;
use orloj_types::{Document, ElementId, InstanceKey};

use super::desk::Desk;
use super::operation::Entry;
use crate::api::{Error, Missing, StartInstance, Started, Which};
use crate::node::store_error;

#[derive(Clone, Debug, Default)]
pub struct Restart {
    /// Tokens begin before these elements. Empty: at the start event.
    pub before: Vec<ElementId>,
    /// Begin with nothing; otherwise with the variables that it had at the end.
    pub without_variables: bool,
    pub without_business_key: bool,
    /// Set besides.
    pub variables: Document,
}

impl Restart {
    pub(super) async fn start(self, desk: &Desk, key: InstanceKey) -> Result<Started, Error> {
        let ended = desk.engine.inner.store.ended_instance(key).await;
        let ended = ended.map_err(|e| store_error(&e))?;
        let row = ended.ok_or(Error::Missing(Missing::Instance(key.raw())))?;
        let mut variables = match self.without_variables {
            true => Document::new(),
            false => decode_variables(&row.variables).map_err(|e| store_error(&e))?,
        };
        variables.0.extend(self.variables.0);
        let started = desk.engine.start(StartInstance {
            which: Which::Definition(row.definition),
            tenant: row.tenant.clone(),
            business_key: row.business_key.filter(|_| !self.without_business_key),
            variables,
            before: self.before,
            tags: Vec::new(),
            stops_after: Vec::new(),
        });
        let started = started.await?;
        let entry = Entry {
            tenant: row.tenant,
            definition: Some(row.definition),
            ..Entry::of_instance("RestartProcessInstance", started.instance)
        };
        let entry = entry.changing("restartedProcessInstanceId", Some(key), Some(started.instance));
        desk.note(vec![entry]).await?;
        Ok(started)
    }
}
