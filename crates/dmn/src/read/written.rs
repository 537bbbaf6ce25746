//! Text of the file, and where each part of it stands.

use std::borrow::Cow;
use std::ops::Range;

use orloj_xml::{Places, Position};

/// Text of an attribute or an element, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Written<'a> {
    pub text: Cow<'a, str>,
    /// Byte offset of its first character in the file.
    pub offset: usize,
}

impl<'a> Written<'a> {
    pub fn new(text: impl Into<Cow<'a, str>>, offset: usize) -> Self {
        Self { text: text.into(), offset }
    }

    /// Place of a byte offset inside the text. References such as `&lt;` are longer in the file
    /// than in the text, so the file is walked along with it.
    pub fn position_of(&self, inside: usize, places: &Places<'_>) -> Position {
        let source = &places.text()[self.offset.min(places.text().len())..];
        let (mut read, mut at) = (0, 0);
        let mut wanted = self.text.char_indices();
        while read < inside {
            let Some((start, c)) = wanted.next() else { break };
            let Some(length) = spelled(&source[at..], c) else {
                return places.position(self.offset);
            };
            read = start + c.len_utf8();
            at += length;
        }
        places.position(self.offset + at)
    }
}

/// Bytes that `c` takes at the start of `source`; nothing when something else stands there.
fn spelled(source: &str, c: char) -> Option<usize> {
    if source.starts_with(c) {
        return (c != '&' || !source.starts_with("&amp;")).then_some(c.len_utf8()).or(Some(5));
    }
    if source.starts_with('&') {
        return source.find(';').map(|end| end + 1);
    }
    // Line ends are normalised to a line feed.
    (c == '\n' && source.starts_with("\r\n")).then_some(2)
}

/// The text of an element without the white space around it.
pub(crate) fn content<'a>(node: roxmltree::Node<'a, 'a>) -> Written<'a> {
    let mut parts = node.children().filter(|child| child.is_text());
    let Some(first) = parts.next() else {
        return Written::new("", node.range().start);
    };
    let first_text = first.text().unwrap_or_default();
    let start = text_start(first);
    // A comment inside splits the text.
    let rest: String = parts.filter_map(|part| part.text()).collect();
    if !rest.is_empty() {
        return Written::new(format!("{first_text}{rest}").trim().to_owned(), start);
    }
    let trimmed = first_text.trim_start();
    let start = start + (first_text.len() - trimmed.len());
    Written::new(trimmed.trim_end(), start)
}

pub(crate) fn attribute<'a>(node: roxmltree::Node<'a, 'a>, name: &str) -> Option<Written<'a>> {
    let found = node.attributes().find(|a| a.namespace().is_none() && a.name() == name)?;
    let Range { start, .. } = found.range_value();
    Some(Written::new(found.value(), start))
}

fn text_start(node: roxmltree::Node<'_, '_>) -> usize {
    const CDATA: &str = "<![CDATA[";
    let start = node.range().start;
    let source = &node.document().input_text()[start..];
    if source.starts_with(CDATA) { start + CDATA.len() } else { start }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column_of(xml: &str, needle: &str) -> u32 {
        let tree = roxmltree::Document::parse(xml).expect(xml);
        let text = content(tree.root_element());
        let inside = text.text.find(needle).expect(needle);
        text.position_of(inside, &Places::new(xml)).column
    }

    #[test]
    fn places_are_those_of_the_file() {
        assert_eq!(column_of("<t> a + b</t>", "b"), 9);
        assert_eq!(column_of("<t> a &lt; b</t>", "b"), 12);
        assert_eq!(column_of("<t>&#x61; &amp; b</t>", "b"), 17);
        assert_eq!(column_of("<t><![CDATA[a < b]]></t>", "b"), 17);
    }
}
