//! What the generated methods insert into.

use std::sync::Arc;

use mongodb::Collection;

/// What the generated methods insert into: a [`Collection`] of the model, or a reference, `Arc` or `Box` of one.
///
/// Sealed: it exists so that a later kind of collection can be accepted in the same place.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a collection of `{T}`",
    label = "expected a reference to a `Collection<{T}>`",
    note = "a collection of another type becomes one by `.clone_with_type::<{T}>()`"
)]
pub trait InsertTarget<T: Send + Sync>: sealed::Sealed {
    #[doc(hidden)]
    fn __collection(&self) -> &Collection<T>;
}

mod sealed {
    pub trait Sealed {}
}

impl<T: Send + Sync> sealed::Sealed for Collection<T> {}

impl<T: Send + Sync> InsertTarget<T> for Collection<T> {
    fn __collection(&self) -> &Collection<T> {
        self
    }
}

macro_rules! through_pointers {
    ($($pointer:ty),*) => { $(
        impl<C: sealed::Sealed + ?Sized> sealed::Sealed for $pointer {}

        impl<T: Send + Sync, C: InsertTarget<T> + ?Sized> InsertTarget<T> for $pointer {
            fn __collection(&self) -> &Collection<T> {
                (**self).__collection()
            }
        }
    )* };
}

through_pointers!(&C, &mut C, Arc<C>, Box<C>);
