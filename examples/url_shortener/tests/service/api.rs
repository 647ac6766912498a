//! The JSON API, also with many clients at once.

use std::{collections::BTreeMap, sync::Arc};

use mongodb::bson::doc;
use reqwest::{RequestBuilder, StatusCode, header};
use serde_json::{Value, json};
use url_shortener::slug;

use crate::support::{Service, database, location};

#[tokio::test]
async fn links_are_made_found_and_listed() {
    let service = Service::start().await;
    let body = json!({ "target": "https://example.org/tea" });
    let made = service.http.post(service.at("/api/links")).json(&body).send().await.unwrap();
    assert_eq!((made.status(), location(&made)), (StatusCode::CREATED, "/api/links/1"));
    let made: Value = made.json().await.unwrap();
    assert_eq!(made["slug"], "1");
    assert_eq!(made["short"], service.at("/1"));
    assert_eq!(made["target"], "https://example.org/tea");
    let stored = service.links().find_one(doc! { "_id": 1 }).await.unwrap().unwrap();
    assert_eq!(made["created"], stored.created.try_to_rfc3339_string().unwrap());

    let found: Value = service.get("/api/links/1").await.json().await.unwrap();
    assert_eq!(found, made);
    for n in 2..=5 {
        assert_eq!(service.shorten(&format!("https://example.org/{n}")).await, n.to_string());
    }
    let slugs = async |query: &str| {
        let list: Value = service.get(&format!("/api/links{query}")).await.json().await.unwrap();
        list["links"].as_array().unwrap().iter().map(|link| link["slug"].as_str().unwrap()).collect::<String>()
    };
    assert_eq!(slugs("").await, "54321");
    assert_eq!(slugs("?limit=2").await, "54");
    assert_eq!(slugs("?limit=2&before=4").await, "32");
    assert_eq!(slugs("?before=1").await, "");
    service.end().await;
}

#[tokio::test]
async fn bad_requests_are_told_in_json() {
    let service = Service::start().await;
    let post = |body: String| {
        let request = service.http.post(service.at("/api/links"));
        request.header(header::CONTENT_TYPE, "application/json").body(body)
    };
    let target = |target: &str| post(json!({ "target": target }).to_string());
    let get = |path: &str| service.http.get(service.at(path));
    let requests: [(RequestBuilder, u16, &str); 11] = [
        (target("ftp://example.org/"), 422, "Only addresses"),
        (target("javascript:alert(1)"), 422, "Only addresses"),
        (target("tea"), 422, "full address"),
        (target(&format!("https://example.org/{}", "a".repeat(100_000))), 422, "too long"),
        (post("{".to_owned()), 400, "Failed to parse"),
        (post("{}".to_owned()), 422, "missing field"),
        (service.http.post(service.at("/api/links")).body("{}"), 415, "application/json"),
        (get("/api/links/1"), 404, "no such link"),
        (get("/api/links?before=-"), 404, "no such link"),
        (get("/api/links?limit=many"), 400, "invalid digit"),
        (get("/api/tea"), 404, "no such link"),
    ];
    for (request, status, wrong) in requests {
        let response = request.send().await.unwrap();
        assert_eq!(response.status().as_u16(), status, "{wrong}");
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/json");
        let told: Value = response.json().await.unwrap();
        assert!(told["error"].as_str().is_some_and(|error| error.contains(wrong)), "{wrong}: {told}");
    }
    assert_eq!(service.links().count_documents(doc! {}).await.unwrap(), 0);
    assert_eq!(service.counter().await, None, "no number is taken");
    service.end().await;
}

/// Two services on one database, 16 clients. Short slugs differ by nothing but the case of a letter.
#[tokio::test]
async fn many_clients_at_once_get_links_of_their_own() {
    let database = database().await;
    let services = [Service::on(&database, 50).await, Service::on(&database, 50).await].map(Arc::new);
    let clients: Vec<_> = (0..16)
        .map(|client| {
            let service = Arc::clone(&services[client % 2]);
            tokio::spawn(async move {
                let mut made = Vec::new();
                for n in 0..20 {
                    let target = format!("https://example.org/{client}/{n}");
                    made.push((service.shorten(&target).await, target));
                }
                made
            })
        })
        .collect();
    let mut made = BTreeMap::new();
    for client in clients {
        for (slug, target) in client.await.unwrap() {
            assert!(made.insert(slug.clone(), target).is_none(), "{slug} was given twice");
        }
    }
    assert_eq!(made.len(), 320);
    assert!(made.contains_key("A") && made.contains_key("a"), "{:?}", made.keys());
    for (n, (slug, target)) in made.iter().enumerate() {
        assert_eq!(&services[n % 2].follow(slug).await, target);
        let id = slug::decode(slug).unwrap().cast_signed();
        assert_eq!(&services[0].links().find_one(doc! { "_id": id }).await.unwrap().unwrap().target, target);
    }
    let [one, other] = services.map(|service| Arc::into_inner(service).unwrap());
    one.kill().await;
    other.end().await;
}
