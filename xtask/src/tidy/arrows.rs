//! Dependencies between our own crates point one way. The table is the decision; an arrow that is
//! not in it is a mistake or a decision record that has not been written yet.

use serde_json::Value;

use super::findings::Findings;
use crate::workspace;

/// What one package may use of our own packages, besides `orloj-types`, which all may.
struct Row {
    package: &'static str,
    uses: Uses,
    /// Used only behind a cargo feature: (package, feature). The feature is on by default.
    optional: &'static [(&'static str, &'static str)],
}

enum Uses {
    Only(&'static [&'static str]),
    Anything,
}

const TYPES: &str = "orloj-types";
/// A dev-dependency of whoever likes; otherwise only of those that may use anything.
const TESTKIT: &str = "orloj-testkit";

const TABLE: &[Row] = &[
    row("orloj-types", &[]),
    row("orloj-expr", &[]),
    row("orloj-timer", &[]),
    row("orloj-xml", &[]),
    row("orloj-settings", &["orloj-expr", "orloj-timer"]),
    row("orloj-config-import", &["orloj-settings", "orloj-xml"]),
    row("orloj-model", &["orloj-expr", "orloj-timer", "orloj-xml"]),
    row("orloj-dmn", &["orloj-expr", "orloj-xml"]),
    row("orloj-groovy", &["orloj-expr"]),
    row("orloj-script", &["orloj-expr", "orloj-groovy"]),
    row("orloj-interpreter", &["orloj-expr", "orloj-model", "orloj-timer"]),
    row("orloj-calls", &["orloj-model", "orloj-dmn", "orloj-script", "orloj-interpreter"]),
    row("orloj-store", &[]),
    row("orloj-store-sqlite", &["orloj-store"]),
    row("orloj-store-postgres", &["orloj-store"]),
    row("orloj-executor", &["orloj-store"]),
    Row {
        package: "orloj",
        uses: Uses::Only(&[
            "orloj-expr",
            "orloj-xml",
            "orloj-model",
            "orloj-dmn",
            "orloj-script",
            "orloj-interpreter",
            "orloj-calls",
            "orloj-settings",
            "orloj-timer",
            "orloj-store",
            "orloj-executor",
        ]),
        optional: &[("orloj-store-sqlite", "sqlite"), ("orloj-store-postgres", "postgres")],
    },
    row("orloj-api-orloj", &["orloj"]),
    row("orloj-api-zeebe", &["orloj"]),
    row("orloj-server", &["orloj", "orloj-api-orloj", "orloj-api-zeebe", "orloj-settings"]),
    row(
        "orloj-rehearsal",
        &[
            "orloj-expr",
            "orloj-xml",
            "orloj-model",
            "orloj-dmn",
            "orloj-timer",
            "orloj-script",
            "orloj-interpreter",
            "orloj-calls",
        ],
    ),
    row(
        "orloj-cli",
        &[
            "orloj-server",
            "orloj-expr",
            "orloj-timer",
            "orloj-dmn",
            "orloj-script",
            "orloj-model",
            "orloj-rehearsal",
            "orloj-settings",
            "orloj-config-import",
        ],
    ),
    row(
        "orloj-conformance",
        &[
            "orloj",
            "orloj-interpreter",
            "orloj-store-sqlite",
            "orloj-store-postgres",
            "orloj-expr",
            "orloj-xml",
            "orloj-model",
            "orloj-dmn",
            "orloj-groovy",
            "orloj-script",
            "orloj-rehearsal",
        ],
    ),
    row(
        TESTKIT,
        &[
            "orloj-expr",
            "orloj-model",
            "orloj-dmn",
            "orloj-interpreter",
            "orloj-store",
            "orloj-executor",
            "orloj",
        ],
    ),
    Row { package: "orloj-bench", uses: Uses::Anything, optional: &[] },
    // The tool that judges the others knows none of them.
    row("xtask", &[]),
];

const fn row(package: &'static str, uses: &'static [&'static str]) -> Row {
    Row { package, uses: Uses::Only(uses), optional: &[] }
}

pub fn check(metadata: &Value, findings: &mut Findings) {
    let packages = workspace::packages(metadata);
    let ours: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let Some(row) = TABLE.iter().find(|row| row.package == name) else {
            findings.problem(name, "this package is not in the table of arrows");
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = dependency["name"].as_str().unwrap_or_default();
            if !ours.contains(&used) {
                continue;
            }
            let is_dev = dependency["kind"] == "dev";
            if let Some((_, feature)) = row.optional.iter().find(|(package, _)| *package == used) {
                if !is_dev {
                    check_optional(package, dependency, feature, findings);
                }
            } else if !row.allows(used, is_dev) {
                findings.problem(
                    name,
                    format_args!("must not use {used}: the arrow is not in the table"),
                );
            }
        }
    }
}

