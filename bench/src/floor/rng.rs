//! A small random source: fast, and the same numbers in every run.

/// xorshift64; the seed must not be zero.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        assert_ne!(seed, 0, "xorshift never leaves zero");
        Rng(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(count + 8);
        while bytes.len() < count {
            bytes.extend_from_slice(&self.next().to_le_bytes());
        }
        bytes.truncate(count);
        bytes
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_give_equal_numbers_and_a_shuffle_loses_nothing() {
        let (mut one, mut two) = (Rng::new(7), Rng::new(7));
        assert_eq!(one.bytes(301), two.bytes(301));
        let mut items: Vec<u32> = (0..1000).collect();
        one.shuffle(&mut items);
        assert!(items.windows(2).any(|pair| pair[0] > pair[1]), "still sorted");
        items.sort_unstable();
        assert!(items.into_iter().eq(0..1000));
    }
}
