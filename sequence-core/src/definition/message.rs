//! Messages with numbers in them, of constants that are refused while the user's crate is compiled: `format!` is no constant
//! function.

/// Longer than any of them.
const MOST: usize = 256;

/// A text that grows.
pub(super) struct Message {
    bytes: [u8; MOST],
    length: usize,
}

#[allow(clippy::indexing_slicing, reason = "while a crate is compiled, where it stops the build")]
impl Message {
    pub(super) const fn new(text: &str) -> Self {
        Self { bytes: [0; MOST], length: 0 }.text(text)
    }

    pub(super) const fn text(mut self, text: &str) -> Self {
        let mut at = 0;
        while at < text.len() {
            self.bytes[self.length] = text.as_bytes()[at];
            (self.length, at) = (self.length + 1, at + 1);
        }
        self
    }

    pub(super) const fn number(self, number: i64) -> Self {
        let mut message = if number < 0 { self.text("-") } else { self };
        let mut rest = number.unsigned_abs();
        let mut unit = 1;
        while rest / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 {
            #[allow(clippy::cast_possible_truncation, reason = "a digit")]
            let digit = b'0' + (rest / unit) as u8;
            message.bytes[message.length] = digit;
            message.length += 1;
            (rest, unit) = (rest % unit, unit / 10);
        }
        message
    }

    #[track_caller]
    #[allow(clippy::panic, reason = "it stops the build of the user's crate")]
    pub(super) const fn stop(self) -> ! {
        panic!("{}", self.as_str());
    }

    const fn as_str(&self) -> &str {
        match str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn numbers_are_written_as_usual() {
        for number in [0, 7, -1, 10, 999, -1000, i64::MIN, i64::MAX] {
            let message = Message::new("`start` is ").number(number).text(", too far");
            assert_eq!(message.as_str(), format!("`start` is {number}, too far"));
        }
    }
}
