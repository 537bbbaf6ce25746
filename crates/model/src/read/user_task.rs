//! User tasks: of the engine, or as a job of Zeebe.

use std::sync::Arc;

use orloj_expr::Expression;
use orloj_types::Value;

use crate::graph::{ElementKind, ServiceTask, UserTask, WorkerTask};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_child, bpmn_children};
use crate::read::element::Surroundings;
use crate::read::expression::{is_zeebe_expression, text};
use crate::semantics::completion_of;

/// Type of the job that stands for a user task without an implementation of its own.
const USER_TASK_JOB: &str = "io.camunda.zeebe:userTask";
/// A person is asked once.
const USER_TASK_JOB_RETRIES: i64 = 1;

impl<'a> Context<'a> {
    pub fn user_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        if self.dialect != Dialect::Zeebe {
            return self.form_user_task(subject).map(ElementKind::UserTask);
        }
        if self.extension(subject, "userTask").is_some() {
            return self.zeebe_user_task(subject).map(ElementKind::UserTask);
        }
        let worker = self.user_task_job(surroundings, subject)?;
        Some(ElementKind::ServiceTask(ServiceTask::Worker(worker)))
    }

    fn zeebe_user_task(&mut self, subject: &Subject<'a>) -> Option<UserTask> {
        let properties = self.zeebe_properties(subject);
        let mut task = UserTask::default();
        for (name, written) in properties {
            if name == "formKey" {
                task.form_key = Some((*written.text).into());
                continue;
            }
            let value = Some(self.value(subject, &written)?);
            match name {
                "assignee" => task.assignee = value,
                "candidateGroups" => task.candidate_groups = value,
                "candidateUsers" => task.candidate_users = value,
                "dueDate" => task.due_date = value,
                "priority" => task.priority = value,
                _ => self.warn_unread(subject, name, &written),
            }
        }
        Some(task)
    }

    /// The job tells its worker about the task in headers; their values are fixed when the model
    /// is deployed, so computed ones cannot be kept yet.
    fn user_task_job(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<WorkerTask> {
        let mut headers = self.headers(subject);
        for (name, written) in self.zeebe_properties(subject) {
            if is_zeebe_expression(&written.text) {
                let message = format!(
                    "a computed {name} of {} without zeebe:userTask is not supported yet",
                    subject.title()
                );
                self.error_at(subject, written.offset, "unsupported-attribute", message);
                headers = None;
            } else if name == "priority" {
                self.warn_unread(subject, name, &written);
            } else if let Some(headers) = &mut headers {
                let value: Arc<str> = match name {
                    "candidateGroups" | "candidateUsers" => json_list(&written.text).into(),
                    _ => (*written.text).into(),
                };
                headers.push((format!("io.camunda.zeebe:{name}").into(), value));
            }
        }
        let priority =
            self.worker_priority(subject).or_else(|| surroundings.worker_priority.clone());
        Some(WorkerTask {
            job_type: text(USER_TASK_JOB),
            retries: Some(Expression::constant(Value::Int(USER_TASK_JOB_RETRIES))),
            priority,
            headers: headers?,
            is_user_task: true,
            completion: completion_of(self.dialect),
        })
    }

    /// What Zeebe's extensions say about a user task, by name.
    fn zeebe_properties(&mut self, subject: &Subject<'a>) -> Vec<(&'static str, Written<'a>)> {
        let places: [(&str, &[&'static str]); 4] = [
            ("assignmentDefinition", &["assignee", "candidateGroups", "candidateUsers"]),
            ("taskSchedule", &["dueDate", "followUpDate"]),
            ("priorityDefinition", &["priority"]),
            ("formDefinition", &["formKey", "formId", "externalReference"]),
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

    fn form_user_task(&mut self, subject: &Subject<'a>) -> Option<UserTask> {
        for name in ["followUpDate", "formRef", "owner", "businessCalendarName"] {
            if let Some(found) = self.extension_attribute(subject.node, name) {
                self.warn_unread(subject, name, &found);
            }
        }
        let (assignee, users, groups) = self.resource_roles(subject);
        let form_key = self.extension_attribute(subject.node, "formKey");
        let assignee = self.task_property(subject, "assignee")?.or(assignee);
        let candidate_users = self.task_property(subject, "candidateUsers")?.or(users);
        let candidate_groups = self.task_property(subject, "candidateGroups")?.or(groups);
        Some(UserTask {
            assignee,
            candidate_groups,
            candidate_users,
            due_date: self.task_property(subject, "dueDate")?,
            priority: self.task_property(subject, "priority")?,
            form_key: form_key.filter(|key| !key.text.is_empty()).map(|key| (*key.text).into()),
        })
    }

    /// `None`: the expression is wrong; `Some(None)`: there is none.
    fn task_property(&mut self, subject: &Subject<'a>, name: &str) -> Option<Option<Expression>> {
        match self.extension_attribute(subject.node, name).filter(|w| !w.text.is_empty()) {
            Some(written) => self.value(subject, &written).map(Some),
            None => Some(None),
        }
    }

    /// BPMN's own way to name people: `humanPerformer` and `potentialOwner`.
    fn resource_roles(
        &mut self,
        subject: &Subject<'a>,
    ) -> (Option<Expression>, Option<Expression>, Option<Expression>) {
        let mut assignee = None;
        let (mut users, mut groups) = (Vec::new(), Vec::new());
        for role in bpmn_children(subject.node) {
            let Some(written) = self.role_text(role) else { continue };
            match role.tag_name().name() {
                "humanPerformer" => assignee = self.value(subject, &written),
                "potentialOwner" => sort_owners(&written.text, &mut users, &mut groups),
                _ => {}
            }
        }
        let mut joined = |names: Vec<String>| {
            let owners = names.join(",");
            let node = bpmn_child(subject.node, "potentialOwner").filter(|_| !owners.is_empty())?;
            let written = Written::made(owners, node.range().start);
            self.value(subject, &written)
        };
        (assignee, joined(users), joined(groups))
    }

    fn role_text(&self, role: Node<'a>) -> Option<Written<'a>> {
        let assignment = bpmn_child(role, "resourceAssignmentExpression")?;
        let expression = bpmn_child(assignment, "formalExpression")?;
        Some(self.content(expression)).filter(|written| !written.text.is_empty())
    }

    fn warn_unread(&mut self, subject: &Subject<'a>, name: &str, found: &Written<'a>) {
        let message = format!("{name} of {} has no effect yet", subject.title());
        self.warn_at(subject, found.offset, "ignored-attribute", message);
    }
}

/// `user(a), group(b), c`: a bare name is a group.
fn sort_owners(text: &str, users: &mut Vec<String>, groups: &mut Vec<String>) {
    for owner in split_outside_braces(text) {
        let inside = |word: &str| owner.strip_prefix(word)?.strip_prefix('(')?.strip_suffix(')');
        match (inside("user"), inside("group")) {
            (Some(user), _) => users.push(user.trim().to_owned()),
            (_, Some(group)) => groups.push(group.trim().to_owned()),
            _ => groups.push(owner.to_owned()),
        }
    }
}

/// Commas inside `${…}` separate nothing.
fn split_outside_braces(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn json_list(text: &str) -> String {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Value::List(Arc::new(items.map(Value::text).collect())).to_json()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_sorted_into_users_and_groups() {
        let (mut users, mut groups) = (Vec::new(), Vec::new());
        sort_owners("user(kermit), group(${a, b}), management,", &mut users, &mut groups);
        assert_eq!(users, ["kermit"]);
        assert_eq!(groups, ["${a, b}", "management"]);
    }

    #[test]
    fn candidates_become_a_json_list() {
        assert_eq!(json_list("a, \"b\",,"), r#"["a","\"b\""]"#);
    }
}
