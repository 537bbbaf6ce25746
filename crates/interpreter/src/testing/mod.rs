//! Stories: processes drawn in a few lines, commands played on them, what happened as text.

mod asking;
mod camunda;
mod catching;
mod choices;
mod failing;
mod hierarchies;
mod interrupting;
mod loops;
mod managing;
mod properties;
mod settings;
mod show;
mod sketch;
mod story;
mod turns;
mod undoing;
mod watching;

pub(crate) use sketch::{
    Sketch, and, call, catch, condition, delegate, end, escalation, message, on, on_error,
    on_timer, start, start_on, subprocess, user, worker, xor,
};
pub(crate) use story::{Registered, Story, document};

/// The visits that began (+), were left (-) or terminated (x), and how the instance ended.
fn visits(told: &str) -> String {
    let word = |line: &str| {
        let (verb, name) = line.split_once(' ')?;
        match verb {
            "entered" => Some(format!("+{name}")),
            "left" => Some(format!("-{name}")),
            "terminated" => Some(format!("x{name}")),
            "ended" => Some(line.to_owned()),
            _ => None,
        }
    };
    told.lines().take_while(|line| *line != "--").filter_map(word).collect::<Vec<_>>().join(" ")
}

/// What code answers that throws an error.
fn thrown(code: &str) -> crate::InvokeResult {
    let (message, variables) = (std::sync::Arc::default(), document("{}"));
    crate::InvokeResult::Error { code: code.into(), message, variables }
}
