//! The threads and how work reaches them.
//!
//! Closing closes the queues; what was taken in before is still done. The writer leaves last: it
//! waits for the readers and the log's thread, empties the log, and gives the file up.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{JoinHandle, ThreadId};

use futures_channel::oneshot;
use orloj_store::{Error, Patience};
use rusqlite::Connection;

use crate::connection::{Reader, open_memory, open_mover, open_reader, open_writer};
use crate::log::{Bounds, Log, truncate};
use crate::options::{Options, Place};
use crate::owner::Owner;
use crate::queue::Queue;
use crate::schema::migrate;
use crate::writer::Writer;

pub(crate) type WriteTask = Box<dyn FnOnce(&mut Writer) + Send>;
pub(crate) type ReadTask = Box<dyn FnOnce(&Connection) + Send>;

/// Groups, acquisitions and beats under way at once; more means the disk does not keep up.
const WRITES_QUEUED_MAX: usize = 1_024;
const READS_QUEUED_MAX: usize = 4_096;
/// Enough that a listing does not hold up a load; more would only take cores from the writer.
const READERS: usize = 2;

pub(crate) struct Threads {
    writes: Arc<Queue<WriteTask>>,
    /// Absent in memory, where the writer's connection is the only one.
    reads: Option<Arc<Queue<ReadTask>>>,
    ending: Arc<Ending>,
    own: Vec<ThreadId>,
}

impl Threads {
    /// Opens the file, brings its schema up to date, and starts.
    pub(crate) fn start(options: &Options) -> Result<Self, Error> {
        let (writer, readers, owner) = match &options.place {
            Place::Memory => {
                let connection = open_memory()?;
                migrate(&connection)?;
                (Writer::new(connection, options.engine.clone(), None), Vec::new(), None)
            }
            Place::File(path) => {
                let owner = Owner::claim(path)?;
                let mut connection = open_writer(path, options.log_pages)?;
                migrate(&connection)?;
                let readers = (0..READERS).map(|_| open_reader(path));
                let readers = readers.collect::<Result<Vec<_>, _>>()?;
                let bounds = Bounds { pages: options.log_pages, pages_max: options.log_pages_max };
                let log = Log::start(&mut connection, open_mover(path)?, bounds)?;
                let writer = Writer::new(connection, options.engine.clone(), Some(log));
                (writer, readers, Some(owner))
            }
        };
        let writes = Arc::new(Queue::new(WRITES_QUEUED_MAX));
        let reads = owner.is_some().then(|| Arc::new(Queue::new(READS_QUEUED_MAX)));
        let ending = Arc::new(Ending::default());
        let mut threads = Self { writes, reads, ending, own: Vec::new() };
        if let Err(error) = threads.spawn(writer, readers, owner) {
            // Nobody else would.
            threads.ending.reach(&Err(error.clone()));
            return Err(error);
        }
        Ok(threads)
    }

    pub(crate) fn write(&self, task: WriteTask) -> Result<(), Error> {
        self.writes.push(task).map_err(refused)
    }

    pub(crate) fn read(&self, task: ReadTask) -> Result<(), Error> {
        match &self.reads {
            Some(reads) => reads.push(task).map_err(refused),
            None => self.write(Box::new(move |writer| task(&writer.connection))),
        }
    }

    /// Takes no more work.
    pub(crate) fn close(&self) {
        self.writes.close();
        if let Some(reads) = &self.reads {
            reads.close();
        }
    }

    pub(crate) fn ending(&self) -> &Ending {
        &self.ending
    }

    fn spawn(
        &mut self,
        writer: Writer,
        readers: Vec<Reader>,
        owner: Option<Owner>,
    ) -> Result<(), Error> {
        let mut handles = Vec::new();
        for reader in readers {
            let reads = self.reads.clone();
            handles.push(spawn("orloj-sqlite-read", move || {
                if let Some(reads) = reads {
                    run_reader(&reader, &reads);
                }
            })?);
        }
        let (writes, ending) = (Arc::clone(&self.writes), Arc::clone(&self.ending));
        self.own.extend(handles.iter().map(|handle| handle.thread().id()));
        let writing = spawn("orloj-sqlite-write", move || {
            run_writer(writer, &writes, handles, owner, &ending);
        })?;
        self.own.push(writing.thread().id());
        Ok(())
    }
}

impl Drop for Threads {
    /// The file is free when the store is gone.
    fn drop(&mut self) {
        self.close();
        // An answer may be the last to know the caller, and the caller the last to know the
        // store; then this is one of the threads to wait for.
        if !self.own.contains(&std::thread::current().id()) {
            self.ending.wait();
        }
    }
}

/// The moment when all threads have left.
#[derive(Default)]
pub(crate) struct Ending {
    state: Mutex<EndState>,
    reached: Condvar,
}

#[derive(Default)]
struct EndState {
    result: Option<Result<(), Error>>,
    waiting: Vec<oneshot::Sender<Result<(), Error>>>,
}

impl Ending {
    pub(crate) fn subscribe(&self) -> oneshot::Receiver<Result<(), Error>> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.result.clone() {
            // Nobody but the holder of the receiver could mind.
            Some(result) => drop(sender.send(result)),
            None => state.waiting.push(sender),
        }
        receiver
    }

    fn wait(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.result.is_none() {
            state = self.reached.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn reach(&self, result: &Result<(), Error>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.result.is_some() {
            return;
        }
        state.result = Some(result.clone());
        for sender in state.waiting.drain(..) {
            // Who dropped the receiver does not want to know.
            let _ = sender.send(result.clone());
        }
        self.reached.notify_all();
    }
}

fn run_reader(reader: &Reader, reads: &Queue<ReadTask>) {
    let _abandon = AbandonOnPanic(reads);
    let mut patience = Patience::default();
    while let Some(task) = reads.pop(&mut patience) {
        task(reader.start());
    }
}

fn run_writer(
    mut writer: Writer,
    writes: &Queue<WriteTask>,
    readers: Vec<JoinHandle<()>>,
    owner: Option<Owner>,
    ending: &Ending,
) {
    let _ended = EndOnPanic(ending);
    let _abandon = AbandonOnPanic(writes);
    let mut patience = Patience::default();
    while let Some(task) = writes.pop(&mut patience) {
        task(&mut writer);
    }
    for reader in readers {
        // One that panicked has abandoned its queue; its file handles are closed either way.
        let _ = reader.join();
    }
    let result = match &mut writer.log {
        Some(log) => {
            log.stop();
            truncate(&writer.connection)
        }
        None => Ok(()),
    };
    drop(writer);
    drop(owner);
    ending.reach(&result);
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, Error> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(run);
    thread.map_err(|error| Error::Unavailable(format!("cannot start a thread: {error}")))
}

fn refused(refusal: crate::queue::Refusal) -> Error {
    match refusal {
        crate::queue::Refusal::Closed => crate::error::closed(),
        crate::queue::Refusal::Full => Error::Unavailable("too many requests queued".to_owned()),
    }
}

/// Answers of tasks nobody will run are dropped, so that nobody waits for them.
struct AbandonOnPanic<'a, T>(&'a Queue<T>);

impl<T> Drop for AbandonOnPanic<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

struct EndOnPanic<'a>(&'a Ending);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.reach(&Err(Error::Unavailable("the writing thread panicked".to_owned())));
        }
    }
}
