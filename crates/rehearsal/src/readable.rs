//! A trace for the eye.

use std::fmt::Write as _;

use crate::trace::{Deploy, Played, Step, Stop, Trace};

const MS_PER_SECOND: i64 = 1_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// What happened, step by step, and what is left.
pub fn readable(trace: &Trace) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{} ({})", trace.id, trace.engine);
    match (trace.deploy, trace.stop) {
        (Deploy::Rejected, _) => {
            let _ = writeln!(out, "rejected: {}", trace.note);
        }
        (_, Some(Stop::Error)) => {
            let _ = writeln!(out, "stopped: {}", trace.note);
        }
        _ => {}
    }
    if let Some(played) = &trace.played {
        show(&mut out, played);
        let _ = writeln!(out, "{}", ending(trace.stop));
    }
    plain(&out)
}

fn show(out: &mut String, played: &Played) {
    list(out, "", "waits at definitions", &played.starts);
    for step in &played.steps {
        show_step(out, step);
    }
    let _ = writeln!(out);
    list(out, "", "instances", &played.instances);
    for (scope, name, value) in &played.variables {
        let _ = writeln!(out, "variable {name} of {scope}: {value}");
    }
    for job in &played.jobs {
        let due = match job.due_in.flatten() {
            Some(ms) => format!(", due in {}", duration(ms)),
            None => String::new(),
        };
        let retries = match job.retries {
            Some(retries) => format!(", {retries} retries left"),
            None => String::new(),
        };
        let _ = writeln!(out, "job {} of {}{retries}{due}", job.kind, job.el);
    }
    list(out, "", "incidents", &played.incidents);
    for (incident, reason) in &played.reasons {
        // One line each, however many the reason has.
        let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(out, "incident {incident}: {reason}");
    }
}

fn show_step(out: &mut String, step: &Step) {
    let failed = match &step.why {
        Some(why) => format!(": failed: {why}"),
        None if step.error => ": failed".to_owned(),
        None => String::new(),
    };
    let at = duration(step.at);
    let what = if step.act == "clock" { "the clock moves" } else { &step.act };
    let _ = writeln!(out, "\n{}", format!("{at:>12}  {what} {}{failed}", step.el).trim_end());
    let indent = " ".repeat(14);
    list(out, &indent, "entered", &step.started);
    list(out, &indent, "left", &step.ended);
    list(out, &indent, "cancelled", &step.cancelled);
    list(out, &indent, "waits", &step.waits);
}

fn list(out: &mut String, indent: &str, head: &str, items: &[String]) {
    if !items.is_empty() {
        let _ = writeln!(out, "{indent}{head:<10} {}", items.join("  "));
    }
}

fn ending(stop: Option<Stop>) -> &'static str {
    match stop {
        Some(Stop::Limit) => "there would be more to do than a rehearsal does",
        _ => "nothing is left to do",
    }
}

fn duration(ms: i64) -> String {
    let sign = if ms < 0 { "-" } else { "" };
    let ms = ms.unsigned_abs();
    let (seconds, rest) = (ms / MS_PER_SECOND.unsigned_abs(), ms % MS_PER_SECOND.unsigned_abs());
    let day = SECONDS_PER_DAY.unsigned_abs();
    let (days, seconds) = (seconds / day, seconds % day);
    let mut text = sign.to_owned();
    if days > 0 {
        let _ = write!(text, "{days}d ");
    }
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let _ = write!(text, "{hours}:{minutes:02}:{seconds:02}");
    if rest > 0 {
        let _ = write!(text, ".{rest:03}");
    }
    text
}

/// Names of models cannot steer a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Engine;

    #[test]
    fn a_trace_reads_like_a_story() {
        let step = Step {
            act: "start".into(),
            el: "p".into(),
            at: 0,
            error: false,
            why: None,
            started: vec!["a".into(), "s\u{1b}".into()],
            ended: vec!["s".into()],
            cancelled: vec![],
            waits: vec!["user:a".into()],
        };
        let clock = Step {
            act: "clock".into(),
            el: String::new(),
            at: 90_061_500,
            started: vec![],
            ended: vec![],
            ..step.clone()
        };
        let played = Played {
            steps: vec![step, clock],
            instances: vec!["p:active".into()],
            ..Played::default()
        };
        let text = readable(&Trace::played("m", Engine::Zeebe, Stop::Quiescent, played));
        let text = text.split_once('\n').unwrap().1;
        let expected = "
     0:00:00  start p
              entered    a  s\u{20}
              left       s
              waits      user:a

1d 1:01:01.500  the clock moves
              waits      user:a

instances  p:active
nothing is left to do
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_refusal_says_why() {
        let text = readable(&Trace::rejected("m", Engine::Camunda7, "no start event".into()));
        assert!(text.ends_with("rejected: no start event\n"), "{text}");
    }
}
