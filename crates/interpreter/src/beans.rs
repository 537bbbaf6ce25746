//! Methods of the application's objects, called out of expressions.
//!
//! Evaluation is pure and cannot wait: a call that has not been answered ends it, the call is
//! made, and the step is repeated with the answer at hand.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use orloj_expr::{Argument, Beans};
use orloj_types::{Document, ElementId, ElementInstanceKey, Value};

use crate::failure::Failure;
use crate::foreign::{self, Reply};
use crate::invoke::Callee;
use crate::turn::Turn;

/// Calls out of expressions are counted apart from the other calls of an element.
const ORDINAL_FIRST: u32 = 1 << 16;

/// What expressions of the step at work have called so far.
#[derive(Debug, Default)]
pub(crate) struct BeanCalls {
    /// Whether there is anything to forget: most steps leave nothing here.
    is_used: Cell<bool>,
    count: Cell<u32>,
    scripts: Cell<u32>,
    /// The event that a listener is called for.
    event: Cell<Option<&'static str>>,
    /// The element that the token is at, where the code belongs to none.
    activity: RefCell<Option<ElementId>>,
    /// The flow that the token goes along.
    flow: RefCell<Option<ElementId>>,
    /// The token is on its way to the element, and at none.
    arrives: Cell<bool>,
    /// The element instance was ended from outside.
    canceled: Cell<bool>,
    /// What names of a script stand for instead of the variables.
    inputs: RefCell<Option<Document>>,
    /// What code sees that is called later than its event.
    seen: RefCell<Option<Document>>,
    /// Why an evaluation could not go on.
    stopped: RefCell<Option<Failure>>,
    /// What the methods did besides giving a value.
    replies: RefCell<Vec<(ElementInstanceKey, Reply)>>,
}

impl BeanCalls {
    /// Another step begins, or the same again.
    pub(crate) fn reset(&self) {
        if self.is_used.take() {
            self.forget();
        }
    }

    fn forget(&self) {
        self.count.set(0);
        self.scripts.set(0);
        self.event.set(None);
        self.activity.take();
        self.flow.take();
        self.arrives.set(false);
        self.canceled.set(false);
        self.inputs.take();
        self.seen.take();
        self.replies.borrow_mut().clear();
    }

    /// A listener is called for this event.
    pub(crate) fn set_event(&self, event: &'static str) {
        self.is_used.set(true);
        self.event.set(Some(event));
    }

    /// The token is at this element, though the code does not belong to it.
    pub(crate) fn set_activity(&self, activity: Option<ElementId>) {
        self.is_used.set(true);
        self.activity.replace(activity);
    }

    /// The token goes along this flow.
    pub(crate) fn set_flow(&self, flow: ElementId) {
        self.is_used.set(true);
        self.flow.replace(Some(flow));
    }

    /// Expressions see the token before it is at the element.
    pub(crate) fn set_arrives(&self, arrives: bool) {
        self.is_used.set(true);
        self.arrives.set(arrives);
    }

    pub(crate) fn arrives(&self) -> bool {
        self.arrives.get()
    }

    /// Listeners are told that their element was ended from outside.
    pub(crate) fn set_canceled(&self) {
        self.is_used.set(true);
        self.canceled.set(true);
    }

    pub(crate) fn is_canceled(&self) -> bool {
        self.canceled.get()
    }

    pub(crate) fn flow(&self) -> Option<ElementId> {
        self.flow.borrow().clone()
    }

    pub(crate) fn activity(&self) -> Option<ElementId> {
        self.activity.borrow().clone()
    }

    /// A script is run whose names stand for these.
    pub(crate) fn set_inputs(&self, inputs: Document) {
        self.is_used.set(true);
        self.inputs.replace(Some(inputs));
    }

    /// Code is called that sees these variables.
    pub(crate) fn set_seen(&self, seen: Document) {
        self.is_used.set(true);
        self.seen.replace(Some(seen));
    }

    pub(crate) fn seen(&self) -> Option<Document> {
        self.seen.borrow().clone()
    }

    pub(crate) fn inputs(&self) -> Option<Document> {
        self.inputs.borrow().clone()
    }

