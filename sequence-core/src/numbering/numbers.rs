//! Which document has which numbers.

/// The numbers of each document, by sequence. `None` where the document brings its own.
///
/// Documents are told apart by their place in the batch. A place that is not there has no number and takes none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers(Vec<Vec<Option<i64>>>);

impl Numbers {
    /// Nothing yet, for documents that have so many sequences each.
    pub(super) fn none_yet(sequences: impl IntoIterator<Item = usize>) -> Self {
        sequences.into_iter().map(|sequences| vec![None; sequences]).collect()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Those of one document.
    pub(crate) fn of(&self, document: usize) -> &[Option<i64>] {
        self.0.get(document).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn get(&self, document: usize, sequence: usize) -> Option<i64> {
        self.of(document).get(sequence).copied().flatten()
    }

    /// The first of all of them.
    pub(crate) fn first(&self) -> Option<i64> {
        self.iter().flatten().flatten().next().copied()
    }

    pub(super) fn set(&mut self, document: usize, sequence: usize, number: i64) {
        if let Some(place) = self.0.get_mut(document).and_then(|own| own.get_mut(sequence)) {
            *place = Some(number);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[Option<i64>]> {
        self.0.iter().map(Vec::as_slice)
    }
}

impl FromIterator<Vec<Option<i64>>> for Numbers {
    fn from_iter<I: IntoIterator<Item = Vec<Option<i64>>>>(each: I) -> Self {
        Self(each.into_iter().collect())
    }
}

impl IntoIterator for Numbers {
    type Item = Vec<Option<i64>>;
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
