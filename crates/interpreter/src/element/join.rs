//! Tokens that come together before the gateway is entered at all.
//!
//! DIFFERENCE: in Zeebe a join is one visit, with listeners of its own, that begins when the last
//! token has come. In the others every token is a visit, and the gateway's own file counts them.

use orloj_model::{Element, ElementKind, Joins};
use orloj_types::ElementInstanceKey;

use super::{inclusive_gateway, parallel_gateway};
use crate::flow;
use crate::record::ElementInstance;
use crate::turn::Turn;

/// Whether the element instance may go on: the others that belong to it have come, and vanish.
/// A token that has been let through has come by the gateway itself.
pub(crate) fn is_complete(turn: &mut Turn<'_>, key: ElementInstanceKey, element: &Element) -> bool {
    let others: fn(&Turn<'_>, ElementInstanceKey, &Element) -> _ = match element.kind {
        ElementKind::ParallelGateway => parallel_gateway::others,
        ElementKind::InclusiveGateway => inclusive_gateway::others,
        _ => return true,
    };
    if turn.semantics().joins != Joins::PerFlow || is_through(turn.element(key)) {
        return true;
    }
    let Some(others) = others(turn, key, element) else { return false };
    for other in others {
        flow::remove(turn, other);
    }
    flow::note_entered(turn, key);
    turn.element_mut(key).arrived_by = Some(element.id.clone());
    true
}

pub(crate) fn is_through(instance: &ElementInstance) -> bool {
    instance.arrived_by.as_ref() == Some(&instance.element)
}
