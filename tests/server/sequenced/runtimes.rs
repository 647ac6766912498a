//! Documents that wait in a queue whose runtime ends.

use std::{future::IntoFuture, pin::pin};

use futures_util::poll;
use mongo_sequence::AutoIncrement;
use mongodb::bson::doc;
use tokio::runtime::Builder;

use super::{line, lines};

/// A queue is served on the runtime of its first caller. Who waits in it elsewhere goes on without that.
#[test]
fn who_waits_behind_a_runtime_that_ends_goes_on_elsewhere() {
    let main = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for gapless in [false, true] {
        let (test, lines) = main.block_on(lines());
        let under_way = if gapless { 1 } else { 2 };
        let insert = async |text: String| {
            let mut line = line(text);
            let insert = line.insert_with_seq(&lines);
            if gapless { insert.gapless() } else { insert }.await.map(|_| line.number)
        };
        main.block_on(test.fail(&["insert"], "alwaysOn", doc! { "blockConnection": true, "blockTimeMS": 2_000 }));
        let ended = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        for n in 0..under_way {
            let lines = lines.clone();
            ended.spawn(async move {
                let mut line = line(format!("theirs {n}"));
                let insert = line.insert_with_seq(&lines);
                if gapless { insert.gapless() } else { insert }.await.map(drop)
            });
            main.block_on(test.sent.until("insert", n + 1));
        }
        main.block_on(async {
            let mut waits = pin!(insert("ours".to_owned()).into_future());
            assert!(poll!(&mut waits).is_pending());
            ended.shutdown_background();
            test.fail(&["insert"], "off", doc! {}).await;
            let number = waits.await.unwrap();
            assert!(test.numbers("lines", "number").await.contains(&number), "gapless: {gapless}");
            drop(test);
        });
    }
}
