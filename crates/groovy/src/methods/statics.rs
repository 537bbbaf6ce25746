//! Static methods and fields of the known classes.

use std::rc::Rc;

use crate::classes::Class;
use crate::run::{Machine, Thrown, to_f64};
use crate::value::Val;

/// Static methods by class. What is not here is refused when the script is parsed.
const METHODS: &[(&str, &[&str])] = &[
    (
        "java.lang.Math",
        &[
            "abs",
            "max",
            "min",
            "round",
            "floor",
            "ceil",
            "pow",
            "sqrt",
            "cbrt",
            "random",
            "rint",
            "signum",
            "log",
            "log10",
            "exp",
            "sin",
            "cos",
            "tan",
            "atan",
            "atan2",
            "hypot",
            "floorDiv",
            "floorMod",
            "toRadians",
            "toDegrees",
        ],
    ),
    (
        "java.lang.Integer",
        &[
            "parseInt",
            "valueOf",
            "toString",
            "compare",
            "toHexString",
            "toBinaryString",
            "max",
            "min",
            "sum",
        ],
    ),
    ("java.lang.Long", &["parseLong", "valueOf", "toString", "compare", "max", "min", "sum"]),
    ("java.lang.Double", &["parseDouble", "valueOf", "toString", "compare", "isNaN", "max", "min"]),
    ("java.lang.Float", &["parseFloat", "valueOf", "toString"]),
    ("java.lang.Boolean", &["parseBoolean", "valueOf", "toString"]),
    (
        "java.lang.Character",
        &["isDigit", "isLetter", "isUpperCase", "toUpperCase", "toLowerCase", "valueOf"],
    ),
    ("java.lang.String", &["valueOf", "format", "join"]),
    ("java.math.BigDecimal", &["valueOf"]),
    ("java.math.BigInteger", &["valueOf"]),
    ("java.math.RoundingMode", &["valueOf"]),
    ("java.lang.System", &["currentTimeMillis", "nanoTime", "lineSeparator"]),
    ("java.lang.Thread", &["sleep"]),
    ("java.util.Arrays", &["asList", "sort", "toString"]),
    (
        "java.util.Collections",
        &[
            "emptyList",
            "emptyMap",
            "emptySet",
            "sort",
            "reverse",
            "max",
            "min",
            "unmodifiableList",
            "unmodifiableMap",
            "unmodifiableSet",
            "singletonList",
            "singleton",
            "singletonMap",
            "addAll",
            "frequency",
            "nCopies",
        ],
    ),
    ("java.util.List", &["of", "copyOf"]),
    ("java.util.Set", &["of", "copyOf"]),
    ("java.util.Map", &["of", "entry"]),
    ("java.util.Objects", &["equals", "isNull", "nonNull", "toString", "requireNonNull", "hash"]),
    ("java.util.UUID", &["randomUUID"]),
    (
        "org.camunda.bpm.engine.variable.Variables",
        &[
            "untypedValue",
            "untypedNullValue",
            "stringValue",
            "integerValue",
            "longValue",
            "shortValue",
            "doubleValue",
            "booleanValue",
            "numberValue",
            "dateValue",
            "objectValue",
        ],
    ),
    ("java.util.regex.Pattern", &["compile", "matches", "quote"]),
    ("java.util.Date", &["parse", "from"]),
    ("groovy.json.JsonOutput", &["toJson", "prettyPrint"]),
    ("java.util.concurrent.TimeUnit", &[]),
];

