//! `POST /api/batches`: begins one.
//!
//! `kind` says what is done, the fields of that kind say how, and `keys` or `filter` to what:
//! to instances that run, to those that have ended, to jobs or to ended batches, as the kind wants.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use orloj::store::{BatchFilter, EndedFilter, InstanceFilter};
use orloj::types::{BatchKey, DefinitionKey, InstanceKey, JobKey, ProcessId, TenantId};
use orloj::{BatchElements, BatchWork, Modification, NewBatch, Orloj, Which, refused_batch};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::batches::Batch;
use crate::bulk::{Fields, rest, take};
use crate::extract::JsonBody;
use crate::failure::{Failure, RequestFault};
use crate::instance_changes::target;
use crate::instances::FilterParams;
use crate::job_filter::JobParams;
use crate::who::Who;
use crate::wire::{GivenKey, GivenTime, document, given};

pub async fn create(
    State(orloj): State<Orloj>,
    who: Who,
    JsonBody(mut fields): JsonBody<Fields>,
) -> Result<(StatusCode, Json<Batch>), Failure> {
    let kind: Option<String> = take(&mut fields, "kind")?;
    let kind = kind.ok_or_else(|| RequestFault::Body("kind is needed".to_owned()))?;
    let suspended: Option<bool> = take(&mut fields, "suspended")?;
    let tenant: Option<String> = take(&mut fields, "tenant")?;
    let keys: Option<Vec<GivenKey>> = take(&mut fields, "keys")?;
    let filter = fields.remove("filter");
    let (work, of) = work(&orloj, &kind, &fields, filter.as_deref()).await?;
    let elements = of.elements(&orloj, keys.unwrap_or_default(), filter.as_deref()).await?;
    let new = NewBatch {
        tenant: tenant.map_or_else(TenantId::none, TenantId::new),
        created_by: who.0.map(Into::into),
        suspended: suspended.unwrap_or(false),
        ..NewBatch::new(work, elements)
    };
    let view = orloj.batches().create(new).await?;
    Ok((StatusCode::CREATED, Json(Batch::from(&view))))
}

/// What the elements of a kind are.
#[derive(Clone, Copy)]
enum Of {
    Running,
    Ended,
    Jobs,
    /// Ended ones.
    Batches,
}

impl Of {
    async fn elements(
        self,
        orloj: &Orloj,
        keys: Vec<GivenKey>,
        filter: Option<&RawValue>,
    ) -> Result<BatchElements, Failure> {
        if keys.is_empty() && filter.is_none() {
            let reason = "keys or filter is needed; an empty filter takes all";
            return Err(RequestFault::Body(reason.to_owned()).into());
        }
        let keys = keys.into_iter().map(|key| key.0);
        if let Self::Jobs = self {
            let filter: Option<JobParams> = read("filter", filter)?;
            return Ok(BatchElements::Jobs {
                keys: keys.map(JobKey::new).collect(),
                filter: match filter {
                    Some(filter) => Some(filter.chosen(orloj).await?.alone()?),
                    None => None,
                },
            });
        }
        if let Self::Batches = self {
            let filter: Option<BatchParams> = read("filter", filter)?;
            return Ok(BatchElements::Batches {
                keys: keys.map(BatchKey::new).collect(),
                filter: filter.map(BatchParams::filter),
            });
        }
        let filter: Option<FilterParams> = read("filter", filter)?;
        let query = match self {
            Self::Ended => filter.map(FilterParams::query),
            Self::Running | Self::Jobs | Self::Batches => filter.map(FilterParams::running),
        };
        let query = query.transpose()?;
        if query.as_ref().is_some_and(|query| query.suspended.is_some()) {
            let reason = "suspended: elements of a batch are not chosen by it; name their keys";
            return Err(RequestFault::Body(reason.to_owned()).into());
        }
        let keys = keys.map(InstanceKey::new).collect();
        Ok(match self {
            Self::Ended => BatchElements::Ended {
                keys,
                filter: query.map(|query| EndedFilter {
                    definition: query.definition,
                    process_id: query.process_id,
                    tenant: query.tenant,
                    business_key: query.business_key,
                    ..EndedFilter::default()
                }),
            },
            Self::Running | Self::Jobs | Self::Batches => BatchElements::Instances {
                keys,
                filter: query.map(|query| InstanceFilter {
                    definition: query.definition,
                    process_id: query.process_id,
                    tenant: query.tenant,
                    business_key: query.business_key,
                    has_incidents: query.has_incidents,
                }),
            },
        })
    }
}

