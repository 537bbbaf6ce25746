//! Random commands: what workers, people and operators do, in no sensible order. A command is done
//! or refused; it never panics, and what it leaves can be commanded again.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

use orloj_interpreter::{Command, Instruction, JobOrder, Place, Record};
use orloj_rehearsal::{Engine, File, How, Stage, World};
use orloj_types::{Document, ElementId, ElementInstanceKey, JobKey};

use crate::random::Random;

const COMMANDS_MAX: usize = 40;

/// What was done and what came of it, as text.
pub fn walk(stage: &Stage, engine: Engine, text: &str) -> String {
    let mut world = stage.world(engine);
    let file = File { name: "fuzz.bpmn".to_owned(), bytes: text.as_bytes().to_vec() };
    if world.deploy(&[file]).is_err() {
        return String::new();
    }
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let mut random = Random::new(hasher.finish(), 0);
    let ids = ids(text);
    let mut told = String::new();
    for _ in 0..COMMANDS_MAX {
        let live = world.live();
        if live.is_empty() || random.one_in(20) {
            let _ = writeln!(told, "start {:?}", world.start("p", Document::new()).is_ok());
        } else if random.one_in(2) {
            act(&mut world, &mut random, &mut told);
        } else {
            let record = &live[random.below(live.len())];
            let command = command(record, &ids, &mut random);
            let _ = write!(told, "{command:?}");
            let _ = writeln!(told, " {:?}", world.order(record.instance, command).is_ok());
        }
        let _ = writeln!(told, "{:?} {:?}", world.instances(), world.activities());
    }
    told
}

/// On something that waits.
fn act(world: &mut World, random: &mut Random, told: &mut String) {
    let waits: Vec<_> = world.waits().into_iter().filter(|wait| wait.actionable).collect();
    if waits.is_empty() {
        return;
    }
    let wait = &waits[random.below(waits.len())];
    let how = match random.below(4) {
        0 => How::FailOnce,
        1 => How::Throw(Some("E".into())),
        _ => How::Complete,
    };
    let _ = writeln!(told, "{wait} {how:?} {:?}", world.act(wait, &how).is_ok());
}

fn command(record: &Record, ids: &[ElementId], random: &mut Random) -> Command {
    let holders: Vec<ElementInstanceKey> = record.holders().map(|holder| holder.key).collect();
    let jobs: Vec<JobKey> =
        record.holders().flat_map(|holder| holder.jobs.iter().map(|job| job.key)).collect();
    let job = match jobs.is_empty() {
        true => JobKey::new(7),
        false => jobs[random.below(jobs.len())],
    };
    let element = ids[random.below(ids.len())].clone();
    let instruction = match random.below(5) {
        0 => Instruction::StartBefore { element, place: Place::default() },
        1 => Instruction::StartAfter { element, place: Place::default() },
        2 => Instruction::StartTransition { flow: element, place: Place::default() },
        3 => Instruction::Cancel { element_instance: holders[random.below(holders.len())] },
        _ => Instruction::CancelAll { element },
    };
    match random.below(12) {
        0 => Command::Cancel,
        1 => Command::Suspend,
        2 | 3 => Command::Resume,
        4 => Command::SetVariables {
            scope: holders[random.below(holders.len())],
            variables: Document::new().with("i", 5),
            local: random.one_in(2),
        },
        5..=7 => Command::Modify { instructions: vec![instruction] },
        8 => Command::ManageJob { job, what: order(random) },
        9 => Command::ExecuteJob { job },
        10 => Command::JobDue { job, at_once: random.one_in(2) },
        _ => Command::RunJob { job },
    }
}

fn order(random: &mut Random) -> JobOrder {
    match random.below(7) {
        0 => JobOrder::SetRetries { retries: 0, due: None },
        1 => JobOrder::SetRetries { retries: 3, due: Some(None) },
        2 => JobOrder::SetDueDate { due: None, cascade: random.one_in(2) },
        3 => JobOrder::RecalculateDueDate { from_creation: random.one_in(2) },
        4 => JobOrder::MoveToDeadLetters,
        5 => JobOrder::MoveToExecutable { retries: 2 },
        _ => JobOrder::Delete,
    }
}

/// Everything in the file that has an id; one that does not exist is among them.
fn ids(text: &str) -> Vec<ElementId> {
    let mut ids = vec![ElementId::new("nowhere")];
    for part in text.split(" id=\"").skip(1).take(1_000) {
        if let Some((id, _)) = part.split_once('"') {
            ids.push(ElementId::new(id));
        }
    }
    ids
}
