//! What a file may look like before a tree is built of it.
//!
//! The tree builder is safe for any text, but not linear for every text: attributes are compared
//! pairwise, namespaces are copied into each element that declares one. The gate reads the file
//! once as a stream and refuses what would make that expensive, and document types altogether:
//! they are the way to entities, and no BPMN or DMN file needs one.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::places::Places;
use crate::position::Position;
use crate::refusal::Refusal;

/// Larger than any model; as much as a deployment over gRPC can carry.
pub const INPUT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Nesting of elements. Sub-processes in hand-drawn models nest less than ten deep.
pub const DEPTH_MAX: usize = 256;
/// Attributes of one element, namespace declarations included.
pub const ATTRIBUTES_MAX: usize = 256;
/// Namespace declarations in scope at one element.
pub const NAMESPACES_MAX: usize = 64;
/// Elements of one file, diagram included.
pub const ELEMENTS_MAX: usize = 500_000;

pub fn check_size(bytes: &[u8]) -> Result<(), Refusal> {
    if bytes.len() <= INPUT_BYTES_MAX {
        return Ok(());
    }
    Err(Refusal {
        position: Position::FIRST,
        code: "file-too-large",
        message: format!("the file has {} bytes; at most {INPUT_BYTES_MAX} are read", bytes.len()),
    })
}

pub fn check(places: &Places<'_>) -> Result<(), Refusal> {
    let mut reader = Reader::from_str(places.text());
    let mut seen = Seen::default();
    loop {
        let start = offset(reader.buffer_position());
        let refuse = |code, message| Refusal { position: places.position(start), code, message };
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                seen.open(&tag).map_err(|(code, message)| refuse(code, message))?;
            }
            Ok(Event::Empty(tag)) => {
                seen.open(&tag).map_err(|(code, message)| refuse(code, message))?;
                seen.close();
            }
            Ok(Event::End(_)) => seen.close(),
            Ok(Event::DocType(_)) => {
                return Err(refuse("doctype-refused", "document types are not accepted".into()));
            }
            Ok(Event::Eof) => return Ok(()),
            Ok(_) => {}
            Err(error) => {
                return Err(Refusal {
                    position: places.position(offset(reader.error_position())),
                    code: "xml-malformed",
                    message: format!("not well-formed XML: {error}"),
                });
            }
        }
    }
}

#[derive(Default)]
struct Seen {
    elements: usize,
    /// Namespace declarations of each open element.
    declared: Vec<usize>,
    in_scope: usize,
}

impl Seen {
    fn open(&mut self, tag: &BytesStart<'_>) -> Result<(), (&'static str, String)> {
        let (mut attributes, mut namespaces) = (0, 0);
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute.map_err(|error| {
                ("xml-malformed", format!("not well-formed XML: {error} in an attribute"))
            })?;
            attributes += 1;
            namespaces += usize::from(attribute.key.as_namespace_binding().is_some());
            limit(attributes, ATTRIBUTES_MAX, "too-many-attributes", "attributes on one element")?;
        }
        self.elements += 1;
        self.in_scope += namespaces;
        self.declared.push(namespaces);
        limit(self.elements, ELEMENTS_MAX, "too-many-elements", "elements in one file")?;
        limit(self.declared.len(), DEPTH_MAX, "nested-too-deep", "levels of nested elements")?;
        limit(self.in_scope, NAMESPACES_MAX, "too-many-namespaces", "namespaces in one place")
    }

    fn close(&mut self) {
        self.in_scope -= self.declared.pop().unwrap_or(0);
    }
}

fn limit(
    count: usize,
    max: usize,
    code: &'static str,
    what: &str,
) -> Result<(), (&'static str, String)> {
    if count <= max { Ok(()) } else { Err((code, format!("more than {max} {what}"))) }
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}
