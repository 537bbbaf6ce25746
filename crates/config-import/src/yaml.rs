//! YAML documents as flat entries.
//!
//! Aliases share what they name, so that a file can be small and its meaning huge: what is counted
//! is the meaning, entry by entry.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use orloj_settings::{Error, Value};
use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::boot::Entry;

/// Sequences and mappings inside of each other; settings nest less than ten deep.
const DEPTH_MAX: usize = 64;
/// Keys of all documents, aliases followed.
const ENTRIES_MAX: usize = 20_000;

struct Node {
    line: usize,
    column: usize,
    content: Content,
}

enum Content {
    Scalar(String),
    List(Vec<Rc<Node>>),
    Map(Vec<(String, Rc<Node>)>),
}

pub fn documents(name: &str, text: &str) -> Result<Vec<Vec<Entry>>, Error> {
    let mut documents = Vec::new();
    for root in trees(name, text)? {
        let mut entries = Vec::new();
        let mut flat = Flat { name, entries: &mut entries, count: 0 };
        flat.walk("", &root, 0)?;
        documents.push(entries);
    }
    Ok(documents)
}

/// What is open while reading.
struct Open {
    anchor: usize,
    line: usize,
    column: usize,
    content: Content,
    /// The key whose value comes next.
    key: Option<String>,
}

fn trees(name: &str, text: &str) -> Result<Vec<Rc<Node>>, Error> {
    let error = |line: usize, column: usize, message: String| Error {
        place: format!("{name}:{line}:{column}"),
        message,
    };
    let mut roots = Vec::new();
    let mut anchors: HashMap<usize, Rc<Node>> = HashMap::new();
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|fault| {
            let marker = fault.marker();
            let message = format!("not well-formed YAML: {}", fault.info());
            error(marker.line(), marker.col() + 1, message)
        })?;
        let (line, column) = start(&span);
        let done = match event {
            Event::Scalar(text, style, anchor, _) => {
                let is_null = style == ScalarStyle::Plain && matches!(&*text, "~" | "null");
                let text = if is_null { String::new() } else { text.into_owned() };
                let node = Rc::new(Node { line, column, content: Content::Scalar(text) });
                anchors.insert(anchor, node.clone());
                Some(node)
            }
            Event::Alias(anchor) => match anchors.get(&anchor) {
                Some(node) => Some(node.clone()),
                None => return Err(error(line, column, "an alias of itself".to_owned())),
            },
            Event::SequenceStart(anchor, _) => {
                let content = Content::List(Vec::new());
                open.push(Open { anchor, line, column, content, key: None });
                None
            }
            Event::MappingStart(anchor, _) => {
                let content = Content::Map(Vec::new());
                open.push(Open { anchor, line, column, content, key: None });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|ended| {
                let Open { anchor, line, column, content, .. } = ended;
                let node = Rc::new(Node { line, column, content });
                anchors.insert(anchor, node.clone());
                node
            }),
            _ => None,
        };
        if open.len() > DEPTH_MAX {
            return Err(error(line, column, format!("nested more than {DEPTH_MAX} deep")));
        }
        let Some(node) = done else { continue };
        match open.last_mut() {
            None => roots.push(node),
            Some(Open { content: Content::List(items), .. }) => items.push(node),
            Some(Open { content: Content::Map(entries), key, .. }) => match key.take() {
                Some(key) => entries.push((key, node)),
                None => match &node.content {
                    Content::Scalar(text) => *key = Some(text.clone()),
                    _ => return Err(error(line, column, "a key must be a text".to_owned())),
                },
            },
            Some(Open { content: Content::Scalar(_), .. }) => {
                unreachable!("only lists and maps are opened")
            }
        }
    }
    Ok(roots)
}

fn start(span: &Span) -> (usize, usize) {
    (span.start.line(), span.start.col() + 1)
}

struct Flat<'f> {
    name: &'f str,
    entries: &'f mut Vec<Entry>,
    count: usize,
}

