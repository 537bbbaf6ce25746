//! Text that passed the gate to a tree.

use roxmltree::{Document, ParsingOptions};

use crate::gate::ELEMENTS_MAX;
use crate::position::Position;
use crate::refusal::Refusal;

/// Texts and comments count as nodes too.
const NODES_MAX: u32 = 2 * ELEMENTS_MAX as u32;

pub fn build_tree(text: &str) -> Result<Document<'_>, Refusal> {
    let options = ParsingOptions { nodes_limit: NODES_MAX, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| Refusal {
        position: Position { line: error.pos().row, column: error.pos().col },
        code: match error {
            roxmltree::Error::NodesLimitReached => "too-many-elements",
            roxmltree::Error::DtdDetected => "doctype-refused",
            _ => "xml-malformed",
        },
        message: format!("not well-formed XML: {error}"),
    })
}
