use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use rquickjs::context::EvalOptions;
use rquickjs::{CatchResultExt, Context, Ctx, Function, Object, Persistent, Runtime, Value};

use crate::protocol::{Answer, EffectKind, Problem, ProblemKind, Request, Sight, Task, WireEffect};
use crate::wire_value::WireValue;

use super::limits::{Guard, Stopped};
use super::to_wire::{Refused, ToWire};

const PRELUDE: &str = include_str!("prelude.js");
/// The larger part, compiled when a script touches something of it.
const WORLD: &str = include_str!("world.js");
/// What scripts are called in the engine's traces.
const FILE: &str = "script";
/// Stops a script that is only compiled before it does anything.
const CHECK_PREFIX: &str = "throw 0;";
/// Turns of promises and their like after the script itself.
const JOBS_MAX: usize = 10_000;

/// An engine for one script. The limits of the request are set when it comes.
pub(super) struct Engine {
    show: Persistent<Function<'static>>,
    context: Context,
    runtime: Runtime,
    guard: Guard,
}

#[derive(Default)]
struct Collected {
    effects: Vec<WireEffect>,
    printed: Vec<String>,
    printed_bytes: u64,
    printed_lost: usize,
    refused: Option<ProblemKind>,
}

impl Engine {
    pub(super) fn new() -> io::Result<Self> {
        let runtime = Runtime::new().map_err(io::Error::other)?;
        let guard = Guard::default();
        let asked = guard.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || asked.is_over())));
        let context = Context::full(&runtime).map_err(io::Error::other)?;
        let show = context.with(|ctx| -> io::Result<_> {
            let show: Function<'_> = ctx
                .eval_with_options(PRELUDE, options("prelude"))
                .catch(&ctx)
                .map_err(|error| io::Error::other(error.to_string()))?;
            Ok(Persistent::save(&ctx, show))
        })?;
        Ok(Self { show, context, runtime, guard })
    }

    /// An engine, after another one has touched everything that is initialised once.
    pub(super) fn warm() -> io::Result<Self> {
        let first = Self::new()?;
        let request = Request {
            task: Task::Run,
            source: "[new Date(2020, 1, 2).toString(), new Date(0).getHours(), Math.random(), \
                     'x'.localeCompare('y'), /a/.test('a'), (1.5).toFixed(1)].length"
                .to_owned(),
            limits: crate::config::Limits::default(),
            sight: Sight {
                variables: "{}".to_owned(),
                scoped: r#"{"local":{},"instance":{},"parent":{},"parentLocal":{}}"#.to_owned(),
                execution: true,
                ..Sight::default()
            },
        };
        let answer = first.serve(&request);
        match answer.result {
            Ok(_) => Self::new(),
            Err(problem) => Err(io::Error::other(format!("the engine: {}", problem.message))),
        }
    }

    /// For one request; the engine is spent then, and dropped after the answer is on its way.
    pub(super) fn serve(&self, request: &Request) -> Answer {
        let collected = Rc::new(RefCell::new(Collected::default()));
        self.runtime
            .set_memory_limit(usize::try_from(request.limits.memory_bytes).unwrap_or(usize::MAX));
        self.runtime
            .set_max_stack_size(usize::try_from(request.limits.stack_bytes).unwrap_or(usize::MAX));
        self.guard.start(&request.limits);
        let result = self.context.with(|ctx| match request.task {
            Task::Check => check(&ctx, &self.guard, &request.source),
            Task::Run => self.run(&ctx, request, &collected),
        });
        let collected = std::mem::take(&mut *collected.borrow_mut());
        let result = match collected.refused {
            Some(kind) => Err(Problem { kind, message: String::new(), place: (0, 0) }),
            None => result,
        };
        Answer {
            result,
            effects: collected.effects,
            printed: collected.printed,
            printed_lost: collected.printed_lost,
        }
    }

    fn run<'js>(
        &self,
        ctx: &Ctx<'js>,
        request: &Request,
        collected: &Rc<RefCell<Collected>>,
    ) -> Result<WireValue, Problem> {
        let problem = |ctx: &Ctx<'js>, shown: Option<&Object<'js>>| caught(ctx, &self.guard, shown);
        let shown = self.show(ctx, request, collected).map_err(|_| problem(ctx, None))?;
        let value: Value<'_> = ctx
            .eval_with_options(request.source.as_str(), options(FILE))
            .map_err(|_| problem(ctx, Some(&shown)))?;
        for _ in 0..JOBS_MAX {
            if !ctx.execute_pending_job() {
                break;
            }
        }
        let finish: Function<'_> = shown.get("finish").map_err(|_| problem(ctx, Some(&shown)))?;
        finish.call::<_, ()>(()).map_err(|_| problem(ctx, Some(&shown)))?;
        let mut writer = ToWire {
            date: shown.get("Date").ok(),
            bytes_left: usize::try_from(request.limits.answer_bytes).unwrap_or(usize::MAX),
        };
        writer.value(ctx, &value, 0).map_err(|refused| match refused {
            Refused::Thrown => problem(ctx, Some(&shown)),
            other => Problem { kind: refusal(&other), message: String::new(), place: (0, 0) },
        })
    }

    /// Puts everything that the script may see into its world.
    fn show<'js>(
        &self,
        ctx: &Ctx<'js>,
        request: &Request,
        collected: &Rc<RefCell<Collected>>,
    ) -> rquickjs::Result<Object<'js>> {
        let sight = Object::new(ctx.clone())?;
        sight.set("variables", request.sight.variables.as_str())?;
        sight.set("scoped", request.sight.scoped.as_str())?;
        sight.set("execution", request.sight.execution)?;
        sight.set("task", request.sight.task)?;
        sight.set("autoStore", request.sight.auto_store)?;
        sight.set("now", request.sight.now_ms as f64)?;
        sight.set("seed", (request.sight.seed & 0xffff_ffff) as f64)?;
        // As names of an object: asking it needs nothing that a script could have replaced.
        match &request.sight.classes {
            Some(list) => sight.set("classes", names(ctx, list.iter().map(String::as_str))?)?,
            None => sight.set("classes", Value::new_null(ctx.clone()))?,
        }
        let facts = Object::new(ctx.clone())?;
        for (name, value) in &request.sight.facts {
            set_fact(&facts, name, value)?;
        }
        sight.set("facts", facts)?;
        sight.set("known", names(ctx, crate::javascript::FACTS.iter().copied())?)?;
        let show = self.show.clone().restore(ctx)?;
        let print = printer(collected.clone(), request.limits.printed_bytes);
        let print = Function::new(ctx.clone(), print)?;
        let answer_bytes = usize::try_from(request.limits.answer_bytes).unwrap_or(usize::MAX);
        let sight_of = &request.sight;
        let may_write = sight_of.execution || sight_of.task || sight_of.auto_store;
        let emit = emitter(ctx, collected.clone(), answer_bytes, may_write)?;
        let load = Function::new(ctx.clone(), |ctx: Ctx<'js>| {
            ctx.eval_with_options::<Function<'js>, _>(WORLD, options("world"))
        })?;
        show.call((emit, print, sight, load))
    }
}

