//! Expressions that can be computed when a file is deployed.

use std::sync::Arc;

use orloj_expr::{Environment, Expression, Scope};
use orloj_types::{Timestamp, Value};

use crate::options::Dialect;
use crate::read::context::{Context, Subject};

/// What an expression sees before there is an instance.
struct Deployment {
    container: Option<Value>,
}

/// Flowable's name for whoever has the variables; before there is an instance, the definition.
const CONTAINER: &str = "variableContainer";

impl Scope for Deployment {
    fn get(&self, name: &str) -> Option<Value> {
        self.container.clone().filter(|_| name == CONTAINER)
    }
}

impl<'a> Context<'a> {
    /// The value without any variables; `None` when that fails.
    pub fn constant(&self, subject: &Subject<'a>, expression: &Expression) -> Option<Value> {
        if let Some(value) = expression.as_constant() {
            return Some(value.clone());
        }
        let scope = Deployment { container: self.container(subject) };
        // Any moment will do: what depends on it is no constant for those who ask.
        let environment = Environment::new(&scope, Timestamp::from_ms(0));
        let environment = match self.dialect {
            Dialect::Zeebe => environment.keeping_temporals(),
            Dialect::Camunda7 | Dialect::Flowable => environment,
        };
        expression.evaluate(&environment).ok().map(|evaluated| evaluated.value)
    }

    pub fn constant_text(
        &self,
        subject: &Subject<'a>,
        expression: &Expression,
    ) -> Option<Arc<str>> {
        match self.constant(subject, expression)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What a start event says about its definition is put in at once; nobody can look it up
    /// later.
    pub fn fixed_at_start(&self, subject: &Subject<'a>, expression: Expression) -> Expression {
        match self.constant_text(subject, &expression) {
            Some(text) if expression.source().contains(CONTAINER) => {
                Expression::constant(Value::Text(text))
            }
            _ => expression,
        }
    }

    fn container(&self, subject: &Subject<'a>) -> Option<Value> {
        if self.dialect != Dialect::Flowable {
            return None;
        }
        let mut ancestors = subject.node.ancestors();
        let process = ancestors.find(|node| node.tag_name().name() == "process")?;
        let id = process.attribute("id")?;
        let entries = [(Arc::from("definitionKey"), Value::text(id))];
        Some(Value::Map(Arc::new(entries.into_iter().collect())))
    }
}
