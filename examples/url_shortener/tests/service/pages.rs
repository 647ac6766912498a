//! What people see, and what they are told when something is wrong.

use mongodb::bson::doc;
use reqwest::{StatusCode, header};
use url_shortener::{Link, MAX_LENGTH, slug};

use crate::support::{Service, location};

#[tokio::test]
async fn a_form_makes_a_link_that_leads_to_its_target() {
    let service = Service::start().await;
    let form = service.page("/").await;
    assert!(form.contains("<label for=\"target\">"), "{form}");

    let made = service.submit("HTTPS://example.org/a long/way?x=1&y=2").await;
    assert_eq!((made.status(), location(&made)), (StatusCode::SEE_OTHER, "/links/1"));
    let page = service.page("/links/1").await;
    assert!(page.contains(&format!("<a id=\"short\" href=\"{0}/1\">{0}/1</a>", service.base)), "{page}");
    assert!(page.contains("https://example.org/a%20long/way?x=1&#38;y=2"), "{page}");
    assert_eq!(service.follow("1").await, "https://example.org/a%20long/way?x=1&y=2");

    let stored = service.links().find_one(doc! { "_id": 1 }).await.unwrap().unwrap();
    assert_eq!(stored.target, "https://example.org/a%20long/way?x=1&y=2");
    service.end().await;
}

#[tokio::test]
async fn a_bad_address_is_shown_again_with_what_is_wrong() {
    let service = Service::start().await;
    let too_long = format!("https://example.org/{}", "a".repeat(MAX_LENGTH));
    let own = service.at("/1");
    for (typed, wrong) in [
        ("", "Enter an address"),
        ("example.org/page", "not a full address"),
        ("ftp://example.org/", "Only addresses that begin with http"),
        ("javascript:alert(1)", "Only addresses that begin with http"),
        (&too_long, "too long"),
        (&own, "of this service already"),
    ] {
        let refused = service.submit(typed).await;
        assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY, "{typed}");
        let page = refused.text().await.unwrap();
        let error = page.split("role=\"alert\">").nth(1).unwrap().split('<').next().unwrap();
        assert!(error.contains(wrong), "{typed}: {error}");
        assert!(page.contains(&format!("value=\"{typed}\"")), "{typed}: {page}");
    }
    assert_eq!(service.links().count_documents(doc! {}).await.unwrap(), 0);
    assert_eq!(service.counter().await, None, "no number is taken");
    service.end().await;
}

#[tokio::test]
async fn nothing_that_was_typed_becomes_a_part_of_the_page() {
    const MARKUP: &str = "\"'><script>alert(1)</script>&amp;";
    let service = Service::start().await;
    let page = service.submit(MARKUP).await.text().await.unwrap();
    assert!(page.contains("value=\"&#34;&#39;&#62;&#60;script&#62;alert(1)&#60;/script&#62;&#38;amp;\""), "{page}");

    // by whatever way it came to be stored
    let created = mongodb::bson::DateTime::now();
    let link = Link { id: 7, target: format!("https://example.org/{MARKUP}"), created };
    service.links().insert_one(link).await.unwrap();
    for path in ["/links/7", "/all-links"] {
        let page = service.page(path).await;
        assert!(page.contains("&#60;script&#62;") && !page.contains("<script"), "{path}: {page}");
    }
    service.end().await;
}

#[tokio::test]
async fn what_is_not_there_has_a_page_that_says_so() {
    let service = Service::start().await;
    service.shorten("https://example.org/").await;
    let far = slug::encode(u64::MAX);
    for path in
        ["/2", "/01", "/0", "/é", "/a-b", "/links/2", "/links/01", "/all-links?before=-", "/1/2", &format!("/{far}")]
    {
        let missing = service.get(path).await;
        assert_eq!(missing.status(), StatusCode::NOT_FOUND, "{path}");
        assert!(missing.text().await.unwrap().contains("There is no such link."), "{path}");
    }
    let no_field = service.http.post(service.at("/")).form(&[("x", "y")]).send().await.unwrap();
    assert_eq!(no_field.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert!(no_field.text().await.unwrap().contains("This did not work"));
    service.end().await;
}

#[tokio::test]
async fn all_links_are_listed_newest_first_in_pages() {
    let service = Service::start().await;
    let empty = service.page("/all-links").await;
    assert!(empty.contains("There are no links yet."), "{empty}");
    for n in 1..=45 {
        service.shorten(&format!("https://example.org/{n}")).await;
    }
    let (mut path, mut seen) = (Some("/all-links".to_owned()), Vec::new());
    let mut sizes = Vec::new();
    while let Some(next) = path {
        let page = service.page(&next).await;
        let targets = page.split("https://example.org/").skip(1).map(|rest| rest.split('<').next().unwrap());
        let targets: Vec<u32> = targets.map(|number| number.parse().unwrap()).collect();
        sizes.push(targets.len());
        seen.extend(targets);
        path = page.split("rel=\"next\" href=\"").nth(1).map(|rest| rest.split('"').next().unwrap().to_owned());
    }
    assert_eq!(sizes, [20, 20, 5]);
    assert_eq!(seen, (1..=45).rev().collect::<Vec<_>>());
    service.end().await;
}

/// Slugs are words now and then, and the service has pages.
#[tokio::test]
async fn no_link_is_hidden_by_a_page() {
    let service = Service::start().await;
    for word in ["api", "links", "all", "style", "icon", "favicon", "index", "healthz"] {
        let id = slug::decode(word).unwrap();
        let target = format!("https://example.org/{word}");
        service.links().insert_one(Link { id, target, created: mongodb::bson::DateTime::now() }).await.unwrap();
    }
    for word in ["api", "links", "all", "style", "icon", "favicon", "index", "healthz"] {
        assert_eq!(service.follow(word).await, format!("https://example.org/{word}"));
    }
    service.end().await;
}

#[tokio::test]
async fn pages_load_and_send_nothing_elsewhere() {
    let service = Service::start().await;
    for (path, kind) in [("/", "text/html; charset=utf-8"), ("/style.css", "text/css"), ("/icon.svg", "image/svg+xml")]
    {
        let response = service.get(path).await;
        let headers = response.headers();
        assert_eq!(headers[header::CONTENT_TYPE], kind);
        assert!(headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap().starts_with("default-src 'none'"), "{path}");
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(headers[header::REFERRER_POLICY], "no-referrer");
    }
    service.end().await;
}
