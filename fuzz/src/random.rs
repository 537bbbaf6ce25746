//! Numbers that follow from a seed (SplitMix64), so that every input can be made again.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64, input: u64) -> Self {
        let mut random = Self(seed);
        Self(random.next() ^ input.wrapping_mul(0xd134_2543_de82_ef95))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `limit`, or zero.
    pub fn below(&mut self, limit: usize) -> usize {
        match limit as u64 {
            0 => 0,
            limit => (self.next() % limit) as usize,
        }
    }

    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len())]
    }
}
