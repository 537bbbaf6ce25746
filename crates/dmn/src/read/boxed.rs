//! Second pass: boxed expressions, with the names that they see.

use std::sync::Arc;

use orloj_xml::{Position, quoted};
use roxmltree::Node;

use crate::boxed::{Body, Boxed, Column, Entry, Function, Input, IteratorKind, Kind};
use crate::diagnostic::{Problems, Severity};
use crate::feel::{Formula, Language, Names, Tests};
use crate::graph::Item;
use crate::options::Mode;
use crate::read::header::{Header, normalized};
use crate::read::source::{child, children, children_named};
use crate::read::table::read_table;
use crate::read::type_names::TypeNames;
use crate::read::written::{Written, attribute, content};
use crate::types::Type;

/// Types of Flowable that say nothing of the values.
const FLOWABLE_TYPES: [&str; 2] = ["collection", "json"];

/// Everything that reading a box needs to know.
pub(crate) struct Reader<'a, 'r> {
    pub mode: Mode,
    pub lenient: bool,
    pub file: usize,
    pub header: &'r Header<'a>,
    pub types: &'r TypeNames,
    pub items: &'r [Item],
    pub names: &'r mut Names,
    pub diagnostics: &'r mut Problems,
    pub element: Option<Arc<str>>,
    /// Filters around, whose conditions may read members of the items.
    pub in_filter: usize,
}

