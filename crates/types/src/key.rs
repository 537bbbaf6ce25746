//! Keys made by the engine: 63 bits, 41 of milliseconds, 10 of node number, 12 of sequence.
//!
//! A node's keys only grow, whatever the clock does: the generator never goes below the last key
//! it gave, and runs ahead of the clock when more than 4096 keys are needed in a millisecond. Node
//! numbers are leased in the heartbeat row, so no two live nodes share one.

use std::fmt;

use crate::Timestamp;

/// 10 bits.
pub const NODE_NUMBER_MAX: u16 = (1 << NODE_BITS) - 1;

const NODE_BITS: u32 = 10;
const SEQUENCE_BITS: u32 = 12;
const SEQUENCE_MAX: i64 = (1 << SEQUENCE_BITS) - 1;
/// 2020-01-01T00:00:00Z: 41 bits of milliseconds reach to 2089, and every key is above 2^51, the
/// smallest a Zeebe client may expect.
const EPOCH_MS: i64 = 1_577_836_800_000;
/// One millisecond above the epoch is already past 2^51 only after this many; pinned clocks of
/// tests that start at 1970 are lifted to it.
const MS_MIN: i64 = 1 << (51 - NODE_BITS - SEQUENCE_BITS);

/// A node's place in the key space, leased while the node lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeNumber(pub u16);

macro_rules! key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(i64);

        impl $name {
            pub const fn new(raw: i64) -> Self {
                Self(raw)
            }

            pub const fn raw(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    };
}

key!(DeploymentKey);
key!(
    /// One deployed version of a process.
    DefinitionKey
);
key!(
    /// One run of a definition; also the key of its root scope.
    InstanceKey
);
key!(ElementInstanceKey);
key!(JobKey);
key!(IncidentKey);
key!(UserTaskKey);
key!(
    /// What the jobs of one element have in common: see the store's job definitions.
    JobDefinitionKey
);
key!(
    /// A large piece of work cut into jobs.
    BatchKey
);
key!(
    /// An entry of the log of what people did.
    OperationKey
);
key!(
    /// A wait for a message, a signal, a condition or a hand.
    SubscriptionKey
);

impl JobKey {
    /// The moment of the key. A clock that was set back, or stands before the epoch of keys, does
    /// not show in it.
    pub const fn made_at(self) -> Timestamp {
        Timestamp::from_ms((self.0 >> (NODE_BITS + SEQUENCE_BITS)) + EPOCH_MS)
    }

    /// What keys that are made so many milliseconds after this one begin with.
    pub const fn later_by_ms(self, ms: i64) -> i64 {
        self.0.saturating_add(ms << (NODE_BITS + SEQUENCE_BITS))
    }
}

impl InstanceKey {
    /// The instance is the outermost scope, under the same number.
    pub const fn root_scope(self) -> ElementInstanceKey {
        ElementInstanceKey::new(self.0)
    }
}

/// Makes the keys of one node.
#[derive(Clone, Debug)]
pub struct KeyGenerator {
    node: NodeNumber,
    /// Milliseconds and sequence of the last key given, without the node's bits.
    last: i64,
}

impl KeyGenerator {
    pub fn new(node: NodeNumber) -> Self {
        assert!(node.0 <= NODE_NUMBER_MAX, "node numbers have 10 bits");
        Self { node, last: 0 }
    }

    pub fn next(&mut self, now: Timestamp) -> i64 {
        let ms = (now.as_ms() - EPOCH_MS).max(MS_MIN);
        let earliest = ms << SEQUENCE_BITS;
        self.last = earliest.max(self.last + 1);
        self.high()
    }

    pub fn node(&self) -> NodeNumber {
        self.node
    }

