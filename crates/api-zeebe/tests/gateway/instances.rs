use orloj_api_zeebe::proto::*;

use crate::world::*;

#[tokio::test]
async fn a_cancelled_instance_takes_its_jobs_along() {
    let world = World::new().await;
    let instance = world.order().await;
    let job = world.job("charge").await;
    let cancel = |key| {
        let request =
            CancelProcessInstanceRequest { process_instance_key: key, ..Default::default() };
        let mut client = world.client();
        async move { client.cancel_process_instance(request).await }
    };
    let refused = cancel(job.element_instance_key).await;
    assert_refused(refused, "CANCEL", NOT_FOUND, &[&job.element_instance_key.to_string()]);
    cancel(instance).await.unwrap();
    assert_refused(cancel(instance).await, "CANCEL", NOT_FOUND, &[&instance.to_string()]);
    let gone = world.complete(job.key, "").await;
    assert_refused(gone, "COMPLETE", NOT_FOUND, &[&job.key.to_string()]);
    for unknown in [0, 1, i64::MAX] {
        assert_refused(cancel(unknown).await, "CANCEL", NOT_FOUND, &[&unknown.to_string()]);
    }
}

#[tokio::test]
async fn variables_are_set_where_they_belong() {
    let world = World::new().await;
    let instance = world.order().await;
    let set = |scope, variables: &str, local| {
        let request = SetVariablesRequest {
            element_instance_key: scope,
            variables: variables.into(),
            local,
            ..Default::default()
        };
        let mut client = world.client();
        async move { client.set_variables(request).await.map(|answer| answer.into_inner().key) }
    };
    let short = ActivateJobsRequest { timeout: 1, ..poll("charge") };
    let scope = world.activate(short).await.unwrap()[0].element_instance_key;
    let first = set(instance, r#"{"total":100}"#, false).await.unwrap();
    let second = set(scope, r#"{"note":"here"}"#, true).await.unwrap();
    let third = set(scope, r#"{"customer":"ben"}"#, false).await.unwrap();
    assert!(first < second && second < third);
    world.pass(std::time::Duration::from_secs(2)).await;
    let job = world.job("charge").await;
    assert_eq!(job.variables, r#"{"customer":"ben","note":"here","total":100}"#);
    world.complete(job.key, "").await.unwrap();
    assert_eq!(world.job("ship").await.variables, r#"{"customer":"ben","total":100}"#);
    assert_refused(set(scope, "{}", true).await, "UPDATE", NOT_FOUND, &[&scope.to_string()]);
    assert_refused(set(7, "{}", true).await, "UPDATE", NOT_FOUND, &["'7'"]);
    let bad = set(instance, "[]", false).await.unwrap_err();
    assert_eq!(bad.code(), tonic::Code::InvalidArgument);
}

#[tokio::test]
async fn an_instance_ends_when_its_last_job_is_completed() {
    let world = World::new().await;
    let instance = world.order().await;
    for job_type in ["charge", "ship"] {
        let job = world.job(job_type).await;
        world.complete(job.key, "").await.unwrap();
    }
    assert!(world.has_ended(instance).await);
}
