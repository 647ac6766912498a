//! The command line, as a user calls it.

mod beside;
mod values;

use std::process::{Command, Output};

use mongod_fixture::Server;
use mongodb::{
    Client, Collection, Database,
    bson::{Document, doc},
};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

/// How many documents the import has.
const IMPORTED: i32 = 200_000;

struct Cli {
    uri: String,
    db: Database,
}

impl Cli {
    async fn new(name: &str) -> Self {
        static SERVER: OnceCell<Server> = OnceCell::const_new();
        let server =
            SERVER.get_or_init(|| async { Server::get().await.unwrap_or_else(|error| panic!("{error}")) }).await;
        let client = Client::with_uri_str(server.uri()).await.unwrap();
        let db = client.database(&format!("cli_{}_{name}", std::process::id()));
        db.drop().await.unwrap();
        Self { uri: server.uri().to_owned(), db }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mongo-sequence"));
        command.env("MONGODB_URI", &self.uri).args(["--database", self.db.name()]).args(arguments);
        command
    }

    fn output(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What it prints, and its exit status.
    fn run(&self, arguments: &[&str]) -> (String, i32) {
        let output = self.output(arguments);
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap()).concat();
        (text, output.status.code().unwrap())
    }

    fn text(&self, arguments: &[&str]) -> String {
        let (text, status) = self.run(arguments);
        assert_eq!(status, 0, "{arguments:?}: {text}");
        text
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.output(&[&["--json"], arguments].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    fn orders(&self) -> Collection<Document> {
        self.db.collection("orders")
    }
}

impl Drop for Cli {
    fn drop(&mut self) {
        let (uri, name) = (self.uri.clone(), self.db.name().to_owned());
        let removal = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async { Client::with_uri_str(uri).await.unwrap().database(&name).drop().await.unwrap() });
        });
        let _removed = removal.join();
    }
}

/// From an import with holes, duplicates and documents without a number to a clean report.
#[tokio::test]
async fn an_import_is_put_right() {
    let cli = Cli::new("import").await;
    // 1,000 numbers are missing, 100 are there twice, and 5,000 documents have none
    let number = |at: i32| match at {
        50_000..51_000 | 195_000.. => None,
        at if at % 2_000 == 7 => Some(at - 1),
        at => Some(at),
    };
    let documents = (0..IMPORTED).filter(|at| !(50_000..51_000).contains(at));
    let documents = documents.map(|at| {
        let mut document = doc! { "_id": at };
        document.extend(number(at + 1).map(|number| ("number".to_owned(), number.into())));
        document
    });
    cli.orders().insert_many(documents).await.unwrap();

    let (text, status) = cli.run(&["verify", "orders", "number"]);
    assert_eq!(status, 3, "{text}");
    assert!(text.contains("fault: there is no counter") && text.contains("documents have the same number"), "{text}");
    let (text, status) = cli.run(&["ensure", "orders", "number"]);
    assert!(status == 1 && text.contains("`mongo-sequence unset --duplicates`"), "{text}");

    // what is there twice: the later document gives its number up
    let twice = cli.json(&["verify", "orders", "number"])["counters"][0]["duplicates"].clone();
    let unset = ["unset", "orders", "number", "--duplicates"];
    let planned = cli.json(&[&unset[..], &["--dry-run"]].concat());
    assert_eq!((&planned["documents"], &planned["listed"][0]), (&twice, &json!({ "_id": 6, "value": 6 })));
    let (text, status) = cli.run(&unset);
    assert!(status == 4 && text.contains("say `--yes`"), "{status}: {text}");
    assert_eq!(cli.json(&[&unset[..], &["--yes"]].concat()), planned);
    assert_eq!(cli.text(&[&unset[..], &["--yes"]].concat()).trim(), "0 documents to lose their number");

    let planned = cli.text(&["ensure", "orders", "number", "--dry-run"]);
    assert!(planned.contains("to be made") && planned.contains("to be set to 194999"), "{planned}");
    let made = cli.text(&["ensure", "orders", "number"]);
    assert!(made.contains("index { \"number\": 1 } made"), "{made}");
    assert_eq!(cli.text(&["ensure", "orders", "number"]).trim(), "nothing to do");

    let without = cli.json(&["backfill", "orders", "number", "--dry-run"])["without_number"].as_u64().unwrap();
    let filled = cli.json(&["backfill", "orders", "number"]);
    assert_eq!(filled, json!({ "numbered": without, "unused": 0 }));

    let (text, status) = cli.run(&["verify", "orders", "number", "--complete"]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("199000 documents with a number, 0 without"), "{text}");
    let report = cli.json(&["verify", "orders", "number"]);
    assert_eq!((&report["clean"], &report["counters"][0]["duplicates"]), (&json!(true), &json!(0)));
    assert_eq!(report["counters"][0]["value"], 194_999 + without);
}

