//! Trigger: what a subscription waits for has come.

use orloj_types::{Document, SubscriptionKey};

use crate::command::Rejection;
use crate::events;
use crate::failure::Stop;
use crate::turn::Turn;

pub(crate) fn trigger(
    turn: &mut Turn<'_>,
    key: SubscriptionKey,
    variables: &Document,
) -> Result<(), Stop> {
    let found = turn.work.record.subscription(key);
    let (host, subscription) = found.ok_or(Rejection::SubscriptionNotFound(key))?;
    let (host, event) = (host.key, turn.index_of(&subscription.event));
    if !events::stays(turn.model(event)) {
        events::close(turn, host, key);
    }
    events::occur(turn, host, event, variables.0.clone())?;
    Ok(())
}
