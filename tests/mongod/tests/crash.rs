//! A server that is killed, stopped and started again by the one who started it.

use std::time::Duration;

use mongod_fixture::{Server, Topology};
use mongodb::{Client, bson::doc, options::ClientOptions};

/// How long something that is sure to happen may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to wait for a server that does not answer.
const SILENCE: Duration = Duration::from_millis(500);

#[tokio::test]
async fn a_killed_server_is_gone_and_comes_back_with_its_data() {
    let server = Server::start(Topology::ReplicaSet).await.unwrap();
    let [node] = server.nodes() else { panic!("one node") };
    let mut options = ClientOptions::parse(server.uri()).await.unwrap();
    options.server_selection_timeout = Some(PATIENCE);
    let client = Client::with_options(options.clone()).unwrap();
    client.database("crash").collection("kept").insert_one(doc! { "_id": 1 }).await.unwrap();

    node.crash().unwrap();
    assert!(node.crash().is_err(), "it is down already");
    options.server_selection_timeout = Some(SILENCE);
    let hasty = Client::with_options(options).unwrap();
    assert!(hasty.list_database_names().await.is_err());

    node.restart().unwrap();
    assert!(node.restart().is_err(), "it was not down");
    let kept = client.database("crash").collection::<mongodb::bson::Document>("kept");
    assert_eq!(kept.find_one(doc! {}).await.unwrap(), Some(doc! { "_id": 1 }));
    let folder = node.folder().to_owned();
    drop(server);
    assert!(!folder.exists());
}

#[tokio::test]
async fn a_stopped_server_answers_when_it_goes_on() {
    let server = Server::start(Topology::Standalone).await.unwrap();
    let [node] = server.nodes() else { panic!("one node") };
    let admin = Client::with_uri_str(node.uri()).await.unwrap().database("admin");
    admin.run_command(doc! { "ping": 1 }).await.unwrap();
    node.freeze().unwrap();
    let ping = tokio::spawn(async move { admin.run_command(doc! { "ping": 1 }).await });
    tokio::time::sleep(SILENCE).await; // any answer in this time would be a wrong one
    assert!(!ping.is_finished());
    node.thaw().unwrap();
    tokio::time::timeout(PATIENCE, ping).await.unwrap().unwrap().unwrap();
}
