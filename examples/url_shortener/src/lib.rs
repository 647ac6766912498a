//! A URL shortener: every link is a document whose `_id` is the next number, and its slug that number in base 62.
//!
//! No page of the service has a name that is a slug, so that no link can ever be hidden by one: see [`router`].

mod api;
mod failure;
mod links;
mod pages;
mod shown;
pub mod slug;
mod target;

use axum::{
    Router,
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::{Next, from_fn, map_response},
    response::{IntoResponse, Response},
};
use url::Url;

pub use self::{
    links::{Link, Links},
    target::{BadTarget, MAX_LENGTH, Target},
};

/// What every request needs.
#[derive(Clone, Debug)]
struct App {
    links: Links,
    /// What short links begin with.
    base: Url,
}

/// The service. Short links begin with `base`.
///
/// A slug is one segment of letters and digits. All other addresses of the service have more than one, or another
/// character, in it.
pub fn router(links: Links, base: Url) -> Router {
    Router::new()
        .merge(pages::routes())
        .merge(api::routes())
        .layer(from_fn(to_its_end))
        .layer(map_response(guarded))
        .with_state(App { links, base })
}

/// A task of its own for each request: what a client has asked for is done, also if it does not wait for it. A call of the
/// driver's that is dropped while it waits for a connection would hold up those behind it.
pub async fn to_its_end(request: Request, next: Next) -> Response {
    let answered = tokio::spawn(next.run(request)).await;
    answered.unwrap_or_else(|_panicked| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

/// Nothing is loaded, framed or guessed that the pages do not need.
async fn guarded(mut response: Response) -> Response {
    const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; \
                          frame-ancestors 'none'";
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
