//! Serves until it is told to stop, and then answers what is under way.

use std::{env, error::Error, time::Duration};

use mongod_fixture::Server;
use mongodb::Client;
use tokio::{net::TcpListener, signal, sync::oneshot, time::sleep};
use url::Url;
use url_shortener::{Links, router};

/// How long requests may take to end once the service is told to stop.
const GRACE: Duration = Duration::from_secs(10);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::get().await?;
    println!("{server}");
    let client = Client::with_uri_str(server.uri()).await?;
    let database = client.database(setting("DATABASE").as_deref().unwrap_or("url_shortener"));
    let block_size = setting("BLOCK_SIZE").map_or(Ok(1000), |size| size.parse())?;
    let links = Links::new(&database, block_size);

    let listener = TcpListener::bind(setting("LISTEN").as_deref().unwrap_or("127.0.0.1:3000")).await?;
    let address = listener.local_addr()?;
    let base = Url::parse(&setting("BASE_URL").unwrap_or_else(|| format!("http://{address}")))?;
    println!("listening on http://{address}");

    let (stopping, begun) = oneshot::channel();
    let serving = axum::serve(listener, router(links.clone(), base)).with_graceful_shutdown(async {
        told_to_stop().await;
        println!("stopping");
        stopping.send(()).ok();
    });
    tokio::select! {
        ended = serving.into_future() => ended?,
        () = async { begun.await.ok(); sleep(GRACE).await } => eprintln!("some requests did not end in time"),
    }
    let left = links.shutdown().await;
    println!("stopped; {} numbers were reserved and are left unused", left.unused_numbers);
    Ok(())
}

/// A setting from the environment.
fn setting(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns on Ctrl-C, and on SIGTERM where there is such a thing.
async fn told_to_stop() {
    let interrupted = async { signal::ctrl_c().await.expect("Ctrl-C can be listened for") };
    #[cfg(unix)]
    let terminated = async {
        let terminate = signal::unix::SignalKind::terminate();
        signal::unix::signal(terminate).expect("SIGTERM can be listened for").recv().await;
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}
