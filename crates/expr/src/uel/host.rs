use std::sync::Arc;

use orloj_types::{Timestamp, Value};

use super::moment::ms_of;

/// What UEL may know of its surroundings beside the variables. Everything has a default: nothing
/// is known, and what depends on it fails with an error that says so.
pub trait Host {
    /// Whose rules hold where the two engines differ.
    fn profile(&self) -> Profile {
        Profile::Camunda
    }

    /// A fact about the `execution`, the `task` and what is reached from there, by one name for
    /// all engines: `id`, `processInstanceId`, `businessKey`, `currentActivityId` and so on. Which
    /// of their properties and methods ask for it is known here. `None`: unknown. A holder without
    /// an `id` does not exist.
    fn fact(&self, _holder: Holder, _fact: &str) -> Option<Value> {
        None
    }

    /// Names of all variables that can be seen.
    fn variable_names(&self) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// Names of the variables that are the holder's own.
    fn local_names(&self, _holder: Holder) -> Vec<Arc<str>> {
        Vec::new()
    }

    /// A variable that is the holder's own.
    fn local_variable(&self, _holder: Holder, _name: &str) -> Option<Value> {
        None
    }

    /// A variable as it is seen from another holder than the one the expression stands in.
    fn variable_from(&self, _holder: Holder, _name: &str) -> Option<Value> {
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
    /// The execution around the execution, so many steps outward; at least one.
    Ancestor(u32),
    /// The execution of the whole process instance.
    Instance,
    /// The execution that waits for the process instance.
    Caller,
    /// What is drawn in the model where the execution is.
    Element,
    Definition,
}

impl Holder {
    /// What it is handed to a bean as.
    pub fn name(self) -> &'static str {
        match self {
            Self::Execution | Self::Ancestor(_) | Self::Instance | Self::Caller => "execution",
            Self::Task => "task",
            Self::ExternalTask => "externalTask",
            Self::Element => "element",
            Self::Definition => "processDefinition",
        }
    }

    /// The one that has this name in expressions; the others are reached from it.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "execution" => Some(Self::Execution),
            "task" => Some(Self::Task),
            "externalTask" => Some(Self::ExternalTask),
            _ => None,
        }
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
    SetVariable { place: Place, name: Arc<str>, value: Value },
    RemoveVariable { place: Place, name: Arc<str> },
    SetFact { holder: Holder, change: FactChange },
}

/// Where a variable is set or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where it is found first from the holder outward, else the process instance.
    Nearest(Holder),
    /// The holder's own variables.
    Local(Holder),
    /// The scope of the element with this id.
    Element(Arc<str>),
    /// Of the process instance, until the command ends.
    Transient,
    TransientLocal,
}

/// What becomes of something that the `execution` or the `task` is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum FactChange {
    BusinessKey(Option<Arc<str>>),
    Name(Option<Arc<str>>),
    Description(Option<Arc<str>>),
    Assignee(Option<Arc<str>>),
    Owner(Option<Arc<str>>),
    Category(Option<Arc<str>>),
    FormKey(Option<Arc<str>>),
    Priority(i64),
    DueDate(Option<Timestamp>),
    FollowUpDate(Option<Timestamp>),
    AddCandidateUser(Arc<str>),
    AddCandidateGroup(Arc<str>),
    DeleteCandidateUser(Arc<str>),
    DeleteCandidateGroup(Arc<str>),
    /// The task is done.
    Completed,
}

impl FactChange {
    /// A `Date`, which nothing else becomes, or null. `None`: it is something else.
    pub fn date(value: &Value) -> Option<Option<Timestamp>> {
        match value {
            Value::Null => Some(None),
            Value::Temporal(date) => ms_of(date).map(|ms| Some(Timestamp::from_ms(ms))),
            _ => None,
        }
    }
}
