//! What UEL can ask of the process it stands in: `execution`, `task` and what they lead to.
//!
//! DIFFERENCE: in Flowable every element instance has an execution of its own. In Camunda the only
//! token of a scope shares the execution of the scope, see [`Locals`].

use std::sync::Arc;

use orloj_expr::{Beans, Holder, Host, Profile, Scope};
use orloj_model::{ElementKind, Locals, Process};
use orloj_types::{ElementId, ElementInstanceKey, JobKey, Temporal, Timestamp, Value, Variables};

use crate::command::Activation;
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
    pub(crate) details: Option<Arc<str>>,
    /// Empty where nobody said who it was.
    pub(crate) worker: Arc<str>,
    pub(crate) topic: Arc<str>,
    pub(crate) priority: i64,
    /// None before it has failed for the first time.
    pub(crate) retries: Option<i64>,
}

impl Worked {
    /// As the job is before the worker's answer changes it.
    pub(crate) fn new(
        turn: &Turn<'_>,
        of: ElementInstanceKey,
        job: JobKey,
        activations: &[Activation],
    ) -> Self {
        let worker = activations.last().map(|activation| activation.worker.clone());
        let job = turn.work.record.job(job).map(|(_, job)| job);
        let retries = job.filter(|job| job.failed_before).map(|job| i64::from(job.retries_left));
        Self {
            of,
            message: None,
            details: None,
            worker: worker.unwrap_or_default(),
            topic: job.map(|job| job.job_type.clone()).unwrap_or_default(),
            priority: job.map_or(0, |job| job.priority),
            retries,
        }
    }
}

impl Host for ProcessHost<'_> {
    fn profile(&self) -> Profile {
        self.process.semantics.uel
    }

    fn fact(&self, holder: Holder, fact: &str) -> Option<Value> {
        let record = self.view.record();
        if let Some(value) = self.of_all(holder, fact) {
            return Some(value);
        }
        match holder {
            Holder::Execution => self.of_execution(fact),
            Holder::Instance => self.of_scope(record.root.key, fact),
            Holder::Ancestor(steps) => {
                self.of_scope(ancestor(self.turn, self.view.scope(), steps)?, fact)
            }
            Holder::Task => self.of_task(fact),
            Holder::ExternalTask => self.of_worker(fact),
            Holder::Caller => {
                let caller = record.caller?;
                match fact {
                    "id" => Some(told_key(caller.element_instance.raw())),
                    "processInstanceId" => Some(told_key(caller.instance.raw())),
                    _ => None,
                }
            }
            Holder::Element => match fact {
                "id" => Some(Value::text(self.element.as_str())),
                "name" => Some(self.element_name()),
                _ => None,
            },
            Holder::Definition => match fact {
                "id" => Some(told_key(record.definition.raw())),
                "key" => Some(Value::text(self.process.id.as_str())),
                "name" => Some(told(&self.process.name)),
                _ => None,
            },
        }
    }

    fn variable_names(&self) -> Vec<Arc<str>> {
        self.view.record().visible(self.view.scope()).keys().cloned().collect()
    }

    fn beans(&self) -> Option<&dyn Beans> {
        Some(self.beans)
    }

    fn local_names(&self, holder: Holder) -> Vec<Arc<str>> {
        let Some((scope, variables)) = self.own(holder) else { return Vec::new() };
        let names = variables.keys().filter(|name| self.is_own(holder, scope, name));
        names.cloned().collect()
    }

    fn local_variable(&self, holder: Holder, name: &str) -> Option<Value> {
        let (scope, variables) = self.own(holder)?;
        let value = variables.get(name).filter(|_| self.is_own(holder, scope, name));
        value.map(Value::from)
    }

    fn variable_from(&self, holder: Holder, name: &str) -> Option<Value> {
        let scope = self.scope_of(holder)?;
        View::new(self.view.record(), scope).get(name)
    }
}

/// The execution so many steps around the one that code at an element instance stands in.
pub(crate) fn ancestor(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    steps: u32,
) -> Option<ElementInstanceKey> {
    let record = &turn.work.record;
    let mut at = edits::local_scope(turn, key);
    for _ in 0..steps {
        if at == record.root.key {
            return None;
        }
        at = record.elements.get(at)?.scope;
    }
    Some(at)
}

