//! Instances made by a command, with or without waiting for their result.

use std::sync::Arc;
use std::time::Duration;

use orloj::{StartInstance, Started, Which};
use orloj_types::{DefinitionKey, ElementId};
use tonic::Status;

use crate::gateway::Gateway;
use crate::proto::*;
use crate::status::{self, Intent, Refusal};
use crate::wire::{
    check_tags, read_business_id, read_tenant, read_variables, tenant_shown, variables_named,
};

pub(crate) async fn create_process_instance(
    gateway: &Gateway,
    request: CreateProcessInstanceRequest,
) -> Result<CreateProcessInstanceResponse, Status> {
    gateway.is_open()?;
    let Creation { start, tags, business_id } =
        read(Intent::Create, "CreateProcessInstance", request)?;
    let started = gateway.command(Intent::Create, gateway.orloj.start(start)).await?;
    let Started { instance, definition, process_id, version, tenant } = started;
    Ok(CreateProcessInstanceResponse {
        process_definition_key: definition.raw(),
        bpmn_process_id: process_id.as_str().to_owned(),
        version,
        process_instance_key: instance.raw(),
        tenant_id: tenant_shown(&tenant),
        tags,
        business_id: business_id.as_deref().map(str::to_owned),
    })
}

pub(crate) async fn create_process_instance_with_result(
    gateway: &Gateway,
    request: CreateProcessInstanceWithResultRequest,
) -> Result<CreateProcessInstanceWithResultResponse, Status> {
    const INTENT: Intent = Intent::CreateWithAwaitingResult;
    gateway.is_open()?;
    let Some(creation) = request.request else {
        return Err(status::invalid("CreateProcessInstanceWithResult: the request is missing"));
    };
    let Creation { start, tags, business_id } =
        read(INTENT, "CreateProcessInstanceWithResult", creation)?;
    let timeout = match request.request_timeout {
        ..=0 => gateway.options.request_timeout,
        ms => Duration::from_millis(ms.unsigned_abs()),
    };
    let waited = tokio::select! {
        waited = gateway.orloj.start_and_wait(start, timeout) => waited,
        () = gateway.closing.cancelled() => return Err(status::closing()),
    };
    let finished = waited.map_err(|error| status::of(INTENT, error))?;
    let Started { instance, definition, process_id, version, tenant } = finished.started;
    if !finished.completed {
        return Err(status::cancelled_instance(instance.raw()));
    }
    Ok(CreateProcessInstanceWithResultResponse {
        process_definition_key: definition.raw(),
        bpmn_process_id: process_id.as_str().to_owned(),
        version,
        process_instance_key: instance.raw(),
        variables: variables_named(finished.variables, &request.fetch_variables).to_json(),
        tenant_id: tenant_shown(&tenant),
        tags,
        business_id: business_id.as_deref().map(str::to_owned),
    })
}

struct Creation {
    start: StartInstance,
    tags: Vec<String>,
    business_id: Option<Arc<str>>,
}

fn read(
    intent: Intent,
    rpc: &str,
    request: CreateProcessInstanceRequest,
) -> Result<Creation, Status> {
    let stops_after = read_stops(intent, request.runtime_instructions)?;
    let tenant = read_tenant(rpc, &request.tenant_id)?;
    let business_id = read_business_id(request.business_id)?;
    check_tags(intent, &request.tags)?;
    let variables = read_variables(&request.variables)?;
    let process_id = request.bpmn_process_id;
    let which = which(intent, process_id, request.version, request.process_definition_key)?;
    let instructions = request.start_instructions.into_iter();
    let start = StartInstance {
        which,
        tenant,
        business_key: business_id.clone(),
        variables,
        before: instructions.map(|instruction| instruction.element_id.into()).collect(),
        tags: request.tags.iter().map(|tag| tag.as_str().into()).collect(),
        stops_after,
    };
    Ok(Creation { start, tags: request.tags, business_id })
}