impl Flat<'_> {
    /// Gives the place of what is counted.
    fn count(&mut self, node: &Node, depth: usize) -> Result<String, Error> {
        self.count += 1;
        let place = format!("{}:{}:{}", self.name, node.line, node.column);
        if self.count > ENTRIES_MAX || depth > DEPTH_MAX {
            let message =
                format!("more than {ENTRIES_MAX} entries or {DEPTH_MAX} levels, aliases followed");
            return Err(Error { place, message });
        }
        Ok(place)
    }

    fn walk(&mut self, path: &str, node: &Node, depth: usize) -> Result<(), Error> {
        let place = self.count(node, depth)?;
        match &node.content {
            Content::Scalar(text) => {
                let value = Value::text(text.as_str());
                self.entries.push(Entry { key: path.to_owned(), value, place });
            }
            Content::Map(entries) => {
                let own: HashSet<&str> = entries.iter().map(|(key, _)| key.as_str()).collect();
                let mut merged = Merged { own, entries: Vec::new() };
                for (key, value) in entries {
                    match key.as_str() {
                        MERGE => self.merge(value, &mut merged, depth)?,
                        key => merged.entries.push((key, value)),
                    }
                }
                for (key, value) in merged.entries {
                    let path = match path {
                        "" => key.to_owned(),
                        path => format!("{path}.{key}"),
                    };
                    self.walk(&path, value, depth + 1)?;
                }
            }
            Content::List(items) => {
                let texts: Option<Vec<Value>> = items
                    .iter()
                    .map(|item| match &item.content {
                        Content::Scalar(text) => Some(Value::text(text.as_str())),
                        _ => None,
                    })
                    .collect();
                match texts {
                    Some(texts) => {
                        self.count += texts.len();
                        let value = Value::List(texts);
                        self.entries.push(Entry { key: path.to_owned(), value, place });
                    }
                    None => {
                        for (at, item) in items.iter().enumerate() {
                            self.walk(&format!("{path}[{at}]"), item, depth + 1)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// What is named here is as if written there, unless a key is written there itself or was taken
/// from one named earlier.
const MERGE: &str = "<<";

/// The keys of a map with those that it takes from others.
struct Merged<'n> {
    own: HashSet<&'n str>,
    entries: Vec<(&'n str, &'n Rc<Node>)>,
}

impl Flat<'_> {
    fn merge<'n>(
        &mut self,
        named: &'n Node,
        merged: &mut Merged<'n>,
        depth: usize,
    ) -> Result<(), Error> {
        self.count(named, depth)?;
        match &named.content {
            Content::Map(entries) => {
                for (key, value) in entries {
                    if key == MERGE {
                        self.merge(value, merged, depth + 1)?;
                    } else if merged.own.insert(key) {
                        merged.entries.push((key, value));
                    }
                }
                Ok(())
            }
            Content::List(items) => {
                items.iter().try_for_each(|item| self.merge(item, merged, depth + 1))
            }
            Content::Scalar(_) => {
                let place = format!("{}:{}:{}", self.name, named.line, named.column);
                Err(Error { place, message: "<< must name a map or several".to_owned() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(text: &str) -> Vec<String> {
        let documents = documents("f", text).unwrap_or_else(|error| panic!("{error}"));
        let entries = documents.iter().flatten();
        entries.map(|e| format!("{} {}={}", e.place, e.key, e.value)).collect()
    }

    #[test]
    fn maps_lists_anchors_and_documents() {
        let text =
            "a:\n  b: 1\n  c: [x, 'y']\nbase: &base\n  d: ~\nmore:\n  <<: *base\n---\ne: |\n  z\n";
        assert_eq!(
            flat(text),
            [
                "f:2:6 a.b=\"1\"",
                "f:3:6 a.c=[\"x\", \"y\"]",
                "f:5:6 base.d=\"\"",
                "f:5:6 more.d=\"\"",
                "f:10:3 e=\"z\\n\"",
            ]
        );
    }

    #[test]
    fn a_key_of_its_own_beats_one_that_is_merged() {
        let text = "b: &b {x: 1, y: 1}\nc: &c {y: 2, z: 2}\nm:\n  <<: [*b, *c]\n  x: 3\n\
                    n:\n  x: 4\n  <<: *b\n";
        let flat = flat(text);
        let of = |key: &str| -> Vec<&str> {
            flat.iter().filter_map(|entry| entry.split_once(key).map(|(_, rest)| rest)).collect()
        };
        assert_eq!(of(" m.x"), ["=\"3\""], "its own");
        assert_eq!(of(" m.y"), ["=\"1\""], "the first that is named");
        assert_eq!(of(" m.z"), ["=\"2\""]);
        assert_eq!(of(" n.x"), ["=\"4\""], "wherever it stands");
        assert!(documents("f", "a: {<<: b}").is_err());
    }

    #[test]
    fn files_made_to_hurt_are_refused() {
        let mut laughs = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, {k: v}]\n");
        for level in 1..12 {
            let before = level - 1;
            let row = vec![format!("*a{before}"); 10].join(", ");
            laughs.push_str(&format!("a{level}: &a{level} [{row}]\n"));
        }
        let deep = "[".repeat(10_000);
        let cases =
            [laughs.as_str(), &deep, "a: *a", "a: &a [*a]", "a: [", "? {b: c}\n: d", "a: b: c"];
        for bad in cases {
            assert!(documents("f", bad).is_err(), "{}", &bad[..bad.len().min(20)]);
        }
    }
}
