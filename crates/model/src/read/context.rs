//! What every reading function needs: the dialect, places in the file, and where problems go.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

use orloj_types::ElementId;
use orloj_xml::{Places, Position, quoted};

use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::graph::Place;
use crate::hook::Hooks;
use crate::options::{Dialect, Options};
use crate::read::dialect::{BPMN, attribute_namespaces};

pub(crate) type Node<'a> = roxmltree::Node<'a, 'a>;

pub(crate) struct Context<'a> {
    pub dialect: Dialect,
    pub diagnostics: Diagnostics,
    /// Every id of the file, whatever has it.
    pub ids: BTreeSet<&'a str>,
    pub hooks: Hooks,
    pub has_connectors: bool,
    /// Ids of the file's web service operations, gathered when first asked for.
    pub operations: OnceCell<BTreeSet<&'a str>>,
    places: &'a Places<'a>,
}

/// The part of the model that is being read. Diagnostics name it.
#[derive(Clone)]
pub(crate) struct Subject<'a> {
    pub node: Node<'a>,
    pub id: Option<ElementId>,
}

impl<'a> Subject<'a> {
    /// The word of the BPMN schema.
    pub fn tag(&self) -> &'a str {
        self.node.tag_name().name()
    }

    /// `serviceTask "pay"`, for messages.
    pub fn title(&self) -> String {
        match &self.id {
            Some(id) => format!("{} {}", self.tag(), quoted(id)),
            None => format!("a {} without id", self.tag()),
        }
    }
}

/// Text of an attribute or an element, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Written<'a> {
    pub text: Cow<'a, str>,
    /// Byte offset of its first character.
    pub offset: usize,
    /// Whether the file has these very bytes there, without references that were resolved.
    is_verbatim: bool,
}

impl<'a> Written<'a> {
    /// Without the white space around it.
    pub fn trimmed(self) -> Self {
        let start = self.text.len() - self.text.trim_start().len();
        let text = match self.text {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
        };
        Self { text, offset: self.offset + start, ..self }
    }

    /// Text put together from several places of the file.
    pub fn made(text: String, offset: usize) -> Self {
        Self { text: Cow::Owned(text), offset, is_verbatim: false }
    }

    /// Byte offset of a place inside the text; the start where the file spells it differently.
    pub fn offset_of(&self, inside: usize) -> usize {
        if self.is_verbatim { self.offset + inside.min(self.text.len()) } else { self.offset }
    }
}

impl<'a> Context<'a> {
    pub fn new(dialect: Dialect, places: &'a Places<'a>, options: &Options) -> Self {
        Self {
            dialect,
            diagnostics: Diagnostics::default(),
            ids: BTreeSet::new(),
            hooks: Hooks::new(options),
            has_connectors: options.has_connectors,
            operations: OnceCell::new(),
            places,
        }
    }

    pub fn position(&self, node: Node<'_>) -> Position {
        self.places.position(node.range().start)
    }

    pub fn error(&mut self, subject: &Subject<'_>, code: &'static str, message: String) {
        self.report(Severity::Error, subject, subject.node.range().start, code, message);
    }

    pub fn error_at(
        &mut self,
        subject: &Subject<'_>,
        offset: usize,
        code: &'static str,
        message: String,
    ) {
        self.report(Severity::Error, subject, offset, code, message);
    }

    pub fn warn(&mut self, subject: &Subject<'_>, code: &'static str, message: String) {
        self.report(Severity::Warning, subject, subject.node.range().start, code, message);
    }

    pub fn warn_at(
        &mut self,
        subject: &Subject<'_>,
        offset: usize,
        code: &'static str,
        message: String,
    ) {
        self.report(Severity::Warning, subject, offset, code, message);
    }

    /// Whether an error was reported at that place already.
    pub fn has_error_at(&self, offset: usize) -> bool {
        self.diagnostics.has_error_at(self.places.position(offset))
    }

    fn report(
        &mut self,
        severity: Severity,
        subject: &Subject<'_>,
        offset: usize,
        code: &'static str,
        message: String,
    ) {
        let position = self.places.position(offset);
        let element = subject.id.clone();
        self.diagnostics.push(Diagnostic { severity, position, element, code, message });
    }

