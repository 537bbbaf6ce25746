#![expect(
    clippy::disallowed_methods,
    reason = "the pool is a driver: it gives children their time and kills those that take more"
)]

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::frame;
use crate::protocol::{Answer, Request};

/// How long after its own deadline a child may still answer: it stops scripts itself, and most
/// answers come then.
const GRACE: Duration = Duration::from_millis(100);
const HEAD_BYTES: usize = 4;
/// What most answers fit into.
const ANSWER_BYTES: usize = 4 << 10;
/// The argument that turns the binary into a child.
const SUBCOMMAND: &str = "script-host";

/// A pool of warm children. A child serves one script at a time; one that is late, or ends, is
/// replaced by the next script that needs it.
///
/// The child that has been idle longest serves next: the one that answered last may still be
/// making its next engine.
#[derive(Debug)]
pub struct ScriptHost {
    program: PathBuf,
    arguments: Vec<OsString>,
    idle: Mutex<VecDeque<Worker>>,
    permits: Semaphore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// Children at once; scripts beyond wait.
    pub children_max: usize,
}

impl Default for PoolOptions {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self { children_max: cores.clamp(2, 32) }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    #[error("the script did not end in time and was killed")]
    Deadline,
    /// By a signal: the script asked for more than its process may have.
    #[error("the script's process was ended by the system")]
    Ended,
    /// By itself, or before it could run a script.
    #[error("the script's process is gone")]
    Gone,
    #[error("no script process: {0}")]
    Spawn(io::Error),
    #[error("the script's process does not speak as expected: {0}")]
    Protocol(String),
}

#[derive(Debug)]
struct Worker {
    // Killed when dropped, so that a call that is given up takes its script with it.
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl ScriptHost {
    pub fn new(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            idle: Mutex::default(),
            permits: Semaphore::new(PoolOptions::default().children_max),
        }
    }

    /// Children of the program that is running.
    pub fn current() -> io::Result<Self> {
        Ok(Self::new(std::env::current_exe()?, [SUBCOMMAND]))
    }

    pub fn with_options(mut self, options: PoolOptions) -> Self {
        self.permits = Semaphore::new(options.children_max.max(1));
        self
    }

    pub(crate) async fn call(&self, request: &Request) -> Result<Answer, PoolError> {
        let protocol = |error: &dyn std::fmt::Display| PoolError::Protocol(error.to_string());
        let body = serde_json::to_vec(request).map_err(|error| protocol(&error))?;
        let message = frame::frame(&body).map_err(|error| protocol(&error))?;
        let _permit = self.permits.acquire().await.map_err(|error| protocol(&error))?;
        let idle = self.take_idle();
        let was_idle = idle.is_some();
        let mut worker = idle.map_or_else(|| self.spawn(), Ok)?;
        if worker.input.write_all(&message).await.is_err() {
            // It ended while nobody looked; only a child that was just started tells something.
            if !was_idle {
                return Err(worker.end().await);
            }
            worker = self.spawn()?;
            worker.input.write_all(&message).await.map_err(|_| PoolError::Gone)?;
        }
        let answer = timeout(request.limits.time() + GRACE, worker.answer()).await;
        match answer {
            Err(_late) => Err(PoolError::Deadline),
            Ok(Err(_ended)) => Err(worker.end().await),
            Ok(Ok(body)) => {
                let answer = serde_json::from_slice(&body).map_err(|error| protocol(&error))?;
                self.give_back(worker);
                Ok(answer)
            }
        }
    }

    fn take_idle(&self) -> Option<Worker> {
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop_front()
    }

    fn give_back(&self, worker: Worker) {
        self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push_back(worker);
    }

    fn spawn(&self) -> Result<Worker, PoolError> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            // Nothing of this process is told to a child.
            .env_clear()
            .env("TZ", "UTC")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(PoolError::Spawn)?;
        let missing = || PoolError::Spawn(io::Error::other("a child without pipes"));
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        Ok(Worker { child, input, output })
    }
}

impl Worker {
    /// Why it stopped talking.
    async fn end(&mut self) -> PoolError {
        match timeout(GRACE, self.child.wait()).await {
            Ok(Ok(status)) if status.code().is_none() => PoolError::Ended,
            _ => PoolError::Gone,
        }
    }

    /// Head and body mostly come in one piece, and are read as one.
    async fn answer(&mut self) -> io::Result<Vec<u8>> {
        let mut read = Vec::with_capacity(ANSWER_BYTES);
        let mut wanted = HEAD_BYTES;
        loop {
            if self.output.read_buf(&mut read).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Some(head) = read.first_chunk::<HEAD_BYTES>() {
                wanted = HEAD_BYTES + frame::length(*head)?;
                read.reserve(wanted.saturating_sub(read.len()));
            }
            if read.len() >= wanted {
                return Ok(read.split_off(HEAD_BYTES));
            }
        }
    }
}
