//! Any bytes give an answer.

use crate::support::*;
use orloj_model::{Dialect, Options, Parsed, parse};
use proptest::prelude::*;

const DIALECTS: [Dialect; 3] = [Dialect::Camunda7, Dialect::Flowable, Dialect::Zeebe];

/// A file with everything in it that the parser knows.
fn rich() -> String {
    definitions(
        r#"<error id="err" errorCode="E1"/>
<process id="p" name="Order" isExecutable="true" camunda:jobPriority="5" camunda:taskPriority="${p}">
<extensionElements><zeebe:jobPriorityDefinition priority="3"/></extensionElements>
<startEvent id="s" camunda:asyncBefore="true"/>
<serviceTask id="a" camunda:type="external" camunda:topic="t" flowable:class="A" flowable:async="true" camunda:exclusive="false">
<extensionElements><zeebe:taskDefinition type="=x" retries="4"/><zeebe:ioMapping><zeebe:input source="=a.b" target="c.d"/><zeebe:output source="=1" target="e"/></zeebe:ioMapping>
<camunda:failedJobRetryTimeCycle>PT1M,PT2M</camunda:failedJobRetryTimeCycle><zeebe:taskHeaders><zeebe:header key="k" value="v"/></zeebe:taskHeaders></extensionElements></serviceTask>
<boundaryEvent id="b" attachedToRef="a" cancelActivity="false"><timerEventDefinition><timeCycle>R3/PT1H</timeCycle></timerEventDefinition></boundaryEvent>
<boundaryEvent id="c" attachedToRef="a"><errorEventDefinition errorRef="err" camunda:errorCodeVariable="v"/></boundaryEvent>
<exclusiveGateway id="g" default="f3"/><parallelGateway id="h"/>
<userTask id="u" camunda:assignee="${who}"><extensionElements><zeebe:userTask/></extensionElements></userTask>
<intermediateCatchEvent id="i"><timerEventDefinition><timeDuration>PT5M</timeDuration></timerEventDefinition></intermediateCatchEvent>
<endEvent id="e"/>
<sequenceFlow id="f1" sourceRef="s" targetRef="a"/><sequenceFlow id="f2" sourceRef="a" targetRef="g"/>
<sequenceFlow id="f3" sourceRef="g" targetRef="h"/><sequenceFlow id="f4" sourceRef="g" targetRef="e"><conditionExpression>=${x &gt; 1}</conditionExpression></sequenceFlow>
<sequenceFlow id="f5" sourceRef="h" targetRef="u"/><sequenceFlow id="f6" sourceRef="h" targetRef="i"/>
<sequenceFlow id="f7" sourceRef="u" targetRef="e"/><sequenceFlow id="f8" sourceRef="i" targetRef="e"/>
<sequenceFlow id="f9" sourceRef="b" targetRef="e"/><sequenceFlow id="f10" sourceRef="c" targetRef="e"/>
</process>"#,
    )
}

/// What the interpreter relies on.
fn check_promises(parsed: &Parsed) {
    if parsed.has_errors() {
        assert!(parsed.processes.is_empty());
    }
    for process in &parsed.processes {
        assert!(process.root.none_start.is_none_or(|start| process.root.starts.contains(&start)));
        let count = process.elements.len();
        for index in process.indices() {
            let element = process.element(index);
            assert!(process.scope(element.parent).members.contains(&index));
            assert!(element.compensation.is_none_or(|handler| (handler.0 as usize) < count));
        }
        assert_eq!(process.by_id.len(), process.elements.len());
        for (id, &index) in &process.by_id {
            assert_eq!(&process.element(index).id, id);
        }
        for flow in &process.flows {
            assert!((flow.source.0 as usize) < process.elements.len());
            assert!((flow.target.0 as usize) < process.elements.len());
        }
        for element in &process.elements {
            for &flow in element.incoming.iter().chain(&element.outgoing) {
                assert!((flow.0 as usize) < process.flows.len());
            }
            assert!(element.default_flow.is_none_or(|flow| element.outgoing.contains(&flow)));
        }
    }
    for diagnostic in &parsed.diagnostics {
        assert!(diagnostic.position.line >= 1 && diagnostic.position.column >= 1);
        assert!(!diagnostic.code.is_empty() && !diagnostic.message.is_empty());
    }
}

fn parse_in_every_dialect(bytes: &[u8]) {
    check_promises(&parse(bytes, &Options::default()));
    for dialect in DIALECTS {
        check_promises(&parse(bytes, &Options::of(dialect)));
    }
}

#[test]
fn the_rich_file_is_accepted_by_the_older_dialects() {
    let parsed = read(&rich(), Dialect::Camunda7);
    assert!(!parsed.has_errors(), "{}", listed(&parsed));
    check_promises(&parsed);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        parse_in_every_dialect(&bytes);
    }

    #[test]
    fn arbitrary_markup_never_panics(
        words in proptest::collection::vec(proptest::sample::select(vec![
            "<", ">", "/", "</", "/>", "a", "xmlns", ":", "=", "\"", "'", " ", "&", "&lt;", ";",
            "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "<?xml ", "encoding", "é", "\n", "=1",
            "<process id=\"p\" isExecutable=\"true\">", "</process>", "<startEvent id=\"s\"/>",
        ]), 0..60),
    ) {
        parse_in_every_dialect(words.concat().as_bytes());
        parse_in_every_dialect(definitions(&words.concat()).as_bytes());
        parse_in_every_dialect(process(&words.concat()).as_bytes());
    }

    #[test]
    fn a_damaged_file_never_panics(
        damages in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let mut bytes = rich().into_bytes();
        for (at, byte, kind) in damages {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                _ => bytes.insert(at, byte),
            }
        }
        parse_in_every_dialect(&bytes);
    }

    #[test]
    fn moved_and_doubled_parts_never_panic(
        moves in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>()), 1..8),
    ) {
        let text = rich();
        let mut parts: Vec<&str> = text.split_inclusive('>').collect();
        for (from, to, keep) in moves {
            let part = parts[from.index(parts.len())];
            if !keep {
                parts.remove(from.index(parts.len()));
            }
            parts.insert(to.index(parts.len()), part);
        }
        parse_in_every_dialect(parts.concat().as_bytes());
    }

    #[test]
    fn swapped_values_never_panic(
        swaps in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..12),
    ) {
        let text = rich();
        let mut parts: Vec<&str> = text.split('"').collect();
        for (one, other) in swaps {
            // Odd parts are the values.
            let values = parts.len() / 2;
            parts.swap(one.index(values) * 2 + 1, other.index(values) * 2 + 1);
        }
        parse_in_every_dialect(parts.join("\"").as_bytes());
    }
}
