//! What the events of a file refer to: messages, signals, errors and escalations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use orloj_types::ElementId;
use orloj_xml::quoted;

use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_children};

/// Shared by all processes of a file.
#[derive(Clone, Default)]
pub(crate) struct Definitions<'a>(Arc<Tables<'a>>);

#[derive(Default)]
struct Tables<'a> {
    dialect: Dialect,
    messages: BTreeMap<String, Named<'a>>,
    signals: BTreeMap<String, Named<'a>>,
    errors: BTreeMap<String, Named<'a>>,
    escalations: BTreeMap<String, Named<'a>>,
}

/// A definition with what makes it known: a name, or the code of an error or escalation.
#[derive(Clone)]
pub(crate) struct Named<'a> {
    pub subject: Subject<'a>,
    pub word: Option<Written<'a>>,
}

impl<'a> Definitions<'a> {
    pub fn read(ctx: &mut Context<'a>, definitions: Node<'a>) -> Self {
        let mut tables = Tables { dialect: ctx.dialect, ..Tables::default() };
        let mut signal_names = BTreeSet::new();
        for node in bpmn_children(definitions) {
            let id = ctx.attribute(node, "id").filter(|id| !id.text.is_empty());
            let subject = Subject { node, id: id.as_ref().map(|id| ElementId::from(&*id.text)) };
            let tag = subject.tag();
            let (table, word) = match tag {
                "message" => (&mut tables.messages, "name"),
                "signal" => (&mut tables.signals, "name"),
                "error" => (&mut tables.errors, "errorCode"),
                "escalation" => (&mut tables.escalations, "escalationCode"),
                _ => continue,
            };
            let word = ctx.attribute(node, word);
            // Flowable passes over what nobody can refer to, and Camunda over such messages.
            let may_lack_id = match ctx.dialect {
                Dialect::Zeebe => false,
                Dialect::Camunda7 => tag == "message",
                Dialect::Flowable => tag != "signal",
            };
            if subject.id.is_none() && !may_lack_id {
                ctx.error(&subject, "id-missing", format!("a definition of a {tag} has no id"));
            }
            match tag {
                "signal" => check_signal(ctx, &subject, word.as_ref(), &mut signal_names),
                "error" => check_error(ctx, &subject, word.as_ref()),
                "message" => ctx.check_message(&subject),
                _ => {}
            }
            table.extend(id.map(|id| (id.text.into_owned(), Named { subject, word })));
        }
        let tables = Self(Arc::new(tables));
        if ctx.dialect == Dialect::Zeebe {
            for node in bpmn_children(definitions) {
                tables.check_event_definition(ctx, node);
            }
        }
        tables
    }

    /// Nothing refers to a definition of an event that stands by itself, but Zeebe looks at it.
    fn check_event_definition(&self, ctx: &mut Context<'a>, node: Node<'a>) {
        let subject = Subject { node, id: None };
        let is_known = |attribute: &str, found: &dyn Fn(&str) -> bool| {
            ctx.reference(node, attribute).is_some_and(|written| found(&written.text))
        };
        let is_fine = match subject.tag() {
            "timerEventDefinition" => {
                ctx.timer_kind(&subject, node);
                return;
            }
            "messageEventDefinition" => {
                is_known("messageRef", &|name| self.message(node, name).is_some())
            }
            "signalEventDefinition" => {
                is_known("signalRef", &|name| self.signal(node, name).is_some())
            }
            "linkEventDefinition" => ctx.reference(node, "name").is_some(),
            "cancelEventDefinition" | "conditionalEventDefinition" => false,
            _ => true,
        };
        if !is_fine {
            let message = format!("{} is incomplete or unknown here", subject.title());
            ctx.error(&subject, "event-definition-invalid", message);
        }
    }

