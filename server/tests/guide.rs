//! The operator's guide lists what there is.

#![expect(clippy::disallowed_methods, reason = "a node runs as a task of its own")]

use orloj_server::config::{self, Flags, KEYS, Key};
use orloj_server::{Node, Stop};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const GUIDE: &str = include_str!("../../docs/guides/operate.md");

#[test]
fn every_key_of_the_configuration_has_a_row() {
    for key in KEYS {
        let (name, flag, variable) = (key.name, Key::flag(key.name), Key::variable(key.name));
        let row = format!("| `{name}` | `{flag}` | `{variable}` |");
        assert!(GUIDE.contains(&row), "{row}");
    }
}

#[tokio::test]
async fn every_metric_has_a_row() {
    let flags = Flags {
        store: Some("sqlite::memory:".to_owned()),
        listen_grpc: Some("127.0.0.1:0".to_owned()),
        listen_http: Some("127.0.0.1:0".to_owned()),
        ..Flags::default()
    };
    let config = config::for_dev(&flags, []).unwrap();
    let node = Node::start(&config, |builder| builder).await.unwrap();
    let mut stream = TcpStream::connect(node.addresses().http).await.unwrap();
    let stop = Stop::new();
    let serving = tokio::spawn(node.serve(stop.clone()));
    let request = b"GET /metrics HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    stop.cancel();
    serving.await.unwrap().unwrap();

    let types: Vec<_> = answer.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
    assert!(!types.is_empty(), "{answer}");
    for line in types {
        let (name, kind) = line.split_once(' ').unwrap();
        let suffix = if kind == "counter" { "_total" } else { "" };
        let row = format!("| `{name}{suffix}` | {kind} |");
        assert!(GUIDE.contains(&row), "{row}");
    }
}
