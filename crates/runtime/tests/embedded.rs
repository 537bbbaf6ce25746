//! The engine inside an application: what the README shows.

use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use orloj::types::{Document, Timestamp};
use orloj::{Call, Deploy, InstanceState, Orloj, StartInstance};

const ORDER: &str = include_str!("../examples/order.bpmn");

#[tokio::test]
async fn an_order_is_charged_and_ends_after_ten_minutes() {
    let orloj = Orloj::builder()
        .executor(true)
        .pinned_clock(Timestamp::from_ms(1_900_000_000_000))
        .delegate("shop.Charge", |call: Call| async move {
            assert_eq!(call.variables.get("total").expect("a total").to_json(), "90");
            Ok(Document::new().with("charged", true))
        })
        .build()
        .await
        .expect("an engine");
    orloj.deploy(Deploy::file("order.bpmn", ORDER.as_bytes())).await.expect("deployed");
    let started = orloj
        .start(StartInstance::latest("order").with(Document::new().with("total", 90)))
        .await
        .expect("started");
    orloj.settle().await;
    let detail = orloj.instance(started.instance).await.expect("there");
    assert_eq!(detail.elements.len(), 1);
    assert_eq!(&*detail.elements[0].element, "wait");
    assert_eq!(detail.variables.to_json(), r#"{"charged":true,"total":90}"#);

    orloj.advance(Duration::from_secs(599)).expect("pinned");
    orloj.settle().await;
    assert_eq!(
        orloj.instance(started.instance).await.expect("there").view.state,
        InstanceState::Active
    );
    orloj.advance(Duration::from_secs(1)).expect("pinned");
    orloj.settle().await;
    let detail = orloj.instance(started.instance).await.expect("there");
    assert_eq!(detail.view.state, InstanceState::Completed);
    let happened: Vec<&str> = detail.history.iter().map(|event| &*event.what).collect();
    assert_eq!(happened.first(), Some(&"instance-started"));
    assert_eq!(happened.last(), Some(&"instance-completed"));
    assert_eq!(happened.iter().filter(|what| **what == "element-completed").count(), 4);
    orloj.shutdown().await;
}

/// A delegate may block its thread as the application's runtime allows, also once it is known to
/// be quick and called without a detour.
#[tokio::test(flavor = "multi_thread")]
async fn a_quick_delegate_may_block_its_thread() {
    let orloj = Orloj::builder()
        .executor(true)
        .pinned_clock(Timestamp::from_ms(1_900_000_000_000))
        .delegate("shop.Charge", |_: Call| async {
            let charged = tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(async { true })
            });
            Ok(Document::new().with("charged", charged))
        })
        .build()
        .await
        .expect("an engine");
    orloj.deploy(Deploy::file("order.bpmn", ORDER.as_bytes())).await.expect("deployed");
    for _ in 0..3 {
        let start = StartInstance::latest("order").with(Document::new().with("total", 90));
        let started = orloj.start(start).await.expect("started");
        orloj.settle().await;
        let detail = orloj.instance(started.instance).await.expect("there");
        assert_eq!(detail.variables.to_json(), r#"{"charged":true,"total":90}"#);
    }
    orloj.shutdown().await;
}

/// Callers are answered by the engine's own threads, whatever the application does with the
/// runtime the engine was built on.
#[test]
fn callers_are_answered_though_nobody_drives_the_runtime() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("one");
    let orloj = runtime.block_on(async {
        let orloj = Orloj::builder().executor(false).build().await.expect("an engine");
        orloj.deploy(Deploy::file("order.bpmn", ORDER.as_bytes())).await.expect("deployed");
        // Reading a definition for the first time takes a thread of the runtime.
        orloj.start(StartInstance::latest("order")).await.expect("started");
        orloj
    });
    let callers: Vec<_> = (0..16)
        .map(|_| {
            let orloj = orloj.clone();
            std::thread::spawn(move || block_on(orloj.start(StartInstance::latest("order"))))
        })
        .collect();
    for caller in callers {
        caller.join().expect("no panic").expect("started");
    }
    runtime.block_on(orloj.shutdown());
}

/// Without any runtime.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(std::thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut future = std::pin::pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[tokio::test]
async fn what_the_engine_runs_by_itself_is_counted_start_timers_too() {
    const MODEL: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
 xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="n">
<process id="p" isExecutable="true">
<startEvent id="s"><timerEventDefinition><timeDuration>PT1M</timeDuration></timerEventDefinition></startEvent>
<sequenceFlow id="f" sourceRef="s" targetRef="e"/><endEvent id="e"/></process></definitions>"#;
    let orloj = Orloj::builder()
        .executor(true)
        .pinned_clock(Timestamp::from_ms(1_900_000_000_000))
        .build()
        .await
        .expect("an engine");
    orloj.deploy(Deploy::file("p.bpmn", MODEL.as_bytes())).await.expect("deployed");
    assert_eq!(orloj.metrics().engine_jobs_run.get(), 0);
    orloj.advance(Duration::from_secs(60)).expect("pinned");
    orloj.settle().await;
    assert_eq!(orloj.metrics().instances_started.get(), 1);
    assert_eq!(orloj.metrics().engine_jobs_run.get(), 1);
    orloj.shutdown().await;
}
