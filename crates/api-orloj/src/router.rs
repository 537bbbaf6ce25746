//! Which path leads where.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use orloj::Orloj;

use crate::failure::RequestFault;
use crate::request_metrics::RequestMetrics;
use crate::suspension::SuspendBody;
use crate::{
    batch_create, batches, definitions, deployment_listing, deployments, executor, guard, history,
    incidents, instance_changes, instance_commands, instances, job_commands, job_definitions, jobs,
    limits, messages, meters, nodes, suspension, user_tasks, watch,
};

/// Largest body taken. The largest thing sent is a model, and the parser takes 4 MiB.
pub const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Several files together, and what JSON adds to them. Each is still limited by the parser.
pub const DEPLOYMENT_BYTES_MAX: usize = 4 * BODY_BYTES_MAX;

/// All paths of the API, answered by `orloj`.
pub fn router(orloj: Orloj) -> Router {
    let metrics = RequestMetrics::register(&orloj);
    Router::new()
        .merge(of_instances())
        .merge(of_jobs())
        .merge(of_models())
        .merge(of_nodes())
        .merge(of_history())
        .route("/api/element-instances/{key}/variables", post(instance_changes::set_variables))
        .route("/api/element-instances/{key}/trigger", post(instance_changes::trigger))
        .route("/api/messages", post(messages::publish))
        .route("/api/messages/correlate", post(messages::correlate))
        .route("/api/signals", post(messages::broadcast))
        .route("/api/user-tasks", get(user_tasks::list))
        .route("/api/user-tasks/{key}/complete", post(user_tasks::complete))
        .route("/health", get(watch::health))
        .route("/ready", get(watch::ready))
        .route("/metrics", get(watch::metrics))
        .fallback(async || RequestFault::NoSuchPath)
        .method_not_allowed_fallback(async || RequestFault::NoSuchMethod)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .layer(middleware::from_fn(guard::refuse_cross_site))
        .layer(middleware::from_fn_with_state(metrics, RequestMetrics::count))
        .with_state(orloj)
}

fn of_instances() -> Router<Orloj> {
    use instance_changes::ModifyBody;
    use instance_commands::{Cancel, Delete, Resume, Suspend, many, one};
    Router::new()
        .route("/api/instances", get(instances::list).post(instances::start))
        .route("/api/instances/count", get(instances::count))
        .route("/api/instances/cancel", post(many::<Cancel>))
        .route("/api/instances/suspend", post(many::<Suspend>))
        .route("/api/instances/resume", post(many::<Resume>))
        .route("/api/instances/delete", post(many::<Delete>))
        .route("/api/instances/restart", post(instance_commands::restart_many))
        .route("/api/instances/{key}", get(instances::show))
        .route("/api/instances/{key}/cancel", post(one::<Cancel>))
        .route("/api/instances/{key}/suspend", post(one::<Suspend>))
        .route("/api/instances/{key}/resume", post(one::<Resume>))
        .route("/api/instances/{key}/delete", post(one::<Delete>))
        .route("/api/instances/{key}/restart", post(instance_commands::restart))
        .route("/api/instances/{key}/modify", post(one::<ModifyBody>))
        .route("/api/instances/{key}/migrate", post(instance_changes::migrate))
        .route("/api/instances/{key}/ask-conditions", post(instance_changes::ask_conditions))
        .route(
            "/api/instances/{key}/variables",
            get(instances::show_variables).post(instance_changes::set_variables),
        )
        .route("/api/incidents", get(incidents::list).post(incidents::create))
        .route("/api/incidents/count", get(incidents::count))
        .route("/api/incidents/resolve", post(incidents::resolve_many))
        .route("/api/incidents/{key}", get(incidents::show))
        .route("/api/incidents/{key}/resolve", post(incidents::resolve))
        .route("/api/incidents/{key}/annotation", post(incidents::annotate))
}

