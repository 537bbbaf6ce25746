use std::fmt;

/// A moment as milliseconds since 1970-01-01T00:00:00Z.
///
/// Time always comes in as a parameter; nothing below the drivers reads a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const ZERO: Self = Self(0);
    /// Later than any moment a process can name: used for "never".
    pub const MAX: Self = Self(i64::MAX);

    pub const fn from_ms(ms: i64) -> Self {
        Self(ms)
    }

    pub const fn as_ms(self) -> i64 {
        self.0
    }

    /// Saturates, so that hostile durations end at "never" instead of wrapping.
    pub const fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    pub const fn ms_since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            // Always with milliseconds, so that texts sort as moments do.
            Ok(at) => write!(f, "{at:.3}"),
            Err(_) => write!(f, "{} ms", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_sort_as_moments_do() {
        let texts = [0, 600, 664, 1_000].map(|ms| Timestamp::from_ms(ms).to_string());
        assert_eq!(texts[1], "1970-01-01T00:00:00.600Z");
        assert!(texts.is_sorted());
    }
}
