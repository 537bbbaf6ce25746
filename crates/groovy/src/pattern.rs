//! Java's regular expressions.

use orloj_expr::pattern::{self, Flags, Refused, Searches, Translated};

#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) source: String,
    compiled: pattern::Pattern,
}

/// Groups of one match, as byte offsets.
pub(crate) type Groups = Vec<Option<(usize, usize)>>;

impl Pattern {
    /// What compiling it costs comes first, for searches and for matches of whole texts.
    pub(crate) fn translate(source: &str) -> Result<(usize, Translated), Refused> {
        let translated = Translated::java(source, Flags::default())?;
        Ok((2 * translated.steps(), translated))
    }

    pub(crate) fn new(source: &str, translated: Translated) -> Result<Self, Refused> {
        Ok(Self { source: source.to_owned(), compiled: translated.compile()? })
    }

    pub(crate) fn searches<'p, 't>(&'p self, text: &'t str) -> Searches<'p, 't> {
        Searches::new(&self.compiled, text)
    }

    pub(crate) fn find_at(&self, text: &str, from: usize) -> Option<Groups> {
        if from > text.len() || !text.is_char_boundary(from) {
            return None;
        }
        self.compiled.regex().captures_at(text, from).map(|found| groups(&found))
    }

    pub(crate) fn match_whole(&self, text: &str) -> Option<Groups> {
        self.compiled.whole()?.captures(text).map(|found| groups(&found))
    }

    pub(crate) fn is_whole_match(&self, text: &str) -> bool {
        self.compiled.is_whole_match(text)
    }

    /// Group by name, as its number.
    pub(crate) fn group_number(&self, name: &str) -> Option<usize> {
        self.compiled.regex().capture_names().position(|found| found == Some(name))
    }
}

pub(crate) fn groups(found: &regex::Captures<'_>) -> Groups {
    (0..found.len()).map(|at| found.get(at).map(|group| (group.start(), group.end()))).collect()
}
