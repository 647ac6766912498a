//! What is told of counters and data that do not fit together, and of what looks after them.

use std::future::IntoFuture;

use mongo_sequence::{AutoIncrement, ForeignCounter, NumberedField, SequencedCollection};
use mongodb::{
    Collection,
    bson::{Document, doc},
};
use serde::Serialize;
use tokio::{runtime::Handle, task::block_in_place};

use crate::{
    Stage,
    models::{Order, order},
    seen::SEEN,
    unique,
};

async fn import(orders: &Collection<Order>, ids: impl IntoIterator<Item = i64>) {
    let documents = ids.into_iter().map(|id| doc! { "_id": id, "item": "imported" });
    orders.clone_with_type::<Document>().insert_many(documents).await.unwrap();
}

pub(crate) async fn a_counter_is_created_before_the_first_number_or_behind_the_data() {
    for (stored, value, continues) in [(None, "0", "false"), (Some(41), "41", "true")] {
        let Stage { orders, sequence, .. } = Stage::new().await;
        if let Some(stored) = stored {
            import(&orders, [stored]).await;
        }
        order().insert_with_seq(&orders).await.unwrap();
        order().insert_with_seq(&orders).await.unwrap();
        let created = SEEN.the("counter created", &sequence);
        assert_eq!(created.values(["value", "continues"]), [Some(value), Some(continues)]);
        assert_eq!(SEEN.counted("counter_repairs_total", &sequence), []);
    }
}

/// In each way that repairs it outside of a transaction.
pub(crate) async fn a_counter_that_is_behind_the_data_is_told() {
    for way in ["plain", "combined", "gapless", "group"] {
        let Stage { orders, sequence, .. } = Stage::new().await;
        let shared = SequencedCollection::new(orders.clone());
        order().insert_with_seq(&orders).await.unwrap();
        import(&orders, [2, 3, 4]).await;
        let mut model = order();
        match way {
            "plain" => model.insert_with_seq(&orders).await,
            "combined" => model.insert_with_seq(&shared).await,
            "gapless" => model.insert_with_seq(&orders).gapless().await,
            _ => model.insert_with_seq(&shared).gapless().await,
        }
        .unwrap();
        assert_eq!(model.id, 5, "{way}");
        let repaired = SEEN.the("counter was behind the data", &sequence);
        assert_eq!(repaired.values(["mode", "number", "value"]), [Some(way), Some("2"), Some("4")]);
        assert_eq!(SEEN.counted("counter_repairs_total", &sequence), [(way.to_owned(), 1)]);
        let again = SEEN.the("trying again", &sequence);
        let what = if ["plain", "combined"].contains(&way) { "insert" } else { "transaction" };
        assert_eq!(again.values(["what", "attempt"]), [Some(what), Some("2")]);
        assert_eq!(SEEN.counted("numbers_burnt_total", &sequence), [], "the number is that of another document");
        let is_shared = ["combined", "group"].contains(&way);
        let span = if is_shared {
            SEEN.the("insert_group", &sequence)
        } else {
            SEEN.of("insert_with_seq", &sequence).remove(1)
        };
        assert_eq!(span.value("attempts"), Some("2"), "{way}");
    }
}

#[derive(Debug, Serialize, AutoIncrement)]
struct Letter {
    #[auto_increment]
    number: i64,
}

#[derive(Debug, Serialize, AutoIncrement)]
struct Bill {
    #[auto_increment(gapless)]
    number: i64,
}

pub(crate) async fn what_looks_after_data_has_spans() {
    let Stage { test, .. } = Stage::new().await;
    let name = unique("letters");
    let (letters, sequence) = (test.db.collection::<Letter>(&name), format!("{name}.number"));
    let documents = letters.clone_with_type::<Document>();
    documents.insert_many([doc! { "number": 7 }, doc! { "number": 7 }, doc! {}]).await.unwrap();
    let field = NumberedField::new(&letters, "number");
    Letter::ensure_sequences(&letters).await.unwrap_err();
    field.unset().duplicates().await.unwrap();
    Letter::ensure_sequences(&letters).await.unwrap();
    Letter::backfill_sequences(&letters).await.unwrap();
    Letter::verify_sequences(&letters).await.unwrap();
    field.verify().await.unwrap();
    let handle = Letter::sequence(&letters, "number").unwrap();
    handle.raise_to(20).await.unwrap();
    handle.restart(5).await.unwrap_err();
    test.db.collection("counters").insert_one(doc! { "_id": "old", "seq": 30 }).await.unwrap();
    handle.adopt(&ForeignCounter::by_id("counters", "old")).await.unwrap();

    let ensured: Vec<_> = SEEN.of("ensure_sequences", &sequence);
    let errors: Vec<_> = ensured.iter().map(|span| span.value("error")).collect();
    assert_eq!(errors, [Some("DuplicateNumbers"), None]);
    SEEN.the("unset", &sequence);
    SEEN.the("backfill_sequences", &sequence);
    assert_eq!(SEEN.of("verify_sequences", &sequence).len(), 2);
    assert_eq!(SEEN.the("restart", &sequence).value("error"), Some("RestartRefused"));
    let adopt = SEEN.the("adopt", &sequence);
    let raised = SEEN.of("raise_to", &sequence);
    assert_eq!(raised.iter().map(|span| span.parent).collect::<Vec<_>>(), [None, Some(adopt.place)]);
    assert_eq!(SEEN.the("counter created", &sequence).values(["value", "continues"]), [Some("7"), Some("true")]);
    assert_eq!(SEEN.counted("numbers_total", &sequence), [("plain".to_owned(), 2)]);
}

/// Those of a gapless field are rolled back.
pub(crate) async fn numbers_that_a_backfill_has_not_used_are_burnt() {
    let Stage { test, .. } = Stage::new().await;
    let name = unique("letters");
    let sequence = format!("{name}.number");
    let letters: Collection<Letter> = test.db.collection(&name);
    let documents = letters.clone_with_type::<Document>();
    documents.insert_many((1..=4).map(|id| doc! { "_id": id })).await.unwrap();
    Letter::ensure_sequences(&letters).await.unwrap();
    // after the first batch, somebody deletes a document of the second, which the client has found already
    let delete = || Handle::current().block_on(documents.delete_one(doc! { "_id": 4 }).into_future());
    let backfill = Letter::backfill_sequences(&letters).batch_size(2);
    let mut deleted = Vec::new();
    let filled = backfill.on_progress(|_| deleted.push(block_in_place(delete).unwrap().deleted_count)).await.unwrap();
    assert_eq!(deleted, [1, 0]);
    assert_eq!((filled.numbered, filled.unused), (3, 1));
    assert_eq!(SEEN.the("numbers burnt", &sequence).values(["count", "number"]), [Some("1"), None]);
    assert_eq!(SEEN.counted("numbers_burnt_total", &sequence), [("plain".to_owned(), 1)]);
    assert_eq!(SEEN.counted("numbers_total", &sequence), [("plain".to_owned(), 4)]);

    let name = unique("bills");
    let bills: Collection<Bill> = test.db.collection(&name);
    bills.clone_with_type::<Document>().insert_many(vec![doc! {}; 3]).await.unwrap();
    Bill::ensure_sequences(&bills).await.unwrap();
    Bill::backfill_sequences(&bills).await.unwrap();
    assert_eq!(SEEN.counted("numbers_total", &format!("{name}.number")), [("gapless".to_owned(), 3)]);
}