impl<'a> Reader<'a, '_> {
    pub fn error(&mut self, position: Position, code: &'static str, message: String) {
        self.report(Severity::Error, position, code, message);
    }

    pub fn warn(&mut self, position: Position, code: &'static str, message: String) {
        self.report(Severity::Warning, position, code, message);
    }

    fn report(&mut self, severity: Severity, at: Position, code: &'static str, message: String) {
        let element = self.element.as_ref();
        self.header.source.report(self.diagnostics, severity, at, element, code, message);
    }

    pub fn position(&self, node: Node<'_, '_>) -> Position {
        self.header.source.position(node)
    }

    /// The type that an attribute names; a type nobody declared is a warning and checks nothing.
    pub fn type_of(&mut self, node: Node<'a, 'a>) -> Option<Type> {
        let written = attribute(node, "typeRef")?;
        self.type_named(node, &written)
    }

    pub fn type_named(&mut self, node: Node<'a, 'a>, written: &Written<'a>) -> Option<Type> {
        let of_flowable = self.mode == Mode::Flowable && FLOWABLE_TYPES.contains(&&*written.text);
        if written.text.trim().is_empty() || of_flowable {
            return None;
        }
        let found = self.types.resolve(self.items, self.file, node, &written.text);
        if found.is_none() {
            let position = written.position_of(0, self.header.source.places);
            let message = format!("there is no type {}", quoted(&written.text));
            self.warn(position, "unknown-type", message);
        }
        found
    }

    /// The first boxed expression inside `holder`.
    pub fn boxed_in(&mut self, holder: Node<'a, 'a>) -> Option<Boxed> {
        let node = children(holder).find(|node| is_boxed(node.tag_name().name()))?;
        Some(self.boxed(node))
    }

    fn required(&mut self, holder: Node<'a, 'a>, part: &'static str) -> Box<Boxed> {
        let found = child(holder, part).and_then(|node| self.boxed_in(node));
        Box::new(found.unwrap_or_else(|| {
            let position = self.position(holder);
            let message = format!("a {} without {part}", holder.tag_name().name());
            self.warn(position, "part-missing", message);
            Boxed { kind: Kind::Missing, ty: None, position }
        }))
    }

    /// Elements nest at most as deep as the gate allows, so recursion is bounded.
    pub fn boxed(&mut self, node: Node<'a, 'a>) -> Boxed {
        let position = self.position(node);
        let ty = self.type_of(node);
        let kind = match node.tag_name().name() {
            "literalExpression" => self.literal(node),
            "decisionTable" => Kind::Table(Box::new(read_table(self, node))),
            "context" => self.context(node),
            "relation" => self.relation(node),
            "list" => {
                let items: Vec<_> =
                    children(node).filter(|c| is_boxed(c.tag_name().name())).collect();
                Kind::List(items.into_iter().map(|item| self.boxed(item)).collect())
            }
            "functionDefinition" => Kind::Function(Arc::new(self.function(node))),
            "invocation" => self.invocation(node),
            "conditional" => Kind::Conditional {
                condition: self.required(node, "if"),
                then: self.required(node, "then"),
                otherwise: self.required(node, "else"),
            },
            "filter" => {
                let list = self.required(node, "in");
                let mark = self.names.mark();
                self.names.add("item");
                self.in_filter += 1;
                let matches = self.required(node, "match");
                self.in_filter -= 1;
                self.names.reset(mark);
                Kind::Filter { list, matches }
            }
            "for" => self.iterator(node, IteratorKind::For, "return"),
            "some" => self.iterator(node, IteratorKind::Some, "satisfies"),
            "every" => self.iterator(node, IteratorKind::Every, "satisfies"),
            _ => Kind::Missing,
        };
        Boxed { kind, ty, position }
    }

    fn literal(&mut self, node: Node<'a, 'a>) -> Kind {
        let Some(text) = child(node, "text").map(content).filter(|t| !t.text.is_empty()) else {
            return Kind::Missing;
        };
        Kind::Literal(self.formula(node, text))
    }

    fn iterator(&mut self, node: Node<'a, 'a>, kind: IteratorKind, body: &'static str) -> Kind {
        let variable = normalized(node.attribute("iteratorVariable").unwrap_or_default());
        if variable.is_empty() {
            let message = format!("a {} without iteratorVariable", node.tag_name().name());
            self.error(self.position(node), "part-missing", message);
        }
        let list = self.required(node, "in");
        let mark = self.names.mark();
        self.names.add(&variable);
        let has_partial = kind == IteratorKind::For
            && node.descendants().any(|d| d.text().is_some_and(|t| t.contains("partial")));
        if has_partial {
            self.names.add("partial");
        }
        let body = self.required(node, body);
        self.names.reset(mark);
        Kind::Iterator { kind, variable, has_partial, list, body }
    }

    fn context(&mut self, node: Node<'a, 'a>) -> Kind {
        let mark = self.names.mark();
        let mut entries = Vec::new();
        let mut result = None;
        for entry in children_named(node, "contextEntry") {
            let variable = child(entry, "variable");
            let name = variable.and_then(|v| v.attribute("name")).map(normalized);
            let value = self.boxed_in(entry).unwrap_or_else(|| Boxed {
                kind: Kind::Missing,
                ty: None,
                position: self.position(entry),
            });
            match name.filter(|name| !name.is_empty()) {
                Some(name) => {
                    self.names.add(&name);
                    let ty = variable.and_then(|v| self.type_of(v));
                    entries.push(Entry { name, ty, value });
                }
                None => result = Some(Box::new(value)),
            }
        }
        self.names.reset(mark);
        Kind::Context { entries, result }
    }

    fn relation(&mut self, node: Node<'a, 'a>) -> Kind {
        let columns: Vec<_> = children_named(node, "column").collect();
        let columns: Vec<Column> = columns
            .into_iter()
            .map(|column| Column {
                name: normalized(column.attribute("name").unwrap_or_default()),
                ty: self.type_of(column),
            })
            .collect();
        let mut rows = Vec::new();
        for row in children_named(node, "row") {
            let cells: Vec<_> = children(row).filter(|c| is_boxed(c.tag_name().name())).collect();
            if cells.len() != columns.len() {
                let message = format!(
                    "a row with {} cells in a relation of {} columns",
                    cells.len(),
                    columns.len()
                );
                self.error(self.position(row), "row-length", message);
            }
            rows.push(cells.into_iter().map(|cell| self.boxed(cell)).collect());
        }
        Kind::Relation { columns, rows }
    }

    /// A function definition, or the encapsulated logic of a knowledge model.
    pub fn function(&mut self, node: Node<'a, 'a>) -> Function {
        let mark = self.names.mark();
        let (mut names, mut types) = (Vec::new(), Vec::new());
        for parameter in children_named(node, "formalParameter") {
            let name = normalized(parameter.attribute("name").unwrap_or_default());
            self.names.add(&name);
            names.push(name);
            types.push(self.type_of(parameter).unwrap_or(Type::Any));
        }
        let position = self.position(node);
        let body = match node.attribute("kind").unwrap_or("FEEL") {
            "FEEL" | "F" => match self.boxed_in(node) {
                Some(boxed) => Body::Feel(boxed),
                None => Body::Feel(Boxed { kind: Kind::Missing, ty: None, position }),
            },
            foreign => {
                let message = format!(
                    "functions of the kind {} are not supported; calls give null",
                    quoted(foreign)
                );
                self.warn(position, "foreign-function", message);
                Body::Foreign(foreign.into())
            }
        };
        self.names.reset(mark);
        Function { names, types, body, position }
    }

    fn invocation(&mut self, node: Node<'a, 'a>) -> Kind {
        let callee = match self.boxed_in(node) {
            Some(callee) => Box::new(callee),
            None => {
                let message = "an invocation of nothing".into();
                self.error(self.position(node), "part-missing", message);
                return Kind::Missing;
            }
        };
        let mut bindings = Vec::new();
        for binding in children_named(node, "binding") {
            let parameter = child(binding, "parameter");
            let name = normalized(parameter.and_then(|p| p.attribute("name")).unwrap_or_default());
            let ty = parameter.and_then(|p| self.type_of(p));
            let position = self.position(binding);
            let value =
                self.boxed_in(binding).unwrap_or(Boxed { kind: Kind::Missing, ty: None, position });
            bindings.push(Entry { name, ty, value });
        }
        Kind::Invocation { callee, bindings }
    }

    /// An expression in the language that `node`, or the file, names.
    pub fn formula(&mut self, node: Node<'a, 'a>, text: Written<'a>) -> Formula {
        let language = self.language(node);
        let places = self.header.source.places;
        let start = text.position_of(0, places);
        match Formula::parse(&text.text, language, self.mode, self.names, start) {
            Ok(formula) => {
                self.check_names(&formula.unknown_names(self.names), &text);
                formula
            }
            Err(error) => {
                let position = text.position_of(error.offset, places);
                self.malformed(position, "expression-malformed", error.message.clone());
                Formula::broken(&text.text, start, error.message)
            }
        }
    }

    /// An expression that cannot be read.
    fn malformed(&mut self, position: Position, code: &'static str, message: String) {
        let severity = if self.lenient { Severity::Warning } else { Severity::Error };
        self.report(severity, position, code, message);
    }

    /// Unary tests; nothing for `-` and an empty cell, which anything passes.
    pub fn tests(&mut self, node: Node<'a, 'a>, text: Written<'a>) -> Option<Tests> {
        if matches!(&*text.text, "" | "-") {
            return None;
        }
        let language = self.language(node);
        let places = self.header.source.places;
        let start = text.position_of(0, places);
        match Tests::parse(&text.text, language, self.mode, self.names, start) {
            Ok(tests) => {
                self.check_names(&tests.unknown_names(self.names), &text);
                Some(tests)
            }
            Err(error) => {
                let position = text.position_of(error.offset, places);
                self.malformed(position, "expression-malformed", error.message.clone());
                Some(Tests::broken(&text.text, start, error.message))
            }
        }
    }

    /// By the standard a decision sees what it requires and declares, and the rest is null.
    fn check_names(&mut self, unknown: &[(Arc<str>, usize)], text: &Written<'a>) {
        let sees_others = self.mode != Mode::Standard || self.in_filter > 0;
        if sees_others || self.names.has_dropped() {
            return;
        }
        for (name, offset) in unknown {
            let position = text.position_of(*offset, self.header.source.places);
            let name = quoted(name);
            let message = format!("{name} is neither required nor declared here, and so is null");
            self.warn(position, "name-unknown", message);
        }
    }

    /// A cell that goes on where the expression of its input ends.
    pub fn continuing_tests(&mut self, text: Written<'a>, input: Option<&Input>) -> Option<Tests> {
        if matches!(&*text.text, "" | "-") {
            return None;
        }
        let places = self.header.source.places;
        let start = text.position_of(0, places);
        let name = input.map_or("", |input| &input.variable);
        let ty = input.and_then(|input| input.ty.as_ref());
        let has_methods = !matches!(ty, Some(Type::Number | Type::Date));
        match Tests::continuing(&text.text, name, has_methods, start) {
            Ok(tests) => Some(tests),
            Err(error) => {
                let position = text.position_of(error.offset, places);
                self.malformed(position, "expression-malformed", error.message.clone());
                Some(Tests::broken(&text.text, start, error.message))
            }
        }
    }

    fn language(&mut self, node: Node<'a, 'a>) -> Language {
        if self.mode == Mode::Flowable {
            return Language::Uel;
        }
        let own = node.attribute("expressionLanguage").filter(|own| !own.is_empty());
        let named = own.or(self.header.language.filter(|of_file| !of_file.is_empty()));
        let Some(named) = named else { return Language::Feel };
        match Language::named(named) {
            Some(language) => language,
            // What a file says of itself in passing does not make its FEEL unreadable.
            None if own.is_none() => Language::Feel,
            None => {
                let message = format!("the expression language {} is not supported", quoted(named));
                self.malformed(self.position(node), "unsupported-language", message);
                Language::Unknown
            }
        }
    }
}

fn is_boxed(tag: &str) -> bool {
    matches!(
        tag,
        "literalExpression"
            | "decisionTable"
            | "context"
            | "relation"
            | "list"
            | "functionDefinition"
            | "invocation"
            | "conditional"
            | "filter"
            | "for"
            | "some"
            | "every"
    )
}
