//! Lists, sets and maps as scripts for the compatible engines use them: values of the engine with
//! the methods of Java's collections besides their own.

use rquickjs::convert::Coerced;
use rquickjs::function::{IntoJsFunc, Opt, This};
use rquickjs::object::Property;
use rquickjs::{Array, Ctx, Exception, FromJs, Function, Object, Persistent, Result, Value};

use super::scene::{Scene, Shared};

/// Deeper values keep the methods of the language alone.
const DRESSED_DEPTH_MAX: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    List,
    Set,
    Map,
}

/// Gives lists and maps their methods, inner ones too.
pub(super) fn dress<'js>(ctx: &Ctx<'js>, scene: &Shared, value: &Value<'js>) -> Result<()> {
    dress_at(ctx, scene, value, 0)
}

fn dress_at<'js>(ctx: &Ctx<'js>, scene: &Shared, value: &Value<'js>, depth: usize) -> Result<()> {
    let Some(object) = value.as_object().filter(|_| depth < DRESSED_DEPTH_MAX) else {
        return Ok(());
    };
    for inner in object.values::<Value<'js>>() {
        let inner = inner?;
        if inner.is_object() {
            dress_at(ctx, scene, &inner, depth + 1)?;
        }
    }
    make(ctx, scene, if value.is_array() { Kind::List } else { Kind::Map }, object)
}

pub(super) fn make<'js>(
    ctx: &Ctx<'js>,
    scene: &Shared,
    kind: Kind,
    object: &Object<'js>,
) -> Result<()> {
    object.set_prototype(Some(&methods(ctx, scene, kind)?))
}

pub(super) fn empty_map<'js>(ctx: &Ctx<'js>, scene: &Shared) -> Result<Object<'js>> {
    Object::new_proto(ctx.clone(), Some(&methods(ctx, scene, Kind::Map)?))
}

/// Sets an entry whatever the script did to the prototypes.
pub(super) fn put<'js>(object: &Object<'js>, name: &str, value: Value<'js>) -> Result<()> {
    object.prop(name, Property::from(value).writable().enumerable().configurable())
}

pub(super) fn has_own<'js>(
    ctx: &Ctx<'js>,
    scene: &Scene,
    object: &Object<'js>,
    name: &str,
) -> Result<bool> {
    let held = scene.held.borrow().has_own.clone();
    match held {
        Some(has_own) => has_own.restore(ctx)?.call((object.clone(), name)),
        None => object.contains_key(name),
    }
}

/// As `includes` compares.
pub(super) fn is_same<'js>(a: &Value<'js>, b: &Value<'js>) -> bool {
    match (a.as_number(), b.as_number()) {
        (Some(a), Some(b)) => return a == b || (a.is_nan() && b.is_nan()),
        (None, None) => {}
        _ => return false,
    }
    match (a.as_string(), b.as_string()) {
        (Some(a), Some(b)) => match (a.to_string(), b.to_string()) {
            (Ok(a), Ok(b)) => a == b,
            _ => false,
        },
        _ => a == b,
    }
}

fn methods<'js>(ctx: &Ctx<'js>, scene: &Shared, kind: Kind) -> Result<Object<'js>> {
    let kept = {
        let held = scene.held.borrow();
        match kind {
            Kind::List => held.list.clone(),
            Kind::Set => held.set.clone(),
            Kind::Map => held.map.clone(),
        }
    };
    if let Some(kept) = kept {
        return kept.restore(ctx);
    }
    let made = match kind {
        Kind::List => list_methods(ctx)?,
        Kind::Set => {
            let set = Object::new_proto(ctx.clone(), Some(&methods(ctx, scene, Kind::List)?))?;
            give(ctx, &set, "add", set_add)?;
            set
        }
        Kind::Map => map_methods(ctx, scene)?,
    };
    let kept = Some(Persistent::save(ctx, made.clone()));
    let mut held = scene.held.borrow_mut();
    match kind {
        Kind::List => held.list = kept,
        Kind::Set => held.set = kept,
        Kind::Map => held.map = kept,
    }
    Ok(made)
}