fn read<T: for<'a> Deserialize<'a>>(
    name: &str,
    raw: Option<&RawValue>,
) -> Result<Option<T>, RequestFault> {
    let read = |raw: &RawValue| serde_json::from_str(raw.get());
    raw.map(read).transpose().map_err(|error| RequestFault::Body(format!("{name}: {error}")))
}

async fn work(
    orloj: &Orloj,
    kind: &str,
    fields: &Fields,
    filter: Option<&RawValue>,
) -> Result<(BatchWork, Of), Failure> {
    Ok(match kind {
        "instance-migration" => {
            let whose: Option<Whose> = read("filter", filter)?;
            let tenant = whose.and_then(|whose| whose.tenant);
            let tenant = tenant.map(TenantId::new).unwrap_or_default();
            (migration(orloj, rest(fields)?, tenant).await?, Of::Running)
        }
        "instance-modification" => (modification(rest(fields)?)?, Of::Running),
        "instance-restart" => {
            let body: RestartBody = rest(fields)?;
            let work = BatchWork::InstanceRestart {
                definition: body.definition.0,
                before: body.before,
                with_business_key: !body.without_business_key,
            };
            (work, Of::Ended)
        }
        "instance-deletion" => {
            let body: DeletionBody = rest(fields)?;
            let without_listeners = body.without_listeners;
            (BatchWork::InstanceDeletion { without_listeners }, Of::Running)
        }
        "instance-update-suspension-state" => {
            let body: SuspensionBody = rest(fields)?;
            let suspended = body.suspend;
            (BatchWork::InstanceUpdateSuspensionState { suspended }, Of::Running)
        }
        "set-job-retries" => {
            let body: RetriesBody = rest(fields)?;
            let due_ms = body.due_at.map(|due| due.map(|at| at.0.as_ms()));
            (BatchWork::SetJobRetries { retries: body.retries, due_ms }, Of::Jobs)
        }
        "set-external-task-retries" => {
            let body: TaskRetriesBody = rest(fields)?;
            (BatchWork::SetExternalTaskRetries { retries: body.retries }, Of::Jobs)
        }
        "set-variables" => {
            let body: VariablesBody = rest(fields)?;
            let variables = variables(Some(&*body.variables))?;
            (BatchWork::SetVariables { variables }, Of::Running)
        }
        "correlate-message" => {
            let body: MessageBody = rest(fields)?;
            let variables = variables(body.variables.as_deref())?;
            (BatchWork::CorrelateMessage { name: body.name, variables }, Of::Running)
        }
        "historic-instance-deletion" => {
            let NoBody {} = rest(fields)?;
            (BatchWork::HistoricInstanceDeletion, Of::Ended)
        }
        "process-set-removal-time" => {
            let body: RemovalBody = rest(fields)?;
            let at_ms = body.at.map(|at| at.0.as_ms());
            (BatchWork::ProcessSetRemovalTime { at_ms }, Of::Ended)
        }
        "batch-set-removal-time" => {
            let body: RemovalBody = rest(fields)?;
            let at_ms = body.at.map(|at| at.0.as_ms());
            (BatchWork::BatchSetRemovalTime { at_ms }, Of::Batches)
        }
        _ => {
            if let Some(reason) = refused_batch(kind) {
                return Err(RequestFault::Body(format!("kind {kind}: {reason}")).into());
            }
            let kinds = KINDS.join(", ");
            let reason = format!("kind must be one of {kinds}, not '{kind}'");
            return Err(RequestFault::Body(reason).into());
        }
    })
}

