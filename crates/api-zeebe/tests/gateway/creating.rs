use orloj_api_zeebe::proto::*;
use tonic::Code;

use crate::world::*;

#[tokio::test]
async fn by_id_by_version_and_by_key() {
    let world = World::new().await;
    world.deploy(ORDER).await;
    world.deploy(&ORDER.replace("ship goods", "send goods")).await;
    let create = |request| async { world.client().create_process_instance(request).await };

    let latest = create(creation("order", "")).await.unwrap().into_inner();
    assert_eq!((latest.version, latest.bpmn_process_id.as_str()), (2, "order"));
    assert_eq!(latest.tenant_id, "<default>");
    assert!(latest.process_instance_key >= 1 << 51);

    let first = CreateProcessInstanceRequest { version: 1, ..creation("order", "") };
    let first = create(first).await.unwrap().into_inner();
    assert_eq!(first.version, 1);

    let by_key = CreateProcessInstanceRequest {
        process_definition_key: first.process_definition_key,
        ..Default::default()
    };
    let by_key = create(by_key).await.unwrap().into_inner();
    assert_eq!((by_key.version, by_key.bpmn_process_id.as_str()), (1, "order"));
    assert_ne!(by_key.process_instance_key, first.process_instance_key);
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let world = World::new().await;
    world.deploy(ORDER).await;
    let unknown = creation("nobody", "");
    let version = CreateProcessInstanceRequest { version: 7, ..creation("order", "") };
    let zero = CreateProcessInstanceRequest { version: 0, ..creation("order", "") };
    let key = CreateProcessInstanceRequest { process_definition_key: 1, ..Default::default() };
    for (request, mentioned) in [(unknown, "nobody"), (version, "7"), (zero, "0"), (key, "1")] {
        let refused = world.client().create_process_instance(request).await;
        assert_refused(refused, "CREATE", NOT_FOUND, &[mentioned]);
    }
    let neither = CreateProcessInstanceRequest { process_definition_key: -1, ..Default::default() };
    let refused = world.client().create_process_instance(neither).await;
    assert_refused(refused, "CREATE", INVALID_ARGUMENT, &["key"]);
}

#[tokio::test]
async fn variables_must_be_an_object() {
    let world = World::new().await;
    world.deploy(ORDER).await;
    for (bad, mentioned) in [("{a", "Invalid JSON value: {a"), ("[1]", "root level object")] {
        let request = creation("order", bad);
        let refused = world.client().create_process_instance(request).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(refused.message().contains(mentioned), "{refused}");
    }
    let deep = format!("{{\"a\":{}1{}}}", "[".repeat(1_001), "]".repeat(1_001));
    let refused = world.client().create_process_instance(creation("order", &deep)).await;
    assert_eq!(refused.unwrap_err().code(), Code::InvalidArgument);
    assert!(world.jobs("charge").await.is_empty());
}

#[tokio::test]
async fn a_business_id_and_tags_come_back() {
    let world = World::new().await;
    world.deploy(ORDER).await;
    let request = CreateProcessInstanceRequest {
        business_id: Some("o-17".into()),
        tags: vec!["blue".into()],
        ..creation("order", "")
    };
    let answer = world.client().create_process_instance(request).await.unwrap().into_inner();
    assert_eq!(answer.business_id.as_deref(), Some("o-17"));
    assert_eq!(answer.tags, ["blue"]);
    assert_eq!(world.job("charge").await.business_id, "o-17");

    let tags = CreateProcessInstanceRequest { tags: vec!["1".into()], ..creation("order", "") };
    let refused = world.client().create_process_instance(tags).await;
    assert_refused(refused, "CREATE", INVALID_ARGUMENT, &["tag"]);
}

#[tokio::test]
async fn an_instance_begins_before_the_elements_that_are_named() {
    let world = World::new().await;
    world.deploy(ORDER).await;
    let before = |element: &str| {
        let at = ProcessInstanceCreationStartInstruction { element_id: element.into() };
        CreateProcessInstanceRequest { start_instructions: vec![at], ..creation("order", "") }
    };
    for (element, mentioned) in [
        ("nowhere", "nowhere"),
        ("received", "start event"),
        ("refused", "boundary"),
        ("toShip", "flow"),
    ] {
        let refused = world.client().create_process_instance(before(element)).await;
        assert_refused(refused, "CREATE", INVALID_ARGUMENT, &[mentioned]);
    }
    world.client().create_process_instance(before("ship")).await.unwrap();
    assert!(world.jobs("charge").await.is_empty());
    assert_eq!(world.jobs("ship").await.len(), 1);
}

