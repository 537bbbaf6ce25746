//! Deployments of scripts and decisions through the handle: what is refused, and bindings that
//! need files deployed together.

use std::time::Duration;

use orloj::store::DecisionKey;
use orloj::types::{Document, TenantId};
use orloj::{
    Deploy, Dialect, Error, EvaluateDecision, Orloj, Resource, ResourceProblem, StartInstance,
    WhichDecision,
};

fn fee(value: &str) -> String {
    format!(
        r#"<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="fees" name="fees" namespace="n">
<decision id="fee" name="fee"><literalExpression><text>{value}</text></literalExpression></decision>
</definitions>"#
    )
}

/// `%` is the binding.
const PROCESS: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="n">
<process id="p" isExecutable="true"><startEvent id="s"/><endEvent id="e"/>
<businessRuleTask id="ask"><extensionElements><zeebe:calledDecision decisionId="fee" resultVariable="r" bindingType="%"/></extensionElements></businessRuleTask>
<sequenceFlow id="f1" sourceRef="s" targetRef="ask"/><sequenceFlow id="f2" sourceRef="ask" targetRef="e"/>
</process></definitions>"#;

fn files(files: &[(&str, &str)]) -> Deploy {
    let resource = |&(name, content): &(&str, &str)| Resource {
        name: name.into(),
        content: content.as_bytes().into(),
    };
    Deploy {
        resources: files.iter().map(resource).collect(),
        plain_dialect: Some(Dialect::Zeebe),
        ..Deploy::default()
    }
}

async fn result(orloj: &Orloj) -> String {
    let finished = orloj
        .start_and_wait(StartInstance::latest("p"), Duration::from_secs(20))
        .await
        .expect("it ends");
    finished.variables.to_json()
}

async fn problems(orloj: &Orloj, deploy: Deploy) -> Vec<ResourceProblem> {
    match orloj.deploy(deploy).await {
        Err(Error::Deployment(problems)) => problems,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_decision_can_be_bound_to_its_deployment_or_to_the_newest() {
    let orloj = Orloj::builder().build().await.expect("an engine");
    let bound = PROCESS.replace('%', "deployment");
    let alone = problems(&orloj, files(&[("p.bpmn", &bound)])).await;
    assert_eq!(alone[0].diagnostics[0].code, "decision-not-deployed");
    let both = files(&[("p.bpmn", &bound), ("f.dmn", &fee("1"))]);
    orloj.deploy(both).await.expect("deploy");
    orloj.deploy(files(&[("f.dmn", &fee("2"))])).await.expect("deploy");
    assert_eq!(result(&orloj).await, r#"{"r":1}"#);
    let latest = PROCESS.replace('%', "latest");
    orloj.deploy(files(&[("p.bpmn", &latest)])).await.expect("deploy");
    assert_eq!(result(&orloj).await, r#"{"r":2}"#);
    // What was looked up before is not what counts after the next deployment.
    orloj.deploy(files(&[("f.dmn", &fee("3"))])).await.expect("deploy");
    assert_eq!(result(&orloj).await, r#"{"r":3}"#);
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_decision_is_asked_from_outside() {
    let orloj = Orloj::builder().build().await.expect("an engine");
    let deployed = orloj.deploy(files(&[("f.dmn", &fee("a + 1"))])).await.expect("deploy");
    let key = deployed.decisions[0].key;
    let ask = |which| EvaluateDecision {
        which,
        tenant: TenantId::none(),
        variables: Document::parse(r#"{"a": 1}"#).expect("variables"),
    };
    for which in [WhichDecision::Latest("fee".into()), WhichDecision::Key(key)] {
        let made = orloj.evaluate_decision(ask(which)).await.expect("it is made");
        assert_eq!(made.result.expect("a value").to_json(), "2");
        assert_eq!(made.decision.requirements.version, 1);
    }
    for which in [WhichDecision::Latest("none".into()), WhichDecision::Key(DecisionKey(1))] {
        let missing = orloj.evaluate_decision(ask(which)).await;
        assert!(matches!(missing, Err(Error::Missing(_))), "{missing:?}");
    }
    let asked = orloj.metrics().meters.get(orloj::Meter::ExecutedDecisionInstances);
    assert!(asked > 0, "what is asked is counted");
    orloj.shutdown().await;
}

#[tokio::test]
async fn what_does_not_parse_is_refused_with_its_place() {
    let orloj = Orloj::builder().build().await.expect("an engine");
    let [file] = &problems(&orloj, files(&[("f.dmn", &fee("1 +"))])).await[..] else { panic!() };
    assert_eq!(file.diagnostics[0].position.line, 2, "{file:?}");
    let twice = files(&[("f.dmn", &fee("1")), ("g.dmn", &fee("2"))]);
    let [file] = &problems(&orloj, twice).await[..] else { panic!() };
    assert_eq!(file.message, "decision id 'fee' is also in 'f.dmn'");

    let script = |code: &str, format: &str| {
        format!(
            r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="n">
<process id="p" isExecutable="true"><startEvent id="s"/><endEvent id="e" camunda:asyncBefore="true"/>
<scriptTask id="run" scriptFormat="{format}"><script><![CDATA[
  def a = 1
  {code}]]></script></scriptTask>
<sequenceFlow id="f1" sourceRef="s" targetRef="run"/><sequenceFlow id="f2" sourceRef="run" targetRef="e"/>
</process></definitions>"#
        )
    };
    let broken = script("def b = (a +", "groovy");
    let [file] = &problems(&orloj, files(&[("p.bpmn", &broken)])).await[..] else { panic!() };
    let [found] = &file.diagnostics[..] else { panic!("{file:?}") };
    assert_eq!((found.code, found.position.line), ("script-invalid", 5), "{found}");
    assert_eq!(found.element.as_deref(), Some("run"));
    let homeless = script("1", "javascript");
    let [file] = &problems(&orloj, files(&[("p.bpmn", &homeless)])).await[..] else { panic!() };
    assert_eq!(file.diagnostics[0].code, "script-unchecked");
    orloj.deploy(files(&[("p.bpmn", &script("a", "groovy"))])).await.expect("deploy");
    orloj.shutdown().await;
}