    pub(crate) fn event(&self) -> Option<&'static str> {
        self.event.get()
    }

    /// Counts the scripts among the mappings of the step.
    pub(crate) fn next_script(&self) -> u32 {
        self.is_used.set(true);
        self.scripts.replace(self.scripts.get() + 1)
    }

    /// How often expressions of the step have called something.
    pub(crate) fn take_count(&self) -> u32 {
        self.count.take()
    }

    pub(crate) fn take_stopped(&self) -> Option<Failure> {
        self.stopped.borrow_mut().take()
    }

    pub(crate) fn has_replies(&self) -> bool {
        self.is_used.get() && !self.replies.borrow().is_empty()
    }

    pub(crate) fn take_replies(&self) -> Vec<(ElementInstanceKey, Reply)> {
        std::mem::take(&mut self.replies.borrow_mut())
    }
}

/// The beans as an expression of one element sees them.
pub(crate) struct CallableBeans<'t, 'a> {
    pub(crate) turn: &'t Turn<'a>,
    pub(crate) key: ElementInstanceKey,
    pub(crate) element: &'t ElementId,
}

impl Beans for CallableBeans<'_, '_> {
    fn contains(&self, bean: &str) -> bool {
        self.turn.delegates.knows_bean(bean)
    }

    fn value(&self, bean: &str) -> Option<Value> {
        self.turn.delegates.bean_value(bean)
    }

    fn has_properties(&self, bean: &str) -> bool {
        self.turn.delegates.bean_has_properties(bean)
    }

    fn call(
        &self,
        bean: &str,
        method: &str,
        arguments: &[Argument],
    ) -> Option<Result<Value, String>> {
        if !self.turn.delegates.bean_has(bean, method) {
            return None;
        }
        let calls = &self.turn.beans;
        calls.is_used.set(true);
        // Scopes outlive a step: the same call of a later step is another one.
        let step = self.turn.work.calls << 8;
        let ordinal = ORDINAL_FIRST + step + calls.count.replace(calls.count.get() + 1);
        let callee = || Callee::Bean {
            bean: bean.into(),
            method: method.into(),
            arguments: arguments.iter().map(value_of).collect(),
        };
        match foreign::ask(self.turn, self.key, self.element, ordinal, callee) {
            Ok(reply) => {
                let value = reply.value.clone();
                calls.replies.borrow_mut().push((self.key, reply));
                Some(Ok(value))
            }
            Err(failure) => {
                let message = failure.message.to_string();
                *calls.stopped.borrow_mut() = Some(failure);
                Some(Err(message))
            }
        }
    }
}

fn value_of(argument: &Argument) -> Value {
    match argument {
        Argument::Value(value) => value.clone(),
        Argument::Holder(holder) => Value::text(holder.name()),
        Argument::Bean(name) => Value::Text(Arc::clone(name)),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sketch, Story, start, user};

    /// A task whose output calls one bean and whose outgoing flow another.
    fn two_beans(sketch: Sketch) -> Sketch {
        sketch
            .node("start", start())
            .node("ask", user())
            .node("then", user())
            .node("else", user())
            .flows("start -> ask")
            .output("ask", "c.k() == null ? x + 1 : x", "x")
            .flow_if("ask", "then", "d.ok() == null")
            .default_flow("ask", "else")
    }

    #[test]
    fn every_call_has_an_answer_of_its_own_and_a_repeated_step_changes_nothing_twice() {
        for is_saved in [false, true] {
            let sketch = two_beans(Sketch::camunda());
            let priority = sketch.expression("e.rank() == null ? 3 : 4");
            let sketch = match is_saved {
                true => sketch.async_after("ask"),
                false => sketch,
            };
            let process = sketch.with("ask", |e| e.jobs.priority = Some(priority)).build();
            let mut story = Story::of(process);
            for bean in ["c", "d", "e"] {
                story = story.delegate(bean, &[]);
            }
            story.start(r#"{"x":1}"#);
            let told = story.complete_user_task("ask", "{}");
            assert!(told.contains(r#"instance: {"x":2}"#), "{told}");
            let called: Vec<&str> =
                story.invoked.iter().filter_map(|call| call.split(' ').next()).collect();
            let expected: &[&str] = if is_saved { &["c", "d", "e"] } else { &["c", "d"] };
            assert_eq!(called, expected);
        }
    }

    #[test]
    fn a_save_point_before_an_element_may_ask_a_bean() {
        let sketch = Sketch::camunda()
            .node("start", start())
            .node("ask", user())
            .flows("start -> ask")
            .async_before("ask");
        let priority = sketch.expression("e.rank() == null ? 3 : 4");
        let process = sketch.with("ask", |e| e.jobs.priority = Some(priority)).build();
        let mut story = Story::of(process).delegate("e", &[]);
        let told = story.start("{}");
        assert!(told.contains("before ask, ready, retries 3, priority 3"), "{told}");
        assert_eq!(story.invoked.len(), 1);
    }
}
