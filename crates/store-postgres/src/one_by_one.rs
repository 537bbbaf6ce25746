//! A group taken apart into calls that carry one row each, for those who look for the row that a
//! server trips over. All calls are one transaction, so what is written is the same.

use crate::row_array::RowArray;

/// Something that goes to the server as an array of rows.
pub(crate) trait OneByOne: Sized {
    /// An array for each row, in order.
    fn one_by_one(&self) -> Vec<Self>;
}

impl OneByOne for RowArray {
    fn one_by_one(&self) -> Vec<Self> {
        self.singles()
    }
}

/// Keys of rows that go.
impl OneByOne for Vec<i64> {
    fn one_by_one(&self) -> Vec<Self> {
        self.iter().map(|key| vec![*key]).collect()
    }
}

/// `parts!(rows, empty; first second …)`: what is empty but for one row of one of these fields, for
/// every row of each. The fields stand in the order in which the procedure writes them.
macro_rules! parts {
    ($rows:expr, $empty:expr; $($field:ident)+) => {{
        let mut parts = Vec::new();
        $(for row in $crate::one_by_one::OneByOne::one_by_one(&$rows.$field) {
            let mut part = $empty;
            part.$field = row;
            parts.push(part);
        })+
        parts
    }};
}
pub(crate) use parts;