#[tokio::test]
async fn an_instance_ends_after_the_element_that_its_creator_names() {
    use process_instance_creation_runtime_instruction::Instruction;
    let world = World::new().await;
    world.deploy(ORDER).await;
    let until = |element: &str| {
        let terminate = TerminateProcessInstanceInstruction { after_element_id: element.into() };
        let instruction = Some(Instruction::Terminate(terminate));
        CreateProcessInstanceRequest {
            runtime_instructions: vec![ProcessInstanceCreationRuntimeInstruction { instruction }],
            ..creation("order", "{}")
        }
    };
    let refused = world.client().create_process_instance(until("nothing")).await;
    assert_refused(refused, "CREATE", INVALID_ARGUMENT, &["'nothing'"]);
    let created = world.client().create_process_instance(until("charge")).await.unwrap();
    let instance = created.into_inner().process_instance_key;
    let job = world.job("charge").await;
    world.complete(job.key, "").await.unwrap();
    assert!(world.jobs("ship").await.is_empty());
    assert!(world.has_ended(instance).await);
}

fn awaited(
    request: CreateProcessInstanceRequest,
    timeout_ms: i64,
    fetch: &[&str],
) -> CreateProcessInstanceWithResultRequest {
    CreateProcessInstanceWithResultRequest {
        request: Some(request),
        request_timeout: timeout_ms,
        fetch_variables: fetch.iter().map(|name| (*name).to_owned()).collect(),
    }
}

#[tokio::test]
async fn a_result_has_the_variables_of_the_instance() {
    let world = World::in_real_time().await;
    world.deploy(INSTANT).await;
    let request = awaited(creation("instant", r#"{"a":1,"b":"x"}"#), 0, &[]);
    let answer = world.client().create_process_instance_with_result(request).await.unwrap();
    let answer = answer.into_inner();
    assert_eq!(answer.variables, r#"{"a":1,"b":"x"}"#);
    assert_eq!((answer.version, answer.bpmn_process_id.as_str()), (1, "instant"));

    let request = awaited(creation("instant", r#"{"a":1,"b":"x"}"#), 0, &["b", "c"]);
    let answer = world.client().create_process_instance_with_result(request).await.unwrap();
    assert_eq!(answer.into_inner().variables, r#"{"b":"x"}"#);
}

#[tokio::test]
async fn a_result_waits_for_workers() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    let mut client = world.client();
    let request = awaited(creation("order", r#"{"total":90}"#), 20_000, &[]);
    let waiting =
        tokio::spawn(async move { client.create_process_instance_with_result(request).await });
    for job_type in ["charge", "ship"] {
        let request = ActivateJobsRequest { request_timeout: 10_000, ..poll(job_type) };
        let jobs = world.activate(request).await.unwrap();
        world.complete(jobs[0].key, &format!(r#"{{"{job_type}":true}}"#)).await.unwrap();
    }
    let answer = waiting.await.unwrap().unwrap().into_inner();
    assert_eq!(answer.variables, r#"{"charge":true,"ship":true,"total":90}"#);
}

#[tokio::test]
async fn a_result_that_does_not_come_in_time_leaves_the_instance() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    let request = awaited(creation("order", ""), 100, &[]);
    let late = world.client().create_process_instance_with_result(request).await.unwrap_err();
    assert_eq!(late.code(), Code::DeadlineExceeded);
    assert!(late.message().starts_with("Time out between gateway and broker"), "{late}");
    assert_eq!(world.jobs("charge").await.len(), 1);
}

#[tokio::test]
async fn a_result_of_a_cancelled_instance_never_comes() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    let mut client = world.client();
    let request = awaited(creation("order", ""), 20_000, &[]);
    let waiting =
        tokio::spawn(async move { client.create_process_instance_with_result(request).await });
    let request = ActivateJobsRequest { request_timeout: 10_000, ..poll("charge") };
    let instance = world.activate(request).await.unwrap()[0].process_instance_key;
    assert!(!world.has_ended(instance).await);
    let refused = waiting.await.unwrap().unwrap_err();
    assert_eq!(refused.code(), Code::Aborted);
    assert!(refused.message().contains(&instance.to_string()), "{refused}");
}

#[tokio::test]
async fn a_result_of_what_does_not_exist_is_not_found() {
    let world = World::new().await;
    let request = awaited(creation("nobody", ""), 0, &[]);
    let refused = world.client().create_process_instance_with_result(request).await;
    assert_refused(refused, "CREATE_WITH_AWAITING_RESULT", NOT_FOUND, &["nobody"]);
    let empty = CreateProcessInstanceWithResultRequest::default();
    let refused = world.client().create_process_instance_with_result(empty).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
}