#[tokio::test]
async fn counters_are_listed_shown_raised_and_restarted() {
    let cli = Cli::new("counters").await;
    assert_eq!(cli.text(&["list"]).trim(), "no counters");
    let (text, status) = cli.run(&["show", "orders", "_id"]);
    assert!(status == 1 && text.contains("there is no collection `orders`"), "{text}");
    let (text, status) = cli.run(&["raise", "orders", "_id", "--to", "500"]);
    assert!(status == 1 && text.contains("`--new-collection`"), "{text}");
    assert!(cli.text(&["show", "orders", "_id", "--new-collection"]).contains("no counter"));
    let raise = ["raise", "orders", "_id", "--to", "500", "--new-collection"];
    let planned = cli.text(&[&raise[..], &["--dry-run"]].concat());
    assert!(planned.contains("stands at -, to be raised to 500"), "{planned}");
    assert_eq!(cli.text(&["list"]).trim(), "no counters", "a dry run writes nothing");
    assert!(cli.text(&raise).contains("there was no counter; made at 500"));
    assert!(cli.text(&raise).contains("stands at 500 already"));
    assert_eq!(cli.json(&["show", "orders", "_id"]), json!({ "value": 500 }));
    let of = ["--scope", "tenant,year", "--of", r#"{"tenant": "acme", "year": 2026}"#];
    cli.db.create_collection("bills").await.unwrap();
    let bills = [&["raise", "bills", "number", "--to", "7"][..], &of].concat();
    for arguments in [bills.clone(), [&bills[..], &["--dry-run"]].concat()] {
        let (text, status) = cli.run(&arguments);
        assert!(status == 1 && text.contains("`mongo-sequence ensure`"), "{text}");
    }
    cli.text(&["ensure", "bills", "number", "--scope", "tenant,year"]);
    cli.text(&[&["raise", "bills", "number", "--to", "7"][..], &of].concat());
    // a new counter begins behind the documents of its scope, also when it is only planned
    cli.db.collection("bills").insert_one(doc! { "tenant": "b", "year": 2026, "number": 9 }).await.unwrap();
    let other = ["--scope", "tenant,year", "--of", r#"{"tenant": "b", "year": 2026}"#, "--dry-run"];
    let planned = cli.json(&[&["raise", "bills", "number", "--to", "7"][..], &other].concat());
    assert_eq!(planned, json!({ "before": null, "planned": 9 }));
    let listed = cli.json(&["list"]);
    let keys: Vec<_> = listed.as_array().unwrap().iter().map(|one| &one["key"]).collect();
    assert_eq!(keys, [&json!("orders._id"), &json!({ "seq": "bills.number", "tenant": "acme", "year": 2026 })]);

    // nobody can be asked here
    let (text, status) = cli.run(&["restart", "orders", "_id", "--next", "10"]);
    assert!(status == 4 && text.contains("say `--yes`"), "{text}");
    assert!(cli.text(&["restart", "orders", "_id", "--next", "10", "--dry-run"]).contains("becomes 10"));
    assert_eq!(cli.json(&["show", "orders", "_id"]), json!({ "value": 500 }));
    cli.text(&["restart", "orders", "_id", "--next", "10", "--yes"]);
    assert_eq!(cli.json(&["show", "orders", "_id"]), json!({ "value": 9 }));
    cli.text(&["restart", "orders", "_id", "--next", "13"]); // lowers nothing, so nobody is asked
    cli.orders().insert_one(doc! { "_id": 20 }).await.unwrap();
    for how in ["--yes", "--dry-run"] {
        let (text, status) = cli.run(&["restart", "orders", "_id", "--next", "11", how]);
        assert!(status == 1 && text.contains("numbered up to 20"), "{text}");
    }
}

#[tokio::test]
async fn the_counter_of_another_library_is_taken_over() {
    let cli = Cli::new("adopt").await;
    let theirs: Collection<Document> = cli.db.collection("identitycounters");
    theirs.insert_one(doc! { "model": "Order", "field": "_id", "count": 41 }).await.unwrap();
    cli.orders().insert_one(doc! { "_id": 7 }).await.unwrap();
    let adopt = ["adopt", "orders", "_id", "--from", "identity-counter", "--key", "Order", "--reference", "_id"];
    let planned = json!({ "found": 41, "value": null, "planned": 41 });
    assert_eq!(cli.json(&[&adopt[..], &["--dry-run"]].concat()), planned);
    assert_eq!(cli.json(&adopt), json!({ "found": 41, "value": 41 }));
    let other = ["adopt", "orders", "_id", "--from", "other", "--in-collection", "identitycounters"];
    for (more, told) in [
        (&[][..], "`--from other` needs `--filter`"),
        (&["--key", "Order"], "`--key` says nothing to `--from other`"),
        (&["--filter", "{}", "--number-field", "count"], "`--filter` is empty"),
    ] {
        let (text, status) = cli.run(&[&other[..], more].concat());
        assert!(status == 2 && text.contains(told), "{text}");
    }
    let filter = ["--filter", r#"{"model": "Order"}"#, "--number-field", "count", "--holds-next"];
    assert_eq!(cli.json(&[&other[..], &filter].concat()), json!({ "found": 40, "value": 41 }));
    let (text, status) = cli.run(&["adopt", "orders", "_id", "--from", "doctrine", "--key", "orders"]);
    assert!(status == 1 && text.contains("there is no such document"), "{text}");
}

#[tokio::test]
async fn wrong_usage_says_what_to_do() {
    let cli = Cli::new("usage").await;
    let (help, status) = cli.run(&["--help"]);
    assert_eq!(status, 0);
    for command in ["list", "show", "verify", "ensure", "unset", "backfill", "adopt", "raise", "restart"] {
        assert!(help.contains(&format!("\n  {command}")), "{help}");
    }
    for (arguments, status, told) in [
        (&["verify", "orders"][..], 2, "<FIELD>"),
        (&["show", "orders", "_id", "--of", "[1]"], 2, "expected a document in braces"),
        (&["show", "orders", "_id", "--of", "{"], 2, "this is no extended JSON"),
        (&["ensure", "orders", "_id", "--step", "0"], 1, "its step is 0"),
        (&["ensure", "orders", "a.b"], 1, "cannot be the name of a field"),
        (&["show", "orders", "number", "--scope", "tenant"], 1, "one sequence for each value of [tenant]"),
        (&["unset", "orders", "number"], 2, "--duplicates"),
        (&["adopt", "orders", "_id", "--from", "by-id"], 2, "`--from by-id` needs `--in-collection`"),
        (&["--uri", "mongo://127.0.0.1", "list"], 2, "--uri:"),
        (&["--uri", "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100", "list"], 1, "127.0.0.1:1"),
    ] {
        let (text, found) = cli.run(arguments);
        assert!(found == status && text.contains(told), "{arguments:?}: {found}, {text}");
    }
}

/// A name that was mistyped is neither a clean sequence nor a new one.
#[tokio::test]
async fn mistyped_names_are_told() {
    let cli = Cli::new("names").await;
    cli.orders().insert_many((1..=3).map(|number| doc! { "number": number })).await.unwrap();
    cli.orders().insert_one(doc! { "number": "four" }).await.unwrap();
    let field = "has a field `nmber`";
    for (arguments, told) in [
        (&["verify", "oders", "number"][..], "there is no collection `oders`"),
        (&["verify", "orders", "nmber"], field),
        (&["backfill", "oders", "number"], "there is no collection `oders`"),
        (&["backfill", "orders", "nmber"], field),
        (&["backfill", "orders", "nmber", "--dry-run"], "`--new-field`"),
        (&["unset", "orders", "nmber", "--no-numbers", "--yes"], field),
        (&["restart", "oders", "number", "--next", "3"], "there is no collection `oders`"),
        (&["raise", "oders", "number", "--to", "3"], "there is no collection `oders`"),
        (&["adopt", "oders", "_id", "--from", "doctrine", "--key", "x"], "there is no collection `oders`"),
    ] {
        let (text, status) = cli.run(arguments);
        assert!(status == 1 && text.contains(told), "{arguments:?}: {text}");
    }
    assert!(cli.text(&["ensure", "oders", "number", "--dry-run"]).contains("no such collection"));
    assert_eq!(cli.db.list_collection_names().await.unwrap(), ["orders"]);

    let (text, status) = cli.run(&["verify", "orders", "number"]);
    assert!(status == 3 && text.contains("no unique index: `mongo-sequence ensure` makes it"), "{text}");
    assert_eq!(cli.text(&["unset", "orders", "number", "--no-numbers", "--yes"]).lines().count(), 2);
    cli.text(&["ensure", "orders", "number"]);
    cli.text(&["verify", "orders", "number"]);
    let (text, status) = cli.run(&["verify", "orders", "number", "--complete"]);
    assert!(status == 3 && text.contains("1 without"), "{text}");
    cli.text(&["backfill", "orders", "code", "--new-field"]);
    assert!(cli.text(&["verify", "orders", "code"]).contains("4 documents with a number, 0 without"));
}

#[tokio::test]
async fn a_plan_to_backfill_tells_of_each_scope() {
    let cli = Cli::new("plan").await;
    let bills = [
        doc! { "tenant": "a", "number": 1 },
        doc! { "tenant": "a" },
        doc! { "tenant": "a" },
        doc! { "tenant": "b", "number": "x" },
        doc! {},
    ];
    cli.db.collection("bills").insert_many(bills).await.unwrap();
    let plan = ["backfill", "bills", "number", "--scope", "tenant", "--dry-run"];
    let scope = |tenant: Value, documents| json!({ "scope": { "tenant": tenant }, "documents": documents });
    let scopes = [scope("a".into(), 2), scope(Value::Null, 1)];
    assert_eq!(cli.json(&plan), json!({ "without_number": 3, "not_a_number": 1, "scopes": scopes }));
    assert!(
        cli.text(&plan).contains("{ \"tenant\": null }: 1\n1 documents have something else"),
        "{}",
        cli.text(&plan)
    );
}
