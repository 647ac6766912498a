//! What is stored at one point in time.

use std::time::Duration;

use mongodb::{
    Client, ClientSession, Collection, SessionCursor,
    bson::{Document, doc},
    options::ReadConcern,
};

use crate::{Result, data::simple, document::Verbatim, error::server_code};

/// Server codes: illegal operation, invalid options, not a replica set.
const UNSUPPORTED: [i32; 3] = [20, 72, 123];
/// How long one query may run.
const TIME: Duration = Duration::from_secs(300);

/// All reads through it see one moment. A standalone server, and one before 5.0, cannot show that: there each sees its
/// own.
#[derive(Debug)]
pub(super) struct View {
    session: ClientSession,
    read_concern: ReadConcern,
}

impl View {
    /// The moment is that of the first read, which is one of this collection.
    pub(super) async fn open(collection: &Collection<Verbatim>) -> Result<Self> {
        let mut session = collection.client().start_session().snapshot(true).await?;
        let find = collection.find_one(doc! {}).projection(doc! { "_id": 1 });
        match find.read_concern(ReadConcern::snapshot()).session(&mut session).await {
            Ok(_) => Ok(Self { session, read_concern: ReadConcern::snapshot() }),
            Err(error) if is_unsupported(&error) => Self::of_several_moments(collection.client()).await,
            Err(error) => Err(error.into()),
        }
    }

    /// Each read sees its own moment.
    pub(super) async fn of_several_moments(client: &Client) -> Result<Self> {
        Ok(Self { session: client.start_session().await?, read_concern: ReadConcern::local() })
    }

    /// Compares by bytes, whatever the collection says.
    pub(super) async fn aggregate(
        &mut self,
        collection: &Collection<Verbatim>,
        pipeline: Vec<Document>,
    ) -> Result<SessionCursor<Verbatim>> {
        let aggregate = collection.aggregate(pipeline).with_type::<Verbatim>().allow_disk_use(true).max_time(TIME);
        Ok(aggregate.collation(simple()).read_concern(self.read_concern.clone()).session(&mut self.session).await?)
    }

    pub(super) async fn find(
        &mut self,
        collection: &Collection<Verbatim>,
        filter: Document,
        sort: Document,
        projection: Document,
    ) -> Result<SessionCursor<Verbatim>> {
        let find = collection.find(filter).sort(sort).projection(projection).allow_disk_use(true).max_time(TIME);
        Ok(find.collation(simple()).read_concern(self.read_concern.clone()).session(&mut self.session).await?)
    }

    pub(super) async fn next(&mut self, cursor: &mut SessionCursor<Verbatim>) -> Result<Option<Verbatim>> {
        Ok(cursor.next(&mut self.session).await.transpose()?)
    }

    /// How many documents a pipeline leaves.
    pub(super) async fn count(&mut self, collection: &Collection<Verbatim>, filter: Document) -> Result<u64> {
        let count = vec![doc! { "$match": filter }, doc! { "$group": { "_id": null, "n": { "$sum": 1_i64 } } }];
        let mut counted = self.aggregate(collection, count).await?;
        Ok(self.next(&mut counted).await?.map_or(0, |counted| unsigned(&counted, "n")))
    }
}

/// Whether the server has no snapshots: one before 5.0 (which the driver knows), or a standalone server.
fn is_unsupported(error: &mongodb::error::Error) -> bool {
    matches!(&*error.kind, mongodb::error::ErrorKind::IncompatibleServer { .. })
        || server_code(error).is_some_and(|code| UNSUPPORTED.contains(&code))
}

/// A count in a document.
pub(super) fn unsigned(document: &Document, field: &str) -> u64 {
    crate::number::decode(document.get(field)).ok().and_then(|count| u64::try_from(count.value).ok()).unwrap_or(0)
}
