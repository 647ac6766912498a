//! What a cell lets go wrong, by its words in the table.

use std::time::Duration;

use mongodb::{
    Database,
    bson::{Bson, Document, doc},
};

/// How long `late` holds a command back, and the limit that the call has then.
const LATE: Duration = Duration::from_millis(800);
const LIMIT: Duration = Duration::from_millis(400);

/// A fail point of the server.
pub(super) struct Fault {
    mode: Bson,
    how: Document,
    /// The time limit of the call.
    pub(super) limit: Option<Duration>,
}

impl Fault {
    /// `closed x2`, `112 x1`, `wce 64 x1`, `wce 91 bare x1`, `late`; `after 1` in place of `x1` spares the first command
    /// and none behind it. `command` may be told from others of its name by the collection: `find@orders`.
    pub(super) fn parse(words: &str, command: &str, database: &Database) -> Self {
        let (command, collection) = command.split_once('@').map_or((command, None), |(name, of)| (name, Some(of)));
        let mut words = words.split_whitespace();
        let mut how = doc! { "failCommands": [command], "appName": database.name() };
        if let Some(collection) = collection {
            how.insert("namespace", format!("{}.{collection}", database.name()));
        }
        let mut limit = None;
        let kind = words.next().unwrap();
        let mut rest = words.next();
        match kind {
            "closed" => how.extend(doc! { "closeConnection": true }),
            "late" => {
                how.extend(doc! { "blockConnection": true, "blockTimeMS": i64::try_from(LATE.as_millis()).unwrap() });
                limit = Some(LIMIT).filter(|_| command != "insert"); // which takes none, and needs its number in time
            }
            "wce" => {
                let code: i32 = rest.unwrap().parse().unwrap();
                how.insert("writeConcernError", doc! { "code": code, "errmsg": "injected" });
                rest = words.next();
                if rest == Some("bare") {
                    how.insert("errorLabels", Bson::Array(Vec::new()));
                    rest = words.next();
                }
            }
            code => {
                let code: i32 = code.parse().unwrap();
                how.insert("errorCode", code);
                if code == 462 {
                    how.insert("errorLabels", ["SystemOverloadedError", "RetryableError"].to_vec());
                }
            }
        }
        let mode = match rest {
            Some("after") => doc! { "skip": words.next().unwrap().parse::<i32>().unwrap() },
            Some(times) => doc! { "times": times.strip_prefix('x').unwrap().parse::<i32>().unwrap() },
            None => doc! { "times": 1 },
        };
        Self { mode: mode.into(), how, limit }
    }

    pub(super) async fn set(&self, admin: &Database) {
        configure(admin, self.mode.clone(), self.how.clone()).await;
    }
}

pub(super) async fn clear(admin: &Database) {
    configure(admin, "off".into(), Document::new()).await;
}

async fn configure(admin: &Database, mode: Bson, data: Document) {
    admin.run_command(doc! { "configureFailPoint": "failCommand", "mode": mode, "data": data }).await.unwrap();
}
