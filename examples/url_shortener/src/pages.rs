//! What people see. Askama escapes whatever is put into a template.

use askama::Template;
use axum::{
    Form, Router,
    extract::{
        Path, Query, State,
        rejection::{FormRejection, QueryRejection},
    },
    http::{StatusCode, header},
    response::{Html, IntoResponse, Redirect, Response},
    routing::get,
};
use serde::Deserialize;

use crate::{App, Target, failure::Failure, shown::Shown, slug};

/// How many links a page of the list has.
const PAGE: u32 = 20;

pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(form).post(shorten))
        .route("/links/{slug}", get(link))
        .route("/all-links", get(all_links))
        .route("/{slug}", get(follow))
        .route("/style.css", get(async || ([(header::CONTENT_TYPE, "text/css")], include_str!("../assets/style.css"))))
        .route(
            "/icon.svg",
            get(async || ([(header::CONTENT_TYPE, "image/svg+xml")], include_str!("../assets/icon.svg"))),
        )
        .fallback(async || Error(Failure::NotFound))
}

/// The form, empty or with what was wrong.
#[derive(Template)]
#[template(path = "form.html")]
struct FormPage {
    target: String,
    error: Option<String>,
}

#[derive(Template)]
#[template(path = "link.html")]
struct LinkPage {
    link: Shown,
}

#[derive(Template)]
#[template(path = "all_links.html")]
struct AllLinksPage {
    links: Vec<Shown>,
    is_first: bool,
    /// The slug before which the next page begins.
    older: Option<String>,
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    title: &'static str,
    message: String,
}

async fn form() -> Response {
    page(StatusCode::OK, &FormPage { target: String::new(), error: None })
}

#[derive(Debug, Deserialize)]
struct NewLink {
    target: String,
}

/// Stores the link and leads to its page, so that loading that again does not make another one.
async fn shorten(State(app): State<App>, body: Result<Form<NewLink>, FormRejection>) -> Result<Response, Error> {
    let Form(new) = body?;
    match Target::parse(&new.target, &app.base) {
        Ok(target) => {
            let link = app.links.create(target).await?;
            Ok(Redirect::to(&format!("/links/{}", link.slug())).into_response())
        }
        Err(bad) => {
            let status = Failure::from(bad).status();
            Ok(page(status, &FormPage { target: new.target, error: Some(bad.to_string()) }))
        }
    }
}

/// To where the link leads, by way of this service every time.
async fn follow(State(app): State<App>, Path(slug): Path<String>) -> Result<Redirect, Error> {
    let link = app.links.find(&slug).await?.ok_or(Failure::NotFound)?;
    Ok(Redirect::temporary(&link.target))
}

async fn link(State(app): State<App>, Path(slug): Path<String>) -> Result<Response, Error> {
    let link = app.links.find(&slug).await?.ok_or(Failure::NotFound)?;
    Ok(page(StatusCode::OK, &LinkPage { link: Shown::new(link, &app.base) }))
}

#[derive(Debug, Deserialize)]
struct Before {
    before: Option<String>,
}

async fn all_links(State(app): State<App>, query: Result<Query<Before>, QueryRejection>) -> Result<Response, Error> {
    let Query(Before { before }) = query?;
    let before = before.as_deref().map(|before| slug::decode(before).ok_or(Failure::NotFound)).transpose()?;
    let mut links = app.links.latest(before, PAGE + 1).await?; // one more tells whether there is another page
    let is_last = links.len() <= PAGE as usize;
    links.truncate(PAGE as usize);
    let links: Vec<Shown> = links.into_iter().map(|link| Shown::new(link, &app.base)).collect();
    let older = if is_last { None } else { links.last().map(|link| link.slug.clone()) };
    Ok(page(StatusCode::OK, &AllLinksPage { links, is_first: before.is_none(), older }))
}

/// A failure, told on a page of its own.
struct Error(Failure);

impl<F: Into<Failure>> From<F> for Error {
    fn from(failure: F) -> Self {
        Self(failure.into())
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let title = match self.0 {
            Failure::NotFound => "Not found",
            Failure::BadTarget(_) | Failure::Request(..) => "This did not work",
            Failure::Store(_) => "Something went wrong",
        };
        page(self.0.status(), &ErrorPage { title, message: self.0.message() })
    }
}

fn page(status: StatusCode, template: &impl Template) -> Response {
    match template.render() {
        Ok(html) => (status, Html(html)).into_response(),
        Err(error) => {
            eprintln!("{error}");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
