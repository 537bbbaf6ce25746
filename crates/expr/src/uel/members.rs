//! What the execution, the task and what is reached from them can be asked for, by engine.
//!
//! Methods without parameters by their name; a property is the method with `get` or `is` before
//! it. Observed on both engines: what one of them does not have fails there, and so it does here.

use super::host::{Holder, Profile};

/// What such a method gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Member {
    /// What the host knows by this name.
    Fact(&'static str),
    /// Null where there is none.
    Parent,
    Holder(Holder),
    /// Nothing that could be told is kept here.
    Null,
    No,
    Word(&'static str),
    /// Of the variables: all, or the holder's own.
    Variables(Whose),
    VariableNames(Whose),
    HasVariables(Whose),
    /// What ends with the command is no variable of its own here.
    NoVariables,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    All,
    Own,
}

type Members = &'static [(&'static str, Member)];

pub(super) fn find(profile: Profile, holder: Holder, method: &str) -> Option<Member> {
    let tables: [Members; 3] = match (profile, holder) {
        (
            Profile::Camunda,
            Holder::Execution | Holder::Ancestor(_) | Holder::Instance | Holder::Caller,
        ) => [EXECUTION, CAMUNDA_EXECUTION, VARIABLES],
        (
            Profile::Flowable,
            Holder::Execution | Holder::Ancestor(_) | Holder::Instance | Holder::Caller,
        ) => [EXECUTION, FLOWABLE_EXECUTION, VARIABLES],
        (Profile::Camunda, Holder::Task) => [TASK, CAMUNDA_TASK, VARIABLES],
        (Profile::Flowable, Holder::Task) => [TASK, FLOWABLE_TASK, VARIABLES],
        (_, Holder::ExternalTask) => [EXTERNAL_TASK, &[], &[]],
        (_, Holder::Element) => [ELEMENT, &[], &[]],
        (_, Holder::Definition) => [DEFINITION, &[], &[]],
    };
    let mut all = tables.into_iter().flatten();
    all.find(|(name, _)| *name == method).map(|(_, member)| *member)
}

use Member::{Fact, No, Null};

const VARIABLES: Members = &[
    ("getVariables", Member::Variables(Whose::All)),
    ("getVariablesLocal", Member::Variables(Whose::Own)),
    ("getVariableNames", Member::VariableNames(Whose::All)),
    ("getVariableNamesLocal", Member::VariableNames(Whose::Own)),
    ("hasVariables", Member::HasVariables(Whose::All)),
    ("hasVariablesLocal", Member::HasVariables(Whose::Own)),
];

/// Of both engines.
const EXECUTION: Members = &[
    ("getId", Fact("id")),
    ("getActivityId", Fact("currentActivityId")),
    ("getCurrentActivityId", Fact("currentActivityId")),
    ("getCurrentActivityName", Fact("currentActivityName")),
    ("getEventName", Fact("eventName")),
    ("getProcessDefinitionId", Fact("processDefinitionId")),
    ("getProcessDefinitionKey", Fact("processDefinitionKey")),
    ("getProcessInstanceId", Fact("processInstanceId")),
    ("getRootProcessInstanceId", Fact("rootProcessInstanceId")),
    ("getTenantId", Fact("tenantId")),
    ("getParentId", Fact("parentId")),
    ("getSuperExecutionId", Fact("superExecutionId")),
    ("isActive", Fact("active")),
    ("isEnded", No),
    ("isSuspended", Fact("suspended")),
    ("isScope", Fact("scope")),
    ("isEventScope", No),
    ("getSubProcessInstance", Null),
    ("getDeleteReason", Null),
    ("getParent", Member::Parent),
    ("getProcessInstance", Member::Holder(Holder::Instance)),
    ("getSuperExecution", Member::Holder(Holder::Caller)),
];

const CAMUNDA_EXECUTION: Members = &[
    ("getActivityInstanceId", Fact("activityInstanceId")),
    ("getParentActivityInstanceId", Fact("parentActivityInstanceId")),
    ("getCurrentTransitionId", Fact("currentTransitionId")),
    ("getBusinessKey", Fact("businessKey")),
    ("getProcessBusinessKey", Fact("businessKey")),
    ("isCanceled", Fact("canceled")),
    ("isConcurrent", Fact("concurrent")),
    ("isProcessInstanceExecution", Fact("processInstanceType")),
    ("isStarting", No),
    ("isRemoved", No),
    ("getVariableScopeKey", Member::Word("execution")),
    ("getCaseInstanceId", Null),
    ("getSuperCaseExecutionId", Null),
    ("getSuperCaseExecution", Null),
    ("getSubCaseInstance", Null),
    ("getReplacedBy", Null),
    ("getRestartedProcessInstanceId", Null),
    ("getBpmnModelElementInstance", Member::Holder(Holder::Element)),
    ("getProcessDefinition", Member::Holder(Holder::Definition)),
];

