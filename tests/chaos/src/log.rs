//! What a client process tells of its calls, one line each, before and after. The line before is what is known of a call
//! whose process was killed.

use std::{
    fmt,
    io::{Write, stdout},
    str::FromStr,
};

/// Names one document of one call, over all processes.
pub type Token = i64;

/// One thing that a client process was about to do, or was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The place of the way to insert among those that the process was started with.
    pub way: usize,
    /// The document.
    pub token: Token,
    /// What became of it.
    pub outcome: Outcome,
}

/// What a caller knows of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The call begins.
    Begun,
    /// It is stored, with this number.
    Stored(i64),
    /// Whether it is stored is not known; with the number it may have.
    Unknown(Option<i64>),
    /// It is not stored; with the number that was burnt.
    Refused(Option<i64>),
}

impl Entry {
    /// Tells the process that looks on.
    pub fn tell(self) {
        // one write for each line, so that no two are mixed
        let line = format!("{self}\n");
        if stdout().lock().write_all(line.as_bytes()).is_err() {
            std::process::exit(0); // nobody looks on any more
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, number) = match self.outcome {
            Outcome::Begun => ("begun", None),
            Outcome::Stored(number) => ("stored", Some(number)),
            Outcome::Unknown(number) => ("unknown", number),
            Outcome::Refused(number) => ("refused", number),
        };
        write!(f, "{} {} {word}", self.way, self.token)?;
        number.map_or(Ok(()), |number| write!(f, " {number}"))
    }
}

impl FromStr for Entry {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let wrong = || format!("no entry of a log: `{line}`");
        let mut words = line.split(' ');
        let way = words.next().and_then(|way| way.parse().ok()).ok_or_else(wrong)?;
        let token = words.next().and_then(|token| token.parse().ok()).ok_or_else(wrong)?;
        let word = words.next().ok_or_else(wrong)?;
        let number = words.next().map(str::parse).transpose().map_err(|_| wrong())?;
        let outcome = match (word, number) {
            ("begun", None) => Outcome::Begun,
            ("stored", Some(number)) => Outcome::Stored(number),
            ("unknown", number) => Outcome::Unknown(number),
            ("refused", number) => Outcome::Refused(number),
            _ => return Err(wrong()),
        };
        Ok(Self { way, token, outcome })
    }
}
