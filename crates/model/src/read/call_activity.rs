//! Call activities: which process, which version, and what goes in and comes out.

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::graph::{CallActivity, CallBinding, CallMapping, Code, ElementKind, SavePoint};
use crate::options::Dialect;
use crate::read::binding::ZeebeBinding;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::dialect::ZEEBE;
use crate::read::expression::{bean_name, failing, text};
use crate::read::extension::extension_elements;

impl<'a> Context<'a> {
    pub fn call_activity(&mut self, subject: &Subject<'a>) -> Option<ElementKind> {
        let call = match self.dialect {
            Dialect::Zeebe => self.zeebe_call(subject),
            Dialect::Camunda7 => self.camunda_call(subject),
            Dialect::Flowable => self.flowable_call(subject),
        };
        call.map(ElementKind::CallActivity)
    }

    fn zeebe_call(&mut self, subject: &Subject<'a>) -> Option<CallActivity> {
        let Some(called) = self.extension(subject, "calledElement") else {
            let message = format!("{} has no zeebe:calledElement", subject.title());
            self.error(subject, "call-target-missing", message);
            return None;
        };
        let written = self.own_attribute(called, "processId").filter(|id| !id.text.is_empty());
        let Some(written) = written else {
            let message = format!("{} names no process", subject.title());
            self.error_at(subject, called.range().start, "call-target-missing", message);
            return None;
        };
        let process = self.value(subject, &written)?;
        let binding = self.zeebe_call_binding(subject, called)?;
        let is_on = |ctx: &Self, name: &str| match ctx.own_attribute(called, name) {
            Some(flag) => flag.text.eq_ignore_ascii_case("true"),
            None => true,
        };
        // Without propagation the called instance still gets the results of input mappings, which
        // are the variables of the element's own scope; without mappings not even the item of a loop.
        let all_parents = is_on(self, "propagateAllParentVariables");
        let has_inputs = extension_elements(subject.node)
            .filter(|extension| extension.has_tag_name((ZEEBE, "ioMapping")))
            .any(|mapping| mapping.children().any(|child| child.has_tag_name((ZEEBE, "input"))));
        let inputs = match all_parents || has_inputs {
            true => vec![CallMapping::All { is_local: !all_parents }],
            false => Vec::new(),
        };
        let outputs = match is_on(self, "propagateAllChildVariables") {
            true => vec![CallMapping::All { is_local: false }],
            false => Vec::new(),
        };
        let business_key = match self.own_attribute(called, "businessId") {
            // The published engine does not look at it yet.
            Some(written) if !written.text.is_empty() => {
                Some(self.tolerated_value(subject, &written))
            }
            _ => None,
        };
        Some(CallActivity { inputs, outputs, business_key, ..plain_call(process, binding) })
    }

    fn zeebe_call_binding(
        &mut self,
        subject: &Subject<'a>,
        called: Node<'a>,
    ) -> Option<CallBinding> {
        match self.zeebe_binding_of(subject, called)? {
            ZeebeBinding::Latest => Some(CallBinding::Latest),
            ZeebeBinding::Deployment => Some(CallBinding::Deployment),
            ZeebeBinding::VersionTag(tag) => Some(CallBinding::VersionTag(tag)),
        }
    }

    fn camunda_call(&mut self, subject: &Subject<'a>) -> Option<CallActivity> {
        let node = subject.node;
        let process = self.attribute(node, "calledElement");
        let case = self.extension_attribute(node, "caseRef");
        let inputs = self.camunda_parameters(subject, node, "in");
        let outputs = self.camunda_parameters(subject, node, "out");
        let (process, prefix, tenant) = match (process, case) {
            (Some(_), Some(case)) => {
                let message = format!("{} calls a process and a case", subject.title());
                self.error_at(subject, case.offset, "call-target-repeated", message);
                return None;
            }
            (None, None) => {
                let message = format!("{} names no process", subject.title());
                self.error(subject, "call-target-missing", message);
                return None;
            }
            (Some(process), None) => {
                (self.value(subject, &process)?, "calledElement", "calledElementTenantId")
            }
            (None, Some(case)) => (self.called_case(subject, &case), "case", "caseTenantId"),
        };
        let binding = self.camunda_call_binding(subject, prefix)?;
        let tenant = match self.extension_attribute(node, tenant) {
            Some(written) if !written.text.is_empty() => Some(self.value(subject, &written)?),
            _ => None,
        };
        Some(CallActivity {
            tenant,
            inputs,
            outputs,
            business_key: self.business_key_parameter(subject, node),
            variable_mapping: self.variable_mapping(subject)?,
            ..plain_call(process, binding)
        })
    }

    /// Cases are none of BPMN's: the deployment is fine, the call fails.
    fn called_case(&mut self, subject: &Subject<'a>, case: &Written<'a>) -> Expression {
        let message = format!("{} calls a case, which fails when it is reached", subject.title());
        self.warn_at(subject, case.offset, "unsupported-case", message);
        failing(&format!("there is no case {}", quoted(&case.text)))
    }

    /// An unknown binding is the latest, as Camunda reads it.
    fn camunda_call_binding(&mut self, subject: &Subject<'a>, prefix: &str) -> Option<CallBinding> {
        let node = subject.node;
        let binding = self.extension_attribute(node, &format!("{prefix}Binding"));
        let Some(binding) = binding.filter(|binding| !binding.text.is_empty()) else {
            return Some(CallBinding::Latest);
        };
        match &*binding.text {
            "latest" => Some(CallBinding::Latest),
            "deployment" => Some(CallBinding::Deployment),
            "version" => {
                let name = format!("{prefix}Version");
                let version = self.binding_value(subject, &binding, &name)?;
                self.version(subject, &version).map(CallBinding::Version)
            }
            "versionTag" => {
                let name = format!("{prefix}VersionTag");
                let tag = self.binding_value(subject, &binding, &name)?;
                self.value(subject, &tag).map(CallBinding::VersionTag)
            }
            other => {
                let message = format!(
                    "the binding {} of {} is unknown; the latest version is called",
                    quoted(other),
                    subject.title()
                );
                self.warn_at(subject, binding.offset, "binding-unknown", message);
                Some(CallBinding::Latest)
            }
        }
    }

