//! Opens connections, at a bearable pace when the server is away.

#![expect(clippy::disallowed_methods, reason = "a driver: it owns connections and their time")]

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use orloj_store::Error;
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::connection::Connection;
use crate::error::{closed, portable};
use crate::tls::TlsWish;

/// A server that does not answer by then is as good as away.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A peer that vanished without a word is noticed after about this long, sending or idle.
const SILENCE_MAX: Duration = Duration::from_secs(10);
const PAUSE_FIRST: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// To compile a plan, or to start processes for it, takes longer than to run any of ours; the
/// server thinks otherwise of a large table it has not analysed yet.
const SETTINGS: &str = "-c jit=off -c max_parallel_workers_per_gather=0";

pub(crate) struct Connector {
    config: Config,
    /// A pooler that cannot pass settings on has refused them. They only save time.
    no_settings: AtomicBool,
    tls: Option<MakeRustlsConnect>,
    closed: AtomicBool,
    pace: Mutex<Pace>,
}

#[derive(Default)]
struct Pace {
    failures: u32,
    not_before: Option<Instant>,
}

pub(crate) type Driver<T> = tokio_postgres::Connection<Socket, T>;

impl Connector {
    pub fn new(url: &str) -> Result<Self, Error> {
        let wish = TlsWish::take_from(url)?;
        // The driver's error quotes no part of the URL, which may hold a password.
        let mut config: Config =
            wish.url.parse().map_err(|e| Error::Refused(format!("the store's URL: {e}")))?;
        config
            .ssl_mode(wish.mode)
            .keepalives_idle(SILENCE_MAX / 2)
            .keepalives_interval(SILENCE_MAX / 4)
            .keepalives_retries(2)
            .tcp_user_timeout(SILENCE_MAX);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_application_name().is_none() {
            config.application_name("orloj");
        }
        Ok(Self {
            config,
            tls: wish.connect()?,
            closed: AtomicBool::new(false),
            no_settings: AtomicBool::new(false),
            pace: Mutex::default(),
        })
    }

    /// Waits out the pause after earlier failures first, so that callers may simply repeat.
    pub async fn open(&self) -> Result<Connection, Error> {
        self.pause().await;
        if self.is_closed() {
            return Err(closed());
        }
        let opened = self.try_open().await;
        let mut pace = self.pace.lock().expect("nothing panics while it is held");
        match &opened {
            Ok(_) => *pace = Pace::default(),
            Err(_) => {
                let pause = PAUSE_FIRST.saturating_mul(1 << pace.failures.min(8)).min(PAUSE_MAX);
                pace.failures += 1;
                pace.not_before = Some(Instant::now() + pause);
            }
        }
        opened
    }

    /// A client whose driver the caller runs, to be told of notifications.
    pub async fn open_plain(&self) -> Result<(Client, PlainDriver), tokio_postgres::Error> {
        Ok(match &self.tls {
            None => {
                let (client, driver) = self.config.connect(NoTls).await?;
                (client, PlainDriver::Plain(Box::new(driver)))
            }
            Some(tls) => {
                let (client, driver) = self.config.connect(tls.clone()).await?;
                (client, PlainDriver::Tls(Box::new(driver)))
            }
        })
    }

    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    async fn pause(&self) {
        let until = self.pace.lock().expect("nothing panics while it is held").not_before;
        if let Some(until) = until {
            tokio::time::sleep_until(until.into()).await;
        }
    }

    async fn try_open(&self) -> Result<Connection, Error> {
        let mut config = self.config.clone();
        if !self.no_settings.load(Ordering::Relaxed) {
            let own = self.config.get_options().unwrap_or_default();
            config.options(format!("{SETTINGS} {own}"));
        }
        let mut opened = self.connect(&config).await;
        if opened.as_ref().is_err_and(|e| e.code() == Some(&SqlState::PROTOCOL_VIOLATION)) {
            self.no_settings.store(true, Ordering::Relaxed);
            opened = self.connect(&self.config).await;
        }
        opened.map_err(|e| portable(&e))
    }

    async fn connect(&self, config: &Config) -> Result<Connection, tokio_postgres::Error> {
        match &self.tls {
            None => connect_with(config, NoTls).await,
            Some(tls) => connect_with(config, tls.clone()).await,
        }
    }
}

/// A driver that hands its messages to the caller.
pub(crate) enum PlainDriver {
    Plain(Box<Driver<tokio_postgres::tls::NoTlsStream>>),
    Tls(Box<Driver<TlsStream>>),
}

type TlsStream = <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream;

async fn connect_with<T>(config: &Config, tls: T) -> Result<Connection, tokio_postgres::Error>
where
    T: MakeTlsConnect<Socket>,
    T::Stream: Send + 'static,
{
    let (client, driver) = config.connect(tls).await?;
    // What ends the driver also ends the calls that wait for it, and they report it.
    let driver = tokio::spawn(async move { drop(driver.await) });
    Ok(Connection::new(client, driver.abort_handle()))
}
