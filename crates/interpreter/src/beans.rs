//! Methods of the application's objects, called out of expressions.
//!
//! Evaluation is pure and cannot wait: a call that has not been answered ends it, the call is
//! made, and the step is repeated with the answer at hand.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use orloj_expr::{Argument, Beans, Holder};
use orloj_types::{ElementId, ElementInstanceKey, Value};

use crate::failure::Failure;
use crate::foreign::{self, Reply};
use crate::invoke::Callee;
use crate::turn::Turn;

/// Calls out of expressions are counted apart from the other calls of an element.
const ORDINAL_FIRST: u32 = 1 << 16;

/// What expressions of the step at work have called so far.
#[derive(Debug, Default)]
pub(crate) struct BeanCalls {
    count: Cell<u32>,
    scripts: Cell<u32>,
    /// The event that a listener is called for.
    event: Cell<Option<&'static str>>,
    /// The element that the token is at, where the code belongs to none.
    activity: RefCell<Option<ElementId>>,
    /// Why an evaluation could not go on.
    stopped: RefCell<Option<Failure>>,
    /// What the methods did besides giving a value.
    replies: RefCell<Vec<(ElementInstanceKey, Reply)>>,
}

impl BeanCalls {
    /// Another step begins, or the same again.
    pub(crate) fn reset(&self) {
        self.count.set(0);
        self.scripts.set(0);
        self.event.set(None);
        self.activity.take();
        self.replies.borrow_mut().clear();
    }

    /// A listener is called for this event.
    pub(crate) fn set_event(&self, event: &'static str) {
        self.event.set(Some(event));
    }

    /// The token is at this element, though the code does not belong to it.
    pub(crate) fn set_activity(&self, activity: Option<ElementId>) {
        self.activity.replace(activity);
    }

    pub(crate) fn activity(&self) -> Option<ElementId> {
        self.activity.borrow().clone()
    }

    pub(crate) fn event(&self) -> Option<&'static str> {
        self.event.get()
    }

    /// Counts the scripts among the mappings of the step.
    pub(crate) fn next_script(&self) -> u32 {
        self.scripts.replace(self.scripts.get() + 1)
    }

    pub(crate) fn take_stopped(&self) -> Option<Failure> {
        self.stopped.borrow_mut().take()
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

    fn has_properties(&self, bean: &str) -> bool {
        self.turn.delegates.bean_has_properties(bean)
    }

    fn call(
        &self,
        bean: &str,
        method: &str,
        arguments: &[Argument],
    ) -> Option<Result<Value, String>> {
        let calls = &self.turn.beans;
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
        Argument::Holder(Holder::Execution) => Value::text("execution"),
        Argument::Holder(Holder::Task) => Value::text("task"),
        Argument::Holder(Holder::ExternalTask) => Value::text("externalTask"),
        Argument::Bean(name) => Value::Text(Arc::clone(name)),
    }
}
