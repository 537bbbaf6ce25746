//! Regular expressions of Java and of XPath, on automata that never go back.
//!
//! One search takes time linear in the text. Searching again behind every match does not, because
//! a search may read far beyond the match it finds: [`Searches`] says what each of them reads, so
//! that it can be charged. Look-around and back-references have no automata and are refused.

mod compiled;
mod java;
mod searches;
mod translated;
mod xpath;

pub use compiled::Pattern;
pub use searches::{GROUP_BYTES_PER_STEP, Searches};
pub use translated::{Flags, Refused, Translated, unsupported};