fn list_methods<'js>(ctx: &Ctx<'js>) -> Result<Object<'js>> {
    // That of a new array: the global name may be something else by now.
    let arrays = Array::new(ctx.clone())?.as_object().get_prototype();
    let list = Object::new_proto(ctx.clone(), arrays.as_ref())?;
    give(ctx, &list, "size", |this: This<Array<'js>>| this.len())?;
    give(ctx, &list, "isEmpty", |this: This<Array<'js>>| this.is_empty())?;
    give(ctx, &list, "get", |this: This<Array<'js>>, at: usize| this.get::<Value<'js>>(at))?;
    give(ctx, &list, "set", list_set)?;
    give(ctx, &list, "add", list_add)?;
    give(ctx, &list, "addAll", list_add_all)?;
    give(ctx, &list, "contains", |this: This<Array<'js>>, item: Value<'js>| {
        Ok::<_, rquickjs::Error>(position(&this, &item)?.is_some())
    })?;
    give(ctx, &list, "remove", list_remove)?;
    give(ctx, &list, "clear", |this: This<Array<'js>>| this.as_object().set("length", 0))?;
    give(ctx, &list, "toString", list_text)?;
    Ok(list)
}

fn list_set<'js>(this: This<Array<'js>>, at: usize, value: Value<'js>) -> Result<Value<'js>> {
    let old = this.get(at)?;
    this.set(at, value)?;
    Ok(old)
}

fn list_add<'js>(this: This<Array<'js>>, a: Value<'js>, b: Opt<Value<'js>>) -> Result<bool> {
    let Some(item) = b.0 else {
        this.set(this.len(), a)?;
        return Ok(true);
    };
    let at = a.as_number().unwrap_or_default();
    if at < 0.0 || at > this.len() as f64 {
        return Err(Exception::throw_range(this.ctx(), "no such place in the list"));
    }
    let at = at as usize;
    for place in (at..this.len()).rev() {
        this.set(place + 1, this.get::<Value<'js>>(place)?)?;
    }
    this.set(at, item)?;
    Ok(true)
}

fn list_add_all<'js>(this: This<Array<'js>>, items: Array<'js>) -> Result<bool> {
    for item in items.iter::<Value<'js>>() {
        this.set(this.len(), item?)?;
    }
    Ok(!items.is_empty())
}

/// By place when it is a number, else by value, as Java chooses.
fn list_remove<'js>(this: This<Array<'js>>, what: Value<'js>) -> Result<Value<'js>> {
    let ctx = this.ctx().clone();
    let at = match what.as_number() {
        Some(at) if at >= 0.0 => Some(at as usize).filter(|at| *at < this.len()),
        Some(_) => None,
        None => position(&this, &what)?,
    };
    let Some(at) = at else { return Ok(Value::new_bool(ctx, false)) };
    let old: Value<'js> = this.get(at)?;
    for place in at + 1..this.len() {
        this.set(place - 1, this.get::<Value<'js>>(place)?)?;
    }
    this.as_object().set("length", this.len() - 1)?;
    Ok(if what.is_number() { old } else { Value::new_bool(ctx, true) })
}

fn list_text<'js>(ctx: Ctx<'js>, this: This<Array<'js>>) -> Result<String> {
    let mut out = String::from("[");
    for (place, item) in this.iter::<Value<'js>>().enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        out.push_str(&text(&ctx, item?)?);
    }
    out.push(']');
    Ok(out)
}

fn set_add<'js>(this: This<Array<'js>>, item: Value<'js>) -> Result<bool> {
    if position(&this, &item)?.is_some() {
        return Ok(false);
    }
    this.set(this.len(), item)?;
    Ok(true)
}

