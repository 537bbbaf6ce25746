use super::host::Profile;

/// The functions that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Now,
    DateTime,
    CurrentUser,
    CurrentUserGroups,
    /// Known, so that the model is taken, but nothing here reads XML.
    SpinXml,
    /// `S` and `JSON`.
    Spin,
    Variable(OfVariable),
    Date(OfDate),
    Collection(OfCollection),
}

/// Flowable's `variables:`. Their first argument is the name of a variable, which need not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfVariable {
    Get,
    GetOrDefault,
    Exists,
    IsEmpty,
    IsNotEmpty,
    Equals,
    NotEquals,
    Contains,
    ContainsAny,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Base64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfDate {
    Now,
    ToDate,
    Format,
    Add,
    Subtract,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfCollection {
    All,
    None,
    Any,
    NotAll,
}

impl Function {
    /// `only`: those that a process of this engine has, where decisions may have all of them.
    pub fn find(only: Option<Profile>, prefix: Option<&str>, name: &str) -> Option<Self> {
        let function = Self::named(prefix, name)?;
        let is_there = match only {
            None => true,
            Some(Profile::Camunda) => prefix.is_none(),
            Some(Profile::Flowable) => matches!(function, Self::Variable(_)),
        };
        is_there.then_some(function)
    }

    fn named(prefix: Option<&str>, name: &str) -> Option<Self> {
        Some(match prefix {
            None => match name {
                "now" => Self::Now,
                "dateTime" => Self::DateTime,
                "currentUser" => Self::CurrentUser,
                "currentUserGroups" => Self::CurrentUserGroups,
                "S" | "JSON" => Self::Spin,
                "XML" => Self::SpinXml,
                _ => return None,
            },
            Some("variables" | "vars" | "var") => Self::Variable(of_variable(name)?),
            Some("date") => Self::Date(match name {
                "now" => OfDate::Now,
                "toDate" => OfDate::ToDate,
                "format" => OfDate::Format,
                "addDate" => OfDate::Add,
                "subtractDate" => OfDate::Subtract,
                _ => return None,
            }),
            Some("collection") => Self::Collection(match name {
                "allOf" | "contains" => OfCollection::All,
                "noneOf" | "notContainsAny" => OfCollection::None,
                "anyOf" | "containsAny" => OfCollection::Any,
                "notAllOf" | "notContains" => OfCollection::NotAll,
                _ => return None,
            }),
            Some(_) => return None,
        })
    }

    /// Whether `prefix` has functions at all; such a prefix is never the end of a choice.
    pub fn is_prefix(prefix: &str) -> bool {
        matches!(prefix, "variables" | "vars" | "var" | "date" | "collection")
    }

    /// Fewest and most arguments.
    pub fn arguments(self) -> (usize, usize) {
        const MANY: usize = usize::MAX;
        match self {
            Self::Now | Self::DateTime | Self::CurrentUser | Self::CurrentUserGroups => (0, 0),
            Self::Spin | Self::SpinXml => (1, 1),
            Self::Variable(function) => match function {
                OfVariable::Contains | OfVariable::ContainsAny => (1, MANY),
                OfVariable::Get
                | OfVariable::Exists
                | OfVariable::IsEmpty
                | OfVariable::IsNotEmpty
                | OfVariable::Base64 => (1, 1),
                _ => (2, 2),
            },
            Self::Date(function) => match function {
                OfDate::Now => (0, 0),
                OfDate::ToDate => (1, 1),
                OfDate::Format => (1, 2),
                OfDate::Add | OfDate::Subtract => (4, 4),
            },
            Self::Collection(_) => (2, 2),
        }
    }
}

fn of_variable(name: &str) -> Option<OfVariable> {
    Some(match name {
        "get" => OfVariable::Get,
        "getOrDefault" => OfVariable::GetOrDefault,
        "exists" | "exist" => OfVariable::Exists,
        "isEmpty" | "empty" => OfVariable::IsEmpty,
        "isNotEmpty" | "notEmpty" => OfVariable::IsNotEmpty,
        "equals" | "eq" => OfVariable::Equals,
        "notEquals" | "ne" => OfVariable::NotEquals,
        "contains" => OfVariable::Contains,
        "containsAny" => OfVariable::ContainsAny,
        "lowerThan" | "lessThan" | "lt" => OfVariable::Less,
        "lowerThanOrEquals" | "lessThanOrEquals" | "lte" => OfVariable::LessOrEqual,
        "greaterThan" | "gt" => OfVariable::Greater,
        "greaterThanOrEquals" | "gte" => OfVariable::GreaterOrEqual,
        "base64" => OfVariable::Base64,
        _ => return None,
    })
}
