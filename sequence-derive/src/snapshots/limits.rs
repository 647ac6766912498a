const _: () = {
    #[automatically_derived]
    impl ::mongo_sequence::AutoIncrement for Ticket {
        const SEQUENCES: &'static [::mongo_sequence::__private::Definition] = &[
            <::mongo_sequence::__private::Definition>::checked(
                <::mongo_sequence::__private::Definition>::value_field(
                    <::mongo_sequence::__private::Definition>::counters(
                        <::mongo_sequence::__private::Definition>::name(
                            <::mongo_sequence::__private::Definition>::min(
                                <::mongo_sequence::__private::Definition>::max(
                                    <::mongo_sequence::__private::Definition>::step(
                                        <::mongo_sequence::__private::Definition>::start(
                                            ::mongo_sequence::__private::Definition::new(
                                                "number",
                                                "number",
                                                <i32 as ::mongo_sequence::SequenceValue>::MIN,
                                                <i32 as ::mongo_sequence::SequenceValue>::MAX,
                                            ),
                                            FIRST,
                                        ),
                                        -10,
                                    ),
                                    FIRST,
                                ),
                                -1_000,
                            ),
                            "tickets",
                        ),
                        "numbers",
                    ),
                    "value",
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
                <i32 as ::mongo_sequence::SequenceValue>::from_number,
            )?;
            ::mongo_sequence::__private::with(
                self,
                visit,
                &mut |model| {
                    ::mongo_sequence::__private::exchange(
                        &mut model.number,
                        &mut value_0,
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
                            <i32 as ::mongo_sequence::SequenceValue>::from_number,
                        )??,
                    )
                }
                _ => ::core::option::Option::None,
            }
        }
    }
    const _: &'static [::mongo_sequence::__private::Definition] = <Ticket as ::mongo_sequence::AutoIncrement>::SEQUENCES;
};
