//! Zeebe looks at each of its extensions by itself, wherever it stands: one that has no effect
//! there is refused all the same if something is wrong with it.

use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};
use crate::read::dialect::ZEEBE;
use crate::read::expression::is_zeebe_expression;
use crate::read::extension::extension_elements;

impl<'a> Context<'a> {
    /// What is wrong with extensions that the element itself does not read.
    pub fn check_idle_extensions(&mut self, subject: &Subject<'a>) {
        if self.dialect != Dialect::Zeebe {
            return;
        }
        let of_zeebe = |node: &Node<'a>| node.tag_name().namespace() == Some(ZEEBE);
        let nodes: Vec<_> = extension_elements(subject.node).filter(of_zeebe).collect();
        for node in nodes {
            let name = node.tag_name().name();
            if !is_read(name, subject.tag()) {
                self.check_idle(subject, node, name);
            }
        }
    }

    fn check_idle(&mut self, subject: &Subject<'a>, node: Node<'a>, name: &str) {
        match name {
            "linkedResources" => {
                self.linked_resources(subject);
            }
            "taskHeaders" => {
                self.headers_in(subject, node);
            }
            "ioMapping" => {
                self.mappings(subject);
            }
            "executionListeners" | "taskListeners" => {
                self.zeebe_listeners(subject);
            }
            "assignmentDefinition" | "taskSchedule" | "priorityDefinition" => {
                self.check_idle_user_task(subject, node);
            }
            "formDefinition" => self.check_idle_form(subject, node),
            "userTaskForm" if self.content(node).text.is_empty() => {
                self.incomplete(subject, node, "its text is missing");
            }
            _ => {}
        }
        if matches!(name, "calledElement" | "calledDecision" | "formDefinition") {
            self.zeebe_binding_of(subject, node);
        }
        for wanted in wanted(name) {
            self.check_attribute(subject, node, wanted);
        }
        if name == "loopCharacteristics" {
            let is_given = |ctx: &Self, name: &str| ctx.reference(node, name).is_some();
            if is_given(self, "outputCollection") != is_given(self, "outputElement") {
                let problem = "outputCollection and outputElement need each other";
                self.incomplete(subject, node, problem);
            }
        }
    }

    fn check_attribute(&mut self, subject: &Subject<'a>, node: Node<'a>, wanted: &Wanted) {
        let written = self.own_attribute(node, wanted.name).filter(|w| !w.text.is_empty());
        let Some(written) = written else {
            if wanted.is_needed {
                self.incomplete(subject, node, &format!("{} is missing", wanted.name));
            }
            return;
        };
        match wanted.is {
            Is::Text => {}
            Is::Expression => {
                self.expression_required(subject, &written, wanted.name);
            }
            Is::Value if is_zeebe_expression(&written.text) => {
                self.value(subject, &written);
            }
            Is::Value => {}
        }
    }

    fn check_idle_form(&mut self, subject: &Subject<'a>, node: Node<'a>) {
        let is_named = |name: &&str| {
            self.own_attribute(node, name).is_some_and(|written| !written.text.trim().is_empty())
        };
        if ["formKey", "formId"].iter().filter(|name| is_named(name)).count() != 1 {
            self.incomplete(subject, node, "it names no form, or two");
        }
    }

    fn incomplete(&mut self, subject: &Subject<'a>, node: Node<'a>, problem: &str) {
        let name = node.tag_name().name();
        let message = format!("{name} of {} is incomplete: {problem}", subject.title());
        self.error_at(subject, node.range().start, "extension-incomplete", message);
    }
}

/// Whether the element reads the extension, and so says itself what is wrong with it.
fn is_read(extension: &str, tag: &str) -> bool {
    let works = || {
        matches!(
            tag,
            "serviceTask"
                | "sendTask"
                | "scriptTask"
                | "businessRuleTask"
                | "intermediateThrowEvent"
                | "endEvent"
                | "adHocSubProcess"
        )
    };
    match extension {
        "calledElement" => tag == "callActivity",
        "calledDecision" => tag == "businessRuleTask",
        "script" => tag == "scriptTask",
        "formDefinition" | "assignmentDefinition" | "taskSchedule" | "priorityDefinition" => {
            tag == "userTask"
        }
        "publishMessage" => matches!(tag, "sendTask" | "intermediateThrowEvent" | "endEvent"),
        "subscription" => tag == "message",
        "adHoc" => tag == "adHocSubProcess",
        "linkedResources" => works(),
        "taskHeaders" | "taskDefinition" => tag == "userTask" || works(),
        "ioMapping" => !matches!(tag, "process" | "sequenceFlow" | "message"),
        "executionListeners" | "taskListeners" => tag != "message",
        _ => false,
    }
}

struct Wanted {
    name: &'static str,
    is_needed: bool,
    is: Is,
}

#[derive(Clone, Copy)]
enum Is {
    Text,
    /// Text, or an expression that parses.
    Value,
    Expression,
}

const fn needed(name: &'static str, is: Is) -> Wanted {
    Wanted { name, is_needed: true, is }
}

const fn if_given(name: &'static str, is: Is) -> Wanted {
    Wanted { name, is_needed: false, is }
}

const CALLED_ELEMENT: &[Wanted] = &[needed("processId", Is::Value)];
const CALLED_DECISION: &[Wanted] =
    &[needed("decisionId", Is::Value), needed("resultVariable", Is::Text)];
const SCRIPT: &[Wanted] =
    &[needed("expression", Is::Expression), needed("resultVariable", Is::Text)];
const TASK_DEFINITION: &[Wanted] = &[needed("type", Is::Value), if_given("retries", Is::Value)];
const PUBLISH_MESSAGE: &[Wanted] = &[needed("correlationKey", Is::Text)];
const SUBSCRIPTION: &[Wanted] = &[needed("correlationKey", Is::Expression)];
const LOOP_CHARACTERISTICS: &[Wanted] =
    &[needed("inputCollection", Is::Expression), if_given("outputElement", Is::Expression)];
const USER_TASK_FORM: &[Wanted] = &[needed("id", Is::Text)];
const AD_HOC: &[Wanted] = &[
    if_given("activeElementsCollection", Is::Expression),
    if_given("outputElement", Is::Expression),
];

fn wanted(extension: &str) -> &'static [Wanted] {
    match extension {
        "calledElement" => CALLED_ELEMENT,
        "calledDecision" => CALLED_DECISION,
        "script" => SCRIPT,
        "taskDefinition" => TASK_DEFINITION,
        "publishMessage" => PUBLISH_MESSAGE,
        "subscription" => SUBSCRIPTION,
        "loopCharacteristics" => LOOP_CHARACTERISTICS,
        "userTaskForm" => USER_TASK_FORM,
        "adHoc" => AD_HOC,
        _ => &[],
    }
}
