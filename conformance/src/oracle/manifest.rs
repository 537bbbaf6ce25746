//! What the files of the corpus contain, by its manifest.

use std::collections::{BTreeMap, BTreeSet};

/// By the name of the file.
#[derive(Default)]
pub struct Manifest(BTreeMap<String, Entry>);

pub struct Entry {
    /// How a file can be run: by itself, with companions, with stubs.
    pub class: String,
    /// Elements, events and languages in it.
    pub features: BTreeSet<String>,
}

impl Manifest {
    /// Reads rows of name, origin, path, class, features and more; others are left out.
    pub fn parse(text: &str) -> Self {
        let row = |line: &str| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [name, _, _, class, features, ..] = cells[..] else { return None };
            // How often a feature occurs stands behind a star.
            let kind = |feature: &str| feature.split('*').next().unwrap_or_default().to_owned();
            let features = features.split(',').map(kind).collect();
            Some((name.to_owned(), Entry { class: class.to_owned(), features }))
        };
        Self(text.lines().skip(1).filter_map(row).collect())
    }

    /// Of the subject of a run, whose id begins with the file's name.
    pub fn of_run(&self, id: &str) -> Option<&Entry> {
        self.0.get(id.split('#').next().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_the_run() {
        let manifest = Manifest::parse("name\torigin\n\na/x.bpmn\to\tp\ta\tuser*3,uel\t-\t-\n");
        let entry = manifest.of_run("a/x.bpmn#p#0#forward").unwrap();
        assert_eq!(entry.class, "a");
        assert_eq!(entry.features.iter().collect::<Vec<_>>(), ["uel", "user"]);
        assert!(manifest.of_run("a/y.bpmn#p").is_none());
    }
}
