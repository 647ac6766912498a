//! What the derive refuses, with its messages, and spellings that it must go on accepting.
//!
//! The messages are those of Rust 1.95. `TRYBUILD=overwrite cargo test --test ui` rewrites them; read what it wrote as
//! somebody who has just made the mistake.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
