/// Longest script. Models are of a few megabytes; offsets are kept in 32 bits.
pub const SOURCE_BYTES_MAX: usize = 1 << 20;
/// Words, signs and literals of a script. One takes some 100 bytes until the script was read.
pub const TOKENS_MAX: usize = 30_000;
/// Deepest nesting of blocks, operators and literals. It bounds the stack that parser and
/// interpreter need: a level of nesting takes a few kilobytes of it in an unoptimised build.
pub const NESTING_MAX: usize = 100;
/// At 20 to 50 ns a step a script that uses them all takes 3 to 8 ms. What takes longer than a step
/// counts as several.
pub const STEPS_MAX_DEFAULT: usize = 150_000;
/// Nesting of calls and expressions while a script runs. A level takes some kilobytes of stack
/// in an unoptimised build, and threads have two megabytes.
pub const DEPTH_MAX_DEFAULT: usize = 250;
/// Texts and collections made on the way; nothing is given back before the script ends.
pub const BYTES_MAX_DEFAULT: usize = 8 << 20;
/// Lines that are printed and kept; the rest is counted.
pub const PRINTED_BYTES_MAX_DEFAULT: usize = 64 << 10;

/// What one run may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Evaluated nodes, and items and characters that are looked at.
    pub steps_max: usize,
    pub depth_max: usize,
    pub bytes_max: usize,
    pub printed_bytes_max: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps_max: STEPS_MAX_DEFAULT,
            depth_max: DEPTH_MAX_DEFAULT,
            bytes_max: BYTES_MAX_DEFAULT,
            printed_bytes_max: PRINTED_BYTES_MAX_DEFAULT,
        }
    }
}
