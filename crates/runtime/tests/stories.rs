//! Every story at every depth: the interpreter alone, and the engine over each store.

use std::path::Path;

use orloj::StoreChoice;
use orloj_testkit::story::{
    Can, Database, Depth, Mismatch, Pure, Runtime, Story, check, parse, play_all,
};

#[test]
fn on_the_interpreter_alone() {
    run_all("interpreter", Can { restart: true, cluster: false }, |story| {
        check(story, &mut Pure::new(story))
    });
}

#[test]
fn over_sqlite_in_memory() {
    run_all("SQLite in memory", Can { restart: false, cluster: false }, |story| {
        play(story, StoreChoice::Memory)
    });
}

#[test]
fn over_a_sqlite_file() {
    run_all("SQLite file", Can { restart: true, cluster: false }, |story| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        play(story, StoreChoice::SqliteFile(folder.path().join("story.db")))
    });
}

#[test]
fn over_postgres() {
    run_all("PostgreSQL", Can { restart: true, cluster: true }, |story| {
        let database = Database::create();
        play(story, StoreChoice::Postgres(database.url()))
    });
}

/// A planted mistake in a story must be found, and shown where it is.
#[test]
fn a_story_that_lies_is_shown_with_its_line() {
    let text = "story \"a lie\"\n  process p: start -> ask{user} -> end\n  start p | token at ask\n  look | instance ended\n";
    let story = parse(text).expect("a story").remove(0);
    let shown = check(&story, &mut Pure::new(&story)).expect_err("it lies").at("here").to_string();
    let expected = "\
the story did not go as told (here):

       1  story \"a lie\"
       2    process p: start -> ask{user} -> end
       3    start p | token at ask
>>>    4    look | instance ended

expected: instance ended
but the instance is Alive

seen:
p lives, variables {}
  went start ask
  token at ask
  task at ask
";
    assert_eq!(shown, expected);
}

fn play(story: &Story, choice: StoreChoice) -> Result<(), Box<Mismatch>> {
    let mut depth = Runtime::new(story, choice);
    let played = check(story, &mut depth as &mut dyn Depth);
    depth.close();
    played
}

fn run_all(depth: &str, can: Can, play: impl Fn(&Story) -> Result<(), Box<Mismatch>> + Sync) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories");
    play_all(&folder, depth, can, play);
}
