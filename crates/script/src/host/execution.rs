//! `execution` and `task`, whose members are made when a script asks for them.

use rquickjs::convert::Coerced;
use rquickjs::function::Rest;
use rquickjs::proxy::{Proxy, ProxyHandler, ProxyProperty, ProxyReceiver, ProxyTarget};
use rquickjs::{Ctx, FromJs, Function, IntoJs, Object, Persistent, Result, Value};

use crate::protocol::{EffectKind, WireScope};
use crate::wire_value::WireValue;

use super::collections::{self, Kind};
use super::scene::Shared;
use super::variables;

/// Whose members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Execution,
    Instance,
    Parent,
    Task,
}

/// Names that mean the same fact.
const ALIASES: &[(&str, &str)] = &[
    ("processBusinessKey", "businessKey"),
    ("processInstanceBusinessKey", "businessKey"),
    ("activityId", "currentActivityId"),
    ("activityName", "currentActivityName"),
];
const TASK_SETTERS: &[(&str, &str)] = &[
    ("setName", "task.name"),
    ("setDescription", "task.description"),
    ("setAssignee", "task.assignee"),
    ("setOwner", "task.owner"),
    ("setPriority", "task.priority"),
    ("setDueDate", "task.dueDate"),
    ("setFollowUpDate", "task.followUpDate"),
    ("setCategory", "task.category"),
    ("setFormKey", "task.formKey"),
    ("addCandidateUser", "task.addCandidateUser"),
    ("addCandidateGroup", "task.addCandidateGroup"),
    ("deleteCandidateUser", "task.deleteCandidateUser"),
    ("deleteCandidateGroup", "task.deleteCandidateGroup"),
];
const EXECUTION_SETTERS: &[(&str, &str)] =
    &[("setProcessBusinessKey", "businessKey"), ("setBusinessKey", "businessKey")];

pub(super) fn object<'js>(ctx: &Ctx<'js>, scene: &Shared, part: Part) -> Result<Value<'js>> {
    let scene = scene.clone();
    let handler = ProxyHandler::new(ctx.clone())?.with_getter(
        move |target: ProxyTarget<'js>, name: ProxyProperty<'js>, _: ProxyReceiver<'js>| {
            let ctx = target.0.ctx().clone();
            if !name.is_string() {
                return target.0.get::<_, Value<'js>>(name.0);
            }
            let name = name.to_string()?;
            if !collections::has_own(&ctx, &scene, &target.0, &name)? {
                if let Some(method) = method(&ctx, &scene, part, &name)? {
                    collections::put(&target.0, &name, method.into_value())?;
                } else if let Some(value) = property(&ctx, &scene, part, &name)? {
                    return Ok(value);
                }
            }
            target.0.get(name)
        },
    )?;
    Proxy::new(ctx.clone(), Object::new(ctx.clone())?, handler)?.into_js(ctx)
}

/// What a method does.
#[derive(Clone, Copy)]
enum Act {
    Get(bool),
    Has(bool),
    Set(bool),
    SetAll(bool),
    Remove(bool),
    GetAll(bool),
    Names(bool),
    GetTransient,
    SetTransient(bool),
    RemoveTransient(bool),
    Object(Part),
    SetFact(&'static str),
    Fact(&'static str),
}

fn act(part: Part, name: &str) -> Option<Act> {
    let is_task = part == Part::Task;
    Some(match name {
        "getVariable" => Act::Get(false),
        "getVariableLocal" => Act::Get(true),
        "hasVariable" => Act::Has(false),
        "hasVariableLocal" => Act::Has(true),
        "setVariable" => Act::Set(false),
        "setVariableLocal" => Act::Set(true),
        "setVariables" => Act::SetAll(false),
        "setVariablesLocal" => Act::SetAll(true),
        "removeVariable" => Act::Remove(false),
        "removeVariableLocal" => Act::Remove(true),
        "getVariables" => Act::GetAll(false),
        "getVariablesLocal" => Act::GetAll(true),
        "getVariableNames" => Act::Names(false),
        "getVariableNamesLocal" => Act::Names(true),
        "getTransientVariable" | "getTransientVariableLocal" => Act::GetTransient,
        "setTransientVariable" => Act::SetTransient(false),
        "setTransientVariableLocal" => Act::SetTransient(true),
        "removeTransientVariable" => Act::RemoveTransient(false),
        "removeTransientVariableLocal" => Act::RemoveTransient(true),
        "getProcessInstance" if !is_task => Act::Object(Part::Instance),
        "getParent" if !is_task => Act::Object(Part::Parent),
        "getExecution" if is_task => Act::Object(Part::Execution),
        _ => {
            let setters = if is_task { TASK_SETTERS } else { EXECUTION_SETTERS };
            match setters.iter().find(|(setter, _)| *setter == name) {
                Some((_, fact)) => Act::SetFact(fact),
                None => Act::Fact(fact(part, &getter(name)?)?),
            }
        }
    })
}

fn method<'js>(
    ctx: &Ctx<'js>,
    scene: &Shared,
    part: Part,
    name: &str,
) -> Result<Option<Function<'js>>> {
    let Some(act) = act(part, name) else { return Ok(None) };
    let scene = scene.clone();
    Function::new(ctx.clone(), move |ctx: Ctx<'js>, given: Rest<Value<'js>>| {
        perform(&ctx, &scene, part, act, &given)
    })
    .map(Some)
}

