//! Tasks that ask a decision: business rule tasks, and Flowable's decision tasks.

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::graph::{
    DecisionBinding, DecisionResult, DecisionTask, ElementKind, RulesShape, ServiceTask,
};
use crate::options::Dialect;
use crate::read::binding::ZeebeBinding;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::element::Surroundings;

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
                let class = self.extension_attribute(subject.node, "class");
                if let Some(class) = class.filter(|class| !class.text.is_empty()) {
                    // Flowable makes an object of it when it deploys the file.
                    let message = format!(
                        "{} has the unknown class {}",
                        subject.title(),
                        quoted(&class.text)
                    );
                    self.error_at(subject, class.offset, "class-unknown", message);
                    return None;
                }
                let message = format!(
                    "{} with rules is not supported; decisions are, by a serviceTask of type dmn",
                    subject.title()
                );
                self.error(subject, "rules-unknown", message);
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
            tenant: None,
            result: DecisionResult::Value { variable: variable? },
        }))
    }

    fn zeebe_binding(
        &mut self,
        subject: &Subject<'a>,
        called: Node<'a>,
    ) -> Option<DecisionBinding> {
        Some(match self.zeebe_binding_of(subject, called)? {
            ZeebeBinding::Latest => DecisionBinding::Latest,
            ZeebeBinding::Deployment => DecisionBinding::Deployment,
            ZeebeBinding::VersionTag(tag) => DecisionBinding::VersionTag(tag),
        })
    }

    fn camunda_decision_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        let written = self.extension_attribute(subject.node, "decisionRef");
        let Some(written) = written else {
            return self.service_task(surroundings, subject);
        };
        // An empty one is accepted, and no decision when the task is reached.
        let decision = self.value(subject, &written);
        let binding = self.camunda_binding(subject);
        let shape = self.rules_shape(subject);
        let tenant = match self.extension_attribute(subject.node, "decisionRefTenantId") {
            Some(written) if !written.text.is_empty() => Some(self.value(subject, &written)?),
            _ => None,
        };
        let variable = self.result_variable(subject);
        Some(ElementKind::DecisionTask(DecisionTask {
            decision: decision?,
            binding: binding?,
            tenant,
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
                let version = self.version(subject, &version)?;
                Some(DecisionBinding::Version(version))
            }
            "versionTag" => {
                let tag = self.extension_attribute(subject.node, "decisionRefVersionTag");
                self.version_tag_binding(subject, &binding, tag)
            }
            // Camunda takes any other word for the latest.
            other => {
                let message = format!(
                    "the decision binding {} of {} is unknown; the latest version is asked",
                    quoted(other),
                    subject.title()
                );
                self.warn_at(subject, binding.offset, "decision-binding-unknown", message);
                Some(DecisionBinding::Latest)
            }
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
        let fields = self.written_fields(subject.node);
        let field = |name: &str| {
            fields.iter().find(|field| field.name.text == name).map(|field| &field.value)
        };
        let key =
            field("decisionTableReferenceKey").or_else(|| field("decisionServiceReferenceKey"));
        let decision = self.decision_id(subject, key.cloned(), subject.node.range().start);
        let is_true = |name: &str, default: bool| match field(name) {
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
            tenant: None,
            result: DecisionResult::Outputs { needs_hit },
        })
    }

    /// Whether a service task of Flowable asks a decision.
    pub fn is_decision(&self, subject: &Subject<'a>) -> bool {
        let kind = self.extension_attribute(subject.node, "type");
        kind.is_some_and(|kind| kind.text == "dmn")
    }

    fn decision_id(
        &mut self,
        subject: &Subject<'a>,
        written: Option<Written<'a>>,
        offset: usize,
    ) -> Option<Expression> {
        match written.filter(|written| !written.text.is_empty()) {
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
}
