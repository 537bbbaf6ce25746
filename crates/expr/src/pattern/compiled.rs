use std::sync::{Arc, OnceLock};

use regex::{Regex, RegexBuilder};
use regex_automata::hybrid::dfa::DFA;
use regex_automata::nfa::thompson;
use regex_syntax::hir::Hir;

use super::translated::{Refused, Translated, last_line};

/// Memory of a compiled pattern, and of the states that a search makes of it.
const COMPILED_BYTES_MAX: usize = 1 << 20;
const NESTING_MAX: u32 = 50;

/// A compiled pattern. Clones share it.
#[derive(Clone, Debug)]
pub struct Pattern {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    regex: Regex,
    translated: Translated,
    whole: OnceLock<Option<Regex>>,
    reader: OnceLock<Option<DFA>>,
}

impl Pattern {
    pub(super) fn new(translated: Translated) -> Result<Self, Refused> {
        let regex = compile(&translated.text, &translated)?;
        let inner = Inner { regex, translated, whole: OnceLock::new(), reader: OnceLock::new() };
        Ok(Self { inner: Arc::new(inner) })
    }

    pub fn regex(&self) -> &Regex {
        &self.inner.regex
    }

    /// For matches of whole texts. Compiled when it is first asked for, at the price of the
    /// pattern.
    pub fn whole(&self) -> Option<&Regex> {
        let make = || {
            let translated = &self.inner.translated;
            compile(&format!(r"\A(?:{})\z", translated.text), translated).ok()
        };
        self.inner.whole.get_or_init(make).as_ref()
    }

    pub fn is_whole_match(&self, text: &str) -> bool {
        self.whole().is_some_and(|whole| whole.is_match(text))
    }

    pub(super) fn is_java(&self) -> bool {
        self.inner.translated.is_java
    }

    /// Longest match, in bytes. `None`: there is no longest.
    pub(super) fn match_bytes_max(&self) -> Option<usize> {
        self.hir().properties().maximum_len()
    }

    /// The automaton that tells how far a search reads.
    pub(super) fn reader(&self) -> Option<&DFA> {
        let make = || {
            let config = thompson::Config::new().nfa_size_limit(Some(COMPILED_BYTES_MAX));
            let nfa =
                thompson::Compiler::new().configure(config).build_from_hir(self.hir()).ok()?;
            let config = DFA::config()
                .cache_capacity(COMPILED_BYTES_MAX)
                .skip_cache_capacity_check(true)
                .unicode_word_boundary(true);
            DFA::builder().configure(config).build_from_nfa(nfa).ok()
        };
        self.inner.reader.get_or_init(make).as_ref()
    }

    fn hir(&self) -> &Hir {
        &self.inner.translated.hir
    }
}

fn compile(text: &str, translated: &Translated) -> Result<Regex, Refused> {
    let flags = translated.flags;
    RegexBuilder::new(text)
        .case_insensitive(flags.case_insensitive)
        .multi_line(flags.multi_line)
        .dot_matches_new_line(flags.dot_matches_all)
        .size_limit(COMPILED_BYTES_MAX)
        .dfa_size_limit(COMPILED_BYTES_MAX)
        // The whole form is one deeper.
        .nest_limit(NESTING_MAX + 5)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => Refused::TooLarge,
            other => Refused::Syntax(last_line(&other)),
        })
}
