//! Which structures a deployment takes and which it refuses, as the published engines did: Camunda
//! 7.24, Flowable 8.0 and Zeebe 8.8 were asked about every case of the table.
//!
//! A line is what each of the three said, a name, and what stands inside of `definitions`.

use orloj_model::{Dialect, Options, Severity, parse};

const CASES: [&str; 2] =
    [include_str!("verdicts/structure.tsv"), include_str!("verdicts/oddities.tsv")];

/// Where this parser answers differently.
const DIFFERENCES: &[(Dialect, &str, &str)] = &[
    (Dialect::Camunda7, "ts-cyc-c10", "a timer that never fires is harmless"),
    (Dialect::Flowable, "ts-cyc-c7", "a negative number of repetitions has no meaning"),
    (Dialect::Zeebe, "z2-sc-t", "what an event names that is never compensated is not looked at"),
    (Dialect::Zeebe, "z2-th-sc", "what a definition without effect names is not looked at"),
    (Dialect::Zeebe, "x-abstract-typed", "types of elements are not followed that far"),
];

fn file(inside: &str) -> String {
    let namespaces = concat!(
        r#"xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL""#,
        r#" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance""#,
        r#" xmlns:camunda="http://camunda.org/schema/1.0/bpmn""#,
        r#" xmlns:flowable="http://flowable.org/bpmn""#,
        r#" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0""#,
        r#" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI""#,
        r#" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC""#,
        r#" xmlns:di="http://www.omg.org/spec/DD/20100524/DI""#,
        r#" targetNamespace="t" xmlns:tns="t" xmlns:oth="o""#,
    );
    format!("<definitions {namespaces}>{inside}</definitions>")
}

fn check(dialect: Dialect, column: usize) {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in CASES.iter().flat_map(|cases| cases.lines()) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (verdict, name) = (columns[column], columns[3]);
        if verdict == "-" {
            continue;
        }
        count += 1;
        let parsed = parse(file(columns[4]).as_bytes(), &Options::of(dialect));
        let problem = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error);
        let is_same = problem.is_none() == (verdict == "ok");
        let differs = DIFFERENCES.iter().any(|known| known.0 == dialect && known.1 == name);
        if is_same == differs {
            let problem = problem.map(ToString::to_string).unwrap_or_default();
            wrong.push(format!("{name}: {verdict} by {dialect}; {problem}"));
        }
    }
    assert!(count > 500, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn camunda() {
    check(Dialect::Camunda7, 0);
}

#[test]
fn flowable() {
    check(Dialect::Flowable, 1);
}

#[test]
fn zeebe() {
    check(Dialect::Zeebe, 2);
}
