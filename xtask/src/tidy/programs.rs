//! Where one program runs all the test files of a package, none of them is forgotten.

use super::findings::Findings;
use super::tree::Tree;

/// The file that names the others as its modules.
const PROGRAM: &str = "all.rs";

pub fn check(tree: &Tree, findings: &mut Findings) {
    for program in tree.files().iter().filter(|file| file.path.ends_with("/tests/all.rs")) {
        let folder = program.path.trim_end_matches("/all.rs");
        let manifest = format!("{}/Cargo.toml", folder.trim_end_matches("/tests"));
        for file in tree.in_folder(folder).filter(|file| file.name() != PROGRAM) {
            let Some(name) = file.name().strip_suffix(".rs") else { continue };
            let is_module = names(program.lines(), &format!("mod {name};"));
            let is_program = tree
                .files()
                .iter()
                .find(|file| file.path == manifest)
                .is_some_and(|file| names(file.lines(), &format!("name = \"{name}\"")));
            if !is_module && !is_program {
                findings.problem(
                    &file.path,
                    format_args!("no test program runs it: {PROGRAM} lacks \"mod {name};\""),
                );
            }
        }
    }
}

fn names<'a>(mut lines: impl Iterator<Item = (usize, &'a str)>, wanted: &str) -> bool {
    lines.any(|(_, line)| line == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_file_that_nothing_names_is_found() {
        let tree = Tree::sketch(&[
            ("crates/a/Cargo.toml", "[[test]]\nname = \"own\"\n"),
            ("crates/a/tests/all.rs", "mod named;\nmod shared;\n"),
            ("crates/a/tests/named.rs", ""),
            ("crates/a/tests/own.rs", ""),
            ("crates/a/tests/lost.rs", ""),
            ("crates/a/tests/shared/mod.rs", ""),
            ("crates/b/tests/found_by_cargo.rs", ""),
        ]);
        let mut findings = Findings::default();
        check(&tree, &mut findings);
        assert_eq!(findings.problems.len(), 1, "{findings:?}");
        assert!(findings.problems[0].starts_with("crates/a/tests/lost.rs"), "{findings:?}");
    }
}
