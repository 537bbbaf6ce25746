//! Start: a new instance, with a token at its start event.

use std::collections::BTreeMap;

use orloj_types::Timestamp;

use crate::agenda::Step;
use crate::command::{Rejection, Start};
use crate::failure::Stop;
use crate::outcome::Event;
use crate::record::{ExclusiveQueue, Record};
use crate::turn::Turn;

/// The record of an instance before its first token.
pub(crate) fn first_record(start: &Start, now: Timestamp) -> Record {
    let mut variables = BTreeMap::new();
    if !start.variables.is_empty() {
        variables.insert(start.instance.root_scope(), start.variables.0.clone());
    }
    Record {
        instance: start.instance,
        definition: start.definition,
        tenant: start.tenant.clone(),
        business_key: start.business_key.clone(),
        started_at: now,
        awaited_by: start.awaited_by,
        elements: Vec::new(),
        variables,
        exclusive: ExclusiveQueue::default(),
    }
}

pub(crate) fn start(turn: &mut Turn<'_>) -> Result<(), Stop> {
    let element = turn.process.none_start.ok_or(Rejection::NoNoneStart)?;
    turn.event(Event::InstanceStarted);
    turn.work.agenda.push(Step::Start { element });
    Ok(())
}
