//! Start: a new instance, with a token at its start event.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_model::{ElementIndex, ElementKind};
use orloj_types::{
    DefinitionKey, Document, ElementId, InstanceKey, NodeNumber, TenantId, Timestamp,
};

use crate::agenda::Step;
use crate::command::{Place, Rejection, Start};
use crate::commands::modify::check_place;
use crate::elements::Elements;
use crate::exclusive::ExclusiveQueue;
use crate::failure::Stop;
use crate::outcome::Event;
use crate::record::{Caller, ElementInstance, ElementState, Record};
use crate::scopes::Scopes;
use crate::turn::Turn;

/// An instance to be.
pub(crate) struct Draft {
    pub(crate) instance: InstanceKey,
    pub(crate) definition: DefinitionKey,
    pub(crate) tenant: TenantId,
    pub(crate) business_key: Option<Arc<str>>,
    pub(crate) variables: Document,
    pub(crate) awaited_by: Option<NodeNumber>,
    pub(crate) started_with: Option<Arc<str>>,
    pub(crate) caller: Option<Caller>,
    pub(crate) tags: Arc<[Arc<str>]>,
    pub(crate) stops_after: Vec<ElementId>,
}

impl Draft {
    /// The record of the instance before its first token.
    pub(crate) fn record(self, now: Timestamp) -> Record {
        let scope = self.instance.root_scope();
        let mut variables = Scopes::default();
        if !self.variables.is_empty() {
            variables.insert(scope, self.variables.0);
        }
        let mut root = ElementInstance::new(scope, ElementId::from(""), scope, now);
        root.state = ElementState::Active;
        Record {
            instance: self.instance,
            definition: self.definition,
            tenant: self.tenant,
            business_key: self.business_key,
            started_at: now,
            awaited_by: self.awaited_by,
            started_with: self.started_with,
            caller: self.caller,
            tags: self.tags,
            stops_after: self.stops_after,
            root: Arc::new(root),
            elements: Elements::default(),
            variables,
            exclusive: ExclusiveQueue::default(),
            still_held: BTreeSet::new(),
            is_suspended: false,
        }
    }
}

/// The record of an instance that is started by a command.
pub(crate) fn first_record(start: &Start, now: Timestamp) -> Record {
    let draft = Draft {
        instance: start.instance,
        definition: start.definition,
        tenant: start.tenant.clone(),
        business_key: start.business_key.clone(),
        variables: start.variables.clone(),
        awaited_by: start.awaited_by,
        started_with: start.started_with.clone(),
        caller: None,
        tags: start.tags.clone(),
        stops_after: start.stops_after.clone(),
    };
    draft.record(now)
}

pub(crate) fn start(turn: &mut Turn<'_>, start: &Start) -> Result<(), Stop> {
    if turn.settings.is_suspended(start.definition) {
        return Err(Rejection::DefinitionSuspended(start.definition).into());
    }
    let root = &turn.process.root;
    let starts: Box<[ElementIndex]> = match &start.at {
        _ if !start.before.is_empty() => {
            let found = start.before.iter().map(|id| enterable(turn, id));
            found.collect::<Result<_, _>>()?
        }
        None => [root.none_start.ok_or(Rejection::NoNoneStart)?].into(),
        Some(id) => {
            let index = turn.process.find(id).filter(|index| root.starts.contains(index));
            [index.ok_or_else(|| Rejection::NoSuchStart(id.clone()))?].into()
        }
    };
    if let Some(id) = start.stops_after.iter().find(|id| turn.process.find(id).is_none()) {
        return Err(Rejection::ElementNotFound(id.clone()).into());
    }
    turn.event(Event::InstanceStarted);
    turn.work.push(Step::BeginInstance { starts, listener: None });
    Ok(())
}

/// An element that a token can come to though nothing else runs.
fn enterable(turn: &Turn<'_>, id: &ElementId) -> Result<ElementIndex, Rejection> {
    let impossible = |reason| Rejection::NotPossible { element: id.clone(), reason };
    let process = turn.process;
    let index =
        process.find(id).ok_or_else(|| match process.flows.iter().any(|f| f.id == *id) {
            true => impossible("a token does not begin on a flow"),
            false => Rejection::ElementNotFound(id.clone()),
        })?;
    let element = turn.model(index);
    match &element.kind {
        ElementKind::StartEvent(_) => return Err(impossible("a start event begins by itself")),
        ElementKind::BoundaryEvent(_) => {
            return Err(impossible("a boundary event waits at its activity"));
        }
        _ => {}
    }
    let mut sources = element.incoming.iter().map(|&flow| turn.model(process.flow(flow).source));
    if sources.any(|source| matches!(source.kind, ElementKind::EventGateway)) {
        return Err(impossible("its event-based gateway decides whether it is reached"));
    }
    check_place(turn, index, &Place::default())?;
    Ok(index)
}

#[cfg(test)]
mod tests {
    use orloj_model::SubProcessKind;

    use crate::testing::{Sketch, Story, end, start, subprocess, user};

    fn nested() -> Story {
        let process = Sketch::zeebe()
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
        Story::of(process.build())
    }

    #[test]
    fn tokens_begin_before_the_elements_that_are_named() {
        let mut story = nested();
        let told = story.start_before(&["ask", "second"]);
        insta::assert_snapshot!(told, @r"
        started
        entered sub
        entered ask
        entered second
        --
        insert task1 ask priority 50
        insert task2 second priority 50
        at sub
        at ask task1
        at second task2
        ");
        let told = story.complete_user_task("second", "{}");
        assert!(told.contains("left sub"), "{told}");
        let told = story.complete_user_task("ask", "{}");
        assert!(told.contains("entered begin"), "{told}");
    }

    #[test]
    fn what_nothing_leads_to_is_refused() {
        for (element, why) in [
            ("nowhere", "no element nowhere"),
            ("start", "begins by itself"),
            ("begin", "begins by itself"),
            ("start-ask", "on a flow"),
        ] {
            let told = nested().start_before(&["ask", element]);
            assert!(told.contains(why), "{element}: {told}");
        }
    }
}
