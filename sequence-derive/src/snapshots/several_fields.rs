const _: () = {
    #[automatically_derived]
    impl ::mongo_sequence::AutoIncrement for Letter {
        const SEQUENCES: &'static [::mongo_sequence::__private::Definition] = &[
            <::mongo_sequence::__private::Definition>::checked(
                ::mongo_sequence::__private::Definition::new(
                    "id",
                    "id",
                    <i64 as ::mongo_sequence::SequenceValue>::MIN,
                    <i64 as ::mongo_sequence::SequenceValue>::MAX,
                ),
            ),
            <::mongo_sequence::__private::Definition>::checked(
                <::mongo_sequence::__private::Definition>::gapless(
                    ::mongo_sequence::__private::Definition::new(
                        "type",
                        "type",
                        <u32 as ::mongo_sequence::SequenceValue>::MIN,
                        <u32 as ::mongo_sequence::SequenceValue>::MAX,
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
                <i64 as ::mongo_sequence::SequenceValue>::from_number,
            )?;
            let mut value_1 = ::mongo_sequence::__private::value(
                numbers,
                1,
                <u32 as ::mongo_sequence::SequenceValue>::from_number,
            )?;
            ::mongo_sequence::__private::with(
                self,
                visit,
                &mut |model| {
                    ::mongo_sequence::__private::exchange(&mut model.id, &mut value_0);
                    ::mongo_sequence::__private::exchange(
                        &mut model.r#type,
                        &mut value_1,
                    );
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
                            <i64 as ::mongo_sequence::SequenceValue>::from_number,
                        )??,
                    )
                }
                1 => {
                    ::mongo_sequence::__private::render(
                        ::mongo_sequence::__private::value(
                            &[::core::option::Option::Some(number)],
                            0,
                            <u32 as ::mongo_sequence::SequenceValue>::from_number,
                        )??,
                    )
                }
                _ => ::core::option::Option::None,
            }
        }
    }
    const _: &'static [::mongo_sequence::__private::Definition] = <Letter as ::mongo_sequence::AutoIncrement>::SEQUENCES;
};
