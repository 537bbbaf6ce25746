//! Modify: tokens are moved by hand.
//!
//! All instructions are checked before the first is followed. They are followed in their order;
//! a scope that a cancelled token leaves empty is cancelled too, and so is the instance if nothing
//! is left in it at the end. Scopes around an element that are not there yet are made: their
//! boundary events and event subprocesses wait, but their listeners and mappings are left out.

use orloj_model::{ElementIndex, FlowIndex};
use orloj_types::{Document, ElementId, ElementInstanceKey};

use crate::agenda::{Brought, Step};
use crate::command::{Instruction, MoveFrom, MoveInside, Place, Rejection};
use crate::failure::{Ruled, Stop};
use crate::record::{ElementInstance, ElementState, Role};
use crate::turn::Turn;
use crate::{ending, events, flow, instance, scope, subprocess_scope, variables};

pub(crate) fn modify(turn: &mut Turn<'_>, instructions: &[Instruction]) -> Result<(), Stop> {
    for instruction in instructions {
        check(turn, instruction)?;
    }
    turn.work.push_next(Step::Instruct { next: 0 });
    Ok(())
}

fn check(turn: &Turn<'_>, instruction: &Instruction) -> Result<(), Rejection> {
    match instruction {
        Instruction::Cancel { element_instance } => {
            let found = turn.work.record.elements.get(*element_instance);
            found.map(drop).ok_or(Rejection::ScopeNotFound(*element_instance))
        }
        Instruction::CancelAll { element } => known(turn, element).map(drop),
        Instruction::StartBefore { element, place } => {
            let index = known(turn, element)?;
            check_place(turn, index, place)
        }
        Instruction::StartAfter { element, place } => {
            let index = known(turn, element)?;
            if turn.model(index).outgoing.len() != 1 {
                return Err(impossible(element, "it has not exactly one outgoing flow"));
            }
            check_place(turn, index, place)
        }
        Instruction::StartTransition { flow, place } => {
            let index = known_flow(turn, flow)?;
            check_place(turn, turn.process.flow(index).target, place)
        }
        Instruction::Move { from, to, inside, place } => {
            let index = known(turn, to)?;
            let sources = match from {
                MoveFrom::One(key) => {
                    let found = turn.work.record.elements.get(*key);
                    found.ok_or(Rejection::ScopeNotFound(*key))?;
                    vec![*key]
                }
                MoveFrom::All(element) => {
                    known(turn, element)?;
                    moved(turn, from)
                }
            };
            for source in sources {
                check_place(turn, index, &place_of_move(turn, source, index, *inside, place))?;
            }
            Ok(())
        }
    }
}

/// What a move instruction is about: of a multi-instance the whole.
fn moved(turn: &Turn<'_>, from: &MoveFrom) -> Vec<ElementInstanceKey> {
    let elements = &turn.work.record.elements;
    match from {
        MoveFrom::One(key) => elements.get(*key).map(|e| e.key).into_iter().collect(),
        MoveFrom::All(id) => {
            let is_it = |e: &&ElementInstance| {
                e.element == *id && !matches!(e.role, Role::Inner | Role::Branch)
            };
            elements.iter().filter(is_it).map(|e| e.key).collect()
        }
    }
}

fn place_of_move(
    turn: &Turn<'_>,
    source: ElementInstanceKey,
    target: ElementIndex,
    inside: MoveInside,
    place: &Place,
) -> Place {
    let parent = turn.element(source).scope;
    let ancestor = match inside {
        MoveInside::Named => place.ancestor,
        MoveInside::Parent => Some(parent),
        MoveInside::Hierarchy => {
            let around = parents(turn, target);
            let mut scope = parent;
            while scope != turn.work.record.root.key
                && !turn.model_of(scope).is_some_and(|index| around.contains(&index))
            {
                scope = turn.element(scope).scope;
            }
            Some(scope)
        }
    };
    Place { ancestor, ..place.clone() }
}

fn known(turn: &Turn<'_>, id: &ElementId) -> Result<ElementIndex, Rejection> {
    turn.process.find(id).ok_or_else(|| Rejection::ElementNotFound(id.clone()))
}

fn known_flow(turn: &Turn<'_>, id: &ElementId) -> Result<FlowIndex, Rejection> {
    let found = turn.process.flows.iter().position(|flow| flow.id == *id);
    let found = found.and_then(|index| u32::try_from(index).ok()).map(FlowIndex);
    found.ok_or_else(|| Rejection::ElementNotFound(id.clone()))
}

