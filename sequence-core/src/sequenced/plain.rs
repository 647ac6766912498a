//! A group of documents whose numbers may have gaps.

use std::sync::Arc;

use super::lane::{Item, Stored};
use crate::{
    document::Template,
    insert::{Until, insert_pending},
    numbering::Numbering,
    progress::Progress,
    target::Target,
};

/// Numbers and inserts the documents together, and answers each as if it had been alone.
pub(super) async fn insert(target: &Target, mut items: Vec<Item>) {
    items.retain(Item::is_waited_for); // nothing is stored for a caller that is gone
    let target = Target { one: items.len() == 1, ..target.clone() };
    let numbering = Numbering::merged(items.iter().map(|item| item.numbering.clone()));
    let mut templates: Vec<Arc<Template>> = items.iter().map(|item| Arc::clone(&item.template)).collect();
    let mut progress = Progress::new(items.len(), Until::default());
    let mut numbers = numbering.take_shared(&mut progress).await;
    insert_pending(&mut templates, &numbering, &target, None, &mut numbers, &mut progress, true).await;
    numbering.tell_lost(&progress, &numbers);
    for (index, item) in items.into_iter().enumerate() {
        let outcome = progress.outcome(index, numbering.burnt_of([index], &numbers));
        item.answer(outcome.map(|id| Stored { id, numbers: numbers.of(index).to_vec() }));
    }
}
