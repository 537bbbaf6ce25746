use std::time::Duration;

use orloj_api_zeebe::proto::*;

use crate::world::*;

fn failure(job: i64, retries: i32) -> FailJobRequest {
    FailJobRequest {
        job_key: job,
        retries,
        error_message: "card reader on fire".into(),
        ..Default::default()
    }
}

#[tokio::test]
async fn with_retries_left_the_job_comes_back_at_once() {
    let world = World::new().await;
    let instance = world.order().await;
    let job = world.job("charge").await;
    world.fail(failure(job.key, 2)).await.unwrap();
    let again = world.job("charge").await;
    assert_eq!((again.key, again.retries), (job.key, 2));
    assert!(world.incidents(instance).await.is_empty());
}

#[tokio::test]
async fn a_back_off_delays_it_and_until_then_nobody_may_touch_it() {
    let world = World::new().await;
    world.order().await;
    let job = world.job("charge").await;
    let later = FailJobRequest { retry_back_off: 60_000, ..failure(job.key, 2) };
    world.fail(later).await.unwrap();
    assert!(world.jobs("charge").await.is_empty());
    let key = job.key.to_string();
    let early = world.complete(job.key, "").await;
    assert_refused(early, "COMPLETE", INVALID_STATE, &[&key, "FAILED"]);
    let early = world.fail(failure(job.key, 1)).await;
    assert_refused(early, "FAIL", INVALID_STATE, &[&key, "FAILED"]);
    world.pass(Duration::from_secs(59)).await;
    assert!(world.jobs("charge").await.is_empty());
    world.pass(Duration::from_secs(2)).await;
    assert_eq!(world.job("charge").await.key, job.key);
}

#[tokio::test]
async fn without_retries_an_incident_waits_until_it_is_resolved() {
    let world = World::new().await;
    let instance = world.order().await;
    let job = world.job("charge").await;
    world.fail(failure(job.key, 0)).await.unwrap();
    assert!(world.jobs("charge").await.is_empty());
    let incident = world.incident(instance).await;
    assert_eq!(&*incident.kind, "JOB_NO_RETRIES");
    assert!(incident.message.contains("card reader on fire"));
    assert_eq!(incident.job.map(|job| job.raw()), Some(job.key));

    let incident = incident.key.raw();
    let refused = world.resolve(incident).await;
    assert_refused(refused, "RESOLVE", INVALID_STATE, &[&incident.to_string(), "retries"]);
    world.set_retries(job.key, 1).await.unwrap();
    assert!(world.jobs("charge").await.is_empty());
    world.resolve(incident).await.unwrap();
    let again = world.job("charge").await;
    assert_eq!((again.key, again.retries), (job.key, 1));
    assert!(world.incidents(instance).await.is_empty());

    world.complete(again.key, "").await.unwrap();
    assert_eq!(world.jobs("ship").await.len(), 1);
    let refused = world.resolve(incident).await;
    assert_refused(refused, "RESOLVE", NOT_FOUND, &[&incident.to_string()]);
}

#[tokio::test]
async fn variables_of_a_failure_stay_with_the_task() {
    let world = World::new().await;
    world.order().await;
    let job = world.job("charge").await;
    let told = FailJobRequest { variables: r#"{"attempt":1}"#.into(), ..failure(job.key, 2) };
    world.fail(told).await.unwrap();
    let again = world.job("charge").await;
    assert_eq!(again.variables, r#"{"attempt":1,"customer":"anna","total":90}"#);
    world.complete(again.key, "").await.unwrap();
    assert_eq!(world.job("ship").await.variables, r#"{"customer":"anna","total":90}"#);
}

#[tokio::test]
async fn retries_may_be_set_at_any_time_but_not_below_one() {
    let world = World::new().await;
    world.order().await;
    let job = world.job("charge").await;
    world.set_retries(job.key, 9).await.unwrap();
    for few in [0, -1] {
        let refused = world.set_retries(job.key, few).await;
        assert_refused(refused, "UPDATE_RETRIES", INVALID_ARGUMENT, &[&few.to_string()]);
    }
    let refused = world.set_retries(7, 1).await;
    assert_refused(refused, "UPDATE_RETRIES", NOT_FOUND, &["'7'"]);
}

#[tokio::test]
async fn a_timeout_is_moved_from_now() {
    let world = World::new().await;
    world.order().await;
    let move_to = |job_key, timeout| {
        let request = UpdateJobTimeoutRequest { job_key, timeout, ..Default::default() };
        let mut client = world.client();
        async move { client.update_job_timeout(request).await }
    };
    let short = ActivateJobsRequest { timeout: 10_000, ..poll("charge") };
    let job = world.activate(short).await.unwrap().remove(0);
    world.pass(Duration::from_secs(5)).await;
    move_to(job.key, 20_000).await.unwrap();
    world.pass(Duration::from_secs(15)).await;
    assert!(world.jobs("charge").await.is_empty());
    move_to(job.key, 1_000).await.unwrap();
    world.pass(Duration::from_secs(3)).await;
    let key = job.key.to_string();
    // Nobody holds it now.
    assert_refused(move_to(job.key, 1_000).await, "UPDATE_TIMEOUT", INVALID_STATE, &[&key]);
    assert_eq!(world.jobs("charge").await.len(), 1);
    assert_refused(move_to(7, 1_000).await, "UPDATE_TIMEOUT", NOT_FOUND, &["'7'"]);
}
