const _: () = {
    #[automatically_derived]
    impl ::mongo_sequence::AutoIncrement for Link {
        const SEQUENCES: &'static [::mongo_sequence::__private::Definition] = &[
            <::mongo_sequence::__private::Definition>::checked(
                <::mongo_sequence::__private::Definition>::format(
                    <::mongo_sequence::__private::Definition>::shared(
                        <::mongo_sequence::__private::Definition>::name(
                            ::mongo_sequence::__private::Definition::new(
                                "slug",
                                "slug",
                                ::core::primitive::i64::MIN,
                                ::core::primitive::i64::MAX,
                            ),
                            "links",
                        ),
                    ),
                ),
            ),
        ];
        fn __with(
            &mut self,
            numbers: &[::core::option::Option<i64>],
            visit: &mut dyn ::core::ops::FnMut(&Self) -> bool,
        ) -> ::core::option::Option<()> {
            let mut value_0 = ::mongo_sequence::__private::formatted::<
                String,
            >(numbers, 0, base62::slug)?;
            ::mongo_sequence::__private::with(
                self,
                visit,
                &mut |model| {
                    ::mongo_sequence::__private::exchange(&mut model.slug, &mut value_0);
                },
            )
        }
        fn __render(
            sequence: usize,
            number: i64,
        ) -> ::core::option::Option<::mongo_sequence::__private::RawDocumentBuf> {
            match sequence {
                0 => {
                    ::mongo_sequence::__private::render(
                        ::mongo_sequence::__private::formatted::<
                            String,
                        >(&[::core::option::Option::Some(number)], 0, base62::slug)??,
                    )
                }
                _ => ::core::option::Option::None,
            }
        }
    }
    const _: &'static [::mongo_sequence::__private::Definition] = <Link as ::mongo_sequence::AutoIncrement>::SEQUENCES;
};
