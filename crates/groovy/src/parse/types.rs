use crate::ast::Type;
use crate::classes::{self, Class};
use crate::diagnostic::Fault;
use crate::token::Kind;

use super::parser::{Parser, Result};

/// First words of packages; a variable may be called like one, so a class must follow.
const PACKAGE_ROOTS: &[&str] =
    &["java", "javax", "jakarta", "org", "com", "groovy", "groovyx", "net", "io", "jdk", "sun"];

impl Parser<'_> {
    /// How many tokens from `from` on form a type, by their looks alone.
    pub(super) fn type_length(&self, from: usize) -> Option<usize> {
        let mut at = from;
        match &self.ahead(at).kind {
            Kind::Keyword(word) if is_primitive(word) => at += 1,
            Kind::Name(_) => {
                let mut last = at;
                at += 1;
                while matches!(self.ahead(at).kind, Kind::Op("."))
                    && matches!(self.ahead(at + 1).kind, Kind::Name(_))
                {
                    last = at + 1;
                    at += 2;
                }
                if !matches!(&self.ahead(last).kind, Kind::Name(name) if is_class_name(name)) {
                    return None;
                }
                at = self.skip_generics(at)?;
            }
            _ => return None,
        }
        while matches!(self.ahead(at).kind, Kind::Op("["))
            && matches!(self.ahead(at + 1).kind, Kind::Op("]"))
        {
            at += 2;
        }
        Some(at - from)
    }

    fn skip_generics(&self, mut at: usize) -> Option<usize> {
        if !matches!(self.ahead(at).kind, Kind::Op("<")) {
            return Some(at);
        }
        let mut open = 0usize;
        loop {
            match &self.ahead(at).kind {
                Kind::Op("<") => open += 1,
                Kind::Op(">") => open -= 1,
                Kind::Op(">>") => open = open.checked_sub(2)?,
                Kind::Op(">>>") => open = open.checked_sub(3)?,
                Kind::Op("," | "." | "?" | "[" | "]") | Kind::Name(_) => {}
                Kind::Keyword(word)
                    if is_primitive(word) || *word == "extends" || *word == "super" => {}
                _ => return None,
            }
            at += 1;
            if open == 0 {
                return Some(at);
            }
        }
    }

    /// A type that [`Self::type_length`] has seen.
    pub(super) fn parse_type(&mut self) -> Result<Type> {
        let Some(length) = self.type_length(0) else { return Err(self.unexpected("a type")) };
        let end = self.at + length;
        let at = self.here();
        let mut primitive = false;
        let class = match self.kind() {
            Kind::Keyword(word) => {
                self.at += 1;
                primitive = true;
                Some(primitive_class(word))
            }
            _ => {
                let path = self.dotted_name()?;
                if path == "void" { None } else { Some(self.resolve(&path, at)?) }
            }
        };
        let is_array = matches!(self.tokens[end - 1].kind, Kind::Op("]"))
            && matches!(self.tokens[end.saturating_sub(2)].kind, Kind::Op("["));
        self.at = end;
        Ok(match class.flatten_void() {
            None => Type::Any,
            Some(class) if is_array => Type::Array(class),
            Some(class) if primitive => Type::Primitive(class),
            Some(class) => Type::Class(class),
        })
    }

    pub(super) fn dotted_name(&mut self) -> Result<String> {
        let mut path = self.name()?.to_string();
        while self.is_op(".") && matches!(self.ahead(1).kind, Kind::Name(_)) {
            self.at += 1;
            path.push('.');
            path.push_str(&self.name()?);
        }
        Ok(path)
    }

    pub(super) fn resolve(&self, path: &str, at: u32) -> Result<Class> {
        self.find_class(path).ok_or_else(|| Fault::unsupported(classes::refusal(path), at))
    }

    fn find_class(&self, path: &str) -> Option<Class> {
        if path.contains('.') {
            return Class::by_name(path).or_else(|| {
                // `Map.Entry`
                let (outer, inner) = path.rsplit_once('.')?;
                Class::by_name(&format!("{}${inner}", self.find_class(outer)?.name()))
            });
        }
        self.imports.get(path).copied().or_else(|| Class::by_simple_name(path))
    }

    /// A class named where an expression may be: known by its simple name, or spelled out.
    pub(super) fn class_expression(&mut self) -> Result<Option<Class>> {
        let Kind::Name(first) = self.kind() else { return Ok(None) };
        if self.declared.contains(first) {
            return Ok(None);
        }
        if is_class_name(first) {
            let found = self.find_class(first);
            if let Some(class) = found {
                self.at += 1;
                return Ok(Some(self.inner_class(class)));
            }
            if classes::is_refused(first) && matches!(self.ahead(1).kind, Kind::Op("." | "::")) {
                return Err(Fault::unsupported(classes::refusal(first), self.here()));
            }
            return Ok(None);
        }
        if !PACKAGE_ROOTS.contains(&&**first) {
            return Ok(None);
        }
        let (mut path, mut count) = (first.to_string(), 1);
        while matches!(self.ahead(count).kind, Kind::Op(".")) {
            let Kind::Name(name) = &self.ahead(count + 1).kind else { break };
            path.push('.');
            path.push_str(name);
            count += 2;
            if is_class_name(name) {
                let class = self.resolve(&path, self.here())?;
                self.at += count;
                return Ok(Some(self.inner_class(class)));
            }
        }
        Ok(None)
    }

    fn inner_class(&mut self, outer: Class) -> Class {
        if let (Kind::Op("."), Kind::Name(name)) = (self.kind(), &self.ahead(1).kind)
            && let Some(inner) = Class::by_name(&format!("{}${name}", outer.name()))
        {
            self.at += 2;
            return inner;
        }
        outer
    }
}

trait FlattenVoid {
    fn flatten_void(self) -> Option<Class>;
}

impl FlattenVoid for Option<Class> {
    /// `void`, `def` and `Object` say nothing of a value.
    fn flatten_void(self) -> Option<Class> {
        self.filter(|class| *class != Class::known("java.lang.Object"))
    }
}

pub(super) fn is_primitive(word: &str) -> bool {
    matches!(
        word,
        "int" | "long" | "short" | "byte" | "double" | "float" | "boolean" | "char" | "void"
    )
}

fn primitive_class(word: &str) -> Class {
    Class::known(match word {
        "int" => "java.lang.Integer",
        "long" => "java.lang.Long",
        "short" => "java.lang.Short",
        "byte" => "java.lang.Byte",
        "double" => "java.lang.Double",
        "float" => "java.lang.Float",
        "boolean" => "java.lang.Boolean",
        "char" => "java.lang.Character",
        _ => "java.lang.Object",
    })
}

pub(super) fn is_class_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}
