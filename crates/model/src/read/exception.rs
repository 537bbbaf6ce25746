//! Flowable's `mapException`: failures of code that are errors of the process.
//!
//! The mappings name Java's classes. What fails here has none, so it counts as what it would have
//! been there: code that failed threw a plain runtime exception, an expression that failed one of
//! the engine's own.

use orloj_xml::quoted;

use crate::graph::{CaughtFailures, ExceptionMapping, MappedFailures};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};

impl<'a> Context<'a> {
    /// `None` when one of them is refused.
    pub fn exceptions(
        &mut self,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> Option<Vec<ExceptionMapping>> {
        if self.dialect != Dialect::Flowable {
            return Some(Vec::new());
        }
        let nodes: Vec<_> = self.extension_nodes(holder, "mapException").collect();
        nodes.into_iter().map(|node| self.exception(subject, node)).collect()
    }

    fn exception(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<ExceptionMapping> {
        let offset = node.range().start;
        let code = self.own_attribute(node, "errorCode").filter(|code| !code.text.is_empty());
        let Some(code) = code else {
            let message = format!("a mapException of {} has no errorCode", subject.title());
            self.error_at(subject, offset, "exception-code-missing", message);
            return None;
        };
        let children = self.own_attribute(node, "includeChildExceptions");
        let includes_children = match children.filter(|children| !children.text.is_empty()) {
            None => false,
            Some(flag) if flag.text.eq_ignore_ascii_case("true") => true,
            Some(flag) if flag.text.eq_ignore_ascii_case("false") => false,
            Some(flag) => {
                let message = format!(
                    "includeChildExceptions of {} is neither true nor false but {}",
                    subject.title(),
                    quoted(&flag.text)
                );
                self.error_at(subject, flag.offset, "exception-flag-invalid", message);
                return None;
            }
        };
        let class = self.content(node);
        let root_cause = self.own_attribute(node, "rootCause").filter(|r| !r.text.is_empty());
        let named = Named {
            class: &class.text,
            includes_children,
            root_cause: root_cause.as_ref().map(|cause| &*cause.text),
        };
        let of = match class.text.is_empty() {
            true => MappedFailures::Rest,
            false => MappedFailures::Named {
                code: named.includes(&CODE),
                expressions: named.includes(&EXPRESSION),
            },
        };
        Some(ExceptionMapping { error_code: (*code.text).into(), of })
    }
}

/// In Camunda an event for errors whose code is the name of a class catches what fails with it, or
/// with one derived from it.
pub(crate) fn caught_by_class(code: &str) -> CaughtFailures {
    // An expression that fails does so with an exception of the expression language.
    let of_expressions = EXPRESSION[2..].contains(&code);
    CaughtFailures { of_code: CODE.contains(&code), of_expressions }
}

/// From the class itself to the outermost one it is derived from.
const CODE: [&str; 4] = [
    "java.lang.IllegalStateException",
    "java.lang.RuntimeException",
    "java.lang.Exception",
    "java.lang.Throwable",
];
const EXPRESSION: [&str; 5] = [
    "org.flowable.common.engine.api.FlowableException",
    "org.flowable.engine.common.api.FlowableException",
    "java.lang.RuntimeException",
    "java.lang.Exception",
    "java.lang.Throwable",
];

/// What the model says of the exceptions it means.
struct Named<'t> {
    class: &'t str,
    includes_children: bool,
    /// The class of what caused it in the first place has to be this one.
    root_cause: Option<&'t str>,
}

impl Named<'_> {
    /// Whether it means a failure of the first of these classes.
    fn includes(&self, classes: &[&str]) -> bool {
        let fits = match self.includes_children {
            true => classes.contains(&self.class),
            false => classes.first() == Some(&self.class),
        };
        fits && self.root_cause.is_none_or(|cause| classes.first() == Some(&cause))
    }
}
