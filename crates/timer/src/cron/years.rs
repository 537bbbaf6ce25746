/// First year a cron expression can name; Java's calendar of the engines begins there too.
pub(super) const YEAR_MIN: i16 = 1970;
const WORDS: usize = 4;
pub(super) const YEAR_MAX: i16 = YEAR_MIN + (WORDS as i16) * 64 - 1;

/// Years from [`YEAR_MIN`] to [`YEAR_MAX`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Years([u64; WORDS]);

impl Years {
    /// Years that no set can hold are left out: they are past, or nobody's concern.
    pub fn insert(&mut self, year: i64) {
        if let Ok(place) = usize::try_from(year - i64::from(YEAR_MIN))
            && place < WORDS * 64
        {
            self.0[place / 64] |= 1 << (place % 64);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    pub fn at_least(&self, year: i16) -> Option<i16> {
        let from = usize::try_from(year - YEAR_MIN).unwrap_or(0);
        let first = from / 64;
        (first..WORDS).find_map(|word| {
            let low = if word == first { from % 64 } else { 0 };
            let rest = self.0[word] & (u64::MAX << low);
            (rest != 0).then(|| YEAR_MIN + (word * 64) as i16 + rest.trailing_zeros() as i16)
        })
    }

    pub fn retain(&mut self, test: impl Fn(i16) -> bool) {
        for year in YEAR_MIN..=YEAR_MAX {
            let place = (year - YEAR_MIN) as usize;
            if self.0[place / 64] >> (place % 64) & 1 == 1 && !test(year) {
                self.0[place / 64] &= !(1 << (place % 64));
            }
        }
    }
}
