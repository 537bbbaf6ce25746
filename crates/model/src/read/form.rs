//! Forms written into the model. They are not run; Camunda refuses wrong ones all the same.

use orloj_xml::quoted;

use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};
use crate::read::extension::is_read_by;

const TYPES: &[&str] = &["string", "long", "boolean", "date", "enum"];
const CONSTRAINTS: &[&str] =
    &["validator", "required", "minlength", "maxlength", "min", "max", "readonly"];
/// Letters with a meaning in a date pattern; others may stand only inside quotes.
const DATE_LETTERS: &str = "GyYMLwWDdFEuaHkKhmsSzZX";

const START_FORM_HANDLER: &str = "org.camunda.bpm.engine.impl.form.handler.DefaultStartFormHandler";
const TASK_FORM_HANDLER: &str = "org.camunda.bpm.engine.impl.form.handler.DefaultTaskFormHandler";

impl<'a> Context<'a> {
    /// Of a user task or a start event.
    pub fn check_forms(&mut self, subject: &Subject<'a>) {
        if self.dialect != Dialect::Camunda7 {
            return;
        }
        self.check_form_handler(subject);
        if let Some(form) = self.extension(subject, "formData") {
            for field in children(form, "formField") {
                self.check_field(subject, field);
            }
        }
        let properties: Vec<_> = self.extension_nodes(subject.node, "formProperty").collect();
        for property in properties {
            self.check_named(subject, property);
            self.check_type(subject, property, false);
            self.check_expressions(subject, property, &["default", "expression"]);
        }
    }

    /// Camunda makes the handler when it deploys the file; there is no class here but its own.
    fn check_form_handler(&mut self, subject: &Subject<'a>) {
        let Some(class) = self.extension_attribute(subject.node, "formHandlerClass") else {
            return;
        };
        let own = match subject.tag() {
            "startEvent" => START_FORM_HANDLER,
            _ => TASK_FORM_HANDLER,
        };
        if class.text != own {
            let message = format!(
                "{} wants its form handled by the unknown class {}",
                subject.title(),
                quoted(&class.text)
            );
            self.error_at(subject, class.offset, "form-handler-unknown", message);
        }
    }

    /// Of a start event, whose forms have no effect beyond this.
    pub fn check_start_form(&mut self, subject: &Subject<'a>) {
        if subject.tag() == "startEvent" {
            self.check_forms(subject);
            // Its problems are reported where it is read.
            let _ = self.form_reference(subject);
        }
    }

    fn check_field(&mut self, subject: &Subject<'a>, field: Node<'a>) {
        self.check_named(subject, field);
        self.check_type(subject, field, true);
        self.check_expressions(subject, field, &["defaultValue", "label"]);
        for constraint in children(field, "validation").flat_map(|v| children(v, "constraint")) {
            let name = self.attribute(constraint, "name");
            let name = name.as_ref().map_or("", |name| &*name.text);
            let is_known = CONSTRAINTS.contains(&name);
            let config = self.attribute(constraint, "config");
            let lacks_class =
                name == "validator" && config.is_none_or(|config| config.text.is_empty());
            if !is_known || lacks_class {
                let message = format!(
                    "the constraint {} of a form field of {} cannot be checked",
                    quoted(name),
                    subject.title()
                );
                self.form_error(subject, constraint, message);
            }
        }
    }

    fn check_named(&mut self, subject: &Subject<'a>, field: Node<'a>) {
        if self.attribute(field, "id").is_none_or(|id| id.text.is_empty()) {
            let message = format!("a form field of {} has no id", subject.title());
            self.form_error(subject, field, message);
        }
    }

    fn check_type(&mut self, subject: &Subject<'a>, field: Node<'a>, is_required: bool) {
        let Some(kind) = self.attribute(field, "type") else {
            if is_required {
                let message = format!("a form field of {} has no type", subject.title());
                self.form_error(subject, field, message);
            }
            return;
        };
        if !TYPES.contains(&&*kind.text) {
            let message = format!(
                "a form field of {} has the unknown type {}",
                subject.title(),
                quoted(&kind.text)
            );
            self.form_error(subject, field, message);
        }
        let pattern = self.attribute(field, "datePattern").filter(|_| kind.text == "date");
        if let Some(pattern) = pattern.filter(|pattern| !is_date_pattern(&pattern.text)) {
            let message = format!(
                "the date pattern {} of a form field of {} has unknown letters",
                quoted(&pattern.text),
                subject.title()
            );
            self.form_error(subject, field, message);
        }
    }

    fn check_expressions(&mut self, subject: &Subject<'a>, field: Node<'a>, names: &[&str]) {
        for name in names {
            if let Some(written) = self.attribute(field, name) {
                // Only whether it parses matters.
                let _ = self.value(subject, &written);
            }
        }
    }

    fn form_error(&mut self, subject: &Subject<'a>, node: Node<'a>, message: String) {
        self.error_at(subject, node.range().start, "form-invalid", message);
    }
}

fn children<'a>(holder: Node<'a>, name: &str) -> impl Iterator<Item = Node<'a>> {
    holder
        .children()
        .filter(move |c| is_read_by(Dialect::Camunda7, *c) && c.tag_name().name() == name)
}

fn is_date_pattern(pattern: &str) -> bool {
    let mut is_quoted = false;
    pattern.chars().all(|c| {
        is_quoted ^= c == '\'';
        is_quoted || !c.is_ascii_alphabetic() || DATE_LETTERS.contains(c)
    })
}

#[cfg(test)]
mod tests {
    use super::is_date_pattern;

    #[test]
    fn letters_of_a_date_pattern_have_a_meaning_or_are_quoted() {
        for pattern in ["dd/MM/yyyy", "yyyy-MM-dd'T'HH:mm", ""] {
            assert!(is_date_pattern(pattern), "{pattern}");
        }
        for pattern in ["foo", "dd/MM/yyyyT"] {
            assert!(!is_date_pattern(pattern), "{pattern}");
        }
    }
}
