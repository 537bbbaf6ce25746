//! Version tags of decisions, which vendors write in their own ways.

use std::collections::BTreeMap;
use std::sync::Arc;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// Tags by the id of the decision. What cannot be read has none: the parser says why.
pub(super) fn version_tags(file: &[u8]) -> BTreeMap<String, Arc<str>> {
    let mut tags = BTreeMap::new();
    let Ok(text) = orloj_xml::decode(file) else { return tags };
    let mut reader = Reader::from_str(&text);
    let mut decision = None;
    loop {
        let Ok(event) = reader.read_event() else { return tags };
        let start = match &event {
            Event::Start(start) | Event::Empty(start) => start,
            Event::Eof => return tags,
            _ => continue,
        };
        let tag = match start.local_name().into_inner() {
            "decision" => {
                decision = attribute(start, "id");
                attribute(start, "versionTag")
            }
            "versionTag" => attribute(start, "value"),
            _ => None,
        };
        if let (Some(id), Some(tag)) = (&decision, tag.filter(|tag| !tag.trim().is_empty())) {
            tags.insert(id.clone(), tag.into());
        }
    }
}

/// In whatever namespace.
fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes().flatten();
    let found = attributes.find(|found| found.key.local_name().into_inner() == name)?;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(|value| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_tag_a_decision_are_read() {
        let file = br#"<definitions xmlns:camunda="c" xmlns:zeebe="z">
            <decision id="a" camunda:versionTag="one"/>
            <decision id="b"><extensionElements><zeebe:versionTag value="two"/></extensionElements>
            </decision><decision id="c"/></definitions>"#;
        let tags = version_tags(file);
        assert_eq!(tags.get("a").map(|tag| &**tag), Some("one"));
        assert_eq!(tags.get("b").map(|tag| &**tag), Some("two"));
        assert_eq!(tags.len(), 2);
    }
}
