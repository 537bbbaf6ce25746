//! Asynchronous continuations and the settings of an element's jobs.

use orloj_expr::Expression;

use crate::graph::SavePoint;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};

impl<'a> Context<'a> {
    pub fn async_before(&self, node: Node<'a>) -> Option<SavePoint> {
        let is_async = match self.dialect {
            Dialect::Zeebe => false,
            Dialect::Camunda7 | Dialect::Flowable => {
                self.flag(node, "asyncBefore") || self.flag(node, "async")
            }
        };
        is_async.then(|| SavePoint { exclusive: self.flag_or_true(node, "exclusive") })
    }

    pub fn async_after(&self, node: Node<'a>) -> Option<SavePoint> {
        let (is_async, exclusive) = match self.dialect {
            Dialect::Zeebe => (false, "exclusive"),
            Dialect::Camunda7 => (self.flag(node, "asyncAfter"), "exclusive"),
            Dialect::Flowable => (
                self.flag(node, "asyncLeave") || self.flag(node, "asyncAfter"),
                "asyncLeaveExclusive",
            ),
        };
        is_async.then(|| SavePoint { exclusive: self.flag_or_true(node, exclusive) })
    }

    /// Of continuations and timers: on an element or its process. Flowable has none, and Zeebe's
    /// belongs to worker jobs.
    pub fn job_priority(&mut self, subject: &Subject<'a>) -> Option<Expression> {
        if self.dialect != Dialect::Camunda7 {
            return None;
        }
        let written = self.extension_attribute(subject.node, "jobPriority")?;
        self.number(subject, &written, "jobPriority")
    }

    /// Of worker jobs: on an element or its process.
    pub fn worker_priority(&mut self, subject: &Subject<'a>) -> Option<Expression> {
        match self.dialect {
            Dialect::Zeebe => {
                let extension = self.extension(subject, "jobPriorityDefinition")?;
                let written = self.own_attribute(extension, "priority")?;
                self.number(subject, &written, "the job priority")
            }
            Dialect::Camunda7 => {
                let written = self.extension_attribute(subject.node, "taskPriority")?;
                self.number(subject, &written, "taskPriority")
            }
            Dialect::Flowable => None,
        }
    }
}
