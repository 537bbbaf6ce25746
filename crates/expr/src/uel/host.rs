use std::sync::Arc;

use orloj_types::Value;

/// What UEL may know of its surroundings beside the variables. Everything has a default: nothing
/// is known, and what depends on it fails with an error that says so.
pub trait Host {
    /// Whose rules hold where the two engines differ.
    fn profile(&self) -> Profile {
        Profile::Camunda
    }

    /// A fact about the `execution` or the `task`, by its property: `id`, `processInstanceId`,
    /// `processBusinessKey`, `currentActivityId`, `processDefinitionId` and so on. `None`: unknown.
    fn fact(&self, _holder: Holder, _property: &str) -> Option<Value> {
        None
    }

    /// Names of all variables that can be seen.
    fn variable_names(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// A variable of the nearest scope only.
    fn local_variable(&self, _name: &str) -> Option<Value> {
        None
    }

    fn user(&self) -> Option<Arc<str>> {
        None
    }

    fn groups(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    fn beans(&self) -> Option<&dyn Beans> {
        None
    }
}

/// Objects of the embedding program, by name.
pub trait Beans {
    fn contains(&self, bean: &str) -> bool;

    /// What the name stands for, where that is a value and no object.
    fn value(&self, _bean: &str) -> Option<Value> {
        None
    }

    /// Whether it has properties besides methods.
    fn has_properties(&self, _bean: &str) -> bool {
        true
    }

    /// Reading a property `name` calls the method `getName`, then `isName`. `None`: there is no
    /// such method; an error is a message for people.
    fn call(
        &self,
        bean: &str,
        method: &str,
        arguments: &[Argument],
    ) -> Option<Result<Value, String>>;
}

/// What is handed to the method of a bean.
#[derive(Clone, Debug)]
pub enum Argument {
    Value(Value),
    Holder(Holder),
    Bean(Arc<str>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    Execution,
    Task,
    /// The job that a worker is done with.
    ExternalTask,
}

impl Holder {
    pub const ALL: [Self; 3] = [Self::Execution, Self::Task, Self::ExternalTask];

    /// The name by which expressions reach it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Execution => "execution",
            Self::Task => "task",
            Self::ExternalTask => "externalTask",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|holder| holder.name() == name)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    #[default]
    Camunda,
    /// Methods of null are null, decimals are equal by value, null has no part in arithmetic.
    Flowable,
}

/// What an expression wants done. Evaluation does not do it, but sees it done.
#[derive(Clone, Debug)]
pub enum Effect {
    SetVariable { name: Arc<str>, value: Value, local: bool },
    RemoveVariable { name: Arc<str>, local: bool },
}
