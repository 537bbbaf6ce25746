use crate::ast::{Case, Catch, Expr, Name, Stmt, StmtKind, Switch, Type};
use crate::value::Val;

use super::machine::{Machine, Stop, Thrown};

/// How a statement ended.
pub(crate) enum Flow {
    /// With its value, which is the script's if it was the last one.
    Normal(Val),
    Return(Val),
    Break(Option<Name>),
    Continue(Option<Name>),
}

impl Flow {
    pub(crate) fn into_value(self) -> Val {
        match self {
            Self::Normal(value) | Self::Return(value) => value,
            Self::Break(_) | Self::Continue(_) => Val::Null,
        }
    }
}

/// What a loop does after its body.
enum Turn {
    Next,
    Leave(Flow),
}

impl Machine<'_> {
    pub(crate) fn statements(&mut self, statements: &[Stmt]) -> Thrown<Flow> {
        let mut last = Flow::Normal(Val::Null);
        for statement in statements {
            last = self.statement(statement)?;
            if !matches!(last, Flow::Normal(_)) {
                break;
            }
        }
        Ok(last)
    }

    fn statement(&mut self, statement: &Stmt) -> Thrown<Flow> {
        let at = statement.at;
        self.step(at)?;
        if let StmtKind::Expr(expr) = &statement.kind {
            return self.eval(expr).map(Flow::Normal);
        }
        self.deeper(at, |m| m.compound(statement))
    }

    fn compound(&mut self, statement: &Stmt) -> Thrown<Flow> {
        let at = statement.at;
        match &statement.kind {
            StmtKind::Expr(expr) => self.eval(expr).map(Flow::Normal),
            StmtKind::Declare { ty, names } => self.declare_names(*ty, names, at),
            StmtKind::DeclareMany { names, value } => self.declare_many(names, value, at),
            StmtKind::If(condition, then, other) => {
                if self.eval_truth(condition)? {
                    self.in_block(then)
                } else {
                    other.as_ref().map_or(Ok(Flow::Normal(Val::Null)), |s| self.in_block(s))
                }
            }
            StmtKind::While { label, condition, body } => {
                self.while_loop(label.as_ref(), condition, body, false)
            }
            StmtKind::DoWhile { label, condition, body } => {
                self.while_loop(label.as_ref(), condition, body, true)
            }
            StmtKind::ForIn { label, name, ty, items, body } => {
                self.for_in(label.as_ref(), (name, *ty), items, body)
            }
            StmtKind::For { label, init, condition, update, body } => {
                self.scoped(Some(self.scope), None, at, |m| {
                    m.for_loop(label.as_ref(), init, condition.as_ref(), update, body)
                })
            }
            StmtKind::Switch(switch) => self.switch(switch),
            StmtKind::Try { body, catches, finally } => {
                self.try_catch(body, catches, finally.as_deref(), at)
            }
            StmtKind::Throw(expr) => self.throw_value(expr, at),
            StmtKind::Return(value) => {
                let value = value.as_ref().map_or(Ok(Val::Null), |expr| self.eval(expr))?;
                Ok(Flow::Return(value))
            }
            StmtKind::Break(label) => Ok(Flow::Break(label.clone())),
            StmtKind::Continue(label) => Ok(Flow::Continue(label.clone())),
            StmtKind::Block(body) => {
                self.scoped(Some(self.scope), None, at, |m| m.statements(body))
            }
            StmtKind::Assert(condition, message) => self.assert(condition, message.as_ref(), at),
        }
    }

    fn in_block(&mut self, statement: &Stmt) -> Thrown<Flow> {
        match &statement.kind {
            StmtKind::Block(_) | StmtKind::Expr(_) => self.statement(statement),
            _ => self.scoped(Some(self.scope), None, statement.at, |m| m.statement(statement)),
        }
    }

    fn declare_names(&mut self, ty: Type, names: &[(Name, Option<Expr>)], at: u32) -> Thrown<Flow> {
        let mut last = Val::Null;
        for (name, value) in names {
            last = match value {
                Some(expr) => {
                    let value = self.eval(expr)?;
                    self.fit(value, ty, at)?
                }
                None => initial(ty),
            };
            self.declare(name, ty, last.clone());
        }
        Ok(Flow::Normal(last))
    }

    fn declare_many(&mut self, names: &[(Name, Type)], value: &Expr, at: u32) -> Thrown<Flow> {
        let holder = self.eval(value)?;
        for (index, (name, ty)) in names.iter().enumerate() {
            let index = i32::try_from(index).unwrap_or(i32::MAX);
            let item = self.index(&holder, &Val::Int(index), at)?;
            let item = self.fit(item, *ty, at)?;
            self.declare(name, *ty, item);
        }
        Ok(Flow::Normal(holder))
    }

    fn while_loop(
        &mut self,
        label: Option<&Name>,
        condition: &Expr,
        body: &Stmt,
        body_first: bool,
    ) -> Thrown<Flow> {
        let mut skip_test = body_first;
        while std::mem::take(&mut skip_test) || self.eval_truth(condition)? {
            if let Turn::Leave(flow) = self.turn(label, body)? {
                return Ok(flow);
            }
        }
        Ok(Flow::Normal(Val::Null))
    }

    fn for_in(
        &mut self,
        label: Option<&Name>,
        (name, ty): (&Name, Type),
        items: &Expr,
        body: &Stmt,
    ) -> Thrown<Flow> {
        let holder = self.eval(items)?;
        let items = match &holder {
            Val::Null => Vec::new(),
            _ => match self.items(&holder, body.at)? {
                Some(items) => items,
                None => vec![holder],
            },
        };
        for item in items {
            let item = self.fit(item, ty, body.at)?;
            let turn = self.scoped(Some(self.scope), None, body.at, |m| {
                m.declare(name, ty, item);
                m.turn(label, body)
            })?;
            if let Turn::Leave(flow) = turn {
                return Ok(flow);
            }
        }
        Ok(Flow::Normal(Val::Null))
    }

    fn for_loop(
        &mut self,
        label: Option<&Name>,
        init: &[Stmt],
        condition: Option<&Expr>,
        update: &[Expr],
        body: &Stmt,
    ) -> Thrown<Flow> {
        for statement in init {
            self.statement(statement)?;
        }
        while condition.map_or(Ok(true), |expr| self.eval_truth(expr))? {
            if let Turn::Leave(flow) = self.turn(label, body)? {
                return Ok(flow);
            }
            for expr in update {
                self.eval(expr)?;
            }
        }
        Ok(Flow::Normal(Val::Null))
    }

    fn turn(&mut self, label: Option<&Name>, body: &Stmt) -> Thrown<Turn> {
        self.step(body.at)?;
        let is_mine = |target: &Option<Name>| target.is_none() || target.as_ref() == label;
        Ok(match self.in_block(body)? {
            Flow::Normal(_) => Turn::Next,
            Flow::Continue(target) if is_mine(&target) => Turn::Next,
            Flow::Break(target) if is_mine(&target) => Turn::Leave(Flow::Normal(Val::Null)),
            other => Turn::Leave(other),
        })
    }

    pub(crate) fn switch(&mut self, switch: &Switch) -> Thrown<Flow> {
        let subject = self.eval(&switch.subject)?;
        let Some(first) = self.chosen_case(&subject, &switch.cases)? else {
            return Ok(Flow::Normal(Val::Null));
        };
        let at = switch.subject.at;
        self.scoped(Some(self.scope), None, at, |m| {
            let mut last = Flow::Normal(Val::Null);
            for case in &switch.cases[first..] {
                // What stands before the break is what the case gives.
                if let [body @ .., last] = &*case.body
                    && matches!(last.kind, StmtKind::Break(None))
                    && !body.is_empty()
                {
                    match m.statements(body)? {
                        Flow::Break(None) => return Ok(Flow::Normal(Val::Null)),
                        flow => return Ok(flow),
                    }
                }
                let flow = m.statements(&case.body)?;
                match flow {
                    Flow::Break(None) => return Ok(Flow::Normal(last.into_value())),
                    Flow::Normal(_) if case.arrow => return Ok(flow),
                    Flow::Normal(_) if case.body.is_empty() => {}
                    Flow::Normal(_) => last = flow,
                    other => return Ok(other),
                }
            }
            Ok(last)
        })
    }

    fn chosen_case(&mut self, subject: &Val, cases: &[Case]) -> Thrown<Option<usize>> {
        let mut fallback = None;
        for (index, case) in cases.iter().enumerate() {
            if case.tests.is_empty() {
                fallback = Some(index);
            }
            for test in &case.tests {
                let candidate = self.eval(test)?;
                if self.is_case(&candidate, subject, test.at)? {
                    return Ok(Some(index));
                }
            }
        }
        Ok(fallback)
    }

    fn try_catch(
        &mut self,
        body: &[Stmt],
        catches: &[Catch],
        finally: Option<&[Stmt]>,
        at: u32,
    ) -> Thrown<Flow> {
        let mut result = self.scoped(Some(self.scope), None, at, |m| m.statements(body));
        if let Err(Stop::Thrown(id)) = result {
            let class = self.heap.errors[id as usize].class;
            let handler =
                catches.iter().find(|c| c.classes.iter().any(|wanted| class.is_a(*wanted)));
            if let Some(handler) = handler {
                result = self.scoped(Some(self.scope), None, at, |m| {
                    m.declare(&handler.name, Type::Any, Val::Error(id));
                    m.statements(&handler.body)
                });
            }
        }
        let Some(finally) = finally else { return result };
        if let Err(Stop::Limit(..)) = result {
            return result;
        }
        match self.scoped(Some(self.scope), None, at, |m| m.statements(finally))? {
            Flow::Normal(_) => result,
            other => Ok(other),
        }
    }

    fn throw_value(&mut self, expr: &Expr, at: u32) -> Thrown<Flow> {
        match self.eval(expr)? {
            Val::Error(id) => {
                self.heap.errors[id as usize].at = at;
                Err(Stop::Thrown(id))
            }
            Val::Null => Err(self.throw("java.lang.NullPointerException", "cannot throw null", at)),
            other => {
                let class = self.class_name(&other);
                let message = format!("an object of class {class} cannot be thrown");
                Err(self.throw("java.lang.ClassCastException", message, at))
            }
        }
    }

    fn assert(&mut self, condition: &Expr, message: Option<&Expr>, at: u32) -> Thrown<Flow> {
        if self.eval_truth(condition)? {
            return Ok(Flow::Normal(Val::Null));
        }
        Err(match message {
            Some(expr) => {
                let value = self.eval(expr)?;
                let text = self.show(&value, at)?;
                self.throw("java.lang.AssertionError", text, at)
            }
            None => self.throw(
                "org.codehaus.groovy.runtime.powerassert.PowerAssertionError",
                "assertion failed",
                at,
            ),
        })
    }
}

/// What a local holds that was declared without a value.
fn initial(ty: Type) -> Val {
    let Type::Primitive(class) = ty else { return Val::Null };
    match class.simple_name() {
        "Boolean" => Val::Bool(false),
        "Long" => Val::Long(0),
        "Double" => Val::Double(0.0),
        "Float" => Val::Float(0.0),
        "Character" => Val::Char('\0'),
        _ => Val::Int(0),
    }
}
