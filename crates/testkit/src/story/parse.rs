//! From text to stories. The first mistake ends it, with its line.

use super::ast::{Action, Behaviour, JobName, Step, Story};
use super::decision::Decision;
use super::engine::{self, NodeTold};
use super::expectation;
use super::parse_order;
use super::tokens::{Cursor, tokens};
use orloj::settings::Profile;

use crate::duration;
use crate::sketch::Sketch;
use crate::text::split_outside;

/// How long a worker locks a job unless it says otherwise.
const LOCK_MS: i64 = 300_000;

/// Reads all stories of a file. The error names the line.
pub fn parse(text: &str) -> Result<Vec<Story>, String> {
    let mut stories = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    let is_start = |line: &str| line.starts_with("story ");
    let mut at = 0;
    while at < lines.len() {
        if !is_start(lines[at]) {
            match is_blank(lines[at]) {
                true => at += 1,
                false => return Err(format!("line {}: a story begins with `story`", at + 1)),
            }
            continue;
        }
        let next = (at + 1..lines.len()).find(|next| is_start(lines[*next]));
        let mut end = next.unwrap_or(lines.len());
        while end > at + 1 && is_blank(lines[end - 1]) {
            end -= 1;
        }
        let story = read_story(&lines[at..end], at + 1);
        stories.push(story.map_err(|(line, why)| format!("line {}: {why}", at + 1 + line))?);
        at = next.unwrap_or(lines.len());
    }
    Ok(stories)
}

type At<T> = Result<T, (usize, String)>;

fn read_story(lines: &[&str], first_line: usize) -> At<Story> {
    let title = lines[0].trim_start_matches("story").trim();
    let title = title.strip_prefix('"').and_then(|title| title.strip_suffix('"'));
    let title = title.ok_or_else(|| (0, "the title stands in quotes".to_owned()))?;
    let mut story = Story {
        title: title.to_owned(),
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        first_line,
        processes: Vec::new(),
        decisions: Vec::new(),
        settings: None,
        nodes: Vec::new(),
        steps: Vec::new(),
    };
    let mut told = (Profile::Orloj, Vec::new());
    let mut at = 1;
    while at < lines.len() {
        let line = lines[at].trim();
        if is_blank(line) {
            at += 1;
        } else if line.starts_with("process ") {
            at += read_process(&mut story, &lines[at..], at)?;
        } else if let Some(words) = line.strip_prefix("engine ") {
            told = engine::engine(words).map_err(|why| (at, why))?;
            let settings = engine::settings(told.0, &told.1).map_err(|why| (at, why))?;
            story.settings = Some(settings);
            at += 1;
        } else if let Some(words) = line.strip_prefix("node ") {
            story.nodes.push(read_node(words, &told).map_err(|why| (at, why))?);
            at += 1;
        } else if line.starts_with("decision ") || line.starts_with("table ") {
            story.decisions.push(Decision::parse(line).map_err(|why| (at, why))?);
            at += 1;
        } else if let Some(more) = line.strip_prefix('|') {
            let last = story.steps.last_mut();
            let last = last.ok_or_else(|| (at, "nothing was done before".to_owned()))?;
            last.expectations.extend(expectation::parse(more).map_err(|why| (at, why))?);
            at += 1;
        } else {
            story.steps.push(read_step(line, at).map_err(|why| (at, why))?);
            at += 1;
        }
    }
    Ok(story)
}

/// A node is told what the engine is, and more of its own.
fn read_node(text: &str, engine: &(Profile, Vec<engine::Told>)) -> Result<NodeTold, String> {
    let (name, words) = text.split_once(' ').unwrap_or((text, ""));
    let mut told = engine.1.clone();
    if !words.trim().is_empty() {
        told.extend(engine::engine(words)?.1);
    }
    Ok(NodeTold { name: name.to_owned(), settings: engine::settings(engine.0, &told)? })
}

/// A process goes on as long as its lines have arrows, or lie in a subprocess.
fn read_process(story: &mut Story, lines: &[&str], at: usize) -> At<usize> {
    let is_chain = |line: &&&str| {
        let line = line.trim();
        (line.contains("->") || line.starts_with("in ")) && !line.starts_with("process ")
    };
    let count = 1 + lines[1..].iter().take_while(is_chain).count();
    let sketch = Sketch::parse(&lines[..count].join("\n"));
    story.processes.push(sketch.map_err(|error| (at + error.line, error.message))?);
    Ok(count)
}