fn perform<'js>(
    ctx: &Ctx<'js>,
    scene: &Shared,
    part: Part,
    act: Act,
    given: &[Value<'js>],
) -> Result<Value<'js>> {
    let nothing = || Value::new_undefined(ctx.clone());
    let value = |at: usize| given.get(at).cloned().unwrap_or_else(nothing);
    let name = || Ok::<_, rquickjs::Error>(Coerced::<String>::from_js(ctx, value(0))?.0);
    match act {
        Act::Get(is_local) => read(ctx, scene, &scope(part, is_local), &name()?),
        Act::GetTransient => read(ctx, scene, &WireScope::Nearest, &name()?),
        Act::Has(is_local) => {
            let scope = scope(part, is_local);
            load(ctx, scene, &scope)?;
            let has = scene.variables.borrow().view(&scope).contains_key(&name()?);
            Ok(Value::new_bool(ctx.clone(), has))
        }
        Act::Set(is_local) => {
            let scope = match value(2).as_string() {
                Some(element) if !is_local => WireScope::Element(element.to_string()?),
                _ => scope(part, is_local),
            };
            match transient_value(&value(1))? {
                Some(value) => scene.set(ctx, transient(is_local), &name()?, value),
                None => scene.set(ctx, scope, &name()?, value(1)),
            }
            .map(|()| nothing())
        }
        Act::SetTransient(is_local) => {
            scene.set(ctx, transient(is_local), &name()?, value(1)).map(|()| nothing())
        }
        Act::SetAll(is_local) => {
            let all = Object::from_js(ctx, value(0))?;
            for entry in all.props::<String, Value<'js>>() {
                let (name, value) = entry?;
                scene.set(ctx, scope(part, is_local), &name, value)?;
            }
            Ok(nothing())
        }
        Act::Remove(is_local) => {
            scene.remove(ctx, scope(part, is_local), &name()?).map(|()| nothing())
        }
        Act::RemoveTransient(is_local) => {
            scene.remove(ctx, transient(is_local), &name()?).map(|()| nothing())
        }
        Act::GetAll(is_local) => {
            let map = collections::empty_map(ctx, scene)?;
            for (name, value) in view(ctx, scene, &scope(part, is_local))? {
                collections::put(&map, &name, value.restore(ctx)?)?;
            }
            Ok(map.into_value())
        }
        Act::Names(is_local) => {
            let names = view(ctx, scene, &scope(part, is_local))?;
            let names = names.into_keys().map(|name| name.into_js(ctx));
            Ok(collections::list_of(ctx, scene, Kind::Set, names)?.into_value())
        }
        Act::Object(part) => object(ctx, scene, part),
        Act::SetFact(fact) => {
            scene.emit(ctx, EffectKind::SetFact, WireScope::Nearest, fact, &value(0))?;
            Ok(nothing())
        }
        Act::Fact(fact) => known(ctx, scene, fact),
    }
}

