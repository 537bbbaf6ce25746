//! The global names that a script finds besides its variables and those of the language.

use rquickjs::context::EvalOptions;
use rquickjs::convert::Coerced;
use rquickjs::function::Rest;
use rquickjs::object::{Accessor, Property};
use rquickjs::{Ctx, Function, IntoJs, Object, Persistent, Result, Value};

use super::collections::{self, Kind};
use super::execution::{self, Part};
use super::needs::Needs;
use super::scene::Shared;
use super::variables;

const DATE: &str = include_str!("date.js");
/// Compiled when a script touches something of it: that takes longer than most scripts.
const WORLD: &str = include_str!("world.js");
/// Names that [`WORLD`] defines.
const OF_WORLD: &[&str] = &[
    "console",
    "Java",
    "Packages",
    "java",
    "javax",
    "org",
    "com",
    "importPackage",
    "importClass",
    "load",
    "JavaImporter",
];

/// What is the same for every script; done before one is there.
pub(super) fn prepare(ctx: &Ctx<'_>, scene: &Shared) -> Result<()> {
    let globals = ctx.globals();
    let objects: Object<'_> = globals.get("Object")?;
    let has_own: Function<'_> = objects.get("hasOwn")?;
    let texts: Object<'_> = globals.get("String")?;
    let texts: Object<'_> = texts.get("prototype")?;
    let well_formed: Function<'_> = texts.get("toWellFormed")?;
    let mut held = scene.held.borrow_mut();
    held.has_own = Some(Persistent::save(ctx, has_own));
    held.well_formed = Some(Persistent::save(ctx, well_formed));
    Ok(())
}

/// What this script may see.
pub(super) fn show(ctx: &Ctx<'_>, scene: &Shared, needs: Needs<'_>) -> Result<()> {
    let sight = scene.sight();
    add(ctx, scene, needs)?;
    let all: Object<'_> = ctx.json_parse(sight.variables.as_str())?.get()?;
    let nearest = variables::entries(ctx, &all, |v| collections::dress(ctx, scene, v))?;
    let named = match &sight.inputs {
        Some(inputs) => ctx.json_parse(inputs.as_str())?.get()?,
        None => all,
    };
    for entry in named.props::<String, Value<'_>>() {
        let (name, value) = entry?;
        scene.define_variable(ctx, &name, value)?;
    }
    scene.variables.borrow_mut().show(nearest);
    if sight.execution {
        hide(&ctx.globals(), "execution", execution::object(ctx, scene, Part::Execution)?)?;
    }
    if sight.task {
        hide(&ctx.globals(), "task", execution::object(ctx, scene, Part::Task)?)?;
    }
    if sight.auto_store {
        scene.variables.borrow_mut().keep_globals(ctx)?;
    }
    Ok(())
}

/// What hosts of scripts add to the language, as far as the script asks for it.
fn add(ctx: &Ctx<'_>, scene: &Shared, needs: Needs<'_>) -> Result<()> {
    let globals = ctx.globals();
    if needs.name("print") {
        hide(&globals, "print", printer(ctx, scene)?.into_value())?;
    }
    // By the name of the object: its members can be reached without writing theirs.
    if needs.name("Math") {
        let math: Object<'_> = globals.get("Math")?;
        let own = scene.clone();
        let random = Function::new(ctx.clone(), move || own.random())?;
        hide(&math, "random", random.into_value())?;
    }
    let mentioned = OF_WORLD.iter().filter(|name| needs.name(name));
    let mut is_world_needed = false;
    for name in mentioned {
        is_world_needed = true;
        lazy(ctx, scene, name, load_world)?;
    }
    // Java's classes have dates too.
    if is_world_needed || needs.name("Date") {
        let dates: Object<'_> = globals.get("Date")?;
        scene.held.borrow_mut().real_date = Some(Persistent::save(ctx, dates));
        lazy(ctx, scene, "Date", load_date)?;
    }
    Ok(())
}

