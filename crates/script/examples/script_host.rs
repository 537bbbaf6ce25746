//! A child of the pool as a program of its own, for tests and measurements.

// As the binary has it: the sandbox must bear with the allocator that it will meet.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::io::Result<()> {
    orloj_script::host::run(std::io::stdin().lock(), std::io::stdout().lock())
}
