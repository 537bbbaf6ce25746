//! Where the application's own code runs.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// Runs calls of delegates and beans. Without one they run on the tokio runtime that the engine was
/// built on, and those that answer at once on the engine's own thread.
///
/// A future that is dropped unfinished counts as never answered: its job comes back when the node
/// has left. Whatever runs them must not run out of room: how many there are at a time is limited
/// by [`Builder::calls_max`](crate::Builder::calls_max).
pub trait Spawn: Send + Sync + 'static {
    fn spawn(&self, call: BoxFuture<'static, ()>);
}

impl<F> Spawn for F
where
    F: Fn(BoxFuture<'static, ()>) + Send + Sync + 'static,
{
    fn spawn(&self, call: BoxFuture<'static, ()>) {
        self(call);
    }
}

/// A pool on a tokio runtime that runs so many calls at a time, of however many engines: the others
/// wait for their turn. Clones share it.
#[derive(Clone, Debug)]
pub struct Pool {
    runtime: Handle,
    places: Arc<Semaphore>,
}

impl Pool {
    /// On the runtime it is called from.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn new(calls_max: usize) -> Self {
        Self::on(Handle::current(), calls_max)
    }

    pub fn on(runtime: Handle, calls_max: usize) -> Self {
        let places = calls_max.clamp(1, Semaphore::MAX_PERMITS);
        Self { runtime, places: Arc::new(Semaphore::new(places)) }
    }

    /// Calls that could begin at once.
    pub fn free(&self) -> usize {
        self.places.available_permits()
    }
}

impl Spawn for Pool {
    fn spawn(&self, call: BoxFuture<'static, ()>) {
        let places = self.places.clone();
        self.runtime.spawn(async move {
            // The semaphore is never closed.
            let _place = places.acquire_owned().await;
            call.await;
        });
    }
}
