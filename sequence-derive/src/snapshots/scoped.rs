const _: () = {
    #[automatically_derived]
    impl ::mongo_sequence::AutoIncrement for Invoice {
        const SEQUENCES: &'static [::mongo_sequence::__private::Definition] = &[
            <::mongo_sequence::__private::Definition>::checked(
                <::mongo_sequence::__private::Definition>::scope(
                    <::mongo_sequence::__private::Definition>::gapless(
                        ::mongo_sequence::__private::Definition::new(
                            "invoice_number",
                            "invoiceNumber",
                            <u32 as ::mongo_sequence::SequenceValue>::MIN,
                            <u32 as ::mongo_sequence::SequenceValue>::MAX,
                        ),
                    ),
                    &[("tenant", "customer", true), ("fiscal_year", "fiscalYear", false)],
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
                <u32 as ::mongo_sequence::SequenceValue>::from_number,
            )?;
            ::mongo_sequence::__private::with(
                self,
                visit,
                &mut |model| {
                    ::mongo_sequence::__private::exchange(
                        &mut model.invoice_number,
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
                            <u32 as ::mongo_sequence::SequenceValue>::from_number,
                        )??,
                    )
                }
                _ => ::core::option::Option::None,
            }
        }
    }
    const _: &'static [::mongo_sequence::__private::Definition] = <Invoice as ::mongo_sequence::AutoIncrement>::SEQUENCES;
};
