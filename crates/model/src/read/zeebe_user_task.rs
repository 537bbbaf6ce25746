//! User tasks of Zeebe: of the engine, or as a job.

use std::sync::Arc;

use jiff::Zoned;
use jiff::civil::DateTime;
use orloj_expr::Expression;
use orloj_types::Value;
use orloj_xml::quoted;

use crate::graph::{
    CallBinding, ComputedHeader, ElementKind, FormReference, HeaderKind, RESERVED_HEADERS,
    ServiceTask, UserTask, WorkerTask,
};
use crate::read::binding::ZeebeBinding;
use crate::read::context::{Context, Node, Subject, Written};
use crate::read::element::Surroundings;
use crate::read::expression::{is_zeebe_expression, text};
use crate::semantics::completion_of;

/// Type of the job that stands for a user task without an implementation of its own.
const USER_TASK_JOB: &str = "io.camunda.zeebe:userTask";
/// A person is asked once.
const USER_TASK_JOB_RETRIES: i64 = 1;
const PRIORITY_MAX: i64 = 100;

impl<'a> Context<'a> {
    pub fn zeebe_user_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        if self.extension(subject, "userTask").is_some() {
            return self.native_user_task(subject).map(ElementKind::UserTask);
        }
        let worker = self.user_task_job(surroundings, subject)?;
        Some(ElementKind::ServiceTask(ServiceTask::Worker(worker)))
    }

    fn native_user_task(&mut self, subject: &Subject<'a>) -> Option<UserTask> {
        let headers = self.headers(subject);
        let mut task = UserTask { headers: headers?, ..UserTask::default() };
        for (name, written) in self.zeebe_properties(subject) {
            let value = Some(self.user_task_value(subject, name, &written)?);
            match name {
                "assignee" => task.assignee = value,
                "candidateGroups" => task.candidate_groups = value,
                "candidateUsers" => task.candidate_users = value,
                "dueDate" => task.due_date = value,
                "followUpDate" => task.follow_up_date = value,
                "priority" => task.priority = value,
                _ => {}
            }
        }
        let (reference, id) = self.zeebe_form(subject, ["externalReference", "formId"])?;
        task.form_name = match reference {
            // One that does not parse is taken, and fails when the task begins.
            Some(reference) if is_zeebe_expression(&reference.text) => {
                Some(self.tolerated_value(subject, &reference))
            }
            Some(reference) => Some(text(&reference.text)),
            None => None,
        };
        task.form = id;
        Some(task)
    }

    /// The job tells its worker about the task in headers.
    fn user_task_job(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<WorkerTask> {
        let mut headers = self.headers(subject)?;
        let mut computed_headers = Vec::new();
        for (name, written) in self.zeebe_properties(subject) {
            let value = self.user_task_value(subject, name, &written)?;
            let header: Arc<str> = format!("{RESERVED_HEADERS}{name}").into();
            let kind = match name {
                "candidateGroups" | "candidateUsers" => HeaderKind::TextList,
                "dueDate" | "followUpDate" => HeaderKind::DateTime,
                // Jobs of user tasks have no priority header.
                "priority" => continue,
                _ => HeaderKind::Text,
            };
            match (is_zeebe_expression(&written.text), kind) {
                (true, kind) => computed_headers.push(ComputedHeader { name: header, value, kind }),
                (false, HeaderKind::TextList) => {
                    headers.push((header, json_list(&written.text).into()));
                }
                (false, _) => headers.push((header, (*written.text).into())),
            }
        }
        let (key, form) = self.zeebe_form(subject, ["formKey", "formId"])?;
        if let Some(key) = key {
            headers.push((format!("{RESERVED_HEADERS}formKey").into(), (*key.text).into()));
        }
        let priority =
            self.worker_priority(subject).or_else(|| surroundings.worker_priority.clone());
        Some(WorkerTask {
            retries: Some(Expression::constant(Value::Int(USER_TASK_JOB_RETRIES))),
            priority,
            headers,
            computed_headers,
            form,
            is_user_task: true,
            ..WorkerTask::of(text(USER_TASK_JOB), completion_of(self.dialect))
        })
    }

    /// What the extensions say about a user task, by name.
    fn zeebe_properties(&mut self, subject: &Subject<'a>) -> Vec<(&'static str, Written<'a>)> {
        let places: [(&str, &[&'static str]); 3] = [
            ("assignmentDefinition", &["assignee", "candidateGroups", "candidateUsers"]),
            ("taskSchedule", &["dueDate", "followUpDate"]),
            ("priorityDefinition", &["priority"]),
        ];
        let mut properties = Vec::new();
        for (extension, names) in places {
            let Some(node) = self.extension(subject, extension) else { continue };
            for &name in names {
                let written = self.own_attribute(node, name).filter(|w| !w.text.is_empty());
                properties.extend(written.map(|written| (name, written)));
            }
        }
        properties
    }

    /// The same for one of these extensions where there is no user task.
    pub fn check_idle_user_task(&mut self, subject: &Subject<'a>, node: Node<'a>) {
        let names = [
            "assignee",
            "candidateGroups",
            "candidateUsers",
            "dueDate",
            "followUpDate",
            "priority",
        ];
        for name in names {
            let written = self.own_attribute(node, name).filter(|w| !w.text.is_empty());
            if let Some(written) = written {
                self.user_task_value(subject, name, &written);
            }
        }
    }

    /// The value of a property, checked as far as it is known already.
    fn user_task_value(
        &mut self,
        subject: &Subject<'a>,
        name: &str,
        written: &Written<'a>,
    ) -> Option<Expression> {
        if is_zeebe_expression(&written.text) {
            return self.value(subject, written);
        }
        let (is_valid, wanted) = match name {
            "candidateGroups" | "candidateUsers" => {
                let is_valid = written.text.split(',').all(|part| !part.trim().is_empty());
                (is_valid, "names separated by commas")
            }
            "dueDate" | "followUpDate" => (is_zoned(&written.text), "a date with time and zone"),
            "priority" => {
                let number = written.text.parse::<i64>();
                (number.is_ok_and(|n| (0..=PRIORITY_MAX).contains(&n)), "a number from 0 to 100")
            }
            _ => (true, ""),
        };
        if !is_valid {
            let message = format!(
                "{name} of {} is {}, which is not {wanted}",
                subject.title(),
                quoted(&written.text)
            );
            self.error_at(subject, written.offset, "user-task-value-invalid", message);
            return None;
        }
        match name {
            "priority" => self.value(subject, written),
            "candidateGroups" | "candidateUsers" => {
                let names = written.text.split(',').map(|name| Value::text(name.trim()));
                Some(Expression::constant(Value::list(names.collect::<Vec<_>>())))
            }
            // Numbers and words like `null` are names here.
            _ => Some(text(&written.text)),
        }
    }

    /// A form is named in exactly one of two ways; the second may be a form of the engine.
    fn zeebe_form(
        &mut self,
        subject: &Subject<'a>,
        names: [&str; 2],
    ) -> Option<(Option<Written<'a>>, Option<FormReference>)> {
        let Some(node) = self.extension(subject, "formDefinition") else {
            return Some((None, None));
        };
        let [first, second] = names.map(|name| self.own_attribute(node, name));
        let problem = match (&first, &second) {
            (Some(_), Some(_)) => Some("names its form in two ways"),
            (None, None) => Some("names no form"),
            (Some(written), None) | (None, Some(written)) if written.text.trim().is_empty() => {
                Some("names no form")
            }
            _ => None,
        };
        if let Some(problem) = problem {
            let message = format!("the formDefinition of {} {problem}", subject.title());
            self.error_at(subject, node.range().start, "form-invalid", message);
            return None;
        }
        let binding = match self.zeebe_binding_of(subject, node)? {
            ZeebeBinding::Latest => CallBinding::Latest,
            ZeebeBinding::Deployment => CallBinding::Deployment,
            ZeebeBinding::VersionTag(tag) => CallBinding::VersionTag(tag),
        };
        let form = match second {
            Some(id) => {
                Some(FormReference { form: self.value(subject, &id)?, binding, is_needed: true })
            }
            None => None,
        };
        Some((first, form))
    }
}

/// `2030-01-01T00:00:00Z`, also with an offset or the name of a zone.
fn is_zoned(original: &str) -> bool {
    let text = original.to_ascii_uppercase();
    let has_time = text.contains('T');
    let has_zone = text.ends_with(['Z', ']'])
        || text.rfind('T').is_some_and(|t| text[t..].contains(['+', '-']));
    let is_moment = text.parse::<jiff::Timestamp>().is_ok() || original.parse::<Zoned>().is_ok();
    has_time && has_zone && (is_moment || text.parse::<DateTime>().is_ok())
}

fn json_list(text: &str) -> String {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Value::List(Arc::new(items.map(Value::text).collect())).to_json()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_become_a_json_list() {
        assert_eq!(json_list("a, \"b\",,"), r#"["a","\"b\""]"#);
    }

    #[test]
    fn a_date_needs_time_and_zone() {
        for text in ["2030-01-01T00:00:00Z", "2030-01-01T00:00:00+01:00[Europe/Prague]"] {
            assert!(is_zoned(text), "{text}");
        }
        for text in ["2030-01-01", "2030-01-01T00:00:00", "soon", "", "T+"] {
            assert!(!is_zoned(text), "{text}");
        }
    }
}