fn of_jobs() -> Router<Orloj> {
    use job_commands::{
        Bury, Delete, Execute, Fire, NewTimer, Recalculate, Resume, Revive, SetDueDate,
        SetPriority, SetRetries, Suspend, Unlock,
    };
    Router::new()
        .route("/api/jobs", get(jobs::list))
        .route("/api/jobs/count", get(jobs::count))
        .route("/api/jobs/by-correlation-id", get(jobs::by_correlation_id))
        .route("/api/jobs/{key}", get(jobs::show))
        .route("/api/jobs/{key}/explain", get(jobs::explain))
        .route("/api/jobs/{key}/stack-trace", get(jobs::stack_trace))
        .merge(job_command::<SetRetries>("retries"))
        .merge(job_command::<SetDueDate>("due"))
        .merge(job_command::<Recalculate>("recalculate"))
        .merge(job_command::<SetPriority>("priority"))
        .merge(job_command::<Suspend>("suspend"))
        .merge(job_command::<Resume>("resume"))
        .merge(job_command::<Execute>("execute"))
        .merge(job_command::<Delete>("delete"))
        .merge(job_command::<Bury>("bury"))
        .merge(job_command::<Revive>("revive"))
        .merge(job_command::<Fire>("fire"))
        .route("/api/jobs/reschedule", post(job_commands::many::<NewTimer>))
        .route("/api/jobs/{key}/reschedule", post(job_commands::reschedule))
        .merge(job_command::<Unlock>("unlock"))
        .route("/api/job-definitions", get(job_definitions::list))
        .route("/api/job-definitions/count", get(job_definitions::count))
        .route("/api/job-definitions/{key}", get(job_definitions::show))
        .merge(suspension_of::<job_definitions::SuspendBody>("/api/job-definitions"))
        .merge(definition_command::<job_definitions::SetPriority>("priority"))
        .merge(definition_command::<job_definitions::ClearPriority>("clear-priority"))
        .merge(definition_command::<job_definitions::SetRetries>("retries"))
        .route("/api/batches", get(batches::list).post(batch_create::create))
        .route("/api/batches/{key}", get(batches::show))
        .route("/api/batches/{key}/suspend", post(batches::suspend))
        .route("/api/batches/{key}/resume", post(batches::resume))
        .route("/api/batches/{key}/delete", post(batches::delete))
        .route("/api/limits", get(limits::list).post(limits::set))
        .route("/api/limits/delete", post(limits::delete))
}

/// The same for one and for many.
fn job_command<C: job_commands::JobCommand>(verb: &str) -> Router<Orloj> {
    Router::new()
        .route(&format!("/api/jobs/{verb}"), post(job_commands::many::<C>))
        .route(&format!("/api/jobs/{{key}}/{verb}"), post(job_commands::one::<C>))
}

fn definition_command<C: job_definitions::DefinitionCommand>(verb: &str) -> Router<Orloj> {
    let path = "/api/job-definitions";
    Router::new()
        .route(&format!("{path}/{verb}"), post(job_definitions::many::<C>))
        .route(&format!("{path}/{{key}}/{verb}"), post(job_definitions::one::<C>))
}

fn suspension_of<B: SuspendBody>(path: &str) -> Router<Orloj> {
    use suspension::{resume, resume_many, suspend, suspend_many};
    Router::new()
        .route(&format!("{path}/suspend"), post(suspend_many::<B>))
        .route(&format!("{path}/resume"), post(resume_many::<B>))
        .route(&format!("{path}/{{key}}/suspend"), post(suspend::<B>))
        .route(&format!("{path}/{{key}}/resume"), post(resume::<B>))
}

fn of_models() -> Router<Orloj> {
    let deploy = post(deployments::deploy).layer(DefaultBodyLimit::max(DEPLOYMENT_BYTES_MAX));
    Router::new()
        .route("/api/definitions", get(definitions::list))
        .merge(suspension_of::<definitions::SuspendBody>("/api/definitions"))
        .route("/api/definitions/{key}", get(definitions::show))
        .route("/api/definitions/{key}/xml", get(definitions::xml))
        .route("/api/definitions/{key}/delete", post(definitions::delete))
        .route("/api/deployments", deploy.get(deployment_listing::list))
        .route("/api/deployments/registered", get(deployment_listing::registered))
        .route("/api/deployments/{key}", get(deployment_listing::show))
        .route("/api/deployments/{key}/delete", post(deployment_listing::delete))
        .route("/api/deployments/{key}/set-tenant", post(deployment_listing::set_tenant))
        .route("/api/deployments/{key}/register", post(deployment_listing::register))
        .route("/api/deployments/{key}/unregister", post(deployment_listing::unregister))
}

fn of_nodes() -> Router<Orloj> {
    Router::new()
        .route("/api/nodes", get(nodes::list))
        .route("/api/executor", get(executor::show))
        .route("/api/executor/start", post(executor::start))
        .route("/api/executor/stop", post(executor::stop))
        .route("/api/executor/close-breaker", post(executor::close_breaker))
        .route("/api/meters", get(meters::list))
}

fn of_history() -> Router<Orloj> {
    Router::new()
        .route("/api/history/instances", get(history::instances))
        .route("/api/history/activities", get(history::activities))
        .route("/api/history/variables", get(history::variables))
        .route("/api/history/variable-updates", get(history::variable_updates))
        .route("/api/history/tasks", get(history::tasks))
        .route("/api/history/jobs", get(history::jobs))
        .route("/api/history/incidents", get(history::incidents))
        .route("/api/history/operations", get(history::operations))
        .route("/api/history/clean-up", get(history::clean_up).post(history::begin_clean_up))
}
