//! Flowable's events that hear of a variable by its name, without a condition.
//!
//! They hear when nothing else is left to do, of everything that was written until then: in every
//! scope of the instance, also in those that have ended since, and what it was started with. That
//! a variable was taken away is heard by none.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_model::{Trigger, VariableEvent};
use orloj_types::{ElementInstanceKey, SubscriptionKey};

use crate::conditions::{Change, Changes};
use crate::events;
use crate::record::SubscriptionKind;
use crate::turn::Turn;

/// Those that occur, in their order, each as often as it heard something.
///
/// All that wait for the same variable hear together, the interrupting ones last, so that none of
/// them is ended before its turn. Variables that interrupt something come before the others: what
/// waits for those then may not be there any more.
pub(crate) fn occurring(
    turn: &mut Turn<'_>,
    changes: &Changes,
) -> Vec<(ElementInstanceKey, SubscriptionKey)> {
    if !turn.process.contents.variable_events {
        return Vec::new();
    }
    let news = news(turn, changes);
    // With whether something is interrupted.
    let mut names: Vec<(Arc<str>, bool)> = Vec::new();
    let mut waiting = Vec::new();
    for holder in turn.work.record.subscribed() {
        for subscription in &holder.subscriptions {
            let SubscriptionKind::Variable { .. } = subscription.kind else { continue };
            let event = turn.model(turn.index_of(&subscription.event));
            let Some(Trigger::Variable(watched)) = event.trigger() else { continue };
            let is_heard =
                |change: &&Change| change.name == watched.variable && watched.hears(change.event);
            let count = news.iter().filter(is_heard).count();
            let place = names.iter().position(|(name, _)| *name == watched.variable);
            let place = place.unwrap_or_else(|| {
                names.push((watched.variable.clone(), false));
                names.len() - 1
            });
            let interrupts = !events::stays(event);
            names[place].1 |= interrupts && count > 0;
            let which = (holder.key, subscription.key);
            waiting.extend((0..count).map(|_| (place, interrupts, which)));
        }
    }
    waiting.sort_by_key(|(place, interrupts, _)| (!names[*place].1, *place, *interrupts));
    waiting.into_iter().map(|(.., which)| which).collect()
}

/// What was written since the listeners heard last. A variable that has gone along with its token
/// is in another scope now, and is not new; one that ends with the command is none.
fn news(turn: &mut Turn<'_>, changes: &Changes) -> Vec<Change> {
    let is_new = turn.work.take_new();
    let (record, (member, _)) = (&turn.work.record, turn.work.at());
    let mut news = Vec::new();
    if let Some(seen) = turn.work.seen.get(&member).filter(|_| is_new) {
        let started = seen.get(&record.root.key).into_iter().flat_map(|own| own.keys());
        news.extend(started.map(|name| change(name, VariableEvent::Create)));
    }
    let writes = record.variables.writes();
    news.extend(writes.iter().map(|write| change(&write.name, write.event)));
    let written: BTreeSet<&Arc<str>> = writes.iter().map(|write| &write.name).collect();
    let unwritten = changes.values().flatten().filter(|change| !written.contains(&change.name));
    news.extend(unwritten.filter(|change| !turn.work.is_transient(&change.name)).cloned());
    news
}

fn change(name: &Arc<str>, event: VariableEvent) -> Change {
    Change { name: name.clone(), event }
}
