//! That nothing is left of it where it is not asked for.

use super::{Action, Attempts, Observed, Span};

#[test]
fn nothing_is_kept() {
    assert_eq!((size_of::<Observed>(), size_of::<Span>(), size_of::<Attempts>()), (0, 0, 0));
    assert!(!std::mem::needs_drop::<Attempts>());
}

#[test]
fn futures_are_what_they_were_and_nothing_is_asked_for() {
    let future = async || Ok(7);
    let name = || -> String { panic!("nobody wants to know") };
    let call = Span::of_call(Action::NextValue, None, None, name).around_call(future());
    assert_eq!(type_of(&call), type_of(&future()));
    assert_eq!(type_of(&Span::current().around(future())), type_of(&future()));
}

fn type_of<T>(_: &T) -> &'static str {
    std::any::type_name::<T>()
}
