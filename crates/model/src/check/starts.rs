//! Where instances and subprocesses begin.

use orloj_types::ElementId;

use crate::graph::{ElementIndex, ElementKind, StartEvent, SubProcess, SubProcessKind, Trigger};
use crate::options::Dialect;
use crate::read::context::{Context, Subject, bpmn_children};
use crate::read::draft::{Draft, DraftElement};

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>) {
    let starts = Starts::of(draft);
    check_process(ctx, draft, &starts.root);
    for index in draft.indices() {
        let element = draft.element(index);
        if element.subject.tag().ends_with("ubProcess") || element.subject.tag() == "transaction" {
            check_subprocess(ctx, draft, index, &starts.inner[index.0 as usize]);
        }
    }
}

/// Start events by the scope they lie in.
struct Starts {
    root: Vec<ElementIndex>,
    inner: Vec<Vec<ElementIndex>>,
}

impl Starts {
    fn of(draft: &Draft<'_>) -> Self {
        let mut starts = Self { root: Vec::new(), inner: vec![Vec::new(); draft.elements.len()] };
        for index in draft.indices() {
            let element = draft.element(index);
            if element.subject.tag() != "startEvent" {
                continue;
            }
            match element.parent {
                Some(parent) => starts.inner[parent.0 as usize].push(index),
                None => starts.root.push(index),
            }
        }
        starts
    }
}

fn check_process<'a>(ctx: &mut Context<'a>, draft: &Draft<'a>, starts: &[ElementIndex]) {
    // Flowable accepts a process that nobody can start.
    if starts.is_empty() && ctx.dialect != Dialect::Flowable {
        start_missing(ctx, &draft.subject);
    }
    let counts = |start: &&ElementIndex| match &draft.element(**start).kind {
        Some(ElementKind::StartEvent(StartEvent { trigger, .. })) => match trigger {
            None => true,
            // Camunda begins at timers too when an instance is started by hand.
            Some(Trigger::Timer(_)) => ctx.dialect == Dialect::Camunda7,
            Some(_) => false,
        },
        _ => false,
    };
    let seconds: Vec<ElementIndex> = starts.iter().filter(counts).skip(1).copied().collect();
    for second in seconds {
        let second = &draft.elements[second.0 as usize];
        let message = format!(
            "{} is a second start event without a trigger in {}",
            second.subject.title(),
            draft.subject.title()
        );
        ctx.error(&second.subject, "start-event-repeated", message);
    }
}

fn check_subprocess<'a>(
    ctx: &mut Context<'a>,
    draft: &Draft<'a>,
    index: ElementIndex,
    starts: &[ElementIndex],
) {
    let subprocess = &draft.elements[index.0 as usize];
    let is_ad_hoc = subprocess.subject.tag() == "adHocSubProcess";
    if is_ad_hoc {
        check_ad_hoc(ctx, draft, index, starts);
        return;
    }
    let needs_one = match ctx.dialect {
        Dialect::Zeebe => true,
        Dialect::Camunda7 => subprocess.subject.tag() == "subProcess",
        Dialect::Flowable => false,
    };
    if starts.is_empty() && needs_one && !draft.has_gaps {
        start_missing(ctx, &subprocess.subject);
    }
    // Flowable lets an event subprocess begin in several ways.
    let may_repeat = ctx.dialect == Dialect::Flowable && subprocess.is_event_subprocess();
    if let (Some(second), false) = (starts.get(1), may_repeat) {
        start_repeated(ctx, subprocess, draft.element(*second));
    }
    if ctx.dialect == Dialect::Zeebe {
        check_inside_ad_hoc(ctx, draft, subprocess, starts);
    }
}

/// Zeebe begins ad-hoc subprocesses at the elements that it is told to.
fn check_ad_hoc<'a>(
    ctx: &mut Context<'a>,
    draft: &Draft<'a>,
    index: ElementIndex,
    starts: &[ElementIndex],
) {
    let ad_hoc = &draft.elements[index.0 as usize];
    match ctx.dialect {
        Dialect::Camunda7 => {}
        Dialect::Flowable => {
            if let Some(second) = starts.get(1) {
                start_repeated(ctx, ad_hoc, draft.element(*second));
            }
        }
        Dialect::Zeebe => {
            // Anything will do, even a drawing.
            let mut inside = bpmn_children(ad_hoc.subject.node);
            let is_part = |tag: &str| {
                crate::read::is_activity(tag)
                    || ["Event", "Gateway", "Flow", "Object", "Reference"]
                        .iter()
                        .any(|end| tag.ends_with(end))
            };
            if !inside.any(|node| is_part(node.tag_name().name())) {
                let message = format!("{} has nothing inside", ad_hoc.subject.title());
                ctx.error(&ad_hoc.subject, "ad-hoc-empty", message);
            }
            for node in bpmn_children(ad_hoc.subject.node) {
                if !matches!(node.tag_name().name(), "startEvent" | "endEvent") {
                    continue;
                }
                let id = node.attribute("id").map(ElementId::from);
                let subject = Subject { node, id };
                let message =
                    format!("{} cannot stand in {}", subject.title(), ad_hoc.subject.title());
                ctx.error(&subject, "event-misplaced", message);
            }
        }
    }
}

fn check_inside_ad_hoc<'a>(
    ctx: &mut Context<'a>,
    draft: &Draft<'a>,
    subprocess: &DraftElement<'a>,
    starts: &[ElementIndex],
) {
    let Some(parent) = subprocess.parent else { return };
    let is_inside = matches!(
        &draft.element(parent).kind,
        Some(ElementKind::SubProcess(SubProcess { kind: SubProcessKind::AdHoc(_), .. }))
    );
    if !is_inside || !subprocess.is_event_subprocess() {
        return;
    }
    let interrupts = starts.iter().any(|start| {
        matches!(
            draft.element(*start).kind,
            Some(ElementKind::StartEvent(StartEvent { interrupting: true, .. }))
        )
    });
    if interrupts {
        let message =
            format!("{} cannot interrupt an ad-hoc subprocess", subprocess.subject.title());
        ctx.error(&subprocess.subject, "event-subprocess-misplaced", message);
    }
}

fn start_missing<'a>(ctx: &mut Context<'a>, subject: &Subject<'a>) {
    let message = format!("{} has no start event", subject.title());
    ctx.error(subject, "start-event-missing", message);
}

fn start_repeated<'a>(
    ctx: &mut Context<'a>,
    subprocess: &DraftElement<'a>,
    second: &DraftElement<'a>,
) {
    let message = format!(
        "{} is a second start event in {}",
        second.subject.title(),
        subprocess.subject.title()
    );
    ctx.error(&second.subject, "start-event-repeated", message);
}