fn names<'js, 'a>(
    ctx: &Ctx<'js>,
    all: impl Iterator<Item = &'a str>,
) -> rquickjs::Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    for name in all {
        object.set(name, true)?;
    }
    Ok(object)
}

fn set_fact(facts: &Object<'_>, name: &str, value: &WireValue) -> rquickjs::Result<()> {
    match value {
        WireValue::Bool(flag) => facts.set(name, *flag),
        WireValue::Int(number) => facts.set(name, *number as f64),
        WireValue::Double(bits) => facts.set(name, f64::from_bits(*bits)),
        WireValue::Text(text) => facts.set(name, text.as_str()),
        _ => Ok(()),
    }
}

fn printer(collected: Rc<RefCell<Collected>>, bytes_max: u64) -> impl Fn(String) {
    move |text: String| {
        let mut collected = collected.borrow_mut();
        let size = text.len() as u64 + 1;
        if collected.printed_bytes + size > bytes_max {
            collected.printed_lost += 1;
        } else {
            collected.printed_bytes += size;
            collected.printed.push(text);
        }
    }
}

/// What the script wants done is written down at once, outside of its reach.
fn emitter<'js>(
    ctx: &Ctx<'js>,
    collected: Rc<RefCell<Collected>>,
    bytes_max: usize,
    may_write: bool,
) -> rquickjs::Result<Function<'js>> {
    let used = std::cell::Cell::new(0usize);
    // The constructor of dates comes with each call: what a function keeps for itself is out of
    // the collector's sight, and would keep the engine alive.
    Function::new(
        ctx.clone(),
        move |ctx: Ctx<'js>,
              kind: String,
              scope: String,
              name: String,
              value: Value<'js>,
              date: Object<'js>| {
            let kind = match kind.as_str() {
                "Set" => EffectKind::Set,
                "Remove" => EffectKind::Remove,
                "Changed" => EffectKind::Changed,
                _ => EffectKind::SetFact,
            };
            // Whatever the script did to its world: what it may not see it cannot write.
            if !may_write && kind != EffectKind::Changed {
                return Ok(());
            }
            let left = bytes_max.saturating_sub(used.get()).saturating_sub(name.len() + 32);
            let mut writer = ToWire { date: Some(date), bytes_left: left };
            match writer.value(&ctx, &value, 0) {
                Ok(value) => {
                    used.set(bytes_max - writer.bytes_left);
                    collected.borrow_mut().effects.push(WireEffect { kind, scope, name, value });
                    Ok(())
                }
                Err(Refused::Thrown) => Err(rquickjs::Error::Exception),
                Err(other) => {
                    collected.borrow_mut().refused = Some(refusal(&other));
                    Err(rquickjs::Exception::throw_message(&ctx, "the value is too large"))
                }
            }
        },
    )
}