    /// An attribute of BPMN itself.
    pub fn attribute(&self, node: Node<'a>, name: &str) -> Option<Written<'a>> {
        if let Some(changed) = self.hooks.attribute(node, None, name) {
            return changed.map(|text| Written::made(text.to_owned(), node.range().start));
        }
        let found = node.attributes().find(|a| a.namespace().is_none() && a.name() == name)?;
        Some(self.written(Cow::Borrowed(found.value()), found.range_value()))
    }

    /// An attribute of the vendor whose dialect this is, or of one that it reads as well.
    pub fn extension_attribute(&self, node: Node<'a>, name: &str) -> Option<Written<'a>> {
        attribute_namespaces(self.dialect).iter().find_map(|&namespace| {
            if let Some(changed) = self.hooks.attribute(node, Some(namespace), name) {
                return changed.map(|text| Written::made(text.to_owned(), node.range().start));
            }
            let found = node.attribute_node((namespace, name))?;
            Some(self.written(Cow::Borrowed(found.value()), found.range_value()))
        })
    }

    /// An attribute of a vendor's own element: these are written without a prefix, and only
    /// Flowable reads those with one too.
    pub fn own_attribute(&self, node: Node<'a>, name: &str) -> Option<Written<'a>> {
        let plain = self.attribute(node, name);
        match self.dialect {
            Dialect::Flowable => plain.or_else(|| self.extension_attribute(node, name)),
            Dialect::Camunda7 | Dialect::Zeebe => plain,
        }
    }

    /// The text of an element without the white space around it.
    pub fn content(&self, node: Node<'a>) -> Written<'a> {
        match text_inside(node) {
            None => self.written(Cow::Borrowed(""), node.range()),
            Some((first, Cow::Owned(joined))) => {
                self.written(Cow::Owned(joined.trim().to_owned()), first.range())
            }
            Some((first, Cow::Borrowed(text))) => {
                let trimmed = text.trim_start();
                let start = first.range().start + (text.len() - trimmed.len());
                self.written(Cow::Borrowed(trimmed.trim_end()), start..first.range().end)
            }
        }
    }

    /// The text of an element with the white space around it.
    pub fn whole_content(&self, node: Node<'a>) -> Written<'a> {
        match text_inside(node) {
            None => self.written(Cow::Borrowed(""), node.range()),
            Some((first, text)) => self.written(text, first.range()),
        }
    }

    /// The text of an element that holds code: as [`Context::content`], and CDATA sections, which
    /// code is often written in, keep their place.
    pub fn code(&self, node: Node<'a>) -> Written<'a> {
        let written = self.content(node);
        if written.is_verbatim || written.text.is_empty() {
            return written;
        }
        let range = node.range();
        let inside = self.places.text().get(range.clone()).and_then(|raw| raw.find(&*written.text));
        match inside {
            Some(at) => Written { offset: range.start + at, is_verbatim: true, ..written },
            None => written,
        }
    }

    pub fn place(&self, written: &Written<'a>) -> Place {
        let start = self.places.position(written.offset);
        Place { start, is_verbatim: written.is_verbatim }
    }

    fn written(&self, text: Cow<'a, str>, range: Range<usize>) -> Written<'a> {
        let end = range.start.saturating_add(text.len());
        let is_verbatim = self.places.text().get(range.start..end) == Some(&*text);
        Written { text, offset: range.start, is_verbatim }
    }

    /// `true` as the dialect spells it.
    pub fn is_true(&self, text: &str) -> bool {
        match self.dialect {
            Dialect::Camunda7 | Dialect::Zeebe => text == "true",
            Dialect::Flowable => text.eq_ignore_ascii_case("true"),
        }
    }

    pub fn flag(&self, node: Node<'a>, name: &str) -> bool {
        self.extension_attribute(node, name).is_some_and(|value| self.is_true(&value.text))
    }

    /// A switch that is on unless the model turns it off.
    pub fn flag_or_true(&self, node: Node<'a>, name: &str) -> bool {
        match self.extension_attribute(node, name) {
            None => true,
            Some(value) => match self.dialect {
                Dialect::Camunda7 | Dialect::Zeebe => value.text == "true",
                Dialect::Flowable => !value.text.eq_ignore_ascii_case("false"),
            },
        }
    }
}

/// The text of an element, and where it begins. A comment inside splits it.
fn text_inside<'a>(node: Node<'a>) -> Option<(Node<'a>, Cow<'a, str>)> {
    let mut parts = node.children().filter(|child| child.is_text());
    let first = parts.next()?;
    let text = first.text().unwrap_or_default();
    let rest: String = parts.filter_map(|part| part.text()).collect();
    match rest.is_empty() {
        true => Some((first, Cow::Borrowed(text))),
        false => Some((first, Cow::Owned(format!("{text}{rest}")))),
    }
}

pub(crate) fn bpmn_children<'a>(node: Node<'a>) -> impl Iterator<Item = Node<'a>> {
    node.children().filter(|child| child.is_element() && is_bpmn(*child))
}

pub(crate) fn bpmn_child<'a>(node: Node<'a>, name: &str) -> Option<Node<'a>> {
    bpmn_children(node).find(|child| child.tag_name().name() == name)
}

pub(crate) fn is_bpmn(node: Node<'_>) -> bool {
    node.tag_name().namespace() == Some(BPMN)
}
