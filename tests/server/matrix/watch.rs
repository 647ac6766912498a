//! What a client sends, and whether it has been answered.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mongodb::{
    error::{Error, ErrorKind},
    event::{EventHandler, command::CommandEvent},
};
use tokio::sync::Notify;

/// How long to wait for a command that is not sent: then the cell differs.
const PATIENCE: Duration = Duration::from_secs(5);

/// The commands of a cell by their letters. Anything else is told by its name.
const LETTERS: [(&str, &str); 10] = [
    ("findAndModify", "f"),
    ("insert", "i"),
    ("commitTransaction", "c"),
    ("abortTransaction", "a"),
    ("find", "q"),
    ("aggregate", "g"),
    ("hello", "h"),
    ("listCollections", "n"),
    ("listIndexes", "x"),
    ("createIndexes", "X"),
];

#[derive(Clone, Default)]
pub(super) struct Watch {
    seen: Arc<Mutex<Seen>>,
    answered: Arc<Notify>,
}

#[derive(Default)]
struct Seen {
    names: Vec<String>,
    under_way: usize,
}

impl Seen {
    fn is_answered(&self, n: usize) -> bool {
        self.under_way == 0 && self.names.len() >= n
    }
}

impl Watch {
    pub(super) fn handler(&self) -> EventHandler<CommandEvent> {
        let watch = self.clone();
        EventHandler::callback(move |event| {
            let mut seen = watch.seen.lock().unwrap();
            if let CommandEvent::Started(started) = event {
                seen.names.push(started.command_name);
                seen.under_way += 1;
            } else {
                if out_of_time(&event) {
                    seen.names.retain(|name| name != "createIndexes");
                }
                seen.under_way -= 1;
                watch.answered.notify_waiters();
            }
        })
    }

    pub(super) fn clear(&self) {
        self.seen.lock().unwrap().names.clear();
    }

    /// What has been sent, once all of it has been answered, and not before `n` commands have: a call may end before one
    /// that it shares, or that a task of its own sends.
    pub(super) async fn sent(&self, n: usize) -> String {
        let answered = async {
            loop {
                let answered = self.answered.notified();
                if self.seen.lock().unwrap().is_answered(n) {
                    return;
                }
                answered.await;
            }
        };
        let _fewer = tokio::time::timeout(PATIENCE, answered).await;
        let seen = self.seen.lock().unwrap();
        seen.names.iter().map(|name| letter(name)).collect::<Vec<_>>().join(" ")
    }
}

/// Whether an index was not there within the first time limit: on a slow server it is asked for again, with more time,
/// which is no part of a cell.
fn out_of_time(event: &CommandEvent) -> bool {
    let code = match event {
        CommandEvent::Failed(failed) if failed.command_name == "createIndexes" => server_code(&failed.failure),
        CommandEvent::Succeeded(succeeded) if succeeded.command_name == "createIndexes" => {
            let unconfirmed = succeeded.reply.get_document("writeConcernError").ok();
            unconfirmed.and_then(|unconfirmed| unconfirmed.get_i32("code").ok())
        }
        _ => None,
    };
    code == Some(50) // MaxTimeMSExpired
}

fn server_code(error: &Error) -> Option<i32> {
    match &*error.kind {
        ErrorKind::Command(error) => Some(error.code),
        _ => None,
    }
}

fn letter(name: &str) -> &str {
    LETTERS.iter().find(|(command, _)| *command == name).map_or(name, |(_, letter)| letter)
}
