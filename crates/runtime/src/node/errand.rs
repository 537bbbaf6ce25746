//! Errands as their rows say them: what is to be done, and how far it has come.

use std::sync::Arc;

use orloj_store::{BroadcastKey, BroadcastRow, MessageKey};
use orloj_types::{
    DefinitionKey, ElementId, EngineName, InstanceKey, ProcessId, SubscriptionKey, TenantId,
};

/// Begins the names of errands that are no signals to all; no signal of a model has it.
const MARK: char = '\u{1}';

/// Stands before the name of a signal that is heard in jobs of their own.
const LATER: &str = "\u{1}by-job ";

/// The name of an errand whose receivers hear of it in jobs of their own.
pub(crate) fn later(name: &str) -> Arc<str> {
    format!("{LATER}{name}").into()
}

/// Whether that is so, and the name of the errand itself.
pub(crate) fn is_later(name: &Arc<str>) -> (bool, Arc<str>) {
    match name.strip_prefix(LATER) {
        Some(name) => (true, name.into()),
        None => (false, name.clone()),
    }
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Errand {
    /// Everyone who waits for it hears the signal, but for the instance that has thrown and heard
    /// it.
    Signal { name: Arc<str>, except: Option<InstanceKey> },
    /// Only this instance does.
    Local { instance: InstanceKey, name: Arc<str> },
    /// The start events that wait for the message's name start their processes.
    StartByMessage { message: MessageKey },
    /// An instance has ended that kept others from being started with its key.
    StartNext { process: ProcessId, key: Arc<str> },
}

impl Errand {
    pub fn row(&self, key: BroadcastKey, engine: &EngineName, tenant: &TenantId) -> BroadcastRow {
        let (engine, tenant) = (engine.clone(), tenant.clone());
        BroadcastRow {
            key,
            engine,
            tenant,
            name: self.name(),
            variables: Vec::new(),
            place: "".into(),
        }
    }

    fn name(&self) -> Arc<str> {
        match self {
            // A name may begin with anything that a model computes.
            Self::Signal { name, except: None } if name.starts_with(MARK) => {
                format!("{MARK}all {name}").into()
            }
            Self::Signal { name, except: None } => name.clone(),
            Self::Signal { name, except: Some(instance) } => {
                format!("{MARK}but {instance} {name}").into()
            }
            Self::Local { instance, name } => format!("{MARK}local {instance} {name}").into(),
            Self::StartByMessage { message } => format!("{MARK}start {message}").into(),
            Self::StartNext { process, key } => format!("{MARK}next {process} {key}").into(),
        }
    }

    /// `None`: written by a later version of this program.
    pub fn read(name: &Arc<str>) -> Option<Self> {
        let Some(marked) = name.strip_prefix(MARK) else {
            return Some(Self::Signal { name: name.clone(), except: None });
        };
        let (word, rest) = marked.split_once(' ')?;
        Some(match word {
            "all" => Self::Signal { name: rest.into(), except: None },
            "local" | "but" => {
                let (instance, name) = rest.split_once(' ')?;
                let (instance, name) = (InstanceKey::new(instance.parse().ok()?), name.into());
                match word {
                    "local" => Self::Local { instance, name },
                    _ => Self::Signal { name, except: Some(instance) },
                }
            }
            "start" => Self::StartByMessage { message: MessageKey::new(rest.parse().ok()?) },
            // The id of a process has no spaces.
            "next" => {
                let (process, key) = rest.split_once(' ')?;
                Self::StartNext { process: process.into(), key: key.into() }
            }
            _ => return None,
        })
    }
}

/// How far a signal has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    #[default]
    Begin,
    /// Subscriptions up to `after` have been told, those up to `until` will be. Who began to wait
    /// later, perhaps because of this very signal, does not hear it.
    Waits { after: SubscriptionKey, until: SubscriptionKey },
    /// All subscriptions have been told, and the start events up to this one.
    Starts { definition: DefinitionKey, event: ElementId },
}

impl Place {
    pub fn text(&self) -> Arc<str> {
        match self {
            Self::Begin => "".into(),
            Self::Waits { after, until } => format!("waits {after} {until}").into(),
            Self::Starts { definition, event } => format!("starts {definition} {event}").into(),
        }
    }

    /// `None`: written by a later version of this program.
    pub fn read(text: &str) -> Option<Self> {
        let Some((word, rest)) = text.split_once(' ') else {
            return text.is_empty().then_some(Self::Begin);
        };
        let (key, rest) = rest.split_once(' ')?;
        let key = key.parse().ok()?;
        Some(match word {
            "waits" => Self::Waits {
                after: SubscriptionKey::new(key),
                until: SubscriptionKey::new(rest.parse().ok()?),
            },
            "starts" => Self::Starts { definition: DefinitionKey::new(key), event: rest.into() },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errands_read_as_they_are_written() {
        let errands = [
            Errand::Signal { name: "go now".into(), except: None },
            Errand::Signal { name: "\u{1}go".into(), except: None },
            Errand::Signal { name: "go now".into(), except: Some(InstanceKey::new(7)) },
            Errand::Local { instance: InstanceKey::new(7), name: "go now".into() },
            Errand::StartByMessage { message: MessageKey::new(8) },
            Errand::StartNext { process: "p".into(), key: "a key".into() },
        ];
        for errand in errands {
            let (is_deferred, name) = is_later(&later(&errand.name()));
            assert_eq!((is_deferred, Errand::read(&name)), (true, Some(errand.clone())));
            assert!(!is_later(&errand.name()).0);
            assert_eq!(Errand::read(&errand.name()), Some(errand));
        }
        assert_eq!(Errand::read(&"\u{1}later version".into()), None);
    }

    #[test]
    fn places_read_as_they_are_written() {
        let (after, until) = (SubscriptionKey::new(7), SubscriptionKey::new(1 << 52));
        let (definition, event) = (DefinitionKey::new(9), ElementId::from("begin here"));
        for place in
            [Place::Begin, Place::Waits { after, until }, Place::Starts { definition, event }]
        {
            assert_eq!(Place::read(&place.text()), Some(place));
        }
        for unknown in ["later", "later 1 2", "waits 1", "waits one 2"] {
            assert_eq!(Place::read(unknown), None, "{unknown}");
        }
    }
}