    fn binding_value(
        &mut self,
        subject: &Subject<'a>,
        binding: &Written<'a>,
        name: &str,
    ) -> Option<Written<'a>> {
        let found = self.extension_attribute(subject.node, name);
        if found.is_none() {
            let message = format!(
                "{} is bound by {}, but {name} is missing",
                subject.title(),
                quoted(&binding.text)
            );
            self.error_at(subject, binding.offset, "binding-incomplete", message);
        }
        found
    }

    /// Camunda: code that maps variables. Outer `None`: it is refused.
    fn variable_mapping(&mut self, subject: &Subject<'a>) -> Option<Option<Code>> {
        let given = |ctx: &Self, name: &str| {
            ctx.extension_attribute(subject.node, name).filter(|found| !found.text.is_empty())
        };
        if let Some(class) = given(self, "variableMappingClass") {
            return Some(Some(Code::Delegate((*class.text).into())));
        }
        match given(self, "variableMappingDelegateExpression") {
            None => Some(None),
            Some(written) => match bean_name(&written.text) {
                Some(bean) => Some(Some(Code::Delegate(bean.into()))),
                None => self.value(subject, &written).map(|e| Some(Code::ComputedDelegate(e))),
            },
        }
    }

    /// Flowable parses everything here when the activity is reached; a call without a target is
    /// accepted and fails then.
    fn flowable_call(&mut self, subject: &Subject<'a>) -> Option<CallActivity> {
        let node = subject.node;
        let late = |ctx: &mut Self, name: &str| {
            let written = ctx.extension_attribute(node, name).filter(|w| !w.text.is_empty())?;
            Some(ctx.tolerated_value(subject, &written))
        };
        let kind = self.extension_attribute(node, "calledElementType");
        let kind = kind.filter(|kind| !matches!(&*kind.text, "" | "key" | "id"));
        let called = self.attribute(node, "calledElement").filter(|c| !c.text.is_empty());
        let process = match (called, kind) {
            (Some(_), Some(kind)) => {
                let message = format!(
                    "{} calls by {}, which is neither key nor id, and will fail",
                    subject.title(),
                    quoted(&kind.text)
                );
                let process = failing(&message);
                self.warn_at(subject, kind.offset, "call-target-missing", message);
                process
            }
            // An expression has nothing around it; all else is the id of a process.
            (Some(written), None)
                if written.text.starts_with("${") && written.text.ends_with('}') =>
            {
                self.tolerated_value(subject, &written)
            }
            (Some(written), None) => text(&written.text),
            (None, _) => {
                let message = format!("{} names no process and will fail", subject.title());
                self.warn(subject, "call-target-missing", message);
                text("")
            }
        };
        let mut inputs = self.parameters(subject, node, "in");
        let mut outputs = self.parameters(subject, node, "out");
        if self.inherits_variables(node) {
            inputs.insert(0, CallMapping::All { is_local: false });
        }
        if self.flag(node, "useLocalScopeForOutParameters") {
            for output in &mut outputs {
                if let CallMapping::Value { is_local, .. } = output {
                    *is_local = true;
                }
            }
        }
        let business_key = match late(self, "businessKey") {
            Some(key) => Some(key),
            None => self.business_key_parameter(subject, node),
        };
        Some(CallActivity {
            tenant: None,
            business_key,
            inherits_business_key: self.flag(node, "inheritBusinessKey"),
            inputs,
            outputs,
            variable_mapping: None,
            falls_back_to_no_tenant: self.flag(node, "fallbackToDefaultTenant"),
            instance_name: late(self, "processInstanceName"),
            instance_key_variable: late(self, "idVariableName"),
            completes_by_job: self
                .flag(node, "completeAsync")
                .then(|| SavePoint { exclusive: self.flag_or_true(node, "exclusive") }),
            exceptions: self.exceptions(subject, node)?,
            ..plain_call(process, self.flowable_call_binding(node))
        })
    }

    fn inherits_variables(&self, node: Node<'a>) -> bool {
        let takes_all = |parameter: Node<'a>| {
            self.own_attribute(parameter, "variables").is_some_and(|names| names.text == "all")
        };
        self.flag(node, "inheritVariables") || self.extension_nodes(node, "in").any(takes_all)
    }

    fn flowable_call_binding(&self, node: Node<'a>) -> CallBinding {
        let is = |name: &str, value: &str| {
            self.extension_attribute(node, name).is_some_and(|found| found.text == value)
        };
        if is("calledElementType", "id") {
            CallBinding::Definition
        } else if self.flag(node, "sameDeployment") || is("calledElementBinding", "deployment") {
            CallBinding::DeploymentOrLatest
        } else {
            CallBinding::Latest
        }
    }
}

fn plain_call(process: Expression, binding: CallBinding) -> CallActivity {
    CallActivity {
        process,
        binding,
        tenant: None,
        business_key: None,
        inherits_business_key: false,
        inputs: Vec::new(),
        outputs: Vec::new(),
        variable_mapping: None,
        falls_back_to_no_tenant: false,
        instance_name: None,
        instance_key_variable: None,
        completes_by_job: None,
        exceptions: Vec::new(),
    }
}
