//! Where elements stand in the files of a run, and what the loop must know of the first one.
//!
//! Read on its own and not from the graph: ids of elements that a model's dialect leaves out count
//! too, and a damaged file counts up to the damage.

use std::collections::HashMap;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;
use quick_xml::reader::NsReader;

const BPMN: &str = "http://www.omg.org/spec/BPMN/20100524/MODEL";
const BODY: &str = "#body";

/// Ids by their place; one that several files have counts where it comes first.
#[derive(Clone, Debug, Default)]
pub struct DocumentOrder {
    positions: HashMap<String, usize>,
}

/// What the loop itself takes from a run's first file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The code of the first error that has one.
    pub error_code: Option<String>,
    /// The first process that is not marked as not executable.
    pub process: Option<String>,
}

impl DocumentOrder {
    pub fn of<'a>(files: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut order = Self::default();
        for file in files {
            read(file, |_, attribute| {
                if let Some(id) = attribute("id") {
                    let next = order.positions.len();
                    order.positions.entry(id).or_insert(next);
                }
            });
        }
        order
    }

    /// Ids that are nowhere come last; a multi-instance body stands where its element stands.
    pub fn position(&self, element: &str) -> usize {
        let id = element.strip_suffix(BODY).unwrap_or(element);
        self.positions.get(id).copied().unwrap_or(usize::MAX)
    }
}

impl Subject {
    pub fn of(file: &[u8]) -> Self {
        let mut subject = Self::default();
        read(file, |name, attribute| match name {
            "error" if subject.error_code.is_none() => subject.error_code = attribute("errorCode"),
            "process"
                if subject.process.is_none()
                    && attribute("isExecutable").as_deref() != Some("false") =>
            {
                subject.process = attribute("id");
            }
            _ => {}
        });
        subject
    }
}

/// Visits the elements of BPMN: their local names and a way to ask for attributes.
fn read(file: &[u8], mut visit: impl FnMut(&str, &dyn Fn(&str) -> Option<String>)) {
    let Ok(text) = orloj_xml::decode(file) else { return };
    let mut reader = NsReader::from_str(&text);
    reader.config_mut().check_end_names = false;
    loop {
        // What was read before the damage stands.
        let Ok((namespace, event)) = reader.read_resolved_event() else { return };
        let start = match &event {
            Event::Start(start) | Event::Empty(start) => start,
            Event::Eof => return,
            _ => continue,
        };
        if matches!(namespace, ResolveResult::Bound(bound) if bound.into_inner() == BPMN) {
            let name = start.local_name();
            visit(name.into_inner(), &|wanted| attribute(start, wanted));
        }
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start.try_get_attribute(name).ok()??;
    found.normalized_value(XmlVersion::Implicit1_0).ok().map(|value| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"<?xml version="1.0"?>
        <b:definitions xmlns:b="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:x="urn:x" id="d">
          <b:error id="e1"/><b:error id="e2" errorCode="A&amp;B"/><x:error id="no" errorCode="C"/>
          <b:process id="p1" isExecutable="false"><b:task id="t1"/></b:process>
          <b:process id="p2"><b:task id="t2"/></b:process>
        </b:definitions>"#;

    #[test]
    fn elements_of_bpmn_stand_in_the_order_of_the_files() {
        let other = FILE.replace("t1", "t3");
        let order = DocumentOrder::of([FILE.as_bytes(), other.as_bytes()]);
        let ids = ["d", "e1", "e2", "p1", "t1", "p2", "t2", "t3"];
        assert!(ids.is_sorted_by_key(|id| order.position(id)));
        assert_eq!(order.position("t1#body"), order.position("t1"));
        assert_eq!(order.position("no"), usize::MAX);
    }

    #[test]
    fn the_subject_names_the_first_error_code_and_executable_process() {
        let subject = Subject::of(FILE.as_bytes());
        assert_eq!(subject.error_code.as_deref(), Some("A&B"));
        assert_eq!(subject.process.as_deref(), Some("p2"));
    }

    #[test]
    fn a_damaged_file_counts_up_to_the_damage() {
        let cut = &FILE[..FILE.find("p2").unwrap()];
        let order = DocumentOrder::of([cut.as_bytes()]);
        assert!(order.position("t1") < usize::MAX);
        assert_eq!(order.position("t2"), usize::MAX);
        assert_eq!(Subject::of(b"\xff\xfe"), Subject::default());
    }
}
