//! How many elements a command has entered, as far as they bound it.
//!
//! A loop without a wait must not hold its node for ever. The instances of a multi-instance
//! activity are no such loop: their number is known before the first one begins. So what happens
//! inside of an instance is counted for that instance alone, in called instances too.
//!
//! Calls that lead back into a process are a loop again, and one that may double with every round.
//! What they come to counts for the instance of that process which they have come from, and there
//! the instances of multi-instance activities count as well.

use std::collections::BTreeMap;

use orloj_types::ElementInstanceKey;

use crate::agenda::MemberIndex;
use crate::record::Role;
use crate::work::Work;

/// Instances within instances that are counted apart. Deeper ones count for the one they lie in.
const LEVELS_MAX: u8 = 8;

#[derive(Debug)]
pub(crate) struct Visits {
    /// The first one is the command itself.
    counts: Vec<Count>,
    /// Which count instances of multi-instance activities have.
    instances: BTreeMap<(MemberIndex, ElementInstanceKey), Place>,
    /// Which one called instances have.
    members: BTreeMap<MemberIndex, Place>,
}

/// Where something is counted.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    count: usize,
    /// Calls have led back into a process: nothing in here is counted apart.
    is_recursive: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    visits: u32,
    level: u8,
}

impl Default for Visits {
    fn default() -> Self {
        let counts = vec![Count::default()];
        Self { counts, instances: BTreeMap::new(), members: BTreeMap::new() }
    }
}

impl Visits {
    /// Those that belong to no instance of a multi-instance activity.
    pub(crate) fn of_command(&self) -> u32 {
        self.counts[0].visits
    }

    /// One more for the command, wherever it is. The answer is how many there are.
    pub(crate) fn count(&mut self) -> u32 {
        self.counts[0].visits += 1;
        self.counts[0].visits
    }
}

/// One more in a scope of the instance at work. The answer is how many count together.
pub(crate) fn count_in(work: &mut Work, scope: ElementInstanceKey) -> u32 {
    let (member, _) = work.at();
    let place = find(work, member, scope);
    one_more(work, place)
}

/// The same for an instance of a multi-instance activity, which the activity itself bounds.
pub(crate) fn count_instance_in(work: &mut Work, scope: ElementInstanceKey) -> u32 {
    let (member, _) = work.at();
    let place = find(work, member, scope);
    match place.is_recursive {
        true => one_more(work, place),
        false => 0,
    }
}

fn one_more(work: &mut Work, place: Place) -> u32 {
    let count = &mut work.visits.counts[place.count];
    count.visits += 1;
    count.visits
}

/// The count that a scope belongs to. Those on the way to it that have none yet get theirs.
fn find(work: &mut Work, member: MemberIndex, scope: ElementInstanceKey) -> Place {
    let mut without = Vec::new();
    let mut at = (member, scope);
    let mut place = loop {
        let (member, scope) = at;
        let record = work.record_of(member);
        if let Some(instance) = record.elements.get(scope) {
            if instance.role == Role::Inner {
                if let Some(&place) = work.visits.instances.get(&at) {
                    break place;
                }
                without.push(Uncounted::Instance(at));
            }
            at.1 = instance.scope;
            continue;
        }
        if let Some(&place) = work.visits.members.get(&member) {
            break place;
        }
        let caller = record
            .caller
            .and_then(|caller| Some((work.member(caller.instance)?, caller.element_instance)));
        let Some(caller) = caller else { break Place::default() };
        without.push(Uncounted::Member(member));
        at = caller;
    };
    for uncounted in without.into_iter().rev() {
        match uncounted {
            Uncounted::Member(member) => {
                if !place.is_recursive
                    && let Some(above) = same_above(work, member)
                {
                    let of_above = work.visits.members.get(&above).copied().unwrap_or_default();
                    place = Place { is_recursive: true, ..of_above };
                }
                work.visits.members.insert(member, place);
            }
            Uncounted::Instance(at) => {
                let visits = &mut work.visits;
                let level = visits.counts[place.count].level + 1;
                if level <= LEVELS_MAX && !place.is_recursive {
                    visits.counts.push(Count { visits: 0, level });
                    place.count = visits.counts.len() - 1;
                }
                visits.instances.insert(at, place);
            }
        }
    }
    place
}

