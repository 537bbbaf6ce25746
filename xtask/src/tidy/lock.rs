//! What may not enter the build: C toolchains beyond a compiler, second TLS libraries, crates from
//! anywhere but crates.io. cargo-deny says the same with more words, but only where it runs.

use super::findings::Findings;
use super::tree::Tree;

const BANNED: &[&str] =
    &["openssl", "openssl-sys", "native-tls", "aws-lc-rs", "aws-lc-sys", "cmake", "bindgen"];
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

pub fn check(tree: &Tree, findings: &mut Findings) {
    for file in tree.files().iter().filter(|file| file.name() == "Cargo.lock") {
        for (number, line) in file.lines() {
            let place = format!("{}:{number}", file.path);
            if let Some(name) = value(line, "name")
                && BANNED.contains(&name)
            {
                findings.problem(
                    &place,
                    format_args!("{name} is banned; who brings it: cargo tree -i {name} -e all"),
                );
            }
            if let Some(source) = value(line, "source")
                && source != REGISTRY
            {
                findings.problem(&place, format_args!("a crate from {source}"));
            }
        }
    }
}

fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.strip_prefix(" = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let mut findings = Findings::default();
        check(&Tree::sketch(&[("Cargo.lock", text)]), &mut findings);
        findings.problems
    }

    #[test]
    fn banned_crates_and_other_sources_are_found() {
        let lock = format!(
            "[[package]]\nname = \"openssl-probe\"\nsource = \"{REGISTRY}\"\n\
             [[package]]\nname = \"bindgen\"\nsource = \"{REGISTRY}\"\n\
             [[package]]\nname = \"fork\"\nsource = \"git+https://example.org/fork\"\n"
        );
        let found = problems(&lock);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("Cargo.lock:5: bindgen is banned"), "{found:?}");
        assert!(found[1].contains("git+https://example.org/fork"), "{found:?}");
    }

    #[test]
    fn a_dependency_list_is_not_a_package() {
        assert_eq!(problems("dependencies = [\n \"cmake\",\n]\n"), [] as [&str; 0]);
    }
}
