//! BPMN files in all dialects: read, and everything that is found has a place in the file.

use orloj_model::{Dialect, Options, advise, parse};

use crate::mutation::mutated;
use crate::process;
use crate::random::Random;

pub fn check(input: &[u8]) -> bool {
    let lines = input.split(|byte| *byte == b'\n').count() as u32;
    let mut accepted = false;
    for dialect in [None, Some(Dialect::Camunda7), Some(Dialect::Flowable), Some(Dialect::Zeebe)] {
        let parsed = parse(input, &Options { dialect, ..Options::default() });
        for problem in parsed.diagnostics.iter().chain(&advice(&parsed.processes)) {
            assert!(problem.position.line <= lines.max(1), "{problem} is outside of the file");
        }
        assert!(!parsed.has_errors() || parsed.processes.is_empty(), "half of a file was taken");
        accepted |= !parsed.has_errors();
    }
    accepted
}

fn advice(processes: &[orloj_model::Process]) -> Vec<orloj_model::Diagnostic> {
    processes.iter().flat_map(advise).collect()
}

/// Most changes of a file leave no file, so some inputs are whole ones with a few parts changed.
pub fn make(random: &mut Random) -> String {
    let made = process::make(random);
    if random.one_in(3) {
        return mutated(&[&made], WORDS, random);
    }
    mutated(SEEDS, WORDS, random)
}

pub const SEEDS: &[&str] = &[
    r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="t"><message id="m" name="hello"/><error id="err" errorCode="E"/><process id="p" isExecutable="true"><startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="t"/><serviceTask id="t" camunda:type="external" camunda:topic="x" camunda:asyncBefore="true"><extensionElements><camunda:inputOutput><camunda:inputParameter name="a">${1 + n}</camunda:inputParameter></camunda:inputOutput></extensionElements><multiInstanceLoopCharacteristics camunda:collection="items" camunda:elementVariable="item"/></serviceTask><boundaryEvent id="b" attachedToRef="t"><errorEventDefinition errorRef="err"/></boundaryEvent><sequenceFlow id="f2" sourceRef="b" targetRef="e"/><sequenceFlow id="f3" sourceRef="t" targetRef="g"/><exclusiveGateway id="g" default="f5"/><sequenceFlow id="f4" sourceRef="g" targetRef="e"><conditionExpression>${n &gt; 1}</conditionExpression></sequenceFlow><sequenceFlow id="f5" sourceRef="g" targetRef="w"/><intermediateCatchEvent id="w"><messageEventDefinition messageRef="m"/></intermediateCatchEvent><sequenceFlow id="f6" sourceRef="w" targetRef="e"/><endEvent id="e"><terminateEventDefinition/></endEvent></process></definitions>"#,
    r#"<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="t"><bpmn:process id="z" isExecutable="true"><bpmn:startEvent id="s"><bpmn:outgoing>f1</bpmn:outgoing></bpmn:startEvent><bpmn:sequenceFlow id="f1" sourceRef="s" targetRef="u"/><bpmn:subProcess id="u"><bpmn:incoming>f1</bpmn:incoming><bpmn:multiInstanceLoopCharacteristics><bpmn:extensionElements><zeebe:loopCharacteristics inputCollection="=[1,2]" inputElement="i" outputCollection="o" outputElement="=i * 2"/></bpmn:extensionElements></bpmn:multiInstanceLoopCharacteristics><bpmn:startEvent id="s2"/><bpmn:sequenceFlow id="g1" sourceRef="s2" targetRef="j"/><bpmn:serviceTask id="j"><bpmn:extensionElements><zeebe:taskDefinition type="work" retries="=3"/><zeebe:ioMapping><zeebe:input source="=i" target="x"/></zeebe:ioMapping></bpmn:extensionElements></bpmn:serviceTask></bpmn:subProcess><bpmn:callActivity id="c"><bpmn:extensionElements><zeebe:calledElement processId="other" propagateAllChildVariables="false"/></bpmn:extensionElements></bpmn:callActivity><bpmn:sequenceFlow id="f2" sourceRef="u" targetRef="c"/></bpmn:process></bpmn:definitions>"#,
    r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:flowable="http://flowable.org/bpmn" targetNamespace="t"><signal id="sig" name="alarm"/><process id="f" isExecutable="true"><dataObject id="d" name="d" itemSubjectRef="xsd:string"/><startEvent id="s" flowable:initiator="who"/><sequenceFlow id="f1" sourceRef="s" targetRef="u"/><userTask id="u" flowable:assignee="${who}" flowable:dueDate="P1D"><extensionElements><flowable:taskListener event="create" expression="${1}"/></extensionElements></userTask><sequenceFlow id="f2" sourceRef="u" targetRef="x"/><eventBasedGateway id="x"/><sequenceFlow id="f3" sourceRef="x" targetRef="c"/><intermediateCatchEvent id="c"><signalEventDefinition signalRef="sig"/></intermediateCatchEvent><sequenceFlow id="f4" sourceRef="x" targetRef="d1"/><intermediateCatchEvent id="d1"><timerEventDefinition><timeDuration>PT5M</timeDuration></timerEventDefinition></intermediateCatchEvent><subProcess id="ev" triggeredByEvent="true"><startEvent id="es" isInterrupting="false"><signalEventDefinition signalRef="sig"/></startEvent></subProcess></process></definitions>"#,
];

pub const WORDS: &[&str] = &[
    "<subProcess id=\"n\">",
    "</subProcess>",
    "<endEvent id=\"q\"/>",
    "<boundaryEvent id=\"q\" attachedToRef=\"t\" cancelActivity=\"false\">",
    "<timerEventDefinition><timeCycle>R3/PT1S</timeCycle></timerEventDefinition>",
    "<compensateEventDefinition activityRef=\"t\"/>",
    "<escalationEventDefinition/>",
    "<conditionalEventDefinition><condition>${a}</condition></conditionalEventDefinition>",
    "<linkEventDefinition name=\"l\"/>",
    "<cancelEventDefinition/>",
    "<multiInstanceLoopCharacteristics isSequential=\"true\"><loopCardinality>3</loopCardinality></multiInstanceLoopCharacteristics>",
    "<inclusiveGateway id=\"i\"/>",
    "<parallelGateway id=\"j\"/>",
    "<adHocSubProcess id=\"a\">",
    "<transaction id=\"x\">",
    "<sequenceFlow id=\"k\" sourceRef=\"t\" targetRef=\"t\"/>",
    " isForCompensation=\"true\"",
    " triggeredByEvent=\"true\"",
    " default=\"f1\"",
    "id=",
    "sourceRef=",
    "isExecutable=\"false\"",
    "${",
    "}",
    "&amp;",
    "&lt;",
    "<!--",
    "-->",
    "<![CDATA[",
    "<?xml version=\"1.0\"?>",
    "<!DOCTYPE x [<!ENTITY a \"b\">]>",
];
