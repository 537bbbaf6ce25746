//! Code written into the model: programs and expressions, and where they stand.

use std::sync::Arc;

use orloj_expr::Expression;
use orloj_xml::Position;

use super::task::CallMapping;

/// Code written into the model.
#[derive(Clone, Debug)]
pub struct ScriptTask {
    pub script: Script,
    /// Where the script's value goes; without one it is dropped.
    pub result_variable: Option<Arc<str>>,
    /// The result is a variable of the element's scope only.
    pub is_result_local: bool,
    /// Whether names of the script stand for the process's variables.
    pub includes_variables: bool,
    /// What they stand for instead. Empty: see `includes_variables`.
    pub inputs: Vec<CallMapping>,
}

#[derive(Clone, Debug)]
pub enum Script {
    /// FEEL or UEL.
    Expression(Expression),
    /// A program, run outside of the interpreter.
    Program(Arc<Program>),
    /// Code of another resource, looked up when it is reached.
    Resource(Arc<ScriptResource>),
    /// Accepted, but it cannot run; the reason. What reaches it fails.
    Unusable(Arc<str>),
}

/// Code that lies outside of the model.
#[derive(Clone, Debug)]
pub struct ScriptResource {
    /// Gives the name: of a file of the same deployment after `deployment://`, else of the class
    /// path.
    pub name: Expression,
    pub language: ScriptLanguage,
    pub host: ProgramHost,
    pub stores_assigned: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScriptLanguage {
    Feel,
    Uel,
    Program(ProgramLanguage),
}

/// A program as the model has it. Whether it parses is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub language: ProgramLanguage,
    /// Whose objects and methods it expects.
    pub host: ProgramHost,
    pub source: Arc<str>,
    /// Whether a name that is assigned without being declared becomes a variable.
    pub stores_assigned: bool,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramLanguage {
    JavaScript,
    Groovy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramHost {
    Camunda,
    Flowable,
}

/// Where a text of the model stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Of its first character.
    pub start: Position,
    /// Whether the file has the text as it is, so that places inside of it can be told.
    pub is_verbatim: bool,
}

impl Place {
    /// The place in the file of a place in the text; both count from one.
    pub fn of(&self, line: u32, column: u32) -> Position {
        match line {
            _ if !self.is_verbatim => self.start,
            0 | 1 => Position {
                line: self.start.line,
                column: self.start.column + column.saturating_sub(1),
            },
            _ => Position { line: self.start.line + (line - 1), column },
        }
    }
}
