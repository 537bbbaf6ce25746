//! Both stores change their layout in the same steps: equal file names, numbers zero-padded and
//! given once.

use std::collections::BTreeMap;

use super::findings::Findings;
use super::tree::{File, Tree};

const STORES: [&str; 2] = ["crates/store-sqlite", "crates/store-postgres"];
/// `0001_name.sql`: sorts as text until 9999, which is further than a schema should get.
const NUMBER_DIGITS: usize = 4;

pub fn check(tree: &Tree, findings: &mut Findings) {
    for store in STORES {
        check_numbers(tree, &format!("{store}/migrations"), findings);
    }
    for (folder, names) in differences(tree) {
        for name in names {
            findings.problem(
                format_args!("{folder}/{name}"),
                "the other store has no migration of this name",
            );
        }
    }
}

fn check_numbers(tree: &Tree, folder: &str, findings: &mut Findings) {
    let mut given: BTreeMap<&str, &str> = BTreeMap::new();
    for file in tree.in_folder(folder) {
        let name = file.name();
        let digits = name.find(|character: char| !character.is_ascii_digit()).unwrap_or(0);
        let number = &name[..digits];
        let rest = &name[digits..];
        if digits != NUMBER_DIGITS || !rest.starts_with(['_', '-']) || !rest.ends_with(".sql") {
            findings.problem(
                &file.path,
                format_args!(
                    "a migration is called {}_name.sql",
                    "0".repeat(NUMBER_DIGITS - 1) + "1"
                ),
            );
            continue;
        }
        if let Some(other) = given.insert(number, name) {
            findings.problem(&file.path, format_args!("number {number} is also that of {other}"));
        }
    }
}

/// For each store its folder and the names of the SQL files that only it has.
fn differences<'a>(tree: &'a Tree) -> [(String, Vec<&'a str>); 2] {
    let folders = STORES.map(|store| format!("{store}/migrations"));
    let [sqlite, postgres] = [&folders[0], &folders[1]].map(|folder| sql(tree, folder));
    let only = |here: &[&'a str], there: &[&'a str]| {
        here.iter().copied().filter(|name| !there.contains(name)).collect()
    };
    let [sqlite_folder, postgres_folder] = folders;
    [(sqlite_folder, only(&sqlite, &postgres)), (postgres_folder, only(&postgres, &sqlite))]
}

fn sql<'a>(tree: &'a Tree, folder: &str) -> Vec<&'a str> {
    tree.in_folder(folder).map(File::name).filter(|name| name.ends_with(".sql")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(paths: &[&str]) -> Findings {
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (*path, "")).collect();
        let mut findings = Findings::default();
        check(&Tree::sketch(&files), &mut findings);
        findings
    }

    #[test]
    fn equal_names_pass() {
        let found = findings(&[
            "crates/store-sqlite/migrations/0001_first.sql",
            "crates/store-postgres/migrations/0001_first.sql",
        ]);
        assert!(found.problems.is_empty(), "{found:?}");
    }

    #[test]
    fn a_migration_of_one_store_only_fails() {
        let found = findings(&[
            "crates/store-sqlite/migrations/0001_first.sql",
            "crates/store-postgres/migrations/0001_first.sql",
            "crates/store-postgres/migrations/0002_second.sql",
        ]);
        assert_eq!(found.problems.len(), 1, "{found:?}");
        assert!(found.problems[0].starts_with("crates/store-postgres/migrations/0002_second.sql"));
    }

    #[test]
    fn a_number_given_twice_or_unpadded_fails() {
        let both = |name: &str| STORES.map(|store| format!("{store}/migrations/{name}"));
        let paths = [both("0001_a.sql"), both("0001_b.sql"), both("2_c.sql"), both("readme.sql")];
        let paths: Vec<&str> = paths.iter().flatten().map(String::as_str).collect();
        let found = findings(&paths);
        assert_eq!(found.problems.len(), 6, "{found:?}");
        assert!(found.problems[0].contains("is also that of 0001_a.sql"), "{found:?}");
    }
}
