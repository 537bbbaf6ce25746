//! Who is there. Clients ask in order to see whether anyone is.

use orloj::NodeView;
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::partition::{PartitionBrokerHealth, PartitionBrokerRole};
use crate::proto::*;

/// The release of the protocol that is spoken; clients show it, and some choose by it.
const PROTOCOL_VERSION: &str = "8.10.0";
/// One partition owns every key.
const PARTITION: i32 = 1;
/// A node that was silent for longer is not shown. Generous: Topology is no liveness check.
const NODE_SILENT_MS_MAX: i64 = 30_000;

/// Never fails while the gateway is up.
pub(crate) async fn topology(gateway: &Gateway) -> Result<TopologyResponse, Status> {
    gateway.is_open()?;
    let now = gateway.orloj.now();
    let mut nodes = gateway.orloj.nodes().list().await.unwrap_or_default();
    nodes.retain(|node| !node.is_self && now.ms_since(node.seen_at) <= NODE_SILENT_MS_MAX);
    let own = own_broker(gateway);
    let others = nodes.iter().map(|node| other_broker(gateway, node));
    let brokers: Vec<BrokerInfo> = std::iter::once(own).chain(others).collect();
    let nodes = i32::try_from(brokers.len()).unwrap_or(i32::MAX);
    Ok(TopologyResponse {
        brokers,
        cluster_size: nodes,
        partitions_count: 1,
        // All nodes work on one store.
        replication_factor: 1,
        gateway_version: PROTOCOL_VERSION.to_owned(),
        cluster_id: String::new(),
    })
}

/// Every node takes every command, so the one that answers leads.
fn own_broker(gateway: &Gateway) -> BrokerInfo {
    broker(0, gateway.options.advertised_host.clone(), gateway, PartitionBrokerRole::Leader)
}

fn other_broker(gateway: &Gateway, node: &NodeView) -> BrokerInfo {
    let host = node.name.clone();
    broker(i32::from(node.number), host, gateway, PartitionBrokerRole::Follower)
}

#[expect(deprecated, reason = "older clients show the node id")]
fn broker(id: i32, host: String, gateway: &Gateway, role: PartitionBrokerRole) -> BrokerInfo {
    let partition = Partition {
        partition_id: PARTITION,
        role: role.into(),
        health: PartitionBrokerHealth::Healthy.into(),
    };
    BrokerInfo {
        node_id: id,
        host,
        port: i32::from(gateway.options.advertised_port),
        partitions: vec![partition],
        version: PROTOCOL_VERSION.to_owned(),
        broker_id: id.to_string(),
        zone: String::new(),
    }
}
