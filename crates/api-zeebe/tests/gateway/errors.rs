use orloj_api_zeebe::proto::*;
use tonic::Status;

use crate::world::*;

async fn throw(world: &World, job: i64, code: &str, variables: &str) -> Result<(), Status> {
    let request = ThrowErrorRequest {
        job_key: job,
        error_code: code.into(),
        error_message: "no money".into(),
        variables: variables.into(),
        ..Default::default()
    };
    world.client().throw_error(request).await.map(drop)
}

#[tokio::test]
async fn an_error_goes_to_its_boundary_event() {
    let world = World::new().await;
    world.order().await;
    let job = world.job("charge").await;
    throw(&world, job.key, "CARD_REFUSED", r#"{"reason":"limit"}"#).await.unwrap();
    assert!(world.jobs("charge").await.is_empty());
    let remind = world.job("remind").await;
    assert_eq!(remind.variables, r#"{"customer":"anna","reason":"limit","total":90}"#);
    let gone = world.complete(job.key, "").await;
    assert_refused(gone, "COMPLETE", NOT_FOUND, &[&job.key.to_string()]);
}

#[tokio::test]
async fn an_error_nobody_catches_is_an_incident() {
    let world = World::new().await;
    let instance = world.order().await;
    let job = world.job("charge").await;
    throw(&world, job.key, "EARTHQUAKE", "").await.unwrap();
    let incident = world.incident(instance).await;
    assert_eq!(&*incident.kind, "UNHANDLED_ERROR_EVENT");
    assert!(incident.message.contains("EARTHQUAKE"), "{}", incident.message);
    let key = job.key.to_string();
    let refused = world.complete(job.key, "").await;
    assert_refused(refused, "COMPLETE", INVALID_STATE, &[&key, "ERROR_THROWN"]);
    let refused = throw(&world, job.key, "CARD_REFUSED", "").await;
    assert_refused(refused, "THROW_ERROR", INVALID_STATE, &[&key]);
    world.resolve(incident.key.raw()).await.unwrap();
    assert_eq!(world.job("charge").await.key, job.key);
}

#[tokio::test]
async fn commands_for_jobs_that_do_not_exist_are_refused() {
    let world = World::new().await;
    for key in [0, 1, -1, i64::MAX, i64::MIN, (1 << 51) + 5] {
        let text = format!("'{key}'");
        let complete = world.complete(key, "").await;
        assert_refused(complete, "COMPLETE", NOT_FOUND, &[&text]);
        let fail = FailJobRequest { job_key: key, retries: 1, ..Default::default() };
        assert_refused(world.fail(fail).await, "FAIL", NOT_FOUND, &[&text]);
        assert_refused(throw(&world, key, "X", "").await, "THROW_ERROR", NOT_FOUND, &[&text]);
        assert_refused(world.resolve(key).await, "RESOLVE", NOT_FOUND, &[&text]);
    }
}

#[tokio::test]
async fn bad_variables_change_nothing() {
    let world = World::new().await;
    world.order().await;
    let job = world.job("charge").await;
    for bad in ["{", "[]", "7", "\"x\"", "{\"a\":\"\\u0000\"}"] {
        let variables = bad.to_owned();
        let complete = world.complete(job.key, bad).await;
        let fail =
            FailJobRequest { job_key: job.key, variables: variables.clone(), ..Default::default() };
        for answer in [complete, world.fail(fail).await, throw(&world, job.key, "X", bad).await] {
            assert_eq!(answer.unwrap_err().code(), tonic::Code::InvalidArgument, "{bad}");
        }
    }
    for empty in ["", "  ", "null", "{}"] {
        let fail = FailJobRequest {
            job_key: job.key,
            retries: 3,
            variables: empty.into(),
            ..Default::default()
        };
        world.fail(fail).await.unwrap();
        assert_eq!(world.jobs("charge").await.len(), 1, "{empty:?}");
    }
    world.complete(job.key, "{'single': 'quotes'}").await.unwrap();
    assert!(world.job("ship").await.variables.contains(r#""single":"quotes""#));
}

#[tokio::test]
async fn a_lease_nobody_gave_is_refused() {
    let world = World::new().await;
    world.order().await;
    let job = world.job("charge").await;
    let request = CompleteJobRequest {
        job_key: job.key,
        lease_token: Some("t".into()),
        ..Default::default()
    };
    let refused = world.client().complete_job(request).await;
    assert_refused(refused, "COMPLETE", INVALID_STATE, &["lease"]);
    world.complete(job.key, "").await.unwrap();
}