/// The elements after which the instance is to be terminated.
fn read_stops(
    intent: Intent,
    instructions: Vec<ProcessInstanceCreationRuntimeInstruction>,
) -> Result<Vec<ElementId>, Status> {
    use process_instance_creation_runtime_instruction::Instruction;
    let mut stops_after = Vec::with_capacity(instructions.len());
    for instruction in instructions {
        match instruction.instruction {
            Some(Instruction::Terminate(terminate)) if !terminate.after_element_id.is_empty() => {
                stops_after.push(terminate.after_element_id.into());
            }
            _ => {
                let reason =
                    "a runtime instruction says neither what to do nor after which element";
                return Err(status::rejected(intent, Refusal::InvalidArgument, reason));
            }
        }
    }
    Ok(stops_after)
}

/// A process id goes before a key. With an id the version counts, and only a negative one means
/// the latest: version 0 is looked for, and not found.
fn which(intent: Intent, process_id: String, version: i32, key: i64) -> Result<Which, Status> {
    Ok(match (process_id.is_empty(), version, key) {
        (false, ..0, _) => Which::Latest(process_id.into()),
        (false, version, _) => Which::Version(process_id.into(), version),
        (true, _, 0..) => Which::Definition(DefinitionKey::new(key)),
        (true, _, _) => {
            let reason = "neither a process id nor a process definition key was given";
            return Err(status::rejected(intent, Refusal::InvalidArgument, reason));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::Code;

    fn request() -> CreateProcessInstanceRequest {
        CreateProcessInstanceRequest {
            bpmn_process_id: "order".into(),
            version: -1,
            process_definition_key: -1,
            ..Default::default()
        }
    }

    fn refused(request: CreateProcessInstanceRequest) -> (Code, String) {
        let status = read(Intent::Create, "CreateProcessInstance", request).err().expect("refused");
        (status.code(), status.message().to_owned())
    }

    #[test]
    fn an_id_goes_before_a_key_and_only_negative_versions_are_the_latest() {
        let which = |id: &str, version, key| which(Intent::Create, id.into(), version, key);
        assert!(matches!(which("p", -1, 7), Ok(Which::Latest(id)) if id.as_str() == "p"));
        assert!(matches!(which("p", 0, 7), Ok(Which::Version(_, 0))));
        assert!(matches!(which("p", 3, 0), Ok(Which::Version(_, 3))));
        assert!(matches!(which("", -1, 7), Ok(Which::Definition(key)) if key.raw() == 7));
        assert!(matches!(which("", 3, 0), Ok(Which::Definition(_))));
        assert_eq!(which("", 3, -1).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn reads_variables_tags_and_business_id() {
        let creation = read(
            Intent::Create,
            "CreateProcessInstance",
            CreateProcessInstanceRequest {
                variables: r#"{"a":1}"#.into(),
                tags: vec!["blue".into()],
                business_id: Some("o-1".into()),
                tenant_id: "<default>".into(),
                ..request()
            },
        )
        .unwrap();
        assert_eq!(creation.start.variables.to_json(), r#"{"a":1}"#);
        assert_eq!(creation.start.business_key.as_deref(), Some("o-1"));
        assert_eq!(creation.tags, ["blue"]);
    }

    #[test]
    fn refuses_what_it_cannot_do() {
        let nothing = ProcessInstanceCreationRuntimeInstruction { instruction: None };
        let request_until =
            CreateProcessInstanceRequest { runtime_instructions: vec![nothing], ..request() };
        assert_eq!(refused(request_until).0, Code::InvalidArgument);
        let bad = |variables: &str| CreateProcessInstanceRequest {
            variables: variables.into(),
            ..request()
        };
        assert!(refused(bad("{a")).1.starts_with("Invalid JSON value: {a"));
        assert!(refused(bad("[]")).1.contains("root level object"));
        let other_tenant = CreateProcessInstanceRequest { tenant_id: "acme".into(), ..request() };
        assert_eq!(refused(other_tenant).0, Code::InvalidArgument);
        let tag = CreateProcessInstanceRequest { tags: vec!["1".into()], ..request() };
        assert_eq!(refused(tag).0, Code::InvalidArgument);
    }
}
