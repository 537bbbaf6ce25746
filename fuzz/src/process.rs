//! Random processes, played: whatever a model says and whatever is done with it, the interpreter
//! neither panics nor goes on for ever, and the same input gives the same trace.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use orloj_rehearsal::{Engine, File, Pass, Run, Stage, StartBy, Stubs};

use crate::random::Random;
use crate::walk;

/// Blocks inside of blocks.
const DEPTH_MAX: usize = 4;
/// Blocks in a row.
const LENGTH_MAX: usize = 4;

pub fn check(input: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(input) else { return false };
    let mut accepted = false;
    for engine in [Engine::Camunda7, Engine::Flowable, Engine::Zeebe] {
        for pass in [Pass::Forward, Pass::Reverse, Pass::Error] {
            let run = Run {
                id: "fuzz".to_owned(),
                engine,
                files: Vec::new(),
                start: Some("p".to_owned()),
                vars: None,
                pass,
                start_by: StartBy::Hand,
            };
            let file = File { name: "fuzz.bpmn".to_owned(), bytes: text.as_bytes().to_vec() };
            let files = [file];
            let first = stage().play_here(&run, &files);
            let second = stage().play_here(&run, &files);
            let (first, second) = (first.to_json(), second.to_json());
            assert_eq!(first, second, "the same input gives the same trace");
            accepted |= first.contains("\"deploy\":\"ok\"");
        }
        let first = walk::walk(stage(), engine, text);
        assert_eq!(first, walk::walk(stage(), engine, text), "the same commands, the same state");
    }
    accepted
}

fn stage() -> &'static Arc<Stage> {
    static STAGE: OnceLock<Arc<Stage>> = OnceLock::new();
    STAGE.get_or_init(|| Arc::new(Stage::new(Stubs::default(), None).expect("a stage")))
}

/// A process of blocks that begin and end once each.
pub fn make(random: &mut Random) -> String {
    let mut draft = Draft { random, xml: String::new(), number: 0, depth: 0 };
    let dialect = draft.random.below(3);
    draft.inside(dialect);
    let inside = draft.xml;
    let namespaces = r#"xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:flowable="http://flowable.org/bpmn" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0""#;
    format!(
        r#"<definitions {namespaces} targetNamespace="t"><message id="m" name="m"><extensionElements><zeebe:subscription correlationKey="=&quot;k&quot;"/></extensionElements></message><signal id="g" name="g"/><error id="err" errorCode="E"/><escalation id="esc" escalationCode="C"/><process id="p" isExecutable="true">{inside}</process></definitions>"#
    )
}

struct Draft<'a> {
    random: &'a mut Random,
    xml: String,
    number: u32,
    depth: usize,
}

