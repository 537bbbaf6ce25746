//! The variables and budgets all checks share.

use orloj_expr::Budget;
use orloj_types::{Document, Timestamp};

/// A Saturday night on which clocks change in Prague an hour later.
pub const NOW: Timestamp = Timestamp::from_ms(1_774_742_400_000);

/// Tight, so that many inputs are tried: what ends within a small budget ends within any.
pub const BUDGET: Budget =
    Budget { depth_max: 300, steps_max: 20_000, result_bytes_max: 256 << 10 };

pub fn variables() -> Document {
    Document::parse(
        r#"{
            "a": 1, "b": 2.5, "c": "text", "d": true, "e": null, "f": [1, 2, 3],
            "g": {"a": 7, "b": {"c": [1]}}, "item": 3, "amount": 150, "name": "Anna",
            "customer": {"vip": true, "name": "Bo"}, "items": [{"price": 3}, {"price": 4.5}],
            "big": 123456789012345678901234567890, "when": "2030-01-31T09:00:00Z"
        }"#,
    )
    .expect("JSON")
}
