//! Start events that wait for a condition: asked when someone brings variables.

use std::sync::Arc;

use orloj_interpreter::{Callee, Invoke, InvokeResult, StartCondition, start_conditions};
use orloj_model::Program;
use orloj_store::{PAGE_ROWS_MAX, StartKind, StartQuery};
use orloj_types::{DefinitionKey, ElementId, ElementInstanceKey, InstanceKey, Value};

use crate::api::{ConditionsEvaluated, Error, EvaluateStartConditions, Which};
use crate::definition::Definition;
use crate::handle::{Orloj, check_texts, started, unexpected};
use crate::node::{Reply, Request, StartRequest, store_error};

impl Orloj {
    /// Starts an instance for every condition that holds, each by itself: should one fail to
    /// start, those before it stay.
    pub async fn evaluate_start_conditions(
        &self,
        ask: EvaluateStartConditions,
    ) -> Result<ConditionsEvaluated, Error> {
        check_texts([ask.business_key.as_deref().unwrap_or_default()], &ask.variables)?;
        let mut holding = Vec::new();
        for definition in self.asked(&ask).await? {
            for event in self.events_that_hold(&definition, &ask).await {
                holding.push((definition.clone(), event));
            }
        }
        let Reply::Keys(keys) = self.request(Request::Keys { count: 1 }).await? else {
            return Err(Error::Internal("no key for an evaluation".into()));
        };
        let mut instances = Vec::with_capacity(holding.len());
        for (definition, event) in holding {
            let request = StartRequest {
                definition: definition.clone(),
                business_key: ask.business_key.clone(),
                variables: ask.variables.clone(),
                at: Some(event),
                before: Vec::new(),
                tags: Arc::default(),
                stops_after: Vec::new(),
                await_end: false,
            };
            match self.request(Request::Start(request)).await? {
                Reply::Started { instance } => instances.push(started(&definition, instance)),
                other => return Err(unexpected(&other)),
            }
        }
        Ok(ConditionsEvaluated { key: keys.first().copied().unwrap_or_default(), instances })
    }

    /// The definition that was named, or the last ones of all processes that wait for conditions.
    async fn asked(&self, ask: &EvaluateStartConditions) -> Result<Vec<Arc<Definition>>, Error> {
        let inner = &self.inner;
        if let Some(key) = ask.definition {
            let which = Which::Definition(key);
            return Ok(vec![inner.definitions.find(&which, &ask.tenant).await?]);
        }
        let mut keys: Vec<DefinitionKey> = Vec::new();
        let mut after = None;
        loop {
            let query = StartQuery {
                engine: inner.engine.clone(),
                tenant: Some(ask.tenant.clone()),
                kind: StartKind::Condition,
                name: None,
                after,
                limit: PAGE_ROWS_MAX,
            };
            let rows = inner.store.starts(query).await.map_err(|e| store_error(&e))?;
            // They come by definition.
            for row in &rows {
                if keys.last() != Some(&row.definition) {
                    keys.push(row.definition);
                }
            }
            match rows.last() {
                Some(last) if rows.len() >= PAGE_ROWS_MAX as usize => {
                    after = Some((last.definition, last.event.clone()));
                }
                _ => break,
            }
        }
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            found.push(inner.definitions.find(&Which::Definition(key), &ask.tenant).await?);
        }
        Ok(found)
    }

    async fn events_that_hold(
        &self,
        definition: &Definition,
        ask: &EvaluateStartConditions,
    ) -> Vec<ElementId> {
        let mut holding = Vec::new();
        for condition in start_conditions(&definition.process, &ask.variables, self.now()) {
            match condition {
                StartCondition::Holds(event) => holding.push(event.clone()),
                StartCondition::Asks(event, program) => {
                    if self.program_holds(definition, ask, event, program).await {
                        holding.push(event.clone());
                    }
                }
            }
        }
        holding
    }

    /// There is no instance yet that the program could know.
    async fn program_holds(
        &self,
        definition: &Definition,
        ask: &EvaluateStartConditions,
        event: &ElementId,
        program: &Arc<Program>,
    ) -> bool {
        let invoke = Invoke {
            element_instance: ElementInstanceKey::default(),
            ordinal: 0,
            callee: Callee::Program { program: program.clone(), result_variable: None },
            now: self.now(),
            instance: InstanceKey::default(),
            definition: definition.key,
            tenant: definition.tenant.clone(),
            business_key: ask.business_key.clone(),
            element: event.clone(),
            activity: event.clone(),
            event: None,
            variables: ask.variables.clone(),
            scopes: None,
        };
        let programs = &self.inner.programs;
        let result = programs.run(program, None, &invoke, &definition.process).await;
        matches!(result, InvokeResult::Changed { value: Value::Bool(true), .. })
    }
}
