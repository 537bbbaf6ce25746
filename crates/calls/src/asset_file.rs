//! Files that elements refer to. They are JSON objects that tell their own id.

use std::sync::Arc;

use orloj_interpreter::AssetKind;
use orloj_types::{Document, Value};

/// Endings of such files.
const ENDINGS: [(&str, AssetKind); 2] = [(".form", AssetKind::Form), (".rpa", AssetKind::Linked)];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetFile {
    pub kind: AssetKind,
    pub id: Arc<str>,
    pub version_tag: Option<Arc<str>>,
}

impl AssetFile {
    /// What the name of a file promises.
    pub fn kind_of(name: &str) -> Option<AssetKind> {
        ENDINGS.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, kind)| kind)
    }

    /// Or why it is none, in words.
    pub fn read(kind: AssetKind, content: &[u8]) -> Result<Self, String> {
        let what = match kind {
            AssetKind::Form => "form",
            AssetKind::Linked => "resource",
        };
        let text =
            std::str::from_utf8(content).map_err(|error| format!("not a {what}: {error}"))?;
        let told = Document::parse(text).map_err(|error| format!("not a {what}: {error}"))?;
        // Whole numbers are taken for names, too.
        let text = |name: &str| match told.0.get(name).map(Value::from) {
            Some(Value::Text(text)) => Some(text),
            Some(Value::Int(number)) => Some(number.to_string().into()),
            _ => None,
        };
        let id = text("id").filter(|id| !id.trim().is_empty());
        let id = id.ok_or_else(|| format!("not a {what}: it has no id"))?;
        Ok(Self { kind, id, version_tag: text("versionTag") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_kind_and_the_content_the_id() {
        assert_eq!(AssetFile::kind_of("a.form"), Some(AssetKind::Form));
        assert_eq!(AssetFile::kind_of("a.rpa"), Some(AssetKind::Linked));
        assert_eq!(AssetFile::kind_of("a.txt"), None);
        let read = |text: &str| AssetFile::read(AssetKind::Form, text.as_bytes());
        let file = read(r#"{"id":"f","versionTag":"v1","components":[]}"#).expect("a form");
        assert_eq!((&*file.id, file.version_tag.as_deref()), ("f", Some("v1")));
        assert_eq!(&*read(r#"{"id":5}"#).expect("a number is a name").id, "5");
        for bad in [r#"{"components":[]}"#, r#"{"id":" "}"#, "nope", "[]"] {
            let problem = read(bad).expect_err(bad);
            assert!(problem.starts_with("not a form: "), "{problem}");
        }
    }
}
