//! The keys of a field and of the struct. A new key is one line here, one in `expand` and a rule or two in `valid`.

use proc_macro2::Ident;
use syn::{ExprPath, LitStr};

use super::{Flag, Int, Item, Names, Value};
use crate::{
    crate_path::CratePath,
    ctxt::{Ctxt, closest},
};

/// The value of one key. The first occurrence counts, any other is reported.
pub(crate) struct Slot<T> {
    /// Kept when the value was wrong, so that a second occurrence is still the second.
    key: Option<Ident>,
    value: Option<T>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { key: None, value: None }
    }
}

impl<T> Slot<T> {
    /// The key token and the value, if the key was given and its value is right.
    pub(crate) fn get(&self) -> Option<(&Ident, &T)> {
        self.key.as_ref().zip(self.value.as_ref())
    }

    pub(crate) fn value(&self) -> Option<&T> {
        self.value.as_ref()
    }

    /// Whether the key was given, even if with a wrong value.
    pub(crate) fn is_given(&self) -> bool {
        self.key.is_some()
    }
}

impl<T: Value> Slot<T> {
    fn set(&mut self, cx: &Ctxt, Item { key, given }: Item) {
        if self.key.is_some() {
            cx.error(&key, format!("`{key}` is given twice; remove one of the two"));
        } else {
            self.value = T::read(cx, &key, given);
            self.key = Some(key);
        }
    }
}

/// The keys that a field or the struct takes.
pub(crate) trait Keys: Default {
    /// Where they are written, for messages.
    const PLACE: &'static str;
    /// Whether `#[auto_increment]` alone means something here.
    const IS_MARKER: bool;
    const NAMES: &'static [&'static str];
    /// The keys of the other place.
    type Other: Keys;

    /// Takes the item, or gives its key back if it is none of ours.
    fn accept(&mut self, cx: &Ctxt, item: Item) -> Result<(), Ident>;

    fn set(&mut self, cx: &Ctxt, item: Item) {
        if let Err(key) = self.accept(cx, item) {
            cx.error(&key, unknown::<Self>(&key.to_string()));
        }
    }
}

fn unknown<K: Keys>(key: &str) -> String {
    let (here, there) = (K::PLACE, K::Other::PLACE);
    if K::Other::NAMES.contains(&key) {
        return format!("`{key}` belongs on {there}, not on {here}; move it to an `#[auto_increment(..)]` there");
    }
    if let Some(meant) = closest(key, K::NAMES) {
        return format!("unknown key `{key}`, did you mean `{meant}`?");
    }
    if let Some(meant) = closest(key, K::Other::NAMES) {
        return format!("unknown key `{key}`, did you mean `{meant}`, which belongs on {there}?");
    }
    format!("unknown key `{key}`; {here} takes `{}`", K::NAMES.join("`, `"))
}

macro_rules! keys {
    ($(#[$doc:meta])* $Keys:ident: $place:literal, marker $marker:literal, other $Other:ident {
        $($name:literal => $slot:ident: $Value:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Default)]
        pub(crate) struct $Keys {
            $(pub(crate) $slot: Slot<$Value>,)*
        }

        impl Keys for $Keys {
            const PLACE: &'static str = $place;
            const IS_MARKER: bool = $marker;
            const NAMES: &'static [&'static str] = &[$($name),*];
            type Other = $Other;

            fn accept(&mut self, cx: &Ctxt, item: Item) -> Result<(), Ident> {
                match item.key.to_string().as_str() {
                    $($name => self.$slot.set(cx, item),)*
                    _ => return Err(item.key),
                }
                Ok(())
            }
        }
    };
}

keys! {
    /// `#[auto_increment(..)]` on a numbered field.
    FieldKeys: "a field", marker true, other StructKeys {
        "start" => start: Int,
        "step" => step: Int,
        "max" => max: Int,
        "min" => min: Int,
        "name" => name: LitStr,
        "shared" => shared: Flag,
        "gapless" => gapless: Flag,
        "scope" => scope: Names,
        "by_default" => by_default: Flag,
        "format" => format: ExprPath,
    }
}

keys! {
    /// `#[auto_increment(..)]` on the struct.
    StructKeys: "the struct", marker false, other FieldKeys {
        "counters" => counters: LitStr,
        "value_field" => value_field: LitStr,
        "crate" => krate: CratePath,
    }
}

keys! {
    /// `#[auto_increment(..)]` on a type that derives `SequenceValue`.
    TypeKeys: "a type of numbers", marker false, other StructKeys {
        "crate" => krate: CratePath,
    }
}
