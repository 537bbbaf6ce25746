//! A wire between store and server that loses what it is told to lose.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What happens to the next group or COMMIT, and to all that is sent together with it. Afterwards
/// the store's connection is closed, and new ones work again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// The server never gets it.
    Request,
    /// The server does what it was asked; the store does not hear of it.
    Answer,
    /// The server gets it when [`Proxy::let_in`] is called, long after the store has lost it.
    Late,
}

pub struct Proxy {
    pub url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    loss: Option<Loss>,
    late: Option<(TcpStream, Vec<u8>)>,
}

impl Proxy {
    /// In front of the server of `url`, which must name host and port.
    pub async fn start(url: &str) -> Self {
        let (before, host, after) = split(url);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bind");
        let own = listener.local_addr().expect("it is bound");
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        tokio::spawn(async move {
            while let Ok((store, _)) = listener.accept().await {
                let server = TcpStream::connect(&host).await.expect("connect");
                tokio::spawn(carry(Arc::clone(&shared), store, server));
            }
        });
        Self { url: format!("{before}{own}{after}"), state }
    }

    pub fn lose(&self, loss: Loss) {
        locked(&self.state).loss = Some(loss);
    }

    /// The server gets what is late, and has done with it when this returns.
    pub async fn let_in(&self) {
        let late = locked(&self.state).late.take();
        let (server, request) = late.expect("something is late");
        finish(server, &request).await;
    }
}

async fn carry(state: Arc<Mutex<State>>, mut store: TcpStream, mut server: TcpStream) {
    for stream in [&store, &server] {
        stream.set_nodelay(true).expect("no delay");
    }
    let (mut request, mut answer) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        tokio::select! {
            read = store.read(&mut request) => {
                let Ok(length @ 1..) = read else { return };
                let is_commit = commits(&request[..length]);
                let loss = locked(&state).loss.take_if(|_| is_commit);
                if let Some(loss) = loss {
                    return lose(&state, loss, server, request[..length].to_vec()).await;
                }
                if server.write_all(&request[..length]).await.is_err() { return; }
            }
            read = server.read(&mut answer) => {
                let Ok(length @ 1..) = read else { return };
                if store.write_all(&answer[..length]).await.is_err() { return; }
            }
        }
    }
}

fn commits(request: &[u8]) -> bool {
    let contains = |text: &[u8]| request.windows(text.len()).any(|found| found == text);
    contains(b"commit_group(") || contains(b"COMMIT\0")
}

async fn lose(state: &Mutex<State>, loss: Loss, server: TcpStream, request: Vec<u8>) {
    match loss {
        Loss::Request => {}
        Loss::Answer => finish(server, &request).await,
        Loss::Late => locked(state).late = Some((server, request)),
    }
}

/// Sends the request and the message that ends a connection, and waits for the server to end it.
async fn finish(mut server: TcpStream, request: &[u8]) {
    const TERMINATE: &[u8] = b"X\0\0\0\x04";
    server.write_all(request).await.expect("send");
    server.write_all(TERMINATE).await.expect("send");
    let mut answers = Vec::new();
    server.read_to_end(&mut answers).await.expect("the server ends the connection");
}

fn locked(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().expect("nothing panics while it is held")
}

/// Text before host and port, they, and what follows.
pub fn split(url: &str) -> (String, String, String) {
    let authority = url.find("://").map_or(0, |at| at + 3);
    let end = url[authority..].find('/').map_or(url.len(), |at| authority + at);
    let host = url[authority..end].rfind('@').map_or(authority, |at| authority + at + 1);
    (url[..host].to_owned(), url[host..end].to_owned(), url[end..].to_owned())
}
