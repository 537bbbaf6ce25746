//! `/api/nodes`

use axum::Json;
use axum::extract::State;
use orloj::{NodeView, Order, Orloj};
use serde::Serialize;

use crate::failure::Failure;
use crate::wire::{Key, Time};

/// Not paged: a key has room for 1,024 nodes.
pub async fn list(State(orloj): State<Orloj>) -> Result<Json<Nodes>, Failure> {
    let nodes = orloj.nodes().list().await?;
    Ok(Json(Nodes { items: nodes.iter().map(Node::from).collect() }))
}

#[derive(Serialize)]
pub struct Nodes {
    items: Vec<Node>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    number: u16,
    name: String,
    session: Key,
    seen_at: Time,
    /// Whether it is the node that answers.
    is_self: bool,
    /// Whether it runs jobs of the engine's own.
    executor: bool,
    /// Whether it makes timers ready that are due.
    timers: bool,
    order: String,
    /// Null: no bound.
    priority_min: Option<i64>,
    priority_max: Option<i64>,
    /// Null: it does not go by deployments.
    deployments: Option<Vec<Key>>,
    /// Null: it does not go by categories.
    categories: Option<Vec<String>>,
}

impl From<&NodeView> for Node {
    fn from(view: &NodeView) -> Self {
        Self {
            number: view.number,
            name: view.name.clone(),
            session: Key(view.session),
            seen_at: Time(view.seen_at),
            is_self: view.is_self,
            executor: view.profile.is_active,
            timers: view.profile.fires_timers,
            order: order_words(&view.profile.order),
            priority_min: Some(*view.profile.priorities.start()).filter(|min| *min != i64::MIN),
            priority_max: Some(*view.profile.priorities.end()).filter(|max| *max != i64::MAX),
            deployments: view
                .profile
                .deployments
                .as_ref()
                .map(|keys| keys.iter().map(|key| Key(key.raw())).collect()),
            categories: view
                .profile
                .categories
                .as_ref()
                .map(|names| names.iter().map(ToString::to_string).collect()),
        }
    }
}

/// What comes first, then what decides among equals.
fn order_words(order: &Order) -> String {
    match order {
        Order::Flags { priority, timers_first, due } => {
            let words = [(*priority, "priority"), (*timers_first, "timers"), (*due, "due")];
            let words = words.into_iter().filter_map(|(is_on, word)| is_on.then_some(word));
            let words: Vec<_> = words.chain(["created"]).collect();
            words.join(", ")
        }
        Order::Aging { step_ms } => format!("priority, one more for every {step_ms} ms of waiting"),
    }
}
