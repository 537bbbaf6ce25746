//! More receivers of one event than a page has rows.

use orloj::types::{Document, TenantId};
use orloj::{
    BroadcastSignal, Correlate, Correlated, Deploy, Error, Orloj, Page, Resource, StartInstance,
    StoreChoice,
};

const HEAD: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
    <signal id="s" name="go"/><message id="m" name="paid"/>"#;

async fn engine() -> Orloj {
    Orloj::builder().store(StoreChoice::Memory).executor(true).build().await.expect("an engine")
}

/// Each process in a file of its own.
async fn deploy(orloj: &Orloj, processes: impl IntoIterator<Item = String>) {
    let resources = processes.into_iter().enumerate().map(|(number, process)| Resource {
        name: format!("{number}.bpmn").into(),
        content: format!("{HEAD}{process}</definitions>").into_bytes().into(),
    });
    let deploy = Deploy { resources: resources.collect(), ..Deploy::default() };
    orloj.deploy(deploy).await.expect("deployed");
}

#[tokio::test]
async fn a_signal_starts_every_process_that_waits_for_it() {
    // A page has 256.
    const PROCESSES: usize = 520;
    let orloj = engine().await;
    let processes = (0..PROCESSES).map(|number| {
        format!(
            r#"<process id="p{number}" isExecutable="true"><startEvent id="begin">
            <signalEventDefinition signalRef="s"/></startEvent>
            <sequenceFlow id="f" sourceRef="begin" targetRef="ask"/>
            <userTask id="ask"/></process>"#
        )
    });
    deploy(&orloj, processes).await;
    let signal = BroadcastSignal { name: "go".into(), ..BroadcastSignal::default() };
    orloj.broadcast_signal(signal).await.expect("broadcast");
    orloj.settle().await;
    let page = Page { before: None, limit: 1_000 };
    let started = orloj.instances().list(&Default::default(), page).await.expect("instances");
    assert_eq!(started.len(), PROCESSES);
    orloj.shutdown().await;
}

#[tokio::test]
async fn a_message_that_very_many_wait_for_is_ambiguous_and_nobody_counts_them() {
    const WAITING: usize = 1_003;
    let orloj = engine().await;
    let process = r#"<process id="order" isExecutable="true"><startEvent id="begin"/>
        <sequenceFlow id="f" sourceRef="begin" targetRef="wait"/>
        <receiveTask id="wait" messageRef="m"/></process>"#;
    deploy(&orloj, [process.to_owned()]).await;
    let mut last = None;
    for number in 0..WAITING {
        let start = StartInstance {
            business_key: Some(format!("order {number}").into()),
            ..StartInstance::latest("order")
        };
        last = Some(orloj.start(start).await.expect("started").instance);
    }
    let correlate = |business_key: Option<&str>| Correlate {
        name: "paid".into(),
        business_key: business_key.map(Into::into),
        instance: None,
        tenant: TenantId::none(),
        variables: Document::new(),
    };
    let refused = orloj.correlate(correlate(None)).await;
    assert!(matches!(refused, Err(Error::Ambiguous { count: 2, .. })), "{refused:?}");
    let said = refused.expect_err("ambiguous").to_string();
    assert!(said.contains("more than one"), "no number that nobody counted: {said}");
    let found = orloj.correlate(correlate(Some("order 1002"))).await.expect("one waits");
    assert_eq!(Some(found), last.map(Correlated::Waiting), "behind the first page");
    orloj.shutdown().await;
}
