//! `/api/nodes`

use axum::Json;
use axum::extract::State;
use orloj::{NodeView, Orloj};
use serde::Serialize;

use crate::failure::Failure;
use crate::wire::{Key, Time};

/// Not paged: a key has room for 1,024 nodes.
pub async fn list(State(orloj): State<Orloj>) -> Result<Json<Nodes>, Failure> {
    let nodes = orloj.nodes().await?;
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
}

impl From<&NodeView> for Node {
    fn from(view: &NodeView) -> Self {
        Self {
            number: view.number,
            name: view.name.clone(),
            session: Key(view.session),
            seen_at: Time(view.seen_at),
            is_self: view.is_self,
        }
    }
}
