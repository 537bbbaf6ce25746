//! A server of the binary under test, as a process of its own.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Ends with the value.
pub struct Server {
    child: Child,
    pub grpc: String,
    pub http: String,
}

impl Server {
    /// What is told to it besides where its store is and where it listens; it is ready then.
    pub fn start(store: &str, name: &str, tell: impl FnOnce(&mut Command)) -> Self {
        let (grpc, http) = (free_address(), free_address());
        let mut command = Command::new(env!("CARGO_BIN_EXE_orloj"));
        command
            .args(["serve", "--store", store, "--node-name", name])
            .args(["--listen-grpc", &grpc, "--listen-http", &http])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        tell(&mut command);
        let server = Self { child: command.spawn().unwrap(), grpc, http };
        for _ in 0..1_000 {
            if server.is_ready() {
                return server;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server on {store} is not ready at {} and {}", server.http, server.grpc);
    }

    pub fn end(&mut self) {
        // It may have ended by itself, which the test then told.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn is_ready(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(&self.http) else { return false };
        let mut answer = [0; 12];
        stream.write_all(b"GET /ready HTTP/1.0\r\n\r\n").is_ok()
            && stream.read_exact(&mut answer).is_ok()
            && answer.ends_with(b"200")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

fn free_address() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}
