//! User tasks of Camunda and Flowable; Zeebe's stand in `zeebe_user_task`.

use orloj_expr::Expression;
use orloj_xml::quoted;

use crate::graph::{CallBinding, ElementKind, FormReference, UserTask};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_child, bpmn_children};
use crate::read::element::Surroundings;
use crate::read::expression::is_uel;

impl<'a> Context<'a> {
    pub fn user_task(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        match self.dialect {
            Dialect::Zeebe => self.zeebe_user_task(surroundings, subject),
            Dialect::Camunda7 | Dialect::Flowable => {
                self.form_user_task(subject).map(ElementKind::UserTask)
            }
        }
    }

    fn form_user_task(&mut self, subject: &Subject<'a>) -> Option<UserTask> {
        let is_flowable = self.dialect == Dialect::Flowable;
        let (performer, users, groups) = self.resource_roles(subject)?;
        let assignee = self.task_property(subject, "assignee")?;
        if let (Some(_), Some(_), false) = (&assignee, &performer, is_flowable) {
            let message = format!("{} has both assignee and humanPerformer", subject.title());
            self.error(subject, "assignee-repeated", message);
            return None;
        }
        let candidate_users = self.task_property(subject, "candidateUsers")?.or(users);
        let candidate_groups = self.task_property(subject, "candidateGroups")?.or(groups);
        let (form_key, form) = self.form_reference(subject)?;
        let name = self.attribute(subject.node, "name");
        let documentation =
            bpmn_child(subject.node, "documentation").map(|node| self.content(node));
        self.check_forms(subject);
        Some(UserTask {
            assignee: assignee.or(performer),
            candidate_groups,
            candidate_users,
            due_date: self.exact_task_property(subject, "dueDate")?,
            follow_up_date: match is_flowable {
                true => None,
                false => self.exact_task_property(subject, "followUpDate")?,
            },
            priority: self.exact_task_property(subject, "priority")?,
            form_key: form_key.map(|key| (*key.text).into()),
            form_name: None,
            form,
            owner: self.flowable_property(subject, "owner")?,
            category: self.flowable_property(subject, "category")?,
            name: self.computed(subject, name)?,
            description: self.computed(subject, documentation)?,
            task_key_variable: self.flowable_property(subject, "taskIdVariableName")?,
            completer_variable: self.flowable_property(subject, "taskCompleterVariableName")?,
            links: self.custom_links(subject)?,
            headers: Vec::new(),
        })
    }

    /// Flowable's `customResource` elements.
    fn custom_links(&mut self, subject: &Subject<'a>) -> Option<Vec<Expression>> {
        if self.dialect != Dialect::Flowable {
            return Some(Vec::new());
        }
        let nodes: Vec<_> = self.extension_nodes(subject.node, "customResource").collect();
        let texts: Vec<_> = nodes
            .into_iter()
            .filter_map(|node| bpmn_child(node, "resourceAssignmentExpression"))
            .filter_map(|node| bpmn_child(node, "formalExpression"))
            .map(|node| self.content(node))
            .filter(|written| !written.text.is_empty())
            .collect();
        texts.iter().map(|written| self.late_value(subject, written)).collect()
    }

    /// `None`: the expression is wrong; `Some(None)`: there is none.
    fn task_property(&mut self, subject: &Subject<'a>, name: &str) -> Option<Option<Expression>> {
        match self.extension_attribute(subject.node, name).filter(|w| !w.text.is_empty()) {
            Some(written) => self.late_value(subject, &written).map(Some),
            None => Some(None),
        }
    }

    /// A property that is a date or a number.
    fn exact_task_property(
        &mut self,
        subject: &Subject<'a>,
        name: &str,
    ) -> Option<Option<Expression>> {
        let Some(value) = self.task_property(subject, name)? else { return Some(None) };
        let written = self.extension_attribute(subject.node, name)?;
        Some(Some(self.unless_padded(subject, &written, value)))
    }

    fn flowable_property(
        &mut self,
        subject: &Subject<'a>,
        name: &str,
    ) -> Option<Option<Expression>> {
        match self.dialect {
            Dialect::Flowable => self.task_property(subject, name),
            Dialect::Camunda7 | Dialect::Zeebe => Some(None),
        }
    }

