use std::cell::Cell;
use std::io;
use std::rc::Rc;

use rquickjs::context::{Intrinsic, intrinsic};
use rquickjs::{CatchResultExt, Context, Ctx, Persistent, Runtime, Value};

use crate::config::Limits;
use crate::protocol::{Answer, Problem, ProblemKind, Request, Sight, Task};
use crate::wire_value::WireValue;

use super::globals::{self, options};
use super::limits::Guard;
use super::needs::Needs;
use super::problem::{FILE, caught};
use super::scene::{Scene, Shared};
use super::to_wire::Refused;

/// Stops a script that is only compiled before it does anything.
const CHECK_PREFIX: &str = "throw 0;";
/// Turns of promises and their like after the script itself.
const JOBS_MAX: usize = 10_000;
/// Bytes before the engine first looks for garbage. Its own objects take some 220 KB, and with
/// its default of 256 KB small scripts would pay for a search that finds nothing.
const GARBAGE_BYTES: usize = 512 << 10;

/// What nearly every script can do with.
type Common = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
);
/// All that belongs to the language; hosts of other kinds add clocks and errors of their own.
type Whole = (Common, intrinsic::TypedArrays, intrinsic::Promise, intrinsic::WeakRef);

/// An engine for one script. The limits of the request are set when it comes.
pub(super) struct Engine {
    scene: Shared,
    context: Context,
    runtime: Runtime,
    guard: Guard,
    threw_null: Cell<bool>,
}

impl Engine {
    /// For a script that does not need the whole language.
    pub(super) fn new() -> io::Result<Self> {
        Self::with::<Common>()
    }

    pub(super) fn whole() -> io::Result<Self> {
        Self::with::<Whole>()
    }

    fn with<I: Intrinsic>() -> io::Result<Self> {
        let runtime = Runtime::new().map_err(io::Error::other)?;
        runtime.set_gc_threshold(GARBAGE_BYTES);
        let guard = Guard::default();
        let asked = guard.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || asked.is_over())));
        let context = Context::custom::<I>(&runtime).map_err(io::Error::other)?;
        let scene = Rc::new(Scene::default());
        context.with(|ctx| {
            globals::prepare(&ctx, &scene)
                .catch(&ctx)
                .map_err(|error| io::Error::other(error.to_string()))
        })?;
        Ok(Self { scene, context, runtime, guard, threw_null: Cell::new(false) })
    }

    /// An engine, after another one has touched everything that is initialised once.
    pub(super) fn warm() -> io::Result<Self> {
        let first = Self::whole()?;
        let answer = first.serve(Request {
            task: Task::Run,
            source: "[new Date(2020, 1, 2).toString(), new Date(0).getHours(), Math.random(), \
                     'x'.localeCompare('y'), /a/.test('a'), (1.5).toFixed(1), typeof Java].length"
                .to_owned(),
            limits: Limits::default(),
            sight: Sight {
                variables: "{}".to_owned(),
                scoped: r#"{"local":{},"instance":{},"parent":{},"parentLocal":{}}"#.to_owned(),
                execution: true,
                ..Sight::default()
            },
        });
        match answer.result {
            Ok(_) => Self::new(),
            Err(problem) => Err(io::Error::other(format!("the engine: {}", problem.message))),
        }
    }

    /// For one request; the engine is spent then, and dropped after the answer is on its way.
    pub(super) fn serve(&self, request: Request) -> Answer {
        let bytes = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        let limits = request.limits;
        self.runtime.set_memory_limit(bytes(limits.memory_bytes));
        self.runtime.set_max_stack_size(bytes(limits.stack_bytes));
        self.guard.start(&limits);
        self.scene.begin(request.sight, limits);
        let result = self.context.with(|ctx| match request.task {
            Task::Check => check(&ctx, &self.guard, &request.source),
            Task::Run => self.run(&ctx, &request.source),
        });
        let found = self.scene.found.take();
        let result = match (found.refused, result) {
            (Some(kind), _) => Err(Problem::of(kind)),
            (None, Err(_)) if self.ran_out_of_memory(&request.source, &limits) => {
                Err(Problem::of(ProblemKind::Memory))
            }
            (None, result) => result,
        };
        Answer {
            result,
            effects: found.effects,
            printed: found.printed,
            printed_lost: found.printed_lost,
        }
    }

    fn run(&self, ctx: &Ctx<'_>, source: &str) -> Result<WireValue, Problem> {
        let scene = &self.scene;
        globals::show(ctx, scene, Needs::of(source)).map_err(|_| self.problem(ctx))?;
        let value: Value<'_> =
            ctx.eval_with_options(source, options(FILE)).map_err(|_| self.problem(ctx))?;
        self.finish_jobs(ctx)?;
        scene.finish(ctx).map_err(|_| self.problem(ctx))?;
        let mut writer = scene.writer(ctx, scene.answer_bytes()).map_err(|_| self.problem(ctx))?;
        writer.value(ctx, &value, 0).map_err(|refused| match refused {
            Refused::Thrown => self.problem(ctx),
            other => Problem::of(other.kind()),
        })
    }

    /// What promises left to do. A script whose promises never end has not ended.
    fn finish_jobs(&self, ctx: &Ctx<'_>) -> Result<(), Problem> {
        let mut jobs_left = JOBS_MAX;
        while ctx.execute_pending_job() {
            if self.guard.stopped().is_some() {
                return Err(self.problem(ctx));
            }
            let Some(left) = jobs_left.checked_sub(1) else {
                return Err(Problem::of(ProblemKind::Rounds));
            };
            jobs_left = left;
        }
        Ok(())
    }

    fn problem(&self, ctx: &Ctx<'_>) -> Problem {
        let held = self.scene.held.borrow().bpmn_error.clone();
        let bpmn_error = held.and_then(|class| Persistent::restore(class, ctx).ok());
        let thrown = ctx.catch();
        self.threw_null.set(thrown.is_null());
        caught(ctx, &self.guard, &thrown, bpmn_error.as_ref())
    }

    /// Null is thrown where there is no memory left to make an error of, and by scripts that say so.
    /// What took the memory may be gone by now.
    fn ran_out_of_memory(&self, source: &str, limits: &Limits) -> bool {
        let used = u64::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(0);
        let is_short = used > limits.memory_bytes / 2;
        self.threw_null.get() && (is_short || !Needs::of(source).name("throw"))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.scene.let_go();
    }
}

/// Compiles the script behind a statement that throws: nothing of it runs.
fn check(ctx: &Ctx<'_>, guard: &Guard, source: &str) -> Result<WireValue, Problem> {
    let guarded = format!("{CHECK_PREFIX}{source}");
    let result: rquickjs::Result<Value<'_>> = ctx.eval_with_options(guarded, options(FILE));
    match result {
        Ok(_) => Ok(WireValue::Null),
        Err(_) => {
            let thrown = ctx.catch();
            let mut problem = caught(ctx, guard, &thrown, None);
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
