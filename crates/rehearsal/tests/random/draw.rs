//! Blocks as BPMN, in the dialect of one engine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use orloj_rehearsal::Engine;

use crate::block::{
    Block, Blocks, Called, Ending, Event, Guarded, Host, Sub, Task, Thrown, Trigger,
};

/// A model, and what lies in what.
pub struct Drawing {
    pub xml: String,
    /// The scope of each element; `None`: the process.
    pub parents: BTreeMap<String, Option<String>>,
    /// Whether something in it ends with an error.
    pub throws: bool,
    /// Whether an inclusive join waits for what may come from a boundary event and never does.
    pub starves: bool,
    /// Scopes that the start events of their event subprocesses may keep open, even when these have
    /// occurred for the last time.
    pub kept: BTreeSet<String>,
}

pub const PROCESS: &str = "main";

pub fn draw(engine: Engine, blocks: &Blocks) -> Drawing {
    let mut pen = Pen {
        engine,
        count: 0,
        parents: BTreeMap::new(),
        throws: false,
        starves: false,
        kept: BTreeSet::new(),
        is_beside: false,
        repeats: false,
    };
    let mut scope = Scope::default();
    pen.whole(&mut scope, None, blocks, Ending::Plain);
    let mut xml = String::from(HEAD);
    let _ =
        writeln!(xml, r#"<process id="{PROCESS}" isExecutable="true">{}</process>"#, scope.xml());
    for (id, ending) in [("waits", ""), ("fails", r#"<errorEventDefinition errorRef="error"/>"#)] {
        let mut called = Scope::default();
        called.add("startEvent", &format!("{id}_start"), "", "", "");
        called.add("userTask", &format!("{id}_user"), "", pen.user_extension(), "");
        called.add("endEvent", &format!("{id}_end"), "", "", ending);
        called.flow(&format!("{id}_start"), &format!("{id}_user"), None);
        called.flow(&format!("{id}_user"), &format!("{id}_end"), None);
        let _ =
            writeln!(xml, r#"<process id="{id}" isExecutable="true">{}</process>"#, called.xml());
    }
    xml.push_str(&pen.definitions());
    xml.push_str("</definitions>");
    Drawing { xml, parents: pen.parents, throws: pen.throws, starves: pen.starves, kept: pen.kept }
}

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn"
    xmlns:flowable="http://flowable.org/bpmn" id="definitions" targetNamespace="random">
"#;

struct Pen {
    engine: Engine,
    count: usize,
    parents: BTreeMap<String, Option<String>>,
    throws: bool,
    starves: bool,
    kept: BTreeSet<String>,
    /// What is drawn lies behind a boundary event that does not interrupt.
    is_beside: bool,
    /// What is drawn can come again and again: it throws no signal and changes no condition, which
    /// it could hear of itself.
    repeats: bool,
}

#[derive(Default)]
struct Scope {
    nodes: Vec<Node>,
    flows: Vec<Flow>,
    associations: String,
}

struct Node {
    tag: &'static str,
    id: String,
    attributes: String,
    extension: String,
    inside: String,
}

struct Flow {
    id: String,
    from: String,
    to: String,
    condition: Option<String>,
}

impl Scope {
    fn add(
        &mut self,
        tag: &'static str,
        id: &str,
        attributes: &str,
        extension: &str,
        inside: &str,
    ) {
        self.nodes.push(Node {
            tag,
            id: id.to_owned(),
            attributes: attributes.to_owned(),
            extension: extension.to_owned(),
            inside: inside.to_owned(),
        });
    }

    fn flow(&mut self, from: &str, to: &str, condition: Option<String>) -> String {
        let id = format!("{from}-{to}");
        let (from, to) = (from.to_owned(), to.to_owned());
        self.flows.push(Flow { id: id.clone(), from, to, condition });
        id
    }

    fn xml(&self) -> String {
        let mut xml = String::new();
        for Node { tag, id, attributes, extension, inside } in &self.nodes {
            let _ = write!(xml, r#"<{tag} id="{id}" {attributes}>"#);
            if !extension.is_empty() {
                let _ = write!(xml, "<extensionElements>{extension}</extensionElements>");
            }
            for flow in self.flows.iter().filter(|flow| flow.to == *id) {
                let _ = write!(xml, "<incoming>{}</incoming>", flow.id);
            }
            for flow in self.flows.iter().filter(|flow| flow.from == *id) {
                let _ = write!(xml, "<outgoing>{}</outgoing>", flow.id);
            }
            let _ = writeln!(xml, "{inside}</{tag}>");
        }
        for Flow { id, from, to, condition } in &self.flows {
            let _ = write!(xml, r#"<sequenceFlow id="{id}" sourceRef="{from}" targetRef="{to}">"#);
            if let Some(condition) = condition {
                let _ = write!(
                    xml,
                    r#"<conditionExpression xsi:type="tFormalExpression">{condition}</conditionExpression>"#
                );
            }
            xml.push_str("</sequenceFlow>\n");
        }
        xml + &self.associations
    }
}

/// Where a block begins and where it ends.
type Ends = (String, String);

impl Pen {
    fn name(&mut self, word: &str, parent: Option<&str>) -> String {
        self.count += 1;
        let id = format!("{word}{}", self.count);
        self.parents.insert(id.clone(), parent.map(str::to_owned));
        id
    }

    /// Everything from a start event to an end event.
    fn whole(&mut self, scope: &mut Scope, parent: Option<&str>, blocks: &Blocks, ending: Ending) {
        let around = std::mem::take(&mut self.is_beside);
        let (start, end) = (self.name("start", parent), self.name("end", parent));
        scope.add("startEvent", &start, "", "", "");
        let (first, last) = self.chain(scope, parent, blocks);
        scope.add("endEvent", &end, "", "", ending_definition(ending));
        self.throws |= matches!(ending, Ending::Error);
        scope.flow(&start, &first, None);
        scope.flow(&last, &end, None);
        self.is_beside = around;
    }

    fn chain(&mut self, scope: &mut Scope, parent: Option<&str>, blocks: &Blocks) -> Ends {
        let mut ends: Option<Ends> = None;
        for block in blocks {
            let (first, last) = self.block(scope, parent, block);
            ends = Some(match ends {
                None => (first, last),
                Some((begin, before)) => {
                    scope.flow(&before, &first, None);
                    (begin, last)
                }
            });
        }
        ends.expect("there is a block at least")
    }

    fn block(&mut self, scope: &mut Scope, parent: Option<&str>, block: &Block) -> Ends {
        match block {
            Block::Task(task) => both(self.task(scope, parent, *task, "", "")),
            Block::Catch(event) => {
                let id = self.name("catch", parent);
                scope.add("intermediateCatchEvent", &id, "", "", &self.event_definition(*event));
                both(id)
            }
            Block::Throw(thrown) => {
                let id = self.name("throw", parent);
                let definition = match thrown {
                    Thrown::Nothing => String::new(),
                    Thrown::Signal(_) if self.repeats => String::new(),
                    Thrown::Signal(n) => {
                        format!(r#"<signalEventDefinition signalRef="signal_{n}"/>"#)
                    }
                    Thrown::Escalation => ESCALATION.to_owned(),
                };
                scope.add("intermediateThrowEvent", &id, "", "", &definition);
                both(id)
            }
            Block::Assign(n, holds) => both(self.assign(scope, parent, *n, *holds)),
            Block::Exclusive(ways) => self.choice(scope, parent, "exclusiveGateway", ways),
            Block::Inclusive(ways) => {
                self.starves |= self.is_beside;
                self.choice(scope, parent, "inclusiveGateway", ways)
            }
            Block::Parallel(ways) => {
                let (fork, join) = (self.name("fork", parent), self.name("join", parent));
                scope.add("parallelGateway", &fork, "", "", "");
                for way in ways {
                    let (first, last) = self.chain(scope, parent, way);
                    scope.flow(&fork, &first, None);
                    scope.flow(&last, &join, None);
                }
                scope.add("parallelGateway", &join, "", "", "");
                (fork, join)
            }
            Block::Race(ways) => self.race(scope, parent, ways),
            Block::Sub(sub) => both(self.sub(scope, parent, sub, "")),
            Block::Guarded(guarded) => self.guarded(scope, parent, guarded),
            Block::Multi { sequential, count, inside } => {
                let many = self.multi(*sequential, *count);
                both(match inside {
                    None => self.task(scope, parent, Task::Worker, "", &many),
                    Some(inside) => {
                        let sub =
                            Sub { inside: inside.clone(), ending: Ending::Plain, events: None };
                        self.sub(scope, parent, &sub, &many)
                    }
                })
            }
            Block::Call(called) => both(self.call(scope, parent, *called)),
            Block::Undone { inside, handler, after } => {
                self.undone(scope, parent, inside.as_ref(), *handler, after)
            }
            Block::Link => self.link(scope, parent),
            Block::Transaction { inside, cancels, way } => {
                self.transaction(scope, parent, inside, *cancels, way)
            }
            Block::AdHoc(tasks) => self.ad_hoc(scope, parent, tasks),
        }
    }

    fn link(&mut self, scope: &mut Scope, parent: Option<&str>) -> Ends {
        if self.engine == Engine::Flowable {
            // It knows no links.
            return both(self.task(scope, parent, Task::Plain, "", ""));
        }
        let (from, to) = (self.name("from", parent), self.name("to", parent));
        let definition = format!(r#"<linkEventDefinition id="{from}-link" name="{from}"/>"#);
        scope.add("intermediateThrowEvent", &from, "", "", &definition);
        let definition = format!(r#"<linkEventDefinition id="{to}-link" name="{from}"/>"#);
        scope.add("intermediateCatchEvent", &to, "", "", &definition);
        (from, to)
    }

    fn transaction(
        &mut self,
        scope: &mut Scope,
        parent: Option<&str>,
        inside: &Blocks,
        cancels: bool,
        way: &Blocks,
    ) -> Ends {
        // Zeebe has none.
        let is_one = self.engine != Engine::Zeebe;
        let ending = if cancels && is_one { Ending::Cancel } else { Ending::Plain };
        let sub = Sub { inside: inside.clone(), ending, events: None };
        let host = self.sub(scope, parent, &sub, "");
        if !is_one {
            return both(host);
        }
        scope.nodes.last_mut().expect("it was just added").tag = "transaction";
        let boundary = self.name("boundary", parent);
        let attributes = format!(r#"attachedToRef="{host}""#);
        scope.add("boundaryEvent", &boundary, &attributes, "", CANCEL);
        let (first, last) = self.chain(scope, parent, way);
        let merge = self.name("merge", parent);
        scope.add("exclusiveGateway", &merge, "", "", "");
        scope.flow(&boundary, &first, None);
        scope.flow(&host, &merge, None);
        scope.flow(&last, &merge, None);
        (host, merge)
    }

    fn ad_hoc(&mut self, scope: &mut Scope, parent: Option<&str>, tasks: &[Task]) -> Ends {
        if self.engine != Engine::Zeebe {
            // Camunda passes it over, and in Flowable only a person begins what is in it.
            let ways = tasks.iter().map(|task| vec![Block::Task(*task)]).collect();
            return self.block(scope, parent, &Block::Parallel(ways));
        }
        let id = self.name("sub", parent);
        let mut inner = Scope::default();
        let ids = tasks.iter().map(|task| self.task(&mut inner, Some(&id), *task, "", ""));
        let list = ids.map(|id| format!("\"{id}\"")).collect::<Vec<_>>().join(", ");
        let chosen = format!("<zeebe:adHoc activeElementsCollection='= [{list}]'/>");
        scope.add("adHocSubProcess", &id, "", &chosen, &inner.xml());
        both(id)
    }

    fn task(
        &mut self,
        scope: &mut Scope,
        parent: Option<&str>,
        task: Task,
        attributes: &str,
        inside: &str,
    ) -> String {
        match task {
            Task::Plain => {
                let id = self.name("plain", parent);
                scope.add("task", &id, attributes, "", inside);
                id
            }
            Task::User => {
                let id = self.name("user", parent);
                scope.add("userTask", &id, attributes, self.user_extension(), inside);
                id
            }
            Task::Worker => {
                let id = self.name("worker", parent);
                let (own, extension) = match self.engine {
                    Engine::Zeebe => ("", r#"<zeebe:taskDefinition type="work"/>"#),
                    Engine::Camunda7 => (r#"camunda:type="external" camunda:topic="work""#, ""),
                    Engine::Flowable => {
                        (r#"flowable:type="external-worker" flowable:topic="work""#, "")
                    }
                };
                scope.add("serviceTask", &id, &format!("{attributes} {own}"), extension, inside);
                id
            }
        }
    }

    fn user_extension(&self) -> &'static str {
        if self.engine == Engine::Zeebe { "<zeebe:userTask/>" } else { "" }
    }

    fn choice(
        &mut self,
        scope: &mut Scope,
        parent: Option<&str>,
        tag: &'static str,
        ways: &[(bool, Blocks)],
    ) -> Ends {
        let (split, merge) = (self.name("split", parent), self.name("merge", parent));
        let at = scope.nodes.len();
        scope.add(tag, &split, "", "", "");
        for (position, (holds, way)) in ways.iter().enumerate() {
            let (first, last) = self.chain(scope, parent, way);
            let condition = (position > 0).then(|| match self.engine {
                Engine::Zeebe => format!("= {holds}"),
                Engine::Camunda7 | Engine::Flowable => format!("${{{holds}}}"),
            });
            let flow = scope.flow(&split, &first, condition);
            if position == 0 {
                scope.nodes[at].attributes = format!(r#"default="{flow}""#);
            }
            scope.flow(&last, &merge, None);
        }
        scope.add(tag, &merge, "", "", "");
        (split, merge)
    }

    /// A task that gives a variable its value.
    fn assign(
        &mut self,
        scope: &mut Scope,
        parent: Option<&str>,
        number: u8,
        holds: bool,
    ) -> String {
        let id = self.name("assign", parent);
        if self.repeats {
            scope.add("task", &id, "", "", "");
            return id;
        }
        let (own, script) = match self.engine {
            Engine::Zeebe => (
                String::new(),
                format!(r#"<zeebe:script expression="= {holds}" resultVariable="c{number}"/>"#),
            ),
            Engine::Camunda7 | Engine::Flowable => {
                let prefix = if self.engine == Engine::Flowable { "flowable" } else { "camunda" };
                let result = "resultVariable";
                let value = format!(r#"{prefix}:expression="${{{holds}}}""#);
                (format!(r#"{value} {prefix}:{result}="c{number}""#), String::new())
            }
        };
        let tag = if self.engine == Engine::Zeebe { "scriptTask" } else { "serviceTask" };
        scope.add(tag, &id, &own, &script, "");
        id
    }

    fn race(&mut self, scope: &mut Scope, parent: Option<&str>, ways: &[(Event, Blocks)]) -> Ends {
        let (gate, merge) = (self.name("race", parent), self.name("merge", parent));
        scope.add("eventBasedGateway", &gate, "", "", "");
        for (position, (event, way)) in ways.iter().enumerate() {
            let id = self.name("event", parent);
            // Each is awaited once only.
            let number = u8::try_from(position).unwrap_or(0) + 1;
            let event = match event {
                Event::Message(_) => Event::Message(number),
                Event::Signal(_) => Event::Signal(number),
                Event::Condition(_) => Event::Condition(number),
                other => *other,
            };
            scope.add("intermediateCatchEvent", &id, "", "", &self.event_definition(event));
            let (first, last) = self.chain(scope, parent, way);
            scope.flow(&gate, &id, None);
            scope.flow(&id, &first, None);
            scope.flow(&last, &merge, None);
        }
        scope.add("exclusiveGateway", &merge, "", "", "");
        (gate, merge)
    }

    fn sub(&mut self, scope: &mut Scope, parent: Option<&str>, sub: &Sub, many: &str) -> String {
        let id = self.name("sub", parent);
        let mut inner = Scope::default();
        self.whole(&mut inner, Some(&id), &sub.inside, sub.ending);
        if let Some((trigger, interrupting, way)) = &sub.events {
            let events = self.name("events", Some(&id));
            let mut around = Scope::default();
            let before = self.repeats;
            self.repeats |= !interrupting;
            self.whole(&mut around, Some(&events), way, Ending::Plain);
            self.repeats = before;
            around.nodes[0].attributes = format!(r#"isInterrupting="{interrupting}""#);
            around.nodes[0].inside = self.trigger_definition(*trigger);
            inner.add("subProcess", &events, r#"triggeredByEvent="true""#, "", &around.xml());
        }
        scope.add("subProcess", &id, "", "", &format!("{many}{}", inner.xml()));
        id
    }

    fn call(&mut self, scope: &mut Scope, parent: Option<&str>, called: Called) -> String {
        let id = self.name("call", parent);
        self.throws |= matches!(called, Called::Fails);
        let process = match called {
            Called::Waits => "waits",
            Called::Fails => "fails",
        };
        match self.engine {
            Engine::Zeebe => {
                let extension = format!(r#"<zeebe:calledElement processId="{process}"/>"#);
                scope.add("callActivity", &id, "", &extension, "");
            }
            Engine::Camunda7 | Engine::Flowable => {
                let called = format!(r#"calledElement="{process}""#);
                scope.add("callActivity", &id, &called, "", "");
            }
        }
        id
    }

    fn multi(&self, sequential: bool, count: u8) -> String {
        let inside = match self.engine {
            Engine::Zeebe => format!(
                "<extensionElements><zeebe:loopCharacteristics inputCollection=\"= for i in 1..{} \
                 return i\"/></extensionElements>",
                count.max(1)
            ),
            Engine::Camunda7 | Engine::Flowable => {
                format!("<loopCardinality>{count}</loopCardinality>")
            }
        };
        format!(
            r#"<multiInstanceLoopCharacteristics isSequential="{sequential}">{inside}</multiInstanceLoopCharacteristics>"#
        )
    }

    fn guarded(&mut self, scope: &mut Scope, parent: Option<&str>, guarded: &Guarded) -> Ends {
        let host = match &guarded.host {
            Host::User => self.task(scope, parent, Task::User, "", ""),
            Host::Worker => self.task(scope, parent, Task::Worker, "", ""),
            Host::Sub(sub) => self.sub(scope, parent, sub, ""),
            Host::Call(called) => self.call(scope, parent, *called),
        };
        let has_events = matches!(&guarded.host, Host::Sub(sub) if sub.events.is_some());
        if has_events && self.engine == Engine::Flowable {
            self.kept.insert(host.clone());
        }
        let boundary = self.name("boundary", parent);
        let interrupting = guarded.interrupting;
        let attributes = format!(r#"attachedToRef="{host}" cancelActivity="{interrupting}""#);
        let definition = self.trigger_definition(self.guard(guarded));
        scope.add("boundaryEvent", &boundary, &attributes, "", &definition);
        let around = (self.is_beside, self.repeats);
        self.is_beside |= !interrupting;
        self.repeats |= !interrupting;
        let (first, last) = self.chain(scope, parent, &guarded.way);
        (self.is_beside, self.repeats) = around;
        scope.flow(&boundary, &first, None);
        if !interrupting {
            let end = self.name("end", parent);
            scope.add("endEvent", &end, "", "", "");
            scope.flow(&last, &end, None);
            return (host.clone(), host);
        }
        let merge = self.name("merge", parent);
        scope.add("exclusiveGateway", &merge, "", "", "");
        scope.flow(&host, &merge, None);
        scope.flow(&last, &merge, None);
        (host, merge)
    }

    /// Camunda refuses a subprocess that waits for one message in two ways.
    fn guard(&self, guarded: &Guarded) -> Trigger {
        let Host::Sub(Sub { events: Some((inside, ..)), .. }) = &guarded.host else {
            return guarded.trigger;
        };
        match (guarded.trigger, *inside) {
            (Trigger::Event(Event::Message(one)), Trigger::Event(Event::Message(other)))
                if one == other && self.engine == Engine::Camunda7 =>
            {
                Trigger::Event(Event::Timer { hours: 1 })
            }
            (trigger, _) => trigger,
        }
    }

    fn undone(
        &mut self,
        scope: &mut Scope,
        parent: Option<&str>,
        inside: Option<&Blocks>,
        handler: Task,
        after: &Blocks,
    ) -> Ends {
        let host = match inside {
            None => self.task(scope, parent, Task::User, "", ""),
            Some(inside) => {
                let sub = Sub { inside: inside.clone(), ending: Ending::Plain, events: None };
                self.sub(scope, parent, &sub, "")
            }
        };
        let (event, undo) = (self.name("undoing", parent), self.name("undo", parent));
        let definition = |of: &str| format!(r#"<compensateEventDefinition id="{of}-definition"/>"#);
        let attached = format!(r#"attachedToRef="{host}""#);
        scope.add("boundaryEvent", &event, &attached, "", &definition(&event));
        // In Flowable handlers belong to the instance as a whole.
        let owner = if self.engine == Engine::Flowable { None } else { parent };
        let handler = self.task(scope, owner, handler, r#"isForCompensation="true""#, "");
        let _ = writeln!(
            scope.associations,
            r#"<association id="{event}-{handler}" sourceRef="{event}" targetRef="{handler}" associationDirection="One"/>"#
        );
        let (first, last) = self.chain(scope, parent, after);
        scope.add("intermediateThrowEvent", &undo, "", "", &definition(&undo));
        scope.flow(&host, &first, None);
        scope.flow(&last, &undo, None);
        (host, undo)
    }

    fn trigger_definition(&self, trigger: Trigger) -> String {
        match trigger {
            Trigger::Event(event) => self.event_definition(event),
            Trigger::Error => r#"<errorEventDefinition errorRef="error"/>"#.to_owned(),
            Trigger::Escalation => ESCALATION.to_owned(),
        }
    }

    fn event_definition(&self, event: Event) -> String {
        match event {
            Event::Timer { hours } => format!(
                r#"<timerEventDefinition><timeDuration xsi:type="tFormalExpression">PT{hours}H</timeDuration></timerEventDefinition>"#
            ),
            Event::Message(n) => format!(r#"<messageEventDefinition messageRef="message_{n}"/>"#),
            Event::Signal(n) => format!(r#"<signalEventDefinition signalRef="signal_{n}"/>"#),
            // Zeebe refuses events on conditions.
            Event::Condition(n) if self.engine == Engine::Zeebe => {
                self.event_definition(Event::Timer { hours: n })
            }
            Event::Condition(n) => format!(
                r#"<conditionalEventDefinition><condition xsi:type="tFormalExpression">${{c{n}}}</condition></conditionalEventDefinition>"#
            ),
        }
    }

    fn definitions(&self) -> String {
        let mut xml = String::from(concat!(
            r#"<error id="error" name="error" errorCode="ERROR"/>"#,
            r#"<escalation id="escalation" name="escalation" escalationCode="ESCALATION"/>"#
        ));
        let key = match self.engine {
            Engine::Zeebe => {
                "<extensionElements><zeebe:subscription correlationKey='= \"key\"'/>\
                 </extensionElements>"
            }
            Engine::Camunda7 | Engine::Flowable => "",
        };
        for n in 1..5 {
            let _ = write!(xml, r#"<signal id="signal_{n}" name="signal {n}"/>"#);
            let _ = write!(xml, r#"<message id="message_{n}" name="message {n}">{key}</message>"#);
        }
        xml
    }
}

fn both(id: String) -> Ends {
    (id.clone(), id)
}

const CANCEL: &str = "<cancelEventDefinition/>";
const ESCALATION: &str = r#"<escalationEventDefinition escalationRef="escalation"/>"#;

fn ending_definition(ending: Ending) -> &'static str {
    match ending {
        Ending::Plain => "",
        Ending::Terminate => "<terminateEventDefinition/>",
        Ending::Error => r#"<errorEventDefinition errorRef="error"/>"#,
        Ending::Escalation => ESCALATION,
        Ending::Cancel => CANCEL,
    }
}
