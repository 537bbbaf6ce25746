//! Flowable's events that hear of a variable by its name, without a condition.
//!
//! They hear once in a command, when nothing else is left to do, of everything that was written
//! until then: in every scope of the instance, also in those that have ended since, and what it was
//! started with. What is written on their own paths is heard by none, neither then nor later, nor
//! is that a variable was taken away.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_model::{Trigger, VariableEvent};
use orloj_types::{ElementInstanceKey, SubscriptionKey};

use crate::agenda::Step;
use crate::conditions::{self, Change, Changes};
use crate::events;
use crate::failure::Ruled;
use crate::record::SubscriptionKind;
use crate::turn::Turn;

/// How often each variable was written, and how.
pub(crate) type News = BTreeMap<Arc<str>, Vec<(VariableEvent, usize)>>;

/// Keeps what has changed until the listeners hear it.
pub(crate) fn note(turn: &mut Turn<'_>, changes: &Changes) {
    if !turn.process.contents.variable_events || turn.work.has_listened {
        return;
    }
    let (member, _) = turn.work.at();
    let written = written(turn, changes);
    let news = turn.work.news.entry(member).or_default();
    for Change { name, event } in written {
        let known = news.entry(name).or_default();
        match known.iter_mut().find(|(of, _)| *of == event) {
            Some((_, count)) => *count += 1,
            None => known.push((event, 1)),
        }
    }
}

/// The listeners of the instance at work hear, and right after them those of the next.
pub(crate) fn listen(turn: &mut Turn<'_>) -> Ruled {
    turn.work.has_listened = true;
    let (member, _) = turn.work.at();
    let news = turn.work.news.remove(&member).unwrap_or_default();
    if turn.work.ended.is_none() {
        for (host, key) in occurring(turn, &news) {
            conditions::occur(turn, host, key)?;
        }
    }
    if let Some((&next, _)) = turn.work.news.first_key_value() {
        turn.work.agenda.push_next(next, Step::Listen);
    }
    Ok(())
}

/// Those that occur, in their order, each as often as it heard something.
///
/// All that wait for the same variable hear together, the interrupting ones last, so that none of
/// them is ended before its turn. Variables that interrupt something come before the others: what
/// waits for those then may not be there any more.
fn occurring(turn: &Turn<'_>, news: &News) -> Vec<(ElementInstanceKey, SubscriptionKey)> {
    // The watched variables, and whether something is interrupted by each.
    let mut places: BTreeMap<&Arc<str>, usize> = BTreeMap::new();
    let mut interrupting: Vec<bool> = Vec::new();
    let mut waiting = Vec::new();
    for holder in turn.work.record.subscribed() {
        for subscription in &holder.subscriptions {
            let SubscriptionKind::Variable { .. } = subscription.kind else { continue };
            let event = turn.model(turn.index_of(&subscription.event));
            let Some(Trigger::Variable(watched)) = event.trigger() else { continue };
            let about = news.get(&watched.variable).map_or(&[][..], Vec::as_slice);
            #[cfg(test)]
            tests::LOOKED_AT.with(|count| count.set(count.get() + about.len()));
            let heard = about.iter().filter(|(event, _)| watched.hears(*event));
            let count = heard.map(|(_, count)| count).sum();
            let place = *places.entry(&watched.variable).or_insert(interrupting.len());
            if place == interrupting.len() {
                interrupting.push(false);
            }
            let interrupts = !events::stays(event);
            interrupting[place] |= interrupts && count > 0;
            let which = (holder.key, subscription.key);
            waiting.extend((0..count).map(|_| (place, interrupts, which)));
        }
    }
    waiting.sort_by_key(|(place, interrupts, _)| (!interrupting[*place], *place, *interrupts));
    waiting.into_iter().map(|(.., which)| which).collect()
}

/// What was written since it was last asked for. A variable that has gone along with its token
/// is in another scope now, and is not new; one that ends with the command is none.
fn written(turn: &mut Turn<'_>, changes: &Changes) -> Vec<Change> {
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use orloj_model::{Trigger, VariableChange, VariableEvent};

    use crate::Command;
    use crate::testing::{Sketch, Story, document, on, start, user};

    thread_local! {
        /// How much of the news was looked at.
        pub(super) static LOOKED_AT: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn many_listeners_hear_many_writes_at_the_cost_of_both() {
        let looked_at = |number: usize| {
            let mut sketch = Sketch::flowable().node("start", start()).node("ask", user());
            for n in 0..number {
                let events = vec![VariableEvent::Create, VariableEvent::Update];
                let change = VariableChange { variable: format!("v{n}").into(), events };
                sketch =
                    sketch.boundary("ask", &format!("b{n}"), on(false, Trigger::Variable(change)));
            }
            let mut story = Story::of(sketch.flows("start -> ask").build());
            story.start("{}");
            let scope = story.record.as_ref().expect("it lives").root.key;
            let written: Vec<String> = (0..number).map(|n| format!(r#""v{n}":1"#)).collect();
            let variables = document(&format!("{{{}}}", written.join(",")));
            LOOKED_AT.with(|count| count.set(0));
            let told = story.play(Command::SetVariables { scope, variables, local: false });
            let entered = told.lines().filter(|line| line.starts_with("entered b")).count();
            assert_eq!(entered, number, "{told}");
            LOOKED_AT.with(Cell::get)
        };
        assert_eq!(looked_at(10), 10);
        assert_eq!(looked_at(100), 100);
    }
}
