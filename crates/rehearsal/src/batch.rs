//! Many runs on all cores. Nothing that a run does ends the program: a panic and a run that takes
//! too long are traces that say so.

#![expect(
    clippy::disallowed_methods,
    reason = "a driver: it waits for runs in real time and gives up those that take too long"
)]

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Once};
use std::thread;
use std::time::{Duration, Instant};

use crate::play::Stage;
use crate::run::Run;
use crate::trace::Trace;
use crate::watch::Watch;

/// Runs take milliseconds; one that takes this long goes round in circles.
const RUN_TIME_MAX: Duration = Duration::from_secs(10);
/// How often somebody looks whether a run takes too long.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Nesting is bounded by limits of its own, which are to be met before the stack ends.
const STACK_BYTES: usize = 64 << 20;
/// By which a panic of a run is told from others.
const THREAD: &str = "rehearsal";

/// Plays the runs on `cores` threads; `each` is given their traces in the order of the runs.
pub fn play_all(
    stage: &Arc<Stage>,
    runs: Vec<Run>,
    cores: usize,
    mut each: impl FnMut(Trace) -> io::Result<()>,
) -> io::Result<()> {
    keep_quiet();
    let (sender, receiver) = mpsc::channel();
    let crew = Arc::new(Crew { stage: stage.clone(), runs, next: AtomicUsize::new(0), sender });
    for _ in 0..cores.clamp(1, crew.runs.len().max(1)) {
        hire(&crew)?;
    }
    let mut at_work: BTreeMap<usize, (Instant, Watch)> = BTreeMap::new();
    let mut done: BTreeMap<usize, Trace> = BTreeMap::new();
    let mut told = 0;
    while told < crew.runs.len() {
        match receiver.recv_timeout(LOOK_EVERY) {
            Ok(Report::Began(run, watch)) => {
                at_work.insert(run, (Instant::now(), watch));
            }
            // What was given up has been told already.
            Ok(Report::Ended(run, trace)) => {
                if at_work.remove(&run).is_some() {
                    done.insert(run, *trace);
                }
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        let is_late = |(began, _): &(Instant, Watch)| began.elapsed() > RUN_TIME_MAX;
        let late: Vec<usize> =
            at_work.iter().filter(|(_, work)| is_late(work)).map(|(run, _)| *run).collect();
        for run in late {
            if let Some((_, watch)) = at_work.remove(&run) {
                watch.give_up();
                done.insert(run, failed(&crew.runs[run], "time-out"));
                hire(&crew)?;
            }
        }
        while let Some(trace) = done.remove(&told) {
            each(trace)?;
            told += 1;
        }
    }
    Ok(())
}

/// Plays one run under the same limits.
pub fn play_one(stage: &Arc<Stage>, run: Run) -> io::Result<Trace> {
    let mut played = failed(&run, "nothing was played");
    play_all(stage, vec![run], 1, |trace| {
        played = trace;
        Ok(())
    })?;
    Ok(played)
}

fn failed(run: &Run, why: &str) -> Trace {
    Trace::failed(&run.id, run.engine, why.to_owned())
}

/// What the threads share.
struct Crew {
    stage: Arc<Stage>,
    runs: Vec<Run>,
    next: AtomicUsize,
    sender: Sender<Report>,
}

enum Report {
    Began(usize, Watch),
    Ended(usize, Box<Trace>),
}

fn hire(crew: &Arc<Crew>) -> io::Result<()> {
    let crew = crew.clone();
    let worker = thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK_BYTES);
    worker.spawn(move || play_some(&crew)).map(drop)
}

fn play_some(crew: &Crew) {
    loop {
        let at = crew.next.fetch_add(1, Ordering::Relaxed);
        let Some(run) = crew.runs.get(at) else { return };
        let watch = Watch::default();
        if crew.sender.send(Report::Began(at, watch.clone())).is_err() {
            return;
        }
        let played = catch_unwind(AssertUnwindSafe(|| crew.stage.play_watched(run, &watch)));
        let trace = played.unwrap_or_else(|panic| failed(run, &told(&*panic)));
        let is_heard = crew.sender.send(Report::Ended(at, Box::new(trace))).is_ok();
        if watch.is_given_up() || !is_heard {
            // Somebody else has taken this place.
            return;
        }
    }
}

thread_local! {
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Panics of runs go into their traces and not to the terminal.
fn keep_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let loud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if thread::current().name() != Some(THREAD) {
                return loud(info);
            }
            let place = info.location().map(|place| format!("{}:{}", place.file(), place.line()));
            PLACE.with_borrow_mut(|kept| *kept = place);
        }));
    });
}

fn told(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    match PLACE.with_borrow_mut(Option::take) {
        Some(place) => format!("panic at {place}: {text}"),
        None => format!("panic: {text}"),
    }
}
