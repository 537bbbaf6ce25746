//! What went wrong in the engine, as a problem of the script.

use rquickjs::{Ctx, Object, Value};

use crate::protocol::{Problem, ProblemKind};

use super::limits::{Guard, Stopped};

/// What scripts are called in the engine's traces.
pub(super) const FILE: &str = "script";

/// What the engine had pending.
pub(super) fn caught<'js>(
    ctx: &Ctx<'js>,
    guard: &Guard,
    thrown: &Value<'js>,
    bpmn_error: Option<&Object<'js>>,
) -> Problem {
    if let Some(limit) = stopped(guard) {
        return limit;
    }
    let problem = described(thrown, bpmn_error);
    // Members of what was thrown can be functions of the script, which fail on their own.
    ctx.catch();
    stopped(guard).unwrap_or(problem)
}

fn stopped(guard: &Guard) -> Option<Problem> {
    Some(Problem::of(match guard.stopped()? {
        Stopped::Time => ProblemKind::Time,
        Stopped::Rounds => ProblemKind::Rounds,
    }))
}

fn described<'js>(thrown: &Value<'js>, bpmn_error: Option<&Object<'js>>) -> Problem {
    let Some(object) = thrown.as_object() else {
        let message = thrown
            .as_string()
            .and_then(|text| text.to_string().ok())
            .unwrap_or_else(|| simple(thrown));
        let kind = ProblemKind::Exception { class: "Error".to_owned() };
        return Problem { kind, message, place: (0, 0) };
    };
    let text = |name: &str| object.get::<_, String>(name).unwrap_or_default();
    let (name, message, stack) = (text("name"), text("message"), text("stack"));
    let kind = if bpmn_error.is_some_and(|class| object.is_instance_of(class)) {
        ProblemKind::BpmnError { code: text("errorCode") }
    } else {
        match (name.as_str(), message.as_str()) {
            ("SyntaxError", _) => ProblemKind::Syntax,
            // Texts that are put together are kept in parts: too long comes before too large.
            ("InternalError", "out of memory" | "string too long") => ProblemKind::Memory,
            ("InternalError" | "RangeError", "stack overflow")
            | ("RangeError", "Maximum call stack size exceeded") => ProblemKind::Stack,
            ("", _) => ProblemKind::Exception { class: "Error".to_owned() },
            _ => ProblemKind::Exception { class: name },
        }
    };
    Problem { kind, message, place: place(&stack) }
}

fn simple(value: &Value<'_>) -> String {
    if let Some(flag) = value.as_bool() {
        return flag.to_string();
    }
    if value.is_null() || value.is_undefined() {
        let word = if value.is_null() { "null" } else { "undefined" };
        return format!("{word} was thrown");
    }
    value.as_number().map_or_else(|| "a value was thrown".to_owned(), |number| number.to_string())
}

/// The first place inside the script: `at name (script:LINE:COLUMN)`.
fn place(stack: &str) -> (u32, u32) {
    let Some(found) = stack.lines().find_map(|line| {
        let at = line.find(&format!("{FILE}:"))?;
        Some(&line[at + FILE.len() + 1..])
    }) else {
        return (0, 0);
    };
    let mut numbers = found.split(':').map(|part| {
        let digits: String = part.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap_or(0)
    });
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(1).max(1))
}
