//! Collects every mistake of a struct, so that one build shows them all.

use std::{cell::RefCell, fmt::Display};

use proc_macro2::Span;
use quote::ToTokens;
use syn::Error;

/// The mistakes found so far. Must be [checked](Self::check): one that is forgotten would compile wrong code silently.
pub(crate) struct Ctxt {
    /// `None` once checked.
    errors: RefCell<Option<Vec<Error>>>,
}

impl Ctxt {
    pub(crate) fn new() -> Self {
        Self { errors: RefCell::new(Some(Vec::new())) }
    }

    /// Reports a mistake at all of `tokens`.
    pub(crate) fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(Error::new_spanned(tokens, message));
    }

    /// Reports a mistake at a place without tokens of its own.
    pub(crate) fn error_at(&self, span: Span, message: impl Display) {
        self.push(Error::new(span, message));
    }

    /// Reports what syn did not understand.
    pub(crate) fn push(&self, error: Error) {
        self.errors.borrow_mut().as_mut().expect("nothing is reported after the check").push(error);
    }

    /// All mistakes in one error, or `Ok` if there are none.
    pub(crate) fn check(self) -> syn::Result<()> {
        let errors = self.errors.borrow_mut().take().expect("checked once, by value");
        match errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        }) {
            Some(all) => Err(all),
            None => Ok(()),
        }
    }
}

impl Drop for Ctxt {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.errors.borrow().is_none(), "forgot to check for errors");
        }
    }
}

/// The candidate that `typed` was probably meant to be: one slip of the fingers for every three letters.
pub(crate) fn closest<'c>(typed: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let typed = typed.to_lowercase();
    let distances = candidates.iter().map(|candidate| (distance(&typed, candidate), *candidate));
    let (distance, candidate) = distances.min_by_key(|(distance, _)| *distance)?;
    let allowed = candidate.chars().count().div_ceil(3);
    (distance <= allowed).then_some(candidate)
}

/// Characters to insert, delete, replace or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    rows[i - 2][j - 2] + 1
                } else {
                    usize::MAX
                };
                replaced.min(swapped).min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
            };
        }
    }
    rows[a.len()][b.len()]
}
