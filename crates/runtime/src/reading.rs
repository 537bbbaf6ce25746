//! How BPMN files become processes: transforms of the configuration first, then the application's
//! own hooks.
//!
//! Transforms are data. Those that changed a file are stored beside it, so a definition means for
//! ever what it meant when it was accepted, on every node and whatever the configuration says
//! later; a changed configuration makes a new version when the file is deployed again. Hooks are
//! code: they are asked again whenever a model is loaded, and what they refuse then is ignored,
//! because instances run already.

use std::sync::Arc;

use orloj_model::{Dialect, Options, ParseHook, Parsed, Transform, Transforms};
use serde::{Deserialize, Serialize};

/// What a node does to every file it reads.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub transforms: Transforms,
    pub hooks: Vec<Arc<dyn ParseHook>>,
}

/// The stored form of the transforms of a file.
#[derive(Serialize, Deserialize)]
struct Stored {
    format: u32,
    transforms: Vec<Transform>,
}

const FORMAT: u32 = 1;

impl Reading {
    /// A file that is to be deployed, and the transforms to be stored with it.
    pub fn read(&self, content: &[u8], plain_dialect: Dialect) -> (Parsed, Option<Arc<[u8]>>) {
        let noted = Arc::new(self.transforms.noted());
        let mut options = Options { plain_dialect, ..Options::default() };
        if !self.transforms.is_empty() {
            options.hooks.push(noted.clone());
        }
        options.hooks.extend(self.hooks.iter().cloned());
        let parsed = orloj_model::parse(content, &options);
        let transforms = noted.used();
        let stored = (!transforms.is_empty()).then(|| {
            let stored = Stored { format: FORMAT, transforms };
            let json = serde_json::to_vec(&stored);
            json.expect("transforms are made of texts, numbers and lists").into()
        });
        (parsed, stored)
    }

    /// A file as it was accepted, with what was stored beside it.
    pub fn read_again(
        &self,
        content: &[u8],
        dialect: Dialect,
        transforms: Option<&[u8]>,
    ) -> Result<Parsed, String> {
        let mut options = Options { was_accepted: true, ..Options::of(dialect) };
        if let Some(stored) = transforms {
            options.hooks.push(Arc::new(loaded(stored)?));
        }
        options.hooks.extend(self.hooks.iter().cloned());
        Ok(orloj_model::parse(content, &options))
    }
}

/// The name under which the transforms of a file are stored in its deployment. Names that people
/// give do not begin like this.
pub(crate) fn transforms_name(resource: &str) -> Arc<str> {
    format!("\u{1}transforms:{resource}").into()
}

fn loaded(stored: &[u8]) -> Result<Transforms, String> {
    let stored: Stored = serde_json::from_slice(stored).map_err(|error| error.to_string())?;
    if stored.format != FORMAT {
        return Err(format!("format {} of transforms is not known", stored.format));
    }
    Transforms::new(stored.transforms).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_keeps_loading() {
        let stored = br#"{"format":1,"transforms":[{"match":{"dialect":"camunda7",
            "processes":["order"],"kinds":["serviceTask"],"ids":["pay*"],
            "attributes":{"camunda:class":"org.example.*"}},
            "set":{"attributes":{"camunda:asyncBefore":"true"},"async_before":true,
            "async_after":false,"exclusive":false,"retry_cycle":"R3/PT10S","priority":7,
            "job_type":"pay","listeners":[{"event":"start","delegate":"audit"},
            {"event":"task-create","expression":"${audit.note()}"},
            {"event":"end","job_type":"audit"}]}},
            {"match":{"dialect":null},"set":{"async_before":null,"priority":"${urgent}"}}]}"#;
        assert!(loaded(stored).is_ok(), "{:?}", loaded(stored));
        assert!(loaded(br#"{"format":2,"transforms":[]}"#).is_err());
    }
}
