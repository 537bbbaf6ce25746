//! A job on its way to a worker.

use orloj_types::JobKey;
use prost::Message;

use crate::proto;
use crate::wire::tenant_shown;

/// Zeebe's name for the only physical tenant there is.
const PHYSICAL_TENANT: &str = "default";

pub(crate) fn job_message(job: orloj::ActivatedJob) -> proto::ActivatedJob {
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
        user_task: None,
        kind: proto::activated_job::JobKind::BpmnElement.into(),
        listener_event_type: proto::activated_job::ListenerEventType::Unspecified.into(),
        tags: Vec::new(),
        priority: saturated(job.priority),
        business_id: job.business_key.as_deref().unwrap_or_default().to_owned(),
        lease_token: None,
        physical_tenant_id: PHYSICAL_TENANT.to_owned(),
    }
}

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
