//! From untrusted bytes to text that is safe to build a tree of.

pub(crate) mod decode;
pub(crate) mod gate;
pub(crate) mod places;

use crate::graph::Position;

/// Why a file is refused before anybody looks at what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub position: Position,
    pub code: &'static str,
    pub message: String,
}
