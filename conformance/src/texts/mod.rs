//! Every expression that BPMN and DMN files contain, parsed.

mod bpmn;
mod dmn;
mod language;
mod script;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use orloj_xml::{Places, build_tree, decode, gate};

use language::Text;
use script::ScriptParsers;

/// Refused texts shown for each language.
const SHOWN_MAX: usize = 200;

#[derive(Default)]
struct Count {
    texts: usize,
    parsed: usize,
    refused: Vec<String>,
}

pub fn run(folder: &Path) -> Result<()> {
    let mut counts: BTreeMap<String, Count> = BTreeMap::new();
    let mut unread = Vec::new();
    let scripts = ScriptParsers::default();
    let mut uncounted: BTreeMap<String, usize> = BTreeMap::new();
    for path in crate::files::find(folder, &["bpmn", "dmn", "xml"])? {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let bytes = std::fs::read(&path)?;
        let texts = match texts_of(&bytes) {
            Ok(texts) => texts,
            Err(reason) => {
                unread.push(format!("{name}: {reason}"));
                continue;
            }
        };
        for text in texts {
            let Some(outcome) = text.parse(&scripts) else {
                *uncounted.entry(text.language.to_string()).or_default() += 1;
                continue;
            };
            let count = counts.entry(text.language.to_string()).or_default();
            count.texts += 1;
            match outcome {
                Ok(()) => count.parsed += 1,
                Err(reason) => count.refused.push(format!("{name}: {:?}: {reason}", text.text)),
            }
        }
    }
    print(&counts, &uncounted, &unread);
    Ok(())
}

fn texts_of(bytes: &[u8]) -> Result<Vec<Text>, String> {
    let reason = |refusal: orloj_xml::Refusal| format!("{} [{}]", refusal.message, refusal.code);
    gate::check_size(bytes).map_err(reason)?;
    let text = decode(bytes).map_err(reason)?;
    gate::check(&Places::new(&text)).map_err(reason)?;
    let tree = build_tree(&text).map_err(reason)?;
    let root = tree.root_element();
    Ok(match root.tag_name().name() {
        "definitions" if bpmn::is_bpmn(root) => bpmn::texts(root),
        "definitions" => dmn::texts(root),
        _ => Vec::new(),
    })
}

fn print(counts: &BTreeMap<String, Count>, uncounted: &BTreeMap<String, usize>, unread: &[String]) {
    let (mut texts, mut parsed) = (0, 0);
    for (language, count) in counts {
        println!("{language:<24} {:>5} of {:>5} parsed", count.parsed, count.texts);
        texts += count.texts;
        parsed += count.parsed;
    }
    for (language, count) in uncounted {
        println!("{language:<24} {count:>5} scripts, without a parser");
    }
    for (language, count) in counts.iter().filter(|(_, count)| !count.refused.is_empty()) {
        println!("\n{language}, refused:");
        for line in count.refused.iter().take(SHOWN_MAX) {
            println!("  {line}");
        }
        if count.refused.len() > SHOWN_MAX {
            println!("  and {} more", count.refused.len() - SHOWN_MAX);
        }
    }
    if !unread.is_empty() {
        println!("\nfiles that are no XML:");
        unread.iter().for_each(|line| println!("  {line}"));
    }
    println!("{parsed} of {texts} texts");
}