fn position<'js>(list: &Array<'js>, wanted: &Value<'js>) -> Result<Option<usize>> {
    for (place, item) in list.iter::<Value<'js>>().enumerate() {
        if is_same(&item?, wanted) {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

fn map_methods<'js>(ctx: &Ctx<'js>, scene: &Shared) -> Result<Object<'js>> {
    let objects = Object::new(ctx.clone())?.get_prototype();
    let map = Object::new_proto(ctx.clone(), objects.as_ref())?;
    give(ctx, &map, "size", |this: This<Object<'js>>| this.keys::<String>().count())?;
    give(ctx, &map, "isEmpty", |this: This<Object<'js>>| this.keys::<String>().count() == 0)?;
    let own = scene.clone();
    give(ctx, &map, "get", move |ctx: Ctx<'js>, this: This<Object<'js>>, key: Coerced<String>| {
        get(&ctx, &own, &this, &key)
    })?;
    let own = scene.clone();
    give(
        ctx,
        &map,
        "getOrDefault",
        move |ctx: Ctx<'js>, this: This<Object<'js>>, key: Coerced<String>, other: Value<'js>| {
            let has = has_own(&ctx, &own, &this, &key)?;
            if has { this.get(key.0) } else { Ok(other) }
        },
    )?;
    let own = scene.clone();
    give(
        ctx,
        &map,
        "put",
        move |ctx: Ctx<'js>, this: This<Object<'js>>, key: Coerced<String>, value: Value<'js>| {
            let old = get(&ctx, &own, &this, &key)?;
            put(&this, &key, value)?;
            Ok::<_, rquickjs::Error>(old)
        },
    )?;
    give(ctx, &map, "putAll", |this: This<Object<'js>>, other: Object<'js>| {
        for entry in other.props::<String, Value<'js>>() {
            let (name, value) = entry?;
            put(&this, &name, value)?;
        }
        Ok::<_, rquickjs::Error>(())
    })?;
    let own = scene.clone();
    give(
        ctx,
        &map,
        "containsKey",
        move |ctx: Ctx<'js>, this: This<Object<'js>>, key: Coerced<String>| {
            has_own(&ctx, &own, &this, &key)
        },
    )?;
    let own = scene.clone();
    give(
        ctx,
        &map,
        "remove",
        move |ctx: Ctx<'js>, this: This<Object<'js>>, key: Coerced<String>| {
            let old = get(&ctx, &own, &this, &key)?;
            this.remove(key.0)?;
            Ok::<_, rquickjs::Error>(old)
        },
    )?;
    let own = scene.clone();
    give(ctx, &map, "keySet", move |ctx: Ctx<'js>, this: This<Object<'js>>| {
        list_of(&ctx, &own, Kind::Set, this.keys::<Value<'js>>())
    })?;
    let own = scene.clone();
    give(ctx, &map, "values", move |ctx: Ctx<'js>, this: This<Object<'js>>| {
        list_of(&ctx, &own, Kind::List, this.values::<Value<'js>>())
    })?;
    give(ctx, &map, "toString", map_text)?;
    Ok(map)
}

fn get<'js>(ctx: &Ctx<'js>, scene: &Scene, map: &Object<'js>, key: &str) -> Result<Value<'js>> {
    if has_own(ctx, scene, map, key)? { map.get(key) } else { Ok(Value::new_null(ctx.clone())) }
}

fn map_text<'js>(ctx: Ctx<'js>, this: This<Object<'js>>) -> Result<String> {
    let mut out = String::from("{");
    for entry in this.props::<String, Value<'js>>() {
        let (name, value) = entry?;
        if out.len() > 1 {
            out.push_str(", ");
        }
        out.push_str(&name);
        out.push('=');
        out.push_str(&text(&ctx, value)?);
    }
    out.push('}');
    Ok(out)
}

fn text<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<String> {
    Ok(Coerced::<String>::from_js(ctx, value)?.0)
}

pub(super) fn list_of<'js>(
    ctx: &Ctx<'js>,
    scene: &Shared,
    kind: Kind,
    items: impl Iterator<Item = Result<Value<'js>>>,
) -> Result<Array<'js>> {
    let list = Array::new(ctx.clone())?;
    for (place, item) in items.enumerate() {
        list.set(place, item?)?;
    }
    make(ctx, scene, kind, list.as_object())?;
    Ok(list)
}

/// A method that loops over entries do not see.
fn give<'js, P, F>(ctx: &Ctx<'js>, object: &Object<'js>, name: &str, method: F) -> Result<()>
where
    F: IntoJsFunc<'js, P> + 'js,
{
    let method = Function::new(ctx.clone(), method)?;
    object.prop(name, Property::from(method).writable().configurable())
}
