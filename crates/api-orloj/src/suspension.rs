//! Suspending and resuming definitions and job definitions, now or later.

use axum::Json;
use axum::extract::State;
use orloj::types::TenantId;
use orloj::{
    Error, JobDefinitionScope, Orloj, SuspendDefinition, SuspendJobs, Suspended, WhichDefinitions,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::extract::{JsonBody, PathKey};
use crate::failure::{Failure, RequestFault};
use crate::who::Who;
use crate::wire::Key;
use crate::{definitions, job_definitions};

/// The body of such a request.
pub trait SuspendBody: DeserializeOwned + Send + 'static {
    /// `key`: the one in the path; without one the body says which.
    fn order(self, key: Option<i64>) -> Result<Order, RequestFault>;
}

/// What is to be suspended or resumed, and how.
pub enum Order {
    Definitions(WhichDefinitions, SuspendDefinition),
    JobDefinitions(JobDefinitionScope, SuspendJobs),
}

/// Of which tenant a process is meant; `None`: of every one.
pub fn tenant(name: Option<String>, without: bool) -> Result<Option<TenantId>, RequestFault> {
    match (name, without) {
        (Some(_), true) => {
            Err(RequestFault::Body("tenant and withoutTenant do not go together".to_owned()))
        }
        (None, true) => Ok(Some(TenantId::none())),
        (name, false) => Ok(name.map(TenantId::new)),
    }
}

pub async fn suspend<B: SuspendBody>(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<B>,
) -> Result<Json<Suspension>, Failure> {
    Ok(Json(body.order(Some(key))?.give(&orloj, &who, true).await?.into()))
}

pub async fn resume<B: SuspendBody>(
    State(orloj): State<Orloj>,
    who: Who,
    PathKey(key): PathKey,
    JsonBody(body): JsonBody<B>,
) -> Result<Json<Suspension>, Failure> {
    Ok(Json(body.order(Some(key))?.give(&orloj, &who, false).await?.into()))
}

pub async fn suspend_many<B: SuspendBody>(
    State(orloj): State<Orloj>,
    who: Who,
    JsonBody(body): JsonBody<B>,
) -> Result<Json<Suspension>, Failure> {
    Ok(Json(body.order(None)?.give(&orloj, &who, true).await?.into()))
}

pub async fn resume_many<B: SuspendBody>(
    State(orloj): State<Orloj>,
    who: Who,
    JsonBody(body): JsonBody<B>,
) -> Result<Json<Suspension>, Failure> {
    Ok(Json(body.order(None)?.give(&orloj, &who, false).await?.into()))
}

impl Order {
    async fn give(self, orloj: &Orloj, who: &Who, suspended: bool) -> Result<Suspended, Error> {
        match self {
            Self::Definitions(which, how) => {
                let definitions = definitions::of(orloj, who);
                match suspended {
                    true => definitions.suspend(&which, how).await,
                    false => definitions.activate(&which, how).await,
                }
            }
            Self::JobDefinitions(scope, how) => {
                let definitions = job_definitions::of(orloj, who);
                match suspended {
                    true => definitions.suspend(&scope, how).await,
                    false => definitions.activate(&scope, how).await,
                }
            }
        }
    }
}

#[derive(Serialize)]
pub struct Suspension {
    /// How many definitions, instances and jobs it changed; null: it is still to come.
    affected: Option<u64>,
    /// The job that will do it at the moment asked for.
    job: Option<Key>,
}

impl From<Suspended> for Suspension {
    fn from(suspended: Suspended) -> Self {
        match suspended {
            Suspended::Done { affected } => Self { affected: Some(affected), job: None },
            Suspended::Scheduled(job) => Self { affected: None, job: Some(Key(job.raw())) },
        }
    }
}
