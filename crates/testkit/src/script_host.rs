//! The program whose processes run JavaScript in tests.

use orloj::script::ScriptHost;

/// An example of the engine's package, which `cargo test` builds beside its tests.
const PROGRAM: &str = "examples/embedded_script_host";

/// `None`: it has not been built, so JavaScript has nobody to run it.
pub fn script_host() -> Option<ScriptHost> {
    let test = std::env::current_exe().ok()?;
    let program = test.parent()?.parent()?.join(PROGRAM);
    let arguments: [&str; 0] = [];
    program.exists().then(|| ScriptHost::new(program, arguments))
}
