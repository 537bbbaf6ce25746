//! What stands in for the code of applications: a table with a row for each class or bean.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_interpreter::InvokeResult;
use orloj_types::{Document, StoredValue, Value};

use crate::run::Engine;

const COLUMNS: usize = 7;
const BEAN: &str = "bean:";
/// Thrown by stubs without a code of their own.
const ERROR_CODE: &str = "E";
/// The variable by which a run asks a stub to fail.
const ASKED: &str = "fail";

/// By engine and name. Names that are not here cannot be resolved, as a missing class.
#[derive(Clone, Debug, Default)]
pub struct Stubs {
    of: BTreeMap<(Engine, Arc<str>), Stub>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stub {
    pub kind: StubKind,
    /// Variables that become 1.
    pub sets: Vec<Arc<str>>,
    /// The code of the error it throws.
    pub error: Arc<str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StubKind {
    NoOp,
    SetVariable,
    Fail,
    /// When the variable `fail` is true.
    FailIf,
    BpmnError,
    /// When the variable `fail` is true.
    BpmnErrorIf,
}

#[derive(Debug, thiserror::Error)]
#[error("line {line}: a row of stubs has {COLUMNS} columns parted by tabs")]
pub struct StubsError {
    line: usize,
}

impl Stubs {
    /// Reads rows of source, name, role, files, original behaviour, stub and hint. Rows of other
    /// sources than the engines are left out, and so are names without a stub.
    pub fn parse(text: &str) -> Result<Self, StubsError> {
        let mut stubs = Self::default();
        for (at, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.is_empty()) {
            let cells: Vec<&str> = line.split('\t').collect();
            let [source, name, _, _, _, kind, hint, ..] = cells[..] else {
                return Err(StubsError { line: at + 1 });
            };
            let engine = match source {
                "camunda7" => Engine::Camunda7,
                "flowable" => Engine::Flowable,
                _ => continue,
            };
            if let Some(kind) = kind_of(kind) {
                stubs.of.insert((engine, name.into()), stub(kind, hint));
            }
        }
        Ok(stubs)
    }

    pub fn class(&self, engine: Engine, name: &str) -> Option<&Stub> {
        self.of.get(&(engine, name.into()))
    }

    pub fn bean(&self, engine: Engine, name: &str) -> Option<&Stub> {
        self.of.get(&(engine, format!("{BEAN}{name}").into()))
    }
}

impl Stub {
    /// What calling it does, given the variables that the caller sees.
    pub fn answer(&self, variables: &Document) -> InvokeResult {
        let asked = || matches!(variables.get(ASKED).map(Value::from), Some(Value::Bool(true)));
        match self.kind {
            StubKind::SetVariable => {
                let mut set = Document::new();
                for name in &self.sets {
                    set.insert(name.clone(), StoredValue::int(1));
                }
                InvokeResult::Done { variables: set }
            }
            StubKind::Fail => Self::failed(),
            StubKind::FailIf if asked() => Self::failed(),
            StubKind::BpmnError => self.thrown(),
            StubKind::BpmnErrorIf if asked() => self.thrown(),
            StubKind::NoOp | StubKind::FailIf | StubKind::BpmnErrorIf => {
                InvokeResult::Done { variables: Document::new() }
            }
        }
    }

    fn failed() -> InvokeResult {
        InvokeResult::Failed { message: "the stub fails".into() }
    }

    fn thrown(&self) -> InvokeResult {
        InvokeResult::Error {
            code: self.error.clone(),
            message: Arc::default(),
            variables: Document::new(),
        }
    }
}

fn kind_of(word: &str) -> Option<StubKind> {
    Some(match word {
        "noop" => StubKind::NoOp,
        "set-variable" => StubKind::SetVariable,
        "fail" => StubKind::Fail,
        "fail-if" => StubKind::FailIf,
        "bpmn-error" => StubKind::BpmnError,
        "bpmn-error-if" => StubKind::BpmnErrorIf,
        _ => return None,
    })
}

fn stub(kind: StubKind, hint: &str) -> Stub {
    let mut stub = Stub { kind, sets: Vec::new(), error: ERROR_CODE.into() };
    for part in hint.split(", ") {
        if let Some(names) = part.strip_prefix("sets ") {
            stub.sets = names.split('/').map(Arc::from).collect();
        } else if let Some(code) = part.strip_prefix("error ") {
            stub.error = code.into();
        }
    }
    stub
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "source\tclass or bean\trole\tfiles\tbehaviour\tstub\thint\n\
        camunda7\ta.B\tdelegate\t1\trecord\tset-variable\tsets x/y\n\
        camunda7\tbean:b\tdelegate\t1\trecord\tbpmn-error-if\tsets n, error 23\n\
        camunda7\ta.C\tdelegate\t1\trecord\tunresolved\t-\n\
        flowable\ta.C\tdelegate\t1\trecord\tfail\t-\n";

    #[test]
    fn rows_are_told_apart_by_engine_and_kind_of_name() {
        let stubs = Stubs::parse(TABLE).unwrap();
        assert!(stubs.class(Engine::Camunda7, "a.C").is_none());
        assert!(stubs.class(Engine::Flowable, "a.C").is_some());
        assert!(stubs.class(Engine::Camunda7, "b").is_none());
        let bean = stubs.bean(Engine::Camunda7, "b").unwrap();
        assert_eq!((bean.kind, &*bean.error), (StubKind::BpmnErrorIf, "23"));
    }

    #[test]
    fn a_stub_does_what_its_row_says() {
        let stubs = Stubs::parse(TABLE).unwrap();
        let sets = stubs.class(Engine::Camunda7, "a.B").unwrap().answer(&Document::new());
        let InvokeResult::Done { variables } = sets else { panic!("{sets:?}") };
        assert_eq!(variables.to_json(), r#"{"x":1,"y":1}"#);
        let bean = stubs.bean(Engine::Camunda7, "b").unwrap();
        let asked = Document::new().with("fail", true);
        assert!(matches!(bean.answer(&asked), InvokeResult::Error { code, .. } if &*code == "23"));
        assert!(matches!(bean.answer(&Document::new()), InvokeResult::Done { .. }));
        let not_quite = Document::new().with("fail", "true");
        assert!(matches!(bean.answer(&not_quite), InvokeResult::Done { .. }));
    }

    #[test]
    fn a_short_row_is_named() {
        let error = Stubs::parse("head\ncamunda7\ta.B").unwrap_err();
        assert!(error.to_string().starts_with("line 2"), "{error}");
    }
}
