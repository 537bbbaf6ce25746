/// Numbers from 0 to 63.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(u64);

impl Set {
    pub const fn range(from: u8, to: u8) -> Self {
        Self((u64::MAX >> (63 - to)) & (u64::MAX << from))
    }

    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    pub fn insert(&mut self, number: u8) {
        self.0 |= 1 << number;
    }

    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub fn contains(self, number: u8) -> bool {
        number < 64 && self.0 >> number & 1 == 1
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn first(self) -> Option<u8> {
        self.at_least(0)
    }

    /// The smallest number that is not below `number`.
    #[inline]
    pub fn at_least(self, number: u8) -> Option<u8> {
        if number > 63 {
            return None;
        }
        let rest = self.0 & (u64::MAX << number);
        (rest != 0).then(|| rest.trailing_zeros() as u8)
    }

    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..64).filter(move |&number| self.contains(number))
    }
}

impl FromIterator<u8> for Set {
    fn from_iter<I: IntoIterator<Item = u8>>(numbers: I) -> Self {
        let mut set = Self::default();
        for number in numbers {
            set.insert(number);
        }
        set
    }
}
