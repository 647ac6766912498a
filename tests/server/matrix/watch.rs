//! What a client sends, and whether it has been answered.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use mongodb::event::{EventHandler, command::CommandEvent};
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

fn letter(name: &str) -> &str {
    LETTERS.iter().find(|(command, _)| *command == name).map_or(name, |(_, letter)| letter)
}
