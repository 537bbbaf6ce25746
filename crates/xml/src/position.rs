/// Place in the file, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl Position {
    pub const FIRST: Self = Self { line: 1, column: 1 };
}
