//! A node from its start to its end, over real sockets.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "a node runs as a task of its own")]

use orloj_server::config::{self, Config, Flags};
use orloj_server::{Node, Stop};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

fn config(flags: Flags) -> Config {
    let flags = Flags {
        store: flags.store.or(Some("sqlite::memory:".to_owned())),
        listen_grpc: flags.listen_grpc.or(Some("127.0.0.1:0".to_owned())),
        listen_http: flags.listen_http.or(Some("127.0.0.1:0".to_owned())),
        ..flags
    };
    config::for_dev(&flags, []).unwrap()
}

#[tokio::test]
async fn answers_until_it_is_asked_to_stop() {
    let node = Node::start(&config(Flags::default()), |builder| builder).await.unwrap();
    let addresses = node.addresses();
    let stop = Stop::new();
    let serving = tokio::spawn(node.serve(stop.clone()));

    let mut stream = TcpStream::connect(addresses.http).await.unwrap();
    stream.write_all(b"GET /ready HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    let mut head = [0; 15];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 OK");

    // The connection is still open: an idle client must not hold the node back.
    stop.cancel();
    serving.await.unwrap().unwrap();
    assert!(TcpStream::connect(addresses.http).await.is_err());
    assert!(TcpStream::connect(addresses.grpc).await.is_err());
}

#[tokio::test]
async fn an_address_in_use_is_named_before_the_store_is_touched() {
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("orders.db");
    let flags = Flags {
        store: Some(format!("sqlite:{}", file.display())),
        listen_http: Some(address.clone()),
        ..Flags::default()
    };
    let Err(error) = Node::start(&config(flags), |builder| builder).await else {
        panic!("must fail")
    };
    let said = format!("{error:#}");
    assert!(said.starts_with(&format!("cannot listen on {address} (--listen-http): ")), "{said}");
    assert!(!file.exists());
}

#[tokio::test]
async fn a_store_that_cannot_be_opened_is_named() {
    let flags =
        Flags { store: Some("sqlite:/nowhere/at/all/orders.db".to_owned()), ..Flags::default() };
    let Err(error) = Node::start(&config(flags), |builder| builder).await else {
        panic!("must fail")
    };
    let said = format!("{error:#}");
    assert!(said.starts_with("cannot open the store sqlite:/nowhere/at/all/orders.db: "), "{said}");
}

#[tokio::test]
async fn the_default_file_finds_its_folder_made() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("a/b");
    let flags = Flags {
        data_dir: Some(data_dir.display().to_string()),
        listen_grpc: Some("127.0.0.1:0".to_owned()),
        listen_http: Some("127.0.0.1:0".to_owned()),
        ..Flags::default()
    };
    let config = config::for_dev(&flags, []).unwrap();
    let node = Node::start(&config, |builder| builder).await.unwrap();
    node.orloj().shutdown().await;
    assert!(data_dir.join("dev.db").exists());
}

#[tokio::test]
async fn the_executor_is_on_unless_the_configuration_turns_it_off() {
    for (executor, expected) in [(None, true), (Some(true), true), (Some(false), false)] {
        let flags = Flags { executor, ..Flags::default() };
        let node = Node::start(&config(flags), |builder| builder).await.unwrap();
        assert_eq!(node.orloj().executor().is_active(), expected, "{executor:?}");
        node.orloj().shutdown().await;
    }
}