fn refusal(refused: &Refused) -> ProblemKind {
    match refused {
        Refused::TooDeep => ProblemKind::Stack,
        Refused::TooLarge | Refused::Thrown => ProblemKind::AnswerSize,
    }
}

/// Compiles the script behind a statement that throws: nothing of it runs.
fn check(ctx: &Ctx<'_>, guard: &Guard, source: &str) -> Result<WireValue, Problem> {
    let guarded = format!("{CHECK_PREFIX}{source}");
    let result: rquickjs::Result<Value<'_>> = ctx.eval_with_options(guarded, options(FILE));
    match result {
        Ok(_) => Ok(WireValue::Null),
        Err(_) => {
            let mut problem = caught(ctx, guard, None);
            if problem.kind != ProblemKind::Syntax {
                return Ok(WireValue::Null);
            }
            if problem.place.0 == 1 {
                let prefix = u32::try_from(CHECK_PREFIX.len()).unwrap_or_default();
                problem.place.1 = problem.place.1.saturating_sub(prefix).max(1);
            }
            Err(problem)
        }
    }
}

/// What the engine has pending, as a problem of the script.
fn caught<'js>(ctx: &Ctx<'js>, guard: &Guard, shown: Option<&Object<'js>>) -> Problem {
    let thrown = ctx.catch();
    let limit = |kind: ProblemKind| Problem { kind, message: String::new(), place: (0, 0) };
    match guard.stopped() {
        Some(Stopped::Time) => return limit(ProblemKind::Time),
        Some(Stopped::Rounds) => return limit(ProblemKind::Rounds),
        None => {}
    }
    let Some(object) = thrown.as_object() else {
        // There was no memory left to make an error of.
        if thrown.is_null() || thrown.is_undefined() {
            return limit(ProblemKind::Memory);
        }
        let message = thrown
            .as_string()
            .and_then(|text| text.to_string().ok())
            .unwrap_or_else(|| simple(&thrown));
        let kind = ProblemKind::Exception { class: "Error".to_owned() };
        return Problem { kind, message, place: (0, 0) };
    };
    let text = |name: &str| object.get::<_, String>(name).unwrap_or_default();
    let (name, message, stack) = (text("name"), text("message"), text("stack"));
    let place = place(&stack);
    let is_bpmn_error = shown
        .and_then(|shown| shown.get::<_, Object<'_>>("BpmnError").ok())
        .is_some_and(|class| object.is_instance_of(&class));
    let kind = if is_bpmn_error {
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
    Problem { kind, message, place }
}

fn simple(value: &Value<'_>) -> String {
    if let Some(flag) = value.as_bool() {
        return flag.to_string();
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

fn options(file: &str) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.global = true;
    options.strict = false;
    options.backtrace_barrier = true;
    options.filename = Some(file.to_owned());
    options
}
