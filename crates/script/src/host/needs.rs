//! What a script needs, read from its text. An engine is made for every script, and most of the
//! time that takes goes into objects which few scripts touch.
//!
//! Names are searched for as plain text, so that more is made than needed, never less: a script
//! that can reach a name without writing it gets everything. One that goes out of its way to hide
//! even that (`[]['con' + 'structor']`) finds less of its world than it could have, never more.

/// Ways to names that are not written.
const INDIRECT: &[&str] = &[
    "eval",
    "Function",
    "constructor",
    "globalThis",
    "this",
    "with",
    "Reflect",
    "getOwnProperty",
    "\\u",
];
/// Parts of the language that take as long to make as all the others.
const RARE: &[&str] = &[
    "Promise",
    "async",
    "Async",
    "await",
    "import",
    "Weak",
    "Finalization",
    "8Array",
    "16Array",
    "32Array",
    "64Array",
    "ClampedArray",
    "ArrayBuffer",
    "DataView",
    "Atomics",
];

#[derive(Clone, Copy)]
pub(super) struct Needs<'a> {
    source: &'a str,
    is_indirect: bool,
}

impl<'a> Needs<'a> {
    pub(super) fn of(source: &'a str) -> Self {
        Self { source, is_indirect: INDIRECT.iter().any(|way| source.contains(way)) }
    }

    pub(super) fn whole_language(self) -> bool {
        RARE.iter().any(|name| self.name(name))
    }

    pub(super) fn name(self, name: &str) -> bool {
        self.is_indirect || self.source.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_needed() {
        let needs = Needs::of("execution.setVariable('total', amount * 2)");
        assert!(!needs.whole_language() && !needs.name("java"));
        for source in ["new Uint8Array(4)", "async function f() {}", "new WeakMap()"] {
            assert!(Needs::of(source).whole_language(), "{source}");
        }
        assert!(Needs::of("new java.util.Date()").name("Date"));
    }

    #[test]
    fn what_can_be_reached_otherwise_is_needed() {
        for source in ["eval(code)", "for (k in this) k", "\\u0050romise", "(0).constructor"] {
            let needs = Needs::of(source);
            assert!(needs.whole_language() && needs.name("java"), "{source}");
        }
    }
}
