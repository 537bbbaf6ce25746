//! Camunda's Spin, which gives scripts functions for JSON and XML. They do not exist here, and a
//! script that calls them is told so when it is deployed rather than when it runs.

use orloj_groovy::Position;

use crate::language::ScriptLanguage;
use crate::outcome::Diagnostic;

/// `JSON` of JavaScript is the language's own.
const OF_JAVASCRIPT: &[&str] = &["S", "XML"];
const OF_GROOVY: &[&str] = &["S", "XML", "JSON"];

pub(crate) fn refused(language: ScriptLanguage, source: &str) -> Option<Diagnostic> {
    let (names, instead) = match language {
        ScriptLanguage::JavaScript => (OF_JAVASCRIPT, "JSON.parse and JSON.stringify"),
        ScriptLanguage::Groovy => (OF_GROOVY, "groovy.json.JsonSlurper and JsonOutput"),
    };
    let (name, at) = calls(source).find(|(name, _)| names.contains(name))?;
    if is_defined(source, name) {
        return None;
    }
    let message = format!("{name}() of Camunda Spin is not supported; JSON is read by {instead}");
    Some(Diagnostic::Refused { message, position: Position::of(source, at), unsupported: true })
}

/// Names that a parenthesis follows and no dot precedes, outside of texts and comments.
fn calls(source: &str) -> impl Iterator<Item = (&str, usize)> {
    let bytes = source.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            let rest = &source.as_bytes()[at..];
            match byte {
                b'\'' | b'"' | b'`' => at += text_length(rest),
                b'/' if rest.starts_with(b"//") => {
                    at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                }
                b'/' if rest.starts_with(b"/*") => {
                    let end = rest.windows(2).skip(2).position(|two| two == b"*/");
                    at += end.map_or(rest.len(), |end| end + 4);
                }
                _ if is_word(byte) => {
                    let start = at;
                    at += rest.iter().take_while(|b| is_word(**b)).count();
                    let before = source[..start].trim_end();
                    let is_member = before.ends_with('.') || before.ends_with("function");
                    if !is_member && source[at..].trim_start().starts_with('(') {
                        return Some((&source[start..at], start));
                    }
                }
                _ => at += 1,
            }
        }
        None
    })
}

/// Of a text that begins with a quote, both quotes included.
fn text_length(text: &[u8]) -> usize {
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate().skip(1) {
        match byte {
            b'\\' if !escaped => escaped = true,
            other if *other == text[0] && !escaped => return at + 1,
            _ => escaped = false,
        }
    }
    text.len()
}

/// A script may have a function of that name.
fn is_defined(source: &str, name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    source.match_indices(name).any(|(at, _)| {
        let (before, after) = (&source[..at], source[at + name.len()..].trim_start());
        !before.ends_with(is_name)
            && ((after.starts_with('=') && !after.starts_with("=="))
                || before.trim_end().ends_with("function")
                || before.trim_end().ends_with("def"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(language: ScriptLanguage, source: &str) -> Option<String> {
        refused(language, source).map(|refused| refused.to_string())
    }

    #[test]
    fn calls_of_spin_are_named() {
        let message = message(ScriptLanguage::JavaScript, "var x = 1;\n  S(data).prop('a')");
        assert_eq!(
            message.as_deref(),
            Some(
                "S() of Camunda Spin is not supported; JSON is read by JSON.parse and \
                 JSON.stringify, at line 2, column 3"
            )
        );
        assert!(refused(ScriptLanguage::Groovy, "def j = JSON ('{}')").is_some());
        assert!(refused(ScriptLanguage::Groovy, "a = XML(text)").is_some());
    }

    #[test]
    fn other_names_are_left_alone() {
        for source in [
            "JSON.parse(text)",
            "'S(x)' + \"S(x)\" // S(x)\n/* S(x) */ + `it\\`s S(x)`",
            "IS(x) + my.S(x) + S_(x) + $S(x)",
            "function S(x) { return x } S(1)",
            "var S = makeOne(); S(1)",
            "'unclosed S(1)",
        ] {
            assert_eq!(message(ScriptLanguage::JavaScript, source), None, "{source}");
        }
        assert_eq!(message(ScriptLanguage::Groovy, "def S = { it }; S(1)"), None);
    }
}
