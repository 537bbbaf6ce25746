//! Execution listeners of elements, flows and processes, and task listeners of user tasks.
//!
//! DIFFERENCE: Camunda refuses an event that it does not know, Flowable accepts it and never calls
//! the listener; so it is left out here, with a warning. On flows Camunda calls every listener
//! whatever its event, Flowable those of start, take and end, in this order.

use std::sync::Arc;

use orloj_xml::quoted;

use crate::graph::ListenerMoment::AtOnce;
use crate::graph::{Code, Listener, ListenerEvent, ListenerMoment, Timeout};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_child, bpmn_children};
use crate::read::event::Spot;
use crate::read::expression::{bean_name, failing};
use crate::read::extension::{extension_elements, is_read_by};

impl<'a> Context<'a> {
    /// All listeners of an element, a flow or a process, in document order.
    pub fn listeners(&mut self, subject: &Subject<'a>) -> Vec<Listener> {
        match self.dialect {
            Dialect::Zeebe => self.zeebe_listeners(subject),
            Dialect::Camunda7 | Dialect::Flowable => self.code_listeners(subject),
        }
    }

    fn code_listeners(&mut self, subject: &Subject<'a>) -> Vec<Listener> {
        let dialect = self.dialect;
        let nodes: Vec<_> =
            extension_elements(subject.node).filter(|node| is_read_by(dialect, *node)).collect();
        let mut listeners = Vec::new();
        for node in nodes {
            let event = match node.tag_name().name() {
                "executionListener" => self.execution_event(subject, node),
                "taskListener" if subject.tag() == "userTask" => self.task_event(subject, node),
                _ => continue,
            };
            // Looked at before the event is judged, so that all problems are named.
            let listener = self.code_listener(subject, node);
            if let (Some(event), Some(listener)) = (event, listener) {
                listeners.push((event, listener));
            }
        }
        let mut listeners: Vec<_> = listeners
            .into_iter()
            .map(|((event, rank), listener)| (rank, Listener { event, ..listener }))
            .collect();
        // Only on Flowable's flows are there ranks.
        listeners.sort_by_key(|&(rank, _)| rank);
        listeners.into_iter().map(|(_, listener)| listener).collect()
    }

    /// The event with its rank among those of the same moment.
    fn execution_event(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
    ) -> Option<(ListenerEvent, u8)> {
        let is_flow = subject.tag() == "sequenceFlow";
        let written = self.own_attribute(node, "event").filter(|event| !event.text.is_empty());
        let event = written.as_ref().map(|event| &*event.text);
        match (self.dialect, is_flow, event) {
            (Dialect::Camunda7, true, _) => Some((ListenerEvent::Take, 0)),
            (_, true, Some("start")) => Some((ListenerEvent::Take, 0)),
            (_, true, None | Some("take")) => Some((ListenerEvent::Take, 1)),
            (_, true, Some("end")) => Some((ListenerEvent::Take, 2)),
            (_, false, Some("start")) => Some((ListenerEvent::Start, 0)),
            (_, false, Some("end")) => Some((ListenerEvent::End, 0)),
            _ => self.no_such_event(subject, node, written.as_ref()),
        }
    }

