use std::time::Duration;

/// Largest message a client may send, and the largest it is sent: what Zeebe's gateway takes and
/// what most gRPC libraries take by default.
pub const MESSAGE_BYTES_MAX: usize = 4 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct Options {
    /// How long a poll waits for jobs when the client leaves it to the gateway.
    pub long_poll: Duration,
    /// How long a command may take before the client is told that it was too slow.
    pub request_timeout: Duration,
    /// Jobs on their way to one stream. A client that stops reading holds these, and what its
    /// HTTP/2 window swallows, until they time out.
    pub stream_credit: u32,
    /// How often an idle connection is asked whether its client still lives.
    pub keep_alive_interval: Duration,
    /// How long a client may take to answer that.
    pub keep_alive_timeout: Duration,
    /// How long calls that are under way may go on after shutdown was asked for.
    pub shutdown_grace: Duration,
    /// What Topology says about this node. Clients show it and never connect to it.
    pub advertised_host: String,
    pub advertised_port: u16,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            long_poll: Duration::from_secs(10),
            request_timeout: Duration::from_secs(15),
            stream_credit: 64,
            keep_alive_interval: Duration::from_secs(30),
            keep_alive_timeout: Duration::from_secs(20),
            shutdown_grace: Duration::from_secs(10),
            advertised_host: "127.0.0.1".to_owned(),
            advertised_port: 26_501,
        }
    }
}
