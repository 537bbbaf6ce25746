//! `new`

use crate::classes::Class;
use crate::run::{Machine, Thrown, id_of, to_dec};
use crate::value::{ErrorObject, Val};

pub(crate) fn has_constructor(class: Class) -> bool {
    class.is_throwable()
        || matches!(
            class.simple_name(),
            "ArrayList"
                | "LinkedList"
                | "HashSet"
                | "LinkedHashSet"
                | "TreeSet"
                | "HashMap"
                | "LinkedHashMap"
                | "TreeMap"
                | "ConcurrentHashMap"
                | "Date"
                | "Random"
                | "String"
                | "StringBuilder"
                | "StringBuffer"
                | "BigDecimal"
                | "BigInteger"
                | "Integer"
                | "Long"
                | "Double"
                | "Float"
                | "Boolean"
                | "SimpleDateFormat"
                | "JsonSlurper"
                | "Object"
        )
}

impl Machine<'_> {
    pub(crate) fn construct(&mut self, class: Class, arguments: Vec<Val>, at: u32) -> Thrown<Val> {
        if class.is_throwable() {
            return self.new_error(class, &arguments, at);
        }
        let simple = class.simple_name();
        Ok(match (simple, arguments.as_slice()) {
            ("ArrayList" | "LinkedList", [] | [Val::Int(_)]) => self.new_list(Vec::new(), at)?,
            ("ArrayList" | "LinkedList", [from]) => {
                let items = self.items(from, at)?.unwrap_or_default();
                self.new_list(items, at)?
            }
            ("HashSet" | "LinkedHashSet" | "TreeSet", [] | [Val::Int(_)]) => {
                self.new_set(Vec::new(), class.name(), at)?
            }
            ("HashSet" | "LinkedHashSet" | "TreeSet", [from]) => {
                let items = self.items(from, at)?.unwrap_or_default();
                self.new_set(items, class.name(), at)?
            }
            (
                "HashMap" | "LinkedHashMap" | "TreeMap" | "ConcurrentHashMap",
                [] | [Val::Int(_)] | [Val::Map(_)],
            ) => {
                let map = self.new_map(class.name(), at)?;
                if let [from @ Val::Map(_)] = arguments.as_slice() {
                    self.map_put_all(map, from, at)?;
                }
                Val::Map(map)
            }
            ("Date", []) => Val::Date(self.options.now.as_ms()),
            ("Date", [Val::Date(ms)]) => Val::Date(*ms),
            ("Date", [ms]) => Val::Date(self.whole(ms, at)?),
            ("Random", _) => Val::Random,
            ("JsonSlurper", []) => Val::Json,
            ("Object", []) => self.new_list(Vec::new(), at)?,
            ("StringBuilder" | "StringBuffer", given) => {
                let text = match given {
                    [] | [Val::Int(_)] => String::new(),
                    [first, ..] => self.show(first, at)?,
                };
                self.bytes(text.len() + 24, at)?;
                self.heap.builders.push(text);
                Val::Builder(id_of(self.heap.builders.len() - 1))
            }
            ("String", [] | [_]) => {
                let text = match arguments.first() {
                    Some(value) => self.show(value, at)?,
                    None => String::new(),
                };
                self.text(text, at)?
            }
            ("SimpleDateFormat", [pattern, ..]) => {
                let pattern = self.show(pattern, at)?;
                Val::DateFormat(pattern.into())
            }
            ("BigDecimal", [number]) if number.as_text().is_none() => match to_dec(number) {
                Some(number) => Val::Dec(number),
                None => return Err(self.too_many_digits(at)),
            },
            ("Boolean", [value]) => {
                let text = self.show(value, at)?;
                Val::Bool(text.eq_ignore_ascii_case("true"))
            }
            ("BigDecimal" | "BigInteger" | "Integer" | "Long" | "Double" | "Float", [value]) => {
                let text = self.show(value, at)?;
                self.parse_number(text.trim(), class, at)?
            }
            _ => return Err(self.no_method(&Val::Class(class), "new", &arguments, at)),
        })
    }

    fn new_error(&mut self, class: Class, arguments: &[Val], at: u32) -> Thrown<Val> {
        let mut texts = Vec::new();
        let mut cause = None;
        for argument in arguments {
            match argument {
                Val::Error(id) => cause = Some(*id),
                Val::Null => texts.push(None),
                other => texts.push(Some(std::rc::Rc::<str>::from(self.show(other, at)?))),
            }
        }
        let mut texts = texts.into_iter();
        let code = if class.is_bpmn_error() { texts.next().flatten() } else { None };
        if class.is_bpmn_error() && code.as_deref().is_none_or(str::is_empty) {
            let message = "a BPMN error needs a code that is not empty";
            return Err(self.throw("java.lang.IllegalArgumentException", message, at));
        }
        let message = texts.next().flatten().or_else(|| {
            let cause = cause?;
            let error = &self.heap.errors[cause as usize];
            let text = match &error.message {
                Some(message) => format!("{}: {message}", error.class.name()),
                None => error.class.name().to_owned(),
            };
            Some(text.into())
        });
        self.bytes(64, at)?;
        self.heap.errors.push(ErrorObject { class, message, code, cause, at });
        Ok(Val::Error(id_of(self.heap.errors.len() - 1)))
    }
}
