//! What UEL can ask of the process it stands in: `execution` and its properties.

use std::sync::Arc;

use orloj_expr::{Holder, Host, Profile};
use orloj_model::Process;
use orloj_types::{ElementId, Value};

use crate::variables::View;

pub(crate) struct ProcessHost<'a> {
    pub(crate) process: &'a Process,
    /// The element the expression belongs to.
    pub(crate) element: &'a ElementId,
    pub(crate) view: &'a View<'a>,
}

impl Host for ProcessHost<'_> {
    fn profile(&self) -> Profile {
        self.process.semantics.uel
    }

    fn fact(&self, holder: Holder, property: &str) -> Option<Value> {
        if holder != Holder::Execution {
            return None;
        }
        let record = self.view.record();
        let text = |text: &str| Some(Value::text(text));
        let key = |key: i64| Some(Value::text(key.to_string()));
        match property {
            "id" | "activityInstanceId" => key(self.view.scope().raw()),
            "processInstanceId" | "rootProcessInstanceId" => key(record.instance.raw()),
            "processDefinitionId" => key(record.definition.raw()),
            "processDefinitionKey" => text(&self.process.id),
            "businessKey" | "processBusinessKey" | "processInstanceBusinessKey" => {
                Some(record.business_key.clone().map_or(Value::Null, Value::Text))
            }
            "currentActivityId" | "currentFlowElementId" => text(self.element),
            "currentActivityName" => {
                let name = self.process.find(self.element);
                let name = name.and_then(|index| self.process.element(index).name.clone());
                Some(name.map_or(Value::Null, Value::Text))
            }
            "tenantId" if record.tenant.is_empty() => Some(Value::Null),
            "tenantId" => text(&record.tenant),
            _ => None,
        }
    }

    fn variable_names(&self) -> Vec<Arc<str>> {
        self.view.record().visible(self.view.scope()).keys().cloned().collect()
    }

    fn local_variable(&self, name: &str) -> Option<Value> {
        let own = self.view.record().variables.get(&self.view.scope())?;
        own.get(name).map(Value::from)
    }
}
