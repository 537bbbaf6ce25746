//! Which kind of file it is.

use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Xml,
    Yaml,
    Properties,
}

/// By its first character, then by its name.
pub fn recognise(name: &str, bytes: &[u8]) -> Option<Format> {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    let extension = extension.unwrap_or_default().to_ascii_lowercase();
    // A byte-order mark of any encoding is above ASCII or zero.
    let first = bytes.iter().find(|byte| byte.is_ascii_graphic());
    match (first, extension.as_str()) {
        (Some(b'<'), _) | (_, "xml") => Some(Format::Xml),
        (_, "yaml" | "yml") => Some(Format::Yaml),
        (_, "properties") => Some(Format::Properties),
        _ => None,
    }
}