    /// `from`: the element that refers.
    pub fn message(&self, from: Node<'a>, reference: &str) -> Option<&Named<'a>> {
        find(&self.0.messages, Prefixes::of(self.0.dialect, true), from, reference)
    }

    pub fn signal(&self, from: Node<'a>, reference: &str) -> Option<&Named<'a>> {
        let are_read = self.0.dialect == Dialect::Camunda7;
        find(&self.0.signals, Prefixes::of(self.0.dialect, are_read), from, reference)
    }

    pub fn error(&self, reference: &str) -> Option<&Named<'a>> {
        self.0.errors.get(self.bare(reference))
    }

    pub fn escalation(&self, reference: &str) -> Option<&Named<'a>> {
        self.0.escalations.get(self.bare(reference))
    }

    /// Camunda and Flowable take a prefix for a part of the id.
    fn bare<'r>(&self, reference: &'r str) -> &'r str {
        match self.0.dialect {
            Dialect::Zeebe => local_name(reference),
            Dialect::Camunda7 | Dialect::Flowable => reference,
        }
    }
}

/// What prefixes of references mean.
#[derive(Clone, Copy)]
enum Prefixes {
    /// Nothing: they are left out.
    Any,
    /// They must stand for the namespace of the file.
    Own,
    /// They are part of the id, which no id can be.
    None,
}

impl Prefixes {
    fn of(dialect: Dialect, are_read: bool) -> Self {
        match (dialect, are_read) {
            (Dialect::Zeebe, _) => Self::Any,
            (_, true) => Self::Own,
            (_, false) => Self::None,
        }
    }
}

fn find<'t, T>(
    table: &'t BTreeMap<String, T>,
    prefixes: Prefixes,
    from: Node<'_>,
    reference: &str,
) -> Option<&'t T> {
    let Some((prefix, local)) = reference.split_once(':') else { return table.get(reference) };
    let is_known = match prefixes {
        Prefixes::Any => true,
        Prefixes::None => false,
        Prefixes::Own => {
            let own = from.document().root_element().attribute("targetNamespace");
            from.lookup_namespace_uri(Some(prefix)) == own
        }
    };
    if is_known { table.get(local) } else { None }
}

/// References are qualified names; tools write them with and without a prefix.
pub(crate) fn local_name(reference: &str) -> &str {
    reference.rsplit_once(':').map_or(reference, |(_, local)| local)
}

fn check_signal<'a>(
    ctx: &mut Context<'a>,
    subject: &Subject<'a>,
    name: Option<&Written<'a>>,
    names: &mut BTreeSet<String>,
) {
    if ctx.dialect == Dialect::Zeebe {
        // Only signals that an event refers to must have a name there.
        return;
    }
    // Camunda takes an empty name.
    let name = name.filter(|name| ctx.dialect == Dialect::Camunda7 || !name.text.is_empty());
    let Some(name) = name else {
        let message = format!("{} has no name", subject.title());
        ctx.error(subject, "signal-name-missing", message);
        return;
    };
    if !names.insert(name.text.clone().into_owned()) {
        let message = format!("two signals have the name {}", quoted(&name.text));
        ctx.error_at(subject, name.offset, "signal-name-repeated", message);
    }
    if ctx.dialect == Dialect::Flowable {
        let scope = ctx.extension_attribute(subject.node, "scope");
        let unknown = scope.filter(|s| !matches!(&*s.text, "" | "global" | "processInstance"));
        if let Some(scope) = unknown {
            let message = format!(
                "the scope {} of {} is neither global nor processInstance",
                quoted(&scope.text),
                subject.title()
            );
            ctx.error_at(subject, scope.offset, "signal-scope-unknown", message);
        }
    }
}

fn check_error<'a>(ctx: &mut Context<'a>, subject: &Subject<'a>, code: Option<&Written<'a>>) {
    let is_empty = code.is_some_and(|code| code.text.is_empty());
    if is_empty && ctx.dialect == Dialect::Flowable {
        let message = format!("the errorCode of {} is empty", subject.title());
        ctx.error(subject, "error-code-empty", message);
    }
}