fn impossible(element: &ElementId, reason: &'static str) -> Rejection {
    Rejection::NotPossible { element: element.clone(), reason }
}

pub(super) fn check_place(
    turn: &Turn<'_>,
    index: ElementIndex,
    place: &Place,
) -> Result<(), Rejection> {
    let element = turn.model(index);
    if let Some(ancestor) = place.ancestor {
        let record = &turn.work.record;
        let around = record.element(ancestor).ok_or(Rejection::ScopeNotFound(ancestor))?;
        let is_around = ancestor == record.root.key
            || parents(turn, index).contains(&turn.index_of(&around.element));
        if !is_around {
            return Err(impossible(&element.id, "the ancestor is not around it"));
        }
    }
    for (scope, _) in &place.scoped {
        let is_around = |id: &ElementId| {
            parents(turn, index).iter().any(|&parent| turn.model(parent).id == *id)
        };
        if scope.as_ref().is_some_and(|id| !is_around(id)) {
            return Err(impossible(&element.id, "the scope of a variable is not around it"));
        }
    }
    for parent in parents(turn, index) {
        let parent_element = turn.model(parent);
        if parent_element.kind.is_event_subprocess() && instances(turn, parent, place).is_empty() {
            return Err(impossible(
                &element.id,
                "it lies in an event subprocess that has not begun",
            ));
        }
        if parent_element.multi.is_some() && instances(turn, parent, place).is_empty() {
            return Err(impossible(&element.id, "it lies in a multi-instance that has not begun"));
        }
    }
    match scopes(turn, index, place).len() {
        0 | 1 => Ok(()),
        _ => Err(impossible(&element.id, "several instances of its scope run; name one")),
    }
}

/// The subprocesses around an element, the nearest first.
fn parents(turn: &Turn<'_>, index: ElementIndex) -> Vec<ElementIndex> {
    std::iter::successors(turn.model(index).parent, |&parent| turn.model(parent).parent).collect()
}

/// The instances of the nearest scope around the element that has any.
fn scopes(turn: &Turn<'_>, index: ElementIndex, place: &Place) -> Vec<ElementInstanceKey> {
    for parent in parents(turn, index) {
        let found = instances(turn, parent, place);
        if !found.is_empty() {
            return found;
        }
    }
    vec![turn.work.record.root.key]
}

/// The running instances of a subprocess, inside the ancestor where one is named.
fn instances(turn: &Turn<'_>, of: ElementIndex, place: &Place) -> Vec<ElementInstanceKey> {
    let record = &turn.work.record;
    let id = &turn.model(of).id;
    let lies_inside = |from: &ElementInstance| {
        let Some(ancestor) = place.ancestor else { return true };
        let mut next = Some(from.key);
        while let Some(key) = next {
            if key == ancestor {
                return true;
            }
            next = record.elements.get(key).map(|instance| instance.scope);
        }
        false
    };
    let is_scope = |e: &&ElementInstance| {
        e.element == *id && e.role != Role::Body && e.state != ElementState::Ending
    };
    record.elements.iter().filter(is_scope).filter(|e| lies_inside(e)).map(|e| e.key).collect()
}

/// Follows the next instruction of the command.
pub(crate) fn follow(turn: &mut Turn<'_>, instructions: &[Instruction], next: usize) -> Ruled {
    let Some(instruction) = instructions.get(next) else {
        end_scopes(turn);
        let root = turn.work.record.root.key;
        if is_empty(turn, root) {
            instance::cancel(turn);
        } else if is_ending(turn, root) {
            instance::cancel_when_asked(turn);
        }
        return Ok(());
    };
    match instruction {
        Instruction::Cancel { element_instance } => cancel(turn, *element_instance),
        Instruction::CancelAll { element } => {
            let all = turn.work.record.elements.iter().filter(|e| e.element == *element);
            for key in all.map(|e| e.key).collect::<Vec<_>>() {
                cancel(turn, key);
            }
        }
        Instruction::StartBefore { element, place } => {
            let Some(index) = turn.process.find(element) else { return Ok(()) };
            begin_at(turn, index, place)?;
        }
        Instruction::Move { from, to, inside, place } => {
            let Some(index) = turn.process.find(to) else { return Ok(()) };
            let sources = moved(turn, from);
            for &source in &sources {
                let place = place_of_move(turn, source, index, *inside, place);
                begin_at(turn, index, &place)?;
            }
            for source in sources {
                cancel(turn, source);
            }
        }
        Instruction::StartAfter { element, place } => {
            let Some(index) = turn.process.find(element) else { return Ok(()) };
            let Some(&flow) = turn.model(index).outgoing.first() else { return Ok(()) };
            take(turn, flow, place)?;
        }
        Instruction::StartTransition { flow, place } => {
            if let Ok(flow) = known_flow(turn, flow) {
                take(turn, flow, place)?;
            }
        }
    }
    turn.work.push_next(Step::Instruct { next: next + 1 });
    Ok(())
}