/// The nearest instance of the same definition among those that have called a member.
fn same_above(work: &Work, member: MemberIndex) -> Option<MemberIndex> {
    let definition = work.record_of(member).definition;
    let mut at = member;
    loop {
        at = work.member(work.record_of(at).caller?.instance)?;
        if work.record_of(at).definition == definition {
            return Some(at);
        }
    }
}

enum Uncounted {
    Member(MemberIndex),
    Instance((MemberIndex, ElementInstanceKey)),
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use orloj_model::{CallMapping, ElementKind, Items, MultiInstance, Process, SubProcessKind};

    use crate::flow::VISITS_MAX;
    use crate::testing::{Sketch, Story, call, end, start, subprocess, xor};

    fn each(sketch: &Sketch, is_sequential: bool) -> MultiInstance {
        MultiInstance {
            is_sequential,
            ..MultiInstance::of(Items::Collection {
                collection: sketch.expression("items"),
                variable: Some("item".into()),
            })
        }
    }

    /// A subprocess for each item, whose way `draw` adds.
    fn looped(sketch: Sketch, is_sequential: bool, draw: fn(Sketch) -> Sketch) -> Sketch {
        let multi = each(&sketch, is_sequential);
        let sketch = sketch
            .node("start", start())
            .node("work", subprocess(SubProcessKind::Embedded))
            .node("end", end())
            .flows("start -> work -> end")
            .with("work", |e| e.multi = Some(multi));
        draw(sketch)
    }

    fn items(count: u32) -> String {
        let items: Vec<String> = (0..count).map(|item| item.to_string()).collect();
        format!(r#"{{"items":[{}]}}"#, items.join(","))
    }

    #[test]
    fn many_instances_of_a_subprocess_are_no_endless_loop() {
        let short = |sketch: Sketch| {
            sketch
                .node("in", start())
                .node("task", xor())
                .node("out", end())
                .inside("work", &["in", "task", "out"])
                .flows("in -> task -> out")
        };
        for sketch in [Sketch::camunda as fn() -> Sketch, Sketch::flowable] {
            for is_sequential in [false, true] {
                let process = looped(sketch(), is_sequential, short).build();
                let told = Story::of(process).start(&items(VISITS_MAX / 2));
                assert!(told.contains("ended Completed"), "{}", &told[told.len() - 200..]);
            }
        }
    }

    #[test]
    fn an_endless_loop_in_one_of_them_is_refused() {
        let endless = |sketch: Sketch| {
            sketch
                .node("in", start())
                .node("round", xor())
                .inside("work", &["in", "round"])
                .flows("in -> round -> round")
        };
        let process = looped(Sketch::camunda(), true, endless).build();
        let told = Story::of(process).start(&items(2));
        assert!(told.contains("elements visited in one command"), "{told}");
    }

    #[test]
    fn a_process_that_calls_itself_for_each_item_is_refused() {
        for sketch in [Sketch::camunda as fn() -> Sketch, Sketch::flowable] {
            for count in [1, 10, 500] {
                let process = calling(sketch(), "p");
                let mut story = Story::of(process.clone()).callable("p", process);
                let told = story.start(&items(count));
                assert!(told.contains("elements visited in one command"), "{}", &told[..200]);
            }
        }
    }

    #[test]
    fn so_are_two_that_call_each_other() {
        let (p, q) = (calling(Sketch::flowable(), "q"), calling(Sketch::flowable(), "p"));
        let mut story = Story::of(p.clone()).callable("p", p).callable("q", q);
        let told = story.start(&items(20));
        assert!(told.contains("elements visited in one command"), "{}", &told[..200]);
    }

    /// Calls a process for each item, and gives it all variables.
    fn calling(sketch: Sketch, name: &str) -> Arc<Process> {
        let multi = each(&sketch, false);
        let mut calls = call(name);
        calls.inputs = vec![CallMapping::All { is_local: false }];
        sketch
            .node("start", start())
            .node("work", ElementKind::CallActivity(calls))
            .flows("start -> work")
            .with("work", |e| e.multi = Some(multi))
            .build()
    }
}
