//! Start: a new instance, with a token at its start event.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{
    DefinitionKey, Document, ElementId, InstanceKey, NodeNumber, TenantId, Timestamp,
};

use crate::agenda::Step;
use crate::command::{Rejection, Start};
use crate::elements::Elements;
use crate::failure::Stop;
use crate::outcome::Event;
use crate::record::{Caller, ElementInstance, ElementState, ExclusiveQueue, Record};
use crate::turn::Turn;

/// An instance to be.
pub(crate) struct Draft {
    pub(crate) instance: InstanceKey,
    pub(crate) definition: DefinitionKey,
    pub(crate) tenant: TenantId,
    pub(crate) business_key: Option<Arc<str>>,
    pub(crate) variables: Document,
    pub(crate) awaited_by: Option<NodeNumber>,
    pub(crate) started_with: Option<Arc<str>>,
    pub(crate) caller: Option<Caller>,
}

impl Draft {
    /// The record of the instance before its first token.
    pub(crate) fn record(self, now: Timestamp) -> Record {
        let scope = self.instance.root_scope();
        let mut variables = BTreeMap::new();
        if !self.variables.is_empty() {
            variables.insert(scope, self.variables.0);
        }
        let mut root = ElementInstance::new(scope, ElementId::from(""), scope, now);
        root.state = ElementState::Active;
        Record {
            instance: self.instance,
            definition: self.definition,
            tenant: self.tenant,
            business_key: self.business_key,
            started_at: now,
            awaited_by: self.awaited_by,
            started_with: self.started_with,
            caller: self.caller,
            root,
            elements: Elements::default(),
            variables,
            exclusive: ExclusiveQueue::default(),
            is_suspended: false,
        }
    }
}

/// The record of an instance that is started by a command.
pub(crate) fn first_record(start: &Start, now: Timestamp) -> Record {
    let draft = Draft {
        instance: start.instance,
        definition: start.definition,
        tenant: start.tenant.clone(),
        business_key: start.business_key.clone(),
        variables: start.variables.clone(),
        awaited_by: start.awaited_by,
        started_with: start.started_with.clone(),
        caller: None,
    };
    draft.record(now)
}

pub(crate) fn start(turn: &mut Turn<'_>, start: &Start) -> Result<(), Stop> {
    let root = &turn.process.root;
    let start = match &start.at {
        None => root.none_start.ok_or(Rejection::NoNoneStart)?,
        Some(id) => {
            let index = turn.process.find(id).filter(|index| root.starts.contains(index));
            index.ok_or_else(|| Rejection::NoSuchStart(id.clone()))?
        }
    };
    turn.event(Event::InstanceStarted);
    turn.work.push(Step::BeginInstance { start, listener: None });
    Ok(())
}