const PROPERTIES: &[(&str, &[&str])] = &[
    ("java.lang.Math", &["PI", "E"]),
    ("java.lang.Integer", &["MAX_VALUE", "MIN_VALUE"]),
    ("java.lang.Long", &["MAX_VALUE", "MIN_VALUE"]),
    (
        "java.lang.Double",
        &["MAX_VALUE", "MIN_VALUE", "NaN", "POSITIVE_INFINITY", "NEGATIVE_INFINITY"],
    ),
    ("java.lang.Boolean", &["TRUE", "FALSE"]),
    (
        "java.math.BigDecimal",
        &[
            "ZERO",
            "ONE",
            "TEN",
            "ROUND_HALF_UP",
            "ROUND_HALF_DOWN",
            "ROUND_HALF_EVEN",
            "ROUND_UP",
            "ROUND_DOWN",
            "ROUND_FLOOR",
            "ROUND_CEILING",
        ],
    ),
    ("java.math.BigInteger", &["ZERO", "ONE", "TEN"]),
    (
        "java.math.RoundingMode",
        &["UP", "DOWN", "CEILING", "FLOOR", "HALF_UP", "HALF_DOWN", "HALF_EVEN", "UNNECESSARY"],
    ),
    ("java.lang.System", &["out", "err"]),
    ("java.util.Collections", &["EMPTY_LIST", "EMPTY_MAP", "EMPTY_SET"]),
];

/// Methods that the class object itself has.
const OF_CLASSES: &[&str] = &[
    "getName",
    "getSimpleName",
    "isInstance",
    "toString",
    "getClass",
    "equals",
    "with",
    "hashCode",
    "cast",
];

pub(crate) fn check_static_method(class: Class, name: &str) -> Result<(), String> {
    if OF_CLASSES.contains(&name) || listed(METHODS, class, name) {
        Ok(())
    } else {
        Err(format!("the method {}.{name} is not supported in scripts", class.name()))
    }
}

pub(crate) fn check_static_property(class: Class, name: &str) -> Result<(), String> {
    let of_class = matches!(name, "name" | "simpleName" | "class");
    if of_class || listed(PROPERTIES, class, name) {
        Ok(())
    } else {
        Err(format!("the field {}.{name} is not supported in scripts", class.name()))
    }
}

fn listed(table: &[(&str, &[&str])], class: Class, name: &str) -> bool {
    table.iter().any(|(found, names)| *found == class.name() && names.contains(&name))
}

pub(crate) fn static_property(
    m: &mut Machine<'_>,
    class: Class,
    name: &str,
    at: u32,
) -> Thrown<Option<Val>> {
    Ok(Some(match (class.simple_name(), name) {
        ("Math", "PI") => Val::Double(std::f64::consts::PI),
        ("Math", "E") => Val::Double(std::f64::consts::E),
        ("Integer", "MAX_VALUE") => Val::Int(i32::MAX),
        ("Integer", "MIN_VALUE") => Val::Int(i32::MIN),
        ("Long", "MAX_VALUE") => Val::Long(i64::MAX),
        ("Long", "MIN_VALUE") => Val::Long(i64::MIN),
        ("Double", "MAX_VALUE") => Val::Double(f64::MAX),
        ("Double", "MIN_VALUE") => Val::Double(5e-324),
        ("Double", "NaN") => Val::Double(f64::NAN),
        ("Double", "POSITIVE_INFINITY") => Val::Double(f64::INFINITY),
        ("Double", "NEGATIVE_INFINITY") => Val::Double(f64::NEG_INFINITY),
        ("Boolean", "TRUE") => Val::Bool(true),
        ("Boolean", "FALSE") => Val::Bool(false),
        ("BigDecimal", "ZERO") => Val::Dec(crate::decimal::Dec::whole(0)),
        ("BigDecimal", "ONE") => Val::Dec(crate::decimal::Dec::whole(1)),
        ("BigDecimal", "TEN") => Val::Dec(crate::decimal::Dec::whole(10)),
        ("BigInteger", "ZERO") => Val::BigInt(0),
        ("BigInteger", "ONE") => Val::BigInt(1),
        ("BigInteger", "TEN") => Val::BigInt(10),
        ("BigDecimal" | "RoundingMode", name) => match super::number::rounding(name) {
            Some(mode) => Val::Rounding(mode),
            None => return Ok(None),
        },
        ("System", "out" | "err") => Val::Out,
        ("Collections", "EMPTY_LIST") => m.new_list(Vec::new(), at)?,
        ("Collections", "EMPTY_MAP") => Val::Map(m.new_map("java.util.LinkedHashMap", at)?),
        ("Collections", "EMPTY_SET") => m.new_set(Vec::new(), "java.util.LinkedHashSet", at)?,
        (_, "class") => Val::Class(class),
        _ => return Ok(None),
    }))
}

