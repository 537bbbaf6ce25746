//! Work whose code nobody has registered here: a client does it, as a job.
//!
//! What the code would have been handed is handed to the client among the variables of its job.
//! It is computed when the job is made and kept with the element instance until the job ends.
//!
//! DIFFERENCE: Flowable computes the parameters of an external worker when the job is acquired.

use std::cell::RefCell;

use orloj_expr::{Argument, Beans, Expression, Holder, Scope};
use orloj_model::{BuiltinTask, Element, ElementKind, Process, ServiceTask, Throw, WorkerTask};
use orloj_types::{ElementInstanceKey, Value, Variables};

use crate::beans::CallableBeans;
use crate::element::service_task;
use crate::failure::Ruled;
use crate::record::{JobKind, Record};
use crate::turn::Turn;
use crate::variables::View;
use crate::{call_mappings, delegates, exceptions};

/// The arguments of a method have no names; a client gets them under this one and their place.
const ARGUMENT: &str = "arg";

/// What a client is given who does the work. `None`: code is called for it.
pub(crate) fn given(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &ServiceTask,
) -> Ruled<Option<Variables>> {
    let (given, exceptions) = match task {
        ServiceTask::Worker(worker) => return inputs(turn, key, element, worker).map(Some),
        ServiceTask::Delegate(delegate) => {
            let named = service_task::delegate_name(turn, key, element, delegate);
            let given = named.and_then(|name| match turn.delegates.knows(&name) {
                true => Ok(None),
                false => {
                    let fields = delegates::injected(turn, key, &element.id, &delegate.fields)?;
                    Ok(Some(stored(fields)))
                }
            });
            (given, &delegate.exceptions)
        }
        ServiceTask::Expression(task) => {
            let given = match (task.expression.method_call(), &task.worker) {
                (Some((bean, _)), Some(_)) if is_unknown(turn, key, bean) => {
                    arguments(turn, key, element, &task.expression, bean).map(Some)
                }
                _ => Ok(None),
            };
            (given, &task.exceptions)
        }
        ServiceTask::Builtin(task) => (builtin(turn, key, element, task), &task.exceptions),
    };
    given.map_err(|failure| exceptions::mapped(failure, exceptions))
}

/// The variables that a client gets with a job of an element instance.
pub fn job_variables(
    process: &Process,
    record: &Record,
    element_instance: ElementInstanceKey,
    job: &JobKind,
) -> Variables {
    let visible = || record.visible(element_instance);
    let Some(instance) = record.element(element_instance).filter(|_| *job == JobKind::Worker)
    else {
        return visible();
    };
    let element = process.find(&instance.element).map(|index| &process.element(index).kind);
    let worker = match element {
        Some(ElementKind::ServiceTask(task)) => task.worker(),
        Some(
            ElementKind::EndEvent(Throw::Message(task))
            | ElementKind::ThrowEvent(Throw::Message(task)),
        ) => task.worker(),
        _ => None,
    };
    let Some(worker) = worker else { return visible() };
    let mut variables = match worker.includes_variables && worker.inputs.is_empty() {
        true => visible(),
        false => Variables::new(),
    };
    for (name, value) in &instance.held {
        variables.insert(name.clone(), value.clone());
    }
    variables
}

fn inputs(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    worker: &WorkerTask,
) -> Ruled<Variables> {
    Ok(call_mappings::payload(turn, key, element, &worker.inputs)?.0)
}

fn builtin(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    task: &BuiltinTask,
) -> Ruled<Option<Variables>> {
    match turn.delegates.knows(&task.kind) {
        true => Ok(None),
        false => Ok(Some(stored(service_task::builtin_fields(turn, key, element, task)?))),
    }
}

fn stored(fields: Vec<(std::sync::Arc<str>, Value)>) -> Variables {
    fields.into_iter().map(|(name, value)| (name, value.to_stored())).collect()
}

/// Whether a name stands for nothing at all.
fn is_unknown(turn: &Turn<'_>, key: ElementInstanceKey, name: &str) -> bool {
    Holder::named(name).is_none()
        && !turn.delegates.knows(name)
        && !turn.delegates.knows_bean(name)
        && turn.delegates.bean_value(name).is_none()
        && View::new(&turn.work.record, key).get(name).is_none()
}

/// What the method would have been called with. The engine's own objects cannot travel.
fn arguments(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    expression: &Expression,
    bean: &str,
) -> Ruled<Variables> {
    let beans = CallableBeans { turn, key, element: &element.id };
    let asked = Asked { bean, beans, arguments: RefCell::default() };
    let outcome =
        turn.evaluate_with(&element.id, &View::new(&turn.work.record, key), expression, &asked);
    let Some(arguments) = asked.arguments.take() else {
        // Something before the call has failed, or has to be asked for first.
        return outcome.map(|_| Variables::new());
    };
    let named = arguments.into_iter().enumerate().filter_map(|(place, argument)| {
        let value = match argument {
            Argument::Value(value) => value,
            Argument::Bean(name) => Value::Text(name),
            Argument::Holder(_) => return None,
        };
        Some((format!("{ARGUMENT}{place}").into(), value.to_stored()))
    });
    Ok(named.collect())
}

/// The beans that there are, and one that there is not: its call ends the evaluation.
struct Asked<'n, 't, 'a> {
    bean: &'n str,
    beans: CallableBeans<'t, 'a>,
    arguments: RefCell<Option<Vec<Argument>>>,
}

impl Beans for Asked<'_, '_, '_> {
    fn contains(&self, bean: &str) -> bool {
        bean == self.bean || self.beans.contains(bean)
    }

    fn value(&self, bean: &str) -> Option<Value> {
        self.beans.value(bean)
    }

    fn has_properties(&self, bean: &str) -> bool {
        self.beans.has_properties(bean)
    }

    fn call(
        &self,
        bean: &str,
        method: &str,
        arguments: &[Argument],
    ) -> Option<Result<Value, String>> {
        if bean != self.bean {
            return self.beans.call(bean, method, arguments);
        }
        *self.arguments.borrow_mut() = Some(arguments.to_vec());
        Some(Ok(Value::Null))
    }
}
