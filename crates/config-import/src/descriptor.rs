//! `processes.xml` and `bpm-platform.xml`.

use orloj_settings::{Severity, System, Value};
use roxmltree::Node;

use crate::gathered::{Engine, Gathered, Scope};

const SYSTEM: System = System::Camunda7;

pub struct Descriptor<'f> {
    pub file: &'f str,
    pub gathered: &'f mut Gathered,
}

/// Whether the root element is one of theirs.
pub fn is_descriptor(root: &str) -> bool {
    matches!(root, "process-application" | "bpm-platform")
}

impl Descriptor<'_> {
    pub fn read(&mut self, root: Node<'_, '_>) {
        self.gathered.see(SYSTEM);
        for node in elements(root) {
            match node.tag_name().name() {
                "process-engine" => self.engine(node),
                "job-executor" => self.job_executor(node),
                "process-archive" => self.archive(node),
                _ => self.unknown(node),
            }
        }
    }

    fn engine(&mut self, node: Node<'_, '_>) {
        let name = node.attribute("name").unwrap_or("default").to_owned();
        if self.gathered.engines.iter().any(|engine| engine.name == name) {
            let place = self.place(node);
            return self.gathered.error(place, format!("a second engine called '{name}'"));
        }
        let mut joins = None;
        for child in elements(node) {
            match child.tag_name().name() {
                "job-acquisition" => joins = Some((text(child), self.place(child))),
                "properties" => self.properties(child, &Scope::Engine(name.clone())),
                "datasource" => {
                    let (place, value) = (self.place(child), Value::text(text(child)));
                    let scope = Scope::Engine(name.clone());
                    self.gathered.property(SYSTEM, scope, "datasource", value, place);
                }
                "configuration" => {
                    let standard = text(child).starts_with("org.camunda.bpm.engine.");
                    if !standard {
                        self.dropped(child, "a Java class of your own");
                    }
                }
                "plugins" => {
                    for plugin in elements(child) {
                        self.dropped(plugin, "an extension in Java");
                    }
                }
                _ => self.unknown(child),
            }
        }
        self.gathered.engines.push(Engine { name, joins });
    }

    fn job_executor(&mut self, node: Node<'_, '_>) {
        for child in elements(node) {
            match child.tag_name().name() {
                "properties" => self.properties(child, &Scope::All),
                "job-acquisition" => {
                    let Some(name) = child.attribute("name") else {
                        let place = self.place(child);
                        self.gathered.error(place, "an acquisition without a name".to_owned());
                        continue;
                    };
                    let scope = Scope::Acquisition(name.to_owned());
                    for inner in elements(child) {
                        match inner.tag_name().name() {
                            "properties" => self.properties(inner, &scope),
                            "job-executor-class" => {
                                let is_standard =
                                    text(inner).starts_with("org.camunda.bpm.engine.");
                                if !is_standard {
                                    self.dropped(inner, "a Java class of your own");
                                }
                            }
                            _ => self.unknown(inner),
                        }
                    }
                    // It is there even when it says nothing of its own.
                    self.gathered.acquisitions.push(name.to_owned());
                }
                _ => self.unknown(child),
            }
        }
    }

    fn properties(&mut self, node: Node<'_, '_>, scope: &Scope) {
        for property in elements(node) {
            let place = self.place(property);
            match property.attribute("name") {
                Some(name) if property.tag_name().name() == "property" => {
                    let value = Value::text(text(property));
                    self.gathered.property(SYSTEM, scope.clone(), name, value, place);
                }
                _ => self.gathered.error(place, "expected <property name=\"...\">".to_owned()),
            }
        }
    }

    pub(crate) fn dropped(&mut self, node: Node<'_, '_>, reason: &str) {
        let place = self.place(node);
        let has_parts = elements(node).next().is_some();
        let said = match node.attribute("name") {
            Some(name) => name.to_owned(),
            None if has_parts => {
                elements(node).find(|part| part.has_tag_name("class")).map(text).unwrap_or_default()
            }
            None => text(node),
        };
        let what = format!("{} {said}", node.tag_name().name());
        let what = what.trim_end();
        self.gathered.note(Severity::Warning, what, &place, format!("was not taken: {reason}"));
    }

    pub(crate) fn unknown(&mut self, node: Node<'_, '_>) {
        let place = self.place(node);
        let name = node.tag_name().name();
        self.gathered.error(place, format!("unknown element <{name}>"));
    }

    pub(crate) fn place(&self, node: Node<'_, '_>) -> String {
        place(self.file, node)
    }
}

pub fn place(file: &str, node: Node<'_, '_>) -> String {
    let position = node.document().text_pos_at(node.range().start);
    format!("{file}:{}:{}", position.row, position.col)
}

pub fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

/// All text of an element, trimmed.
pub fn text(node: Node<'_, '_>) -> String {
    let texts = node.descendants().filter(Node::is_text).filter_map(|node| node.text());
    texts.collect::<String>().trim().to_owned()
}
