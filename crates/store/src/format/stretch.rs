//! A stretch of history while it is written: entries lead on from those before them, so that what
//! has just been said is not said again.

use std::ops::Range;

use super::event::{EventFields, EventKind, FOLLOWS, NAMED_BEFORE, OF_OWN_KEY, append_event};

/// Entries one after another, without a version byte.
///
/// Of one that was read it is not known what its last entry says: the next one says all of it.
#[derive(Clone, Debug, Default)]
pub struct Stretch {
    bytes: Vec<u8>,
    last: Option<Last>,
    /// Where the newest [`EventKind::JobActivated`] has its name.
    worker: Range<usize>,
    /// Where the newest [`EventKind::JobCreated`] has its element.
    element: Range<usize>,
}

/// What an entry leads on from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Last {
    pub at_ms: i64,
    pub key: i64,
}

impl Last {
    /// Entries without a key are about something beside; those after them lead on from before.
    pub fn pass(&mut self, at_ms: i64, key: i64) {
        self.at_ms = at_ms;
        if key != 0 {
            self.key = key;
        }
    }
}

impl Stretch {
    pub fn append(&mut self, event: EventFields<'_>) {
        let (at_ms, key, kind) = (event.at_ms, event.key, event.kind);
        let written = self.led_on(event);
        let at = self.bytes.len();
        let spans = append_event(&mut self.bytes, &written);
        match &mut self.last {
            Some(last) => last.pass(at_ms, key),
            // Of one that was read the last key is not known before another one is written.
            None if key == 0 => {}
            None => self.last = Some(Last { at_ms, key }),
        }
        // The length of a longer one takes more than a byte and has moved what follows it.
        let is_short = self.bytes.len() - at <= 0x80;
        match EventKind::from_number(kind) {
            Some(EventKind::JobActivated) if written.kind & NAMED_BEFORE == 0 => {
                self.worker = if is_short { spans.name } else { 0..0 };
            }
            Some(EventKind::JobCreated) => {
                self.element = if is_short { spans.element } else { 0..0 };
            }
            _ => {}
        }
    }

    /// The entry without what those before it say.
    fn led_on<'a>(&self, mut event: EventFields<'a>) -> EventFields<'a> {
        let kind = EventKind::from_number(event.kind);
        let known = match kind {
            Some(EventKind::JobActivated) => &self.bytes[self.worker.clone()],
            Some(EventKind::ElementEntered) => &self.bytes[self.element.clone()],
            _ => &[],
        };
        if !known.is_empty() && known == event.name.as_bytes() {
            event.kind |= NAMED_BEFORE;
            event.name = "";
        }
        // A job has the key after that of its element instance, mostly.
        if kind == Some(EventKind::JobCreated) {
            event.kind |= OF_OWN_KEY;
            event.of = event.of.wrapping_sub(event.key);
        }
        if let Some(last) = self.last
            && event.key != 0
        {
            event.kind |= FOLLOWS;
            event.at_ms = event.at_ms.wrapping_sub(last.at_ms);
            event.key = event.key.wrapping_sub(last.key);
        }
        event
    }

    /// Makes room beforehand, if there is none at all.
    pub fn reserve_first(&mut self, bytes: usize) {
        if self.bytes.capacity() == 0 {
            self.bytes.reserve(bytes);
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn capacity(&self) -> usize {
        self.bytes.capacity()
    }

    pub fn clear(&mut self) {
        *self = Self { bytes: std::mem::take(&mut self.bytes), ..Self::default() };
        self.bytes.clear();
    }

    /// What was written so far; the next entry begins a stretch of its own.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(self).bytes
    }
}

impl From<Vec<u8>> for Stretch {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::format::{EventEntry, decode_events};

    fn entry(event: &EventFields<'_>) -> EventEntry {
        EventEntry {
            kind: event.kind,
            at_ms: event.at_ms,
            key: event.key,
            of: event.of,
            name: event.name.into(),
            element: event.element.into(),
            number: event.number,
            ..EventEntry::default()
        }
    }

    fn step(n: i64) -> [EventFields<'static>; 4] {
        let (at_ms, key) = (40 * n, n << 30);
        let plain = EventFields { at_ms, key, ..EventFields::default() };
        [
            EventFields { kind: EventKind::JobActivated as u32, name: "node-1", ..plain },
            EventFields { kind: EventKind::JobCompleted as u32, ..plain },
            EventFields {
                kind: EventKind::ElementEntered as u32,
                key: key - 1,
                name: "charge",
                ..plain
            },
            EventFields {
                kind: EventKind::JobCreated as u32,
                key: (n + 1) << 30,
                of: ((n + 1) << 30) - 1,
                element: "charge",
                number: 3,
                ..plain
            },
        ]
    }

    #[test]
    fn what_has_just_been_said_is_not_said_again() {
        let mut stretch = Stretch::default();
        let mut lengths = Vec::new();
        for n in 1..=3 {
            let before = stretch.bytes().len();
            step(n).into_iter().for_each(|event| stretch.append(event));
            lengths.push(stretch.bytes().len() - before);
        }
        assert_eq!(lengths, [56, 36, 36]);
        let expected: Vec<_> = (1..=3).flat_map(step).map(|event| entry(&event)).collect();
        assert_eq!(decode_events(stretch.bytes()), Ok(expected));
    }

    #[test]
    fn one_that_was_read_goes_on_in_full() {
        let mut whole = Stretch::default();
        step(1).into_iter().for_each(|event| whole.append(event));
        let mut read = Stretch::from(whole.take());
        step(2).into_iter().for_each(|event| read.append(event));
        let expected: Vec<_> = (1..=2).flat_map(step).map(|event| entry(&event)).collect();
        assert_eq!(decode_events(read.bytes()), Ok(expected));
        assert!(whole.bytes().is_empty());
    }

    proptest! {
        #[test]
        fn whatever_is_appended_is_read(
            events in proptest::collection::vec(
                (1..=24_u32, any::<i64>(), any::<i64>(), any::<i64>(), 0..4_usize, 0..4_usize),
                0..40,
            ),
            cut in 0..40_usize,
        ) {
            let long = "x".repeat(200);
            let names = ["", "a", "charge", &long];
            let mut stretch = Stretch::default();
            let mut expected = Vec::new();
            for (n, (kind, at_ms, key, of, name, element)) in events.into_iter().enumerate() {
                if n == cut {
                    stretch = Stretch::from(stretch.take());
                }
                let key = if n % 3 == 0 { 0 } else { key };
                let event = EventFields {
                    kind, at_ms, key, of, name: names[name], element: names[element],
                    ..EventFields::default()
                };
                expected.push(entry(&event));
                stretch.append(event);
            }
            prop_assert_eq!(decode_events(stretch.bytes()), Ok(expected));
        }
    }
}
