//! One process owns the file: an advisory lock on a file beside it, dropped by the operating
//! system when the process dies, however it dies.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use orloj_store::Error;

pub(crate) struct Owner {
    /// Unlocked when it is closed.
    _lock: File,
}

impl Owner {
    pub(crate) fn claim(path: &Path) -> Result<Self, Error> {
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            Error::Unavailable(format!("{what} {}: {error}", path.display()))
        };
        let lock_path = beside(path).map_err(|e| failed("cannot resolve", &e))?;
        // The lock file stays: removing it would let two processes hold locks on two files of the
        // same name.
        let lock = OpenOptions::new().create(true).write(true).truncate(false).open(lock_path);
        let lock = lock.map_err(|e| failed("cannot create the lock of", &e))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(Error::Held(path.display().to_string())),
            Err(TryLockError::Error(error)) => Err(failed("cannot lock", &error)),
        }
    }
}

/// The lock's path, the same however the file is named.
fn beside(path: &Path) -> std::io::Result<PathBuf> {
    let real = match path.canonicalize() {
        Ok(real) => real,
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize()?;
            let name = path.file_name().ok_or(std::io::ErrorKind::InvalidInput)?;
            folder.join(name)
        }
    };
    let mut name = OsString::from(real);
    name.push(".lock");
    Ok(name.into())
}
