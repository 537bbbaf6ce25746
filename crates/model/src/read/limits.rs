/// Longest id of a process, element or flow: what Camunda's and Flowable's columns hold.
pub const ID_CHARS_MAX: usize = 255;
/// Longest type of a worker job, written in the model or computed. It is the first column of an index,
/// and PostgreSQL takes no index entry beyond 2,704 bytes.
pub const JOB_TYPE_BYTES_MAX: usize = 1_024;
/// Deepest nesting of lists and maps in one parameter. The file's own limit on depth is larger, but
/// reading and evaluating a parameter recurse.
pub(crate) const MAPPING_DEPTH_MAX: usize = 50;