impl Draft<'_> {
    fn id(&mut self, word: &str) -> String {
        self.number += 1;
        format!("{word}{}", self.number)
    }

    /// A start event, blocks, an end event.
    fn inside(&mut self, dialect: usize) {
        let start = self.id("start");
        let _ = write!(self.xml, r#"<startEvent id="{start}"/>"#);
        let last = self.blocks(start, dialect);
        let end = self.id("end");
        let definition = match self.random.below(8) {
            0 => "<terminateEventDefinition/>",
            1 => r#"<errorEventDefinition errorRef="err"/>"#,
            2 => r#"<escalationEventDefinition escalationRef="esc"/>"#,
            3 => "<compensateEventDefinition/>",
            4 => r#"<signalEventDefinition signalRef="g"/>"#,
            _ => "",
        };
        let _ = write!(self.xml, r#"<endEvent id="{end}">{definition}</endEvent>"#);
        self.flow(&last, &end, "");
    }

    fn flow(&mut self, from: &str, to: &str, condition: &str) {
        let id = self.id("f");
        let _ = write!(
            self.xml,
            r#"<sequenceFlow id="{id}" sourceRef="{from}" targetRef="{to}">{condition}</sequenceFlow>"#
        );
    }

    /// Blocks in a row behind an element; the last element is the answer.
    fn blocks(&mut self, from: String, dialect: usize) -> String {
        let mut last = from;
        for _ in 0..=self.random.below(LENGTH_MAX) {
            last = self.block(&last, dialect);
        }
        last
    }

    fn block(&mut self, from: &str, dialect: usize) -> String {
        let is_deep = self.depth >= DEPTH_MAX;
        self.depth += 1;
        let last = match self.random.below(if is_deep { 4 } else { 9 }) {
            0..=2 => self.activity(from, dialect),
            3 => self.catch(from),
            4 => self.fork(from, "parallelGateway", dialect),
            5 => self.fork(from, "inclusiveGateway", dialect),
            6 => self.fork(from, "exclusiveGateway", dialect),
            7 => self.subprocess(from, dialect),
            _ => self.events(from),
        };
        self.depth -= 1;
        last
    }

    fn several(&mut self) -> String {
        if !self.random.one_in(5) {
            return String::new();
        }
        let (sequential, count) = (self.random.one_in(2), self.random.below(4));
        format!(
            r#"<multiInstanceLoopCharacteristics isSequential="{sequential}"><extensionElements><zeebe:loopCharacteristics inputCollection="=[1,2,3]" inputElement="i"/></extensionElements><loopCardinality>{count}</loopCardinality></multiInstanceLoopCharacteristics>"#
        )
    }

    fn saved(&mut self, dialect: usize) -> &'static str {
        match (self.random.below(5), dialect) {
            (0, 0) => r#" camunda:asyncBefore="true""#,
            (1, 0) => r#" camunda:asyncAfter="true""#,
            (0, 1) => r#" flowable:async="true""#,
            _ => "",
        }
    }

    fn activity(&mut self, from: &str, dialect: usize) -> String {
        let id = self.id("task");
        let (several, saved) = (self.several(), self.saved(dialect));
        let _ = match self.random.below(4) {
            0 => write!(self.xml, r#"<userTask id="{id}"{saved}>{several}</userTask>"#),
            1 => write!(self.xml, r#"<task id="{id}"{saved}>{several}</task>"#),
            2 => write!(
                self.xml,
                r#"<serviceTask id="{id}"{saved} camunda:type="external" camunda:topic="w"><extensionElements><zeebe:taskDefinition type="w"/></extensionElements>{several}</serviceTask>"#
            ),
            _ => write!(
                self.xml,
                r#"<receiveTask id="{id}"{saved} messageRef="m">{several}</receiveTask>"#
            ),
        };
        self.flow(from, &id, "");
        self.boundary(&id);
        id
    }

    /// Perhaps an event on an activity, with an end of its own.
    fn boundary(&mut self, host: &str) {
        if !self.random.one_in(2) {
            return;
        }
        let (id, end) = (self.id("on"), self.id("end"));
        let interrupting = self.random.one_in(2);
        let definition = match self.random.below(6) {
            0 => r#"<errorEventDefinition errorRef="err"/>"#,
            1 => r#"<escalationEventDefinition escalationRef="esc"/>"#,
            2 => r#"<messageEventDefinition messageRef="m"/>"#,
            3 => r#"<signalEventDefinition signalRef="g"/>"#,
            4 => {
                let undo = self.id("undo");
                let association = self.id("a");
                let _ = write!(
                    self.xml,
                    r#"<boundaryEvent id="{id}" attachedToRef="{host}"><compensateEventDefinition/></boundaryEvent><task id="{undo}" isForCompensation="true"/><association id="{association}" sourceRef="{id}" targetRef="{undo}"/>"#
                );
                return;
            }
            _ => "<timerEventDefinition><timeDuration>PT1M</timeDuration></timerEventDefinition>",
        };
        let cancels = interrupting || definition.starts_with("<error");
        let _ = write!(
            self.xml,
            r#"<boundaryEvent id="{id}" attachedToRef="{host}" cancelActivity="{cancels}">{definition}</boundaryEvent><endEvent id="{end}"/>"#
        );
        self.flow(&id, &end, "");
    }

    fn catch(&mut self, from: &str) -> String {
        let id = self.id("wait");
        let definition = match self.random.below(3) {
            0 => r#"<messageEventDefinition messageRef="m"/>"#,
            1 => r#"<signalEventDefinition signalRef="g"/>"#,
            _ => "<timerEventDefinition><timeDuration>PT5S</timeDuration></timerEventDefinition>",
        };
        let _ = write!(
            self.xml,
            r#"<intermediateCatchEvent id="{id}">{definition}</intermediateCatchEvent>"#
        );
        self.flow(from, &id, "");
        id
    }

    fn fork(&mut self, from: &str, kind: &str, dialect: usize) -> String {
        let (fork, join) = (self.id("fork"), self.id("join"));
        let saved = self.saved(dialect);
        let _ = write!(self.xml, r#"<{kind} id="{fork}"/><{kind} id="{join}"{saved}/>"#);
        self.flow(from, &fork, "");
        for branch in 0..=self.random.below(2) + 1 {
            let condition = match (kind, branch) {
                ("parallelGateway", _) | (_, 0) => "",
                _ if self.random.one_in(2) => "<conditionExpression>=true</conditionExpression>",
                _ => "<conditionExpression>${true}</conditionExpression>",
            };
            let first = self.id("b");
            let _ = write!(self.xml, r#"<task id="{first}"/>"#);
            self.flow(&fork, &first, condition);
            let last = self.block(&first, dialect);
            self.flow(&last, &join, "");
        }
        join
    }

    fn subprocess(&mut self, from: &str, dialect: usize) -> String {
        let id = self.id("sub");
        let (several, saved) = (self.several(), self.saved(dialect));
        let _ = write!(self.xml, r#"<subProcess id="{id}"{saved}>{several}"#);
        self.inside(dialect);
        if self.random.one_in(3) {
            let (event, start, end) = (self.id("event"), self.id("start"), self.id("end"));
            let interrupting = self.random.one_in(2);
            let _ = write!(
                self.xml,
                r#"<subProcess id="{event}" triggeredByEvent="true"><startEvent id="{start}" isInterrupting="{interrupting}"><signalEventDefinition signalRef="g"/></startEvent><endEvent id="{end}"/>"#
            );
            self.flow(&start, &end, "");
            self.xml.push_str("</subProcess>");
        }
        self.xml.push_str("</subProcess>");
        self.flow(from, &id, "");
        self.boundary(&id);
        id
    }

    fn events(&mut self, from: &str) -> String {
        let (gateway, join) = (self.id("choice"), self.id("join"));
        let _ = write!(
            self.xml,
            r#"<eventBasedGateway id="{gateway}"/><exclusiveGateway id="{join}"/>"#
        );
        self.flow(from, &gateway, "");
        for _ in 0..2 {
            let event = self.catch(&gateway);
            self.flow(&event, &join, "");
        }
        join
    }
}

pub const SEEDS: &[&str] = crate::bpmn::SEEDS;
