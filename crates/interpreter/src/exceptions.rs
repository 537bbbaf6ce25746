//! Failures of code that count as errors of the process.
//!
//! The mappings name Java's classes. What fails here has none, so it counts as what it would have
//! been there: code that failed threw a plain runtime exception, an expression that failed one of
//! the engine's own.

use orloj_model::ExceptionMapping;
use orloj_types::Document;

use crate::failure::{Failure, FailureKind};
use crate::foreign::ThrownByCode;

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

/// The failure as the error that the first fitting mapping makes of it.
pub(crate) fn mapped(failure: Failure, mappings: &[ExceptionMapping]) -> Failure {
    if failure.needs.is_some() || failure.thrown.is_some() {
        return failure;
    }
    let classes: &[&str] = match failure.kind {
        FailureKind::Foreign => &CODE,
        _ => &EXPRESSION,
    };
    let exact = |mapping: &&ExceptionMapping| {
        mapping.class.as_deref().is_some_and(|class| match mapping.includes_children {
            true => classes.contains(&class),
            false => classes.first() == Some(&class),
        }) && mapping.root_cause.as_deref().is_none_or(|cause| classes.first() == Some(&cause))
    };
    let any = |mapping: &&ExceptionMapping| mapping.class.is_none();
    let found = mappings.iter().find(exact).or_else(|| mappings.iter().find(any));
    let Some(mapping) = found else { return failure };
    let code = mapping.error_code.clone();
    let thrown = ThrownByCode { code, message: failure.message, variables: Document::new() };
    Failure::thrown(&failure.element, thrown)
}