/// A name whose value is made by `load` when a script reads it first.
fn lazy<'js>(
    ctx: &Ctx<'js>,
    scene: &Shared,
    name: &'static str,
    load: fn(&Ctx<'js>, &Shared) -> Result<()>,
) -> Result<()> {
    scene.pending.borrow_mut().insert(name);
    let (read, written) = (scene.clone(), scene.clone());
    let get = move |ctx: Ctx<'js>| {
        if read.pending.borrow().contains(name) {
            load(&ctx, &read)?;
        }
        // Gone all the same when the script calls a getter that it kept.
        let is_made = !read.pending.borrow().contains(name);
        if is_made { ctx.globals().get(name) } else { Ok(Value::new_undefined(ctx)) }
    };
    let set = move |ctx: Ctx<'js>, value: Value<'js>| written.define_variable(&ctx, name, value);
    ctx.globals().prop(name, Accessor::new(get, set).configurable())
}

fn load_date(ctx: &Ctx<'_>, scene: &Shared) -> Result<()> {
    let Some(real) = scene.held.borrow().real_date.clone() else { return Ok(()) };
    let make: Function<'_> = ctx.eval_with_options(DATE, options("date"))?;
    let date: Object<'_> = make.call((real.restore(ctx)?, scene.sight().now_ms as f64))?;
    scene.held.borrow_mut().date = Some(Persistent::save(ctx, date.clone()));
    define(ctx, scene, "Date", date.into_value())
}

fn load_world<'js>(ctx: &Ctx<'js>, scene: &Shared) -> Result<()> {
    let shared = Object::new(ctx.clone())?;
    shared.set("world", ctx.globals())?;
    let own = scene.clone();
    let set =
        move |ctx: Ctx<'js>, name: String, value: Value<'js>| define(&ctx, &own, &name, value);
    shared.set("define", Function::new(ctx.clone(), set)?)?;
    shared.set("write", printer(ctx, scene)?)?;
    match &scene.sight().classes {
        // As names of an object: asking it needs nothing that a script could have replaced.
        Some(list) => {
            let listed = Object::new(ctx.clone())?;
            for class in list {
                collections::put(&listed, class, Value::new_bool(ctx.clone(), true))?;
            }
            shared.set("listed", listed)?;
        }
        None => shared.set("listed", Value::new_null(ctx.clone()))?,
    }
    for (name, kind) in [("asList", Kind::List), ("asSet", Kind::Set), ("asMap", Kind::Map)] {
        let own = scene.clone();
        let make = move |ctx: Ctx<'js>, object: Object<'js>| {
            collections::make(&ctx, &own, kind, &object)?;
            Ok::<_, rquickjs::Error>(object)
        };
        shared.set(name, Function::new(ctx.clone(), make)?)?;
    }
    let make: Function<'_> = ctx.eval_with_options(WORLD, options("world"))?;
    let bpmn_error: Object<'_> = make.call((shared,))?;
    scene.held.borrow_mut().bpmn_error = Some(Persistent::save(ctx, bpmn_error));
    Ok(())
}

/// Unless the script has put something else there.
fn define<'js>(ctx: &Ctx<'js>, scene: &Shared, name: &str, value: Value<'js>) -> Result<()> {
    if scene.pending.borrow_mut().remove(name) {
        hide(&ctx.globals(), name, value)?;
    }
    Ok(())
}

fn printer<'js>(ctx: &Ctx<'js>, scene: &Shared) -> Result<Function<'js>> {
    let scene = scene.clone();
    Function::new(ctx.clone(), move |given: Rest<Coerced<String>>| {
        let parts: Vec<String> = given.0.into_iter().map(|part| part.0).collect();
        scene.print(parts.join(" "));
    })
}

fn hide<'js>(object: &Object<'js>, name: &str, value: Value<'js>) -> Result<()> {
    object.prop(name, Property::from(value.into_js(object.ctx())?).writable().configurable())
}

pub(super) fn options(file: &str) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.global = true;
    options.strict = false;
    options.backtrace_barrier = true;
    options.filename = Some(file.to_owned());
    options
}