/// What `Variables` has marked as ending with the transaction.
fn transient_value<'js>(value: &Value<'js>) -> Result<Option<Value<'js>>> {
    match value.as_object() {
        Some(marked)
            if marked.get::<_, Option<bool>>("$transient").ok().flatten() == Some(true) =>
        {
            marked.get("value").map(Some)
        }
        _ => Ok(None),
    }
}

fn transient(is_local: bool) -> WireScope {
    match is_local {
        true => WireScope::TransientLocal,
        false => WireScope::Transient,
    }
}

/// A fact, or what a getter without parameters gives.
fn property<'js>(
    ctx: &Ctx<'js>,
    scene: &Shared,
    part: Part,
    name: &str,
) -> Result<Option<Value<'js>>> {
    if let Some(fact) = fact(part, name) {
        return known(ctx, scene, fact).map(Some);
    }
    let mut letters = name.chars();
    let Some(first) = letters.next() else { return Ok(None) };
    let getter = format!("get{}{}", first.to_ascii_uppercase(), letters.as_str());
    match act(part, &getter) {
        Some(act @ (Act::GetAll(_) | Act::Names(_) | Act::Object(_))) => {
            perform(ctx, scene, part, act, &[]).map(Some)
        }
        _ => Ok(None),
    }
}

fn scope(part: Part, is_local: bool) -> WireScope {
    match (part, is_local) {
        (Part::Execution | Part::Task, false) => WireScope::Nearest,
        (Part::Execution | Part::Task, true) => WireScope::Local,
        (Part::Instance, _) => WireScope::Instance,
        (Part::Parent, false) => WireScope::Parent,
        (Part::Parent, true) => WireScope::ParentLocal,
    }
}

/// `getName` asks for `name`.
fn getter(method: &str) -> Option<String> {
    let name = method.strip_prefix("get")?;
    let first = name.chars().next().filter(char::is_ascii_uppercase)?;
    Some(format!("{}{}", first.to_ascii_lowercase(), &name[1..]))
}

fn fact(part: Part, name: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let name = alias.map_or(name, |(_, name)| name);
    let facts = crate::javascript::FACTS.iter();
    facts.copied().find(|fact| match (part, fact.strip_prefix("task.")) {
        (Part::Task, Some(fact)) => fact == name,
        (Part::Task, None) | (_, Some(_)) => false,
        (_, None) => *fact == name,
    })
}

fn known<'js>(ctx: &Ctx<'js>, scene: &Shared, fact: &str) -> Result<Value<'js>> {
    match scene.sight().facts.get(fact) {
        Some(WireValue::Bool(flag)) => flag.into_js(ctx),
        Some(WireValue::Int(number)) => (*number as f64).into_js(ctx),
        Some(WireValue::Double(bits)) => f64::from_bits(*bits).into_js(ctx),
        Some(WireValue::Text(text)) => text.as_str().into_js(ctx),
        _ => Ok(Value::new_null(ctx.clone())),
    }
}

fn read<'js>(ctx: &Ctx<'js>, scene: &Shared, scope: &WireScope, name: &str) -> Result<Value<'js>> {
    load(ctx, scene, scope)?;
    let kept = scene.variables.borrow().view(scope).get(name).cloned();
    kept.map_or_else(|| Ok(Value::new_null(ctx.clone())), |kept| Persistent::restore(kept, ctx))
}

fn view(ctx: &Ctx<'_>, scene: &Shared, scope: &WireScope) -> Result<variables::View> {
    load(ctx, scene, scope)?;
    Ok(scene.variables.borrow().view(scope).clone())
}

/// Variables of single scopes are read when a script asks for them.
fn load(ctx: &Ctx<'_>, scene: &Shared, scope: &WireScope) -> Result<()> {
    if !scene.variables.borrow().needs_loading(scope) {
        return Ok(());
    }
    let all: Object<'_> = ctx.json_parse(scene.sight().scoped.as_str())?.get()?;
    let mut views = [const { variables::View::new() }; 4];
    for (view, name) in views.iter_mut().zip(["local", "instance", "parent", "parentLocal"]) {
        let object: Object<'_> = all.get(name)?;
        *view = variables::entries(ctx, &object, |v| collections::dress(ctx, scene, v))?;
    }
    scene.variables.borrow_mut().load(views);
    Ok(())
}
