use std::path::PathBuf;

use orloj_types::EngineName;

/// About 80 MB: large enough that pages written often are moved into the file once for many
/// commits, small enough to be read through in a tenth of a second after a crash.
pub const LOG_PAGES: u32 = 20_000;
/// About 400 MB.
pub const LOG_PAGES_MAX: u32 = 100_000;

#[derive(Clone, Debug)]
pub struct Options {
    pub place: Place,
    pub engine: EngineName,
    /// From this many pages on the write-ahead log is moved into the file beside the writing.
    pub log_pages: u32,
    /// At this many pages commits wait until the log was emptied, and are refused when a reader
    /// prevents it.
    pub log_pages_max: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    File(PathBuf),
    /// Gone with the store.
    Memory,
}

impl Options {
    pub fn file(path: impl Into<PathBuf>, engine: EngineName) -> Self {
        Self::at(Place::File(path.into()), engine)
    }

    pub fn memory(engine: EngineName) -> Self {
        Self::at(Place::Memory, engine)
    }

    fn at(place: Place, engine: EngineName) -> Self {
        Self { place, engine, log_pages: LOG_PAGES, log_pages_max: LOG_PAGES_MAX }
    }
}
