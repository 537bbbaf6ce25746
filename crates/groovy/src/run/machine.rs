use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use crate::ast::{Name, Type};
use crate::classes::Class;
use crate::diagnostic::Position;
use crate::host::{Failure, Host, Limit, Options, Outcome};
use crate::parse::Parsed;
use crate::pattern::Pattern;
use orloj_types::Value;

use crate::value::{ErrorObject, Heap, Id, Local, Scope, Val};

use super::variables::Pending;

/// Memory of one value inside a collection.
pub(crate) const SLOT_BYTES: usize = size_of::<Val>();
/// What compiling a regular expression counts as; it takes up to a millisecond.
const PATTERN_STEPS: usize = 500;

/// Why a run does not go on.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Can be caught by the script.
    Thrown(Id),
    /// Cannot.
    Limit(Limit, u32),
}

pub(crate) type Thrown<T> = Result<T, Stop>;

pub(crate) struct Machine<'a> {
    pub(crate) script: &'a Parsed,
    pub(crate) host: &'a dyn Host,
    pub(crate) options: Options,
    pub(crate) heap: Heap,
    pub(crate) scope: Id,
    /// Names that the script assigned without declaring them.
    pub(crate) bindings: BTreeMap<Name, Val>,
    /// Variables as the script sees them by now; `None`: removed.
    pub(crate) seen: BTreeMap<(u8, Name), Option<Val>>,
    /// What variables were before the script could change them in place.
    pub(crate) origins: BTreeMap<(u8, Name), Value>,
    pub(crate) effects: Vec<Pending>,
    printed: Vec<String>,
    printed_open: bool,
    printed_bytes: usize,
    printed_lost: usize,
    pub(crate) random: u64,
    pub(crate) patterns: HashMap<String, Rc<Pattern>>,
    steps_left: usize,
    bytes_left: usize,
    depth: usize,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(script: &'a Parsed, host: &'a dyn Host, options: Options) -> Self {
        let mut heap = Heap::default();
        heap.scopes.push(Scope { parent: None, locals: Vec::new(), delegate: None });
        Self {
            script,
            host,
            options,
            heap,
            scope: 0,
            bindings: BTreeMap::new(),
            seen: BTreeMap::new(),
            origins: BTreeMap::new(),
            effects: Vec::new(),
            printed: Vec::new(),
            printed_open: false,
            printed_bytes: 0,
            printed_lost: 0,
            random: options.seed,
            patterns: HashMap::new(),
            steps_left: options.budget.steps_max,
            bytes_left: options.budget.bytes_max,
            depth: 0,
        }
    }

    pub(crate) fn run(mut self, source: &str) -> Outcome {
        let script = self.script;
        let ended =
            self.statements(&script.body).and_then(|flow| self.export_value(&flow.into_value(), 0));
        let mut result = ended.map_err(|stop| self.failure(&stop, source));
        let effects = match self.settle() {
            Ok(effects) => effects,
            Err(stop) => {
                result = result.and_then(|_| Err(self.failure(&stop, source)));
                Vec::new()
            }
        };
        Outcome { result, effects, printed: self.printed, printed_lost: self.printed_lost }
    }

    fn failure(&self, stop: &Stop, source: &str) -> Failure {
        match stop {
            Stop::Limit(limit, at) => Failure::Limit {
                limit: *limit,
                allowed: match limit {
                    Limit::Steps => self.options.budget.steps_max,
                    Limit::Depth => self.options.budget.depth_max,
                    Limit::Bytes => self.options.budget.bytes_max,
                },
                position: Position::of(source, *at as usize),
            },
            Stop::Thrown(id) => {
                let error = &self.heap.errors[*id as usize];
                let position = Position::of(source, error.at as usize);
                let message = error.message.as_deref().map(str::to_owned);
                match &error.code {
                    Some(code) if error.class.is_bpmn_error() => {
                        Failure::BpmnError { code: code.to_string(), message, position }
                    }
                    _ => Failure::Exception { class: error.class.name(), message, position },
                }
            }
        }
    }

    #[inline]
    pub(crate) fn step(&mut self, at: u32) -> Thrown<()> {
        self.steps(1, at)
    }

    #[inline]
    pub(crate) fn steps(&mut self, count: usize, at: u32) -> Thrown<()> {
        match self.steps_left.checked_sub(count) {
            Some(left) => {
                self.steps_left = left;
                Ok(())
            }
            None => {
                self.steps_left = 0;
                Err(Stop::Limit(Limit::Steps, at))
            }
        }
    }

    /// Memory that the script makes; looking at every byte of it counts as well.
    pub(crate) fn bytes(&mut self, count: usize, at: u32) -> Thrown<()> {
        self.steps(count / 64, at)?;
        match self.bytes_left.checked_sub(count) {
            Some(left) => {
                self.bytes_left = left;
                Ok(())
            }
            None => {
                self.bytes_left = 0;
                Err(Stop::Limit(Limit::Bytes, at))
            }
        }
    }

    /// Memory for `count` values.
    pub(crate) fn slots(&mut self, count: usize, at: u32) -> Thrown<()> {
        self.bytes(count.saturating_mul(SLOT_BYTES), at)
    }

    /// Runs `inner` one level deeper.
    pub(crate) fn deeper<T>(
        &mut self,
        at: u32,
        inner: impl FnOnce(&mut Self) -> Thrown<T>,
    ) -> Thrown<T> {
        if self.depth >= self.options.budget.depth_max {
            return Err(Stop::Limit(Limit::Depth, at));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    pub(crate) fn text(&mut self, text: impl Into<Rc<str>>, at: u32) -> Thrown<Val> {
        let text = text.into();
        self.bytes(text.len(), at)?;
        Ok(Val::Text(text))
    }

    #[cold]
    pub(crate) fn throw(
        &mut self,
        class: &'static str,
        message: impl Into<String>,
        at: u32,
    ) -> Stop {
        let message: String = message.into();
        self.throw_object(ErrorObject {
            class: Class::known(class),
            message: Some(message.into()),
            code: None,
            cause: None,
            at,
        })
    }

    pub(crate) fn throw_object(&mut self, error: ErrorObject) -> Stop {
        let (size, at) = (error.message.as_ref().map_or(0, |m| m.len()) + 64, error.at);
        if let Err(stop) = self.bytes(size, at) {
            return stop;
        }
        self.heap.errors.push(error);
        Stop::Thrown(id_of(self.heap.errors.len() - 1))
    }

    pub(crate) fn pattern(&mut self, source: &str, at: u32) -> Thrown<Rc<Pattern>> {
        if let Some(pattern) = self.patterns.get(source) {
            return Ok(pattern.clone());
        }
        let pattern = match Pattern::translate(source) {
            Ok((steps, translated)) => {
                self.steps(steps, at)?;
                Pattern::new(source, translated)
            }
            Err(refused) => Err(refused),
        };
        self.steps(PATTERN_STEPS, at)?;
        match pattern {
            Ok(pattern) => {
                let pattern = Rc::new(pattern);
                self.patterns.insert(source.to_owned(), pattern.clone());
                Ok(pattern)
            }
            Err(refused) => {
                let message = format!("{refused} in the regular expression '{source}'");
                Err(self.throw("java.util.regex.PatternSyntaxException", message, at))
            }
        }
    }

    pub(crate) fn print(&mut self, text: &str, ends_line: bool) {
        let fits = self.printed_bytes + text.len() <= self.options.budget.printed_bytes_max;
        if !fits {
            self.printed_lost += usize::from(ends_line);
            return;
        }
        self.printed_bytes += text.len() + 1;
        match self.printed.last_mut() {
            Some(last) if self.printed_open => last.push_str(text),
            _ => self.printed.push(text.to_owned()),
        }
        self.printed_open = !ends_line;
    }

    /// SplitMix64: the seed comes in, so equal runs are equal.
    pub(crate) fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn random_double(&mut self) -> f64 {
        // 53 bits, as many as a double holds exactly.
        (self.next_random() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn push_scope(&mut self, parent: Option<Id>, delegate: Option<Val>) -> Id {
        self.heap.scopes.push(Scope { parent, locals: Vec::new(), delegate });
        id_of(self.heap.scopes.len() - 1)
    }

    /// Runs `inner` in a scope of its own inside `parent`. The scope is given back unless a
    /// closure that was made meanwhile may hold it.
    pub(crate) fn scoped<T>(
        &mut self,
        parent: Option<Id>,
        delegate: Option<Val>,
        at: u32,
        inner: impl FnOnce(&mut Self) -> Thrown<T>,
    ) -> Thrown<T> {
        let (outer, closures) = (self.scope, self.heap.closures.len());
        let scope = self.push_scope(parent, delegate);
        self.scope = scope;
        let result = inner(self);
        self.scope = outer;
        if self.heap.closures.len() == closures {
            self.heap.scopes.truncate(scope as usize);
        } else {
            self.bytes(size_of::<Scope>() + size_of::<Local>(), at)?;
        }
        result
    }

    pub(crate) fn declare(&mut self, name: &Name, ty: Type, value: Val) {
        let locals = &mut self.heap.scopes[self.scope as usize].locals;
        match locals.iter_mut().find(|local| local.name == *name) {
            Some(local) => *local = Local { name: name.clone(), ty, value },
            None => locals.push(Local { name: name.clone(), ty, value }),
        }
    }

    pub(crate) fn local(&mut self, name: &str) -> Option<&mut Local> {
        let mut at = Some(self.scope);
        while let Some(id) = at {
            let scope = &self.heap.scopes[id as usize];
            if let Some(found) = scope.locals.iter().position(|local| &*local.name == name) {
                return Some(&mut self.heap.scopes[id as usize].locals[found]);
            }
            at = scope.parent;
        }
        None
    }

    /// The nearest delegate, for names that nothing else knows.
    pub(crate) fn delegate(&self) -> Option<Val> {
        let mut at = Some(self.scope);
        while let Some(id) = at {
            let scope = &self.heap.scopes[id as usize];
            if scope.delegate.is_some() {
                return scope.delegate.clone();
            }
            at = scope.parent;
        }
        None
    }
}

/// Numbers of objects: a budget of bytes keeps them far below 32 bits.
pub(crate) fn id_of(index: usize) -> Id {
    Id::try_from(index).unwrap_or(Id::MAX)
}
