/// Why a store did not do what it was asked. Portable: callers never see a driver's error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The store cannot be reached or is overloaded; nothing is known to have changed. Try again.
    #[error("store unavailable: {0}")]
    Unavailable(String),
    /// The store refused the statement or a value.
    #[error("store refused: {0}")]
    Refused(String),
    /// What was read contradicts what was written.
    #[error("stored data is damaged: {0}")]
    Damaged(String),
    #[error("the store's schema is number {found}, newer than the {known} this version knows")]
    NewerSchema { found: u32, known: u32 },
    /// No release ever wrote it, so there is no way from it to the present one.
    #[error(
        "{store} has the schema of an earlier state of this program that was never released \
         ({problem}): move it away, or delete it, and a new one is made in its place"
    )]
    UnreleasedSchema { store: String, problem: String },
    /// An embedded store has one owner at a time.
    #[error("another process holds the store {0}")]
    Held(String),
    /// This node's lease was taken away: another node counts it as dead.
    #[error("this node was fenced")]
    Fenced,
}

/// Why a group was not committed. Except for `Unknown`, nothing of it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// The changes at these places in the group met another revision, or a start event, message or
    /// broadcast that is not as expected; without them the group may be sent again.
    #[error("conflict at {0:?}")]
    Conflicts(Vec<usize>),
    /// A statement failed and named no row: some change is to blame.
    #[error("statement failed: {0}")]
    Statement(String),
    /// The statement at this place among those of the application failed. The group had one change.
    #[error("statement {at} of the application failed: {reason}")]
    Attached { at: usize, reason: String },
    #[error("this node was fenced")]
    Fenced,
    /// Surely not committed.
    #[error("store unavailable: {0}")]
    Unavailable(String),
    /// The answer to COMMIT was lost: ask [`crate::Store::landed`] before doing anything else.
    #[error("answer lost: {0}")]
    Unknown(String),
}
