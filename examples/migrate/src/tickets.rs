//! Tickets, numbered by mongoose-sequence until now, one sequence for each project.

use mongo_sequence::{Adopted, AutoIncrement, ForeignCounter, Result};
use mongodb::{
    Collection, Database,
    bson::{Document, doc},
};
use serde::{Deserialize, Serialize};

/// The documents stay as they are: a field that is not named here, as mongoose's `__v`, is in nobody's way.
#[derive(Clone, Debug, Serialize, Deserialize, AutoIncrement)]
pub(crate) struct Ticket {
    project: String,
    #[auto_increment(scope(project))]
    number: i32,
    title: String,
}

/// The `id` that the plugin was given: `{ id: "ticket_number", inc_field: "number", reference_fields: ["project"] }`.
const THEIR_ID: &str = "ticket_number";

/// Goes on from the counter of every project. The service that used them must have stopped.
pub(crate) async fn take_over(database: &Database) -> Result<Vec<(String, Adopted)>> {
    let tickets: Collection<Ticket> = database.collection("tickets");
    // refuses, with a list, if two tickets have one number, which nothing has prevented so far
    Ticket::ensure_sequences(&tickets).await?;

    let counters: Collection<Document> = database.collection("counters");
    let projects = counters.distinct("reference_value.project", doc! { "id": THEIR_ID }).await?;
    let mut adopted = Vec::new();
    for project in projects.iter().filter_map(|project| project.as_str()) {
        let theirs = ForeignCounter::mongoose_sequence(THEIR_ID, doc! { "project": project });
        let ours = Ticket::scoped_sequence(&tickets, "number", doc! { "project": project })?;
        adopted.push((project.to_owned(), ours.adopt(&theirs).await?));
    }
    Ok(adopted)
}
