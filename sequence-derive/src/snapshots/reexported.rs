const _: () = {
    #[automatically_derived]
    impl crate::database::sequences::AutoIncrement for Order {
        const SEQUENCES: &'static [crate::database::sequences::__private::Definition] = &[
            <crate::database::sequences::__private::Definition>::checked(
                crate::database::sequences::__private::Definition::new(
                    "id",
                    "id",
                    <i64 as crate::database::sequences::SequenceValue>::MIN,
                    <i64 as crate::database::sequences::SequenceValue>::MAX,
                ),
            ),
        ];
        fn __with(
            &mut self,
            numbers: &[::core::option::Option<i64>],
            visit: &mut dyn ::core::ops::FnMut(&Self) -> bool,
        ) -> ::core::option::Option<()> {
            let mut value_0 = crate::database::sequences::__private::value(
                numbers,
                0,
                <i64 as crate::database::sequences::SequenceValue>::from_number,
            )?;
            crate::database::sequences::__private::with(
                self,
                visit,
                &mut |model| {
                    crate::database::sequences::__private::exchange(
                        &mut model.id,
                        &mut value_0,
                    );
                },
            )
        }
        fn __render(
            sequence: usize,
            number: i64,
        ) -> ::core::option::Option<
            crate::database::sequences::__private::RawDocumentBuf,
        > {
            match sequence {
                0 => {
                    crate::database::sequences::__private::render(
                        crate::database::sequences::__private::value(
                            &[::core::option::Option::Some(number)],
                            0,
                            <i64 as crate::database::sequences::SequenceValue>::from_number,
                        )??,
                    )
                }
                _ => ::core::option::Option::None,
            }
        }
    }
    const _: &'static [crate::database::sequences::__private::Definition] = <Order as crate::database::sequences::AutoIncrement>::SEQUENCES;
};