fn begin_at(turn: &mut Turn<'_>, element: ElementIndex, place: &Place) -> Ruled {
    let scope = open_scopes(turn, element, place)?;
    let with = place_variables(turn, scope, place);
    turn.work.push(Step::Arrive { element, scope, role: Role::Plain, with: with.0 });
    Ok(())
}

fn take(turn: &mut Turn<'_>, flow: FlowIndex, place: &Place) -> Ruled {
    let target = turn.process.flow(flow).target;
    let scope = open_scopes(turn, target, place)?;
    place_variables(turn, scope, place);
    turn.work.push(Step::Take { flow, scope, listener: 0, with: Brought::default() });
    Ok(())
}

/// Sets what goes outward; the rest is the element's own.
fn place_variables(turn: &mut Turn<'_>, scope: ElementInstanceKey, place: &Place) -> Document {
    if !place.variables.is_empty() {
        variables::assign(&mut turn.work.record, scope, &place.variables.0);
        turn.note_variables();
    }
    for (of, document) in place.scoped.iter().filter(|(_, document)| !document.is_empty()) {
        let root = turn.work.record.root.key;
        let mut own = match of {
            Some(_) => scope,
            None => root,
        };
        while own != root && of.as_ref().is_some_and(|id| turn.element(own).element != *id) {
            own = turn.element(own).scope;
        }
        variables::set_local(&mut turn.work.record, own, &document.0);
        turn.note_variables();
    }
    place.locals.clone()
}

fn cancel(turn: &mut Turn<'_>, key: ElementInstanceKey) {
    // One that lay inside another that was cancelled is gone already.
    if turn.work.record.elements.get(key).is_none() {
        return;
    }
    if ending::hold(turn, key) {
        return;
    }
    let mut around = scope::terminate(turn, key).scope;
    let root = turn.work.record.root.key;
    while around != root && is_empty(turn, around) {
        around = scope::terminate(turn, around).scope;
    }
}

/// Scopes that are empty as soon as somebody has been asked end then, as empty ones have at once.
fn end_scopes(turn: &mut Turn<'_>) {
    if !turn.process.contents.cancel_listeners {
        return;
    }
    let root = turn.work.record.root.key;
    let is_last = |e: &&ElementInstance| e.state == ElementState::Ending;
    let ending: Vec<_> =
        turn.work.record.elements.iter().filter(is_last).map(|e| e.scope).collect();
    for mut around in ending {
        while around != root && is_ending(turn, around) {
            ending::begin(turn, around);
            around = turn.element(around).scope;
        }
    }
}

/// Whether nothing is in the scope but what ends when somebody has been asked, and nothing comes
/// of that.
fn is_ending(turn: &Turn<'_>, scope: ElementInstanceKey) -> bool {
    let (member, _) = turn.work.at();
    let mut children = turn.work.record.elements.children(scope);
    let is_last = |e: &ElementInstance| e.state == ElementState::Ending && e.after.is_none();
    !ending::is_waiting(turn.element(scope))
        && !turn.work.agenda.has_tokens(member, scope)
        && children.all(is_last)
}

fn is_empty(turn: &Turn<'_>, scope: ElementInstanceKey) -> bool {
    let (member, _) = turn.work.at();
    !turn.work.record.elements.has_children(scope) && !turn.work.agenda.has_tokens(member, scope)
}

/// The scope that the element lives in; those that are missing are made.
pub(crate) fn open_scopes(
    turn: &mut Turn<'_>,
    index: ElementIndex,
    place: &Place,
) -> Ruled<ElementInstanceKey> {
    let mut scope = scopes(turn, index, place).first().copied();
    let mut missing = Vec::new();
    for parent in parents(turn, index) {
        if !instances(turn, parent, place).is_empty() {
            break;
        }
        missing.push(parent);
    }
    for &parent in missing.iter().rev() {
        let around = scope.unwrap_or(turn.work.record.root.key);
        scope = Some(open_scope(turn, parent, around)?);
    }
    Ok(scope.unwrap_or(turn.work.record.root.key))
}

