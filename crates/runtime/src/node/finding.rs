//! Questions to the store, and what follows from its answers.

use orloj_interpreter::{Command, Rejection};
use orloj_store::Error as StoreError;

use super::Node;
use super::answer::Question;
use super::event::{Action, Find, Found, Reply};
use crate::api::{Error, Missing};
use crate::codec;

impl Node {
    pub(super) fn find(&mut self, question: Question, find: Find) {
        let ticket = self.ask(question);
        self.actions.push(Action::Find { ticket, find });
    }

    pub(super) fn found(&mut self, ticket: super::Ticket, result: Result<Found, StoreError>) {
        let Some(question) = self.questions.remove(&ticket) else { return };
        let found = match result {
            Ok(found) => found,
            Err(error) => {
                self.metrics.store_errors.inc();
                return self.unanswered(&question, &error);
            }
        };
        match (question, found) {
            (Question::Job { id, job, command }, Found::Job(row)) => {
                let activations = codec::activations(&row);
                self.submit_job(id, row.instance, job, command, activations);
            }
            (Question::Job { id, job, .. }, _) => {
                self.reply(id, Err(Rejection::JobNotFound(job).into()));
            }
            (Question::Incident { id, incident }, Found::Instance(instance)) => {
                self.client_work(id, instance, Command::ResolveIncident { incident });
            }
            (Question::Incident { id, incident }, _) => {
                self.reply(id, Err(Rejection::IncidentNotFound(incident).into()));
            }
            (Question::UserTask { id, task, variables }, Found::Instance(instance)) => {
                self.client_work(id, instance, Command::CompleteUserTask { task, variables });
            }
            (Question::UserTask { id, task, .. }, _) => {
                self.reply(id, Err(Rejection::UserTaskNotFound(task).into()));
            }
            (Question::Scope { id, scope, variables, local }, Found::Instance(instance)) => {
                let command = Command::SetVariables { scope, variables, local };
                self.client_work(id, instance, command);
            }
            (Question::Scope { id, scope, .. }, _) => {
                self.reply(id, Err(Error::Missing(Missing::ElementInstance(scope.raw()))));
            }
            (Question::Ended { id, instance }, Found::Ended(row)) => {
                let result = orloj_store::format::decode_variables(&row.variables)
                    .map(|variables| {
                        let completed = row.completed;
                        Reply::Finished { instance, completed, variables }
                    })
                    .map_err(|error| Error::Internal(error.to_string()));
                self.reply(id, result);
            }
            // The notice came before the reader could see the end; the next one finds it.
            (Question::Ended { id, instance }, _) => {
                self.awaiting.insert(instance, id);
            }
            (Question::Trigger { id, subscription, variables }, Found::Instance(instance)) => {
                self.client_work(id, instance, Command::Trigger { subscription, variables });
            }
            (Question::Trigger { id, subscription, .. }, _) => {
                self.reply(id, Err(Rejection::SubscriptionNotFound(subscription).into()));
            }
            (Question::Publish { id, message }, Found::Receivers(receivers)) => {
                self.receivers_found(id, *message, *receivers);
            }
            (Question::Correlate { message }, Found::Message(row)) => {
                self.message_found(message, Some(*row));
            }
            (Question::Correlate { message }, _) => self.message_found(message, None),
            (Question::Channel { tries, refused }, Found::Fit(fit)) => {
                self.fit_found(Some(fit), tries, refused);
            }
            (Question::Fits, Found::Fits(fits)) => self.fits_found(fits),
            (Question::ExpireMessages, Found::Count(count)) => self.messages_expired(count),
            (Question::RunChore { id, job }, found) => self.chore_to_run(id, job, found),
            (Question::Chore { job }, found) => self.chore_found(job, found),
            (Question::Suspension { number }, found) => self.suspension_found(number, found),
            (Question::Broadcasts, Found::Broadcasts(rows)) => self.broadcasts_found(rows),
            (Question::Receivers { broadcast }, Found::Subscriptions(rows)) => {
                self.subscriptions_found(broadcast, rows);
            }
            (Question::Receivers { broadcast }, Found::LastSignal(last)) => {
                self.last_signal_found(broadcast, last);
            }
            (Question::Receivers { broadcast }, Found::Starts(rows)) => {
                self.starts_found(broadcast, rows);
            }
            (Question::Receivers { broadcast }, Found::Candidates(rows)) => {
                self.candidates_found(broadcast, rows);
            }
            (Question::Settings, Found::Settings(stored)) => self.know_settings(&stored),
            (Question::SettleTenants { .. }, Found::NotYet) => self.settle_later(),
            (Question::SettleTenants { deployments }, _) => self.tenants_settled(&deployments),
            (Question::Untaken, Found::Untaken(jobs)) => self.untaken_found(&jobs),
            (Question::Blocking, Found::Untaken(jobs)) => self.blocking_found(&jobs),
            (Question::Parked { holder }, Found::Parked { queue, jobs }) => {
                self.parked_found(holder, queue, &jobs);
            }
            (Question::GiveBack { job }, Found::Job(row)) => self.give_back_found(job, Some(&row)),
            (Question::GiveBack { job }, _) => self.give_back_found(job, None),
            (
                Question::EngineAcquire { .. }
                | Question::WorkerAcquire { .. }
                | Question::Settings
                | Question::Untaken
                | Question::Blocking
                | Question::Parked { .. }
                | Question::Publish { .. }
                | Question::Channel { .. }
                | Question::Fits
                | Question::ExpireMessages
                | Question::Broadcasts
                | Question::Receivers { .. },
                _,
            ) => {}
        }
    }

    fn unanswered(&mut self, question: &Question, error: &StoreError) {
        match question {
            Question::Correlate { message } => self.correlation_unanswered(*message),
            Question::Channel { .. } => self.messages.doubt(),
            Question::Fits => self.fits_unknown(),
            Question::ExpireMessages => self.messages_expired(0),
            Question::Chore { job } => self.chore_unanswered(*job, error),
            Question::Suspension { number } => {
                self.suspension_unanswered(*number, store_error(error));
            }
            Question::Broadcasts | Question::Receivers { .. } => self.leave_broadcast(),
            Question::GiveBack { job } => self.give_back_unanswered(*job),
            Question::Settings => self.settings_unknown(),
            Question::Untaken => self.untaken_unknown(),
            Question::Blocking => self.blocking_unknown(),
            Question::SettleTenants { deployments } => {
                self.tenants_unsettled(deployments, error);
            }
            _ => {}
        }
        let Some(id) = question.asked_by() else { return };
        if let Question::Ended { instance, .. } = question {
            // The instance has ended all the same; whoever waits is told with the next look.
            self.awaiting.insert(*instance, id);
            return;
        }
        self.reply(id, Err(store_error(error)));
    }
}

pub(crate) fn store_error(error: &StoreError) -> Error {
    match error {
        StoreError::Unavailable(_) | StoreError::Fenced => Error::Unavailable(error.to_string()),
        other => Error::Internal(other.to_string()),
    }
}
