::core::compile_error! {
    "unknown key `strat`, did you mean `start`?"
}
::core::compile_error! {
    "`step` is 0, so every document would get the same number; expected a distance such as `1` or `-1`"
}
const _: () = {
    #[automatically_derived]
    impl ::mongo_sequence::AutoIncrement for Order {
        const SEQUENCES: &'static [::mongo_sequence::__private::Definition] = {
            let _ = <i64 as ::mongo_sequence::SequenceValue>::MAX;
            &[]
        };
        fn __with(
            &mut self,
            _: &[::core::option::Option<i64>],
            _: &mut dyn ::core::ops::FnMut(&Self) -> bool,
        ) -> ::core::option::Option<()> {
            ::core::option::Option::None
        }
        fn __render(
            _: usize,
            _: i64,
        ) -> ::core::option::Option<::mongo_sequence::__private::RawDocumentBuf> {
            ::core::option::Option::None
        }
    }
};
