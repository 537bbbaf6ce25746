//! A real server process, as a user runs it.

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use orloj_api_zeebe::proto::gateway_client::GatewayClient;
use tonic::transport::Channel;

pub struct Server {
    child: Child,
    pub grpc: String,
    pub http_port: u16,
    /// From the start of the process to the first answer of `/ready`.
    pub ready_after: Duration,
}

impl Server {
    pub fn start(store: &str, node_name: &str) -> anyhow::Result<Self> {
        Self::start_at(store, node_name, Ports::free()?)
    }

    pub fn start_at(store: &str, node_name: &str, ports: Ports) -> anyhow::Result<Self> {
        let Ports { grpc: grpc_port, http: http_port } = ports;
        let begun = Instant::now();
        let child = Command::new(binary()?)
            .args(["serve", "--store", store, "--node-name", node_name])
            .args(["--listen-grpc", &format!("127.0.0.1:{grpc_port}")])
            .args(["--listen-http", &format!("127.0.0.1:{http_port}")])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("starting target/release/orloj; build it with `cargo build --release`")?;
        let grpc = ports.grpc_url();
        let mut server = Self { child, grpc, http_port, ready_after: Duration::ZERO };
        while !server.is_ready() {
            if begun.elapsed() > Duration::from_secs(30) {
                bail!("the server did not become ready in 30 s");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        server.ready_after = begun.elapsed();
        Ok(server)
    }

    pub async fn client(&self) -> anyhow::Result<GatewayClient<Channel>> {
        let channel = Channel::from_shared(self.grpc.clone())?
            .tcp_nodelay(true)
            .initial_connection_window_size(1 << 20)
            .initial_stream_window_size(1 << 20)
            .connect()
            .await?;
        Ok(GatewayClient::new(channel))
    }

    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Resident memory in megabytes.
    pub fn resident_mb(&self) -> anyhow::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("VmRSS")?;
        let kilobytes: f64 =
            line.split_whitespace().nth(1).context("a number after VmRSS")?.parse()?;
        Ok(kilobytes / 1024.0)
    }

    /// Seconds of processor time used so far.
    pub fn cpu_s(&self) -> anyhow::Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let after_name = stat.rsplit_once(')').context("a name in brackets")?.1;
        let fields: Vec<&str> = after_name.split_whitespace().collect();
        let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
        // The kernel's unit for user space is fixed at a hundredth of a second.
        Ok(ticks / 100.0)
    }

    fn is_ready(&self) -> bool {
        request(self.http_port, "/ready").is_ok_and(|answer| answer.starts_with("HTTP/1.0 200"))
    }
}

/// Where a server listens; kept over its deaths.
#[derive(Clone, Copy, Debug)]
pub struct Ports {
    pub grpc: u16,
    pub http: u16,
}

impl Ports {
    pub fn free() -> anyhow::Result<Self> {
        Ok(Self { grpc: free_port()?, http: free_port()? })
    }

    pub fn grpc_url(self) -> String {
        format!("http://127.0.0.1:{}", self.grpc)
    }
}

/// The body of an answer, whatever its status.
pub fn http_get(port: u16, path: &str) -> anyhow::Result<String> {
    let answer = request(port, path)?;
    let (_, body) = answer.split_once("\r\n\r\n").context("a body")?;
    Ok(body.to_owned())
}

/// HTTP/1.0, so that the body ends with the connection.
fn request(port: u16, path: &str) -> anyhow::Result<String> {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The server's program, built beside this one.
pub fn binary() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let binary = own.with_file_name("orloj");
    if !binary.exists() {
        bail!("{} is missing; build it with `cargo build --release`", binary.display());
    }
    Ok(binary)
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
