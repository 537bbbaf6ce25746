//! `orloj uel`

use std::sync::Arc;

use anyhow::anyhow;
use clap::{Args, ValueEnum};
use orloj_expr::{Effect, Environment, Expression, Holder, Host, Place, Profile, excerpt};
use orloj_types::{Document, Value};

use crate::args::Notation;
use crate::variables::{self, Variables, literal};
use crate::{clock, output, plan};

#[derive(Debug, Args)]
pub struct Arguments {
    /// Text with expressions in it, such as 'order ${id}'
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    #[command(flatten)]
    variables: Variables,
    /// Whose UEL, where the two contradict each other
    #[arg(long, value_enum, default_value_t = Dialect::Camunda7)]
    dialect: Dialect,
    /// How to show the value
    #[arg(short, long, value_enum, default_value_t = Notation::Feel)]
    output: Notation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Dialect {
    Camunda7,
    Flowable,
}

pub struct Plan {
    expression: Expression,
    surroundings: Surroundings,
    output: Notation,
}

/// The variables in one scope of an execution that has nothing but an id; there is no task, user
/// or bean.
struct Surroundings {
    profile: Profile,
    variables: Document,
}

pub fn plan(arguments: Arguments) -> anyhow::Result<plan::Plan> {
    let variables = arguments.variables.document()?;
    let text = &arguments.text;
    let profile = match arguments.dialect {
        Dialect::Camunda7 => Profile::Camunda,
        Dialect::Flowable => Profile::Flowable,
    };
    let expression = Expression::parse_uel(text, profile)
        .map_err(|e| anyhow!(excerpt(text, e.offset, &e.message)))?;
    let surroundings = Surroundings { profile, variables };
    Ok(plan::Plan::Uel(Plan { expression, surroundings, output: arguments.output }))
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        let environment = Environment::new(&self.surroundings.variables, clock::now())
            .with_host(&self.surroundings);
        let source = self.expression.source();
        let (evaluated, effects) = self
            .expression
            .evaluate_with_effects(&environment)
            .map_err(|e| anyhow!(excerpt(source, e.offset(), &e.message())))?;
        variables::show(&evaluated.value, &evaluated.warnings, source, self.output)?;
        effects.iter().for_each(|effect| output::talk(&said(effect)));
        Ok(())
    }
}

impl Host for Surroundings {
    fn profile(&self) -> Profile {
        self.profile
    }

    fn fact(&self, holder: Holder, property: &str) -> Option<Value> {
        let is_id = matches!((holder, property), (Holder::Execution, "id"));
        is_id.then(|| Value::text("1"))
    }

    fn variable_names(&self) -> Vec<Arc<str>> {
        self.variables.0.keys().cloned().collect()
    }

    fn local_names(&self, _holder: Holder) -> Vec<Arc<str>> {
        self.variable_names()
    }

    fn local_variable(&self, _holder: Holder, name: &str) -> Option<Value> {
        self.variables.get(name).map(Value::from)
    }
}

fn said(effect: &Effect) -> String {
    let scope = |place: &Place| match place {
        Place::Local(_) | Place::TransientLocal => "local variable",
        Place::Nearest(_) | Place::Element(_) | Place::Transient => "variable",
    };
    match effect {
        Effect::SetVariable { place, name, value } => {
            format!("would set the {} {name} to {}", scope(place), literal(value))
        }
        Effect::RemoveVariable { place, name } => {
            format!("would remove the {} {name}", scope(place))
        }
        Effect::SetFact { holder, .. } => format!("would change the {}", holder.name()),
    }
}
