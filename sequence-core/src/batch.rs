//! The models of one call: their documents before and after numbering.

use std::sync::Arc;

use mongodb::bson::RawDocumentBuf;

use crate::{
    AutoIncrement, Result,
    document::{self, Draft, Template},
    numbering::Numbers,
    observe,
};

/// What makes documents of numbers.
pub(crate) trait Documents {
    /// Some of the documents, as the driver would store them; `some` are places in ascending order.
    fn documents(&mut self, some: &[usize], numbers: &Numbers) -> Result<Vec<RawDocumentBuf>>;
}

/// Without the models, for whoever answers for it that the templates stand for them.
impl Documents for Vec<Arc<Template>> {
    fn documents(&mut self, some: &[usize], numbers: &Numbers) -> Result<Vec<RawDocumentBuf>> {
        let all = self.iter().zip(numbers.iter());
        chosen(all, some).map(|(template, numbers)| template.numbered(numbers)).collect()
    }
}

impl<T: AutoIncrement> Documents for Batch<'_, T> {
    fn documents(&mut self, some: &[usize], numbers: &Numbers) -> Result<Vec<RawDocumentBuf>> {
        let all = self.models.iter_mut().zip(&self.drafts).zip(numbers.iter());
        chosen(all, some).map(|((model, draft), numbers)| document::numbered(model, draft, numbers)).collect()
    }
}

/// Those at these places.
fn chosen<I>(all: impl Iterator<Item = I>, places: &[usize]) -> impl Iterator<Item = I> {
    all.enumerate().filter(|(place, _)| places.binary_search(place).is_ok()).map(|(_, one)| one)
}

/// One model, or many that are inserted together.
pub(crate) struct Batch<'m, T> {
    models: &'m mut [T],
    drafts: Vec<Draft>,
}

impl<'m, T: AutoIncrement> Batch<'m, T> {
    /// Serializes all of them, so that what cannot be stored costs no number.
    pub(crate) fn draft(models: &'m mut [T], with_templates: bool) -> Result<Self> {
        let drafts = models.iter_mut().map(|model| document::draft(model, with_templates)).collect::<Result<_>>()?;
        Ok(Self { models, drafts })
    }

    pub(crate) fn len(&self) -> usize {
        self.models.len()
    }

    pub(crate) fn drafts(&self) -> &[Draft] {
        &self.drafts
    }

    /// What stands for the documents without the models, unless one of them depends on its numbers.
    pub(crate) fn take_templates(&mut self) -> Option<Vec<Arc<Template>>> {
        self.drafts.iter_mut().map(|draft| draft.template.take().map(Arc::new)).collect()
    }

    /// What stands for the only document, if it does, and brings no number along.
    pub(crate) fn take_template(&mut self) -> Option<Template> {
        let [draft] = &mut self.drafts[..] else { return None };
        draft.template.take().filter(|_| draft.own.iter().all(Option::is_none))
    }

    pub(crate) fn all_documents(&mut self, numbers: &Numbers) -> Result<Vec<RawDocumentBuf>> {
        let all: Vec<usize> = (0..self.len()).collect();
        self.documents(&all, numbers)
    }

    /// Gives a stored model its numbers.
    pub(crate) fn keep(&mut self, index: usize, numbers: &[Option<i64>]) {
        if index == 0 {
            observe::number(numbers.iter().flatten().next().copied());
        }
        // the document was made with them, so they fit
        let _fits = self.models.get_mut(index).and_then(|model| model.__with(numbers, &mut |_| true));
    }
}