pub(super) fn invoke(
    m: &mut Machine<'_>,
    class: Class,
    name: &str,
    arguments: &[Val],
    at: u32,
) -> Thrown<Option<Val>> {
    let simple = class.simple_name();
    Ok(Some(match (simple, name, arguments) {
        (_, "getName", []) => m.text(class.name(), at)?,
        (_, "getSimpleName", []) => m.text(simple, at)?,
        (_, "isInstance", [value]) => Val::Bool(m.instance_of(value, class)),
        ("Math", _, _) => return math(m, name, arguments, at),
        ("Integer", "parseInt", [value])
        | ("Long", "parseLong", [value])
        | ("Double", "parseDouble", [value])
        | ("Float", "parseFloat", [value]) => {
            let text = m.show(value, at)?;
            m.parse_number(&text, class, at)?
        }
        (
            "Integer" | "Long" | "Double" | "Float" | "BigDecimal" | "BigInteger",
            "valueOf",
            [value],
        ) => m.coerce(value.clone(), crate::ast::Type::Class(class), at)?,
        ("Integer" | "Long" | "Double", "compare", [a, b]) => Val::Int(m.compare(a, b, at)? as i32),
        ("Integer" | "Long" | "Double", "max" | "min", [_, _]) => {
            return math(m, name, arguments, at);
        }
        ("Integer" | "Long", "sum", [a, b]) => {
            m.binary(crate::ast::Binary::Add, a.clone(), b.clone(), at)?
        }
        ("Integer", "toHexString", [Val::Int(number)]) => m.text(format!("{number:x}"), at)?,
        ("Integer", "toBinaryString", [Val::Int(number)]) => m.text(format!("{number:b}"), at)?,
        ("Double", "isNaN", [value]) => Val::Bool(to_f64(value).is_some_and(f64::is_nan)),
        ("Boolean", "parseBoolean" | "valueOf", [value]) => {
            let text = m.show(value, at)?;
            Val::Bool(text.eq_ignore_ascii_case("true"))
        }
        ("Character", _, [value]) => {
            let text = m.show(value, at)?;
            let value = Val::Char(text.chars().next().unwrap_or_default());
            return super::number::invoke(m, &value, name, &[], at);
        }
        (_, "toString" | "valueOf", [value]) if simple != "RoundingMode" => {
            let text = m.show(value, at)?;
            m.text(text, at)?
        }
        ("RoundingMode", "valueOf", [value]) => {
            let text = m.show(value, at)?;
            match super::number::rounding(&text) {
                Some(mode) => Val::Rounding(mode),
                None => return Err(m.throw("java.lang.IllegalArgumentException", text, at)),
            }
        }
        ("String", "format", [pattern, rest @ ..]) => {
            let pattern = m.show(pattern, at)?;
            let rest = match rest {
                [Val::Array(id, _)] => m.heap.lists[*id as usize].clone(),
                _ => rest.to_vec(),
            };
            let text = super::format::format(m, &pattern, &rest, at)?;
            m.text(text, at)?
        }
        ("String", "join", [separator, items]) if items.as_text().is_none() => {
            m.invoke(items, "join", vec![separator.clone()], at)?
        }
        ("String", "join", [separator, parts @ ..]) => {
            let list = m.new_list(parts.to_vec(), at)?;
            m.invoke(&list, "join", vec![separator.clone()], at)?
        }
        ("System", "currentTimeMillis", []) => Val::Long(m.options.now.as_ms()),
        ("System", "nanoTime", []) => Val::Long(m.options.now.as_ms().saturating_mul(1_000_000)),
        ("System", "lineSeparator", []) => m.text("\n", at)?,
        ("Thread", "sleep", [_]) => Val::Null,
        ("Variables", "untypedNullValue", []) => Val::Null,
        ("Variables", "untypedNullValue", [flag]) => typed(&Val::Null, flag),
        ("Variables", _, [value]) => value.clone(),
        ("Variables", _, [value, flag]) => typed(value, flag),
        ("UUID", "randomUUID", []) => {
            let (a, b) = (m.next_random(), m.next_random());
            let text = format!(
                "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
                a >> 32,
                (a >> 16) & 0xffff,
                a & 0xfff,
                0x8000 | ((b >> 48) & 0x3fff),
                b & 0xffff_ffff_ffff
            );
            m.text(text, at)?
        }
        ("Arrays" | "List", "asList" | "of" | "copyOf", _) => {
            let items = match arguments {
                [one] if crate::run::is_collection(one) => m.items(one, at)?.unwrap_or_default(),
                _ => arguments.to_vec(),
            };
            m.new_list(items, at)?
        }
        ("Set", _, _) => {
            let items = match arguments {
                [one] if crate::run::is_collection(one) => m.items(one, at)?.unwrap_or_default(),
                _ => arguments.to_vec(),
            };
            m.new_set(items, "java.util.LinkedHashSet", at)?
        }
        ("Map", "entry", [key, value]) => m.new_pair(key.clone(), value.clone(), at)?,
        ("Map", "of", pairs) => {
            let map = m.new_map("java.util.LinkedHashMap", at)?;
            for pair in pairs.chunks_exact(2) {
                m.map_put(map, pair[0].clone(), pair[1].clone(), at)?;
            }
            Val::Map(map)
        }
        ("Objects", "equals", [a, b]) => Val::Bool(m.strictly_equal(a, b, at)?),
        ("Objects", "isNull", [a]) => Val::Bool(a.is_null()),
        ("Objects", "nonNull", [a]) => Val::Bool(!a.is_null()),
        ("Objects", "requireNonNull", [a, ..]) => match a {
            Val::Null => {
                return Err(m.throw("java.lang.NullPointerException", "null", at));
            }
            other => other.clone(),
        },
        ("Pattern", "compile", [source, ..]) => {
            let source = m.show(source, at)?;
            Val::Pattern(m.pattern(&source, at)?)
        }
        ("Pattern", "matches", [source, text]) => {
            m.binary(crate::ast::Binary::Match, text.clone(), source.clone(), at)?
        }
        ("Pattern", "quote", [text]) => {
            let text = m.show(text, at)?;
            m.text(format!("\\Q{text}\\E"), at)?
        }
        ("Date", "parse", [pattern, text]) => {
            let pattern = m.show(pattern, at)?;
            m.invoke(&Val::DateFormat(pattern.into()), "parse", vec![text.clone()], at)?
        }
        ("Date", "from", [date @ Val::Date(_)]) => date.clone(),
        ("JsonOutput", "toJson", [value]) => {
            let json = m.export_value(value, at)?.to_json();
            m.text(json, at)?
        }
        ("JsonOutput", "prettyPrint", [text]) => text.clone(),
        ("Collections" | "Arrays", _, _) => return collections(m, name, arguments, at),
        _ => return Ok(None),
    }))
}

