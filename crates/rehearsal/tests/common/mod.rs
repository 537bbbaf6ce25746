//! A play as text, as it lies beside the models.

use std::fmt::Write as _;

use orloj_rehearsal::Played;

/// A line for each step, with what it changed behind it.
pub fn told(played: &Played) -> String {
    let mut out = String::new();
    for step in &played.steps {
        let failed = if step.error { " FAILED" } else { "" };
        let _ = writeln!(out, "{} {} @{}{failed}", step.act, step.el, step.at);
        let parts = [
            ("started", &step.started),
            ("ended", &step.ended),
            ("cancelled", &step.cancelled),
            ("waits", &step.waits),
        ];
        for (name, items) in parts.into_iter().filter(|(_, items)| !items.is_empty()) {
            let _ = writeln!(out, "    {name} {}", items.join(" "));
        }
    }
    out
}
