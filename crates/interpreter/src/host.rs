//! What UEL can ask of the process it stands in: `execution` and its properties.

use std::sync::Arc;

use orloj_expr::{Beans, Holder, Host, Profile};
use orloj_model::Process;
use orloj_types::{ElementId, ElementInstanceKey, Value};

use crate::edits;
use crate::record::Role;
use crate::turn::Turn;
use crate::variables::View;

pub(crate) struct ProcessHost<'a> {
    pub(crate) turn: &'a Turn<'a>,
    pub(crate) process: &'a Process,
    /// The element the expression belongs to.
    pub(crate) element: &'a ElementId,
    pub(crate) view: &'a View<'a>,
    pub(crate) beans: &'a dyn Beans,
    /// The event that a listener is called for.
    pub(crate) event: Option<&'static str>,
    /// What the worker of this element did in the command at work.
    pub(crate) worker: Option<&'a Worked>,
}

/// A worker has completed or failed the job of an element instance.
#[derive(Clone, Debug)]
pub(crate) struct Worked {
    pub(crate) of: ElementInstanceKey,
    /// Of its last failure. One of an earlier command is not kept, and empty then.
    pub(crate) message: Option<Arc<str>>,
}

impl Host for ProcessHost<'_> {
    fn profile(&self) -> Profile {
        self.process.semantics.uel
    }

    fn fact(&self, holder: Holder, property: &str) -> Option<Value> {
        let (record, rules) = (self.view.record(), &self.process.semantics.values);
        let text = |text: &str| Some(Value::text(text));
        let key = |key: i64| Some(Value::text(key.to_string()));
        if holder == Holder::ExternalTask {
            let worked = self.worker.filter(|worked| worked.of == self.view.scope())?;
            match property {
                "errorMessage" => {
                    return Some(worked.message.clone().map_or(Value::Null, Value::Text));
                }
                "activityId" => return text(self.element),
                _ => {}
            }
        }
        match property {
            "eventName" => Some(self.event.map_or(Value::Null, Value::text)),
            "taskDefinitionKey" if holder == Holder::Task => text(self.element),
            "name" if holder == Holder::Task => {
                let name = self.process.find(self.element);
                let name = name.and_then(|index| self.process.element(index).name.clone());
                Some(name.map_or(Value::Null, Value::Text))
            }
            "executionId" if holder == Holder::Task => key(self.view.scope().raw()),
            "assignee" | "priority" if holder == Holder::Task => self.of_task(property),
            "id" | "activityInstanceId" => key(self.view.scope().raw()),
            "processInstanceId" | "rootProcessInstanceId" => key(record.instance.raw()),
            "processDefinitionId" => key(record.definition.raw()),
            "processDefinitionKey" => text(&self.process.id),
            "businessKey" | "processBusinessKey" | "processInstanceBusinessKey" => {
                Some(record.business_key.clone().map_or(Value::Null, Value::Text))
            }
            "currentActivityId" | "currentFlowElementId" => text(self.element),
            "currentTransitionId" if !rules.executions_tell_place => {
                let flow = self.turn.beans.flow();
                Some(flow.map_or(Value::Null, |flow| Value::text(flow.as_str())))
            }
            "currentActivityName" => {
                let name = self.process.find(self.element);
                let name = name.and_then(|index| self.process.element(index).name.clone());
                Some(name.map_or(Value::Null, Value::Text))
            }
            "tenantId" if record.tenant.is_empty() && !rules.no_tenant_is_empty => {
                Some(Value::Null)
            }
            "tenantId" => text(&record.tenant),
            _ if rules.executions_tell_place => self.place(property),
            _ => None,
        }
    }

    fn variable_names(&self) -> Vec<Arc<str>> {
        self.view.record().visible(self.view.scope()).keys().cloned().collect()
    }

    fn beans(&self) -> Option<&dyn Beans> {
        Some(self.beans)
    }

    fn local_variable(&self, name: &str) -> Option<Value> {
        let scope = edits::local_scope(self.turn, self.view.scope());
        let own = self.view.record().variables.get(&scope)?;
        own.get(name).map(Value::from)
    }
}

impl ProcessHost<'_> {
    /// What a task that the command has made is like. Of an older one only the stores know.
    fn of_task(&self, property: &str) -> Option<Value> {
        let task = self.view.record().element(self.view.scope())?.user_task?;
        let row = self.turn.work.changes.made_user_task(task)?;
        Some(match property {
            "assignee" => row.assignee.clone().map_or(Value::Null, Value::Text),
            _ => Value::Int(row.priority),
        })
    }

    /// Where the execution stands among the others.
    fn place(&self, property: &str) -> Option<Value> {
        let record = self.view.record();
        let at = record.element(self.view.scope());
        match property {
            "multiInstanceRoot" | "isMultiInstanceRoot" => {
                Some(Value::Bool(at.is_some_and(|at| at.role == Role::Body)))
            }
            "processDefinitionName" => {
                Some(self.process.name.clone().map_or(Value::Null, Value::Text))
            }
            "parentId" => Some(match at {
                Some(at) if at.key != record.root.key => Value::text(at.scope.raw().to_string()),
                _ => Value::Null,
            }),
            "superExecutionId" => Some(match record.caller {
                Some(caller) if at.is_some_and(|at| at.key == record.root.key) => {
                    Value::text(caller.element_instance.raw().to_string())
                }
                _ => Value::Null,
            }),
            "active" | "isActive" => Some(Value::Bool(true)),
            "ended" | "isEnded" | "concurrent" | "isConcurrent" => Some(Value::Bool(false)),
            "processInstanceBusinessStatus"
            | "description"
            | "name"
            | "deleteReason"
            | "startUserId"
            | "propagatedStageInstanceId" => Some(Value::Null),
            _ => None,
        }
    }
}
