const _: () = {
    #[automatically_derived]
    impl<'a, N, P, const SIZE: usize> ::mongo_sequence::AutoIncrement
    for Envelope<'a, N, P, SIZE>
    where
        P: Debug,
        Envelope<
            'a,
            N,
            P,
            SIZE,
        >: ::mongo_sequence::__private::serde::Serialize + ::core::marker::Send
            + ::core::marker::Sync,
        N: ::mongo_sequence::SequenceValue,
        Option<N>: ::mongo_sequence::__private::ByDefault,
    {
        const SEQUENCES: &'static [::mongo_sequence::__private::Definition] = &[
            <::mongo_sequence::__private::Definition>::checked(
                ::mongo_sequence::__private::Definition::new(
                    "id",
                    "id",
                    <N as ::mongo_sequence::SequenceValue>::MIN,
                    <N as ::mongo_sequence::SequenceValue>::MAX,
                ),
            ),
            <::mongo_sequence::__private::Definition>::checked(
                <::mongo_sequence::__private::Definition>::by_default::<
                    Option<N>,
                >(
                    ::mongo_sequence::__private::Definition::new(
                        "own",
                        "own",
                        <Option<N> as ::mongo_sequence::SequenceValue>::MIN,
                        <Option<N> as ::mongo_sequence::SequenceValue>::MAX,
                    ),
                ),
            ),
        ];
        fn __with(
            &mut self,
            numbers: &[::core::option::Option<i64>],
            visit: &mut dyn ::core::ops::FnMut(&Self) -> bool,
        ) -> ::core::option::Option<()> {
            let mut value_0 = ::mongo_sequence::__private::value(
                numbers,
                0,
                <N as ::mongo_sequence::SequenceValue>::from_number,
            )?;
            let mut value_1 = ::mongo_sequence::__private::value(
                numbers,
                1,
                <Option<N> as ::mongo_sequence::SequenceValue>::from_number,
            )?;
            ::mongo_sequence::__private::with(
                self,
                visit,
                &mut |model| {
                    ::mongo_sequence::__private::exchange(&mut model.id, &mut value_0);
                    ::mongo_sequence::__private::exchange(&mut model.own, &mut value_1);
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
                        ::mongo_sequence::__private::value(
                            &[::core::option::Option::Some(number)],
                            0,
                            <N as ::mongo_sequence::SequenceValue>::from_number,
                        )??,
                    )
                }
                1 => {
                    ::mongo_sequence::__private::render(
                        ::mongo_sequence::__private::value(
                            &[::core::option::Option::Some(number)],
                            0,
                            <Option<N> as ::mongo_sequence::SequenceValue>::from_number,
                        )??,
                    )
                }
                _ => ::core::option::Option::None,
            }
        }
    }
};
