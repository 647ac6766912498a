//! The JSON API. Errors are `{"error": "…"}`.

use axum::{
    Json, Router,
    extract::{
        Path, Query, State,
        rejection::{JsonRejection, QueryRejection},
    },
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{any, get},
};
use serde::{Deserialize, Serialize};

use crate::{App, Target, failure::Failure, shown::Shown, slug};

/// How many links a list has at most, and if nobody asks for another number.
const LIMIT: u32 = 100;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/api/links", get(list).post(create))
        .route("/api/links/{slug}", get(one))
        .route("/api/{*rest}", any(async || Error(Failure::NotFound)))
}

#[derive(Debug, Deserialize)]
struct NewLink {
    target: String,
}

async fn create(
    State(app): State<App>,
    body: Result<Json<NewLink>, JsonRejection>,
) -> Result<impl IntoResponse, Error> {
    let Json(new) = body?;
    let target = Target::parse(&new.target, &app.base)?;
    let link = Shown::new(app.links.create(target).await?, &app.base);
    Ok((StatusCode::CREATED, [(header::LOCATION, format!("/api/links/{}", link.slug))], Json(link)))
}

async fn one(State(app): State<App>, Path(slug): Path<String>) -> Result<Json<Shown>, Error> {
    let link = app.links.find(&slug).await?.ok_or(Failure::NotFound)?;
    Ok(Json(Shown::new(link, &app.base)))
}

#[derive(Debug, Deserialize)]
struct Page {
    /// The last slug of the page before.
    before: Option<String>,
    limit: Option<u32>,
}

#[derive(Debug, Serialize)]
struct List {
    links: Vec<Shown>,
}

async fn list(State(app): State<App>, page: Result<Query<Page>, QueryRejection>) -> Result<Json<List>, Error> {
    let Query(page) = page?;
    let before = page.before.as_deref().map(|before| slug::decode(before).ok_or(Failure::NotFound)).transpose()?;
    let links = app.links.latest(before, page.limit.unwrap_or(LIMIT).clamp(1, LIMIT)).await?;
    Ok(Json(List { links: links.into_iter().map(|link| Shown::new(link, &app.base)).collect() }))
}

/// A failure, told in JSON.
struct Error(Failure);

impl<F: Into<Failure>> From<F> for Error {
    fn from(failure: F) -> Self {
        Self(failure.into())
    }
}

#[derive(Debug, Serialize)]
struct Told {
    error: String,
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = self.0.status();
        let told = Json(Told { error: self.0.message() });
        match status {
            StatusCode::SERVICE_UNAVAILABLE => (status, [(header::RETRY_AFTER, "1")], told).into_response(),
            _ => (status, told).into_response(),
        }
    }
}
