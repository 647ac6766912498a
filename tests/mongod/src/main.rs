//! Starts a MongoDB server, prints its connection string and its folder, and keeps it until standard input ends:
//! `cargo run -p mongod-fixture`.

use mongod_fixture::{Server, Topology};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::start(Topology::ReplicaSet).await?;
    println!("{}", server.uri());
    for node in server.nodes() {
        println!("{}", node.folder().display());
    }
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    Ok(())
}
