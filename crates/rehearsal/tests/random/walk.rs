//! Leads a process along a path, and looks after every step whether its promises hold.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use orloj_rehearsal::{Engine, File, How, Stage, Wait, WaitKind, World};
use orloj_types::Document;

use crate::draw::{Drawing, PROCESS};

/// Actions after the chosen ones. What repeats for ever (a signal that is heard again and again)
/// is not waited for.
const REST_MAX: usize = 120;

/// What happened, as text.
pub fn walk(stage: &Stage, engine: Engine, drawing: &Drawing, path: &[u8]) -> String {
    let mut world = stage.world(engine);
    let file = File { name: "random.bpmn".to_owned(), bytes: drawing.xml.clone().into_bytes() };
    if let Err(refusal) = world.deploy(&[file]) {
        panic!("a well-formed process is refused: {refusal}\n{}", drawing.xml);
    }
    let mut told = String::new();
    let throws = drawing.throws || path.iter().any(|&byte| matches!(how(byte), How::Throw(_)));
    let starves = match engine {
        Engine::Camunda7 | Engine::Flowable => throws,
        Engine::Zeebe => drawing.starves,
    };
    // The conditions that events wait for.
    let conditions = r#"{"c1": false, "c2": false, "c3": false, "c4": false}"#;
    let started = world.start(PROCESS, Document::parse(conditions).expect("an object"));
    let _ = writeln!(told, "start {started:?}");
    look(&world, drawing, starves, &mut told);
    for &byte in path {
        let waits = open(&world);
        if waits.is_empty() {
            break;
        }
        let wait = &waits[usize::from(byte) % waits.len()];
        act(&mut world, wait, &how(byte), &mut told);
        look(&world, drawing, starves, &mut told);
    }
    let mut tries: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..REST_MAX {
        let waits = open(&world);
        let Some(wait) = waits.iter().min_by_key(|wait| tries.get(&wait.to_string()).copied())
        else {
            break;
        };
        *tries.entry(wait.to_string()).or_default() += 1;
        act(&mut world, wait, &How::Complete, &mut told);
        look(&world, drawing, starves, &mut told);
    }
    told
}

/// What somebody could act on.
fn open(world: &World) -> Vec<Wait> {
    let waits = world.waits().into_iter();
    waits.filter(|wait| wait.actionable && wait.kind != WaitKind::Condition).collect()
}

fn how(byte: u8) -> How {
    match byte % 7 {
        5 => How::FailOnce,
        6 => How::Throw(Some("ERROR".into())),
        _ => How::Complete,
    }
}

fn act(world: &mut World, wait: &Wait, how: &How, told: &mut String) {
    if let Some(due_at) = wait.due_at
        && due_at > world.now()
    {
        world.set_clock(due_at);
    }
    let done = world.act(wait, how);
    let _ = writeln!(told, "{wait} {how:?}: {done:?}");
}

/// What must be true at every moment. There are processes in which a join may wait in vain: in
/// Camunda for a token that an error has ended that nothing caught, in Flowable for one that an
/// event subprocess has ended that did, in Zeebe for one that a boundary event could have sent.
/// It `starves`, as in the real engines. In Flowable a subprocess with boundary events is kept open
/// by the start events in it, also by those that have occurred for the last time.
fn look(world: &World, drawing: &Drawing, starves: bool, told: &mut String) {
    let (instances, activities) = (world.instances(), world.activities());
    let (waits, incidents) = (world.waits(), world.incidents());
    let _ = writeln!(told, "  {instances:?} {activities:?} {incidents:?}");
    let waiting: Vec<String> = waits.iter().map(Wait::to_string).collect();
    let _ = writeln!(told, "  {waiting:?} {:?} {:?}", world.variables(), world.jobs());
    let complain = |what: &str| {
        panic!("{what}\n{told}\n{}", drawing.xml);
    };
    let live = instances.iter().filter(|instance| instance.ends_with(":active")).count();
    let is_open = activities.values().any(|[_, _, open]| *open > 0);
    if live == 0 && (is_open || !waits.is_empty() || !incidents.is_empty()) {
        complain("everything has ended and yet something is left");
    }
    let is_kept = |scope: &str| drawing.kept.contains(scope);
    let keeps = activities.iter().any(|(scope, [_, _, open])| *open > 0 && is_kept(scope));
    if live > 0 && waits.is_empty() && incidents.is_empty() && !starves && !keeps {
        complain("nothing is waited for, and yet there is a live instance");
    }
    for (element, [_, _, open]) in &activities {
        let reasons = waits.iter().filter(|wait| *wait.element == **element).count()
            + incidents.iter().filter(|incident| is_about(incident, element)).count();
        if waits_itself(element) && reasons < *open as usize {
            complain(&format!("{element} is open {open} times, for {reasons} reasons"));
        }
    }
    for (scope, least) in scopes(drawing, &instances, &activities) {
        let inside: u32 = drawing
            .parents
            .iter()
            .filter(|(_, parent)| parent.as_deref() == scope)
            .flat_map(|(element, _)| [element.clone(), format!("{element}#body")])
            .filter_map(|element| activities.get(&element).map(|[_, _, open]| *open))
            .sum();
        let stopped = incidents.iter().any(|incident| scope.is_some_and(|s| is_about(incident, s)));
        let kept = scope.is_some_and(is_kept);
        if inside < least && !stopped && !starves && !kept {
            complain(&format!("{scope:?} is open {least} times and holds {inside} tokens"));
        }
    }
}

fn is_about(incident: &str, element: &str) -> bool {
    incident.split_once(':').is_some_and(|(_, about)| about == element)
}

/// Whether an element waits for something of its own, by its name.
fn waits_itself(element: &str) -> bool {
    let is_inner = !element.ends_with("#body");
    is_inner && ["user", "worker", "catch"].iter().any(|word| element.starts_with(word))
}

/// Scopes of the main process, and how often each is open.
fn scopes<'d>(
    drawing: &'d Drawing,
    instances: &[String],
    activities: &BTreeMap<String, [u32; 3]>,
) -> Vec<(Option<&'d str>, u32)> {
    let is_main = |instance: &&String| **instance == format!("{PROCESS}:active");
    let live = instances.iter().filter(is_main).count();
    let mut scopes = vec![(None, u32::try_from(live).expect("a small number"))];
    for element in drawing.parents.keys() {
        let is_scope = ["sub", "events"].iter().any(|word| element.starts_with(word));
        if let (true, Some([_, _, open])) = (is_scope, activities.get(element)) {
            scopes.push((Some(element.as_str()), *open));
        }
    }
    scopes
}
