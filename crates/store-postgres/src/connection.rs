use std::ops::Deref;

use tokio::task::AbortHandle;
use tokio_postgres::Client;

/// An open connection; the task that moves its bytes ends with it.
pub(crate) struct Connection {
    client: Client,
    driver: AbortHandle,
}

impl Connection {
    pub fn new(client: Client, driver: AbortHandle) -> Self {
        Self { client, driver }
    }

    /// Closes the socket at once, whatever is under way. Merely dropped, a connection first waits
    /// for the answers it is owed.
    pub fn discard(self) {
        self.driver.abort();
    }
}

impl Deref for Connection {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}
