//! What crosses threads and outlives functions, checked by the compiler.

use std::future::IntoFuture;

use mongo_sequence::{
    AutoIncrement, EnsureSequencesFuture, Error, ErrorKind, GetOrInsert, GetOrInsertWithSeqFuture,
    InsertManyWithSeqFuture, InsertWithSeqFuture, NextValueFuture, Reserved, Sequence, SequencedCollection,
    SharedSequence,
};
use mongodb::{ClientSession, Collection, bson::doc};
use serde::{Deserialize, Serialize};

#[derive(Serialize, AutoIncrement)]
struct Note<'text> {
    #[auto_increment]
    id: i64,
    text: &'text str,
}

#[derive(Serialize, Deserialize, AutoIncrement)]
struct Owned {
    #[auto_increment]
    id: i64,
}

fn send<T: Send>(_: T) {}
fn error<T: std::error::Error + Send + Sync + 'static>() {}
fn shared<T: Send + Sync + Clone + std::fmt::Debug + 'static>() {}

#[test]
fn values_are_shared_between_threads() {
    shared::<Error>();
    shared::<ErrorKind>();
    shared::<Sequence>();
    shared::<Reserved>();
    shared::<GetOrInsert>();
    shared::<SequencedCollection<Owned>>();
    shared::<SharedSequence>();
    error::<Error>();
}

/// Never called: that it compiles is the test.
#[allow(dead_code)]
fn futures_are_sent_between_threads<'a, 'text>(
    note: &'a mut Note<'text>,
    notes: &'a Collection<Note<'text>>,
    (batch, owned, all): (&'a mut [Note<'text>], &'a mut Owned, &'a Collection<Owned>),
    sequence: &'a Sequence,
    session: &'a mut ClientSession,
) {
    send(note.insert_with_seq(notes).gapless().into_future());
    send(note.insert_with_seq(notes).session(&mut *session).into_future());
    send(Note::insert_many_with_seq(batch, notes).session(&mut *session).gapless().into_future());
    let together = SequencedCollection::new(all.clone());
    send(owned.insert_with_seq(&together).gapless().into_future());
    send(together.shutdown());
    let tickets = SharedSequence::new(sequence.clone());
    send(tickets.next_value());
    send(tickets.reserve(2));
    send(tickets.raise_to(2));
    send(owned.get_or_insert_with_seq(all, doc! {}).session(&mut *session).into_future());
    send(Note::ensure_sequences(notes).into_future());
    send(sequence.next_value().session(&mut *session).into_future());
    send(sequence.reserve(2).session(&mut *session).into_future());
    send(sequence.raise_to(2));
    send(sequence.restart(2).into_future());
    send(sequence.current_value());
    send::<Option<InsertWithSeqFuture<'_>>>(None);
    send::<Option<InsertManyWithSeqFuture<'_>>>(None);
    send::<Option<GetOrInsertWithSeqFuture<'_>>>(None);
    send::<Option<EnsureSequencesFuture<'_>>>(None);
    send::<Option<NextValueFuture<'_>>>(None);
}