    /// A text that is only worth keeping where it is an expression.
    fn computed(
        &mut self,
        subject: &Subject<'a>,
        written: Option<Written<'a>>,
    ) -> Option<Option<Expression>> {
        match written.filter(|written| is_uel(&written.text)) {
            Some(written) => self.late_value(subject, &written).map(Some),
            None => Some(None),
        }
    }

    /// `formKey`, or `formRef` with its binding. `None`: they are refused.
    pub fn form_reference(
        &mut self,
        subject: &Subject<'a>,
    ) -> Option<(Option<Written<'a>>, Option<FormReference>)> {
        let node = subject.node;
        let key = self.extension_attribute(node, "formKey").filter(|key| !key.text.is_empty());
        if let Some(key) = &key {
            self.late_value(subject, key)?;
        }
        let reference = match self.dialect {
            Dialect::Camunda7 => self.extension_attribute(node, "formRef"),
            Dialect::Flowable | Dialect::Zeebe => None,
        };
        let Some(reference) = reference else { return Some((key, None)) };
        if key.is_some() {
            let message = format!("{} has both formKey and formRef", subject.title());
            self.error_at(subject, reference.offset, "form-repeated", message);
            return None;
        }
        let form = self.value(subject, &reference)?;
        let binding = self.extension_attribute(node, "formRefBinding");
        let binding = match binding.as_ref().map_or("", |binding| &*binding.text) {
            "latest" => CallBinding::Latest,
            "deployment" => CallBinding::Deployment,
            "version" => match self.extension_attribute(node, "formRefVersion") {
                Some(version) => CallBinding::Version(self.version(subject, &version)?),
                None => {
                    let message = format!("{} has no formRefVersion", subject.title());
                    self.error_at(subject, reference.offset, "binding-incomplete", message);
                    return None;
                }
            },
            other => {
                let message = format!(
                    "formRefBinding of {} is {}, which is none of latest, deployment and version",
                    subject.title(),
                    quoted(other)
                );
                self.error_at(subject, reference.offset, "binding-unknown", message);
                return None;
            }
        };
        Some((None, Some(FormReference { form, binding, is_needed: false })))
    }

    /// BPMN's own way to name people: `humanPerformer` and `potentialOwner`.
    #[allow(clippy::type_complexity)]
    fn resource_roles(
        &mut self,
        subject: &Subject<'a>,
    ) -> Option<(Option<Expression>, Option<Expression>, Option<Expression>)> {
        let mut assignee = None;
        let mut performers = 0;
        let (mut users, mut groups) = (Vec::new(), Vec::new());
        for role in bpmn_children(subject.node) {
            let name = role.tag_name().name();
            performers += usize::from(name == "humanPerformer");
            if performers > 1 && self.dialect == Dialect::Camunda7 {
                let message = format!("{} has more than one humanPerformer", subject.title());
                self.error_at(subject, role.range().start, "assignee-repeated", message);
                return None;
            }
            let Some(written) = self.role_text(role) else { continue };
            match name {
                "humanPerformer" => assignee = Some(self.late_value(subject, &written)?),
                "potentialOwner" => sort_owners(&written.text, &mut users, &mut groups),
                _ => {}
            }
        }
        let users = self.joined_owners(subject, &users)?;
        let groups = self.joined_owners(subject, &groups)?;
        Some((assignee, users, groups))
    }

    fn joined_owners(
        &mut self,
        subject: &Subject<'a>,
        names: &[String],
    ) -> Option<Option<Expression>> {
        let Some(node) = bpmn_child(subject.node, "potentialOwner").filter(|_| !names.is_empty())
        else {
            return Some(None);
        };
        let written = Written::made(names.join(","), node.range().start);
        self.late_value(subject, &written).map(Some)
    }

    fn role_text(&self, role: Node<'a>) -> Option<Written<'a>> {
        let assignment = bpmn_child(role, "resourceAssignmentExpression")?;
        let expression = bpmn_child(assignment, "formalExpression")?;
        Some(self.content(expression)).filter(|written| !written.text.is_empty())
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
}
