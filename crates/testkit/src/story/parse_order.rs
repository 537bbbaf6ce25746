//! The words of operators.

use super::ast::{Action, JobName};
use super::order::{DueDate, ElementName, JobVerb, Managing, Order};
use super::parse::{duration_of, number};
use super::tokens::Cursor;

/// `None`: the first word is none of an operator's. For `suspend` and `resume` the cursor stands
/// at `job`, `jobs` or `process` then, or it is an instance that is meant.
pub(super) fn read(first: &str, cursor: &mut Cursor<'_, '_>) -> Result<Option<Action>, String> {
    let managing = match first {
        "prioritise" => {
            let name = job_word(cursor)?;
            let priority = number(cursor.word("the priority")?)?;
            job(name, JobVerb::Prioritise(priority), cursor)?
        }
        "suspend" | "resume" => match suspension(first == "suspend", cursor)? {
            Some(managing) => managing,
            None => return Ok(None),
        },
        "execute" => plain(JobVerb::Execute, cursor)?,
        "bury" => plain(JobVerb::Bury, cursor)?,
        "fire" => plain(JobVerb::Fire, cursor)?,
        "delete" if cursor.has("all") => {
            expect(cursor, "dead")?;
            expect(cursor, "letters")?;
            Managing::Other(Order::DeadLetters { revive: None })
        }
        "delete" => {
            expect(cursor, "job")?;
            plain(JobVerb::Delete, cursor)?
        }
        "revive" => {
            let name = job_word(cursor)?;
            expect(cursor, "with")?;
            let retries = number(cursor.word("how many")?)?;
            expect(cursor, "retries")?;
            match name.as_str() {
                "all" => Managing::Other(Order::DeadLetters { revive: Some(retries) }),
                _ => job(name, JobVerb::Revive { retries }, cursor)?,
            }
        }
        "due" => {
            let name = job_word(cursor)?;
            let due = due_date(cursor)?;
            let cascade = cursor.has("cascading");
            job(name, JobVerb::Due { due, cascade }, cursor)?
        }
        "recalculate" => {
            let name = job_word(cursor)?;
            let from_creation = cursor.has("from");
            if from_creation {
                expect(cursor, "its")?;
                expect(cursor, "creation")?;
            }
            job(name, JobVerb::Recalculate { from_creation }, cursor)?
        }
        "retries" => {
            let name = job_word(cursor)?;
            if cursor.has("for") {
                expect(cursor, "jobs")?;
                expect(cursor, "of")?;
                let (of, retries) = (element(cursor)?, number(&name)?);
                let order = Order::RetriesOf { of, retries };
                return Ok(Some(Action::Manage(Managing::Other(order))));
            }
            let retries = number(cursor.word("how many")?)?;
            let due = match cursor.has("due") {
                true => Some(due_date(cursor)?),
                false => None,
            };
            job(name, JobVerb::Retries { retries, due }, cursor)?
        }
        "override" => {
            let of = element(cursor)?;
            expect(cursor, "to")?;
            let priority = Some(number(cursor.word("the priority")?)?);
            let with_jobs = with(cursor, "jobs")?;
            Managing::Other(Order::Override { of, priority, with_jobs })
        }
        "clear" => {
            expect(cursor, "override")?;
            let of = element(cursor)?;
            Managing::Other(Order::Override { of, priority: None, with_jobs: false })
        }
        "register" | "unregister" => {
            let process = cursor.word("the process")?.to_owned();
            let version = cursor.after("version")?.map(number).transpose()?;
            let node = cursor.after("on")?.map(str::to_owned);
            let is_registered = first == "register";
            Managing::Other(Order::Registration { process, version, node, is_registered })
        }
        "executor" => {
            let on = match cursor.word("'starts' or 'stops'")? {
                "starts" => true,
                "stops" => false,
                other => return Err(format!("an executor does not '{other}'")),
            };
            let node = cursor.after("on")?.map(str::to_owned);
            Managing::Other(Order::Executor { node, on })
        }
        _ => return Ok(None),
    };
    Ok(Some(Action::Manage(managing)))
}

fn suspension(suspend: bool, cursor: &mut Cursor<'_, '_>) -> Result<Option<Managing>, String> {
    if cursor.has("job") {
        let verb = if suspend { JobVerb::Suspend } else { JobVerb::Resume };
        return plain(verb, cursor).map(Some);
    }
    if cursor.has("jobs") {
        expect(cursor, "of")?;
        let of = element(cursor)?;
        let is_new_only = cursor.has("only");
        if is_new_only {
            expect(cursor, "new")?;
        }
        let in_ms = cursor.after("in")?.map(duration_of).transpose()?;
        let order = Order::JobsOf { of, suspend, with_jobs: !is_new_only, in_ms };
        return Ok(Some(Managing::Other(order)));
    }
    if cursor.has("process") {
        let process = cursor.word("the process")?.to_owned();
        let with_instances = with(cursor, "instances")?;
        let in_ms = cursor.after("in")?.map(duration_of).transpose()?;
        let order = Order::Process { process, suspend, with_instances, in_ms };
        return Ok(Some(Managing::Other(order)));
    }
    Ok(None)
}

fn plain(verb: JobVerb, cursor: &mut Cursor<'_, '_>) -> Result<Managing, String> {
    let name = job_word(cursor)?;
    job(name, verb, cursor)
}

fn job(name: String, verb: JobVerb, cursor: &mut Cursor<'_, '_>) -> Result<Managing, String> {
    let of = cursor.after("of")?.map(str::to_owned);
    Ok(Managing::Job { job: JobName { name, of, worker: String::new() }, verb })
}

fn job_word(cursor: &mut Cursor<'_, '_>) -> Result<String, String> {
    cursor.word("the job").map(str::to_owned)
}

fn element(cursor: &mut Cursor<'_, '_>) -> Result<ElementName, String> {
    let element = cursor.word("the element")?.to_owned();
    let process = cursor.after("of")?.map(str::to_owned);
    Ok(ElementName { element, process })
}

/// `in 10m`, `now`, `never`
fn due_date(cursor: &mut Cursor<'_, '_>) -> Result<DueDate, String> {
    match cursor.word("when")? {
        "in" => Ok(DueDate::In(duration_of(cursor.word("how long")?)?)),
        "now" => Ok(DueDate::In(0)),
        "never" => Ok(DueDate::Never),
        other => Err(format!("'{other}' is no due date")),
    }
}

fn with(cursor: &mut Cursor<'_, '_>, what: &str) -> Result<bool, String> {
    match cursor.after("with")? {
        None => Ok(false),
        Some(word) if word == what => Ok(true),
        Some(other) => Err(format!("'with {what}' is meant, not 'with {other}'")),
    }
}

fn expect(cursor: &mut Cursor<'_, '_>, word: &str) -> Result<(), String> {
    match cursor.has(word) {
        true => Ok(()),
        false => Err(format!("'{word}' is missing")),
    }
}
