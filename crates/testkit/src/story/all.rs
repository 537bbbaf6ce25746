//! All stories of a folder, at one depth.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::ast::Story;
use super::mismatch::Mismatch;
use super::parse::parse;

/// Stories played at the same time, each on a store of its own: they mostly wait for a disk.
const AT_ONCE: usize = 4;

/// What a depth has: stories that need something else are not for it.
#[derive(Clone, Copy, Debug)]
pub struct Can {
    /// Its state outlives the engine.
    pub restart: bool,
    /// Several nodes may share its store.
    pub cluster: bool,
}

/// Plays every story, also after one has failed, and shows those that did. With `ORLOJ_STORY` only
/// those with that in their title.
pub fn play_all(
    folder: &Path,
    depth: &str,
    can: Can,
    play: impl Fn(&Story) -> Result<(), Box<Mismatch>> + Sync,
) {
    let mut stories = stories(folder);
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

fn stories(folder: &Path) -> Vec<Story> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
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