const FLOWABLE_EXECUTION: Members = &[
    ("getActivityName", Fact("currentActivityName")),
    ("getBusinessKey", Fact("ownBusinessKey")),
    ("getProcessInstanceBusinessKey", Fact("businessKey")),
    ("getProcessDefinitionName", Fact("processDefinitionName")),
    ("getStartTime", Fact("startTime")),
    ("getIsActive", Fact("active")),
    ("getIsEnded", No),
    ("getIsScope", Fact("scope")),
    ("isConcurrent", No),
    ("getIsConcurrent", No),
    ("getIsEventScope", No),
    ("isMultiInstanceRoot", Fact("multiInstanceRoot")),
    ("getIsMultiInstanceRoot", Fact("multiInstanceRoot")),
    ("isProcessInstanceType", Fact("processInstanceType")),
    ("isDeleted", No),
    ("getName", Null),
    ("getDescription", Null),
    ("getLocalizedName", Null),
    ("getLocalizedDescription", Null),
    ("getBusinessStatus", Null),
    ("getProcessInstanceBusinessStatus", Null),
    ("getStartUserId", Null),
    ("getStartActivityId", Null),
    ("getLockOwner", Null),
    ("getLockTime", Null),
    ("getCallbackId", Null),
    ("getCallbackType", Null),
    ("getReferenceId", Null),
    ("getReferenceType", Null),
    ("getPropagatedStageInstanceId", Null),
    ("getTransientVariables", Member::NoVariables),
    ("getTransientVariablesLocal", Member::NoVariables),
    ("getProcessVariables", Member::NoVariables),
    ("getCurrentFlowElement", Member::Holder(Holder::Element)),
];

/// Of both engines.
const TASK: Members = &[
    ("getId", Fact("id")),
    ("getName", Fact("name")),
    ("getDescription", Fact("description")),
    ("getPriority", Fact("priority")),
    ("getAssignee", Fact("assignee")),
    ("getOwner", Fact("owner")),
    ("getCreateTime", Fact("createTime")),
    ("getDueDate", Fact("dueDate")),
    ("getCandidates", Fact("candidates")),
    ("getEventName", Fact("eventName")),
    ("getTaskDefinitionKey", Fact("taskDefinitionKey")),
    ("getExecutionId", Fact("executionId")),
    ("getProcessInstanceId", Fact("processInstanceId")),
    ("getProcessDefinitionId", Fact("processDefinitionId")),
    ("getTenantId", Fact("tenantId")),
    ("isSuspended", Fact("suspended")),
    ("isDeleted", No),
    ("getDelegationState", Null),
    ("getDelegationStateString", Null),
    ("getParentTaskId", Null),
];

const CAMUNDA_TASK: Members = &[
    ("getFollowUpDate", Fact("followUpDate")),
    ("isStandaloneTask", No),
    ("getVariableScopeKey", Member::Word("task")),
    ("getCaseInstanceId", Null),
    ("getCaseExecutionId", Null),
    ("getCaseDefinitionId", Null),
    ("getCaseExecution", Null),
    ("getDeleteReason", Null),
    ("getParentTask", Null),
    ("getLastUpdated", Null),
    ("getExecution", Member::Holder(Holder::Execution)),
    ("getProcessInstance", Member::Holder(Holder::Instance)),
    ("getProcessDefinition", Member::Holder(Holder::Definition)),
    ("getBpmnModelElementInstance", Member::Holder(Holder::Element)),
];

const FLOWABLE_TASK: Members = &[
    ("getOriginalAssignee", Fact("assignee")),
    ("getCategory", Fact("category")),
    ("getFormKey", Fact("formKey")),
    ("isCanceled", No),
    ("getState", Member::Word("created")),
    ("getTaskDefinitionId", Null),
    ("getClaimTime", Null),
    ("getClaimedBy", Null),
    ("getInProgressStartTime", Null),
    ("getInProgressStartedBy", Null),
    ("getInProgressStartDueDate", Null),
    ("getSuspendedTime", Null),
    ("getSuspendedBy", Null),
    ("getScopeId", Null),
    ("getScopeType", Null),
    ("getSubScopeId", Null),
    ("getScopeDefinitionId", Null),
    ("getLocalizedName", Null),
    ("getLocalizedDescription", Null),
    ("getPropagatedStageInstanceId", Null),
    ("getProcessVariables", Member::NoVariables),
    ("getTaskLocalVariables", Member::NoVariables),
    ("getTransientVariables", Member::NoVariables),
    ("getTransientVariablesLocal", Member::NoVariables),
];

const EXTERNAL_TASK: Members = &[
    ("getId", Fact("id")),
    ("getActivityId", Fact("activityId")),
    ("getErrorMessage", Fact("errorMessage")),
    ("getActivityInstanceId", Fact("activityInstanceId")),
    ("getExecutionId", Fact("executionId")),
    ("getBusinessKey", Fact("businessKey")),
    ("getProcessInstanceId", Fact("processInstanceId")),
    ("getProcessDefinitionId", Fact("processDefinitionId")),
    ("getProcessDefinitionKey", Fact("processDefinitionKey")),
    ("getTenantId", Fact("tenantId")),
    ("getRetries", Fact("retries")),
    ("getErrorDetails", Fact("errorDetails")),
    ("getWorkerId", Fact("workerId")),
    ("getTopicName", Fact("topicName")),
    ("getPriority", Fact("priority")),
    ("getSuspensionState", Fact("suspensionState")),
    ("getExtensionProperties", Fact("extensionProperties")),
];

const ELEMENT: Members = &[("getId", Fact("id")), ("getName", Fact("name"))];

const DEFINITION: Members = &[
    ("getId", Fact("id")),
    ("getKey", Fact("key")),
    ("getName", Fact("name")),
    ("getTenantId", Fact("tenantId")),
];
