//! What holds for every model.

mod support;

use orloj_dmn::{Model, Options};
use proptest::prelude::*;
use support::{decision, file, json, literal, model, needs_decision};

/// A graph in which each decision adds some of those before it.
fn graph(edges: &[Vec<usize>]) -> String {
    let mut body = String::new();
    for (at, edges) in edges.iter().enumerate() {
        let before: Vec<usize> = edges.iter().map(|edge| edge % at.max(1)).collect();
        let before = if at == 0 { Vec::new() } else { before };
        let needs: String = before.iter().map(|b| needs_decision(&format!("d{b}"))).collect();
        let sum: String = before.iter().map(|b| format!(" + d{b}")).collect();
        body += &decision(&format!("d{at}"), &needs, &literal(&format!("{at}{sum}")));
    }
    body
}

/// The same without sharing anything.
fn expected(edges: &[Vec<usize>], at: usize) -> u64 {
    let before = edges[at].iter().filter(|_| at > 0).map(|edge| edge % at.max(1));
    at as u64 + before.map(|b| expected(edges, b)).sum::<u64>()
}

proptest! {
    #[test]
    fn each_decision_is_evaluated_once_and_the_result_is_the_same(
        edges in prop::collection::vec(prop::collection::vec(0_usize..100, 0..3), 1..12)
    ) {
        let last = edges.len() - 1;
        let found = json(&model(&graph(&edges)), &format!("d{last}"), "");
        prop_assert_eq!(found, expected(&edges, last).to_string());
    }

    #[test]
    fn any_bytes_give_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Model::parse(&bytes, &Options::default());
    }

    #[test]
    fn any_damage_to_a_model_gives_an_answer(
        cut in 0_usize..2_000, insert in "[<>\"/a-z ]{0,8}"
    ) {
        let logic = support::table(
            r#"hitPolicy="COLLECT""#, &["x"], &[r#"<output name="a"/>"#], &["< 1 => 2", "- => x"],
        );
        let mut text = file(&(support::input("x") + &decision("d", "", &logic)));
        let cut = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.insert_str(cut, &insert);
        if let Ok(model) = Model::parse(text.as_bytes(), &Options::default()) {
            let _ = support::evaluate(&model, "d", r#"{"x": 0}"#);
        }
    }
}
