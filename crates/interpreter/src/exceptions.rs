//! Failures of code that count as errors of the process.

use orloj_model::{ElementKind, ExceptionMapping, MappedFailures};
use orloj_types::Document;

use crate::failure::{Failure, FailureKind};
use crate::foreign::ThrownByCode;
use crate::turn::Turn;

/// The failure as the error that the first fitting mapping makes of it.
pub(crate) fn mapped(failure: Failure, mappings: &[ExceptionMapping]) -> Failure {
    if failure.needs.is_some() || failure.thrown.is_some() {
        return failure;
    }
    let is_of_code = failure.kind == FailureKind::Foreign;
    let is_for_it = |mapping: &&ExceptionMapping| match mapping.of {
        MappedFailures::Named { code, .. } if is_of_code => code,
        MappedFailures::Named { expressions, .. } => expressions,
        MappedFailures::Rest => false,
    };
    let is_for_rest = |mapping: &&ExceptionMapping| mapping.of == MappedFailures::Rest;
    let found = mappings.iter().find(is_for_it).or_else(|| mappings.iter().find(is_for_rest));
    let Some(mapping) = found else { return failure };
    let code = mapping.error_code.clone();
    let thrown = ThrownByCode { code, message: failure.message, variables: Document::new() };
    Failure::thrown(&failure.element, thrown)
}

/// What the element itself does not map, the call activity may that called the instance.
pub(crate) fn mapped_by_caller(turn: &mut Turn<'_>, failure: Failure) -> Failure {
    let Some(caller) = turn.work.record.caller else { return failure };
    let maps = turn.semantics().catching.callers_map_failures;
    if !maps || failure.needs.is_some() || failure.thrown.is_some() {
        return failure;
    }
    let member = match turn.member(caller.instance) {
        Ok(Some(member)) => member,
        Ok(None) => return failure,
        Err(needs) => return needs,
    };
    let (here, _) = turn.work.at();
    turn.switch(member);
    let known = turn.work.record.element(caller.element_instance).is_some();
    let index = known.then(|| turn.model_of(caller.element_instance)).flatten();
    let element = index.map(|index| turn.model(index));
    turn.switch(here);
    match element.map(|element| &element.kind) {
        Some(ElementKind::CallActivity(call)) => mapped(failure, &call.exceptions),
        _ => failure,
    }
}
