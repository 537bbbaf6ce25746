//! Names given by people: authors of models, operators, tenants.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }
    };
}

id!(
    /// The `id` of a `bpmn:process`.
    ProcessId
);
id!(
    /// The `id` of a flow node or sequence flow inside a process.
    ElementId
);
id!(
    /// Who owns a row. The one internal "none" is the empty text; each face shows it its own way.
    TenantId
);
id!(
    /// Which named engine owns a row; one database may serve several.
    EngineName
);

impl TenantId {
    pub fn none() -> Self {
        Self::new("")
    }

    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }
}

impl Default for TenantId {
    fn default() -> Self {
        Self::none()
    }
}

impl Default for EngineName {
    fn default() -> Self {
        Self::new("default")
    }
}
