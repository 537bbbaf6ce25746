//! Tasks that ask a decision: business rule tasks, and Flowable's decision tasks.

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::graph::{
    DecisionBinding, DecisionResult, DecisionTask, ElementKind, RulesShape, ServiceTask,
};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::element::Surroundings;
use crate::read::extension::extension_elements;

impl<'a> Context<'a> {
    pub fn business_rule_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        match self.dialect {
            Dialect::Zeebe => self.zeebe_decision_task(surroundings, subject),
            Dialect::Camunda7 => self.camunda_decision_task(surroundings, subject),
            Dialect::Flowable => {
                let kind = self.extension_attribute(subject.node, "type");
                if kind.is_some_and(|kind| kind.text == "dmn") {
                    return self.flowable_decision_task(subject).map(ElementKind::DecisionTask);
                }
                let message = format!(
                    "{} with rules is not supported; decisions are, by a serviceTask of type dmn",
                    subject.title()
                );
                self.error(subject, "unsupported-element", message);
                None
            }
        }
    }

    fn zeebe_decision_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        let Some(called) = self.extension(subject, "calledDecision") else {
            let task = self.zeebe_worker(surroundings, subject)?;
            return Some(ElementKind::ServiceTask(ServiceTask::Worker(task)));
        };
        if !self.is_only_implementation(subject, "calledDecision") {
            return None;
        }
        let written = self.own_attribute(called, "decisionId");
        let decision = self.decision_id(subject, written, called.range().start);
        let binding = self.zeebe_binding(subject, called);
        let variable = self.result_variable_required(subject, called);
        Some(ElementKind::DecisionTask(DecisionTask {
            decision: decision?,
            binding: binding?,
            result: DecisionResult::Value { variable: variable? },
        }))
    }

    fn zeebe_binding(
        &mut self,
        subject: &Subject<'a>,
        called: Node<'a>,
    ) -> Option<DecisionBinding> {
        let binding = self.own_attribute(called, "bindingType").filter(|b| !b.text.is_empty());
        let Some(binding) = binding else { return Some(DecisionBinding::Latest) };
        match &*binding.text {
            "latest" => Some(DecisionBinding::Latest),
            "deployment" => Some(DecisionBinding::Deployment),
            "versionTag" => {
                let tag = self.own_attribute(called, "versionTag");
                self.version_tag_binding(subject, &binding, tag)
            }
            _ => self.unknown_binding(subject, &binding),
        }
    }

    fn camunda_decision_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        let written = self.extension_attribute(subject.node, "decisionRef");
        if written.is_none() {
            return self.service_task(surroundings, subject);
        }
        let decision = self.decision_id(subject, written, subject.node.range().start);
        let binding = self.camunda_binding(subject);
        let shape = self.rules_shape(subject);
        if let Some(tenant) = self.extension_attribute(subject.node, "decisionRefTenantId") {
            let message =
                format!("decisionRefTenantId of {} is not supported yet", subject.title());
            self.error_at(subject, tenant.offset, "unsupported-attribute", message);
            return None;
        }
        let variable = self.result_variable(subject);
        Some(ElementKind::DecisionTask(DecisionTask {
            decision: decision?,
            binding: binding?,
            result: DecisionResult::Rules { shape: shape?, variable },
        }))
    }

    fn camunda_binding(&mut self, subject: &Subject<'a>) -> Option<DecisionBinding> {
        let binding = self.extension_attribute(subject.node, "decisionRefBinding");
        let Some(binding) = binding.filter(|binding| !binding.text.is_empty()) else {
            return Some(DecisionBinding::Latest);
        };
        match &*binding.text {
            "latest" => Some(DecisionBinding::Latest),
            "deployment" => Some(DecisionBinding::Deployment),
            "version" => {
                let version = self.extension_attribute(subject.node, "decisionRefVersion");
                let Some(version) = version.filter(|version| !version.text.is_empty()) else {
                    return self.binding_without(subject, &binding, "decisionRefVersion");
                };
                let version = self.number(subject, &version, "decisionRefVersion")?;
                Some(DecisionBinding::Version(version))
            }
            "versionTag" => {
                let tag = self.extension_attribute(subject.node, "decisionRefVersionTag");
                self.version_tag_binding(subject, &binding, tag)
            }
            _ => self.unknown_binding(subject, &binding),
        }
    }

    fn rules_shape(&mut self, subject: &Subject<'a>) -> Option<RulesShape> {
        let Some(shape) = self.extension_attribute(subject.node, "mapDecisionResult") else {
            return Some(RulesShape::default());
        };
        let known = match &*shape.text {
            "singleEntry" => RulesShape::SingleEntry,
            "singleResult" => RulesShape::SingleResult,
            "collectEntries" => RulesShape::CollectEntries,
            "resultList" => RulesShape::ResultList,
            other => {
                let message = format!(
                    "mapDecisionResult of {} is {}, which is none of singleEntry, singleResult, \
                     collectEntries and resultList",
                    subject.title(),
                    quoted(other)
                );
                self.error_at(subject, shape.offset, "decision-mapping-unknown", message);
                return None;
            }
        };
        Some(known)
    }

    /// `type="dmn"`: everything else stands in fields.
    pub fn flowable_decision_task(&mut self, subject: &Subject<'a>) -> Option<DecisionTask> {
        let fields = Fields::of(self, subject);
        let key = fields
            .text("decisionTableReferenceKey")
            .or_else(|| fields.text("decisionServiceReferenceKey"));
        let decision = self.decision_id(subject, key.cloned(), subject.node.range().start);
        let is_true = |name: &str, default: bool| match fields.text(name) {
            Some(written) => written.text.trim().eq_ignore_ascii_case("true"),
            None => default,
        };
        let needs_hit = is_true("decisionTaskThrowErrorOnNoHits", false);
        let binding = match is_true("sameDeployment", true) {
            true => DecisionBinding::DeploymentOrLatest,
            false => DecisionBinding::Latest,
        };
        Some(DecisionTask {
            decision: decision?,
            binding,
            result: DecisionResult::Outputs { needs_hit },
        })
    }

    fn decision_id(
        &mut self,
        subject: &Subject<'a>,
        written: Option<Written<'a>>,
        offset: usize,
    ) -> Option<Expression> {
        match written.filter(|written| !written.text.trim().is_empty()) {
            Some(written) => self.value(subject, &written),
            None => {
                let message = format!("{} names no decision", subject.title());
                self.error_at(subject, offset, "decision-missing", message);
                None
            }
        }
    }

    fn version_tag_binding(
        &mut self,
        subject: &Subject<'a>,
        binding: &Written<'a>,
        tag: Option<Written<'a>>,
    ) -> Option<DecisionBinding> {
        match tag.filter(|tag| !tag.text.trim().is_empty()) {
            Some(tag) => self.value(subject, &tag).map(DecisionBinding::VersionTag),
            None => self.binding_without(subject, binding, "versionTag"),
        }
    }

    fn binding_without(
        &mut self,
        subject: &Subject<'a>,
        binding: &Written<'a>,
        missing: &str,
    ) -> Option<DecisionBinding> {
        let message = format!(
            "the decision of {} is bound by {}, but {missing} is missing",
            subject.title(),
            quoted(&binding.text)
        );
        self.error_at(subject, binding.offset, "decision-binding-incomplete", message);
        None
    }

    fn unknown_binding(
        &mut self,
        subject: &Subject<'a>,
        binding: &Written<'a>,
    ) -> Option<DecisionBinding> {
        let message = format!(
            "the decision binding {} of {} is unknown",
            quoted(&binding.text),
            subject.title()
        );
        self.error_at(subject, binding.offset, "decision-binding-unknown", message);
        None
    }
}

/// The `field` extensions of a Flowable task.
struct Fields<'a>(Vec<(String, Written<'a>)>);

impl<'a> Fields<'a> {
    fn of(ctx: &Context<'a>, subject: &Subject<'a>) -> Self {
        let fields = extension_elements(subject.node).filter(|e| e.tag_name().name() == "field");
        let read = |field: Node<'a>| {
            let name = ctx.own_attribute(field, "name")?;
            let attribute = ["stringValue", "expression"]
                .iter()
                .find_map(|attribute| ctx.own_attribute(field, attribute));
            let child = || {
                let names = ["string", "expression"];
                let mut children = field.children().filter(|child| child.is_element());
                children.find(|child| names.contains(&child.tag_name().name()))
            };
            let value = attribute.or_else(|| child().map(|child| ctx.content(child)))?;
            Some((name.text.into_owned(), value))
        };
        Self(fields.filter_map(read).collect())
    }

    fn text(&self, name: &str) -> Option<&Written<'a>> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, written)| written)
    }
}
