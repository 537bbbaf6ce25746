//! The README shows this program; here it is compiled and run, and compared with the page.

#[path = "../examples/order.rs"]
mod order;

#[test]
fn the_readme_shows_the_example_that_runs() {
    let readme = include_str!("../../../README.md");
    let example = include_str!("../examples/order.rs");
    let code = example.split_once("\n\n").expect("a module doc first").1;
    assert!(readme.contains(code), "README.md and crates/runtime/examples/order.rs differ");
    order::main().expect("the example runs");
}
