use std::time::Duration;

use orloj_api_zeebe::proto::gateway_client::GatewayClient;
use orloj_api_zeebe::proto::*;
use tonic::Code;
use tonic::codec::CompressionEncoding;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

use crate::world::*;

#[tokio::test]
async fn topology_has_one_healthy_partition() {
    let world = World::new().await;
    let topology = world.client().topology(TopologyRequest {}).await.unwrap().into_inner();
    assert_eq!((topology.cluster_size, topology.partitions_count), (1, 1));
    assert_eq!(topology.replication_factor, 1);
    assert!(topology.gateway_version.starts_with("8."));
    let broker = &topology.brokers[0];
    assert_eq!((broker.host.as_str(), broker.port), ("127.0.0.1", 26_501));
    let partition = &broker.partitions[0];
    assert_eq!((partition.partition_id, partition.role, partition.health), (1, 0, 0));
}

#[tokio::test]
async fn compressed_requests_are_understood() {
    let world = World::new().await;
    for encoding in [CompressionEncoding::Gzip, CompressionEncoding::Deflate] {
        let mut client = world.client().send_compressed(encoding);
        let resource = Resource { name: "order.bpmn".into(), content: ORDER.into() };
        let request = DeployResourceRequest { resources: vec![resource], ..Default::default() };
        let answer = client.deploy_resource(request).await.unwrap().into_inner();
        assert_eq!(answer.deployments.len(), 1);
    }
}

fn deployment(bytes: usize) -> DeployResourceRequest {
    let resource = Resource { name: "large.bpmn".into(), content: vec![b'x'; bytes] };
    DeployResourceRequest { resources: vec![resource], ..Default::default() }
}

#[tokio::test]
async fn a_request_beyond_the_limit_is_refused_and_the_connection_lives_on() {
    let world = World::new().await;
    for bytes in [4 * 1024 * 1024, 20_000_000, 100_000_000] {
        let refused = world.client().deploy_resource(deployment(bytes)).await.unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted, "{refused}");
        assert!(refused.message().contains("4194304"), "{refused}");
        world.client().topology(TopologyRequest {}).await.expect("the same connection");
    }
    let job_type = poll(&"x".repeat(10_000_000));
    let refused = world.client().activate_jobs(job_type).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    // Small on the wire, large in memory.
    let mut client = world.client().send_compressed(CompressionEncoding::Gzip);
    let refused = client.deploy_resource(deployment(6_000_000)).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    // Below the limit it is the engine that says no.
    let refused = world.client().deploy_resource(deployment(4_000_000)).await;
    assert_refused(refused, "CREATE", INVALID_ARGUMENT, &["large.bpmn"]);
}

#[tokio::test]
async fn calls_of_later_releases_say_so() {
    let world = World::new().await;
    let mut client = world.client();
    let request = AssignProcessInstanceBusinessIdRequest::default();
    let status = client.assign_process_instance_business_id(request).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    assert!(status.message().contains("not supported"), "{status}");
}

async fn health(world: &World, service: &str) -> Result<HealthCheckResponse, tonic::Status> {
    let request = HealthCheckRequest { service: service.into() };
    let mut client = HealthClient::new(channel(world.address).await);
    client.check(request).await.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn health_is_told_for_both_names() {
    let world = World::new().await;
    for service in ["", "gateway_protocol.Gateway"] {
        let answer = health(&world, service).await.unwrap();
        assert_eq!(answer.status(), ServingStatus::Serving);
    }
    assert_eq!(health(&world, "other").await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn at_shutdown_waiting_calls_end_and_new_ones_are_refused() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    let stream = StreamActivatedJobsRequest {
        r#type: "charge".into(),
        timeout: 1_000,
        ..Default::default()
    };
    let mut stream = world.client().stream_activated_jobs(stream).await.unwrap().into_inner();
    let mut watch = HealthClient::new(channel(world.address).await)
        .watch(HealthCheckRequest { service: String::new() })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(watch.message().await.unwrap().unwrap().status(), ServingStatus::Serving);
    let mut client = world.client();
    let poll = tokio::spawn(async move {
        let request = ActivateJobsRequest { request_timeout: 60_000, ..poll("ship") };
        client.activate_jobs(request).await.map(drop)
    });
    while !world.orloj.metrics_text().contains("zeebe_long_polling_queued_current{") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }

    world.stop.send(()).unwrap();
    let ended = tokio::time::timeout(PATIENCE, stream.message()).await.expect("in time");
    assert_eq!(ended.unwrap_err().code(), Code::Cancelled);
    let ended = tokio::time::timeout(PATIENCE, poll).await.expect("in time").unwrap();
    assert_eq!(ended.unwrap_err().code(), Code::Unavailable);
    assert_eq!(watch.message().await.unwrap().unwrap().status(), ServingStatus::NotServing);
    assert_eq!(watch.message().await.unwrap(), None);
    drop((stream, watch));
    tokio::time::timeout(PATIENCE, world.server).await.expect("in time").unwrap().unwrap();
    let mut client = world.client;
    let refused = client.topology(TopologyRequest {}).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable);
}

#[tokio::test]
async fn an_engine_that_shuts_down_refuses_commands() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    world.orloj.shutdown().await;
    let refused = world.client().create_process_instance(creation("order", "")).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    let health = health(&world, "").await.unwrap();
    assert_eq!(health.status(), ServingStatus::NotServing);
}

#[tokio::test]
async fn many_calls_wait_on_one_connection() {
    let world = World::in_real_time().await;
    world.deploy(ORDER).await;
    const POLLS: usize = 300;
    let mut polls = tokio::task::JoinSet::new();
    for _ in 0..POLLS {
        let mut client = GatewayClient::clone(&world.client);
        polls.spawn(async move {
            let request = ActivateJobsRequest {
                request_timeout: 60_000,
                max_jobs_to_activate: 1,
                ..poll("charge")
            };
            let mut answer = client.activate_jobs(request).await?.into_inner();
            answer.message().await
        });
    }
    for _ in 0..POLLS {
        world.start("order", "").await;
    }
    let mut jobs = Vec::new();
    while let Some(poll) = polls.join_next().await {
        jobs.push(poll.unwrap().unwrap().expect("a job").jobs[0].key);
    }
    jobs.sort_unstable();
    jobs.dedup();
    assert_eq!(jobs.len(), POLLS);
}
