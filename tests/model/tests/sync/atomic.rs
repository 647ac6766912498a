//! Loom's atomics, whose loads count as accesses that other loads may come before or after.
//!
//! Of the loads of one value loom remembers the last, and looks at no other order of that one and a later store. So each
//! load also writes, without any ordering, to a value that nobody reads.

pub(crate) use loom::sync::atomic::{Ordering, fence};

macro_rules! with_noted_loads {
    ($($name:ident: $type:ty),*) => {$(
        #[derive(Debug, Default)]
        pub(crate) struct $name {
            value: loom::sync::atomic::$name,
            loads: loom::sync::atomic::AtomicBool,
        }

        #[allow(dead_code, reason = "not each type is used in every way")]
        impl $name {
            pub(crate) fn load(&self, order: Ordering) -> $type {
                self.loads.swap(true, Ordering::Relaxed);
                self.value.load(order)
            }

            pub(crate) fn store(&self, value: $type, order: Ordering) {
                self.value.store(value, order);
            }

            pub(crate) fn swap(&self, value: $type, order: Ordering) -> $type {
                self.value.swap(value, order)
            }

            pub(crate) fn fetch_add(&self, n: $type, order: Ordering) -> $type {
                self.value.fetch_add(n, order)
            }

            pub(crate) fn fetch_sub(&self, n: $type, order: Ordering) -> $type {
                self.value.fetch_sub(n, order)
            }
        }
    )*};
}

with_noted_loads! { AtomicI64: i64, AtomicU32: u32, AtomicU64: u64 }
