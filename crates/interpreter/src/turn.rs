//! Everything a rule may touch while a command is interpreted.

use std::sync::Arc;

use orloj_expr::{Effect, Environment, EvalError, Expression};
use orloj_model::{Element, ElementIndex, Process, Semantics};
use orloj_types::{
    ElementId, ElementInstanceKey, JobKey, KeyBlock, KeyGenerator, Timestamp, Value,
};

use crate::agenda::{Agenda, Step};
use crate::answers::Answers;
use crate::changes::Changes;
use crate::command::Command;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::host::ProcessHost;
use crate::invoke::{Delegates, Invoke};
use crate::outcome::{EndKind, Event};
use crate::record::{ElementInstance, Job, Record};
use crate::variables::View;
use crate::{element, flow};

pub(crate) struct Turn<'a> {
    pub(crate) process: &'a Process,
    pub(crate) command: &'a Command,
    pub(crate) now: Timestamp,
    pub(crate) delegates: &'a dyn Delegates,
    pub(crate) keys: &'a mut KeyGenerator,
    pub(crate) block: &'a mut KeyBlock,
    pub(crate) answers: &'a mut Answers,
    pub(crate) work: &'a mut Work,
}

/// The state of the interpretation; it outlives a turn when foreign code is called.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) record: Record,
    /// The record as it was, for a command that fails a job when it fails itself.
    pub(crate) before: Option<Arc<Record>>,
    pub(crate) agenda: Agenda,
    pub(crate) changes: Changes,
    /// Elements entered so far.
    pub(crate) visits: u32,
    /// Set when the instance ends otherwise than by its last token.
    pub(crate) ended: Option<EndKind>,
}

impl Work {
    pub(crate) fn new(record: Record, process: &Process) -> Self {
        Self {
            record,
            before: None,
            agenda: Agenda::new(process.semantics.walk),
            changes: Changes::default(),
            visits: 0,
            ended: None,
        }
    }
}

impl<'a> Turn<'a> {
    /// Works off the agenda. When foreign code is needed, its step stays first.
    pub(crate) fn walk(&mut self) -> Ruled<Option<Invoke>> {
        while let Some(step) = self.work.agenda.pop() {
            match step {
                Step::Enter { flow, scope } => flow::follow(self, flow, scope)?,
                Step::Start { element } => {
                    let scope = self.work.record.instance.root_scope();
                    flow::arrive(self, element, scope, None)?;
                }
                Step::Call { key, element } => {
                    if let Some(invoke) = element::call(self, key, element)? {
                        self.work.agenda.push_next(Step::Call { key, element });
                        return Ok(Some(invoke));
                    }
                }
            }
        }
        Ok(None)
    }

    pub(crate) fn semantics(&self) -> &'a Semantics {
        &self.process.semantics
    }

    pub(crate) fn next_key(&mut self) -> i64 {
        self.block.next(self.keys, self.now)
    }

    pub(crate) fn event(&mut self, event: Event) {
        self.work.changes.event(event);
    }

    pub(crate) fn index_of(&self, id: &ElementId) -> ElementIndex {
        self.process.find(id).expect("a record is interpreted with its own definition")
    }

    pub(crate) fn model(&self, index: ElementIndex) -> &'a Element {
        self.process.element(index)
    }

    pub(crate) fn position(&self, key: ElementInstanceKey) -> usize {
        // New element instances are at the end, and they are asked for most.
        let found = self.work.record.elements.iter().rposition(|e| e.key == key);
        found.expect("a rule is only given element instances of the record")
    }

    pub(crate) fn element(&self, key: ElementInstanceKey) -> &ElementInstance {
        &self.work.record.elements[self.position(key)]
    }

    pub(crate) fn element_mut(&mut self, key: ElementInstanceKey) -> &mut ElementInstance {
        let position = self.position(key);
        &mut self.work.record.elements[position]
    }

    pub(crate) fn job_mut(&mut self, key: JobKey) -> Option<&mut Job> {
        self.work
            .record
            .elements
            .iter_mut()
            .find_map(|e| e.jobs.iter_mut().find(|job| job.key == key))
    }

    /// The value of an expression as seen from `scope`.
    pub(crate) fn evaluate(
        &self,
        of: &ElementId,
        scope: ElementInstanceKey,
        expression: &Expression,
    ) -> Ruled<Value> {
        self.evaluate_in(of, &View::new(&self.work.record, scope), expression)
    }

    pub(crate) fn evaluate_in(
        &self,
        of: &ElementId,
        view: &View<'_>,
        expression: &Expression,
    ) -> Ruled<Value> {
        let host = ProcessHost { process: self.process, element: of, view };
        let environment = Environment::new(view, self.now).with_host(&host);
        match expression.evaluate(&environment) {
            Ok(evaluated) => Ok(evaluated.value),
            Err(error) => Err(failed(of, &error)),
        }
    }

    /// The value of an expression that may also change variables, and these changes.
    pub(crate) fn evaluate_script(
        &self,
        of: &ElementId,
        scope: ElementInstanceKey,
        expression: &Expression,
    ) -> Ruled<(Value, Vec<Effect>)> {
        let view = View::new(&self.work.record, scope);
        let host = ProcessHost { process: self.process, element: of, view: &view };
        let environment = Environment::new(&view, self.now).with_host(&host);
        match expression.evaluate_with_effects(&environment) {
            Ok((evaluated, effects)) => Ok((evaluated.value, effects)),
            Err(error) => Err(failed(of, &error)),
        }
    }
}

fn failed(of: &ElementId, error: &EvalError) -> Failure {
    Failure::new(of, FailureKind::ExtractValue, format!("an expression failed: {error}"))
}
