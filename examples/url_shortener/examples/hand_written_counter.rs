//! The same service with links that are numbered as it is done by hand, to compare: `load/run` does.

use axum::{Json, Router, extract::State, http::StatusCode, middleware::from_fn, routing::post};
use mongod_fixture::Server;
use mongodb::{
    Client, Database,
    bson::{DateTime, Document, doc},
    options::ReturnDocument,
};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use url::Url;
use url_shortener::{Link, Links, Target, router, to_its_end};

#[derive(Deserialize)]
struct NewLink {
    target: String,
}

#[derive(Serialize)]
struct Made {
    slug: String,
    target: String,
}

/// The next number with one command, the document with another.
async fn create(
    State((database, base)): State<(Database, Url)>,
    Json(new): Json<NewLink>,
) -> Result<(StatusCode, Json<Made>), (StatusCode, String)> {
    let target =
        Target::parse(&new.target, &base).map_err(|bad| (StatusCode::UNPROCESSABLE_ENTITY, bad.to_string()))?;
    let store = async || {
        let counter = database
            .collection::<Document>("counters")
            .find_one_and_update(doc! { "_id": "links" }, doc! { "$inc": { "seq": 1_i64 } })
            .upsert(true)
            .return_document(ReturnDocument::After)
            .await?;
        let id = counter.and_then(|counter| counter.get_i64("seq").ok()).unwrap_or_default().unsigned_abs();
        let link = Link { id, target: target.into(), created: DateTime::now() };
        database.collection::<Link>("links").insert_one(&link).await?;
        Ok::<_, mongodb::error::Error>(link)
    };
    let link = store().await.map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))?;
    Ok((StatusCode::CREATED, Json(Made { slug: link.slug(), target: link.target })))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::get().await?;
    let database = Client::with_uri_str(server.uri()).await?.database("hand_written_counter");
    let listener = TcpListener::bind(std::env::var("LISTEN").as_deref().unwrap_or("127.0.0.1:3000")).await?;
    let address = listener.local_addr()?;
    let base = Url::parse(&format!("http://{address}"))?;
    let by_hand = Router::new().route("/api/links", post(create)).layer(from_fn(to_its_end));
    let by_hand = by_hand.with_state((database.clone(), base.clone()));
    println!("listening on http://{address}");
    axum::serve(listener, by_hand.fallback_service(router(Links::new(&database, 0), base))).await?;
    Ok(())
}