/// A value with a type; only one that ends with the transaction differs from a plain one.
fn typed(value: &Val, is_transient: &Val) -> Val {
    match is_transient {
        Val::Bool(true) => Val::Transient(Rc::new(value.clone())),
        _ => value.clone(),
    }
}

fn collections(m: &mut Machine<'_>, name: &str, arguments: &[Val], at: u32) -> Thrown<Option<Val>> {
    Ok(Some(match (name, arguments) {
        ("emptyList", []) => m.new_list(Vec::new(), at)?,
        ("emptyMap", []) => Val::Map(m.new_map("java.util.LinkedHashMap", at)?),
        ("emptySet", []) => m.new_set(Vec::new(), "java.util.LinkedHashSet", at)?,
        ("sort", [list, rest @ ..]) => {
            m.invoke(list, "sort", rest.to_vec(), at)?;
            Val::Null
        }
        ("reverse", [list]) => {
            m.invoke(list, "reverse", vec![Val::Bool(true)], at)?;
            Val::Null
        }
        ("max" | "min", [list, rest @ ..]) => m.invoke(list, name, rest.to_vec(), at)?,
        ("unmodifiableList" | "unmodifiableSet", [list]) => list.clone(),
        ("unmodifiableMap", [map]) => m.invoke(map, "asImmutable", Vec::new(), at)?,
        ("singletonList", [item]) => m.new_list(vec![item.clone()], at)?,
        ("singleton", [item]) => m.new_set(vec![item.clone()], "java.util.LinkedHashSet", at)?,
        ("singletonMap", [key, value]) => {
            let map = m.new_map("java.util.LinkedHashMap", at)?;
            m.map_put(map, key.clone(), value.clone(), at)?;
            Val::Map(map)
        }
        ("addAll", [list, items @ ..]) => {
            let items = m.new_list(items.to_vec(), at)?;
            m.invoke(list, "addAll", vec![items], at)?
        }
        ("frequency", [list, item]) => m.invoke(list, "count", vec![item.clone()], at)?,
        ("nCopies", [count, item]) => {
            let list = m.new_list(vec![item.clone()], at)?;
            m.binary(crate::ast::Binary::Mul, list, count.clone(), at)?
        }
        _ => return Ok(None),
    }))
}

