//! No file tells on which machine it was written: no absolute paths into somebody's folders, no
//! host from which packages happened to be fetched.

use super::findings::Findings;
use super::tree::Tree;

/// Written in pieces, because this file is judged like every other.
const FOLDERS: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/ho", "me/")];
const HOSTS: &[&str] = &[
    concat!("registry.", "npmjs.org"),
    concat!("registry.", "yarnpkg.com"),
    concat!("files.", "pythonhosted.org"),
    concat!("pypi.org", "/simple"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
];
/// Host names that only one network knows.
const PRIVATE_ENDINGS: &[&str] = &[".internal", ".corp", ".lan", ".local"];

pub fn check(tree: &Tree, findings: &mut Findings) {
    for file in tree.files() {
        for (number, line) in file.lines() {
            let place = format!("{}:{number}", file.path);
            for folder in FOLDERS.iter().filter(|folder| has_path(line, folder)) {
                findings.problem(&place, format_args!("a path of one machine ({folder}…)"));
            }
            for host in HOSTS.iter().filter(|host| line.contains(**host)) {
                findings.problem(&place, format_args!("a package registry's host ({host})"));
            }
            if let Some(host) = private_host(line) {
                findings.problem(&place, format_args!("a host of one network ({host})"));
            }
        }
    }
}

/// Whether an absolute path begins with `folder`, as opposed to a longer path or URL containing it.
fn has_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-/*}>)$~".contains(c))
    })
}

fn private_host(line: &str) -> Option<&str> {
    line.match_indices("://").find_map(|(at, separator)| {
        let rest = &line[at + separator.len()..];
        let is_part =
            |character: char| character.is_ascii_alphanumeric() || ".-".contains(character);
        let host = rest.split(|character| !is_part(character)).next().unwrap_or_default();
        PRIVATE_ENDINGS.iter().any(|ending| host.ends_with(ending)).then_some(host)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(line: &str) -> usize {
        let mut findings = Findings::default();
        check(&Tree::sketch(&[("docs/a.md", line)]), &mut findings);
        findings.problems.len()
    }

    #[test]
    fn machine_paths_and_registry_hosts_are_found() {
        for folder in FOLDERS {
            assert_eq!(problems(&format!("see `{folder}anna/notes`")), 1, "{folder}");
            assert_eq!(problems(&format!("{folder}x")), 1, "{folder}");
        }
        for host in HOSTS {
            assert_eq!(problems(&format!("\"resolved\": \"https://{host}/a.tgz\"")), 1, "{host}");
        }
        assert_eq!(problems(concat!("https://mirror.build", ".internal/a")), 1);
    }

    #[test]
    fn relative_paths_urls_and_other_roots_pass() {
        for line in [
            concat!("docs/wo", "rk/plan.md"),
            concat!("https://example.org/ho", "me/x"),
            concat!("$ROOT/wo", "rk/x"),
            "/usr/lib/postgresql/15/bin",
            "https://crates.io/crates/orloj",
            "http://localhost:8080/api",
        ] {
            assert_eq!(problems(line), 0, "{line}");
        }
    }
}