const KINDS: [&str; 12] = [
    "instance-migration",
    "instance-modification",
    "instance-restart",
    "instance-deletion",
    "instance-update-suspension-state",
    "set-job-retries",
    "set-external-task-retries",
    "set-variables",
    "correlate-message",
    "historic-instance-deletion",
    "process-set-removal-time",
    "batch-set-removal-time",
];

async fn migration(
    orloj: &Orloj,
    body: MigrationBody,
    tenant: TenantId,
) -> Result<BatchWork, Failure> {
    let definition = match target(body.process, body.version, body.definition)? {
        Which::Definition(key) => orloj.definitions().get(key).await?.key,
        Which::Latest(process) => definition_of(orloj, process, None, tenant).await?,
        Which::Version(process, version) => {
            definition_of(orloj, process, Some(version), tenant).await?
        }
    };
    let plan = body.plan.into_iter().collect();
    Ok(BatchWork::InstanceMigration { definition: definition.raw(), plan })
}

async fn definition_of(
    orloj: &Orloj,
    process: ProcessId,
    version: Option<i32>,
    tenant: TenantId,
) -> Result<DefinitionKey, Failure> {
    let query = orloj::DefinitionFilter {
        process_id: Some(process.clone()),
        tenant: Some(tenant),
        version,
        ..orloj::DefinitionFilter::default()
    };
    let found = orloj.definitions().query(&query).await?;
    let found = found.iter().max_by_key(|view| view.version).ok_or_else(|| {
        let process_id = process.as_str().into();
        orloj::Error::Missing(match version {
            Some(version) => orloj::Missing::Version { process_id, version },
            None => orloj::Missing::Process(process_id),
        })
    })?;
    Ok(found.key)
}

fn modification(body: ModificationBody) -> Result<BatchWork, Failure> {
    let variables = variables(body.variables.as_deref())?;
    let before = body.activate.into_iter().map(|element| Modification::StartBefore {
        element,
        variables: variables.clone(),
        locals: String::new(),
    });
    let after = body.activate_after.into_iter().map(|element| Modification::StartAfter {
        element,
        variables: variables.clone(),
        locals: String::new(),
    });
    let on = body.activate_flow.into_iter().map(|flow| Modification::StartTransition {
        flow,
        variables: variables.clone(),
        locals: String::new(),
    });
    let ended = body.terminate_all.into_iter().map(|element| Modification::CancelAll { element });
    let instructions = before.chain(after).chain(on).chain(ended).collect();
    Ok(BatchWork::InstanceModification { instructions })
}

/// Checked here, so that a mistake does not wait for the first part.
fn variables(raw: Option<&RawValue>) -> Result<String, Failure> {
    let document = document(raw).map_err(orloj::Error::Variables)?;
    Ok(document.to_json())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BatchParams {
    kind: Option<String>,
    tenant: Option<String>,
}

impl BatchParams {
    fn filter(self) -> BatchFilter {
        BatchFilter {
            kind: self.kind.map(Into::into),
            tenant: self.tenant.map(TenantId::new),
            suspended: None,
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoBody {}

/// Of the filter, whose other fields are read elsewhere: instances of a tenant go on as ones of a
/// process of that tenant.
#[derive(Deserialize)]
struct Whose {
    tenant: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MigrationBody {
    process: Option<String>,
    version: Option<i32>,
    /// Instead of the two.
    definition: Option<GivenKey>,
    #[serde(default)]
    plan: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ModificationBody {
    #[serde(default)]
    activate: Vec<String>,
    #[serde(default)]
    activate_after: Vec<String>,
    #[serde(default)]
    activate_flow: Vec<String>,
    #[serde(default)]
    terminate_all: Vec<String>,
    variables: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RestartBody {
    /// Of which the new ones are.
    definition: GivenKey,
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    without_business_key: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DeletionBody {
    #[serde(default)]
    without_listeners: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SuspensionBody {
    /// Or let them go on.
    suspend: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RetriesBody {
    retries: i32,
    #[serde(default, deserialize_with = "given")]
    due_at: Option<Option<GivenTime>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskRetriesBody {
    retries: i32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VariablesBody {
    variables: Box<RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageBody {
    name: String,
    variables: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RemovalBody {
    /// Null: they are kept.
    at: Option<GivenTime>,
}
