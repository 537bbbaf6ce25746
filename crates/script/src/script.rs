use std::sync::Arc;

use orloj_expr::{Expression, Language};
use orloj_groovy::DiagnosticKind;

use crate::language::ScriptLanguage;
use crate::outcome::Diagnostic;
use crate::spin;

/// A script that was parsed once and is run often. Clones are cheap.
#[derive(Clone, Debug)]
pub struct Script {
    pub(crate) program: Program,
}

#[derive(Clone, Debug)]
pub(crate) enum Program {
    /// Checked by a child; see [`Scripts::check`](crate::Scripts::check).
    JavaScript(Arc<str>),
    Groovy(orloj_groovy::Script),
}

impl Script {
    /// Everything that can be found without a child: JavaScript is taken as it is.
    pub fn parse(language: ScriptLanguage, source: &str) -> Result<Self, Diagnostic> {
        if let Some(refused) = spin::refused(language, source) {
            return Err(refused);
        }
        let program = match language {
            ScriptLanguage::JavaScript => Program::JavaScript(source.into()),
            ScriptLanguage::Groovy => {
                let script =
                    orloj_groovy::Script::parse(source).map_err(|found| Diagnostic::Refused {
                        message: found.message,
                        position: found.position,
                        unsupported: found.kind == DiagnosticKind::Unsupported,
                    })?;
                Program::Groovy(script)
            }
        };
        Ok(Self { program })
    }

    /// Whether the text is a UEL expression that gives the script when the task runs, as Camunda 7
    /// allows for scripts of every language.
    pub fn is_source_expression(source: &str) -> bool {
        let trimmed = source.trim();
        (trimmed.starts_with("${") || trimmed.starts_with("#{"))
            && trimmed.ends_with('}')
            && matches!(Expression::parse(Language::Uel, trimmed), Ok(e) if e.as_constant().is_none())
    }

    pub fn language(&self) -> ScriptLanguage {
        match &self.program {
            Program::JavaScript(_) => ScriptLanguage::JavaScript,
            Program::Groovy(_) => ScriptLanguage::Groovy,
        }
    }

    pub fn source(&self) -> &str {
        match &self.program {
            Program::JavaScript(source) => source,
            Program::Groovy(script) => script.source(),
        }
    }
}
