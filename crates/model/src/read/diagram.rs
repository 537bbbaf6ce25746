//! What Camunda minds outside of processes: imports, and diagrams that refer to nothing.

use orloj_xml::quoted;

use crate::read::context::{Context, Node, Subject, bpmn_children};

const BPMNDI: &str = "http://www.omg.org/spec/BPMN/20100524/DI";

impl<'a> Context<'a> {
    pub fn check_camunda_file(&mut self, definitions: Node<'a>, has_executable: bool) {
        self.refuse_imports(definitions);
        self.check_diagrams(definitions, has_executable);
    }

    /// It has importers for nothing.
    fn refuse_imports(&mut self, definitions: Node<'a>) {
        let mut collaborations = 0;
        for node in bpmn_children(definitions) {
            let subject = Subject { node, id: None };
            match subject.tag() {
                "import" => {
                    let message = "other files cannot be imported".to_owned();
                    self.error(&subject, "unsupported-import", message);
                }
                "collaboration" => {
                    collaborations += 1;
                    if collaborations == 2 {
                        let message = "the file has more than one collaboration".to_owned();
                        self.error(&subject, "collaboration-repeated", message);
                    }
                }
                _ => {}
            }
        }
    }

    fn check_diagrams(&mut self, definitions: Node<'a>, has_executable: bool) {
        let named = |node: &Node<'a>, name: &str| node.has_tag_name((BPMNDI, name));
        let planes = definitions
            .children()
            .filter(|node| named(node, "BPMNDiagram"))
            .flat_map(|diagram| diagram.children().filter(|node| named(node, "BPMNPlane")));
        let planes: Vec<Node<'a>> = planes.collect();
        if planes.is_empty() {
            return;
        }
        for plane in planes {
            if self.reference_of(plane).is_none() {
                continue;
            }
            let parts = plane.children().filter(|node| node.is_element());
            for part in parts {
                let is_edge = named(&part, "BPMNEdge");
                if !is_edge && !named(&part, "BPMNShape") {
                    continue;
                }
                let Some(reference) = self.reference_of(part) else { continue };
                // Shapes are looked up in the processes that run.
                if (is_edge || has_executable) && !self.ids.contains(reference) {
                    let subject = Subject { node: part, id: None };
                    let message = format!(
                        "bpmnElement of a {} names {}, which is nothing in the file",
                        subject.tag(),
                        quoted(reference)
                    );
                    self.error(&subject, "diagram-reference-unknown", message);
                }
            }
        }
    }

    fn reference_of(&mut self, part: Node<'a>) -> Option<&'a str> {
        let reference = part.attribute("bpmnElement").filter(|reference| !reference.is_empty());
        if reference.is_none() {
            let subject = Subject { node: part, id: None };
            let message = format!("a {} has no bpmnElement", subject.tag());
            self.error(&subject, "diagram-reference-missing", message);
        }
        reference
    }
}
