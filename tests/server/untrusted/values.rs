//! Random BSON of every type, the same in every run.

use mongodb::bson::{
    Binary, Bson, DateTime, Decimal128, Document, JavaScriptCodeWithScope, RawDocumentBuf, Timestamp, oid::ObjectId,
    spec::BinarySubtype,
};
use rand::{Rng, SeedableRng, rngs::StdRng, seq::IndexedRandom};

/// 2^63 and 2^53, from where on a Double is beyond an Int64, and beyond the numbers that it can count.
const TWO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_53: f64 = 9_007_199_254_740_992.0;

const DOUBLES: [f64; 16] = [
    0.0,
    -0.0,
    0.5,
    -41.5,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::MAX,
    f64::MIN_POSITIVE,
    TWO_53 - 2.0,
    TWO_53 - 1.0,
    TWO_53,
    1e17,
    TWO_63,
    -TWO_63,
    -1e300,
];
const DECIMALS: [&str; 12] = [
    "NaN",
    "Infinity",
    "-Infinity",
    "0",
    "-0",
    "5",
    "5.0",
    "5.5",
    "5E+3",
    "1E+6144",
    "1E-6176",
    "-9223372036854775809",
];
const TEXTS: [&str; 10] = ["", "5", "NumberLong(5)", "$seq", "$$ROOT", "$where", "a.b", "\0", "e\u{301}", "\u{10ffff}"];
const NAMES: [&str; 6] = ["", "a", "seq", "a.b", "$gt", "$numberLong"];

pub(super) struct Values(StdRng);

impl Values {
    pub(super) fn new(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    /// As many values as asked for, lists and documents among them.
    pub(super) fn take(&mut self, n: usize) -> Vec<Bson> {
        (0..n).map(|_| self.value(4)).collect()
    }

    fn value(&mut self, depth: u32) -> Bson {
        let rng = &mut self.0;
        match rng.random_range(0..26_u32) {
            0 | 1 => Bson::Int32(if rng.random() { rng.random() } else { rng.random_range(-3..100) }),
            2 => Bson::Int32(*[i32::MIN, -1, 0, i32::MAX - 1, i32::MAX].choose(rng).unwrap()),
            3 | 4 => Bson::Int64(if rng.random() { rng.random() } else { rng.random_range(-3..100) }),
            5 => Bson::Int64(
                *[i64::MIN, i64::MIN + 1, 1 << 53, i64::MAX - 3, i64::MAX - 1, i64::MAX].choose(rng).unwrap(),
            ),
            6 | 7 => Bson::Double(*DOUBLES.choose(rng).unwrap()),
            8 => Bson::Double(f64::from_bits(rng.random())),
            9 => Bson::Double(f64::from(rng.random::<i32>()) / f64::from(*[1_u8, 2, 3].choose(rng).unwrap())),
            10 => Bson::Decimal128(DECIMALS.choose(rng).unwrap().parse().unwrap()),
            // also forms that no parser makes
            11 => Bson::Decimal128(Decimal128::from_bytes(rng.random())),
            12 => Bson::String((*TEXTS.choose(rng).unwrap()).to_owned()),
            13 => Bson::String((0..rng.random_range(0..80)).map(|_| rng.random::<char>()).collect()),
            14 => Bson::Boolean(rng.random()),
            16 => Bson::DateTime(DateTime::from_millis(if rng.random() { rng.random() } else { i64::MAX })),
            17 => Bson::Timestamp(Timestamp { time: rng.random_range(0..3), increment: rng.random_range(0..3) }),
            18 => Bson::ObjectId(ObjectId::from_bytes(rng.random())),
            19 => {
                let subtype = *[BinarySubtype::Generic, BinarySubtype::Uuid].choose(rng).unwrap();
                Bson::Binary(Binary { subtype, bytes: rng.random::<[u8; 16]>().to_vec() })
            }
            20 => [Bson::MinKey, Bson::MaxKey, Bson::Undefined].choose(rng).unwrap().clone(),
            21 => Bson::Symbol("5".to_owned()),
            22 => Bson::JavaScriptCode("5".to_owned()),
            23 => self.rare(),
            24 if depth > 0 => (0..self.0.random_range(0..4)).map(|_| self.value(depth - 1)).collect::<Vec<_>>().into(),
            25 if depth > 0 => self.document(depth - 1).into(),
            // 15, and what is too deep
            _ => Bson::Null,
        }
    }

    fn document(&mut self, depth: u32) -> Document {
        (0..self.0.random_range(0..4))
            .map(|_| ((*NAMES.choose(&mut self.0).unwrap()).to_owned(), self.value(depth)))
            .collect()
    }

    /// Types that bson 2 and bson 3 make in different ways, or not at all.
    fn rare(&mut self) -> Bson {
        match self.0.random_range(0..3) {
            0 => element(0x0b, b"^5$\0i\0"),
            1 => element(0x0c, b"\x03\0\0\0ab\0twelve bytes"),
            _ => {
                let scope = self.document(0);
                Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope { code: "n".to_owned(), scope })
            }
        }
    }
}

/// The value of this type and these bytes.
fn element(kind: u8, value: &[u8]) -> Bson {
    let length = i32::try_from(4 + 1 + 2 + value.len() + 1).unwrap();
    let bytes = [length.to_le_bytes().as_slice(), &[kind], b"v\0", value, &[0]].concat();
    Document::try_from(RawDocumentBuf::from_bytes(bytes).unwrap()).unwrap().remove("v").unwrap()
}

/// The whole number that it is, if a counter may hold it.
pub(super) fn whole(value: &Bson) -> Option<i64> {
    match *value {
        Bson::Int32(number) => Some(number.into()),
        Bson::Int64(number) => Some(number),
        #[allow(clippy::cast_possible_truncation, reason = "a whole number in the range of i64")]
        Bson::Double(double) => (double.fract() == 0.0 && (-TWO_63..TWO_63).contains(&double)).then_some(double as i64),
        _ => None,
    }
}

/// How an error names its type.
pub(super) fn kind(value: &Bson) -> String {
    format!("{:?}", value.element_type())
}
