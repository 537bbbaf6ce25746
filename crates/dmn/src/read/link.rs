//! From the files that were given together to one graph.

use std::collections::HashMap;
use std::sync::Arc;

use orloj_xml::{Position, quoted};

use crate::boxed::Kind;
use crate::diagnostic::{Problems, Severity};
use crate::feel::{NAMES_MAX, Names, is_plain};
use crate::graph::{
    FileInfo, Graph, Item, Node, NodeIndex, NodeKind, Operations, Requirement, Service,
};
use crate::options::Mode;
use crate::read::boxed::Reader;
use crate::read::cycles::report_cycles;
use crate::read::header::{Header, HeaderKind, NodeHeader, Role, normalized};
use crate::read::item::read_items;
use crate::read::source::{child, is_model};
use crate::read::type_names::{FileTypes, TypeNames};
use crate::types::Type;

pub(crate) fn link(
    headers: &[Header<'_>],
    (mode, lenient): (Mode, bool),
    diagnostics: &mut Problems,
) -> Graph {
    let mut types = TypeNames { files: resolve_imports(headers, diagnostics) };
    let items = read_items(headers, &mut types, (mode, lenient), diagnostics);
    let index = Index::new(headers, diagnostics);
    let links: Vec<Links> = headers
        .iter()
        .enumerate()
        .flat_map(|(file, header)| header.nodes.iter().map(move |node| (file, node)))
        .map(|(file, node)| index.links(headers, &types, file, node, diagnostics))
        .collect();
    let mut linker = Linker {
        headers,
        types: &types,
        items: &items,
        index: &index,
        mode,
        lenient,
        names: Names::new(&property_names(headers)),
        diagnostics,
    };
    let mut nodes = Vec::with_capacity(links.len());
    let mut links = links.into_iter();
    for (file, header) in headers.iter().enumerate() {
        for node in &header.nodes {
            let links = links.next().expect("one for each node");
            nodes.push(linker.node(file, node, links));
        }
    }
    if linker.names.has_dropped() {
        let message = format!(
            "more than {NAMES_MAX} names with spaces or signs; not all of them are recognised"
        );
        let (source, code) = (&headers[0].source, "too-many-names");
        source.report(diagnostics, Severity::Warning, Position::FIRST, None, code, message);
    }
    report_cycles(headers, &nodes, diagnostics);
    let files = headers.iter().map(|header| FileInfo {
        id: header.id.clone(),
        name: header.name.clone(),
        namespace: header.namespace.clone(),
        imports: types.files[header.source.index].imports.clone(),
    });
    let files = files.collect();
    Graph { mode, files, nodes, items, types, operations: Operations::new() }
}

fn resolve_imports(headers: &[Header<'_>], diagnostics: &mut Problems) -> Vec<FileTypes> {
    let mut by_namespace: HashMap<&str, usize> = HashMap::new();
    for (file, header) in headers.iter().enumerate() {
        by_namespace.entry(&header.namespace).or_insert(file);
    }
    let mut files = Vec::with_capacity(headers.len());
    for header in headers {
        let mut imports = Vec::new();
        for import in header.imports.iter().filter(|import| import.is_model) {
            match by_namespace.get(import.namespace) {
                Some(&file) => imports.push((import.name.clone(), file)),
                None => header.source.report(
                    diagnostics,
                    Severity::Error,
                    import.position,
                    None,
                    "import-missing",
                    format!("no file with the namespace {} was given", quoted(import.namespace)),
                ),
            }
        }
        files.push(FileTypes {
            namespace: header.namespace.clone(),
            items: HashMap::new(),
            imports,
        });
    }
    files
}

/// Nodes by file and id.
struct Index<'a> {
    ids: HashMap<(usize, &'a str), NodeIndex>,
    namespaces: HashMap<&'a str, usize>,
    /// Kind, file and name, by number.
    nodes: Vec<(HeaderKind, usize, Arc<str>)>,
}

/// What a node refers to.
#[derive(Default)]
struct Links {
    requires: Vec<Requirement>,
    service: Service,
}

impl<'a> Index<'a> {
    fn new(headers: &'a [Header<'_>], diagnostics: &mut Problems) -> Self {
        let mut index = Self { ids: HashMap::new(), namespaces: HashMap::new(), nodes: Vec::new() };
        for (file, header) in headers.iter().enumerate() {
            index.namespaces.entry(&header.namespace).or_insert(file);
            for node in &header.nodes {
                let number = u32::try_from(index.nodes.len()).expect("the gate limits elements");
                index.nodes.push((node.kind, file, node.variable.clone()));
                if node.id.is_empty() {
                    continue;
                }
                if index.ids.insert((file, &node.id), NodeIndex(number)).is_some() {
                    let message = format!("the id {} is used twice", quoted(&node.id));
                    header.source.report(
                        diagnostics,
                        Severity::Error,
                        node.position,
                        Some(&node.id),
                        "duplicate-id",
                        message,
                    );
                }
            }
        }
        index
    }

    fn links(
        &self,
        headers: &[Header<'_>],
        types: &TypeNames,
        file: usize,
        node: &NodeHeader<'_>,
        diagnostics: &mut Problems,
    ) -> Links {
        let mut links = Links::default();
        for reference in &node.references {
            let Some(target) = self.find(file, &reference.href.text) else {
                let source = &headers[file].source;
                let message = format!("there is no element {}", quoted(&reference.href.text));
                let position = reference.href.position_of(0, source.places);
                let element = Some(&node.name);
                source.report(
                    diagnostics,
                    Severity::Error,
                    position,
                    element,
                    "unknown-reference",
                    message,
                );
                continue;
            };
            match reference.role {
                Role::RequiredInput | Role::RequiredDecision | Role::RequiredKnowledge => {
                    let (_, owner, _) = &self.nodes[target.0 as usize];
                    let import = match *owner == file {
                        true => None,
                        false => types.files[file]
                            .imports
                            .iter()
                            .find(|(_, brings)| brings == owner)
                            .map(|(name, _)| name.clone())
                            .filter(|name| !name.is_empty()),
                    };
                    links.requires.push(Requirement { node: target, import });
                }
                Role::OutputDecision => links.service.outputs.push(target),
                Role::InputData => links.service.inputs.push(target),
                Role::InputDecision => links.service.input_decisions.push(target),
                Role::EncapsulatedDecision => {}
            }
        }
        links
    }

    /// `#id`, or `namespace#id`.
    fn find(&self, file: usize, href: &str) -> Option<NodeIndex> {
        let (namespace, id) = href.rsplit_once('#').unwrap_or(("", href));
        let file = match namespace {
            "" => file,
            namespace => *self.namespaces.get(namespace)?,
        };
        self.ids.get(&(file, id)).copied()
    }
}

struct Linker<'a, 'r> {
    headers: &'r [Header<'a>],
    types: &'r TypeNames,
    items: &'r [Item],
    index: &'r Index<'r>,
    mode: Mode,
    lenient: bool,
    names: Names,
    diagnostics: &'r mut Problems,
}

impl Linker<'_, '_> {
    fn node(&mut self, file: usize, header: &NodeHeader<'_>, links: Links) -> Node {
        let mark = self.names.mark();
        let names = &mut self.names;
        for requirement in &links.requires {
            let (_, _, name) = &self.index.nodes[requirement.node.0 as usize];
            match &requirement.import {
                Some(import) => names.add(import),
                None => names.add(name),
            }
        }
        if header.kind == HeaderKind::Knowledge {
            names.add(&header.variable);
        }
        let mut reader = Reader {
            mode: self.mode,
            lenient: self.lenient,
            file,
            header: &self.headers[file],
            types: self.types,
            items: self.items,
            names,
            diagnostics: self.diagnostics,
            element: Some(header.name.clone()),
            in_filter: 0,
        };
        let ty = header
            .type_ref
            .as_ref()
            .and_then(|written| reader.type_named(header.xml, written))
            .unwrap_or(Type::Any);
        let kind = match header.kind {
            HeaderKind::Input => NodeKind::Input,
            HeaderKind::Decision => {
                let logic = reader.boxed_in(header.xml);
                if self.mode == Mode::Camunda7
                    && matches!(logic.as_ref().map(|l| &l.kind), Some(Kind::Literal(_)))
                    && child(header.xml, "variable").is_none()
                {
                    let message = "Camunda 7 wants a variable for a literal expression".into();
                    reader.error(header.position, "variable-missing", message);
                }
                NodeKind::Decision { logic }
            }
            HeaderKind::Knowledge => NodeKind::Knowledge {
                function: child(header.xml, "encapsulatedLogic")
                    .map(|logic| Arc::new(reader.function(logic))),
            },
            HeaderKind::Service => NodeKind::Service(links.service),
        };
        self.names.reset(mark);
        Node {
            file,
            id: header.id.clone(),
            name: header.name.clone(),
            variable: header.variable.clone(),
            ty,
            position: header.position,
            version_tag: header.version_tag.clone(),
            requires: links.requires,
            kind,
        }
    }
}

/// Names that parts of values may have, anywhere in the files. Only those matter that are not
/// read as one name anyway. A name with a dot looks like a path, and is one where it is not in
/// scope.
fn property_names(headers: &[Header<'_>]) -> Vec<Arc<str>> {
    let mut found = Vec::new();
    for (file, header) in headers.iter().enumerate() {
        for node in header.source.root.descendants().filter(|node| is_model(*node)) {
            let is_part = match node.tag_name().name() {
                "itemComponent" | "column" | "output" | "formalParameter" | "parameters" => true,
                "variable" => {
                    let holder = node.parent().map(|parent| parent.tag_name().name());
                    // What an import brings are parts of it.
                    file > 0 || holder == Some("contextEntry")
                }
                "inputData" | "decision" | "businessKnowledgeModel" | "decisionService" => file > 0,
                _ => false,
            };
            if is_part
                && let Some(name) = node.attribute("name")
                && !is_plain(name)
                && !name.contains('.')
            {
                found.push(normalized(name));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
