//! From a sketch to BPMN, with the extensions of its dialect.

use std::fmt::Write;

use orloj_model::Dialect;

use super::{Async, Flow, ListenerEvent, Node, NodeKind, Settings, Sketch, Trigger};
use crate::duration;

pub(super) fn write(sketch: &Sketch) -> String {
    let mut out = Out { text: String::new(), dialect: sketch.dialect };
    out.line(r#"<?xml version="1.0" encoding="UTF-8"?>"#);
    out.line(&format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="sketch" {}>"#,
        match sketch.dialect {
            Dialect::Zeebe => r#"xmlns:zeebe="http://camunda.org/schema/zeebe/1.0""#,
            Dialect::Camunda7 => r#"xmlns:camunda="http://camunda.org/schema/1.0/bpmn""#,
            Dialect::Flowable => r#"xmlns:flowable="http://flowable.org/bpmn""#,
        }
    ));
    let priority = match (&sketch.priority, sketch.dialect) {
        (Some(priority), Dialect::Camunda7) => {
            format!(r#" camunda:jobPriority="{}""#, escape(priority))
        }
        _ => String::new(),
    };
    let id = escape(&sketch.id);
    out.line(&format!(r#"  <process id="{id}" isExecutable="true"{priority}>"#));
    out.scope(sketch, None);
    out.line("  </process>");
    for node in &sketch.nodes {
        if let NodeKind::OnError { code: Some(code), .. } = &node.kind {
            let (id, code) = (escape(&node.id), escape(code));
            out.line(&format!(r#"  <error id="error_of_{id}" errorCode="{code}"/>"#));
        }
        out.global(node);
    }
    out.line("</definitions>");
    out.text
}

struct Out {
    text: String,
    dialect: Dialect,
}

impl Out {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// What lies in a subprocess, or in the process itself.
    fn scope(&mut self, sketch: &Sketch, parent: Option<&str>) {
        let is_inside = |node: &&Node| node.parent.as_deref() == parent;
        for node in sketch.nodes.iter().filter(is_inside) {
            self.node(sketch, node);
        }
        for (number, flow) in sketch.flows.iter().enumerate() {
            let from = sketch.nodes.iter().find(|node| node.id == flow.from);
            let Some(from) = from.filter(is_inside) else { continue };
            if matches!(from.kind, NodeKind::On { trigger: Trigger::Compensation, .. }) {
                let (from, to) = (escape(&flow.from), escape(&flow.to));
                self.line(&format!(
                    r#"    <association id="f{number}" sourceRef="{from}" targetRef="{to}" associationDirection="One"/>"#
                ));
                continue;
            }
            self.flow(number, flow);
        }
    }

    /// What an event refers to.
    fn global(&mut self, node: &Node) {
        let id = escape(&node.id);
        let (name, is_start) = match &node.kind {
            NodeKind::Receive { message } => (message, false),
            NodeKind::StartOn(Trigger::Message(name)) => (name, true),
            NodeKind::CatchOn(Trigger::Message(name))
            | NodeKind::On { trigger: Trigger::Message(name), .. } => (name, false),
            NodeKind::StartOn(Trigger::Signal(name))
            | NodeKind::CatchOn(Trigger::Signal(name))
            | NodeKind::ThrowOn(Trigger::Signal(name))
            | NodeKind::EndOn(Trigger::Signal(name))
            | NodeKind::On { trigger: Trigger::Signal(name), .. } => {
                let name = escape(name);
                return self.line(&format!(r#"  <signal id="signal_of_{id}" name="{name}"/>"#));
            }
            NodeKind::StartOn(Trigger::Escalation(Some(code)))
            | NodeKind::ThrowOn(Trigger::Escalation(Some(code)))
            | NodeKind::EndOn(Trigger::Escalation(Some(code)))
            | NodeKind::On { trigger: Trigger::Escalation(Some(code)), .. } => {
                let code = escape(code);
                return self.line(&format!(
                    r#"  <escalation id="escalation_of_{id}" escalationCode="{code}"/>"#
                ));
            }
            NodeKind::StartOn(Trigger::Error(code)) | NodeKind::EndOn(Trigger::Error(code)) => {
                let code = escape(code);
                return self.line(&format!(r#"  <error id="error_of_{id}" errorCode="{code}"/>"#));
            }
            _ => return,
        };
        let name = escape(name);
        let key = node.settings.key.as_ref().filter(|_| self.dialect == Dialect::Zeebe);
        match (key, is_start && node.parent.is_none()) {
            (Some(key), false) => {
                let key = escape(key);
                self.line(&format!(
                    r#"  <message id="message_of_{id}" name="{name}"><extensionElements><zeebe:subscription correlationKey="={key}"/></extensionElements></message>"#
                ));
            }
            _ => self.line(&format!(r#"  <message id="message_of_{id}" name="{name}"/>"#)),
        }
    }

    fn event(&self, node: &Node, trigger: &Trigger) -> String {
        let id = escape(&node.id);
        match trigger {
            Trigger::Message(_) => {
                format!(r#"<messageEventDefinition messageRef="message_of_{id}"/>"#)
            }
            Trigger::Signal(_) => {
                let how = match node.settings.asynchronously {
                    true => format!(r#" {}:async="true""#, self.prefix()),
                    false => String::new(),
                };
                format!(r#"<signalEventDefinition signalRef="signal_of_{id}"{how}/>"#)
            }
            Trigger::Error(_) => format!(r#"<errorEventDefinition errorRef="error_of_{id}"/>"#),
            Trigger::Escalation(Some(_)) => {
                format!(r#"<escalationEventDefinition escalationRef="escalation_of_{id}"/>"#)
            }
            Trigger::Escalation(None) => "<escalationEventDefinition/>".to_owned(),
            Trigger::Condition(condition) => {
                let condition = escape(&self.expression(condition));
                format!(
                    "<conditionalEventDefinition><condition>{condition}</condition></conditionalEventDefinition>"
                )
            }
            Trigger::Link(name) => {
                format!(r#"<linkEventDefinition id="link_of_{id}" name="{}"/>"#, escape(name))
            }
            Trigger::Cancel => "<cancelEventDefinition/>".to_owned(),
            Trigger::Compensation => format!(r#"<compensateEventDefinition id="what_of_{id}"/>"#),
            Trigger::Terminate => "<terminateEventDefinition/>".to_owned(),
            Trigger::Timer(timer) => {
                let (tag, text) = self.timer(timer);
                let text = escape(&text);
                format!("<timerEventDefinition><{tag}>{text}</{tag}></timerEventDefinition>")
            }
        }
    }

    fn each(&self, settings: &Settings) -> String {
        let Some((items, item)) = &settings.each else { return String::new() };
        let (items, item) = (escape(items), escape(item));
        let prefix = self.prefix();
        let sequential = settings.one_by_one;
        match self.dialect {
            Dialect::Zeebe => format!(
                r#"<multiInstanceLoopCharacteristics isSequential="{sequential}"><extensionElements><zeebe:loopCharacteristics inputCollection="={items}" inputElement="{item}"/></extensionElements></multiInstanceLoopCharacteristics>"#
            ),
            Dialect::Camunda7 | Dialect::Flowable => {
                let (mut jobs, mut inside) = (String::new(), String::new());
                if settings.inner_async_before {
                    let _ = write!(jobs, r#" {prefix}:asyncBefore="true""#);
                }
                if settings.inner_async_after {
                    let _ = write!(jobs, r#" {prefix}:asyncAfter="true""#);
                }
                if let Some(cycle) = &settings.inner_retry {
                    let (tag, cycle) = (format!("{prefix}:failedJobRetryTimeCycle"), escape(cycle));
                    let _ = write!(
                        inside,
                        "<extensionElements><{tag}>{cycle}</{tag}></extensionElements>"
                    );
                }
                format!(
                    r#"<multiInstanceLoopCharacteristics isSequential="{sequential}"{jobs} {prefix}:collection="{items}" {prefix}:elementVariable="{item}">{inside}</multiInstanceLoopCharacteristics>"#
                )
            }
        }
    }

    fn node(&mut self, sketch: &Sketch, node: &Node) {
        let (tag, own) = self.tag(node);
        let mut attributes = format!(r#"id="{}"{own}"#, escape(&node.id));
        let undoes = sketch.flows.iter().filter(|flow| flow.to == node.id).any(|flow| {
            let from = sketch.nodes.iter().find(|from| from.id == flow.from);
            let kind = from.map(|from| &from.kind);
            matches!(kind, Some(NodeKind::On { trigger: Trigger::Compensation, .. }))
        });
        if undoes {
            attributes.push_str(r#" isForCompensation="true""#);
        }
        attributes.push_str(&self.job_attributes(node));
        if let Some(number) = default_flow(sketch, &node.id) {
            let _ = write!(attributes, r#" default="f{number}""#);
        }
        let extensions = self.extensions(node);
        let definition = match node.kind {
            // Zeebe counts those that are listed.
            NodeKind::Race => listed_flows(sketch, &node.id),
            _ => self.definition(node) + &self.each(&node.settings),
        };
        if let NodeKind::SubProcess { .. } | NodeKind::AdHoc = node.kind {
            self.line(&format!("    <{tag} {attributes}>"));
            if !extensions.is_empty() {
                self.line(&format!("      <extensionElements>{extensions}</extensionElements>"));
            }
            if !definition.is_empty() {
                self.line(&format!("      {definition}"));
            }
            self.scope(sketch, Some(&node.id));
            if let Some(until) = &node.settings.until {
                let until = escape(&self.expression(until));
                self.line(&format!("      <completionCondition>{until}</completionCondition>"));
            }
            return self.line(&format!("    </{tag}>"));
        }
        if extensions.is_empty() && definition.is_empty() {
            return self.line(&format!("    <{tag} {attributes}/>"));
        }
        self.line(&format!("    <{tag} {attributes}>"));
        if !extensions.is_empty() {
            self.line(&format!("      <extensionElements>{extensions}</extensionElements>"));
        }
        if !definition.is_empty() {
            self.line(&format!("      {definition}"));
        }
        self.line(&format!("    </{tag}>"));
    }

    fn tag(&self, node: &Node) -> (&'static str, String) {
        let prefix = self.prefix();
        match &node.kind {
            NodeKind::Start => ("startEvent", String::new()),
            NodeKind::End => ("endEvent", String::new()),
            NodeKind::StartOn(_) => {
                let alongside = node.settings.alongside;
                let own = if alongside { r#" isInterrupting="false""# } else { "" };
                ("startEvent", own.to_owned())
            }
            NodeKind::CatchOn(_) => ("intermediateCatchEvent", String::new()),
            NodeKind::ThrowOn(_) => ("intermediateThrowEvent", String::new()),
            NodeKind::EndOn(_) => ("endEvent", String::new()),
            NodeKind::On { of, trigger, interrupting } => {
                let of = escape(of);
                let interrupts = match trigger {
                    Trigger::Compensation | Trigger::Cancel => String::new(),
                    _ => format!(r#" cancelActivity="{interrupting}""#),
                };
                ("boundaryEvent", format!(r#" attachedToRef="{of}"{interrupts}"#))
            }
            NodeKind::Receive { .. } => {
                ("receiveTask", format!(r#" messageRef="message_of_{}""#, escape(&node.id)))
            }
            NodeKind::Call { process } => match self.dialect {
                Dialect::Zeebe => ("callActivity", String::new()),
                _ => ("callActivity", format!(r#" calledElement="{}""#, escape(process))),
            },
            NodeKind::SubProcess { is_event } => {
                let own = if *is_event { r#" triggeredByEvent="true""# } else { "" };
                let tag = if node.settings.transactional { "transaction" } else { "subProcess" };
                (tag, own.to_owned())
            }
            NodeKind::User => {
                let assignee = node.settings.assignee.as_ref();
                let assignee = assignee.filter(|_| self.dialect != Dialect::Zeebe);
                let written =
                    assignee.map(|name| format!(r#" {prefix}:assignee="{}""#, escape(name)));
                ("userTask", written.unwrap_or_default())
            }
            NodeKind::AdHoc => ("adHocSubProcess", String::new()),
            NodeKind::Exclusive => ("exclusiveGateway", String::new()),
            NodeKind::Inclusive => ("inclusiveGateway", String::new()),
            NodeKind::Race => ("eventBasedGateway", String::new()),
            NodeKind::Parallel => ("parallelGateway", String::new()),
            NodeKind::Catch { .. } => ("intermediateCatchEvent", String::new()),
            NodeKind::OnTimer { of, interrupting, .. } => {
                let of = escape(of);
                (
                    "boundaryEvent",
                    format!(r#" attachedToRef="{of}" cancelActivity="{interrupting}""#),
                )
            }
            NodeKind::OnError { of, .. } => {
                ("boundaryEvent", format!(r#" attachedToRef="{}""#, escape(of)))
            }
            NodeKind::Script { language, .. } => ("scriptTask", self.script(node, language)),
            NodeKind::Decision { id } => self.decision(node, id),
            NodeKind::Delegate { name } => {
                ("serviceTask", format!(r#" {prefix}:class="{}""#, escape(name)))
            }
            NodeKind::Expression { text } => {
                let mut own = format!(r#" {prefix}:expression="{}""#, escape(text));
                if let Some(result) = &node.settings.result {
                    let _ = write!(own, r#" {prefix}:resultVariable="{}""#, escape(result));
                }
                ("serviceTask", own)
            }
            NodeKind::Builtin { kind } => {
                ("serviceTask", format!(r#" {prefix}:type="{}""#, escape(kind)))
            }
            NodeKind::Worker { job_type } => {
                let topic = escape(job_type);
                let own = match self.dialect {
                    Dialect::Zeebe => String::new(),
                    Dialect::Camunda7 => {
                        format!(r#" camunda:type="external" camunda:topic="{topic}""#)
                    }
                    Dialect::Flowable => {
                        let withheld = match node.settings.withholds {
                            true => r#" flowable:doNotIncludeVariables="true""#,
                            false => "",
                        };
                        format!(
                            r#" flowable:type="external-worker" flowable:topic="{topic}"{withheld}"#
                        )
                    }
                };
                ("serviceTask", own)
            }
        }
    }

    fn script(&self, node: &Node, language: &str) -> String {
        if self.dialect == Dialect::Zeebe {
            return String::new();
        }
        let prefix = self.prefix();
        let mut out = format!(r#" scriptFormat="{}""#, escape(language));
        if let Some(result) = &node.settings.result {
            let _ = write!(out, r#" {prefix}:resultVariable="{}""#, escape(result));
        }
        if node.settings.stores {
            let _ = write!(out, r#" {prefix}:autoStoreVariables="true""#);
        }
        if node.settings.withholds {
            let _ = write!(out, r#" {prefix}:doNotIncludeVariables="true""#);
        }
        out
    }

    fn decision(&self, node: &Node, id: &str) -> (&'static str, String) {
        let Settings { result, shape, bound, .. } = &node.settings;
        match self.dialect {
            Dialect::Zeebe => ("businessRuleTask", String::new()),
            Dialect::Flowable => ("serviceTask", r#" flowable:type="dmn""#.to_owned()),
            Dialect::Camunda7 => {
                let mut out = format!(r#" camunda:decisionRef="{}""#, escape(id));
                for (name, value) in [("resultVariable", result), ("mapDecisionResult", shape)] {
                    if let Some(value) = value {
                        let _ = write!(out, r#" camunda:{name}="{}""#, escape(value));
                    }
                }
                if let Some(bound) = bound {
                    let (how, value) = bound.split_once(' ').unwrap_or((bound, ""));
                    let (how, name) = match how {
                        "tag" => ("versionTag", "decisionRefVersionTag"),
                        how => (how, "decisionRefVersion"),
                    };
                    let _ = write!(out, r#" camunda:decisionRefBinding="{how}""#);
                    if !value.is_empty() {
                        let _ = write!(out, r#" camunda:{name}="{}""#, escape(value));
                    }
                }
                ("businessRuleTask", out)
            }
        }
    }

    fn zeebe_decision(settings: &Settings, id: &str) -> String {
        let result = escape(settings.result.as_deref().unwrap_or("result"));
        let mut out = format!(r#"<zeebe:calledDecision decisionId="{}""#, escape(id));
        let _ = write!(out, r#" resultVariable="{result}""#);
        if let Some(bound) = &settings.bound {
            match bound.split_once(' ') {
                Some((_, tag)) => {
                    let tag = escape(tag);
                    let _ = write!(out, r#" bindingType="versionTag" versionTag="{tag}""#);
                }
                None => {
                    let _ = write!(out, r#" bindingType="{bound}""#);
                }
            }
        }
        out + "/>"
    }

    fn job_attributes(&self, node: &Node) -> String {
        let Settings { async_before, async_after, nonexclusive, priority, .. } = &node.settings;
        let (prefix, is_flowable) = (self.prefix(), self.dialect == Dialect::Flowable);
        let mut out = String::new();
        let (before, after) = match is_flowable {
            true => ("async", "asyncLeave"),
            false => ("asyncBefore", "asyncAfter"),
        };
        let is_shared = |point: &Option<Async>| point.is_some_and(|point| !point.exclusive);
        if async_before.is_some() {
            let _ = write!(out, r#" {prefix}:{before}="true""#);
        }
        if async_after.is_some() {
            let _ = write!(out, r#" {prefix}:{after}="true""#);
        }
        if is_flowable && is_shared(async_after) {
            out.push_str(r#" flowable:asyncLeaveExclusive="false""#);
        }
        let after_counts = !is_flowable && is_shared(async_after);
        if *nonexclusive || is_shared(async_before) || after_counts {
            let _ = write!(out, r#" {prefix}:exclusive="false""#);
        }
        if let (Some(priority), Dialect::Camunda7) = (priority, self.dialect) {
            let name = match node.kind {
                NodeKind::Worker { .. } => "taskPriority",
                _ => "jobPriority",
            };
            let _ = write!(out, r#" camunda:{name}="{}""#, escape(priority));
        }
        out
    }

    fn extensions(&self, node: &Node) -> String {
        let settings = &node.settings;
        let mut out = String::new();
        if self.dialect != Dialect::Zeebe {
            out.push_str(&self.listeners(settings));
            if let Some(retry) = &settings.retry {
                let (prefix, retry) = (self.prefix(), escape(retry));
                let tag = format!("{prefix}:failedJobRetryTimeCycle");
                let _ = write!(out, "<{tag}>{retry}</{tag}>");
            }
            if let (Some(category), Dialect::Flowable) = (&settings.category, self.dialect) {
                let category = escape(category);
                let _ = write!(out, "<flowable:jobCategory>{category}</flowable:jobCategory>");
            }
            if let NodeKind::Builtin { .. } = node.kind {
                let prefix = self.prefix();
                for (name, value) in &settings.headers {
                    let how = if value.contains("${") { "expression" } else { "stringValue" };
                    let (name, value) = (escape(name), escape(value));
                    let _ = write!(out, r#"<{prefix}:field name="{name}" {how}="{value}"/>"#);
                }
            }
            let parameters = match (&node.kind, self.dialect) {
                (NodeKind::Call { .. }, _) => Some(["in", "out"]),
                (NodeKind::Worker { .. }, Dialect::Flowable) => {
                    Some(["externalWorkerInParameter", "externalWorkerOutParameter"])
                }
                (NodeKind::Script { .. }, Dialect::Flowable) => Some(["in", "out"]),
                _ => None,
            };
            if let Some([into, out_of]) = parameters {
                let prefix = self.prefix();
                for (tag, pairs) in [(into, &settings.inputs), (out_of, &settings.outputs)] {
                    for (target, source) in pairs {
                        let (target, source) = (escape(target), escape(source));
                        let _ = write!(
                            out,
                            r#"<{prefix}:{tag} sourceExpression="${{{source}}}" target="{target}"/>"#
                        );
                    }
                }
            }
            if let (NodeKind::Decision { id }, Dialect::Flowable) = (&node.kind, self.dialect) {
                let id = escape(id);
                let _ = write!(
                    out,
                    r#"<flowable:field name="decisionTableReferenceKey" stringValue="{id}"/>"#
                );
            }
            return out;
        }
        out.push_str(&Self::zeebe_listeners(settings));
        match &node.kind {
            NodeKind::AdHoc => {
                if let Some(active) = &settings.active {
                    let active = escape(active);
                    let _ = write!(out, r#"<zeebe:adHoc activeElementsCollection="={active}"/>"#);
                }
            }
            NodeKind::Worker { job_type } => {
                let _ = write!(out, r#"<zeebe:taskDefinition type="{}""#, escape(job_type));
                if let Some(retries) = &settings.retries {
                    let _ = write!(out, r#" retries="{}""#, escape(retries));
                }
                out.push_str("/>");
            }
            NodeKind::Script { source, .. } => {
                let (source, result) = (escape(source), settings.result.as_deref());
                let result = escape(result.unwrap_or("result"));
                let _ = write!(
                    out,
                    r#"<zeebe:script expression="={source}" resultVariable="{result}"/>"#
                );
            }
            NodeKind::Decision { id } => out.push_str(&Self::zeebe_decision(settings, id)),
            NodeKind::Call { process } => {
                let process = escape(process);
                let _ = write!(
                    out,
                    r#"<zeebe:calledElement processId="{process}" propagateAllChildVariables="false" propagateAllParentVariables="false"/>"#
                );
            }
            NodeKind::User => {
                out.push_str("<zeebe:userTask/>");
                if let Some(assignee) = &settings.assignee {
                    let assignee = escape(assignee);
                    let _ = write!(out, r#"<zeebe:assignmentDefinition assignee="{assignee}"/>"#);
                }
            }
            _ => {}
        }
        if let Some(priority) = &settings.priority {
            let priority = escape(priority);
            let _ = write!(out, r#"<zeebe:jobPriorityDefinition priority="{priority}"/>"#);
        }
        if !settings.headers.is_empty() {
            out.push_str("<zeebe:taskHeaders>");
            for (key, value) in &settings.headers {
                let (key, value) = (escape(key), escape(value));
                let _ = write!(out, r#"<zeebe:header key="{key}" value="{value}"/>"#);
            }
            out.push_str("</zeebe:taskHeaders>");
        }
        if !settings.inputs.is_empty() || !settings.outputs.is_empty() {
            out.push_str("<zeebe:ioMapping>");
            for (name, mappings) in [("input", &settings.inputs), ("output", &settings.outputs)] {
                for (target, source) in mappings {
                    let (target, source) = (escape(target), escape(source));
                    let _ = write!(out, r#"<zeebe:{name} source="={source}" target="{target}"/>"#);
                }
            }
            out.push_str("</zeebe:ioMapping>");
        }
        out
    }

    fn listeners(&self, settings: &Settings) -> String {
        let prefix = self.prefix();
        let mut out = String::new();
        for (event, class) in &settings.listeners {
            let (tag, event) = match event {
                ListenerEvent::Start => ("executionListener", "start"),
                ListenerEvent::End => ("executionListener", "end"),
                ListenerEvent::Create => ("taskListener", "create"),
                ListenerEvent::Assign => ("taskListener", "assignment"),
                ListenerEvent::Complete => ("taskListener", "complete"),
                ListenerEvent::Update => ("taskListener", "update"),
                ListenerEvent::Delete => ("taskListener", "delete"),
            };
            let class = escape(class);
            let _ = write!(out, r#"<{prefix}:{tag} event="{event}" class="{class}"/>"#);
        }
        out
    }

    fn zeebe_listeners(settings: &Settings) -> String {
        let (mut of_execution, mut of_task) = (String::new(), String::new());
        for (event, job_type) in &settings.listeners {
            let (tag, event, holder) = match event {
                ListenerEvent::Start => ("executionListener", "start", &mut of_execution),
                ListenerEvent::End => ("executionListener", "end", &mut of_execution),
                ListenerEvent::Create => ("taskListener", "creating", &mut of_task),
                ListenerEvent::Assign => ("taskListener", "assigning", &mut of_task),
                ListenerEvent::Complete => ("taskListener", "completing", &mut of_task),
                ListenerEvent::Update => ("taskListener", "updating", &mut of_task),
                ListenerEvent::Delete => ("taskListener", "canceling", &mut of_task),
            };
            let job_type = escape(job_type);
            let _ = write!(holder, r#"<zeebe:{tag} eventType="{event}" type="{job_type}"/>"#);
        }
        let mut out = String::new();
        for (tag, inside) in [("executionListeners", of_execution), ("taskListeners", of_task)] {
            if !inside.is_empty() {
                let _ = write!(out, "<zeebe:{tag}>{inside}</zeebe:{tag}>");
            }
        }
        out
    }

    fn definition(&self, node: &Node) -> String {
        match &node.kind {
            NodeKind::Script { source, .. } if self.dialect != Dialect::Zeebe => {
                format!("<script>{}</script>", escape(source))
            }
            NodeKind::StartOn(trigger)
            | NodeKind::CatchOn(trigger)
            | NodeKind::ThrowOn(trigger)
            | NodeKind::EndOn(trigger)
            | NodeKind::On { trigger, .. } => self.event(node, trigger),
            NodeKind::Catch { timer } | NodeKind::OnTimer { timer, .. } => {
                let (tag, text) = self.timer(timer);
                let text = escape(&text);
                format!("<timerEventDefinition><{tag}>{text}</{tag}></timerEventDefinition>")
            }
            NodeKind::OnError { code, code_variable, message_variable, .. } => {
                let mut out = "<errorEventDefinition".to_owned();
                if code.is_some() {
                    let _ = write!(out, r#" errorRef="error_of_{}""#, escape(&node.id));
                }
                let prefix = self.prefix();
                for (name, variable) in [
                    ("errorCodeVariable", code_variable),
                    ("errorMessageVariable", message_variable),
                ] {
                    if let Some(variable) = variable {
                        let _ = write!(out, r#" {prefix}:{name}="{}""#, escape(variable));
                    }
                }
                out + "/>"
            }
            _ => String::new(),
        }
    }

    /// The kind of the timer, by the look of its text.
    fn timer(&self, text: &str) -> (&'static str, String) {
        if let Some(ms) = duration::parse(text) {
            return ("timeDuration", duration::iso(ms));
        }
        if let Some(cron) = text.strip_prefix("cron ") {
            return ("timeCycle", cron.to_owned());
        }
        if let Some(expression) = text.strip_prefix('=') {
            return ("timeDuration", self.expression(expression));
        }
        if text.starts_with('R') {
            let (count, interval) = text.rsplit_once('/').unwrap_or((text, ""));
            let interval =
                duration::parse(interval).map_or_else(|| interval.to_owned(), duration::iso);
            return ("timeCycle", format!("{count}/{interval}"));
        }
        match text.starts_with(|c: char| c.is_ascii_digit()) {
            true => ("timeDate", text.to_owned()),
            false => ("timeDuration", text.to_owned()),
        }
    }

    fn flow(&mut self, number: usize, flow: &Flow) {
        let (from, to) = (escape(&flow.from), escape(&flow.to));
        let ends = format!(r#"id="f{number}" sourceRef="{from}" targetRef="{to}""#);
        let Some(condition) = &flow.condition else {
            return self.line(&format!("    <sequenceFlow {ends}/>"));
        };
        let condition = escape(&self.expression(condition));
        self.line(&format!(
            "    <sequenceFlow {ends}><conditionExpression>{condition}</conditionExpression></sequenceFlow>"
        ));
    }

    fn expression(&self, bare: &str) -> String {
        match self.dialect {
            Dialect::Zeebe => format!("={bare}"),
            Dialect::Camunda7 | Dialect::Flowable => format!("${{{bare}}}"),
        }
    }

    fn prefix(&self) -> &'static str {
        match self.dialect {
            Dialect::Zeebe => "zeebe",
            Dialect::Camunda7 => "camunda",
            Dialect::Flowable => "flowable",
        }
    }
}

/// The flow of an exclusive or inclusive gateway that is taken when no condition holds. A gateway whose flows
/// have no condition at all has none.
fn default_flow(sketch: &Sketch, id: &str) -> Option<usize> {
    let mut outgoing = sketch.flows.iter().enumerate().filter(|(_, flow)| flow.from == id);
    let is_choice = outgoing.clone().any(|(_, flow)| flow.condition.is_some());
    outgoing.find(|(_, flow)| is_choice && flow.condition.is_none()).map(|(number, _)| number)
}

fn listed_flows(sketch: &Sketch, id: &str) -> String {
    let flows = sketch.flows.iter().enumerate().filter(|(_, flow)| flow.from == id);
    flows.map(|(number, _)| format!("<outgoing>f{number}</outgoing>")).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
