//! What is seen after a step.

use orloj_types::Document;

use super::ast::{Expectation, InstanceIs, JobIs, What};
use super::parse::{duration_of, number};
use crate::text::split_outside;

/// Expectations separated by commas.
pub(super) fn parse(text: &str) -> Result<Vec<Expectation>, String> {
    let parts = split_outside(text, ",")?;
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).map(parse_one).collect()
}

fn parse_one(text: &str) -> Result<Expectation, String> {
    let (of, what) = match text.split_once(": ") {
        Some((name, what)) if is_instance_name(name) => (Some(name.to_owned()), what.trim()),
        _ => (None, text),
    };
    let what = what_of(what)?.ok_or_else(|| format!("'{text}' is not understood"))?;
    Ok(Expectation { of, what, text: text.to_owned() })
}

fn is_instance_name(text: &str) -> bool {
    text != "rejected" && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

fn what_of(text: &str) -> Result<Option<What>, String> {
    let json = |text: &str| Document::parse(text.trim()).map_err(|error| error.to_string());
    if let Some(rest) = text.strip_prefix("rejected") {
        let words = rest.strip_prefix(':').map(|words| words.trim().to_owned());
        return Ok(Some(What::Rejected(words)));
    }
    if let Some(rest) = text.strip_prefix("variables ") {
        let (object, at) = split_at_element(rest);
        return Ok(Some(What::Variables { variables: json(object)?, at }));
    }
    if let Some(rest) = text.strip_prefix("variable ") {
        let (rest, at) = split_at_element(rest);
        let Some((name, value)) = rest.split_once('=') else { return Ok(None) };
        let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
        return Ok(Some(What::Variable { name, value, at }));
    }
    if let Some(rest) = text.strip_prefix("no variable ") {
        let (name, at) = split_at_element(rest);
        return Ok(Some(What::NoVariable { name: name.trim().to_owned(), at }));
    }
    if let Some(rest) = text.strip_prefix("got ") {
        let (job, variables) = match rest.split_once(" with ") {
            Some((job, variables)) => (job, Some(json(variables)?)),
            None => (rest, None),
        };
        let job = (job != "nothing").then(|| job.trim().to_owned());
        return Ok(Some(What::Got { job, variables }));
    }
    if text.starts_with("incident ") {
        return Ok(incident(text));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let owned = |word: &str| word.to_owned();
    Ok(Some(match words[..] {
        ["nothing"] => What::Nothing,
        ["token", "at", element] => What::Tokens { count: 1, element: owned(element) },
        ["no", "token", "at", element] => What::Tokens { count: 0, element: owned(element) },
        [count, "tokens", "at", element] => {
            What::Tokens { count: number(count)?, element: owned(element) }
        }
        [count, "jobs", name] => What::Job { name: owned(name), is: JobIs::Count(number(count)?) },
        ["job", "log", name, ref words @ ..] => What::JobLog {
            name: owned(name),
            words: words.iter().map(|word| owned(word)).collect(),
        },
        ["job", name, ref rest @ ..] => match job(rest)? {
            Some(is) => What::Job { name: owned(name), is },
            None => return Ok(None),
        },
        ["each", "job", name, ref rest @ ..] => match job(rest)? {
            Some(is) => What::Job { name: owned(name), is: JobIs::Each(Box::new(is)) },
            None => return Ok(None),
        },
        [count, "instances", "of", process] => {
            What::Instances { count: number(count)?, process: owned(process) }
        }
        ["instance", "lives"] => What::Instance(InstanceIs::Alive),
        ["instance", "ended"] => What::Instance(InstanceIs::Ended),
        ["instance", "ended", "at", element] => What::Instance(InstanceIs::EndedAt(owned(element))),
        ["instance", "cancelled"] => What::Instance(InstanceIs::Cancelled),
        ["no", "incident"] => What::NoIncident,
        ["task", "at", element] => What::Task { element: owned(element), is_there: true },
        ["no", "task", "at", element] => What::Task { element: owned(element), is_there: false },
        [count, "incidents", "ever"] => What::IncidentsEver(number(count)?),
        [delegate, "called", times, "times"] => {
            What::Called { delegate: owned(delegate), times: number(times)? }
        }
        [delegate, "called", "once"] => What::Called { delegate: owned(delegate), times: 1 },
        [node, "ran", ref names @ ..] => What::Ran {
            node: owned(node),
            delegates: names.iter().map(|name| owned(name)).collect(),
        },
        ["calls", ref names @ ..] => What::Calls(names.iter().map(|name| owned(name)).collect()),
        ["went", ref names @ ..] => What::Went(names.iter().map(|name| owned(name)).collect()),
        _ => return Ok(None),
    }))
}

fn job(words: &[&str]) -> Result<Option<JobIs>, String> {
    Ok(Some(match words {
        ["waits"] => JobIs::Waiting,
        ["gone"] => JobIs::Gone,
        ["parked"] => JobIs::Parked,
        ["failed"] | ["dead"] => JobIs::Failed,
        ["suspended"] => JobIs::Suspended,
        ["has", "no", "due", "date"] => JobIs::NeverDue,
        ["has", "a", "due", "date"] => JobIs::HasDueDate,
        ["threw"] => JobIs::Threw,
        ["locked", "by", worker] => JobIs::LockedBy((*worker).to_owned()),
        ["due", "in", duration] => JobIs::DueIn(duration_of(duration)?),
        ["due", "at", date] => JobIs::DueAt((*date).to_owned()),
        ["has", retries, "retries"] => JobIs::Retries(number(retries)?),
        ["has", "priority", priority] => JobIs::Priority(number(priority)?),
        _ => return Ok(None),
    }))
}

fn incident(text: &str) -> Option<What> {
    let (head, says) = match text.split_once(" saying ") {
        Some((head, says)) => (head, Some(says.trim().trim_matches('"').to_owned())),
        None => (text, None),
    };
    let words: Vec<&str> = head.split_whitespace().collect();
    let (kind, element) = match words[..] {
        ["incident", "at", element] => (None, element),
        ["incident", kind, "at", element] => (Some(kind.to_owned()), element),
        _ => return None,
    };
    Some(What::Incident { kind, element: element.to_owned(), says })
}

/// `… at ELEMENT`
fn split_at_element(text: &str) -> (&str, Option<String>) {
    match text.rsplit_once(" at ") {
        Some((rest, element)) if is_instance_name(element.trim()) => {
            (rest, Some(element.trim().to_owned()))
        }
        _ => (text, None),
    }
}
