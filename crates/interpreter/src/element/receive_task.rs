//! The receive task (BPMN 10.3.3, 13.3.3): waits for its message, or to be continued by hand.

use orloj_model::Element;
use orloj_types::ElementInstanceKey;

use super::{Begun, catch_event};
use crate::failure::Ruled;
use crate::record::Role;
use crate::turn::Turn;
use crate::variables;

pub(crate) fn begin(
    turn: &mut Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
) -> Ruled<Begun> {
    match turn.element(key).role {
        // It stands after an event-based gateway, and its message has come.
        Role::Triggered => {
            variables::pass_on_payload(turn, key, element);
            Ok(Begun::Done)
        }
        _ => catch_event::wait(turn, key, element),
    }
}
