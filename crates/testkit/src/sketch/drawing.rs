//! What a sketch says.

use std::sync::Arc;

use orloj_model::{Dialect, Options, Process};

use super::parse::parse;
use super::xml::write;

/// A process as it was drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Sketch {
    pub id: String,
    pub dialect: Dialect,
    /// Of its jobs, where their elements have none.
    pub priority: Option<String>,
    /// It is deployed suspended, to be activated so much later. No part of the drawing.
    pub active_in_ms: Option<i64>,
    /// In the order of their first mention.
    pub nodes: Vec<Node>,
    pub flows: Vec<Flow>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub id: String,
    pub kind: NodeKind,
    pub settings: Settings,
    /// The subprocess it lies in.
    pub parent: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum NodeKind {
    Start,
    End,
    Worker {
        job_type: String,
    },
    Delegate {
        name: String,
    },
    /// A service task that is an expression.
    Expression {
        text: String,
    },
    /// Something that a system brings along; its fields are among the headers.
    Builtin {
        kind: String,
    },
    User,
    Script {
        language: String,
        source: String,
    },
    Decision {
        id: String,
    },
    Exclusive,
    Inclusive,
    Parallel,
    /// The events after it race.
    Race,
    Catch {
        timer: String,
    },
    /// A start event that something sets off.
    StartOn(Trigger),
    CatchOn(Trigger),
    ThrowOn(Trigger),
    EndOn(Trigger),
    On {
        of: String,
        trigger: Trigger,
        interrupting: bool,
    },
    Receive {
        message: String,
    },
    Call {
        process: String,
    },
    SubProcess {
        is_event: bool,
    },
    AdHoc,
    OnTimer {
        of: String,
        timer: String,
        interrupting: bool,
    },
    OnError {
        of: String,
        code: Option<String>,
        code_variable: Option<String>,
        message_variable: Option<String>,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    Message(String),
    Signal(String),
    Timer(String),
    Error(String),
    /// Without a code: any.
    Escalation(Option<String>),
    Condition(String),
    Link(String),
    Cancel,
    Compensation,
    Terminate,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// The correlation key of a message.
    pub key: Option<String>,
    /// Of the start event of an event subprocess: it does not interrupt.
    pub alongside: bool,
    /// Collection and item of a multi-instance.
    pub each: Option<(String, String)>,
    pub one_by_one: bool,
    pub async_before: Option<Async>,
    pub async_after: Option<Async>,
    pub nonexclusive: bool,
    pub retry: Option<String>,
    pub retries: Option<String>,
    pub priority: Option<String>,
    pub category: Option<String>,
    /// Of each instance of a multi-instance.
    pub inner_async_before: bool,
    pub inner_async_after: bool,
    pub inner_retry: Option<String>,
    /// A subprocess that is a transaction.
    pub transactional: bool,
    /// A signal is delivered by jobs of its own.
    pub asynchronously: bool,
    pub assignee: Option<String>,
    pub result: Option<String>,
    pub shape: Option<String>,
    pub bound: Option<String>,
    pub stores: bool,
    /// Of Flowable's scripts and workers: they do not get the variables.
    pub withholds: bool,
    pub headers: Vec<(String, String)>,
    pub inputs: Vec<(String, String)>,
    pub outputs: Vec<(String, String)>,
    /// Of an ad-hoc subprocess: the elements that it begins with.
    pub active: Option<String>,
    /// When an ad-hoc subprocess ends.
    pub until: Option<String>,
    /// Event and delegate or type of job.
    pub listeners: Vec<(ListenerEvent, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenerEvent {
    Start,
    End,
    Create,
    Assign,
    Complete,
    Update,
    Delete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Async {
    pub exclusive: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    pub from: String,
    pub to: String,
    pub condition: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SketchError {
    /// Counted from 0 within the sketch.
    pub line: usize,
    pub message: String,
}

impl Sketch {
    /// Reads `process ID[, DIALECT]: CHAIN` and the chains of the lines that follow.
    pub fn parse(text: &str) -> Result<Self, SketchError> {
        parse(text)
    }

    pub fn to_xml(&self) -> String {
        write(self)
    }

    /// The graph, through the XML that every face would get.
    pub fn to_process(&self) -> Result<Arc<Process>, String> {
        let parsed = orloj_model::parse(self.to_xml().as_bytes(), &Options::of(self.dialect));
        // A story may be about something that its dialect ignores.
        let problems =
            parsed.diagnostics.iter().filter(|found| !found.code.starts_with("ignored-"));
        let problems: Vec<String> = problems.map(ToString::to_string).collect();
        match (parsed.processes.into_iter().next(), problems.is_empty()) {
            (Some(process), true) => Ok(Arc::new(process)),
            _ => Err(format!("the sketch of {} has problems: {}", self.id, problems.join("; "))),
        }
    }

    /// Names of the delegates it uses.
    pub fn delegates(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter_map(|node| match &node.kind {
            NodeKind::Delegate { name } => Some(name.as_str()),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_of_every_dialect_is_accepted() {
        for text in [
            "process order: start -> pay{service charge, retries 5, priority 7, header k = v, \
             in total = 1 + n, out paid = total} -> fork+ -> ask{user, assignee kim} -> join+ -> end paid\n\
             fork -> wait{timer 10m} -> x?{n > 1} -> join\n\
             x? -> end other\n\
             pay @timer(R3/PT10S, alongside) -> mail{service mail} -> end mailed\n\
             pay @timer(1h) as slow -> end late\n\
             pay @error(POOR) -> end poor",
            "process order, camunda: start -> pay{delegate shop.Charge, async, async after nonexclusive, \
             retry \"PT1M,PT5M\", priority 7} -> x?{paid} -> ext{service mail, priority 3} -> end paid\n\
             x? -> wait{timer 2030-01-01T00:00:00Z, nonexclusive} -> end later\n\
             pay @error(POOR, code c, message m) -> end poor\n\
             pay @error as other -> end any",
            "process order, flowable: start -> pay{delegate charge, async nonexclusive, retry R3/PT10S} -> \
             ext{service mail} -> end paid\n\
             ext @timer(P1M) -> end late",
            "process order: start -> fork*{n > 1} -> a{service x, on start s, on end e} -> join* -> end\n\
             fork* -> ask{user, on create c, on complete d} -> join\n\
             join -> wait! -> m{message paid, key id} -> out{throw link L}\n\
             wait -> t{timer 1h} -> end late\n\
             into{link L} -> box{adhoc, active todo, until done} -> tell{throw escalation E} -> end told\n\
             in box: one{user}\n\
             in box: two{user} -> three{user}\n\
             event help in sub: start{escalation E, alongside} -> end\n\
             ask -> sub{subprocess} -> end\n\
             in sub: start -> end loud{escalation E}\n\
             sub @escalation(E) -> end caught",
            "process order, camunda: start -> deal{subprocess, transactional} -> c{condition paid} -> end\n\
             in deal: start -> x?{ok} -> end\n\
             in deal: x? -> end off{cancel}\n\
             deal @cancel -> ask{user, on assign A, on delete B, on update C} -> end gone\n\
             ask @condition(late, alongside) -> end told\n\
             event stop: start{condition stopped} -> end",
        ] {
            let sketch = Sketch::parse(text).expect(text);
            sketch.to_process().expect("a process");
        }
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        const CHAIN: &str = "a chain joins at least two elements with `->`";
        for (text, line, message) in [
            (
                "process p start -> end",
                0,
                "a process begins `process ID:` or `process ID, DIALECT:`",
            ),
            ("process p, bpel: start -> end", 0, "no dialect 'bpel'"),
            ("process p: start -> a -> end", 0, "'a' is never defined"),
            (
                "process p: start -> end\na{user} -> b{user}\nb{user} -> end",
                2,
                "'b' is defined twice",
            ),
            ("process p: start -> a{wizard} -> end", 0, "no kind of element 'wizard'"),
            ("process p: start -> a{service x, fast} -> end", 0, "no setting 'fast'"),
            ("process p: start -> a{service x -> end", 0, "a bracket is not closed"),
            ("process p: start -> a{user, on leave x} -> end", 0, "no listener hears of 'leave'"),
            ("process p: start -> a{user, on start} -> end", 0, "who listens to 'start'?"),
            ("process p: start -> a{subprocess} -> end\nin a: b{user}", 1, CHAIN),
            ("process p: start", 0, CHAIN),
        ] {
            let error = Sketch::parse(text).expect_err(text);
            assert_eq!((error.line, error.message.as_str()), (line, message));
        }
    }

    #[test]
    fn the_xml_reads_as_drawn() {
        let sketch = Sketch::parse("process p: start -> a{service x} -> end\na @timer(90s) -> end")
            .expect("a sketch");
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="sketch" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0">
  <process id="p" isExecutable="true">
    <startEvent id="start"/>
    <serviceTask id="a">
      <extensionElements><zeebe:taskDefinition type="x"/></extensionElements>
    </serviceTask>
    <endEvent id="end"/>
    <boundaryEvent id="a_timer" attachedToRef="a" cancelActivity="true">
      <timerEventDefinition><timeDuration>PT90S</timeDuration></timerEventDefinition>
    </boundaryEvent>
    <sequenceFlow id="f0" sourceRef="start" targetRef="a"/>
    <sequenceFlow id="f1" sourceRef="a" targetRef="end"/>
    <sequenceFlow id="f2" sourceRef="a_timer" targetRef="end"/>
  </process>
</definitions>
"#;
        assert_eq!(sketch.to_xml(), expected);
    }
}
