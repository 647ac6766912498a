//! Where a short link may lead.

use std::fmt;

use url::Url;

/// The longest address that is taken, in bytes as it is stored.
pub const MAX_LENGTH: usize = 2048;

/// An address that a link may lead to, in the one form that browsers give it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target(String);

impl Target {
    /// Takes `http` and `https` addresses that do not lead back to this service, which is found under `own`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for the person who typed it.
    pub fn parse(text: &str, own: &Url) -> Result<Self, BadTarget> {
        let text = text.trim();
        if text.is_empty() {
            return Err(BadTarget::Empty);
        }
        let url = Url::parse(text).map_err(|_| BadTarget::NoAddress)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BadTarget::Scheme);
        }
        if url.origin() == own.origin() {
            return Err(BadTarget::Own); // the next number can be guessed, and a link to it would lead to itself
        }
        let url = String::from(url);
        if url.len() > MAX_LENGTH { Err(BadTarget::TooLong) } else { Ok(Self(url)) }
    }
}

impl From<Target> for String {
    fn from(target: Target) -> Self {
        target.0
    }
}

/// Why an address is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadTarget {
    /// There is none.
    Empty,
    /// It is no address with a scheme and a host.
    NoAddress,
    /// It is one of another scheme than `http` and `https`.
    Scheme,
    /// It leads to this service.
    Own,
    /// It is longer than [`MAX_LENGTH`].
    TooLong,
}

impl fmt::Display for BadTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("Enter an address."),
            Self::NoAddress => f.write_str("This is not a full address. It looks like https://example.org/page."),
            Self::Scheme => f.write_str("Only addresses that begin with http:// or https:// can be shortened."),
            Self::Own => f.write_str("This address is one of this service already."),
            Self::TooLong => write!(f, "This address is too long: {MAX_LENGTH} bytes at most."),
        }
    }
}

impl std::error::Error for BadTarget {}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{BadTarget, MAX_LENGTH, Target};

    fn parse(text: &str) -> Result<String, BadTarget> {
        Target::parse(text, &Url::parse("https://sho.rt/").unwrap()).map(String::from)
    }

    #[test]
    fn addresses_are_kept_in_one_form() {
        for (typed, stored) in [
            ("https://example.org", "https://example.org/"),
            ("  HTTP://Example.ORG:80/a b?q=<x>\n", "http://example.org/a%20b?q=%3Cx%3E"),
            ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
            ("http://sho.rt:8080/", "http://sho.rt:8080/"),
        ] {
            assert_eq!(parse(typed).as_deref(), Ok(stored));
        }
    }

    #[test]
    fn other_addresses_are_refused() {
        for (typed, why) in [
            ("", BadTarget::Empty),
            (" \n", BadTarget::Empty),
            ("example.org", BadTarget::NoAddress),
            ("/page", BadTarget::NoAddress),
            ("https://", BadTarget::NoAddress),
            ("https://exa mple.org", BadTarget::NoAddress),
            ("javascript:alert(1)", BadTarget::Scheme),
            ("java\nscript:alert(1)", BadTarget::Scheme),
            ("data:text/html,x", BadTarget::Scheme),
            ("ftp://example.org/", BadTarget::Scheme),
            ("https://sho.rt/1", BadTarget::Own),
            ("https://SHO.rt:443", BadTarget::Own),
        ] {
            assert_eq!(parse(typed), Err(why), "{typed}");
        }
    }

    #[test]
    fn the_longest_address_is_the_longest_as_stored() {
        let address = |length: usize| format!("https://example.org/{}", "a".repeat(length - 20));
        assert!(parse(&address(MAX_LENGTH)).is_ok());
        assert_eq!(parse(&address(MAX_LENGTH + 1)), Err(BadTarget::TooLong));
        let letters = format!("https://example.org/{}", "ü".repeat(MAX_LENGTH / 3)); // six bytes each, as stored
        assert_eq!(parse(&letters), Err(BadTarget::TooLong));
    }
}
