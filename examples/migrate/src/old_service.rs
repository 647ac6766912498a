//! What the old service leaves behind, for a first look: documents as mongoose 8 and mongoose-sequence 6 write them.

use mongodb::{
    Collection, Database,
    bson::{Document, doc, oid::ObjectId},
};

/// Ticket 4 of `web`, the last one, and ticket 2 of `app` were deleted.
pub(crate) async fn leave_behind(database: &Database) -> mongodb::error::Result<()> {
    let tickets = [
        ("web", 1, "Login fails"),
        ("web", 2, "Typo on the start page"),
        ("web", 3, "Slow search"),
        ("app", 1, "Crash at start"),
        ("app", 3, "Dark mode"),
    ];
    let tickets = tickets.map(|(project, number, title)| {
        doc! { "_id": ObjectId::new(), "project": project, "title": title, "number": number, "__v": 0 }
    });
    let counters = [("web", 4), ("app", 3)].map(|(project, seq)| {
        doc! { "_id": ObjectId::new(), "id": "ticket_number", "reference_value": { "project": project }, "seq": seq }
    });
    for (collection, documents) in [("tickets", tickets.to_vec()), ("counters", counters.to_vec())] {
        let collection: Collection<Document> = database.collection(collection);
        collection.insert_many(documents).await?;
    }
    Ok(())
}
