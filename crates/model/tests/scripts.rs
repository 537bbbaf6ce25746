//! Script tasks and decision tasks of each dialect.

use crate::support::{element, one, problems, shown, shown_script};
use orloj_model::{
    DecisionBinding, DecisionResult, DecisionTask, Dialect, Element, ElementKind, Program,
    ProgramHost, ProgramLanguage, RulesShape, Script, ScriptTask,
};

fn script(element: &Element) -> &ScriptTask {
    match &element.kind {
        ElementKind::ScriptTask(task) => task,
        other => panic!("{other:?} is no script task"),
    }
}

fn program(element: &Element) -> &Program {
    match &script(element).script {
        Script::Program(program) => program,
        other => panic!("{other:?} is no program"),
    }
}

fn expression(element: &Element) -> String {
    match &script(element).script {
        Script::Expression(expression) => shown(expression),
        other => panic!("{other:?} is no expression"),
    }
}

fn decision(element: &Element) -> &DecisionTask {
    match &element.kind {
        ElementKind::DecisionTask(task) => task,
        other => panic!("{other:?} is no decision task"),
    }
}

fn zeebe(tag: &str, extension: &str) -> String {
    format!(r#"<{tag} id="e"><extensionElements>{extension}</extensionElements></{tag}>"#)
}

#[test]
fn zeebe_evaluates_feel_into_a_variable() {
    let task = zeebe("scriptTask", r#"<zeebe:script expression="=a + 1" resultVariable="r"/>"#);
    let e = element(&task, Dialect::Zeebe);
    assert_eq!(expression(&e), "Feel(a + 1)");
    assert_eq!(script(&e).result_variable.as_deref(), Some("r"));
}

#[test]
fn zeebe_insists_on_expression_and_variable() {
    let refused = |extension: &str| problems(&one(&zeebe("scriptTask", extension)), Dialect::Zeebe);
    insta::assert_snapshot!(refused(r#"<zeebe:script/>"#), @r#"
    2:39: error: the script of scriptTask "e" has no expression [script-empty]
    2:39: error: the script of scriptTask "e" has no resultVariable [result-variable-missing]
    "#);
    insta::assert_snapshot!(refused(r#"<zeebe:script expression="a" resultVariable="r"/>"#), @r#"2:65: error: the script of scriptTask "e" must be an expression that begins with =, but is "a" [expression-required]"#);
    let both =
        r#"<zeebe:script expression="=a" resultVariable="r"/><zeebe:taskDefinition type="t"/>"#;
    insta::assert_snapshot!(refused(both), @r#"2:89: error: scriptTask "e" has both script and taskDefinition [implementation-repeated]"#);
}

#[test]
fn a_program_keeps_its_language_source_and_place() {
    let e = element(
        "<scriptTask id=\"e\" scriptFormat=\"Groovy\" camunda:resultVariable=\"r\">\n  <script><![CDATA[\n    def x = 1 < 2\n    x]]></script></scriptTask>",
        Dialect::Camunda7,
    );
    let found = program(&e);
    assert_eq!((found.language, found.host), (ProgramLanguage::Groovy, ProgramHost::Camunda));
    assert_eq!(&*found.source, "def x = 1 < 2\n    x");
    assert!(!found.stores_assigned);
    assert_eq!(script(&e).result_variable.as_deref(), Some("r"));
    let at = |line, column| {
        let place = found.place.of(line, column);
        (place.line, place.column)
    };
    assert_eq!(at(1, 1), (4, 5));
    assert_eq!(at(1, 9), (4, 13));
    assert_eq!(at(2, 5), (5, 5));
}

#[test]
fn text_with_references_has_only_a_beginning() {
    let e = element(
        r#"<scriptTask id="e" scriptFormat="javascript"><script>1 &lt; 2; oops</script></scriptTask>"#,
        Dialect::Camunda7,
    );
    assert_eq!(&*program(&e).source, "1 < 2; oops");
    let place = program(&e).place;
    assert_eq!(place.of(1, 8), place.start);
}

#[test]
fn flowable_may_store_what_is_assigned() {
    let task = r#"<scriptTask id="e" scriptFormat="groovy" flowable:autoStoreVariables="true" flowable:resultVariableName="r"><script>x = 1</script></scriptTask>"#;
    let e = element(task, Dialect::Flowable);
    assert!(program(&e).stores_assigned);
    assert_eq!(program(&e).host, ProgramHost::Flowable);
    assert_eq!(script(&e).result_variable.as_deref(), Some("r"));
}

#[test]
fn expressions_are_scripts_too_and_uel_is_the_default() {
    let task = |format: &str, text: &str| {
        let task = format!(r#"<scriptTask id="e"{format}><script>{text}</script></scriptTask>"#);
        expression(&element(&task, Dialect::Camunda7))
    };
    assert_eq!(task("", "${a + 1}"), "Uel(${a + 1})");
    assert_eq!(task(r#" scriptFormat="juel""#, "${a}"), "Uel(${a})");
    assert_eq!(task(r#" scriptFormat="feel""#, "a + 1"), "Feel(a + 1)");
}

#[test]
fn scripts_that_cannot_run_are_accepted_and_fail_later() {
    let read = |task: &str| {
        let parsed = crate::support::read(&one(task), Dialect::Camunda7);
        let problems = crate::support::listed(&parsed);
        let process = parsed.processes.first().expect(&problems);
        let shown = shown_script(&script(process.element(process.find("e").expect("e"))).script);
        (shown, problems)
    };
    let (shown, problems) =
        read(r#"<scriptTask id="e" scriptFormat="python"><script>1</script></scriptTask>"#);
    assert_eq!(shown, r#"unusable: no script language "python""#);
    insta::assert_snapshot!(problems, @r#"2:50: warning: a script of scriptTask "e" is in "python", which cannot run; javascript, groovy, juel and feel can [unsupported-script-language]"#);
    let (shown, problems) = read(r#"<scriptTask id="e"><script>${a +}</script></scriptTask>"#);
    assert!(shown.starts_with("unusable: the script does not parse: "), "{shown}");
    assert!(problems.starts_with("2:33: warning: the script of scriptTask"), "{problems}");
    let (shown, _) = read(
        r#"<scriptTask id="e" scriptFormat="groovy" camunda:resource="deployment://x.groovy"/>"#,
    );
    assert_eq!(shown, r#"Program(Groovy) of "deployment://x.groovy""#);
    let refused = |task: &str| crate::support::problems(&one(task), Dialect::Camunda7);
    insta::assert_snapshot!(refused(r#"<scriptTask id="e" scriptFormat="groovy"/>"#), @r#"2:1: error: scriptTask "e" has no script [script-empty]"#);
}

#[test]
fn zeebe_calls_decisions() {
    let task = |extension: &str| element(&zeebe("businessRuleTask", extension), Dialect::Zeebe);
    let e = task(r#"<zeebe:calledDecision decisionId="=&quot;d&quot; + x" resultVariable="r"/>"#);
    assert_eq!(shown(&decision(&e).decision), r#"Feel("d" + x)"#);
    assert!(matches!(decision(&e).binding, DecisionBinding::Latest));
    assert_eq!(decision(&e).result, DecisionResult::Value { variable: "r".into() });
    let e = task(
        r#"<zeebe:calledDecision decisionId="d" resultVariable="r" bindingType="deployment"/>"#,
    );
    assert!(matches!(decision(&e).binding, DecisionBinding::Deployment));
    let e = task(
        r#"<zeebe:calledDecision decisionId="d" resultVariable="r" bindingType="versionTag" versionTag="v1"/>"#,
    );
    let DecisionBinding::VersionTag(tag) = &decision(&e).binding else { panic!("a tag") };
    assert_eq!(shown(tag), r#""v1""#);
    let refused =
        |extension: &str| problems(&one(&zeebe("businessRuleTask", extension)), Dialect::Zeebe);
    insta::assert_snapshot!(refused("<zeebe:calledDecision/>"), @r#"
    2:45: error: businessRuleTask "e" names no decision [decision-missing]
    2:45: error: the calledDecision of businessRuleTask "e" has no resultVariable [result-variable-missing]
    "#);
}

#[test]
fn camunda_maps_and_binds_decisions() {
    let task = |attributes: &str| {
        let task = format!(r#"<businessRuleTask id="e" camunda:decisionRef="d" {attributes}/>"#);
        element(&task, Dialect::Camunda7)
    };
    let rules = |shape, variable: Option<&str>| DecisionResult::Rules {
        shape,
        variable: variable.map(Into::into),
    };
    let plain = task("");
    assert_eq!(decision(&plain).result, rules(RulesShape::ResultList, None));
    let e = task(r#"camunda:mapDecisionResult="singleEntry" camunda:resultVariable="r""#);
    assert_eq!(decision(&e).result, rules(RulesShape::SingleEntry, Some("r")));
    let e = task(r#"camunda:decisionRefBinding="version" camunda:decisionRefVersion="2""#);
    let DecisionBinding::Version(version) = &decision(&e).binding else { panic!("a version") };
    assert_eq!(shown(version), "2");
    let e = task(r#"camunda:decisionRefBinding="versionTag" camunda:decisionRefVersionTag="t""#);
    assert!(matches!(decision(&e).binding, DecisionBinding::VersionTag(_)));
    let refused = |attributes: &str| {
        let task = format!(r#"<businessRuleTask id="e" camunda:decisionRef="d" {attributes}/>"#);
        problems(&one(&task), Dialect::Camunda7)
    };
    insta::assert_snapshot!(refused(r#"camunda:decisionRefBinding="version""#), @r#"2:78: error: the decision of businessRuleTask "e" is bound by "version", but decisionRefVersion is missing [decision-binding-incomplete]"#);
    insta::assert_snapshot!(refused(r#"camunda:mapDecisionResult="one""#), @r#"2:77: error: mapDecisionResult of businessRuleTask "e" is "one", which is none of singleEntry, singleResult, collectEntries and resultList [decision-mapping-unknown]"#);
}

#[test]
fn flowable_asks_decisions_by_fields() {
    let task = |fields: &str| {
        format!(
            r#"<serviceTask id="e" flowable:type="dmn"><extensionElements>{fields}</extensionElements></serviceTask>"#
        )
    };
    let key = r#"<flowable:field name="decisionTableReferenceKey"><flowable:string><![CDATA[rate]]></flowable:string></flowable:field>"#;
    let e = element(&task(key), Dialect::Flowable);
    assert_eq!(shown(&decision(&e).decision), r#""rate""#);
    assert!(matches!(decision(&e).binding, DecisionBinding::DeploymentOrLatest));
    assert_eq!(decision(&e).result, DecisionResult::Outputs { needs_hit: false });
    let strict = r#"<flowable:field name="decisionTableReferenceKey" stringValue="rate"/><flowable:field name="decisionTaskThrowErrorOnNoHits" stringValue="true"/><flowable:field name="sameDeployment" stringValue="false"/>"#;
    let e = element(&task(strict), Dialect::Flowable);
    assert!(matches!(decision(&e).binding, DecisionBinding::Latest));
    assert_eq!(decision(&e).result, DecisionResult::Outputs { needs_hit: true });
    insta::assert_snapshot!(problems(&one(r#"<businessRuleTask id="e" flowable:rules="a"/>"#), Dialect::Flowable), @r#"2:1: error: businessRuleTask "e" with rules is not supported; decisions are, by a serviceTask of type dmn [rules-unknown]"#);
}
