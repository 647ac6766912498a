//! Every way to write the keys with values of their own kind.
#![deny(warnings, clippy::pedantic)]

use mongo_sequence::{AutoIncrement, SequenceValue};
use serde::Serialize;

pub trait Printed {
    fn printed(number: i64) -> String;
}

impl Printed for u8 {
    fn printed(number: i64) -> String {
        number.to_string()
    }
}

mod formats {
    pub(super) fn shown<S: From<String>>(number: i64) -> S {
        S::from(number.to_string())
    }
}

#[derive(Serialize, AutoIncrement)]
#[serde(rename_all = "camelCase")]
pub struct Everything<P: Printed> {
    r#type: String,
    #[serde(rename = "c")]
    customer: Option<u8>,
    #[auto_increment(scope(r#type, customer,))]
    scoped: i64,
    #[auto_increment(scope(r#type), gapless, start = 5)]
    #[serde(skip_serializing_if = "is_old")]
    sometimes: u32,
    #[auto_increment(format = formats::shown::<String>)]
    path: String,
    #[auto_increment(format = <u8 as Printed>::printed, start = 10, step = -1, min = 0)]
    of_a_trait: String,
    #[auto_increment(format = Self::associated)]
    associated: String,
    #[auto_increment(format = <P as Printed>::printed)]
    generic: String,
    #[auto_increment(format = Some)]
    constructor: Option<i64>,
    #[auto_increment(by_default, name = "shared", shared)]
    given: Option<Wrapped>,
    #[serde(skip)]
    marker: std::marker::PhantomData<P>,
}

#[derive(Serialize, SequenceValue)]
struct Wrapped(i32);

impl<P: Printed> Everything<P> {
    fn associated(number: i64) -> String {
        format!("{number:04}")
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_old(number: &u32) -> bool {
    *number < 5
}

macro_rules! model {
    ($name:ident, $format:path, $($scope:ident),*) => {
        #[derive(Serialize, AutoIncrement)]
        pub struct $name {
            $($scope: String,)*
            #[auto_increment(scope($($scope),*), format = $format)]
            number: String,
        }
    };
}

model!(FromMacro, formats::shown, tenant, country);

fn main() {
    assert_eq!(Everything::<u8>::SEQUENCES.len(), 8);
    assert_eq!(FromMacro::SEQUENCES.len(), 1);
    let mut model = FromMacro { tenant: "a".into(), country: "b".into(), number: String::new() };
    assert!(model.__with(&[Some(4)], &mut |_| true).is_some());
    assert_eq!((&*model.number, &*model.tenant, &*model.country), ("4", "a", "b"));
}
