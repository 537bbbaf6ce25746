//! Which changes expect a message or a broadcast to be otherwise than it is.

use std::collections::{BTreeMap, BTreeSet};

use orloj_store::{Change, Claims, Group, MessageKey};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Error, Row};

use crate::connection::Connection;
use crate::event_group::put_message;
use crate::row_array::RowArray;
use crate::store::Shared;

impl Shared {
    pub(crate) async fn event_losers(
        &self,
        connection: &Connection,
        group: &Group,
    ) -> Result<BTreeSet<usize>, Error> {
        let changes = &group.changes;
        if !changes.iter().any(Change::has_events) {
            return Ok(BTreeSet::new());
        }
        let state = self.event_state(connection, group).await?;
        let mut claims = Claims::default();
        let mut is_lost = |change: &Change| state.refuses(change) || !claims.claim(change);
        let places = changes.iter().enumerate();
        Ok(places.filter(|(_, change)| is_lost(change)).map(|(place, _)| place).collect())
    }

    async fn event_state(&self, connection: &Connection, group: &Group) -> Result<State, Error> {
        let changes = || group.changes.iter();
        let taken = changes().flat_map(|change| &change.messages_taken);
        let gone = changes().flat_map(|change| &change.messages_gone);
        let messages = taken.map(|taken| taken.message).chain(gone.copied());
        let messages: Vec<i64> = messages.map(|key| key.raw()).collect();
        let mut added = RowArray::new(&self.types.message_in);
        for row in changes().flat_map(|change| &change.messages_added) {
            put_message(&mut added, row);
        }
        let broadcasts = changes().flat_map(|change| &change.broadcasts);
        let broadcasts: Vec<i64> = broadcasts.map(|write| write.expects().0.raw()).collect();
        let now = group.now.as_ms();
        let params: [(&(dyn ToSql + Sync), Type); 4] = [
            (&messages, Type::INT8_ARRAY),
            added.param(),
            (&broadcasts, Type::INT8_ARRAY),
            (&now, Type::INT8),
        ];
        let rows = connection.query_typed(&self.sql.event_state, &params).await?;
        let mut state = State::default();
        for row in &rows {
            state.note(row)?;
        }
        Ok(state)
    }
}

/// What is there, as far as the group asks.
#[derive(Default)]
struct State {
    messages: BTreeSet<i64>,
    taken: BTreeSet<(i64, String)>,
    /// Messages of the group whose id is in use.
    refused_ids: BTreeSet<i64>,
    broadcasts: BTreeMap<i64, String>,
}

impl State {
    fn note(&mut self, row: &Row) -> Result<(), Error> {
        let (arm, key): (i16, i64) = (row.try_get(0)?, row.try_get(1)?);
        let text = || row.try_get::<_, Option<String>>(2).map(Option::unwrap_or_default);
        match arm {
            1 => drop(self.messages.insert(key)),
            2 => drop(self.taken.insert((key, text()?))),
            3 => drop(self.refused_ids.insert(key)),
            _ => drop(self.broadcasts.insert(key, text()?)),
        }
        Ok(())
    }

    fn refuses(&self, change: &Change) -> bool {
        let is_there = |key: MessageKey| {
            self.messages.contains(&key.raw())
                || change.messages_added.iter().any(|row| row.key == key)
        };
        let is_taken = change.messages_taken.iter().any(|taken| {
            let pair = (taken.message.raw(), taken.process_id.as_str().to_owned());
            !is_there(taken.message) || self.taken.contains(&pair)
        });
        let is_gone = change.messages_gone.iter().any(|key| !is_there(*key));
        let is_moved = change.broadcasts.iter().any(|write| {
            let (key, expected) = write.expects();
            let found = self.broadcasts.get(&key.raw());
            found.map(String::as_str) != Some(expected)
        });
        let is_id_in_use =
            change.messages_added.iter().any(|row| self.refused_ids.contains(&row.key.raw()));
        is_taken || is_gone || is_moved || is_id_in_use
    }
}
