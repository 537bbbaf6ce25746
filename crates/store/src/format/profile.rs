use prost::Message;

use orloj_types::{DeploymentKey, Order, TenantId};

use crate::Error;
use crate::format::damaged;
use crate::node::NodeProfile;

#[derive(Clone, PartialEq, Message)]
struct ProfileMessage {
    #[prost(bool, tag = "1")]
    is_active: bool,
    /// Bits of the flags; with a step it is the order of aging.
    #[prost(uint32, tag = "2")]
    order_flags: u32,
    #[prost(int64, optional, tag = "3")]
    aging_step_ms: Option<i64>,
    #[prost(sint64, tag = "4")]
    priority_min: i64,
    #[prost(sint64, tag = "5")]
    priority_max: i64,
    #[prost(bool, tag = "6")]
    is_deployment_aware: bool,
    #[prost(int64, repeated, tag = "7")]
    deployments: Vec<i64>,
    #[prost(bool, tag = "8")]
    has_categories: bool,
    #[prost(string, repeated, tag = "9")]
    categories: Vec<String>,
    #[prost(string, optional, tag = "10")]
    tenant: Option<String>,
    #[prost(bool, tag = "11")]
    without_cleanup: bool,
    #[prost(bool, tag = "12")]
    without_timers: bool,
    #[prost(bool, tag = "13")]
    needs_due_date: bool,
}

const PRIORITY: u32 = 1;
const TIMERS_FIRST: u32 = 2;
const DUE: u32 = 4;

pub fn encode_profile(profile: &NodeProfile) -> Vec<u8> {
    let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
    let (order_flags, aging_step_ms) = match profile.order {
        Order::Flags { priority, timers_first, due } => {
            (bit(priority, PRIORITY) | bit(timers_first, TIMERS_FIRST) | bit(due, DUE), None)
        }
        Order::Aging { step_ms } => (0, Some(step_ms)),
    };
    let deployments = profile.deployments.iter().flatten().map(|key| key.raw());
    let categories = profile.categories.iter().flatten().map(|category| category.to_string());
    let message = ProfileMessage {
        is_active: profile.is_active,
        order_flags,
        aging_step_ms,
        priority_min: *profile.priorities.start(),
        priority_max: *profile.priorities.end(),
        is_deployment_aware: profile.deployments.is_some(),
        deployments: deployments.collect(),
        has_categories: profile.categories.is_some(),
        categories: categories.collect(),
        tenant: profile.tenant.as_ref().map(|tenant| tenant.to_string()),
        without_cleanup: profile.without_cleanup,
        without_timers: !profile.fires_timers,
        needs_due_date: profile.needs_due_date,
    };
    message.encode_to_vec()
}

pub fn decode_profile(bytes: &[u8]) -> Result<NodeProfile, Error> {
    let message = ProfileMessage::decode(bytes).map_err(|e| damaged("profile", e))?;
    let has = |bit: u32| message.order_flags & bit != 0;
    let order = match message.aging_step_ms {
        Some(step_ms) => Order::Aging { step_ms },
        None => {
            Order::Flags { priority: has(PRIORITY), timers_first: has(TIMERS_FIRST), due: has(DUE) }
        }
    };
    let deployments = message.deployments.into_iter().map(DeploymentKey::new).collect();
    let categories = message.categories.into_iter().map(Into::into).collect();
    Ok(NodeProfile {
        is_active: message.is_active,
        fires_timers: !message.without_timers,
        order,
        priorities: message.priority_min..=message.priority_max,
        deployments: message.is_deployment_aware.then_some(deployments),
        categories: message.has_categories.then_some(categories),
        tenant: message.tenant.map(TenantId::from),
        without_cleanup: message.without_cleanup,
        needs_due_date: message.needs_due_date,
    })
}
