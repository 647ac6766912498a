//! The short form of a number: base 62, one form for each number.

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE: u64 = DIGITS.len() as u64;

/// The digits of a number, the highest first.
#[must_use]
pub fn encode(number: u64) -> String {
    let mut digits = Vec::new();
    let mut rest = number;
    loop {
        digits.push(char::from(DIGITS[(rest % BASE) as usize]));
        rest /= BASE;
        if rest == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// The number of a slug. `None` for what [`encode`] does not make: other characters, zeros in front, too large a number.
#[must_use]
pub fn decode(slug: &str) -> Option<u64> {
    if slug.is_empty() || (slug.len() > 1 && slug.starts_with('0')) {
        return None;
    }
    slug.bytes().try_fold(0_u64, |number, digit| {
        let value = DIGITS.iter().position(|&known| known == digit)? as u64;
        number.checked_mul(BASE)?.checked_add(value)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{decode, encode};

    #[test]
    fn numbers_have_the_slugs_that_base_62_gives_them() {
        for (number, slug) in [(0, "0"), (9, "9"), (10, "A"), (36, "a"), (61, "z"), (62, "10"), (3843, "zz")] {
            assert_eq!(encode(number), slug);
            assert_eq!(decode(slug), Some(number));
        }
        assert_eq!(encode(u64::MAX), "LygHa16AHYF");
        assert_eq!(decode("LygHa16AHYF"), Some(u64::MAX));
    }

    #[test]
    fn what_is_no_slug_has_no_number() {
        for text in ["", "00", "01", "-", "a-b", "a b", "é", "/", "LygHa16AHYG", "zzzzzzzzzzz", "1000000000000"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_number_comes_back(number: u64) {
            prop_assert_eq!(decode(&encode(number)), Some(number));
        }

        #[test]
        fn a_text_with_a_number_is_its_slug(text in "[0-9A-Za-z]{0,12}") {
            if let Some(number) = decode(&text) {
                prop_assert_eq!(encode(number), text);
            }
        }
    }
}
