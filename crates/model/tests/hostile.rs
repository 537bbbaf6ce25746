//! Files that mean harm.

use std::time::{Duration, Instant};

use crate::support::*;
use orloj_model::{
    ATTRIBUTES_MAX, DEPTH_MAX, DIAGNOSTICS_MAX, ELEMENTS_MAX, INPUT_BYTES_MAX, NAMESPACES_MAX,
    Options, Parsed, parse,
};

/// Far above what the largest file takes without optimisation, far below anything quadratic.
const PATIENCE: Duration = Duration::from_secs(20);

#[expect(clippy::disallowed_methods, reason = "a test that measures")]
fn hostile(bytes: &[u8]) -> Parsed {
    let started = Instant::now();
    let parsed = parse(bytes, &Options::default());
    let took = started.elapsed();
    assert!(took < PATIENCE, "{took:?}");
    parsed
}

fn refusal(bytes: &[u8]) -> String {
    let parsed = hostile(bytes);
    assert!(parsed.has_errors() && parsed.processes.is_empty());
    listed(&parsed)
}

#[test]
fn document_types_are_refused_before_they_are_read() {
    let laughs = r#"<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;">
<!ENTITY lol3 "&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;&lol2;">]><lolz>&lol3;</lolz>"#;
    insta::assert_snapshot!(refusal(laughs.as_bytes()), @"2:1: error: document types are not accepted [doctype-refused]");
    insta::assert_snapshot!(refusal(br#"<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>"#), @"1:1: error: document types are not accepted [doctype-refused]");
    insta::assert_snapshot!(refusal(b"<a>&lol;</a>"), @"1:4: error: not well-formed XML: unknown entity reference 'lol' at 1:4 [xml-malformed]");
}

#[test]
fn nesting_is_bounded() {
    let nested = |levels: usize| format!("{}{}", "<a>".repeat(levels), "</a>".repeat(levels));
    insta::assert_snapshot!(refusal(nested(100_000).as_bytes()), @"1:769: error: more than 256 levels of nested elements [nested-too-deep]");
    insta::assert_snapshot!(refusal(nested(DEPTH_MAX + 1).as_bytes()), @"1:769: error: more than 256 levels of nested elements [nested-too-deep]");
    insta::assert_snapshot!(refusal(nested(DEPTH_MAX).as_bytes()), @r#"1:1: error: the root element "a" is not BPMN definitions [not-bpmn]"#);
}

#[test]
fn attributes_are_bounded() {
    let with = |count: usize| {
        let attributes: String = (0..count).map(|n| format!(" a{n}=\"\"")).collect();
        format!("<a{attributes}/>")
    };
    insta::assert_snapshot!(refusal(with(100_000).as_bytes()), @"1:1: error: more than 256 attributes on one element [too-many-attributes]");
    insta::assert_snapshot!(refusal(with(ATTRIBUTES_MAX).as_bytes()), @r#"1:1: error: the root element "a" is not BPMN definitions [not-bpmn]"#);
    insta::assert_snapshot!(refusal(b"<a b=\"1\" b=\"2\"/>"), @"1:10: error: not well-formed XML: attribute 'b' at 1:10 is already defined [xml-malformed]");
}

#[test]
fn namespaces_in_scope_are_bounded() {
    let declared = |count: usize| -> String {
        (0..count).map(|n| format!(" xmlns:n{n}=\"urn:{n}\"")).collect()
    };
    let nested = format!("<a{}><b{}/></a>", declared(NAMESPACES_MAX), declared(1));
    insta::assert_snapshot!(refusal(nested.as_bytes()), @"1:1200: error: more than 64 namespaces in one place [too-many-namespaces]");
    let beside = format!("<a><b{0}/><b{0}/></a>", declared(NAMESPACES_MAX));
    insta::assert_snapshot!(refusal(beside.as_bytes()), @r#"1:1: error: the root element "a" is not BPMN definitions [not-bpmn]"#);
    let many: String = (0..60_000).map(|n| format!("<b xmlns:n=\"urn:{n}\"/>")).collect();
    insta::assert_snapshot!(refusal(format!("<a>{many}</a>").as_bytes()), @r#"1:1: error: the root element "a" is not BPMN definitions [not-bpmn]"#);
}

#[test]
fn elements_and_bytes_are_bounded() {
    let flat = |count: usize| format!("<a>{}</a>", "<b/>".repeat(count));
    insta::assert_snapshot!(refusal(flat(ELEMENTS_MAX).as_bytes()), @"1:2000000: error: more than 500000 elements in one file [too-many-elements]");
    insta::assert_snapshot!(refusal(flat(ELEMENTS_MAX - 1).as_bytes()), @r#"1:1: error: the root element "a" is not BPMN definitions [not-bpmn]"#);
    insta::assert_snapshot!(refusal(&vec![b' '; INPUT_BYTES_MAX + 1]), @"1:1: error: the file has 4194305 bytes; at most 4194304 are read [file-too-large]");
    insta::assert_snapshot!(refusal("<!---->".repeat(590_000).as_bytes()), @"1:1: error: not well-formed XML: the document does not have a root node [xml-malformed]");
}

#[test]
fn a_file_full_of_problems_on_one_line_is_read_in_linear_time() {
    let tasks: String = (0..60_000).map(|n| format!("<task id=\"t{n}\" kind=\"\"/>")).collect();
    let parsed = hostile(process(&tasks).as_bytes());
    assert_eq!(parsed.diagnostics.len(), DIAGNOSTICS_MAX + 1);
    assert!(parsed.has_errors());
    let last = parsed.diagnostics.last().expect("the marker");
    assert_eq!(last.code, "too-many-diagnostics");
}

#[test]
fn a_large_process_is_read_in_linear_time() {
    let mut body = String::from("<startEvent id=\"n0\"/>");
    for n in 1..20_000 {
        body.push_str(&format!(
            "<userTask id=\"n{n}\"/><sequenceFlow id=\"f{n}\" sourceRef=\"n{}\" targetRef=\"n{n}\"/>",
            n - 1
        ));
    }
    let parsed = hostile(process(&body).as_bytes());
    assert_eq!(listed(&parsed), "");
    assert_eq!(parsed.processes[0].elements.len(), 20_000);
}

#[test]
fn a_long_straight_line_of_tasks_does_not_exhaust_the_stack() {
    let mut body = String::from("<startEvent id=\"n0\"/>");
    for n in 1..20_000 {
        body.push_str(&format!(
            "<manualTask id=\"n{n}\"/><sequenceFlow id=\"f{n}\" sourceRef=\"n{}\" targetRef=\"n{n}\"/>",
            n - 1
        ));
    }
    body.push_str("<sequenceFlow id=\"back\" sourceRef=\"n19999\" targetRef=\"n1\"/>");
    let options = Options::of(orloj_model::Dialect::Zeebe);
    let parsed = parse(process(&body).as_bytes(), &options);
    let codes: Vec<_> = parsed.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["loop-without-wait"]);
    assert!(parsed.diagnostics[0].message.ends_with("19989 more"), "{:?}", parsed.diagnostics);
}

/// One element that everything else refers to, thousands of scopes, thousands of ids.
#[test]
fn many_of_a_kind_are_read_in_linear_time() {
    let many =
        |count: usize, part: &dyn Fn(usize) -> String| -> String { (0..count).map(part).collect() };
    let outgoing = many(8_000, &|n| format!("<outgoing>f{n}</outgoing>"));
    let wide = format!(
        "<startEvent id=\"s\"/><exclusiveGateway id=\"g\" default=\"f0\">{outgoing}</exclusiveGateway><userTask id=\"t\"/>{}",
        many(8_000, &|n| format!(
            "<sequenceFlow id=\"f{n}\" sourceRef=\"g\" targetRef=\"t\"><conditionExpression>=a</conditionExpression></sequenceFlow>"
        ))
    );
    let scopes = format!(
        "<startEvent id=\"s\"/>{}",
        many(8_000, &|n| format!(
            "<subProcess id=\"p{n}\"><startEvent id=\"s{n}\"/></subProcess><adHocSubProcess id=\"a{n}\"><task id=\"t{n}\"/></adHocSubProcess>"
        ))
    );
    let boundaries = format!(
        "<startEvent id=\"s\"/><userTask id=\"t\"/>{}",
        many(8_000, &|n| format!(
            "<boundaryEvent id=\"b{n}\" attachedToRef=\"t\"><errorEventDefinition errorRef=\"e{n}\"/></boundaryEvent><association id=\"a{n}\" sourceRef=\"b{n}\" targetRef=\"t\"/>"
        ))
    );
    let events = format!(
        "<startEvent id=\"s\"/><intermediateCatchEvent id=\"c\"><linkEventDefinition id=\"d\" name=\"l\"/></intermediateCatchEvent>{}",
        many(8_000, &|n| format!(
            "<eventBasedGateway id=\"g{n}\"/><sequenceFlow id=\"f{n}\" sourceRef=\"g{n}\" targetRef=\"c\"/>"
        ))
    );
    let mappings = format!(
        "<startEvent id=\"s\"/><userTask id=\"t\"><extensionElements><zeebe:ioMapping>{}{}</zeebe:ioMapping></extensionElements></userTask>",
        many(8_000, &|n| format!("<zeebe:input source=\"x\" target=\"i{n}\"/>")),
        many(8_000, &|n| format!("<zeebe:input source=\"x\" target=\"one.i{n}\"/>")),
    );
    for body in [wide, scopes, boundaries, events, mappings] {
        let xml = process(&body);
        for dialect in ["zeebe", "camunda", "flowable"] {
            hostile(
                xml.replacen("<startEvent ", &format!("<startEvent {dialect}:x=\"\" "), 1)
                    .as_bytes(),
            );
        }
    }
}

#[test]
fn bytes_that_are_no_text() {
    insta::assert_snapshot!(refusal(b"<a>\n  \xFF</a>"), @"2:3: error: the bytes here are not UTF-8 text [encoding-malformed]");
    insta::assert_snapshot!(refusal(b""), @"1:1: error: not well-formed XML: the document does not have a root node [xml-malformed]");
    insta::assert_snapshot!(refusal(b"\x00"), @"1:1: error: not well-formed XML: unknown token at 1:1 [xml-malformed]");
    insta::assert_snapshot!(refusal(b"<a>\x00</a>"), @"1:4: error: not well-formed XML: a non-XML character '\\0' found at 1:4 [xml-malformed]");
    insta::assert_snapshot!(refusal(b"PK\x03\x04 not xml"), @"1:1: error: not well-formed XML: unknown token at 1:1 [xml-malformed]");
    insta::assert_snapshot!(refusal(b"<?xml version=\"1.0\" encoding=\"UTF-16\"?><a/>"), @r#"1:1: error: the file is written in single bytes but declares the encoding "UTF-16" [encoding-contradiction]"#);
}

#[test]
fn utf_16_is_read() {
    let xml = process(r#"<startEvent id="gestört" name="€"/>"#);
    let bytes: Vec<u8> =
        std::iter::once(0xFEFF).chain(xml.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let parsed = hostile(&bytes);
    assert_eq!(listed(&parsed), "");
    assert_eq!(parsed.processes[0].elements[0].name.as_deref(), Some("€"));
}

#[test]
fn a_truncated_file_is_refused_wherever_it_ends() {
    let xml = one(r#"<userTask id="e" name="é"/>"#);
    for end in 0..xml.len() {
        let parsed = hostile(&xml.as_bytes()[..end]);
        assert!(parsed.has_errors() && parsed.processes.is_empty(), "cut at {end}");
    }
    assert!(!hostile(xml.as_bytes()).has_errors());
}

#[test]
fn one_huge_text_is_not_repeated_in_every_message() {
    let id = "x".repeat(1_000_000);
    let headers: String = (0..200).map(|_| r#"<zeebe:header key="a" value="b"/>"#).collect();
    let xml = one(&format!(
        r#"<serviceTask id="e" name="{id}"><extensionElements><zeebe:taskDefinition type="{id}"/><zeebe:taskHeaders>{headers}</zeebe:taskHeaders></extensionElements></serviceTask>"#
    ));
    let parsed = hostile(xml.as_bytes());
    assert!(parsed.has_errors());
    let total: usize = parsed.diagnostics.iter().map(|d| d.message.len()).sum();
    assert!(total < 100_000, "{total}");
}
