//! Nodes: who shares the store, and what each of them takes.

use crate::api::{Error, NodeView};
use crate::handle::Orloj;
use crate::node::store_error;

/// See [`Orloj::nodes`].
#[derive(Clone, Copy)]
pub struct Nodes<'a> {
    engine: &'a Orloj,
}

impl Orloj {
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes { engine: self }
    }
}

impl Nodes<'_> {
    pub async fn list(&self) -> Result<Vec<NodeView>, Error> {
        let rows = self.engine.inner.store.nodes().await.map_err(|e| store_error(&e))?;
        let own = self.engine.inner.session.load(std::sync::atomic::Ordering::SeqCst);
        let views = rows.into_iter().map(|row| NodeView {
            number: row.node.0,
            name: row.name,
            session: row.session,
            seen_at: row.seen_at,
            is_self: row.session == own,
            settings_seen: row.settings_seen,
            profile: row.profile,
        });
        Ok(views.collect())
    }
}
