use crate::position::Position;

/// Why a file is refused before anybody looks at what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub position: Position,
    /// Stable, in kebab case.
    pub code: &'static str,
    pub message: String,
}