fn read_step(line: &str, at: usize) -> Result<Step, String> {
    let mut parts = split_outside(line, "|")?.into_iter();
    let action = read_action(parts.next().unwrap_or("").trim())?;
    let expectations = match (parts.next(), parts.next()) {
        (None, _) => Vec::new(),
        (Some(text), None) => expectation::parse(text)?,
        (Some(_), Some(_)) => return Err("a step has one bar".into()),
    };
    Ok(Step { line: at, action, expectations })
}

fn read_action(text: &str) -> Result<Action, String> {
    if let Some(rest) = text.strip_prefix("delegate ") {
        return read_delegate(rest);
    }
    if let Some(words) = text.strip_prefix("restart with ") {
        let (profile, told) = engine::engine(words)?;
        return Ok(Action::Restart(Some(Box::new(engine::settings(profile, &told)?))));
    }
    let tokens = tokens(text)?;
    let mut cursor = Cursor::new(&tokens);
    let first = cursor.word("what is done")?;
    if let Some(action) = parse_order::read(first, &mut cursor)? {
        cursor.end()?;
        return Ok(action);
    }
    let action = match first {
        "start" => {
            let process = cursor.word("the process")?.to_owned();
            let version = cursor.after("version")?.map(number).transpose()?;
            let name = cursor.after("as")?.unwrap_or(&process).to_owned();
            let variables = cursor.json().unwrap_or_default();
            Action::Start { process, version, name, variables }
        }
        "the" => {
            let (clock, jumps) = (cursor.word("'clock'")?, cursor.word("'jumps'")?);
            if (clock, jumps) != ("clock", "jumps") {
                return Err(format!("'{text}' is not understood"));
            }
            Action::Jump { ms: duration_of(cursor.word("how far")?)? }
        }
        "worker" => {
            let worker = cursor.word("the worker's name")?.to_owned();
            read_worker(worker, &mut cursor)?
        }
        "user" => {
            if !cursor.has("completes") {
                return Err("a user completes".into());
            }
            let element = cursor.word("the element")?.to_owned();
            let of = cursor.after("of")?.map(str::to_owned);
            Action::CompleteTask { element, of, variables: cursor.json().unwrap_or_default() }
        }
        "set" => {
            let variables = cursor.json().ok_or("what to set is missing")?;
            let local = cursor.has("locally");
            let at = cursor.after("at")?.map(str::to_owned);
            let of = cursor.after("of")?.map(str::to_owned);
            Action::Set { variables, local, at, of }
        }
        "give" => {
            let name = cursor.word("the job")?.to_owned();
            let retries = number(cursor.word("how many")?)?;
            cursor.has("retries");
            let of = cursor.after("of")?.map(str::to_owned);
            Action::Retries { job: JobName { name, of, worker: String::new() }, retries }
        }
        "resolve" => {
            let element = cursor.word("the element")?.to_owned();
            Action::Resolve { element, of: cursor.after("of")?.map(str::to_owned) }
        }
        "publish" => {
            let name = cursor.word("the message")?.to_owned();
            let key = match cursor.has("key") {
                true => cursor.quoted().ok_or("the key stands in quotes")?,
                false => String::new(),
            };
            let ttl_ms = cursor.after("for")?.map_or(Ok(0), duration_of)?;
            let id = cursor.after("id")?.map(str::to_owned);
            let variables = cursor.json().unwrap_or_default();
            Action::Publish { name, key, ttl_ms, id, variables }
        }
        "correlate" => {
            let name = cursor.word("the message")?.to_owned();
            Action::Correlate { name, variables: cursor.json().unwrap_or_default() }
        }
        "signal" => {
            let name = cursor.word("the signal")?.to_owned();
            Action::Signal { name, variables: cursor.json().unwrap_or_default() }
        }
        "ask" => {
            if !cursor.has("conditions") {
                return Err("one asks conditions".into());
            }
            let of = cursor.after("of")?.map(str::to_owned);
            Action::AskConditions { of, variables: cursor.json().unwrap_or_default() }
        }
        "suspend" => Action::Suspend { of: cursor.word("").ok().map(str::to_owned) },
        "resume" => Action::Resume { of: cursor.word("").ok().map(str::to_owned) },
        "migrate" => {
            let process = cursor.after("to")?.ok_or("'to PROCESS' is missing")?.to_owned();
            let of = cursor.after("of")?.map(str::to_owned);
            let mut plan = Vec::new();
            while let Ok(pair) = cursor.word("") {
                let (from, to) = pair.split_once('=').ok_or("a pair reads OLD=NEW")?;
                plan.push((from.to_owned(), to.to_owned()));
            }
            Action::Migrate { process, of, plan }
        }
        "cancel" => Action::Cancel { of: cursor.word("").ok().map(str::to_owned) },
        "restart" => Action::Restart(None),
        "look" => Action::Look,
        duration => {
            let passes = cursor.has("pass") || cursor.has("passes");
            match (duration::parse(duration), passes) {
                (Some(ms), true) => Action::Pass { ms },
                _ => return Err(format!("'{text}' is not understood")),
            }
        }
    };
    cursor.end()?;
    Ok(action)
}

