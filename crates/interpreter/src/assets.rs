//! Deployed files that elements refer to: forms, and what jobs are linked to.
//!
//! The newest version counts, so they are found by the runtime when the element begins, and the
//! client is told the key of what was found.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_model::{
    CallBinding, Element, FormReference, LINKS_HEADER, LinkedResource, RESERVED_HEADERS, WorkerTask,
};
use orloj_types::{ElementInstanceKey, Value};

use crate::extract;
use crate::failure::{Failure, FailureKind, Ruled};
use crate::invoke::{Bound, Yield};
use crate::need::{AssetKind, Need, WantedAsset};
use crate::turn::Turn;

/// The key of the form that the task shows.
pub(crate) fn form(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    form: &FormReference,
) -> Ruled<i64> {
    let id = extract::text(turn, key, element, "form id", &form.form)?;
    find(turn, key, element, AssetKind::Form, id, &form.binding)
}

/// What the client of a job is told about deployed files.
pub(crate) fn headers(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    worker: &WorkerTask,
) -> Ruled<Vec<(Arc<str>, Arc<str>)>> {
    let mut headers = Vec::new();
    if let Some(reference) = worker.form.as_ref().filter(|form| form.is_needed) {
        let found = form(turn, key, element, reference)?;
        let name = format!("{RESERVED_HEADERS}formKey");
        headers.push((name.into(), found.to_string().into()));
    }
    if !worker.linked_resources.is_empty() {
        let mut links = Vec::with_capacity(worker.linked_resources.len());
        for LinkedResource { id, kind, link_name, binding } in &worker.linked_resources {
            let found = find(turn, key, element, AssetKind::Linked, id.clone(), binding)?;
            let name = link_name.clone().unwrap_or_default();
            let told = [
                ("resourceKey", Value::text(found.to_string())),
                ("resourceType", Value::Text(kind.clone())),
                ("linkName", Value::Text(name)),
            ];
            let told: BTreeMap<Arc<str>, Value> =
                told.into_iter().map(|(name, value)| (name.into(), value)).collect();
            links.push(Value::Map(Arc::new(told)));
        }
        headers.push((LINKS_HEADER.into(), Value::List(Arc::new(links)).to_json().into()));
    }
    Ok(headers)
}

fn find(
    turn: &Turn<'_>,
    key: ElementInstanceKey,
    element: &Element,
    kind: AssetKind,
    id: Arc<str>,
    binding: &CallBinding,
) -> Ruled<i64> {
    let binding = match binding {
        CallBinding::Latest | CallBinding::Definition => Bound::Latest,
        CallBinding::Deployment => Bound::Deployment,
        CallBinding::DeploymentOrLatest => Bound::DeploymentOrLatest,
        CallBinding::Version(version) => {
            let version = extract::whole_number(turn, key, element, "version", version)?;
            Bound::Version(version.and_then(|v| i32::try_from(v).ok()).unwrap_or(0))
        }
        CallBinding::VersionTag(tag) => {
            Bound::VersionTag(extract::text(turn, key, element, "version tag", tag)?)
        }
    };
    let record = &turn.work.record;
    let (tenant, definition) = (record.tenant.clone(), record.definition);
    let wanted = WantedAsset { kind, id, binding, tenant, definition };
    let Some(found) = turn.work.assets.get(&wanted) else {
        return Err(Failure::needs(&element.id, Yield::Need(Need::Asset(wanted))));
    };
    found.ok_or_else(|| {
        let (failure, what) = match kind {
            AssetKind::Form => (FailureKind::FormMissing, "form"),
            AssetKind::Linked => (FailureKind::ResourceMissing, "resource"),
        };
        let message = format!("no {what} with the id '{}' is deployed", wanted.id);
        Failure::new(&element.id, failure, message)
    })
}

#[cfg(test)]
mod tests {
    use orloj_expr::Expression;
    use orloj_model::{
        CallBinding, CompletionVariables, ElementKind, FormReference, LinkedResource, ServiceTask,
        UserTask, WorkerTask,
    };
    use orloj_types::Value;

    use crate::testing::{Sketch, Story, start, user};

    fn shows(form: &str) -> FormReference {
        let form = Expression::constant(Value::text(form));
        FormReference { form, binding: CallBinding::Latest, is_needed: true }
    }

    fn before_then(ask: ElementKind) -> Story {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("ask", ask)
            .node("then", user())
            .flows("start -> ask -> then");
        Story::of(process.build())
    }

    #[test]
    fn a_task_waits_for_its_form_and_begins_when_it_is_deployed() {
        let task = UserTask { form: Some(shows("order")), ..UserTask::default() };
        let mut story = before_then(ElementKind::UserTask(task));
        let told = story.start("{}");
        assert!(told.contains("opened FORM_NOT_FOUND: no form with the id 'order'"), "{told}");
        assert!(!told.contains("task1"), "{told}");
        story.assets.insert("order".to_owned(), 77);
        assert!(story.resolve().contains("insert task1 ask"));
    }

    #[test]
    fn a_job_is_told_the_keys_of_its_form_and_of_what_it_is_linked_to() {
        let link = LinkedResource {
            id: "robot".into(),
            kind: "RPA".into(),
            link_name: Some("main".into()),
            binding: CallBinding::Latest,
        };
        let job_type = Expression::constant(Value::text("work"));
        let worker = WorkerTask {
            form: Some(shows("order")),
            linked_resources: vec![link],
            ..WorkerTask::of(job_type, CompletionVariables::Merge)
        };
        let mut story = before_then(ElementKind::ServiceTask(ServiceTask::Worker(worker)));
        story.assets.insert("order".to_owned(), 77);
        let told = story.start("{}");
        assert!(told.contains("opened RESOURCE_NOT_FOUND: no resource with the id 'robot'"));
        story.assets.insert("robot".to_owned(), 88);
        story.resolve();
        let record = story.record.clone().expect("it runs");
        let jobs: Vec<_> = record.elements.iter().flat_map(|element| &element.jobs).collect();
        let headers = jobs[0].headers.as_ref().expect("headers");
        let told: Vec<(&str, &str)> =
            headers.iter().map(|(name, told)| (&**name, &**told)).collect();
        assert_eq!(
            told,
            [
                ("io.camunda.zeebe:formKey", "77"),
                (
                    "linkedResources",
                    r#"[{"linkName":"main","resourceKey":"88","resourceType":"RPA"}]"#
                ),
            ]
        );
    }
}
