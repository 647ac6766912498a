//! The generated code names nothing that the user's scope could replace.
#![no_implicit_prelude]
#![deny(warnings)]
#![forbid(unsafe_code)]
#![allow(dead_code, non_upper_case_globals)]

#[derive(::serde::Serialize, ::mongo_sequence::AutoIncrement)]
struct Result {
    #[auto_increment]
    id: i64,
}

#[derive(::serde::Serialize, ::mongo_sequence::AutoIncrement)]
struct Option {
    #[auto_increment]
    r#type: i32,
    #[auto_increment]
    r#fn: u32,
}

#[derive(::serde::Serialize, ::mongo_sequence::AutoIncrement)]
struct Some<None> {
    #[auto_increment]
    numbers: u64,
    #[auto_increment]
    visit: None,
}

fn sequence(_: i64) -> ::std::string::String {
    ::std::string::String::new()
}

#[derive(::serde::Serialize, ::mongo_sequence::AutoIncrement)]
struct Definition {
    visit: bool,
    number: ::core::option::Option<u8>,
    #[auto_increment(scope(visit, number))]
    model: i64,
    #[auto_increment(by_default)]
    value_0: ::core::option::Option<i64>,
    #[auto_increment(format = sequence)]
    value_1: ::std::string::String,
}

mod core {}
mod mongo_sequence {}
mod serde {}
trait AutoIncrement {}
trait SequenceValue {}

fn main() {
    #[derive(::serde::Serialize, ::mongo_sequence::AutoIncrement)]
    struct Local {
        #[auto_increment]
        id: i64,
    }

    let mut local = Local { id: 1 };
    let mut seen = 0;
    let done = <Local as ::mongo_sequence::AutoIncrement>::__with(&mut local, &[::core::option::Option::Some(5)], &mut |local| {
        seen = local.id;
        false
    });
    ::std::assert!(done.is_some() && seen == 5 && local.id == 1);
    let done = <Local as ::mongo_sequence::AutoIncrement>::__with(&mut local, &[], &mut |_| true);
    ::std::assert!(done.is_none() && local.id == 1);
}
