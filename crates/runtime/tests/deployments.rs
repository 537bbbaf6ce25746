//! What files of one deployment must have, and must not have, in common.

use orloj::types::{Document, TenantId};
use orloj::{
    Deploy, Deployed, Error, EvaluateDecision, InstanceQuery, Orloj, Page, Resource, StartInstance,
    StoreChoice, WhichDecision,
};
use orloj_testkit::story::Database;

fn bpmn(id: &str, inside: &str) -> String {
    format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
 xmlns:camunda="http://camunda.org/schema/1.0/bpmn" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"
 targetNamespace="n"><message id="m" name="paid"/>
<process id="{id}" isExecutable="true">{inside}</process></definitions>"#
    )
}

fn by_message(id: &str) -> String {
    bpmn(
        id,
        r#"<startEvent id="s"><messageEventDefinition messageRef="m"/></startEvent>
<sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/>"#,
    )
}

fn zeebe_task(task: &str) -> String {
    bpmn(
        "z",
        &format!(
            r#"<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>{task}
<sequenceFlow id="g" sourceRef="t" targetRef="e"/><endEvent id="e"/>"#
        ),
    )
}

const FORM_TASK: &str = r#"<userTask id="t"><extensionElements><zeebe:userTask/>
<zeebe:formDefinition formId="order-form" bindingType="deployment"/></extensionElements></userTask>"#;
const CALL: &str = r#"<callActivity id="t"><extensionElements>
<zeebe:calledElement processId="called" bindingType="deployment"/></extensionElements></callActivity>"#;
const PLAIN: &str = r#"<startEvent id="s"/>"#;
const DECISION: &str = r#"<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d"
 name="d" namespace="n"><decision id="fee" name="fee"><literalExpression><text>1</text>
</literalExpression></decision></definitions>"#;

async fn deploy(orloj: &Orloj, files: &[(&str, &str)]) -> Result<Deployed, Vec<String>> {
    let resource = |&(name, content): &(&str, &str)| Resource {
        name: name.into(),
        content: content.as_bytes().into(),
    };
    let resources = files.iter().map(resource).collect();
    match orloj.deploy(Deploy { resources, ..Deploy::default() }).await {
        Ok(deployed) => Ok(deployed),
        Err(Error::Deployment(problems)) => {
            let said = problems.iter().flat_map(|problem| {
                let whole = Some(problem.message.clone()).filter(|message| !message.is_empty());
                let inside = problem.diagnostics.iter().map(|found| found.code.to_owned());
                let said = whole.into_iter().chain(inside);
                said.map(|text| format!("{}: {text}", problem.resource)).collect::<Vec<_>>()
            });
            Err(said.collect())
        }
        Err(other) => panic!("{other}"),
    }
}

async fn refused(orloj: &Orloj, files: &[(&str, &str)]) -> Vec<String> {
    deploy(orloj, files).await.expect_err("refused")
}

#[tokio::test]
async fn everything_that_is_wrong_is_told_at_once_and_nothing_is_deployed() {
    let orloj = Orloj::builder().build().await.expect("an engine");
    let fine = bpmn("p", PLAIN);
    let files = [
        ("a.bpmn", "<x"),
        ("b.bpmn", fine.as_str()),
        ("c.bpmn", fine.as_str()),
        ("c.bpmn", "no"),
        ("d.txt", ""),
    ];
    let said = refused(&orloj, &files).await;
    let expected = [
        "c.bpmn: process id 'p' is also in 'b.bpmn'",
        "c.bpmn: two files have this name",
        "a.bpmn: xml-malformed",
    ];
    for line in expected {
        assert!(said.iter().any(|said| said == line), "{line} not in {said:?}");
    }
    assert!(said.iter().any(|said| said.starts_with("d.txt: resources of this kind")), "{said:?}");
    let page = orloj::Page { before: None, limit: 10 };
    assert!(orloj.definitions().list(Default::default(), page).await.expect("a list").is_empty());
}

