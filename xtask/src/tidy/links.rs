//! Relative links in Markdown lead to files of the tree.

use super::findings::Findings;
use super::tree::Tree;

pub fn check(tree: &Tree, findings: &mut Findings) {
    for file in tree.with_extension(&["md"]) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut in_code = false;
        for (number, line) in file.lines() {
            if line.trim_start().starts_with("```") {
                in_code = !in_code;
                continue;
            }
            if in_code {
                continue;
            }
            for target in targets(line) {
                if !is_relative(&target) {
                    continue;
                }
                match resolve(folder, &target) {
                    Some(path) if tree.has(&path) => {}
                    _ => findings.problem(
                        format_args!("{}:{number}", file.path),
                        format_args!("dead link {target}"),
                    ),
                }
            }
        }
    }
}

/// The targets of `[text](target)` and of `[name]: target` in a line, code spans left out.
fn targets(line: &str) -> Vec<String> {
    let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
    let mut targets: Vec<String> = prose
        .match_indices("](")
        .filter_map(|(at, _)| target_of(&prose[at + 2..], Some(')')))
        .collect();
    if let Some((name, rest)) = prose.trim_start().split_once("]:")
        && name.starts_with('[')
        && !name.starts_with("[^")
    {
        targets.extend(target_of(rest, None));
    }
    targets
}

/// The target at the start of `rest`: up to a space (then comes a title) or `end`.
fn target_of(rest: &str, end: Option<char>) -> Option<String> {
    let rest = rest.trim_start();
    if let Some(bracketed) = rest.strip_prefix('<') {
        return bracketed.split_once('>').map(|(target, _)| target.to_owned());
    }
    let stop = |character: char| character.is_whitespace() || Some(character) == end;
    let target = rest.split(stop).next().unwrap_or_default();
    (!target.is_empty()).then(|| target.to_owned())
}

fn is_relative(target: &str) -> bool {
    !(target.starts_with('#') || target.starts_with("mailto:") || target.contains("://"))
}

/// The path from the root, or nothing where the link leaves the tree.
fn resolve(folder: &str, target: &str) -> Option<String> {
    let path = target.split(['#', '?']).next().unwrap_or_default().replace("%20", " ");
    if path.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let tree = Tree::sketch(&[
            ("docs/guides/start.md", text),
            ("docs/adr/0001-keys.md", ""),
            ("README.md", ""),
            ("docs/guides/a picture.png", ""),
        ]);
        let mut findings = Findings::default();
        check(&tree, &mut findings);
        findings.problems
    }

    #[test]
    fn living_links_pass() {
        let text = "[keys](../adr/0001-keys.md#layout), [all](../adr), [me](start.md \"title\")\n\
                    ![picture](<a picture.png>) ![same](a%20picture.png)\n\
                    [web](https://example.org/x.md) [mail](mailto:a@b.c) [here](#top)\n\
                    [readme]: ../../README.md\n[^1]: a footnote, not a link\n";
        assert_eq!(problems(text), [] as [&str; 0]);
    }

    #[test]
    fn dead_links_are_named_with_their_place() {
        let text =
            "fine\n[a](gone.md) and [b](../adr/0002.md)\n[c]: ../../../outside.md\n[d](/etc)\n";
        assert_eq!(
            problems(text),
            [
                "docs/guides/start.md:2: dead link gone.md",
                "docs/guides/start.md:2: dead link ../adr/0002.md",
                "docs/guides/start.md:3: dead link ../../../outside.md",
                "docs/guides/start.md:4: dead link /etc",
            ]
        );
    }

    #[test]
    fn code_is_not_prose() {
        let text =
            "call `f[i](gone.md)` so:\n```rust\nlet x = table[i](gone);\n```\n[a](gone.md)\n";
        assert_eq!(problems(text), ["docs/guides/start.md:5: dead link gone.md"]);
    }
}
