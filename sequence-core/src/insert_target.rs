//! What the generated methods insert into.

use std::sync::Arc;

use mongodb::Collection;

use crate::sequenced::Shared;

/// What the generated methods insert into: a [`Collection`] of the model, a
/// [`SequencedCollection`](crate::SequencedCollection), or a reference, `Arc` or `Box` of one. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a collection of `{T}`",
    label = "expected a reference to a `Collection<{T}>`",
    note = "a collection of another type becomes one by `.clone_with_type::<{T}>()`"
)]
pub trait InsertTarget<T: Send + Sync>: Sealed {
    #[doc(hidden)]
    fn __collection(&self) -> &Collection<T>;

    /// The queues that its callers share.
    #[doc(hidden)]
    fn __shared(&self) -> Option<&Shared> {
        None
    }
}

mod sealed {
    pub trait Sealed {}
}
pub(crate) use sealed::Sealed;

impl<T: Send + Sync> Sealed for Collection<T> {}

impl<T: Send + Sync> InsertTarget<T> for Collection<T> {
    fn __collection(&self) -> &Collection<T> {
        self
    }
}

macro_rules! through_pointers {
    ($($pointer:ty),*) => { $(
        impl<C: Sealed + ?Sized> Sealed for $pointer {}

        impl<T: Send + Sync, C: InsertTarget<T> + ?Sized> InsertTarget<T> for $pointer {
            fn __collection(&self) -> &Collection<T> {
                (**self).__collection()
            }

            fn __shared(&self) -> Option<&Shared> {
                (**self).__shared()
            }
        }
    )* };
}

through_pointers!(&C, &mut C, Arc<C>, Box<C>);
