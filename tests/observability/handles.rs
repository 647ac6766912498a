//! What is told of callers who share commands, inserts and transactions.

use std::collections::BTreeSet;

use futures_util::future::{join_all, try_join_all};
use mongo_sequence::{AutoIncrement, Sequence, SequencedCollection, SharedSequence};

use crate::{
    Stage,
    models::{Order, order},
    seen::{SEEN, Told},
    unique,
};

const CALLERS: usize = 20;

async fn insert(orders: SequencedCollection<Order>, gapless: bool) {
    let inserts = (0..CALLERS).map(|_| {
        let orders = orders.clone();
        tokio::spawn(async move {
            let mut order = order();
            let insert = order.insert_with_seq(&orders);
            if gapless { insert.gapless().await } else { insert.await }
        })
    });
    join_all(inserts).await.into_iter().for_each(|done| drop(done.unwrap().unwrap()));
}

/// All calls are followed by a group each, and no other; the histogram says how many that were.
fn check_groups(sequence: &str, mode: &str) -> Vec<Told> {
    let calls: BTreeSet<usize> = SEEN.of("insert_with_seq", sequence).iter().map(|span| span.place).collect();
    let groups = SEEN.of("insert_group", sequence);
    let followed: Vec<usize> = groups.iter().flat_map(|group| group.follows.clone()).collect();
    assert_eq!((calls.len(), followed.len()), (CALLERS, CALLERS));
    assert_eq!(followed.into_iter().collect::<BTreeSet<_>>(), calls);
    assert!(groups.iter().all(|group| group.value("mode") == Some(mode)), "{groups:?}");
    assert!(groups.iter().all(|group| group.number("callers") == i64::try_from(group.follows.len()).ok()));
    let sizes = SEEN.values("group_size", sequence);
    assert_eq!((sizes.len(), sizes.iter().sum::<f64>()), (groups.len(), 20.0));
    groups
}

pub(crate) async fn groups_follow_from_their_callers() {
    let Stage { test, orders, sequence } = Stage::new().await;
    insert(SequencedCollection::new(orders), false).await;
    let groups = check_groups(&sequence, "combined");
    let numbers = SEEN.of("share_numbers", &sequence);
    let followed: BTreeSet<usize> = numbers.iter().flat_map(|command| command.follows.clone()).collect();
    assert_eq!(followed, groups.iter().map(|group| group.place).collect());
    assert_eq!(numbers.iter().map(|command| command.number("count").unwrap()).sum::<i64>(), 20);
    assert_eq!(SEEN.counted("numbers_total", &sequence), [("combined".to_owned(), 20)]);
    drop(test);
}

pub(crate) async fn gapless_groups_share_a_transaction() {
    let Stage { test, orders, sequence } = Stage::new().await;
    insert(SequencedCollection::new(orders), true).await;
    check_groups(&sequence, "group");
    assert_eq!(SEEN.counted("numbers_total", &sequence), [("group".to_owned(), 20)]);
    assert_eq!(SEEN.of("share_numbers", &sequence).len(), 0);
    drop(test);
}

pub(crate) async fn a_block_is_told_when_it_is_reserved_and_when_it_is_given_up() {
    let Stage { test, .. } = Stage::new().await;
    let name = unique("tickets");
    let tickets = SharedSequence::builder(Sequence::new(&test.db, name.as_str()).start(1)).block_size(100).build();
    assert_eq!(tickets.next_value().await.unwrap(), 1);
    SEEN.until("block reserved", &name).await; // what is behind its number is handed out after it is answered
    for expected in 2..=10 {
        assert_eq!(tickets.next_value().await.unwrap(), expected);
    }
    // only the first had to wait
    let call = SEEN.the("next_value", &name);
    assert_eq!(call.values(["mode", "number"]), [Some("block"), Some("1")]);
    let command = SEEN.the("share_numbers", &name);
    assert_eq!(command.values(["mode", "callers", "count"]), [Some("block"), Some("1"), Some("101")]);
    assert_eq!(command.follows, BTreeSet::from([call.place]));
    let reserved = SEEN.the("block reserved", &name);
    assert_eq!((reserved.value("size"), reserved.parent), (Some("100"), Some(command.place)));
    let took: f64 = reserved.value("seconds").unwrap().parse().unwrap();
    assert_eq!(SEEN.values("block_size", &name), [100.0]);
    assert_eq!(SEEN.values("block_refill_duration_seconds", &name), [took]);
    assert!(took > 0.0 && took < 60.0, "{took}");
    assert_eq!(SEEN.counted("numbers_total", &name), [("block".to_owned(), 101)]);

    // raised to 500, it gives up 91 numbers
    tickets.raise_to(500).await.unwrap();
    let burnt = SEEN.the("numbers burnt", &name);
    assert_eq!(burnt.values(["mode", "count", "number"]), [Some("block"), Some("91"), None]);
    assert_eq!(SEEN.counted("numbers_burnt_total", &name), [("block".to_owned(), 91)]);
    assert_eq!(tickets.next_value().await.unwrap(), 501);
}

pub(crate) async fn those_who_share_a_command_are_counted() {
    let Stage { test, .. } = Stage::new().await;
    let name = unique("tickets");
    let tickets = SharedSequence::new(Sequence::new(&test.db, name.as_str()).start(1));
    let numbers = try_join_all((0..CALLERS).map(|_| tickets.next_value())).await.unwrap();
    assert_eq!(numbers.into_iter().collect::<BTreeSet<_>>(), (1..=20).collect());
    let calls: BTreeSet<usize> = SEEN.of("next_value", &name).iter().map(|span| span.place).collect();
    let commands = SEEN.of("share_numbers", &name);
    assert_eq!(commands.iter().flat_map(|command| command.follows.clone()).collect::<BTreeSet<_>>(), calls);
    assert_eq!(commands.iter().map(|command| command.number("callers").unwrap()).sum::<i64>(), 20);
    assert!(commands.iter().all(|command| command.value("mode") == Some("combined")));
}
