//! What a worker says about a job besides variables.

use orloj::{AdHocResult, Corrections, UserTaskResult};
use tonic::Status;

use super::read_variables;
use crate::proto::*;
use crate::status::{self, Intent, Refusal};

/// The result of a listener of a user task, where nothing is said.
const USER_TASK: &str = "userTask";
const AD_HOC: &str = "adHocSubProcess";

pub(crate) fn read_result(result: Option<JobResult>) -> Result<orloj::JobResult, Status> {
    let Some(result) = result else { return Ok(orloj::JobResult::None) };
    match result.r#type.as_deref().unwrap_or_default() {
        "" | USER_TASK => Ok(orloj::JobResult::UserTask(UserTaskResult {
            is_denied: result.denied.unwrap_or_default(),
            reason: result.denied_reason.filter(|reason| !reason.is_empty()).map(Into::into),
            corrections: result.corrections.map(corrections).unwrap_or_default(),
        })),
        AD_HOC => {
            let mut activate = Vec::with_capacity(result.activate_elements.len());
            for element in result.activate_elements {
                let variables = read_variables(&element.variables)?;
                activate.push((element.element_id.as_str().into(), variables));
            }
            Ok(orloj::JobResult::AdHoc(AdHocResult {
                activate,
                is_fulfilled: result.is_completion_condition_fulfilled.unwrap_or_default(),
                cancels_rest: result.is_cancel_remaining_instances.unwrap_or_default(),
            }))
        }
        other => {
            let reason =
                format!("the result is of type '{other}', not '{USER_TASK}' or '{AD_HOC}'");
            Err(status::rejected(Intent::Complete, Refusal::InvalidArgument, &reason))
        }
    }
}

fn corrections(corrections: JobResultCorrections) -> Corrections {
    let names = |list: StringList| list.values.into_iter().map(Into::into).collect();
    Corrections {
        assignee: corrections.assignee.map(Into::into),
        due_date: corrections.due_date.map(Into::into),
        follow_up_date: corrections.follow_up_date.map(Into::into),
        candidate_users: corrections.candidate_users.map(names),
        candidate_groups: corrections.candidate_groups.map(names),
        priority: corrections.priority.map(i64::from),
    }
}
