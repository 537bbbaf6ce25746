//! A fresh database for every story.

#![expect(clippy::disallowed_methods, reason = "a connection is a task")]

use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::NoTls;

/// An empty database on the server for tests, dropped with this value.
pub struct Database {
    tokio: tokio::runtime::Runtime,
    server: String,
    name: String,
}

impl Database {
    /// # Panics
    /// When `ORLOJ_TEST_POSTGRES` names no server: a depth is never skipped in silence.
    pub fn create() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var("ORLOJ_TEST_POSTGRES").unwrap_or_else(|_| {
            panic!(
                "ORLOJ_TEST_POSTGRES names no server: run these tests with `cargo xtask test`, \
                 which starts one, or give the URL of a PostgreSQL on which databases may be \
                 created"
            )
        });
        let tokio = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("orloj_story_{}_{number}", std::process::id());
        let database = Self { tokio: tokio.expect("a runtime"), server, name };
        database.execute(&format!("CREATE DATABASE {}", database.name));
        database
    }

    /// The same server, this database.
    pub fn url(&self) -> String {
        let (base, query) = match self.server.split_once('?') {
            Some((base, query)) => (base, format!("?{query}")),
            None => (self.server.as_str(), String::new()),
        };
        let authority = base.find("://").map_or(0, |at| at + 3);
        let end = base[authority..].find('/').map_or(base.len(), |at| authority + at);
        format!("{}/{}{query}", &base[..end], self.name)
    }

    fn execute(&self, sql: &str) {
        self.tokio.block_on(async {
            // What stands behind the question mark is for stores.
            let server = self.server.split('?').next().unwrap_or_default();
            let connected = tokio_postgres::connect(server, NoTls).await;
            let (client, connection) = connected.expect("the PostgreSQL for tests answers");
            tokio::spawn(connection);
            client.batch_execute(sql).await.expect("a database is made and dropped");
        });
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.execute(&format!("DROP DATABASE {} WITH (FORCE)", self.name));
    }
}
