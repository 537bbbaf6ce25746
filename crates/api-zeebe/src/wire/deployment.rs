//! What is wrong with resources, as one text: clients show it as it is.

use std::fmt::Write as _;

use orloj::{Diagnostic, ResourceProblem, Severity};

pub(crate) fn deployment_problems(problems: &[ResourceProblem]) -> String {
    let mut text = String::from("the new resources could not be deployed:");
    for problem in problems {
        let _ = write!(text, "\n'{}':", problem.resource);
        if !problem.message.is_empty() {
            let _ = write!(text, " {}", problem.message);
        }
        write_diagnostics(&mut text, &problem.diagnostics);
    }
    text
}

/// Errors only: a warning never stopped a deployment.
fn write_diagnostics(text: &mut String, diagnostics: &[Diagnostic]) {
    let mut element_shown = None;
    for diagnostic in diagnostics.iter().filter(|one| one.severity == Severity::Error) {
        let element = diagnostic.element.as_ref();
        if element.is_some() && element != element_shown {
            let _ = write!(text, "\n- Element: {}", diagnostic.element.as_deref().unwrap_or("?"));
        }
        element_shown = element;
        let indent = if element.is_some() { "    " } else { "" };
        let (line, column) = (diagnostic.position.line, diagnostic.position.column);
        let (message, code) = (&diagnostic.message, diagnostic.code);
        let _ = write!(text, "\n{indent}- ERROR: {line}:{column}: {message} [{code}]");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use orloj::Position;

    fn diagnostic(severity: Severity, element: Option<&str>, line: u32) -> Diagnostic {
        Diagnostic {
            severity,
            position: Position { line, column: 7 },
            element: element.map(Into::into),
            code: "some-code",
            message: format!("problem {line}"),
        }
    }

    #[test]
    fn lists_every_error_under_its_element_and_resource() {
        let errors = ResourceProblem {
            resource: "order.bpmn".into(),
            diagnostics: vec![
                diagnostic(Severity::Error, None, 1),
                diagnostic(Severity::Error, Some("pay"), 2),
                diagnostic(Severity::Warning, Some("pay"), 3),
                diagnostic(Severity::Error, Some("pay"), 4),
                diagnostic(Severity::Error, Some("ship"), 5),
            ],
            message: String::new(),
        };
        let whole = ResourceProblem {
            resource: "x.dmn".into(),
            diagnostics: Vec::new(),
            message: "decisions come later".into(),
        };
        assert_eq!(
            deployment_problems(&[errors, whole]),
            "the new resources could not be deployed:\n\
             'order.bpmn':\n\
             - ERROR: 1:7: problem 1 [some-code]\n\
             - Element: pay\n    \
                 - ERROR: 2:7: problem 2 [some-code]\n    \
                 - ERROR: 4:7: problem 4 [some-code]\n\
             - Element: ship\n    \
                 - ERROR: 5:7: problem 5 [some-code]\n\
             'x.dmn': decisions come later"
        );
    }
}