fn math(m: &mut Machine<'_>, name: &str, arguments: &[Val], at: u32) -> Thrown<Option<Val>> {
    if let ("abs", [value]) = (name, arguments) {
        return super::number::invoke(m, value, "abs", &[], at);
    }
    if let ("max" | "min", [a, b]) = (name, arguments) {
        let order = m.compare(a, b, at)?;
        let takes_first = if name == "max" { order.is_ge() } else { order.is_le() };
        let value = if takes_first { a } else { b };
        // The result has the wider type of the two.
        return Ok(Some(match (a, b) {
            (Val::Int(_), Val::Int(_)) => value.clone(),
            (Val::Int(_) | Val::Long(_), Val::Int(_) | Val::Long(_)) => {
                Val::Long(m.whole(value, at)?)
            }
            (Val::Double(_) | Val::Float(_), _) | (_, Val::Double(_) | Val::Float(_)) => {
                Val::Double(to_f64(value).unwrap_or(f64::NAN))
            }
            _ => value.clone(),
        }));
    }
    if name == "random" {
        return Ok(Some(Val::Double(m.random_double())));
    }
    if let ("floorDiv" | "floorMod", [a, b]) = (name, arguments) {
        let (a, b) = (m.whole(a, at)?, m.whole(b, at)?);
        if b == 0 {
            return Err(m.throw("java.lang.ArithmeticException", "/ by zero", at));
        }
        let result = if name == "floorDiv" {
            i128::from(a).div_euclid(i128::from(b))
        } else {
            i128::from(a).rem_euclid(i128::from(b))
        };
        return Ok(Some(i32::try_from(result).map_or(Val::Long(result as i64), Val::Int)));
    }
    let mut numbers = Vec::with_capacity(2);
    for argument in arguments {
        match to_f64(argument) {
            Some(number) => numbers.push(number),
            None => return Ok(None),
        }
    }
    Ok(Some(match (name, numbers.as_slice()) {
        ("round", [x]) => Val::Long((x + 0.5).floor() as i64),
        ("floor", [x]) => Val::Double(x.floor()),
        ("ceil", [x]) => Val::Double(x.ceil()),
        ("rint", [x]) => Val::Double(x.round_ties_even()),
        ("pow", [x, y]) => Val::Double(x.powf(*y)),
        ("sqrt", [x]) => Val::Double(x.sqrt()),
        ("cbrt", [x]) => Val::Double(x.cbrt()),
        ("signum", [x]) => Val::Double(if *x == 0.0 { *x } else { x.signum() }),
        ("log", [x]) => Val::Double(x.ln()),
        ("log10", [x]) => Val::Double(x.log10()),
        ("exp", [x]) => Val::Double(x.exp()),
        ("sin", [x]) => Val::Double(x.sin()),
        ("cos", [x]) => Val::Double(x.cos()),
        ("tan", [x]) => Val::Double(x.tan()),
        ("atan", [x]) => Val::Double(x.atan()),
        ("atan2", [y, x]) => Val::Double(y.atan2(*x)),
        ("hypot", [x, y]) => Val::Double(x.hypot(*y)),
        ("toRadians", [x]) => Val::Double(x.to_radians()),
        ("toDegrees", [x]) => Val::Double(x.to_degrees()),
        _ => return Ok(None),
    }))
}
