//! A job on its way to a worker.

use std::sync::Arc;

use orloj::Purpose;
use orloj::model::ListenerEvent;
use orloj_types::JobKey;
use prost::Message;

use crate::proto;
use crate::proto::activated_job::{JobKind, ListenerEventType};
use crate::wire::tenant_shown;

/// Zeebe's name for the only physical tenant there is.
const PHYSICAL_TENANT: &str = "default";

pub(crate) fn job_message(job: orloj::ActivatedJob) -> proto::ActivatedJob {
    let (kind, event) = kind_of(&job.purpose);
    let user_task = (kind == JobKind::TaskListener).then(|| user_task_of(&job.headers));
    proto::ActivatedJob {
        key: job.key.raw(),
        r#type: job.job_type.as_ref().to_owned(),
        process_instance_key: job.instance.raw(),
        bpmn_process_id: job.process_id.as_str().to_owned(),
        process_definition_version: job.version,
        process_definition_key: job.definition.raw(),
        element_id: job.element.as_str().to_owned(),
        element_instance_key: job.element_instance.raw(),
        custom_headers: headers_json(&job.headers),
        worker: job.worker.as_ref().to_owned(),
        retries: job.retries,
        deadline: job.deadline.as_ms(),
        variables: job.variables,
        tenant_id: tenant_shown(&job.tenant),
        user_task,
        kind: kind.into(),
        listener_event_type: event.into(),
        tags: job.tags.iter().map(|tag| tag.as_ref().to_owned()).collect(),
        priority: saturated(job.priority),
        business_id: job.business_key.as_deref().unwrap_or_default().to_owned(),
        lease_token: None,
        physical_tenant_id: PHYSICAL_TENANT.to_owned(),
    }
}

/// What kind of job it is, and what its listener hears.
fn kind_of(purpose: &Purpose) -> (JobKind, ListenerEventType) {
    use ListenerEventType as Type;
    match purpose {
        Purpose::Element => (JobKind::BpmnElement, Type::Unspecified),
        Purpose::AdHoc => (JobKind::AdHocSubProcess, Type::Unspecified),
        Purpose::Listener(event) => match event {
            ListenerEvent::Start => (JobKind::ExecutionListener, Type::Start),
            ListenerEvent::End | ListenerEvent::Take => (JobKind::ExecutionListener, Type::End),
            ListenerEvent::TaskCreate => (JobKind::TaskListener, Type::Creating),
            ListenerEvent::TaskAssign => (JobKind::TaskListener, Type::Assigning),
            ListenerEvent::TaskUpdate => (JobKind::TaskListener, Type::Updating),
            ListenerEvent::TaskComplete => (JobKind::TaskListener, Type::Completing),
            ListenerEvent::TaskCancel | ListenerEvent::TaskDelete => {
                (JobKind::TaskListener, Type::Canceling)
            }
            ListenerEvent::TaskAll | ListenerEvent::TaskTimeout => {
                (JobKind::TaskListener, Type::Unspecified)
            }
        },
    }
}

/// The headers about the user task, once more with their types.
fn user_task_of(headers: &[(Arc<str>, Arc<str>)]) -> proto::UserTaskProperties {
    let find = |name: &str| {
        let is_it = |key: &str| key.strip_prefix(RESERVED) == Some(name);
        headers.iter().find(|(key, _)| is_it(key)).map(|(_, value)| value.as_ref())
    };
    let text = |name: &str| find(name).map(str::to_owned);
    let texts = |name: &str| -> Vec<String> {
        find(name).and_then(|value| serde_json::from_str(value).ok()).unwrap_or_default()
    };
    proto::UserTaskProperties {
        action: text("action"),
        assignee: text("assignee"),
        candidate_groups: texts("candidateGroups"),
        candidate_users: texts("candidateUsers"),
        changed_attributes: texts("changedAttributes"),
        due_date: text("dueDate"),
        follow_up_date: text("followUpDate"),
        form_key: find("formKey").and_then(|key| key.parse().ok()),
        priority: find("priority").and_then(|priority| priority.parse().ok()),
        user_task_key: find("userTaskKey").and_then(|key| key.parse().ok()),
    }
}

/// The names of headers that models may not use begin with it.
const RESERVED: &str = "io.camunda.zeebe:";

/// What gives the job back, should it not reach the worker.
pub(crate) fn lock_of(job: &orloj::ActivatedJob) -> (JobKey, i32) {
    (job.key, job.attempt)
}

/// Bytes of the job as an element of an answer: its own, its length and its tag.
pub(crate) fn encoded_len_of(job: &proto::ActivatedJob) -> usize {
    let own = job.encoded_len();
    1 + prost::length_delimiter_len(own) + own
}

fn headers_json(headers: &[(std::sync::Arc<str>, std::sync::Arc<str>)]) -> String {
    let mut json = String::from("{");
    for (at, (name, value)) in headers.iter().enumerate() {
        if at > 0 {
            json.push(',');
        }
        json.push_str(&quoted(name));
        json.push(':');
        json.push_str(&quoted(value));
    }
    json.push('}');
    json
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("texts always have a JSON form")
}

