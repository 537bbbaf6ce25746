//! The README's example, run as a test by `tests/readme.rs`.

use orloj::types::{Document, Timestamp};
use orloj::{Call, Deploy, InstanceState, Orloj, StartInstance, StoreChoice};
use std::time::Duration;

#[tokio::main]
pub async fn main() -> Result<(), orloj::Error> {
    let orloj = Orloj::builder()
        .store(StoreChoice::Memory) // or StoreChoice::SqliteFile("orders.db".into())
        .executor(true)
        .pinned_clock(Timestamp::from_ms(1_900_000_000_000))
        .delegate("shop.Charge", |call: Call| async move {
            println!("charging for {}", call.instance);
            Ok(Document::new().with("charged", true))
        })
        .build()
        .await?;
    orloj.deploy(Deploy::file("order.bpmn", include_bytes!("order.bpmn"))).await?;
    let order = StartInstance::latest("order").with(Document::new().with("total", 90));
    let order = orloj.start(order).await?.instance;
    orloj.settle().await; // charged, and now waiting for ten minutes
    orloj.advance(Duration::from_secs(600))?;
    orloj.settle().await;
    assert_eq!(orloj.instance(order).await?.view.state, InstanceState::Completed);
    Ok(())
}
