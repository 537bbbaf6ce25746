//! Java's property files: documents of names and texts.

use orloj_settings::Value;

use crate::boot::Entry;

/// Spring separates documents by a comment of dashes.
pub fn documents(name: &str, text: &str) -> Vec<Vec<Entry>> {
    let mut documents = vec![Vec::new()];
    let mut lines = text.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let line = line.trim_start();
        if matches!(line.trim_end(), "#---" | "!---") {
            documents.push(Vec::new());
            continue;
        }
        if line.is_empty() || line.starts_with(['#', '!']) {
            continue;
        }
        let mut logical = line.to_owned();
        while is_continued(&logical) {
            logical.pop();
            let Some((_, next)) = lines.next() else { break };
            logical.push_str(next.trim_start());
        }
        let (key, value) = split(&logical);
        let entry = Entry {
            key: unescaped(&key),
            value: Value::text(unescaped(&value)),
            place: format!("{name}:{}", at + 1),
        };
        documents.last_mut().expect("never empty").push(entry);
    }
    documents
}

/// An odd number of backslashes at the end.
fn is_continued(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// At the first `=`, `:` or space that is not escaped.
fn split(line: &str) -> (String, String) {
    let mut is_escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '=' | ':' | ' ' | '\t' => {
                let rest = line[at..].trim_start();
                let rest = rest.strip_prefix(['=', ':']).unwrap_or(rest);
                return (line[..at].to_owned(), rest.trim_start().to_owned());
            }
            _ => {}
        }
    }
    (line.to_owned(), String::new())
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('u') => {
                let digits: String = chars.by_ref().take(4).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                out.push(code.unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            Some(c) => out.push(c),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notation_of_java() {
        let text = "# a\n! b\n a.b = 1\nc:2\nd 3\ne\\=f=x\\u0041\\\n   y\n\nempty=\n#---\ng=h\\\\";
        let documents = documents("f", text);
        let shown: Vec<Vec<String>> = documents
            .iter()
            .map(|entries| {
                entries.iter().map(|e| format!("{} {}={}", e.place, e.key, e.value)).collect()
            })
            .collect();
        assert_eq!(
            shown,
            [
                vec![
                    "f:3 a.b=\"1\"",
                    "f:4 c=\"2\"",
                    "f:5 d=\"3\"",
                    "f:6 e=f=\"xAy\"",
                    "f:9 empty=\"\""
                ],
                vec!["f:11 g=\"h\\\\\""]
            ]
        );
    }
}