#[tokio::test]
async fn a_deployment_in_which_nothing_can_run_is_refused() {
    let orloj = Orloj::builder().build().await.expect("an engine");
    let idle = bpmn("p", PLAIN).replace(r#"isExecutable="true""#, r#"isExecutable="false""#);
    assert_eq!(
        refused(&orloj, &[("a.bpmn", &idle)]).await,
        ["a.bpmn: no executable process in a.bpmn"]
    );
    let form = [("a.form", r#"{"id":" "}"#)];
    assert_eq!(refused(&orloj, &form).await, ["a.form: not a form: it has no id"]);
    let form = [("a.form", r#"{"id":"order-form"}"#)];
    assert_eq!(deploy(&orloj, &form).await.expect("alone").assets.len(), 1);
    // Beside something that runs it is kept.
    let decision = DECISION.replace("<literal", r#"<variable id="v" name="v"/><literal"#);
    let both = [("a.bpmn", idle.as_str()), ("b.dmn", decision.as_str())];
    assert_eq!(deploy(&orloj, &both).await.expect("deployed").decisions.len(), 1);
}

#[tokio::test]
async fn what_zeebe_binds_to_a_deployment_must_be_part_of_it() {
    let orloj = Orloj::builder().build().await.expect("an engine");
    let (form, call) = (zeebe_task(FORM_TASK), zeebe_task(CALL));
    assert_eq!(refused(&orloj, &[("z.bpmn", &form)]).await, ["z.bpmn: form-not-deployed"]);
    assert_eq!(refused(&orloj, &[("z.bpmn", &call)]).await, ["z.bpmn: process-not-deployed"]);
    let called = bpmn("called", PLAIN);
    deploy(&orloj, &[("z.bpmn", &call), ("called.bpmn", &called)]).await.expect("both");
    let with = |text: &'static str| [("z.bpmn", form.clone()), ("f.form", text.to_owned())];
    for (text, version, duplicate) in [
        (r#"{"id":"order-form"}"#, 2, false),
        (r#"{"id":"order-form"}"#, 2, true),
        (r#"{"id":"order-form","components":[]}"#, 3, false),
    ] {
        let files = with(text);
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
        let deployed = deploy(&orloj, &files).await.expect("with its form");
        assert_eq!((deployed.definitions[0].version, deployed.duplicate), (version, duplicate));
    }
}

#[tokio::test]
async fn a_message_starts_one_process_except_in_zeebe() {
    let orloj = Orloj::builder().build().await.expect("an engine");
    let (a, b) = (by_message("a"), by_message("b"));
    assert_eq!(
        refused(&orloj, &[("a.bpmn", &a), ("b.bpmn", &b)]).await,
        ["b.bpmn: message 'paid' would start both process 'a' and process 'b'"]
    );
    deploy(&orloj, &[("a.bpmn", &a)]).await.expect("alone");
    assert_eq!(
        refused(&orloj, &[("b.bpmn", &b)]).await,
        ["b.bpmn: message 'paid' of process 'b' starts process 'a' already"]
    );
    // A new version of it takes its place.
    deploy(&orloj, &[("a2.bpmn", &a)]).await.expect("the same process");
    let zeebe = |xml: &str| {
        xml.replace("<endEvent id=\"e\"/>", "<endEvent id=\"e\"><extensionElements><zeebe:properties/></extensionElements></endEvent>")
    };
    let (c, d) = (zeebe(&by_message("c")), zeebe(&by_message("d")));
    deploy(&orloj, &[("c.bpmn", &c), ("d.bpmn", &d)]).await.expect("both");
}

#[tokio::test]
async fn a_plain_file_follows_the_others_of_its_deployment() {
    let orloj = Orloj::builder().build().await.expect("an engine");
    let task = zeebe_task(
        r#"<businessRuleTask id="t"><extensionElements><zeebe:calledDecision decisionId="fee"
 resultVariable="r" bindingType="deployment"/></extensionElements></businessRuleTask>"#,
    );
    let started = |files: Vec<(&'static str, String)>| {
        let orloj = orloj.clone();
        async move {
            let files: Vec<(&str, &str)> =
                files.iter().map(|(name, text)| (*name, &**text)).collect();
            deploy(&orloj, &files).await
        }
    };
    // Zeebe refuses a file without a process, Camunda 7 keeps it: so it is read as Zeebe's here.
    let idle = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="n"><process id="idle" isExecutable="false"><startEvent id="s"/></process></definitions>"#;
    let files =
        vec![("z.bpmn", task.clone()), ("d.dmn", DECISION.to_owned()), ("i.bpmn", idle.to_owned())];
    assert_eq!(started(files).await.expect_err("refused"), ["i.bpmn: no-executable-process"]);
    let files = vec![("z.bpmn", task), ("d.dmn", DECISION.to_owned())];
    let deployed = started(files).await.expect("deployed");
    assert_eq!(deployed.decisions.len(), 1);
    // Alone it is Camunda 7's, where a decision must name its variable.
    assert_eq!(refused(&orloj, &[("d.dmn", DECISION)]).await, ["d.dmn: variable-missing"]);
}

const FORM: &str = r#"{"id": "ask", "type": "default", "components": []}"#;

/// What else a deployment brought goes with it, and the version before is in force again.
#[test]
fn a_deployment_of_forms_and_decisions_is_found_and_deleted() {
    let database = Database::create();
    let tokio = tokio::runtime::Runtime::new().expect("a runtime");
    for store in [StoreChoice::Memory, StoreChoice::Postgres(database.url())] {
        tokio.block_on(forms_and_decisions(store));
    }
}

async fn forms_and_decisions(store: StoreChoice) {
    let orloj = Orloj::builder().store(store).build().await.expect("an engine");
    let first = deploy(&orloj, &[("ask.form", FORM)]).await.expect("deployed");
    let again = deploy(&orloj, &[("ask.form", FORM)]).await.expect("deployed");
    assert!(again.duplicate);
    assert_eq!((again.found_in(), first.found_in()), (first.key, first.key));
    assert_eq!(orloj.executor().registered().await.expect("registered"), [first.key]);
    let view = orloj.deployments().get(first.key).await.expect("it is there");
    assert_eq!((view.definitions.len(), view.assets.len()), (0, 1));

    let newer = FORM.replace("[]", "[ ]");
    let decision =
        DECISION.replace("<literalExpression>", "<variable name=\"fee\"/><literalExpression>");
    let files = [("ask.form", newer.as_str()), ("fee.dmn", decision.as_str())];
    let second = deploy(&orloj, &files).await.expect("deployed").key;
    let listed: Vec<_> = orloj.deployments().list().await.expect("listed");
    assert_eq!(listed.iter().map(|view| view.key).collect::<Vec<_>>(), [second, first.key]);
    assert_eq!(
        orloj.deployments().resources(second).await.expect("named"),
        ["ask.form".into(), "fee.dmn".into()]
    );
    let evaluated = async || {
        let which = WhichDecision::Latest("fee".into());
        let (tenant, variables) = (TenantId::none(), Document::new());
        orloj.evaluate_decision(EvaluateDecision { which, tenant, variables }).await.is_ok()
    };
    assert!(evaluated().await);
    orloj.deployments().delete(second, false).await.expect("deleted");
    assert!(!evaluated().await, "the decision is gone");
    assert!(matches!(orloj.deployments().get(second).await, Err(Error::Missing(_))));
    let missing = orloj.deployments().delete(second, false).await;
    assert!(matches!(missing, Err(Error::Missing(_))));
    let left: Vec<_> = orloj.deployments().list().await.expect("listed");
    assert_eq!(left.iter().map(|view| view.key).collect::<Vec<_>>(), [first.key]);
    orloj.shutdown().await;
}

/// A file of a store is changed to one that is refused today, as if it had been deployed by a
/// version that checked less.
#[tokio::test]
async fn a_definition_goes_on_loading_though_it_would_be_refused_today() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("orloj.db");
    let open = async || {
        let store = StoreChoice::SqliteFile(path.clone());
        Orloj::builder().store(store).build().await.expect("an engine")
    };
    let start = async |orloj: &Orloj| orloj.start(StartInstance::latest("p")).await;
    let fine = bpmn("p", PLAIN);
    let outgrown = bpmn("p", r#"<startEvent id="s"/><startEvent id="again"/>"#);
    let unreadable = bpmn("p", r#"<startEvent id="s"/><serviceTask id="t"/>"#);
    let orloj = open().await;
    assert_eq!(refused(&orloj, &[("p.bpmn", &outgrown)]).await, ["p.bpmn: start-event-repeated"]);
    deploy(&orloj, &[("p.bpmn", &fine)]).await.expect("deployed");
    orloj.shutdown().await;

    let store = |content: &str, checks: i32| {
        let file = rusqlite::Connection::open(&path).expect("the file");
        let changed = file.execute("UPDATE resource SET content = ?1", [content.as_bytes()]);
        assert_eq!(changed.expect("changed"), 1);
        file.execute("UPDATE definition SET checks = ?1", [checks]).expect("changed");
    };
    store(&outgrown, 0);
    let orloj = open().await;
    start(&orloj).await.expect("it was accepted once");
    orloj.shutdown().await;

    for (checks, said) in [(1, "does not load any more"), (2, "a newer version has accepted")] {
        store(&unreadable, checks);
        let orloj = open().await;
        let error = start(&orloj).await.expect_err("nobody knows what it means").to_string();
        assert!(error.contains(said), "{error}");
        orloj.shutdown().await;
    }
}

/// Between the version that a call activity means and the last one there may be gaps.
#[tokio::test]
async fn calls_find_their_version_past_those_that_were_deleted() {
    let orloj = Orloj::builder().build().await.expect("an engine");
    let callee = |name: &str, tag: &str| {
        let inside = format!(
            r#"<startEvent id="s" name="{name}"/>
<sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/>"#
        );
        let tagged = format!(r#"id="callee" camunda:versionTag="{tag}""#);
        bpmn("callee", &inside).replace(r#"id="callee""#, &tagged)
    };
    let caller = bpmn(
        "caller",
        r#"<startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="with"/>
<callActivity id="with" calledElement="callee" camunda:calledElementBinding="deployment"/>
<sequenceFlow id="g" sourceRef="with" targetRef="tagged"/>
<callActivity id="tagged" calledElement="callee" camunda:calledElementBinding="versionTag"
 camunda:calledElementVersionTag="stable"/>
<sequenceFlow id="h" sourceRef="tagged" targetRef="e"/><endEvent id="e"/>"#,
    );
    let first = callee("first", "stable");
    let first = deploy(&orloj, &[("callee.bpmn", &first), ("caller.bpmn", &caller)]).await;
    let first = first.expect("deployed").definitions[0].key;
    let second = deploy(&orloj, &[("callee.bpmn", &callee("second", "next"))]).await;
    let second = second.expect("deployed").definitions[0].key;
    deploy(&orloj, &[("callee.bpmn", &callee("third", "next"))]).await.expect("deployed");
    orloj.definitions().delete(second).await.expect("deleted");

    orloj.start(StartInstance::latest("caller")).await.expect("started");
    let page = Page { before: None, limit: 9 };
    let ended = orloj.instances().list_ended(&InstanceQuery::default(), page).await;
    let ended = ended.expect("read");
    let callees: Vec<_> = ended.iter().filter(|row| &*row.process_id == "callee").collect();
    assert_eq!((ended.len(), callees.len()), (3, 2), "{ended:?}");
    assert!(callees.iter().all(|row| row.definition == first), "{callees:?}");
    orloj.shutdown().await;
}
