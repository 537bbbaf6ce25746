//! Requirements, knowledge models, services, imports.

mod support;

use orloj_dmn::{Environment, LogicKind, Model, Options};
use orloj_types::{Timestamp, Zone};
use support::{
    NAMESPACES, decision, evaluate, file_of, input, json, literal, model, needs_decision,
    needs_input, needs_knowledge,
};

fn knowledge(name: &str, parameters: &str, requirements: &str, text: &str) -> String {
    let parameters: String = parameters
        .split_whitespace()
        .map(|parameter| {
            let (name, ty) = parameter.split_once(':').unwrap_or((parameter, "Any"));
            format!(r#"<formalParameter name="{name}" typeRef="{ty}"/>"#)
        })
        .collect();
    format!(
        r#"<businessKnowledgeModel id="_{name}" name="{name}"><variable name="{name}"/>
        <encapsulatedLogic>{parameters}{}</encapsulatedLogic>{requirements}
        </businessKnowledgeModel>"#,
        literal(text)
    )
}

#[test]
fn every_version_of_the_standard_is_read() {
    for namespace in NAMESPACES {
        let file = format!(
            r#"<d:definitions xmlns:d="{namespace}" namespace="n" name="n">
            <d:decision id="a" name="A"><d:variable name="A" typeRef="number"/>
            <d:literalExpression><d:text>6 * 7</d:text></d:literalExpression></d:decision>
            </d:definitions>"#
        );
        let model = Model::parse(file.as_bytes(), &Options::default()).expect(namespace);
        assert_eq!(json(&model, "a", ""), "42");
        assert_eq!(json(&model, "A", ""), "42");
    }
}

#[test]
fn decisions_see_what_they_require_and_nothing_else() {
    let body = [
        input("x"),
        decision("twice", &needs_input("x"), &literal("x * 2")),
        decision("more", &needs_decision("twice"), &literal("twice + 1")),
        decision("blind", &needs_decision("twice"), &literal("x")),
    ];
    let model = model(&body.concat());
    let more = evaluate(&model, "more", r#"{"x": 5}"#);
    assert_eq!(more.value.to_json(), "11");
    let steps = more.decisions.iter().map(|d| (&*d.id, d.value.to_json()));
    let expected = [("_twice", "10".to_owned()), ("_more", "11".to_owned())];
    assert_eq!(steps.collect::<Vec<_>>(), expected);
    assert_eq!(more.decisions[0].logic, LogicKind::Literal);
    let blind = evaluate(&model, "blind", r#"{"x": 5}"#);
    assert!(blind.value.is_null());
    assert!(!blind.problems.is_empty(), "an unknown name is worth a warning");
    assert_eq!(json(&model, "more", ""), "null");
}

#[test]
fn knowledge_models_are_functions() {
    let body = [
        knowledge("square", "n:number", "", "n * n"),
        knowledge("cube", "n", &needs_knowledge("square"), "n * square(n)"),
        knowledge("factorial", "n", "", "if n <= 1 then 1 else n * factorial(n - 1)"),
        decision("a", &needs_knowledge("cube"), &literal("cube(3)")),
        decision("b", &needs_knowledge("factorial"), &literal("factorial(10)")),
        decision("c", &needs_knowledge("square"), &literal("square(\"x\")")),
        decision("e", &needs_knowledge("square"), &literal("square([4])")),
        decision("f", &needs_knowledge("square"), &literal("for i in [1, 2, 3] return square(i)")),
    ];
    let model = model(&body.concat());
    assert_eq!(json(&model, "a", ""), "27");
    assert_eq!(json(&model, "b", ""), "3628800");
    assert_eq!(json(&model, "c", ""), "null");
    assert_eq!(json(&model, "e", ""), "16");
    assert_eq!(json(&model, "f", ""), "[1,4,9]");
    assert_eq!(json(&model, "cube", r#"{"n": 2}"#), "8");
}

#[test]
fn endless_recursion_ends() {
    let body = knowledge("f", "n", "", "f(n + 1)")
        + &decision("d", &needs_knowledge("f"), &literal("f(1)"));
    let evaluation = evaluate(&model(&body), "d", "");
    assert!(evaluation.value.is_null());
    let code = evaluation.failure().map(|problem| problem.code);
    assert!(matches!(code, Some("calls-too-deep" | "budget-exhausted")), "{code:?}");
}

const SERVICE: &str = r##"<decisionService id="_s" name="s"><variable name="s"/>
    <outputDecision href="#_out"/><encapsulatedDecision href="#_middle"/>
    <inputDecision href="#_given"/><inputData href="#_x"/></decisionService>"##;

fn service_body() -> String {
    [
        input("x"),
        decision("given", "", &literal("1000")),
        decision("middle", &needs_input("x"), &literal("x * 10")),
        decision(
            "out",
            &(needs_decision("middle") + &needs_decision("given")),
            &literal("middle + given"),
        ),
        SERVICE.to_owned(),
        decision("call", &needs_knowledge("s"), &literal("s(2, 3)")),
        decision("named", &needs_knowledge("s"), &literal("s(given: 1, x: 5)")),
        decision("short", &needs_knowledge("s"), &literal("s(2)")),
    ]
    .concat()
}

#[test]
fn services_take_input_data_then_input_decisions() {
    let model = model(&service_body());
    assert_eq!(json(&model, "call", ""), "23");
    assert_eq!(json(&model, "named", ""), "51");
    assert_eq!(json(&model, "short", ""), "null");
    // By itself the decision is evaluated; as a service it takes what is given.
    assert_eq!(json(&model, "out", r#"{"x": 1}"#), "1010");
    assert_eq!(json(&model, "s", r#"{"x": 1, "given": 5}"#), "15");
}

#[test]
fn services_with_several_outputs_give_a_context() {
    let body = [
        decision("a", "", &literal("1")),
        decision("b", "", &literal("2")),
        r##"<decisionService id="_s" name="s"><outputDecision href="#_a"/>
        <outputDecision href="#_b"/></decisionService>"##
            .to_owned(),
        decision("d", &needs_knowledge("s"), &literal("s().b")),
    ];
    let model = model(&body.concat());
    assert_eq!(json(&model, "s", ""), r#"{"a":1,"b":2}"#);
    assert_eq!(json(&model, "d", ""), "2");
}

fn importing(name: &str, text: &str) -> Model {
    let library = file_of(
        "urn:library",
        &[
            r#"<itemDefinition name="tAge"><typeRef>number</typeRef>
            <allowedValues><text>[0..150]</text></allowedValues></itemDefinition>"#
                .to_owned(),
            input("birth year"),
            knowledge("next age", "age:tAge", "", "age + 1"),
            decision("age", &needs_input("birth year"), &literal("2000 - birth year")),
        ]
        .concat(),
    );
    let main = file_of(
        "urn:main",
        &format!(
            r##"<import namespace="urn:library" name="{name}"
            importType="https://www.omg.org/spec/DMN/20230324/MODEL/"/>
            <decision id="d" name="d"><variable name="d" typeRef="{type_name}"/>
            <informationRequirement><requiredDecision href="urn:library#_age"/></informationRequirement>
            <knowledgeRequirement><requiredKnowledge href="urn:library#_next age"/>
            </knowledgeRequirement>{}</decision>"##,
            literal(text),
            type_name = if name.is_empty() { "tAge".to_owned() } else { format!("{name}.tAge") },
        ),
    );
    let options = Options { imports: vec![library.as_bytes()], ..Options::default() };
    Model::parse(main.as_bytes(), &options).unwrap_or_else(|d| panic!("refused: {d}"))
}

#[test]
fn imports_bring_types_decisions_and_knowledge() {
    let model = importing("our lib", "our lib.next age(our lib.age)");
    assert_eq!(json(&model, "d", r#"{"birth year": 1990}"#), "11");
    assert_eq!(json(&model, "d", r#"{"our lib": {"birth year": 1980}}"#), "21");
    assert_eq!(json(&model, "d", r#"{"birth year": 1000}"#), "null");
    let unnamed = importing("", "next age(age)");
    assert_eq!(json(&unnamed, "d", r#"{"birth year": 1990}"#), "11");
}

#[test]
fn what_is_missing_is_diagnosed() {
    let body = r##"<import namespace="urn:nowhere" name="n"
        importType="https://www.omg.org/spec/DMN/20230324/MODEL/"/>
        <decision id="a" name="a"><informationRequirement><requiredDecision href="#b"/>
        </informationRequirement></decision><decision id="a" name="c"/>"##;
    let diagnostics = support::parse(body).expect_err("refused");
    let codes: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["import-missing", "unknown-reference", "duplicate-id"]);
}

#[test]
fn an_unknown_decision_is_a_problem() {
    let evaluation = evaluate(&model(""), "nothing", "");
    assert_eq!(evaluation.failure().map(|problem| problem.code), Some("unknown-decision"));
}

#[test]
fn moment_and_zone_come_from_outside() {
    let model = model(&decision("d", "", &literal("string(now()) + \" \" + string(today())")));
    let zone = Zone::Named("Asia/Tokyo".into());
    let noon = Environment::new(Timestamp::from_ms(20 * 3_600_000));
    assert_eq!(
        model.evaluate("d", &(), &noon).value.to_json(),
        "\"1970-01-01T20:00:00Z 1970-01-01\""
    );
    let tokyo = model.evaluate("d", &(), &noon.with_zone(&zone)).value.to_json();
    assert!(
        tokyo.starts_with("\"1970-01-02T05:00:00") && tokyo.ends_with(" 1970-01-02\""),
        "{tokyo}"
    );
}
