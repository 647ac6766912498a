//! Stopping, dying and starting again.
#![cfg(unix)]

use mongod_fixture::{Server, Topology};
use mongodb::{Client, bson::doc};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use url_shortener::slug;

use crate::support::{PATIENCE, Service, database};

#[tokio::test]
async fn told_to_stop_it_answers_what_is_under_way() {
    let mut service = Service::start().await;
    service.shorten("https://example.org/first").await;
    let address = service.base.trim_start_matches("http://").to_owned();
    let mut connection = TcpStream::connect(&address).await.unwrap();
    let body = r#"{"target":"https://example.org/last"}"#;
    let head = format!(
        "POST /api/links HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 1024];
    let n = timeout(PATIENCE, connection.read(&mut answer)).await.unwrap().unwrap();
    assert!(answer[..n].starts_with(b"HTTP/1.1 100 "), "{}", String::from_utf8_lossy(&answer[..n]));

    service.tell_to_stop().await; // while the request is waited for
    connection.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    timeout(PATIENCE, connection.read_to_string(&mut answer)).await.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert!(TcpStream::connect(&address).await.is_err(), "nothing more is taken");

    let (database, links) = (service.database.clone(), service.links());
    let reserved = service.counter().await.unwrap();
    assert!(reserved >= 100, "a block is: {reserved}");
    assert_eq!(service.stopped().await, reserved.unsigned_abs() - 2);
    let stored = links.find_one(doc! { "_id": 2 }).await.unwrap().unwrap();
    assert_eq!(stored.target, "https://example.org/last");
    database.drop().await.unwrap();
}

#[tokio::test]
async fn after_a_crash_no_number_comes_again() {
    let database = database().await;
    let first = Service::on(&database, 10).await;
    assert_eq!(first.shorten("https://example.org/1").await, "1");
    assert_eq!(first.shorten("https://example.org/2").await, "2");
    let reserved = first.counter().await.unwrap();
    first.kill().await;

    let second = Service::on(&database, 10).await;
    let slug = second.shorten("https://example.org/3").await;
    assert_eq!(slug::decode(&slug), Some(reserved.unsigned_abs() + 1), "what was reserved is left out");
    assert_eq!(second.follow("2").await, "https://example.org/2");
    second.end().await;
}

/// A call of the driver's that is dropped while it waits for a connection holds up those behind it, by half a second each:
/// here it would be minutes.
#[tokio::test]
async fn clients_that_go_away_hold_nobody_up() {
    let server = Server::start(Topology::ReplicaSet).await.unwrap();
    let client = Client::with_uri_str(server.uri()).await.unwrap();
    let service = Service::with(server.uri(), &client.database("links"), 10).await;
    service.shorten("https://example.org/1").await;
    let admin = client.database("admin");
    let slow = doc! { "failCommands": ["find"], "blockConnection": true, "blockTimeMS": 2000 };
    let command = doc! { "configureFailPoint": "failCommand", "mode": { "times": 10 }, "data": slow };
    let set = admin.run_command(command).await.unwrap();

    let address = service.base.trim_start_matches("http://");
    let mut connections = Vec::new();
    for n in 1..=400 {
        let mut connection = TcpStream::connect(address).await.unwrap();
        connection.write_all(format!("GET /1 HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()).await.unwrap();
        connections.push(connection);
        if n == 10 {
            // all connections of the pool are in use
            let entered = set.get_i32("count").unwrap() + n;
            let wait = doc! { "waitForFailPoint": "failCommand", "timesEntered": entered, "maxTimeMS": 60_000 };
            admin.run_command(wait).await.unwrap();
        }
    }
    for _ in 0..20 {
        service.page("/").await; // by then the others wait for one
    }
    drop(connections);
    service.shorten("https://example.org/2").await;
    assert_eq!(service.follow("2").await, "https://example.org/2");
    service.end().await;
}
