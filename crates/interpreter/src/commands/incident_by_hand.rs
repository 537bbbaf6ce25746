//! OpenIncident and AnnotateIncident: problems that clients tell of, and notes about problems.

use std::sync::Arc;

use orloj_model::IncidentNames;
use orloj_types::IncidentKey;

use crate::command::{OpenIncident, Rejection};
use crate::failure::Stop;
use crate::incidents;
use crate::turn::Turn;

pub(crate) fn open_incident(turn: &mut Turn<'_>, open: &OpenIncident) -> Result<(), Stop> {
    if IncidentNames::is_reserved(&open.kind) {
        return Err(Rejection::IncidentKindReserved(open.kind.clone()).into());
    }
    if turn.work.record.element(open.element_instance).is_none() {
        return Err(Rejection::ScopeNotFound(open.element_instance).into());
    }
    incidents::open_by_hand(turn, open);
    Ok(())
}

pub(crate) fn annotate_incident(
    turn: &mut Turn<'_>,
    key: IncidentKey,
    annotation: Option<&Arc<str>>,
) -> Result<(), Stop> {
    incidents::find(&turn.work.record, key).ok_or(Rejection::IncidentNotFound(key))?;
    turn.work.changes.incident_annotated(key, annotation.cloned());
    Ok(())
}
