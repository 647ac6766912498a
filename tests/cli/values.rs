//! Values of every kind, printed so that they can be given back.

use mongodb::bson::{Binary, Bson, DateTime, doc, oid::ObjectId, spec::BinarySubtype};

use super::Cli;

#[tokio::test]
async fn the_scope_that_is_printed_is_one_that_is_taken() {
    let cli = Cli::new("values").await;
    let binary = |subtype| Bson::Binary(Binary { subtype, bytes: vec![153, 202, 0, 255] });
    let values = [
        Bson::String("acme".to_owned()),
        Bson::Int32(7),
        Bson::Int64(1 << 60),
        Bson::Boolean(true),
        Bson::Null,
        Bson::ObjectId(ObjectId::new()),
        Bson::DateTime(DateTime::from_millis(1_764_760_000_123)),
        binary(BinarySubtype::Generic),
        binary(BinarySubtype::UserDefined(0x80)),
        Bson::Binary(Binary { subtype: BinarySubtype::Uuid, bytes: vec![7; 16] }),
    ];
    let mut bills = Vec::new();
    for (place, value) in values.iter().enumerate() {
        bills.push(doc! { "tenant": value, "number": i64::try_from(place).unwrap() + 1 });
    }
    cli.db.collection("bills").insert_many(bills).await.unwrap();
    let field = ["bills", "number", "--scope", "tenant"];
    let show = |scope: &str| cli.json(&[&["show"][..], &field, &["--of", scope]].concat())["value"].clone();

    cli.text(&[&["ensure"][..], &field].concat());
    let report = cli.json(&[&["verify"][..], &field].concat());
    let scopes: Vec<String> =
        report["counters"].as_array().unwrap().iter().map(|counter| counter["scope"].to_string()).collect();
    assert_eq!(scopes.len(), values.len());
    for scope in &scopes {
        assert!(show(scope).is_null(), "{scope}");
        cli.text(&[&["raise"][..], &field, &["--to", "50", "--of", scope]].concat());
    }
    let listed = cli.json(&["list"]);
    assert_eq!(listed.as_array().unwrap().len(), values.len());
    for counter in listed.as_array().unwrap() {
        let mut key = counter["key"].clone();
        key.as_object_mut().unwrap().remove("seq");
        assert!(scopes.contains(&key.to_string()), "{key} of {scopes:?}");
        assert_eq!(show(&key.to_string()), 50);
    }
    let kept: Vec<_> = cli.json(&[&["verify"][..], &field].concat())["counters"].as_array().unwrap().clone();
    assert!(kept.iter().all(|counter| counter["value"] == 50), "a counter of its own for each: {kept:?}");

    let stray = doc! { "_id": binary(BinarySubtype::Generic), "number": "x" };
    cli.db.collection("bills").insert_one(stray).await.unwrap();
    let id = serde_json::json!({ "$binary": { "base64": "mcoA/w==", "subType": "00" } });
    assert_eq!(cli.json(&[&["verify"][..], &field].concat())["first_not_a_number"][0], id);
    assert_eq!(cli.json(&[&["unset"][..], &field, &["--no-numbers", "--dry-run"]].concat())["listed"][0]["_id"], id);
}
