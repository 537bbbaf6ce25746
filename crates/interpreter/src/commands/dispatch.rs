//! From a command to its file.

use super::{
    ask_conditions, cancel, complete_job, complete_user_task, execute_job, fail_job,
    incident_by_hand, job_due, manage_job, migrate, modify, overtake, resolve_incident, run_job,
    set_variables, start, suspend, throw_error, trigger, update_retries,
};
use crate::command::Command;
use crate::failure::Stop;
use crate::turn::Turn;

pub(crate) fn begin(turn: &mut Turn<'_>) -> Result<(), Stop> {
    if let Some(rejection) = suspend::refuses(turn) {
        return Err(rejection.into());
    }
    match turn.command {
        Command::Start(start) => start::start(turn, start),
        Command::RunJob { job } => run_job::run_job(turn, *job),
        Command::JobDue { job, at_once } => job_due::job_due(turn, *job, *at_once),
        Command::CompleteJob { job, variables, result, activations } => {
            complete_job::complete_job(turn, *job, variables, result, activations)
        }
        Command::FailJob(fail) => fail_job::fail_job(turn, fail),
        Command::ThrowError(throw) => throw_error::throw_error(turn, throw),
        Command::UpdateRetries { job, retries } => {
            update_retries::update_retries(turn, *job, *retries)
        }
        Command::HoldBackJob { job, message, activations } => {
            fail_job::hold_back_job(turn, *job, message, activations)
        }
        Command::ManageJob { job, what, failure } => {
            manage_job::manage_job(turn, *job, what, failure.as_ref())
        }
        Command::SuspendJobs { jobs } => suspend::suspend_jobs(turn, jobs),
        Command::ResumeJobs { jobs } => suspend::resume_jobs(turn, jobs),
        Command::SuspendJobsOf { definition, jobs, suspended } => {
            let jobs = suspend::of_definition(turn, jobs, definition)?;
            match suspended {
                true => suspend::suspend_jobs(turn, &jobs),
                false => suspend::resume_jobs(turn, &jobs),
            }
        }
        Command::Overtake { holder, by } => overtake::overtake(turn, *holder, *by),
        Command::ExecuteJob { job } => execute_job::execute_job(turn, *job),
        Command::OpenIncident(open) => incident_by_hand::open_incident(turn, open),
        Command::AnnotateIncident { incident, annotation } => {
            incident_by_hand::annotate_incident(turn, *incident, annotation.as_ref())
        }
        Command::ResolveIncident { incident } => {
            resolve_incident::resolve_incident(turn, *incident)
        }
        Command::CompleteUserTask { task, variables } => {
            complete_user_task::complete_user_task(turn, *task, variables)
        }
        Command::SetVariables { scope, variables, local } => {
            set_variables::set_variables(turn, *scope, variables, *local)
        }
        Command::Trigger { subscription, variables } => {
            trigger::trigger(turn, *subscription, variables)
        }
        Command::DeferTrigger { subscription, variables } => {
            trigger::defer(turn, *subscription, variables)
        }
        Command::AskConditions { variables } => ask_conditions::ask_conditions(turn, variables),
        Command::Modify { instructions } => modify::modify(turn, instructions),
        Command::Migrate(migrate) => migrate::migrate(turn, migrate),
        Command::Suspend => {
            suspend::suspend(turn);
            Ok(())
        }
        Command::Resume => suspend::resume(turn),
        Command::Cancel => {
            cancel::cancel(turn);
            Ok(())
        }
        Command::Delete => {
            cancel::delete(turn);
            Ok(())
        }
    }
}
