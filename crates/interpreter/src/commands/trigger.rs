//! Trigger: what a subscription waits for has come.

use orloj_types::{Document, SubscriptionKey, Variables};

use crate::command::Rejection;
use crate::failure::{Ruled, Stop};
use crate::jobs::Draft;
use crate::record::JobKind;
use crate::settings::JobOverride;
use crate::turn::Turn;
use crate::{events, jobs};

pub(crate) fn trigger(
    turn: &mut Turn<'_>,
    key: SubscriptionKey,
    variables: &Document,
) -> Result<(), Stop> {
    if turn.work.record.subscription(key).is_none() {
        return Err(Rejection::SubscriptionNotFound(key).into());
    }
    hear(turn, key, variables.0.clone())?;
    Ok(())
}

/// What the subscription, which is there, waits for has come.
pub(crate) fn hear(turn: &mut Turn<'_>, key: SubscriptionKey, with: Variables) -> Ruled {
    let Some((host, subscription)) = turn.work.record.subscription(key) else { return Ok(()) };
    let (host, event) = (host.key, turn.index_of(&subscription.event));
    if !events::stays(turn.model(event)) {
        events::close(turn, host, key);
    }
    events::occur(turn, host, event, with)
}

/// The same in a job of its own, which carries what came along.
///
/// DIFFERENCE: in Camunda such a job loses the signal's variables; here it keeps them.
pub(crate) fn defer(
    turn: &mut Turn<'_>,
    key: SubscriptionKey,
    variables: &Document,
) -> Result<(), Stop> {
    let found = turn.work.record.subscription(key);
    let (host, subscription) = found.ok_or(Rejection::SubscriptionNotFound(key))?;
    let (host, event) = (host.key, turn.model(turn.index_of(&subscription.event)));
    let kind = JobKind::Signal { subscription: key, variables: variables.0.clone() };
    let draft = Draft {
        priority: jobs::priority_of(turn, host, event, JobOverride::default())?,
        exclusive: true,
        category: jobs::category_of(turn, host, event)?,
        limit_key: jobs::limit_key_of(turn, host, event)?,
        ..Draft::new(kind, jobs::default_retries(turn))
    };
    jobs::create(turn, host, draft);
    Ok(())
}
