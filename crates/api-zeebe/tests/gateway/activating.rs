use std::time::{Duration, Instant};

use orloj_api_zeebe::proto::*;
use tonic::Request;

use crate::world::*;

#[tokio::test]
async fn a_job_tells_all_about_itself() {
    let world = World::new().await;
    let deployed = world.deploy(ORDER).await;
    let instance = world.start("order", r#"{"total":90}"#).await;
    let job = world.job("charge").await;
    assert_eq!(job.r#type, "charge");
    assert_eq!(job.process_instance_key, instance);
    assert_eq!(job.bpmn_process_id, "order");
    assert_eq!(job.process_definition_version, 1);
    assert_eq!(job.element_id, "charge");
    assert_eq!(job.worker, "anna");
    assert_eq!(job.retries, 3);
    assert_eq!(job.deadline, 1_900_000_000_000 + 3_600_000);
    assert_eq!(job.variables, r#"{"total":90}"#);
    assert_eq!(job.tenant_id, "<default>");
    assert_eq!(job.kind, 0);
    assert_eq!(job.listener_event_type, 6);
    assert_eq!(job.priority, 0);
    let headers: std::collections::BTreeMap<String, String> =
        serde_json::from_str(&job.custom_headers).unwrap();
    assert_eq!(headers["method"], "card");
    assert_eq!(headers["limit"], "100");
    assert!(job.key >= 1 << 51 && job.element_instance_key >= 1 << 51);
    let deployed = match deployed.deployments[0].metadata.as_ref().unwrap() {
        deployment::Metadata::Process(process) => process.process_definition_key,
        other => panic!("{other:?}"),
    };
    assert_eq!(job.process_definition_key, deployed);
}

#[tokio::test]
async fn a_job_is_given_to_one_worker_until_it_times_out() {
    let world = World::new().await;
    world.order().await;
    let short = ActivateJobsRequest { timeout: 10_000, ..poll("charge") };
    let first = world.activate(short.clone()).await.unwrap();
    assert_eq!(first.len(), 1);
    assert!(world.jobs("charge").await.is_empty());
    world.pass(Duration::from_secs(9)).await;
    assert!(world.jobs("charge").await.is_empty());
    world.pass(Duration::from_secs(3)).await;
    let again = world.job("charge").await;
    assert_eq!((again.key, again.retries), (first[0].key, 3));
    // The first worker is late, but nobody was faster.
    world.complete(first[0].key, "").await.unwrap();
    let refused = world.complete(again.key, "").await;
    assert_refused(refused, "COMPLETE", NOT_FOUND, &[&again.key.to_string()]);
}

#[tokio::test]
async fn at_most_as_many_as_asked_for_and_oldest_first() {
    let world = World::new().await;
    world.deploy(ORDER).await;
    let mut instances = Vec::new();
    for _ in 0..5 {
        instances.push(world.start("order", "").await);
    }
    let few = ActivateJobsRequest { max_jobs_to_activate: 3, ..poll("charge") };
    let first = world.activate(few).await.unwrap();
    let rest = world.jobs("charge").await;
    let order: Vec<i64> = first.iter().chain(&rest).map(|job| job.process_instance_key).collect();
    assert_eq!(first.len(), 3);
    assert_eq!(order, instances);
}

#[tokio::test]
async fn only_the_variables_asked_for() {
    let world = World::new().await;
    world.order().await;
    let fetch_variable = vec!["customer".into(), "nothing".into()];
    let request = ActivateJobsRequest { fetch_variable, ..poll("charge") };
    let jobs = world.activate(request).await.unwrap();
    assert_eq!(jobs[0].variables, r#"{"customer":"anna"}"#);
}

#[tokio::test]
async fn mapped_completions_keep_the_rest_local() {
    let world = World::in_real_time().await;
    world.deploy(MAPPED).await;
    let mut client = world.client();
    let request = CreateProcessInstanceWithResultRequest {
        request: Some(creation("mapped", r#"{"total":90}"#)),
        request_timeout: 20_000,
        ..Default::default()
    };
    let waiting =
        tokio::spawn(async move { client.create_process_instance_with_result(request).await });
    let request = ActivateJobsRequest { request_timeout: 10_000, ..poll("map") };
    let job = world.activate(request).await.unwrap().remove(0);
    assert_eq!(job.variables, r#"{"amount":90,"total":90}"#);
    world.complete(job.key, r#"{"receipt":"r-1","private":true}"#).await.unwrap();
    let variables = waiting.await.unwrap().unwrap().into_inner().variables;
    assert_eq!(variables, r#"{"paid":"r-1","total":90}"#);
}

#[tokio::test]
async fn nothing_to_do_is_an_empty_answer() {
    let world = World::new().await;
    assert!(world.jobs("charge").await.is_empty());
}

#[tokio::test]
async fn a_poll_waits_as_long_as_asked() {
    let world = World::in_real_time().await;
    let request = ActivateJobsRequest { request_timeout: 300, ..poll("charge") };
    let begin = Instant::now();
    assert!(world.activate(request).await.unwrap().is_empty());
    assert!(begin.elapsed() >= Duration::from_millis(290), "{:?}", begin.elapsed());
    assert!(begin.elapsed() < PATIENCE);
}

#[tokio::test]
async fn a_poll_ends_before_its_client_gives_up() {
    let world = World::in_real_time().await;
    let mut request = Request::new(ActivateJobsRequest { request_timeout: 0, ..poll("charge") });
    request.set_timeout(Duration::from_millis(800));
    let mut answer = world.client().activate_jobs(request).await.expect("in time").into_inner();
    assert_eq!(answer.message().await.expect("in time"), None);
}

#[tokio::test]
async fn a_waiting_poll_is_woken_by_a_new_job() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    let mut client = world.client();
    let waiting = tokio::spawn(async move {
        let request = ActivateJobsRequest { request_timeout: 0, ..poll("charge") };
        let mut answer = client.activate_jobs(request).await?.into_inner();
        answer.message().await
    });
    until(&world, "zeebe_long_polling_queued_current{type=\"charge\",protocol=\"grpc\"} 1").await;
    let begin = Instant::now();
    let instance = world.start("order", "").await;
    let message = waiting.await.unwrap().unwrap().expect("a job");
    assert_eq!(message.jobs[0].process_instance_key, instance);
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[tokio::test]
async fn a_poll_that_was_given_up_takes_no_job() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    let mut client = world.client();
    let waiting = tokio::spawn(async move {
        let request = ActivateJobsRequest { request_timeout: 0, ..poll("charge") };
        client.activate_jobs(request).await.map(drop)
    });
    let waits = "zeebe_long_polling_queued_current{type=\"charge\",protocol=\"grpc\"}";
    until(&world, &format!("{waits} 1")).await;
    waiting.abort();
    until_not(&world, waits).await;
    world.start("order", "").await;
    // Should it still be on its way to the one who left, it comes back at once, not by its timeout.
    let request = ActivateJobsRequest { request_timeout: 10_000, ..poll("charge") };
    assert_eq!(world.activate(request).await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_answer_larger_than_a_message_comes_in_several() {
    let world = World::new().await;
    world.deploy(ORDER).await;
    let large = format!(r#"{{"text":"{}"}}"#, "x".repeat(900_000));
    for _ in 0..6 {
        world.start("order", &large).await;
    }
    let mut jobs = 0;
    loop {
        let mut answer = world.client().activate_jobs(poll("charge")).await.unwrap().into_inner();
        let before = jobs;
        while let Some(message) = answer.message().await.unwrap() {
            assert!(prost::Message::encoded_len(&message) <= 4 * 1024 * 1024);
            jobs += message.jobs.len();
        }
        if jobs == before {
            break;
        }
    }
    assert_eq!(jobs, 6);
}

#[tokio::test]
async fn a_job_that_fits_no_message_becomes_an_incident() {
    let world = World::new().await;
    world.deploy(ORDER).await;
    let instance = world.start("order", "").await;
    let behind = world.start("order", "").await;
    for name in ["a", "b"] {
        let variables = format!(r#"{{"{name}":"{}"}}"#, "x".repeat(3_000_000));
        let request =
            SetVariablesRequest { element_instance_key: instance, variables, ..Default::default() };
        world.client().set_variables(request).await.unwrap();
    }
    let jobs = world.jobs("charge").await;
    assert_eq!(jobs.iter().map(|job| job.process_instance_key).collect::<Vec<_>>(), [behind]);
    let incident = world.incident(instance).await;
    assert_eq!(&*incident.kind, "MESSAGE_SIZE_EXCEEDED");
    assert!(incident.message.contains("fetch fewer variables"), "{}", incident.message);
    let job = incident.job.unwrap().raw();
    world.resolve(incident.key.raw()).await.unwrap();
    let request = ActivateJobsRequest { fetch_variable: vec!["a".into()], ..poll("charge") };
    let again = &world.activate(request).await.unwrap()[0];
    assert_eq!((again.key, again.retries), (job, 3), "the retries are left alone");
}

#[tokio::test]
async fn bad_requests_are_refused() {
    let world = World::new().await;
    for bad in [
        ActivateJobsRequest { r#type: String::new(), ..poll("") },
        ActivateJobsRequest { timeout: 0, ..poll("charge") },
        ActivateJobsRequest { max_jobs_to_activate: 0, ..poll("charge") },
        poll(&"x".repeat(40_000)),
    ] {
        assert_refused(world.activate(bad).await, "ACTIVATE", INVALID_ARGUMENT, &[]);
    }
    let tenant = ActivateJobsRequest { tenant_ids: vec!["acme".into()], ..poll("charge") };
    let refused = world.activate(tenant).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::InvalidArgument);
    let own = ActivateJobsRequest { tenant_ids: vec!["<default>".into()], ..poll("charge") };
    assert!(world.activate(own).await.unwrap().is_empty());
}

async fn until(world: &World, metric: &str) {
    wait(world, metric, true).await;
}

async fn until_not(world: &World, metric: &str) {
    wait(world, metric, false).await;
}

async fn wait(world: &World, metric: &str, there: bool) {
    let look = async {
        while world.orloj.metrics_text().contains(metric) != there {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, look).await.expect(metric);
}

#[tokio::test]
async fn a_job_whose_priority_is_raised_comes_first() {
    let world = World::new().await;
    let first = world.order().await;
    let second = world.start("order", "{}").await;
    let keys = world.jobs("charge").await;
    assert_eq!(
        keys.iter().map(|job| job.process_instance_key).collect::<Vec<_>>(),
        [first, second]
    );
    let update = |priority| UpdateJobPriorityRequest {
        job_key: keys[1].key,
        priority,
        ..Default::default()
    };
    let refused = world.client().update_job_priority(update(None)).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::InvalidArgument);
    let unknown = UpdateJobPriorityRequest { job_key: 7, ..update(Some(1)) };
    let refused = world.client().update_job_priority(unknown).await;
    assert_refused(refused, "UPDATE_PRIORITY", NOT_FOUND, &["'7'"]);
    world.client().update_job_priority(update(Some(50))).await.unwrap();
    world.pass(Duration::from_secs(3_601)).await;
    let jobs = world.jobs("charge").await;
    let order: Vec<_> = jobs.iter().map(|job| (job.process_instance_key, job.priority)).collect();
    assert_eq!(order, [(second, 50), (first, 0)]);
}