fn open_scope(
    turn: &mut Turn<'_>,
    index: ElementIndex,
    around: ElementInstanceKey,
) -> Ruled<ElementInstanceKey> {
    let element = turn.model(index);
    let key = ElementInstanceKey::new(turn.next_key());
    let mut made = ElementInstance::new(key, element.id.clone(), around, turn.now);
    made.state = ElementState::Active;
    turn.work.record.elements.insert(made);
    flow::note_entered(turn, key);
    let boundaries = events::prepare_boundaries(turn, key, element)?;
    subprocess_scope::open(turn, key)?;
    events::open_all(turn, key, boundaries);
    Ok(key)
}

#[cfg(test)]
mod tests {
    use orloj_model::SubProcessKind;

    use crate::testing::{Sketch, Story, document, end, start, subprocess, user};
    use crate::{Command, Instruction, Place};

    fn nested() -> Story {
        let process = Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .node("sub", subprocess(SubProcessKind::Embedded))
            .node("begin", start())
            .node("first", user())
            .node("second", user())
            .inside("sub", &["begin", "first", "second"])
            .node("end", end())
            .flows("start -> ask -> sub -> end")
            .flows("begin -> first -> second");
        let mut story = Story::of(process.build());
        story.start("{}");
        story
    }

    fn before(element: &str) -> Instruction {
        Instruction::StartBefore { element: element.into(), place: Place::default() }
    }

    fn play(story: &mut Story, instructions: Vec<Instruction>) -> String {
        story.play(Command::Modify { instructions })
    }

    #[test]
    fn a_token_moves_into_a_scope_that_is_made_for_it() {
        let mut story = nested();
        let place = Place {
            variables: document(r#"{"outer":1}"#),
            locals: document(r#"{"own":2}"#),
            ..Place::default()
        };
        let start = Instruction::StartBefore { element: "second".into(), place };
        let cancel = Instruction::CancelAll { element: "ask".into() };
        insta::assert_snapshot!(play(&mut story, vec![cancel, start]), @r#"
        terminated ask
        entered sub
        entered second
        --
        delete task1
        insert task2 second priority 50
        at sub
        at second task2
        instance: {"outer":1}
        second: {"own":2}
        "#);
        insta::assert_snapshot!(story.complete_user_task("second", "{}"), @r#"
        left second
        left sub
        entered end
        left end
        ended Completed
        --
        delete task2
        end Completed {"outer":1}
        "#);
    }

    #[test]
    fn a_scope_that_is_left_empty_goes_too_and_at_last_the_instance() {
        let mut story = nested();
        let after = Instruction::StartAfter { element: "first".into(), place: Place::default() };
        play(&mut story, vec![after]);
        let element_instance = story.token("second").0;
        let told = play(&mut story, vec![Instruction::Cancel { element_instance }]);
        assert!(told.contains("terminated second\nterminated sub\n"), "{told}");
        let told = play(&mut story, vec![Instruction::CancelAll { element: "ask".into() }]);
        assert!(told.contains("ended Cancelled"), "{told}");
    }

    #[test]
    fn what_is_ambiguous_or_unknown_changes_nothing() {
        let mut story = nested();
        let flow = "ask-sub".into();
        play(&mut story, vec![Instruction::StartTransition { flow, place: Place::default() }]);
        story.complete_user_task("ask", "{}");
        let record = story.record.clone();
        for (instruction, why) in [
            (before("nowhere"), "no element nowhere"),
            (before("second"), "several instances of its scope"),
            (
                Instruction::StartAfter { element: "end".into(), place: Place::default() },
                "not exactly one outgoing",
            ),
        ] {
            let told = play(&mut story, vec![before("ask"), instruction]);
            assert!(told.contains(why), "{told}");
            assert_eq!(story.record, record);
        }
        let ancestor = Some(story.token("sub").0);
        let place = Place { ancestor, ..Place::default() };
        let told =
            play(&mut story, vec![Instruction::StartBefore { element: "second".into(), place }]);
        assert!(told.contains("entered second"), "{told}");
    }
}