impl Row {
    fn allows(&self, used: &str, is_dev: bool) -> bool {
        match self.uses {
            Uses::Anything => true,
            // The xtask stays outside even of types: it must build while they are broken.
            Uses::Only(allowed) => {
                allowed.contains(&used)
                    || (used == TYPES && self.package != "xtask")
                    || (used == TESTKIT && is_dev)
            }
        }
    }
}

fn check_optional(package: &Value, dependency: &Value, feature: &str, findings: &mut Findings) {
    let name = package["name"].as_str().unwrap_or_default();
    let used = dependency["name"].as_str().unwrap_or_default();
    if dependency["optional"] != true {
        findings.problem(name, format_args!("{used} must be optional (feature `{feature}`)"));
    }
    let features = &package["features"];
    let turns_on = |feature: &str, wanted: &str| {
        features[feature].as_array().is_some_and(|list| list.iter().any(|item| item == wanted))
    };
    if !turns_on(feature, &format!("dep:{used}")) {
        findings.problem(name, format_args!("feature `{feature}` must turn on dep:{used}"));
    }
    if !turns_on("default", feature) {
        findings.problem(name, format_args!("feature `{feature}` must be on by default"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(packages: Value) -> Vec<String> {
        let mut findings = Findings::default();
        check(&json!({ "packages": packages }), &mut findings);
        findings.problems
    }

    fn normal(name: &str) -> Value {
        json!({"name": name, "kind": null, "optional": false})
    }

    fn dev(name: &str) -> Value {
        json!({"name": name, "kind": "dev", "optional": false})
    }

    #[test]
    fn arrows_of_the_table_and_foreign_crates_pass() {
        assert_eq!(
            problems(json!([
                {"name": "orloj-types", "dependencies": [normal("serde")]},
                {"name": "orloj-testkit", "dependencies": [normal("orloj-store")]},
                {"name": "orloj-store", "dependencies": [normal("orloj-types"), dev("orloj-testkit")]},
                {"name": "orloj-bench", "dependencies": [normal("orloj-testkit")]},
            ])),
            [] as [&str; 0]
        );
    }

    #[test]
    fn an_arrow_against_the_direction_fails() {
        assert_eq!(
            problems(json!([
                {"name": "orloj-store", "dependencies": []},
                {"name": "orloj-interpreter", "dependencies": [normal("orloj-store")]},
            ])),
            ["orloj-interpreter: must not use orloj-store: the arrow is not in the table"]
        );
    }

    #[test]
    fn the_testkit_is_a_dev_dependency_only() {
        let testkit = json!({"name": "orloj-testkit", "dependencies": []});
        let found = problems(
            json!([testkit, {"name": "orloj", "dependencies": [normal("orloj-testkit")]}]),
        );
        assert_eq!(found.len(), 1, "{found:?}");
        let found =
            problems(json!([testkit, {"name": "orloj", "dependencies": [dev("orloj-testkit")]}]));
        assert_eq!(found.len(), 0, "{found:?}");
    }

    #[test]
    fn a_package_outside_the_table_fails() {
        assert_eq!(
            problems(json!([{"name": "orloj-utils", "dependencies": []}])),
            ["orloj-utils: this package is not in the table of arrows"]
        );
    }

    #[test]
    fn stores_are_optional_in_the_runtime_and_on_by_default() {
        let runtime = |optional: bool, features: Value| {
            json!([
                {"name": "orloj-store-sqlite", "dependencies": []},
                {"name": "orloj", "features": features, "dependencies": [
                    {"name": "orloj-store-sqlite", "kind": null, "optional": optional},
                ]},
            ])
        };
        let right = json!({"default": ["sqlite"], "sqlite": ["dep:orloj-store-sqlite"]});
        assert_eq!(problems(runtime(true, right.clone())), [] as [&str; 0]);
        assert_eq!(problems(runtime(false, right)).len(), 1);
        let off = json!({"default": [], "sqlite": ["dep:orloj-store-sqlite"]});
        assert_eq!(problems(runtime(true, off)), ["orloj: feature `sqlite` must be on by default"]);
    }

    #[test]
    fn the_table_has_no_cycle() {
        fn visit(package: &str, path: &mut Vec<String>) {
            assert!(!path.iter().any(|seen| seen == package), "cycle: {path:?} {package}");
            path.push(package.to_owned());
            let row = TABLE.iter().find(|row| row.package == package).unwrap();
            if let Uses::Only(used) = row.uses {
                let optional = row.optional.iter().map(|(package, _)| package);
                used.iter().chain(optional).for_each(|package| visit(package, path));
            }
            path.pop();
        }
        for row in TABLE {
            visit(row.package, &mut Vec::new());
        }
    }
}
