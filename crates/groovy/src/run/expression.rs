use std::rc::Rc;

use crate::ast::{
    Access, Argument, AssignOp, Entry, Expr, ExprKind, Member, TextPiece, Type, Unary,
};
use crate::classes::Class;
use crate::value::{Callable, Range, Val};

use super::machine::{Machine, Thrown, id_of};

impl Machine<'_> {
    pub(crate) fn eval(&mut self, expr: &Expr) -> Thrown<Val> {
        self.step(expr.at)?;
        Ok(match &expr.kind {
            ExprKind::Null => Val::Null,
            ExprKind::Bool(flag) => Val::Bool(*flag),
            ExprKind::Int(number) => Val::Int(*number),
            ExprKind::Long(number) => Val::Long(*number),
            ExprKind::BigInt(number) => Val::BigInt(*number),
            ExprKind::Dec(number) => Val::Dec(*number),
            ExprKind::Double(number) => Val::Double(*number),
            ExprKind::Float(number) => Val::Float(*number),
            ExprKind::Text(text) => return self.text(&**text, expr.at),
            ExprKind::Name(name) => return self.read_name(name, expr.at),
            ExprKind::This => Val::Script,
            ExprKind::Class(class) => Val::Class(*class),
            ExprKind::Closure(function) => {
                self.bytes(64, expr.at)?;
                let closure = Callable::Closure {
                    function: function.clone(),
                    scope: self.scope,
                    delegate: None,
                };
                self.heap.closures.push(closure);
                Val::Closure(id_of(self.heap.closures.len() - 1))
            }
            _ => return self.deeper(expr.at, |m| m.compound_expr(expr)),
        })
    }

    pub(crate) fn eval_truth(&mut self, expr: &Expr) -> Thrown<bool> {
        let value = self.eval(expr)?;
        self.truth(&value, expr.at)
    }

    fn compound_expr(&mut self, expr: &Expr) -> Thrown<Val> {
        let at = expr.at;
        match &expr.kind {
            ExprKind::GString(pieces) => self.gstring(pieces, at),
            ExprKind::List(items) => {
                let items = self.arguments(items)?;
                self.new_list(items, at)
            }
            ExprKind::Map(entries) => self.map_literal(entries, at),
            ExprKind::Range { from, to, open_start, open_end } => {
                let (from, to) = (self.eval(from)?, self.eval(to)?);
                self.range(&from, &to, *open_start, *open_end, at)
            }
            ExprKind::Unary(operator, inner) => self.unary(*operator, inner, at),
            ExprKind::Binary(operator, left, right) => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                self.binary(*operator, left, right, at)
            }
            ExprKind::And(left, right) => {
                Ok(Val::Bool(self.eval_truth(left)? && self.eval_truth(right)?))
            }
            ExprKind::Or(left, right) => {
                Ok(Val::Bool(self.eval_truth(left)? || self.eval_truth(right)?))
            }
            ExprKind::In { negated, item, holder } => {
                let item = self.eval(item)?;
                let holder = self.eval(holder)?;
                let is_in = !holder.is_null() && self.is_case(&holder, &item, at)?;
                Ok(Val::Bool(is_in != *negated))
            }
            ExprKind::InstanceOf { negated, value, class } => {
                let value = self.eval(value)?;
                Ok(Val::Bool(self.instance_of(&value, *class) != *negated))
            }
            ExprKind::Ternary(condition, then, other) => {
                let chosen = if self.eval_truth(condition)? { then } else { other };
                self.eval(chosen)
            }
            ExprKind::Elvis(value, other) => {
                let value = self.eval(value)?;
                if self.truth(&value, at)? { Ok(value) } else { self.eval(other) }
            }
            ExprKind::Assign { target, operator, value } => self.assign(target, *operator, value),
            ExprKind::Step { target, delta, returns_old } => {
                self.count(target, *delta, *returns_old)
            }
            ExprKind::Property { target, name, access } => self.property(target, name, *access, at),
            ExprKind::Index { target, index, safe } => {
                let target = self.eval(target)?;
                if *safe && target.is_null() {
                    return Ok(Val::Null);
                }
                let index = self.eval(index)?;
                self.index(&target, &index, at)
            }
            ExprKind::Call { name, arguments } => {
                let arguments = self.arguments(arguments)?;
                self.call_name(name, arguments, at)
            }
            ExprKind::CallValue { callee, arguments } => {
                let callee = self.eval(callee)?;
                let arguments = self.arguments(arguments)?;
                self.invoke(&callee, "call", arguments, at)
            }
            ExprKind::Method { target, name, arguments, access } => {
                self.method(target, name, arguments, *access, at)
            }
            ExprKind::MethodPointer { target, name } => {
                let target = self.eval(target)?;
                self.bytes(64, at)?;
                self.heap.closures.push(Callable::Method { target, name: name.clone() });
                Ok(Val::Closure(id_of(self.heap.closures.len() - 1)))
            }
            ExprKind::New { class, arguments } => {
                let arguments = self.arguments(arguments)?;
                self.construct(*class, arguments, at)
            }
            ExprKind::NewArray { ty, size } => self.new_array(*ty, size, at),
            ExprKind::Cast(ty, inner) => {
                let value = self.eval(inner)?;
                self.fit(value, *ty, at)
            }
            ExprKind::Coerce(ty, inner) => {
                let value = self.eval(inner)?;
                self.coerce(value, *ty, at)
            }
            ExprKind::Switch(switch) => Ok(self.switch(switch)?.into_value()),
            _ => self.eval(expr),
        }
    }

    pub(crate) fn arguments(&mut self, arguments: &[Argument]) -> Thrown<Vec<Val>> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let value = self.eval(&argument.value)?;
            if !argument.spread {
                values.push(value);
                continue;
            }
            match self.items(&value, argument.value.at)? {
                Some(items) => values.extend(items),
                None => values.push(value),
            }
        }
        Ok(values)
    }

    fn gstring(&mut self, pieces: &[TextPiece], at: u32) -> Thrown<Val> {
        let mut text = String::new();
        for piece in pieces {
            match piece {
                TextPiece::Text(part) => text.push_str(part),
                TextPiece::Expr(expr) => {
                    let mut value = self.eval(expr)?;
                    if let Val::Closure(_) = value {
                        value = self.invoke(&value, "call", Vec::new(), expr.at)?;
                    }
                    self.show_into(&value, &mut text, at)?;
                }
            }
        }
        self.bytes(text.len(), at)?;
        Ok(Val::GString(text.into()))
    }

    fn map_literal(&mut self, entries: &[Entry], at: u32) -> Thrown<Val> {
        let map = self.new_map("java.util.LinkedHashMap", at)?;
        for entry in entries {
            match entry {
                Entry::Pair(key, value) => {
                    let key = self.eval(key)?;
                    let value = self.eval(value)?;
                    self.map_put(map, key, value, at)?;
                }
                Entry::Spread(expr) => {
                    let from = self.eval(expr)?;
                    self.map_put_all(map, &from, at)?;
                }
            }
        }
        Ok(Val::Map(map))
    }

    pub(crate) fn range(
        &mut self,
        from: &Val,
        to: &Val,
        open_start: bool,
        open_end: bool,
        at: u32,
    ) -> Thrown<Val> {
        let whole = |value: &Val| match value {
            Val::Int(number) => Some(i64::from(*number)),
            Val::Long(number) => Some(*number),
            _ => None,
        };
        let single = |value: &Val| match value {
            Val::Char(c) => Some(*c),
            _ => {
                let mut chars = value.as_text()?.chars();
                chars.next().filter(|_| chars.next().is_none())
            }
        };
        let range = if let (Some(from), Some(to)) = (whole(from), whole(to)) {
            Range::Int { from, to, open_start, open_end }
        } else if let (Some(from), Some(to)) = (single(from), single(to)) {
            Range::Chars { from, to, open_start, open_end }
        } else {
            let message = "a range needs two whole numbers or two characters";
            return Err(self.throw("java.lang.IllegalArgumentException", message, at));
        };
        self.bytes(64, at)?;
        Ok(Val::Range(Rc::new(range)))
    }

    fn unary(&mut self, operator: Unary, inner: &Expr, at: u32) -> Thrown<Val> {
        let value = self.eval(inner)?;
        match operator {
            Unary::Not => Ok(Val::Bool(!self.truth(&value, at)?)),
            Unary::Minus => self.negate(&value, at),
            Unary::Plus => Ok(value),
            Unary::Invert => match value {
                Val::Int(number) => Ok(Val::Int(!number)),
                Val::Long(number) => Ok(Val::Long(!number)),
                Val::BigInt(number) => Ok(Val::BigInt(!number)),
                Val::Text(text) | Val::GString(text) => Ok(Val::Pattern(self.pattern(&text, at)?)),
                other => Err(self.no_method(&other, "bitwiseNegate", &[], at)),
            },
        }
    }

    fn assign(&mut self, target: &Expr, operator: AssignOp, value: &Expr) -> Thrown<Val> {
        let at = target.at;
        match operator {
            AssignOp::Set => {
                let place = self.place(target)?;
                let value = self.eval(value)?;
                self.store(&place, value, at)
            }
            AssignOp::Elvis => {
                let place = self.place(target)?;
                let old = self.load(&place, at)?;
                if self.truth(&old, at)? {
                    return Ok(old);
                }
                let value = self.eval(value)?;
                self.store(&place, value, at)
            }
            AssignOp::Compute(operator) => {
                let place = self.place(target)?;
                let old = self.load(&place, at)?;
                let value = self.eval(value)?;
                let new = self.binary(operator, old, value, at)?;
                self.store(&place, new, at)
            }
        }
    }

    fn count(&mut self, target: &Expr, delta: i32, returns_old: bool) -> Thrown<Val> {
        let place = self.place(target)?;
        let old = self.load(&place, target.at)?;
        let new = self.binary(crate::ast::Binary::Add, old.clone(), Val::Int(delta), target.at)?;
        let new = self.store(&place, new, target.at)?;
        Ok(if returns_old { old } else { new })
    }

    /// Evaluates what names a place once, so that `a[i++] += 1` counts once.
    fn place(&mut self, target: &Expr) -> Thrown<Place> {
        Ok(match &target.kind {
            ExprKind::Name(name) => Place::Name(name.clone()),
            ExprKind::Property { target, name, .. } => {
                let holder = self.eval(target)?;
                Place::Property(holder, self.member_name(name)?)
            }
            ExprKind::Index { target, index, .. } => {
                let holder = self.eval(target)?;
                let index = self.eval(index)?;
                match (&holder, &index) {
                    (Val::Map(_), _) | (_, Val::Int(_) | Val::Long(_)) => {
                        Place::Index(holder, index)
                    }
                    _ => match index.as_text() {
                        Some(name) => Place::Property(holder, name.clone()),
                        None => Place::Index(holder, index),
                    },
                }
            }
            _ => {
                let message = "this cannot be assigned to";
                return Err(self.throw("java.lang.IllegalStateException", message, target.at));
            }
        })
    }

    fn load(&mut self, place: &Place, at: u32) -> Thrown<Val> {
        match place {
            Place::Name(name) => self.read_name(name, at),
            Place::Property(holder, name) => self.get_property(holder, name, at),
            Place::Index(holder, index) => self.index(holder, index, at),
        }
    }

    fn store(&mut self, place: &Place, value: Val, at: u32) -> Thrown<Val> {
        match place {
            Place::Name(name) => self.write_name(name, value, at),
            Place::Property(holder, name) => {
                self.set_property(holder, name, value.clone(), at)?;
                Ok(value)
            }
            Place::Index(holder, index) => {
                self.set_index(holder, index, value.clone(), at)?;
                Ok(value)
            }
        }
    }

    fn member_name(&mut self, member: &Member) -> Thrown<Rc<str>> {
        match member {
            Member::Name(name) => Ok((&**name).into()),
            Member::Computed(expr) => {
                let value = self.eval(expr)?;
                Ok(self.show(&value, expr.at)?.into())
            }
        }
    }

    fn property(&mut self, target: &Expr, name: &Member, access: Access, at: u32) -> Thrown<Val> {
        let target = self.eval(target)?;
        if access != Access::Plain && target.is_null() {
            return Ok(Val::Null);
        }
        let name = self.member_name(name)?;
        if access == Access::Spread {
            return self.spread(&target, at, |m, item| {
                if item.is_null() { Ok(Val::Null) } else { m.get_property(&item, &name, at) }
            });
        }
        self.get_property(&target, &name, at)
    }

    fn method(
        &mut self,
        target: &Expr,
        name: &Member,
        arguments: &[Argument],
        access: Access,
        at: u32,
    ) -> Thrown<Val> {
        let target = self.eval(target)?;
        if access != Access::Plain && target.is_null() {
            return Ok(Val::Null);
        }
        let name = self.member_name(name)?;
        let arguments = self.arguments(arguments)?;
        if access == Access::Spread {
            return self.spread(&target, at, |m, item| {
                if item.is_null() {
                    Ok(Val::Null)
                } else {
                    m.invoke(&item, &name, arguments.clone(), at)
                }
            });
        }
        self.invoke(&target, &name, arguments, at)
    }

    pub(crate) fn spread(
        &mut self,
        target: &Val,
        at: u32,
        mut each: impl FnMut(&mut Self, Val) -> Thrown<Val>,
    ) -> Thrown<Val> {
        let items = match self.items(target, at)? {
            Some(items) => items,
            None => return each(self, target.clone()),
        };
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            results.push(each(self, item)?);
        }
        self.new_list(results, at)
    }

    fn new_array(&mut self, ty: Type, size: &Expr, at: u32) -> Thrown<Val> {
        let size = self.eval(size)?;
        let count = self.whole(&size, at)?;
        let Ok(count) = usize::try_from(count) else {
            return Err(self.throw("java.lang.IllegalArgumentException", "negative size", at));
        };
        self.slots(count, at)?;
        let (class, item) = match ty {
            Type::Primitive(class) if class.simple_name() == "Boolean" => (class, Val::Bool(false)),
            Type::Primitive(class) if class.simple_name() == "Double" => (class, Val::Double(0.0)),
            Type::Primitive(class) if class.simple_name() == "Long" => (class, Val::Long(0)),
            Type::Primitive(class) => (class, Val::Int(0)),
            Type::Class(class) | Type::Array(class) => (class, Val::Null),
            Type::Any => (Class::known("java.lang.Object"), Val::Null),
        };
        self.heap.lists.push(vec![item; count]);
        Ok(Val::Array(id_of(self.heap.lists.len() - 1), class))
    }
}

enum Place {
    Name(crate::ast::Name),
    Property(Val, Rc<str>),
    Index(Val, Val),
}