    fn task_event(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<(ListenerEvent, u8)> {
        let written = self.own_attribute(node, "event").filter(|event| !event.text.is_empty());
        let is_camunda = self.dialect == Dialect::Camunda7;
        let event = match written.as_ref().map(|event| &*event.text) {
            Some("create") => ListenerEvent::TaskCreate,
            Some("assignment") => ListenerEvent::TaskAssign,
            Some("complete") => ListenerEvent::TaskComplete,
            Some("delete") => ListenerEvent::TaskDelete,
            Some("update") if is_camunda => ListenerEvent::TaskUpdate,
            Some("timeout") if is_camunda => ListenerEvent::TaskTimeout,
            Some("all") if !is_camunda => ListenerEvent::TaskAll,
            // Flowable asks whether the attribute is there.
            None if !is_camunda && self.own_attribute(node, "event").is_some() => {
                return self.no_such_event(subject, node, None);
            }
            None => {
                let message = format!("a taskListener of {} has no event", subject.title());
                self.error_at(subject, node.range().start, "listener-event-unknown", message);
                return None;
            }
            Some(_) => return self.no_such_event(subject, node, written.as_ref()),
        };
        Some((event, 0))
    }

    pub fn no_such_event<T>(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
        written: Option<&Written<'a>>,
    ) -> Option<T> {
        let name = node.tag_name().name();
        let event = written.map_or("".into(), |written| written.text.clone());
        let offset = node.range().start;
        const CODE: &str = "listener-event-unknown";
        let title = subject.title();
        match self.dialect {
            Dialect::Flowable => {
                let message = format!("a {name} of {title} for {} is never called", quoted(&event));
                self.warn_at(subject, offset, CODE, message);
            }
            Dialect::Camunda7 | Dialect::Zeebe => {
                let message =
                    format!("a {name} of {title} has the unknown event {}", quoted(&event));
                self.error_at(subject, offset, CODE, message);
            }
        }
        None
    }

    /// The listener without its event.
    fn code_listener(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Listener> {
        let (code, result_variable) = match self.dialect {
            Dialect::Flowable => self.flowable_code(subject, node)?,
            Dialect::Camunda7 | Dialect::Zeebe => (self.camunda_code(subject, node)?, None),
        };
        let fields = self.listener_fields(subject, node)?;
        let (code, moment) = match (code, self.transaction_moment(node)) {
            // An expression is for the moment itself: it fails as if it were no code at all.
            (Code::Expression(_), Some(_)) => (self.uncallable(subject, node), Some(AtOnce)),
            (code, _) => (code, self.listener_moment(subject, node)),
        };
        let moment = moment?;
        let timeout = self.timeout(subject, node)?;
        let event = ListenerEvent::Start;
        Some(Listener { event, code, fields, result_variable, timeout, moment })
    }

    /// The moment of a transaction that a listener of Flowable waits for.
    fn transaction_moment(&self, node: Node<'a>) -> Option<Written<'a>> {
        let is_flowable = self.dialect == Dialect::Flowable;
        let written = self.own_attribute(node, "onTransaction");
        written.filter(|found| is_flowable && !found.text.is_empty())
    }

    /// Code that fails when it is called.
    fn uncallable(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Code {
        let name = node.tag_name().name();
        let message =
            format!("a {name} of {} will fail: its code cannot be called", subject.title());
        let code = Code::Expression(failing(&message));
        self.warn_at(subject, node.range().start, "listener-code-missing", message);
        code
    }

    /// What a listener has to do with the end of the transaction. `None`: it is never called, as
    /// nothing is left of a command that is undone.
    fn listener_moment(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<ListenerMoment> {
        let Some(written) = self.transaction_moment(node) else { return Some(AtOnce) };
        match &*written.text {
            "before-commit" => Some(ListenerMoment::BeforeCommit),
            "committed" => Some(ListenerMoment::Committed),
            other => {
                let message = format!(
                    "a listener of {} for the moment {} of the transaction is never called",
                    subject.title(),
                    quoted(other)
                );
                self.warn_at(subject, written.offset, "ignored-listener", message);
                None
            }
        }
    }

    fn camunda_code(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Code> {
        if let Some(class) = self.attribute(node, "class") {
            // A task listener may have an empty class, which fails when it is called.
            if class.text.is_empty() && node.tag_name().name() == "executionListener" {
                let message = format!("the class of a listener of {} is empty", subject.title());
                self.error_at(subject, class.offset, "listener-code-missing", message);
                return None;
            }
            return Some(Code::Delegate(class.text.trim().into()));
        }
        if let Some(expression) = self.attribute(node, "expression") {
            return self.value(subject, &expression).map(Code::Expression);
        }
        if let Some(delegate) = self.attribute(node, "delegateExpression") {
            if delegate.text.is_empty() && node.tag_name().name() == "executionListener" {
                let message =
                    format!("the delegateExpression of a listener of {} is empty", subject.title());
                self.error_at(subject, delegate.offset, "listener-code-missing", message);
                return None;
            }
            return self.delegate_code(subject, &delegate);
        }
        let script = node.children().find(|child| {
            is_read_by(Dialect::Camunda7, *child) && child.tag_name().name() == "script"
        });
        match script {
            Some(script) => self.script_element(subject, script).map(Code::Script),
            None => self.no_code(subject, node),
        }
    }

    fn flowable_code(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
    ) -> Option<(Code, Option<Arc<str>>)> {
        let given = |ctx: &Self, name: &str| {
            ctx.own_attribute(node, name).filter(|found| !found.text.is_empty())
        };
        if let Some(class) = given(self, "class") {
            return Some((Code::Delegate(class.text.trim().into()), None));
        }
        if let Some(expression) = given(self, "expression") {
            return Some((Code::Expression(self.tolerated_value(subject, &expression)), None));
        }
        if let Some(delegate) = given(self, "delegateExpression") {
            return Some((self.delegate_code(subject, &delegate)?, None));
        }
        let is_script = given(self, "type").is_some_and(|kind| kind.text == "script");
        let script = node.children().find(|child| child.tag_name().name() == "script");
        let Some(script) = script.filter(|_| is_script) else {
            return self.no_code(subject, node);
        };
        let language = self.own_attribute(script, "language").filter(|l| !l.text.is_empty());
        let language = language.map_or("".into(), |language| language.text);
        let code = self.code(script);
        if code.text.trim().is_empty() {
            return Some((self.uncallable(subject, node), None));
        }
        let variable = self.own_attribute(script, "resultVariable");
        let variable = variable.filter(|v| !v.text.is_empty()).map(|v| (*v.text).into());
        Some((Code::Script(self.inline_script(subject, &language, &code, false)), variable))
    }

    fn delegate_code(&mut self, subject: &Subject<'a>, written: &Written<'a>) -> Option<Code> {
        match bean_name(&written.text) {
            Some(bean) => Some(Code::Delegate(bean.into())),
            None => self.late_value(subject, written).map(Code::ComputedDelegate),
        }
    }

    fn no_code<T>(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<T> {
        let name = node.tag_name().name();
        let message = format!(
            "a {name} of {} has none of class, expression, delegateExpression and script",
            subject.title()
        );
        self.error_at(subject, node.range().start, "listener-code-missing", message);
        None
    }

    /// The timer of a listener. Outer `None`: it is refused.
    fn timeout(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Option<Timeout>> {
        let is_timeout = self.dialect == Dialect::Camunda7
            && node.tag_name().name() == "taskListener"
            && self.attribute(node, "event").is_some_and(|event| event.text == "timeout");
        if !is_timeout {
            return Some(None);
        }
        let id = self.attribute(node, "id").filter(|id| !id.text.is_empty());
        let definition = bpmn_child(node, "timerEventDefinition");
        for (is_given, missing) in
            [(id.is_some(), "id"), (definition.is_some(), "timerEventDefinition")]
        {
            if !is_given {
                let message = format!("a timeout listener of {} has no {missing}", subject.title());
                self.error_at(subject, node.range().start, "listener-timeout-incomplete", message);
            }
        }
        let mut definitions =
            bpmn_children(node).filter(|child| child.tag_name().name() == "timerEventDefinition");
        if let Some(second) = definitions.nth(1) {
            let message = format!("a timeout listener of {} has several timers", subject.title());
            self.error_at(subject, second.range().start, "listener-timeout-incomplete", message);
            return None;
        }
        let timer = self.timer(subject, definition?, Spot::Boundary, false)?;
        Some(Some(Timeout { id: (*id?.text).into(), timer }))
    }
}