fn read_worker(worker: String, cursor: &mut Cursor<'_, '_>) -> Result<Action, String> {
    let verb = cursor.word("what the worker does")?;
    if verb == "takes" {
        let job_type = cursor.word("the job")?.to_owned();
        let lock_ms = cursor.after("for")?.map_or(Ok(LOCK_MS), duration_of)?;
        return Ok(Action::Take { worker, job_type, lock_ms });
    }
    let code = match verb {
        "throws" => {
            let code = cursor.word("the error's code")?.to_owned();
            if !cursor.has("on") {
                return Err("a worker throws CODE on JOB".into());
            }
            code
        }
        _ => String::new(),
    };
    let name = cursor.word("the job")?.to_owned();
    let by = cursor.after("by")?.map(duration_of).transpose()?;
    let of = cursor.after("of")?.map(str::to_owned);
    let job = JobName { name, of, worker };
    Ok(match verb {
        "completes" => Action::Complete { job, variables: cursor.json().unwrap_or_default() },
        "fails" => {
            let retries = cursor.after("leaving")?.ok_or("'leaving N retries' is missing")?;
            let retries = number(retries)?;
            cursor.has("retries");
            let back_off_ms = cursor.after("waiting")?.map_or(Ok(0), duration_of)?;
            let message = cursor.quoted().unwrap_or_default();
            let variables = cursor.json().unwrap_or_default();
            Action::Fail { job, retries, back_off_ms, message, variables }
        }
        "throws" => {
            let message = cursor.quoted().unwrap_or_default();
            Action::Throw { job, code, message, variables: cursor.json().unwrap_or_default() }
        }
        "extends" => Action::Extend { job, ms: by.ok_or("'by 10m' is missing")? },
        other => return Err(format!("a worker does not '{other}'")),
    })
}

fn read_delegate(text: &str) -> Result<Action, String> {
    let Some((name, script)) = text.split_once(':') else {
        return Ok(Action::Delegate { name: text.trim().to_owned(), script: Vec::new() });
    };
    let mut behaviours = Vec::new();
    for part in split_outside(script, ",")? {
        let tokens = tokens(part)?;
        let mut cursor = Cursor::new(&tokens);
        let behaviour = match cursor.word("what it does")? {
            "succeeds" => Behaviour::Succeeds { variables: cursor.json().unwrap_or_default() },
            "fails" => {
                Behaviour::Fails { message: cursor.quoted().unwrap_or_else(|| "no".to_owned()) }
            }
            "gives" if cursor.has("up") => {
                Behaviour::GivesUp { message: cursor.quoted().unwrap_or_else(|| "no".to_owned()) }
            }
            "throws" => {
                let code = cursor.word("the error's code")?.to_owned();
                Behaviour::Throws { code, variables: cursor.json().unwrap_or_default() }
            }
            other => return Err(format!("a delegate does not '{other}'")),
        };
        let times: usize = match cursor.word("") {
            Ok(times) => number(times)?,
            Err(_) => 1,
        };
        cursor.has("times");
        cursor.end()?;
        behaviours.extend(std::iter::repeat_n(behaviour, times));
    }
    Ok(Action::Delegate { name: name.trim().to_owned(), script: behaviours })
}

pub(super) fn duration_of(text: &str) -> Result<i64, String> {
    duration::parse(text).ok_or_else(|| format!("'{text}' is no duration such as 9m59s"))
}

pub(super) fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("'{text}' is no number"))
}

fn is_blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, expected) in [
            ("what", "line 1: a story begins with `story`"),
            ("story x", "line 1: the title stands in quotes"),
            ("story \"x\"\n  dance", "line 2: 'dance' is not understood"),
            ("story \"x\"\n  start", "line 2: the process is missing"),
            ("story \"x\"\n\n  worker a sleeps b", "line 3: a worker does not 'sleeps'"),
            (
                "story \"x\"\n  process p: start -> a\n             a{wizard} -> end",
                "line 3: no kind of element 'wizard'",
            ),
            ("story \"x\"\n  look | job a flies", "line 2: 'job a flies' is not understood"),
            ("story \"x\"\n  start p {\"a\": }", "line 2: Invalid JSON value: {\"a\": }"),
        ] {
            assert_eq!(parse(text).expect_err(text), expected);
        }
    }
}
