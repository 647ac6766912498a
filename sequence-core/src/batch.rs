//! The models of one call: their documents before and after numbering.

use mongodb::bson::RawDocumentBuf;

use crate::{
    AutoIncrement, Result,
    document::{self, Draft, Template},
    numbering::Numbers,
};

/// One model, or many that are inserted together.
pub(crate) struct Batch<'m, T> {
    models: &'m mut [T],
    drafts: Vec<Draft>,
}

impl<'m, T: AutoIncrement> Batch<'m, T> {
    /// Serializes all of them, so that what cannot be stored costs no number.
    pub(crate) fn draft(models: &'m mut [T]) -> Result<Self> {
        let drafts = models.iter_mut().map(document::draft).collect::<Result<_>>()?;
        Ok(Self { models, drafts })
    }

    pub(crate) fn len(&self) -> usize {
        self.models.len()
    }

    pub(crate) fn drafts(&self) -> &[Draft] {
        &self.drafts
    }

    /// What stands for the documents without the models, unless one of them depends on its numbers.
    pub(crate) fn take_templates(&mut self) -> Option<Vec<Template>> {
        self.drafts.iter_mut().map(|draft| draft.template.take()).collect()
    }

    /// The documents of some models, as the driver would store them.
    pub(crate) fn documents(&mut self, some: &[usize], numbers: &Numbers) -> Result<Vec<RawDocumentBuf>> {
        let one = |&index: &usize| document::numbered(&mut self.models[index], &self.drafts[index], &numbers[index]);
        some.iter().map(one).collect()
    }

    pub(crate) fn all_documents(&mut self, numbers: &Numbers) -> Result<Vec<RawDocumentBuf>> {
        let all: Vec<usize> = (0..self.len()).collect();
        self.documents(&all, numbers)
    }

    /// Gives a stored model its numbers.
    pub(crate) fn keep(&mut self, index: usize, numbers: &Numbers) {
        // the document was made with them, so they fit
        let _fits = self.models[index].__with(&numbers[index], &mut |_| true);
    }
}
