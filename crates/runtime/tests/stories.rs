//! Every story at every depth: the interpreter alone, and the engine over each store.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use orloj::StoreChoice;
use orloj_testkit::story::{Database, Depth, Mismatch, Pure, Runtime, Story, check, parse};

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

/// Stories played at the same time, each on a store of its own: they mostly wait for a disk.
const AT_ONCE: usize = 4;

/// What a depth has: stories that need something else are not for it.
struct Can {
    /// Its state outlives the engine.
    restart: bool,
    /// Several nodes may share its store.
    cluster: bool,
}

/// Plays every story, also after one has failed, and shows those that did.
fn run_all(depth: &str, can: Can, play: impl Fn(&Story) -> Result<(), Box<Mismatch>> + Sync) {
    let mut stories = stories();
    stories.retain(|story| {
        (can.restart || !story.needs_restart()) && (can.cluster || !story.needs_cluster())
    });
    assert!(!stories.is_empty(), "no stories were found");
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(story) = stories.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(mismatch) = play(story) {
                        let mismatch = mismatch.at(depth).to_string();
                        failed.lock().expect("nobody panics with it").push(mismatch);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("nobody panicked with it");
    let count = stories.len();
    assert!(failed.is_empty(), "{} of {count}:\n\n{}", failed.len(), failed.join("\n\n"));
}

fn stories() -> Vec<Story> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of stories")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "story"))
        .collect();
    paths.sort();
    let only = std::env::var("ORLOJ_STORY").ok();
    let mut stories = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a readable story");
        let parsed = parse(&text).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        stories.extend(
            parsed.into_iter().filter(|story| {
                only.as_ref().is_none_or(|only| story.title.contains(only.as_str()))
            }),
        );
    }
    stories
}