/// Priorities have 64 bits in the engine and 32 here.
fn saturated(priority: i64) -> i32 {
    let bounds = i64::from(i32::MIN)..=i64::from(i32::MAX);
    i32::try_from(priority.clamp(*bounds.start(), *bounds.end())).expect("clamped to 32 bits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use orloj_types::{DefinitionKey, ElementInstanceKey, InstanceKey, TenantId, Timestamp};

    fn job() -> orloj::ActivatedJob {
        orloj::ActivatedJob {
            key: JobKey::new(11),
            job_type: "charge".into(),
            instance: InstanceKey::new(12),
            definition: DefinitionKey::new(13),
            process_id: "order".into(),
            version: 2,
            element: "pay".into(),
            element_instance: ElementInstanceKey::new(14),
            headers: [("a\"b".into(), "č\n".into()), ("n".into(), "1".into())].into(),
            worker: "anna".into(),
            retries: 3,
            deadline: Timestamp::from_ms(1_900_000_000_000),
            variables: r#"{"total":90}"#.into(),
            tenant: TenantId::none(),
            priority: i64::MAX,
            business_key: Some("o-1".into()),
            attempt: 4,
            purpose: Purpose::Element,
            tags: ["blue".into()].into(),
        }
    }

    #[test]
    fn every_field_has_its_place() {
        assert_eq!(lock_of(&job()), (JobKey::new(11), 4));
        let message = job_message(job());
        assert_eq!(message.custom_headers, r#"{"a\"b":"č\n","n":"1"}"#);
        assert_eq!(message.priority, i32::MAX);
        assert_eq!(message.listener_event_type, 6);
        assert_eq!(message.kind, 0);
        assert_eq!(message.tenant_id, "<default>");
        assert_eq!(message.business_id, "o-1");
        assert_eq!(message.deadline, 1_900_000_000_000);
        assert_eq!(message.lease_token, None);
        let keys = [
            message.key,
            message.process_instance_key,
            message.process_definition_key,
            message.element_instance_key,
        ];
        assert_eq!(keys, [11, 12, 13, 14]);
    }

    #[test]
    fn the_job_of_a_task_listener_says_what_it_hears_and_of_which_task() {
        let header = |name: &str, value: &str| (format!("{RESERVED}{name}").into(), value.into());
        let message = job_message(orloj::ActivatedJob {
            purpose: Purpose::Listener(ListenerEvent::TaskComplete),
            headers: [
                ("own".into(), "1".into()),
                header("assignee", "eva"),
                header("candidateGroups", r#"["a","b"]"#),
                header("changedAttributes", r#"["priority"]"#),
                header("dueDate", "2030-01-01T00:00:00.000Z"),
                header("userTaskKey", "2251799813685249"),
                header("priority", "70"),
            ]
            .into(),
            ..job()
        });
        assert_eq!((message.kind, message.listener_event_type), (2, 2));
        assert_eq!(message.tags, ["blue"]);
        let task = message.user_task.expect("a task listener's job tells of the task");
        assert_eq!(task.assignee.as_deref(), Some("eva"));
        assert_eq!(task.candidate_groups, ["a", "b"]);
        assert_eq!(task.changed_attributes, ["priority"]);
        assert_eq!(task.due_date.as_deref(), Some("2030-01-01T00:00:00.000Z"));
        assert_eq!((task.priority, task.user_task_key), (Some(70), Some(2_251_799_813_685_249)));
        assert_eq!((task.action, task.form_key), (None, None));
    }

    #[test]
    fn every_listener_event_has_its_number() {
        let numbers = |purpose: Purpose| {
            let (kind, event) = kind_of(&purpose);
            (kind as i32, event as i32)
        };
        assert_eq!(numbers(Purpose::Element), (0, 6));
        assert_eq!(numbers(Purpose::AdHoc), (3, 6));
        let heard = |event| numbers(Purpose::Listener(event));
        assert_eq!(heard(ListenerEvent::Start), (1, 5));
        assert_eq!(heard(ListenerEvent::End), (1, 4));
        assert_eq!(heard(ListenerEvent::TaskAssign), (2, 0));
        assert_eq!(heard(ListenerEvent::TaskCancel), (2, 1));
        assert_eq!(heard(ListenerEvent::TaskCreate), (2, 3));
        assert_eq!(heard(ListenerEvent::TaskUpdate), (2, 7));
    }

    #[test]
    fn without_headers_there_is_an_empty_object() {
        let bare = orloj::ActivatedJob { headers: [].into(), priority: i64::MIN, ..job() };
        let message = job_message(bare);
        assert_eq!(message.custom_headers, "{}");
        assert_eq!(message.priority, i32::MIN);
    }

    #[test]
    fn the_length_in_an_answer_is_exact() {
        let message = job_message(job());
        let len = encoded_len_of(&message);
        let answer = proto::ActivateJobsResponse { jobs: vec![message] };
        assert_eq!(answer.encoded_len(), len);
    }
}
