//! Between the values of processes and those of scripts, and between the types of scripts.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::{Decimal, Temporal, Timestamp, Value};

use crate::ast::Type;
use crate::classes::Class;
use crate::decimal::Dec;
use crate::value::Val;

use super::machine::{Machine, Stop, Thrown};
use super::operators::{is_collection, is_number, to_dec, to_f64, to_i128};

/// A value is made anew for the variable, and dropped with it.
const EXPORT_STEPS: usize = 3;

impl Machine<'_> {
    pub(crate) fn import_value(&mut self, value: &Value, at: u32) -> Thrown<Val> {
        Ok(match value {
            Value::Null => Val::Null,
            Value::Bool(flag) => Val::Bool(*flag),
            Value::Int(number) => i32::try_from(*number).map_or(Val::Long(*number), Val::Int),
            Value::Double(number) => Val::Double(*number),
            Value::Decimal(number) => match Dec::parse(&number.to_string()) {
                Some(number) => Val::Dec(number),
                None => Val::Double(number.to_string().parse().unwrap_or(f64::NAN)),
            },
            Value::Text(text) => return self.text(&**text, at),
            Value::List(items) => {
                let items = self.deeper(at, |m| {
                    items.iter().map(|item| m.import_value(item, at)).collect::<Thrown<Vec<_>>>()
                })?;
                self.steps(items.len(), at)?;
                return self.new_list(items, at);
            }
            Value::Map(entries) => {
                let map = self.new_map("java.util.LinkedHashMap", at)?;
                self.deeper(at, |m| {
                    for (name, entry) in entries.iter() {
                        let entry = m.import_value(entry, at)?;
                        let name = m.text(&**name, at)?;
                        m.map_put(map, name, entry, at)?;
                    }
                    Ok(())
                })?;
                Val::Map(map)
            }
            Value::Temporal(temporal) => {
                let text = temporal.to_string();
                match (&**temporal, text.parse::<jiff::Timestamp>()) {
                    (Temporal::DateTime(_), Ok(moment)) => Val::Date(moment.as_millisecond()),
                    _ => return self.text(text, at),
                }
            }
            Value::Range(_) | Value::Function(_) => Val::Null,
        })
    }

    pub(crate) fn export_value(&mut self, value: &Val, at: u32) -> Thrown<Value> {
        self.steps(EXPORT_STEPS, at)?;
        Ok(match value {
            Val::Null => Value::Null,
            Val::Bool(flag) => Value::Bool(*flag),
            Val::Int(number) => Value::Int((*number).into()),
            Val::Long(number) => Value::Int(*number),
            Val::BigInt(number) => match i64::try_from(*number) {
                Ok(number) => Value::Int(number),
                Err(_) => decimal(&number.to_string()),
            },
            Val::Dec(number) => decimal(&number.to_string()),
            Val::Double(number) => Value::Double(*number),
            Val::Float(number) => Value::Double(f64::from(*number)),
            Val::Char(c) => Value::text(c.to_string()),
            Val::Text(text) | Val::GString(text) => {
                self.bytes(text.len(), at)?;
                Value::text(&**text)
            }
            Val::Date(ms) => {
                let text = Timestamp::from_ms(*ms).to_string();
                Temporal::parse(&text).map_or_else(|| Value::text(text), Value::temporal)
            }
            Val::Map(id) => {
                let entries = self.heap.maps[*id as usize].entries.clone();
                self.slots(entries.len() * 2, at)?;
                self.deeper(at, |m| {
                    let mut map = BTreeMap::new();
                    for (key, value) in &entries {
                        let name: Arc<str> = m.show(key, at)?.into();
                        map.insert(name, m.export_value(value, at)?);
                    }
                    Ok(Value::Map(Arc::new(map)))
                })?
            }
            _ if is_collection(value) => {
                let items = self.items(value, at)?.unwrap_or_default();
                self.slots(items.len(), at)?;
                let items = self.deeper(at, |m| {
                    items.iter().map(|item| m.export_value(item, at)).collect::<Thrown<Vec<_>>>()
                })?;
                Value::List(Arc::new(items))
            }
            // An object that no variable can hold is kept as its text.
            other => Value::text(self.show(other, at)?),
        })
    }

    /// Brings a value to a declared type, as an assignment or a cast does.
    pub(crate) fn fit(&mut self, value: Val, ty: Type, at: u32) -> Thrown<Val> {
        let class = match ty {
            Type::Any => return Ok(value),
            Type::Array(class) => return self.as_array(&value, class, at),
            Type::Class(_) if value.is_null() => return Ok(value),
            Type::Class(class) | Type::Primitive(class) => class,
        };
        match class.name() {
            "java.lang.String" => {
                let text = self.show(&value, at)?;
                return self.text(text, at);
            }
            "java.lang.Boolean" => return Ok(Val::Bool(self.truth(&value, at)?)),
            _ => {}
        }
        if is_numeric(class) {
            // One character counts as its code.
            let single = self.characters(&value).and_then(|text| {
                let mut chars = text.chars();
                chars.next().filter(|_| chars.next().is_none())
            });
            let number = match single {
                Some(c) if class.simple_name() != "BigDecimal" => Val::Char(c),
                _ => value.clone(),
            };
            if (is_number(&number) || matches!(number, Val::Char(_)))
                && let Some(fitted) = to_number(&number, class)
            {
                return Ok(fitted);
            }
            return Err(self.no_cast(&value, class, at));
        }
        if class.simple_name() == "Character" {
            let text = self.show(&value, at)?;
            let mut chars = text.chars();
            return match (chars.next(), chars.next()) {
                (Some(c), None) => Ok(Val::Char(c)),
                _ => Err(self.no_cast(&value, class, at)),
            };
        }
        if self.instance_of(&value, class) {
            return Ok(value);
        }
        match class.simple_name() {
            "Set" | "HashSet" | "LinkedHashSet" if is_collection(&value) => {
                let items = self.items(&value, at)?.unwrap_or_default();
                self.new_set(items, "java.util.LinkedHashSet", at)
            }
            "List" | "ArrayList" | "LinkedList" | "Collection" if is_collection(&value) => {
                let items = self.items(&value, at)?.unwrap_or_default();
                self.new_list(items, at)
            }
            _ => Err(self.no_cast(&value, class, at)),
        }
    }

    /// `value as Type`
    pub(crate) fn coerce(&mut self, value: Val, ty: Type, at: u32) -> Thrown<Val> {
        let class = match ty {
            Type::Class(class) | Type::Primitive(class) => class,
            _ => return self.fit(value, ty, at),
        };
        if let (Some(text), true) = (value.as_text(), is_numeric(class)) {
            let text = text.clone();
            return self.parse_number(text.trim(), class, at);
        }
        match (class.simple_name(), &value) {
            ("Map" | "HashMap" | "LinkedHashMap", Val::Map(_)) => Ok(value),
            ("TreeMap", Val::Map(id)) => {
                let copy = self.copy_map(*id, at)?;
                self.heap.maps[copy as usize].class = class;
                let entries = self.heap.maps[copy as usize].entries.clone();
                let sorted = self.sorted(entries, at, |m, a, b| m.compare(&a.0, &b.0, at))?;
                self.refill(copy, sorted, at)?;
                Ok(Val::Map(copy))
            }
            ("List" | "ArrayList" | "Collection", Val::Text(_) | Val::GString(_)) => {
                let items = self.items(&value, at)?.unwrap_or_default();
                self.new_list(items, at)
            }
            _ => self.fit(value, ty, at),
        }
    }

    fn as_array(&mut self, value: &Val, class: Class, at: u32) -> Thrown<Val> {
        if value.is_null() {
            return Ok(Val::Null);
        }
        let Some(items) = self.items(value, at)? else {
            return Err(self.no_cast(value, class, at));
        };
        let mut fitted = Vec::with_capacity(items.len());
        for item in items {
            fitted.push(self.coerce(item, Type::Class(class), at)?);
        }
        match self.new_list(fitted, at)? {
            Val::List(id) => Ok(Val::Array(id, class)),
            other => Ok(other),
        }
    }

    pub(crate) fn parse_number(&mut self, text: &str, class: Class, at: u32) -> Thrown<Val> {
        let parsed = match class.simple_name() {
            "Integer" | "Short" | "Byte" => text.parse().ok().map(Val::Int),
            "Long" => text.parse().ok().map(Val::Long),
            "BigInteger" => text.parse().ok().map(Val::BigInt),
            "Double" => text.trim().parse().ok().map(Val::Double),
            "Float" => text.trim().parse().ok().map(Val::Float),
            _ => Dec::parse(text).map(Val::Dec),
        };
        match parsed {
            Some(number) => Ok(number),
            None => {
                let message = format!("For input string: \"{text}\"");
                Err(self.throw("java.lang.NumberFormatException", message, at))
            }
        }
    }

    /// A whole number, for indexes and counts.
    pub(crate) fn whole(&mut self, value: &Val, at: u32) -> Thrown<i64> {
        match to_i128(value).and_then(|number| i64::try_from(number).ok()) {
            Some(number) => Ok(number),
            None => Err(self.no_cast(value, Class::known("java.lang.Integer"), at)),
        }
    }

    fn no_cast(&mut self, value: &Val, class: Class, at: u32) -> Stop {
        let found = self.class_name(value);
        let shown = match self.show(value, at) {
            Ok(shown) => shown,
            Err(stop) => return stop,
        };
        let message = format!(
            "Cannot cast object '{shown}' with class '{found}' to class '{}'",
            class.name()
        );
        self.throw("org.codehaus.groovy.runtime.typehandling.GroovyCastException", message, at)
    }

    pub(crate) fn instance_of(&self, value: &Val, class: Class) -> bool {
        match (value, class.simple_name()) {
            (Val::Null, _) => false,
            (_, "Object") => true,
            (Val::Text(_) | Val::GString(_), "Comparable") => true,
            (_, "Comparable") => is_number(value) || matches!(value, Val::Date(_) | Val::Bool(_)),
            (Val::Execution(_), "DelegateExecution" | "ExecutionEntity") => true,
            (Val::Task, "DelegateTask") => true,
            (Val::Array(..), _) => false,
            _ => self.class_of(value).is_some_and(|found| found.is_a(class)),
        }
    }

    pub(crate) fn class_of(&self, value: &Val) -> Option<Class> {
        Class::by_name(&self.class_name(value)).or(match value {
            Val::GString(_) => Class::by_name("groovy.lang.GString"),
            Val::Range(_) => Class::by_name("groovy.lang.Range"),
            Val::Pair(_) => Class::by_name("java.util.Map$Entry"),
            Val::Closure(_) => Class::by_name("groovy.lang.Closure"),
            _ => None,
        })
    }

    /// The name of the Java class that the value has in the engines.
    pub(crate) fn class_name(&self, value: &Val) -> String {
        match value {
            Val::Null => "org.codehaus.groovy.runtime.NullObject",
            Val::Bool(_) => "java.lang.Boolean",
            Val::Int(_) => "java.lang.Integer",
            Val::Long(_) => "java.lang.Long",
            Val::BigInt(_) => "java.math.BigInteger",
            Val::Dec(_) => "java.math.BigDecimal",
            Val::Double(_) => "java.lang.Double",
            Val::Float(_) => "java.lang.Float",
            Val::Char(_) => "java.lang.Character",
            Val::Text(_) => "java.lang.String",
            Val::GString(_) => "org.codehaus.groovy.runtime.GStringImpl",
            Val::List(_) => "java.util.ArrayList",
            Val::Array(_, class) => match class.simple_name() {
                "Integer" => "[I",
                "Long" => "[J",
                "Double" => "[D",
                "Byte" => "[B",
                "Character" => "[C",
                _ => return format!("[L{};", class.name()),
            },
            Val::Map(id) | Val::Set(id) => self.heap.maps[*id as usize].class.name(),
            Val::Range(range) => match **range {
                crate::value::Range::Int { .. } => "groovy.lang.IntRange",
                crate::value::Range::Chars { .. } => "groovy.lang.ObjectRange",
            },
            Val::Pair(_) => "java.util.LinkedHashMap$Entry",
            Val::Closure(_) => "groovy.lang.Closure",
            Val::Error(id) => self.heap.errors[*id as usize].class.name(),
            Val::Class(_) => "java.lang.Class",
            Val::Date(_) => "java.util.Date",
            Val::Builder(_) => "java.lang.StringBuilder",
            Val::Pattern(_) => "java.util.regex.Pattern",
            Val::Matcher(_) => "java.util.regex.Matcher",
            Val::DateFormat(_) => "java.text.SimpleDateFormat",
            Val::Execution(_) => match self.options.dialect {
                crate::host::Dialect::Camunda7 => {
                    "org.camunda.bpm.engine.impl.persistence.entity.ExecutionEntity"
                }
                crate::host::Dialect::Flowable => {
                    "org.flowable.engine.impl.persistence.entity.ExecutionEntityImpl"
                }
            },
            Val::Task => "TaskEntity",
            Val::Out => "java.io.PrintStream",
            Val::Random => "java.util.Random",
            Val::Json => "groovy.json.JsonSlurper",
            Val::Rounding(_) => "java.math.RoundingMode",
            Val::Script => "Script",
            Val::Transient(value) => return self.class_name(value),
        }
        .to_owned()
    }
}

fn decimal(text: &str) -> Value {
    match text.parse::<Decimal>() {
        Ok(number) => Value::Decimal(number),
        Err(_) => Value::Double(text.parse().unwrap_or(f64::NAN)),
    }
}

fn is_numeric(class: Class) -> bool {
    matches!(
        class.simple_name(),
        "Integer" | "Long" | "Short" | "Byte" | "Double" | "Float" | "BigDecimal" | "BigInteger"
    )
}

/// Cut or widened to the class; Java wraps where the number does not fit.
pub(crate) fn to_number(value: &Val, class: Class) -> Option<Val> {
    Some(match class.simple_name() {
        "Integer" => Val::Int(to_i128(value)? as i32),
        "Short" => Val::Int(i32::from(to_i128(value)? as i16)),
        "Byte" => Val::Int(i32::from(to_i128(value)? as i8)),
        "Long" => Val::Long(to_i128(value)? as i64),
        "BigInteger" => Val::BigInt(to_i128(value)?),
        "Double" => Val::Double(to_f64(value)?),
        "Float" => Val::Float(to_f64(value)? as f32),
        "BigDecimal" => Val::Dec(to_dec(value)?),
        _ => return None,
    })
}
