//! A transaction pooler, as harsh as they come: after every transaction the client gets another
//! server connection, settings asked for at the start are refused, and whoever leaves something
//! behind on a connection (a named statement, a setting, a lock) meets it, or misses it, later.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;

use super::proxy::split;

/// Few, so that clients meet each other's leftovers.
const SERVER_CONNECTIONS: usize = 10;

pub struct Pooler {
    pub url: String,
    statements: Arc<AtomicUsize>,
}

struct Server {
    stream: TcpStream,
    /// What the server said before it was first ready.
    greeting: Vec<u8>,
}

type Idle = Arc<(Mutex<std::collections::VecDeque<Server>>, tokio::sync::Notify)>;

impl Pooler {
    pub async fn start(url: &str) -> Self {
        let (before, host, after) = split(url);
        let config: tokio_postgres::Config = url.parse().expect("a URL");
        let user = config.get_user().expect("the URL names a user").to_owned();
        let database = config.get_dbname().expect("the URL names a database").to_owned();
        let idle: Idle = Idle::default();
        for _ in 0..SERVER_CONNECTIONS {
            idle.0.lock().await.push_back(connect(&host, &user, &database).await);
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bind");
        let own = listener.local_addr().expect("it is bound");
        let statements = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&statements);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (idle, count) = (Arc::clone(&idle), Arc::clone(&count));
                tokio::spawn(async move { drop(serve(client, idle, count).await) });
            }
        });
        Self { url: format!("{before}{own}{after}"), statements }
    }

    /// With the address of the server at `url`, to listen there.
    pub fn hearing_url(&self, url: &str) -> String {
        format!("{}?listen={}", self.url, split(url).1)
    }

    /// How many were sent so far.
    pub fn statements(&self) -> usize {
        self.statements.load(Ordering::SeqCst)
    }
}

async fn connect(host: &str, user: &str, database: &str) -> Server {
    let mut stream = TcpStream::connect(host).await.expect("connect");
    stream.set_nodelay(true).expect("no delay");
    let mut body = 196_608_i32.to_be_bytes().to_vec();
    for text in ["user", user, "database", database, ""] {
        body.extend_from_slice(text.as_bytes());
        body.push(0);
    }
    let length = (body.len() as i32 + 4).to_be_bytes();
    stream.write_all(&[&length, &body[..]].concat()).await.expect("send");
    let mut greeting = Vec::new();
    loop {
        let message = message(&mut stream).await.expect("the server greets");
        greeting.extend_from_slice(&message);
        if message[0] == b'Z' {
            return Server { stream, greeting };
        }
    }
}

async fn serve(
    mut client: TcpStream,
    idle: Idle,
    statements: Arc<AtomicUsize>,
) -> std::io::Result<()> {
    client.set_nodelay(true)?;
    let length = client.read_i32().await?;
    let mut startup = vec![0; length as usize - 4];
    client.read_exact(&mut startup).await?;
    if startup.windows(9).any(|text| text == b"\0options\0") {
        return client.write_all(&refusal()).await;
    }
    let greeting = idle.0.lock().await.front().map(|server| server.greeting.clone());
    client.write_all(&greeting.unwrap_or_default()).await?;
    loop {
        let first = message(&mut client).await?;
        if first[0] == b'X' {
            return Ok(());
        }
        let mut server = lent(&idle).await;
        transaction(&mut client, &mut server.stream, first, &statements).await?;
        idle.0.lock().await.push_back(server);
        idle.1.notify_one();
    }
}

async fn lent(idle: &Idle) -> Server {
    loop {
        if let Some(server) = idle.0.lock().await.pop_front() {
            return server;
        }
        idle.1.notified().await;
    }
}

/// Carries messages until the server is ready and no transaction is open.
async fn transaction(
    client: &mut TcpStream,
    server: &mut TcpStream,
    first: Vec<u8>,
    statements: &AtomicUsize,
) -> std::io::Result<()> {
    let mut request = first;
    loop {
        let is_statement = matches!(request[0], b'Q' | b'P');
        statements.fetch_add(usize::from(is_statement), Ordering::SeqCst);
        // A simple query or a sync is answered by one "ready"; what comes before a sync waits.
        let is_complete = matches!(request[0], b'Q' | b'S');
        server.write_all(&request).await?;
        if is_complete {
            loop {
                let answer = message(server).await?;
                client.write_all(&answer).await?;
                match (answer[0], answer.get(5)) {
                    (b'Z', Some(b'I')) => return Ok(()),
                    (b'Z', _) => break,
                    _ => {}
                }
            }
        }
        request = message(client).await?;
    }
}

async fn message(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut head = [0; 5];
    stream.read_exact(&mut head).await?;
    let length = i32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    let mut message = head.to_vec();
    message.resize(length + 1, 0);
    stream.read_exact(&mut message[5..]).await?;
    Ok(message)
}

fn refusal() -> Vec<u8> {
    let mut body = Vec::new();
    for field in ["SFATAL", "VFATAL", "C08P01", "Munsupported startup parameter: options"] {
        body.extend_from_slice(field.as_bytes());
        body.push(0);
    }
    body.push(0);
    let length = (body.len() as i32 + 4).to_be_bytes();
    [&b"E"[..], &length, &body].concat()
}
