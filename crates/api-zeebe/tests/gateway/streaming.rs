use std::time::Duration;

use orloj_api_zeebe::Options;
use orloj_api_zeebe::proto::gateway_client::GatewayClient;
use orloj_api_zeebe::proto::*;
use tonic::{Code, Streaming};

use crate::world::*;

fn request(job_type: &str) -> StreamActivatedJobsRequest {
    StreamActivatedJobsRequest {
        r#type: job_type.into(),
        worker: "ben".into(),
        timeout: 3_600_000,
        ..Default::default()
    }
}

async fn next(stream: &mut Streaming<ActivatedJob>) -> ActivatedJob {
    tokio::time::timeout(PATIENCE, stream.message())
        .await
        .expect("a job in time")
        .expect("a job")
        .expect("an open stream")
}

#[tokio::test]
async fn new_jobs_are_pushed() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    let mut stream =
        world.client().stream_activated_jobs(request("charge")).await.unwrap().into_inner();
    let mut instances = Vec::new();
    for _ in 0..3 {
        instances.push(world.start("order", r#"{"total":90}"#).await);
    }
    let mut pushed = Vec::new();
    for _ in 0..3 {
        let job = next(&mut stream).await;
        assert_eq!((job.worker.as_str(), job.variables.as_str()), ("ben", r#"{"total":90}"#));
        world.complete(job.key, "").await.unwrap();
        pushed.push(job.process_instance_key);
    }
    pushed.sort_unstable();
    assert_eq!(pushed, instances);
    assert_eq!(world.jobs("ship").await.len(), 3);
}

#[tokio::test]
async fn a_failed_job_with_retries_is_pushed_again() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    let fetch_variable = vec!["total".into()];
    let few = StreamActivatedJobsRequest { fetch_variable, ..request("charge") };
    let mut stream = world.client().stream_activated_jobs(few).await.unwrap().into_inner();
    let instance = world.start("order", r#"{"total":90,"customer":"anna"}"#).await;
    let job = next(&mut stream).await;
    assert_eq!(job.variables, r#"{"total":90}"#);
    let fail = |retries| FailJobRequest { job_key: job.key, retries, ..Default::default() };
    world.fail(fail(2)).await.unwrap();
    let again = next(&mut stream).await;
    assert_eq!((again.key, again.retries), (job.key, 2));
    world.fail(fail(0)).await.unwrap();
    world.set_retries(job.key, 1).await.unwrap();
    world.resolve(world.incident(instance).await.key.raw()).await.unwrap();
    assert_eq!(next(&mut stream).await.key, job.key);
}

#[tokio::test]
async fn jobs_that_waited_before_the_stream_are_pushed_as_well() {
    let world = World::in_real_time().await;
    let instance = world.order().await;
    let mut stream =
        world.client().stream_activated_jobs(request("charge")).await.unwrap().into_inner();
    assert_eq!(next(&mut stream).await.process_instance_key, instance);
}

#[tokio::test]
async fn each_job_goes_to_one_of_several_streams() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    let mut one =
        world.client().stream_activated_jobs(request("charge")).await.unwrap().into_inner();
    let mut two =
        world.client().stream_activated_jobs(request("charge")).await.unwrap().into_inner();
    const JOBS: usize = 20;
    for _ in 0..JOBS {
        world.start("order", "").await;
    }
    let mut keys = Vec::new();
    while keys.len() < JOBS {
        let job = tokio::select! {
            job = next(&mut one) => job,
            job = next(&mut two) => job,
        };
        keys.push(job.key);
    }
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), JOBS);
    assert!(world.jobs("charge").await.is_empty());
}

#[tokio::test]
async fn a_closed_stream_gets_no_more_and_what_it_has_stays_with_it() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    let mut stream =
        world.client().stream_activated_jobs(request("charge")).await.unwrap().into_inner();
    world.start("order", "").await;
    let mine = next(&mut stream).await;
    drop(stream);
    let closed = async {
        while !world
            .orloj
            .metrics_text()
            .contains("job_stream_clients{physicalTenant=\"default\"} 0")
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, closed).await.expect("the stream is closed");
    let instance = world.start("order", "").await;
    let others = world.jobs("charge").await;
    assert_eq!(others.len(), 1, "a job of the closed stream was given away");
    assert_eq!(others[0].process_instance_key, instance);
    world.complete(mine.key, "").await.unwrap();
}

#[tokio::test]
async fn a_client_that_does_not_read_gets_only_so_many() {
    const CREDIT: u32 = 4;
    const JOBS: usize = 60;
    const WINDOW_BYTES: u32 = 65_535;
    let world = World::of(engine(), Options { stream_credit: CREDIT, ..options() }).await;
    world.deploy(ORDER).await;
    let slow = endpoint(world.address).initial_stream_window_size(WINDOW_BYTES);
    let mut slow = GatewayClient::new(slow.connect().await.unwrap());
    let mut stream = slow.stream_activated_jobs(request("charge")).await.unwrap().into_inner();
    let variables = format!(r#"{{"text":"{}"}}"#, "x".repeat(50_000));
    for _ in 0..JOBS {
        world.start("order", &variables).await;
    }
    // Two fill the window, some more wait before it, the credit is on its way: the rest stays for
    // others.
    let fetch_variable = vec!["nothing".into()];
    let others = ActivateJobsRequest { fetch_variable, ..poll("charge") };
    let others = world.activate(others).await.unwrap().len();
    assert!(others >= JOBS - 4 * CREDIT as usize, "only {others} of {JOBS} are left");
    for _ in others..JOBS {
        next(&mut stream).await;
    }
    world.start("order", "").await;
    assert_eq!(next(&mut stream).await.variables, "{}");
}

#[tokio::test]
async fn bad_requests_are_refused() {
    let world = World::new().await;
    for bad in [
        StreamActivatedJobsRequest { r#type: " ".into(), ..request("") },
        StreamActivatedJobsRequest { timeout: 0, ..request("charge") },
        StreamActivatedJobsRequest { tenant_ids: vec!["acme".into()], ..request("charge") },
        StreamActivatedJobsRequest { tenant_filter: 5, ..request("charge") },
    ] {
        let refused = world.client().stream_activated_jobs(bad).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
    }
}