impl ProcessHost<'_> {
    /// What the execution, the task and those around them answer alike.
    fn of_all(&self, holder: Holder, fact: &str) -> Option<Value> {
        let (record, rules) = (self.view.record(), &self.process.semantics.values);
        if matches!(holder, Holder::Element | Holder::Caller) {
            return None;
        }
        if holder == Holder::Definition && fact != "tenantId" {
            return None;
        }
        let is_there = match holder {
            Holder::Task => self.is_at_task(),
            Holder::ExternalTask => self.worker.is_some_and(|w| w.of == self.view.scope()),
            Holder::Ancestor(steps) => ancestor(self.turn, self.view.scope(), steps).is_some(),
            _ => true,
        };
        if !is_there {
            return None;
        }
        Some(match fact {
            "processInstanceId" => told_key(record.instance.raw()),
            "rootProcessInstanceId" => {
                let root = record.caller.map_or(record.instance, |caller| caller.root);
                told_key(root.raw())
            }
            "processDefinitionId" => told_key(record.definition.raw()),
            "processDefinitionKey" => Value::text(self.process.id.as_str()),
            "processDefinitionName" => told(&self.process.name),
            "businessKey" => told(&record.business_key),
            "tenantId" if record.tenant.is_empty() && !rules.no_tenant_is_empty => Value::Null,
            "tenantId" => Value::text(record.tenant.as_str()),
            "active" => Value::Bool(true),
            "suspended" => Value::Bool(record.is_suspended),
            "canceled" => Value::Bool(self.turn.beans.is_canceled()),
            _ => return None,
        })
    }

    fn of_execution(&self, fact: &str) -> Option<Value> {
        let (record, own) = (self.view.record(), self.view.scope());
        let scope = edits::local_scope(self.turn, own);
        let at = record.element(own);
        let is_arriving = self.turn.beans.arrives();
        Some(match fact {
            "eventName" => self.event.map_or(Value::Null, Value::text),
            "currentActivityId" | "currentActivityName" if is_arriving => Value::Null,
            "currentActivityId" => Value::text(self.element.as_str()),
            "currentActivityName" => self.element_name(),
            "activityInstanceId" => told_key(own.raw()),
            "parentActivityInstanceId" => match at {
                Some(at) if own != record.root.key => told_key(at.scope.raw()),
                _ => Value::Null,
            },
            "currentTransitionId" => {
                let flow = self.turn.beans.flow();
                flow.map_or(Value::Null, |flow| Value::text(flow.as_str()))
            }
            "concurrent" => Value::Bool(scope == own && !self.is_scope(own)),
            _ => return self.of_scope(scope, fact),
        })
    }

    /// What is known of the execution of a scope.
    fn of_scope(&self, scope: ElementInstanceKey, fact: &str) -> Option<Value> {
        let record = self.view.record();
        let is_root = scope == record.root.key;
        let at = record.element(scope)?;
        let parent = ancestor(self.turn, scope, 1).filter(|_| !is_root);
        Some(match fact {
            "id" if is_root => told_key(record.instance.raw()),
            "id" | "activityInstanceId" => told_key(scope.raw()),
            "parentId" | "parentActivityInstanceId" => {
                parent.map_or(Value::Null, |parent| told_key(parent.raw()))
            }
            "superExecutionId" => match record.caller {
                Some(caller) if is_root => told_key(caller.element_instance.raw()),
                _ => Value::Null,
            },
            "ownBusinessKey" if is_root => told(&record.business_key),
            "ownBusinessKey" | "eventName" | "currentTransitionId" => Value::Null,
            "currentActivityId" | "currentActivityName" if is_root || self.shares_tokens() => {
                Value::Null
            }
            "currentActivityId" => Value::text(at.element.as_str()),
            "currentActivityName" => self.name_of(&at.element),
            "scope" => Value::Bool(self.is_scope(scope)),
            "concurrent" => Value::Bool(false),
            "processInstanceType" => Value::Bool(is_root),
            "multiInstanceRoot" => Value::Bool(at.role == Role::Body),
            "startTime" => date(at.entered_at)?,
            _ => return None,
        })
    }

    /// Whether the execution of a scope is also that of its only token.
    fn shares_tokens(&self) -> bool {
        self.process.semantics.locals == Locals::Scope
    }

    fn is_scope(&self, key: ElementInstanceKey) -> bool {
        let record = self.view.record();
        if key == record.root.key {
            return true;
        }
        let Some(at) = record.elements.get(key) else { return false };
        let Some(index) = self.process.find(&at.element) else { return false };
        let element = self.process.element(index);
        match self.shares_tokens() {
            true => edits::is_scope(element, at.role),
            false => matches!(element.kind, ElementKind::SubProcess(_)) && at.role != Role::Body,
        }
    }

    fn is_at_task(&self) -> bool {
        let index = self.process.find(self.element);
        let kind = index.map(|index| &self.process.element(index).kind);
        matches!(kind, Some(ElementKind::UserTask(_)))
    }

    fn of_task(&self, fact: &str) -> Option<Value> {
        if !self.is_at_task() {
            return None;
        }
        let scope = self.view.scope();
        let at = self.view.record().element(scope)?;
        match fact {
            "eventName" => return Some(self.event.map_or(Value::Null, Value::text)),
            "taskDefinitionKey" => return Some(Value::text(self.element.as_str())),
            "executionId" => return self.of_execution("id"),
            "createTime" => return date(at.entered_at),
            _ => {}
        }
        let Some(task) = &at.task else {
            // It is about to be made.
            return match fact {
                "id" => Some(told_key(scope.raw())),
                "name" => Some(self.element_name()),
                _ => None,
            };
        };
        let now = &task.now;
        let moment = |at: Option<Timestamp>| at.map_or(Some(Value::Null), date);
        Some(match fact {
            "id" => told_key(task.key.raw()),
            "name" => told(&now.name),
            "description" => told(&now.description),
            "assignee" => told(&now.assignee),
            "owner" => told(&now.owner),
            "category" => told(&now.category),
            "formKey" => told(&now.form_key),
            "priority" => Value::Int(now.priority),
            "dueDate" => return moment(now.due_at),
            "followUpDate" => return moment(now.follow_up_at),
            "candidates" => {
                let users = now.candidate_users.iter().map(|name| candidate("userId", name));
                let groups = now.candidate_groups.iter().map(|name| candidate("groupId", name));
                Value::List(Arc::new(users.chain(groups).collect()))
            }
            _ => return None,
        })
    }

    /// What the worker is done with.
    fn of_worker(&self, fact: &str) -> Option<Value> {
        let worked = self.worker.filter(|worked| worked.of == self.view.scope())?;
        Some(match fact {
            "errorMessage" => told(&worked.message),
            "errorDetails" => told(&worked.details),
            "workerId" => Value::Text(worked.worker.clone()),
            "topicName" => Value::Text(worked.topic.clone()),
            "priority" => Value::Int(worked.priority),
            "retries" => worked.retries.map_or(Value::Null, Value::Int),
            // Nobody works on what is suspended.
            "suspensionState" => Value::Int(1),
            "extensionProperties" => Value::Map(Arc::default()),
            "activityId" => Value::text(self.element.as_str()),
            "id" | "activityInstanceId" | "executionId" => told_key(self.view.scope().raw()),
            _ => return None,
        })
    }

    fn scope_of(&self, holder: Holder) -> Option<ElementInstanceKey> {
        match holder {
            Holder::Execution => Some(edits::local_scope(self.turn, self.view.scope())),
            Holder::Task => Some(self.view.scope()),
            Holder::Instance => Some(self.view.record().root.key),
            Holder::Ancestor(steps) => ancestor(self.turn, self.view.scope(), steps),
            Holder::ExternalTask | Holder::Caller | Holder::Element | Holder::Definition => None,
        }
    }

    fn own(&self, holder: Holder) -> Option<(ElementInstanceKey, &Variables)> {
        let scope = self.scope_of(holder)?;
        Some((scope, self.view.record().variables.get(&scope)?))
    }

    /// Variables of an element instance may be those of its user task.
    fn is_own(&self, holder: Holder, scope: ElementInstanceKey, name: &str) -> bool {
        let task = self.view.record().element(scope).and_then(|at| at.task.as_ref());
        let is_of_task = task.is_some_and(|task| task.own.contains(name));
        is_of_task == (holder == Holder::Task)
    }

    fn element_name(&self) -> Value {
        self.name_of(self.element)
    }

    fn name_of(&self, element: &ElementId) -> Value {
        let index = self.process.find(element);
        told(&index.and_then(|index| self.process.element(index).name.clone()))
    }
}

fn told(text: &Option<Arc<str>>) -> Value {
    text.clone().map_or(Value::Null, Value::Text)
}

fn told_key(key: i64) -> Value {
    Value::text(key.to_string())
}

fn date(at: Timestamp) -> Option<Value> {
    Temporal::parse(&at.to_string()).map(|date| Value::Temporal(Arc::new(date)))
}

fn candidate(kind: &str, name: &Arc<str>) -> Value {
    let link = [("type", Value::text("candidate")), (kind, Value::Text(name.clone()))];
    let link = link.into_iter().map(|(name, value)| (Arc::from(name), value)).collect();
    Value::Map(Arc::new(link))
}
