//! A PostgreSQL database of a test's own.

use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::NoTls;

/// Empty, and left to the throw-away server when the test is done: nodes may still be leaving it.
pub struct Database {
    pub url: String,
}

impl Database {
    pub async fn create() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let server = orloj_testkit::story::postgres_url();
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("orloj_nodes_{}_{number}", std::process::id());
        let (client, connection) = tokio_postgres::connect(&server, NoTls).await.unwrap();
        let connection = tokio::task::spawn(connection);
        client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        drop(client);
        connection.await.unwrap().unwrap();
        let (base, _) = server.rsplit_once('/').unwrap();
        Self { url: format!("{base}/{name}") }
    }
}