    /// From now on only keys above `key`, whoever has given it: an earlier owner of the number, or
    /// another node.
    pub fn raise_above(&mut self, key: i64) {
        let ms = key >> (NODE_BITS + SEQUENCE_BITS);
        let node = (key >> SEQUENCE_BITS) & i64::from(NODE_NUMBER_MAX);
        // Within its millisecond no key of ours is above one of a node with a higher number.
        let is_of_higher = node > i64::from(self.node.0);
        let sequence = if is_of_higher { SEQUENCE_MAX } else { key & SEQUENCE_MAX };
        self.last = self.last.max((ms << SEQUENCE_BITS) | sequence);
    }

    /// The highest key given so far.
    pub fn high(&self) -> i64 {
        let (ms, sequence) = (self.last >> SEQUENCE_BITS, self.last & SEQUENCE_MAX);
        (ms << (NODE_BITS + SEQUENCE_BITS)) | (i64::from(self.node.0) << SEQUENCE_BITS) | sequence
    }
}

/// The keys of one attempt at a command, in the order they were asked for.
///
/// When a lost race makes the runtime interpret the command again, the rewound block gives the
/// same keys, so results of foreign code find the element instance they belong to.
#[derive(Clone, Debug, Default)]
pub struct KeyBlock {
    given: Vec<i64>,
    cursor: usize,
}

impl KeyBlock {
    pub fn next(&mut self, keys: &mut KeyGenerator, now: Timestamp) -> i64 {
        if self.cursor == self.given.len() {
            self.given.push(keys.next(now));
        }
        let key = self.given[self.cursor];
        self.cursor += 1;
        key
    }

    pub fn rewound(mut self) -> Self {
        self.cursor = 0;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_grow_though_the_clock_steps_back_and_are_valid_zeebe_keys() {
        let mut keys = KeyGenerator::new(NodeNumber(NODE_NUMBER_MAX));
        let mut last = (1 << 51) - 1;
        for ms in [0, 1_900_000_000_000, 5, 1_900_000_000_000, i64::from(u32::MAX)] {
            for _ in 0..5_000 {
                let key = keys.next(Timestamp::from_ms(ms));
                assert!(key > last);
                last = key;
            }
        }
    }

    #[test]
    fn a_key_tells_when_it_was_made() {
        let now = Timestamp::from_ms(1_900_000_000_123);
        let mut keys = KeyGenerator::new(NodeNumber(7));
        assert_eq!(JobKey::new(keys.next(now)).made_at(), now);
        assert_eq!(JobKey::new(keys.next(now)).made_at(), now);
    }

    #[test]
    fn nodes_never_share_a_key() {
        let now = Timestamp::from_ms(1_900_000_000_000);
        let mut one = KeyGenerator::new(NodeNumber(1));
        let mut two = KeyGenerator::new(NodeNumber(2));
        let ones: Vec<_> = (0..10_000).map(|_| one.next(now)).collect();
        assert!((0..10_000).all(|_| ones.binary_search(&two.next(now)).is_err()));
    }

    #[test]
    fn keys_are_above_those_of_any_node_that_they_are_raised_above() {
        let now = Timestamp::from_ms(1_900_000_000_000);
        let ahead = now.plus_ms(5_000);
        for (own, other) in [(3, 3), (3, 2), (3, 4), (0, NODE_NUMBER_MAX)] {
            let mut others = KeyGenerator::new(NodeNumber(other));
            let given: Vec<i64> = (0..5).map(|_| others.next(ahead)).collect();
            let mut keys = KeyGenerator::new(NodeNumber(own));
            keys.raise_above(given[4]);
            let first = keys.next(now);
            assert!(first > given[4], "{own} after {other}");
            assert!(keys.next(now) > first);
        }
    }

    #[test]
    fn a_rewound_block_repeats_itself_and_then_goes_on() {
        let now = Timestamp::from_ms(1_900_000_000_000);
        let mut keys = KeyGenerator::new(NodeNumber(0));
        let mut block = KeyBlock::default();
        let first = [block.next(&mut keys, now), block.next(&mut keys, now)];
        let mut block = block.rewound();
        assert_eq!(first, [block.next(&mut keys, now), block.next(&mut keys, now)]);
        assert!(block.next(&mut keys, now) > first[1]);
    }
}
