//! Why this node's acquisition does not take a job.
//!
//! A node hands itself only what it would have acquired ([`Selection::takes`]); everything else is
//! inserted unlocked, and others are woken. People who ask why a job does not run are told which
//! part of the selection keeps it out.

use orloj_store::{JobRow, NodeProfile, Selection};
use orloj_types::DeploymentKey;

/// Why a node leaves a job to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotTaken {
    /// The node runs no jobs of the engine's own.
    Inactive,
    /// Its definition is not registered with the node.
    Definition,
    /// Its priority is outside of the node's range.
    Priority,
    /// Its category is not one of the node's, or it has none.
    Category,
    /// It is another tenant's.
    Tenant,
    /// Its topic is left out for the moment: the circuit breaker is open, or a limit is reached.
    Topic,
    /// The node leaves the clean-up of history to others.
    Cleanup,
    /// It has no due date, and the node takes none without one.
    DueDate,
}

/// Every reason, in the order in which to clear them. None: the job is taken.
pub fn not_taken(selection: &Selection, job: &JobRow) -> Vec<NotTaken> {
    let parts = [
        (NotTaken::Definition, Selection { definitions: selection.definitions.clone(), ..all() }),
        (NotTaken::Priority, Selection { priorities: selection.priorities.clone(), ..all() }),
        (NotTaken::Category, Selection { categories: selection.categories.clone(), ..all() }),
        (NotTaken::Tenant, Selection { tenant: selection.tenant.clone(), ..all() }),
        (NotTaken::Topic, Selection { without_topics: selection.without_topics.clone(), ..all() }),
        (NotTaken::Cleanup, Selection { without_cleanup: selection.without_cleanup, ..all() }),
        (NotTaken::DueDate, Selection { needs_due_date: selection.needs_due_date, ..all() }),
    ];
    // Asking each part on its own, so that the rule is written once.
    let kept_out = parts.into_iter().filter(|(_, part)| !part.takes(job));
    kept_out.map(|(reason, _)| reason).collect()
}

/// The same of another node, as it describes itself. `deployment`: the one that brought the job's
/// definition. What it leaves out for the moment is not in its description.
pub fn not_taken_by(
    profile: &NodeProfile,
    job: &JobRow,
    deployment: Option<DeploymentKey>,
) -> Vec<NotTaken> {
    let is_registered = profile.deployments.as_ref().is_none_or(|registered| {
        job.definition.raw() == 0
            || deployment.is_some_and(|deployment| registered.contains(&deployment))
    });
    let selection = Selection {
        priorities: profile.priorities.clone(),
        categories: profile.categories.as_ref().map(|categories| categories.clone().into()),
        tenant: profile.tenant.clone(),
        without_cleanup: profile.without_cleanup,
        needs_due_date: profile.needs_due_date,
        ..all()
    };
    let mut reasons = Vec::new();
    reasons.extend((!profile.is_active).then_some(NotTaken::Inactive));
    reasons.extend((!is_registered).then_some(NotTaken::Definition));
    reasons.extend(not_taken(&selection, job));
    reasons
}

impl NotTaken {
    /// For people, about a node and a job.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Inactive => "its executor is off",
            Self::Definition => "the deployment is not registered with it",
            Self::Priority => "the priority is outside of its range",
            Self::Category => "the category is not one it takes",
            Self::Tenant => "it takes jobs of another tenant",
            Self::Topic => "the topic is left alone for the moment",
            Self::Cleanup => "it leaves the clean-up of history to others",
            Self::DueDate => "it takes no job without a due date (jobs.due_never_null)",
        }
    }
}

fn all() -> Selection {
    Selection::default()
}

#[cfg(test)]
mod tests {
    use orloj_store::{JobKind, JobState};
    use orloj_types::{
        DefinitionKey, ElementId, ElementInstanceKey, EngineName, InstanceKey, JobKey, TenantId,
        Timestamp,
    };
    use proptest::prelude::*;

    use super::*;

    fn job(definition: i64) -> JobRow {
        JobRow {
            key: JobKey::new(1),
            engine: EngineName::default(),
            tenant: TenantId::default(),
            instance: InstanceKey::new(1),
            definition: DefinitionKey::new(definition),
            element_instance: ElementInstanceKey::new(1),
            element: ElementId::from("task"),
            kind: JobKind::AsyncBefore,
            job_type: "".into(),
            state: JobState::Ready,
            retries_left: 3,
            priority: 5,
            exclusive: true,
            due_at: None,
            lock_session: None,
            lock_worker: None,
            lock_until: None,
            attempt: 0,
            activations: Vec::new(),
            failure: None,
            topic: "mail".into(),
            category: None,
            limit_key: None,
            created_at: Timestamp::ZERO,
            batch: None,
            payload: None,
            failure_details: None,
            failed_element: None,
        }
    }

    #[test]
    fn without_restrictions_everything_is_taken() {
        for priority in [i64::MIN, 0, i64::MAX] {
            let job = JobRow { priority, kind: JobKind::HistoryCleanup, ..job(7) };
            assert_eq!(not_taken(&all(), &job), []);
        }
    }

    #[test]
    fn a_deployment_aware_node_takes_what_is_registered_and_what_belongs_to_none() {
        let aware = |keys: &[i64]| Selection {
            definitions: Some(keys.iter().map(|key| DefinitionKey::new(*key)).collect()),
            ..all()
        };
        assert_eq!(not_taken(&aware(&[7]), &job(7)), []);
        assert_eq!(not_taken(&aware(&[7]), &job(8)), [NotTaken::Definition]);
        assert_eq!(not_taken(&aware(&[]), &job(7)), [NotTaken::Definition]);
        assert_eq!(not_taken(&aware(&[]), &job(0)), [], "of no deployment");
    }

    #[test]
    fn both_ends_of_the_range_are_taken() {
        let selection = Selection { priorities: 5..=10, ..all() };
        let taken = |priority| not_taken(&selection, &JobRow { priority, ..job(1) }).is_empty();
        assert_eq!([4, 5, 10, 11].map(taken), [false, true, true, false]);
    }

    #[test]
    fn with_categories_a_job_without_one_is_left() {
        let selection = Selection { categories: Some(["night".into()].into()), ..all() };
        let taken = |category: Option<&str>| {
            let job = JobRow { category: category.map(Into::into), ..job(1) };
            not_taken(&selection, &job)
        };
        assert_eq!(taken(Some("night")), []);
        assert_eq!(taken(Some("day")), [NotTaken::Category]);
        assert_eq!(taken(None), [NotTaken::Category]);
    }

    #[test]
    fn all_reasons_are_told() {
        let selection = Selection {
            priorities: 10..=20,
            without_topics: ["mail".into()].into(),
            without_cleanup: true,
            needs_due_date: true,
            ..all()
        };
        let cleanup = JobRow { kind: JobKind::HistoryCleanup, ..job(1) };
        let reasons = [NotTaken::Priority, NotTaken::Topic, NotTaken::Cleanup, NotTaken::DueDate];
        assert_eq!(not_taken(&selection, &cleanup), reasons);
        let due_at = Some(Timestamp::ZERO);
        let pure = JobRow { topic: "".into(), priority: 10, due_at, ..job(1) };
        assert_eq!(not_taken(&selection, &pure), []);
    }

    #[test]
    fn other_nodes_are_judged_by_what_they_say_of_themselves() {
        let deployment = DeploymentKey::new(3);
        let job = job(7);
        let profile = NodeProfile::default;
        let judged = |profile: NodeProfile| not_taken_by(&profile, &job, Some(deployment));
        assert_eq!(judged(profile()), []);
        assert_eq!(judged(NodeProfile { deployments: Some(vec![deployment]), ..profile() }), []);
        let elsewhere = NodeProfile {
            is_active: false,
            deployments: Some(vec![]),
            priorities: 6..=9,
            categories: Some(vec!["night".into()]),
            tenant: Some(TenantId::from("acme")),
            needs_due_date: true,
            ..profile()
        };
        let reasons = [
            NotTaken::Inactive,
            NotTaken::Definition,
            NotTaken::Priority,
            NotTaken::Category,
            NotTaken::Tenant,
            NotTaken::DueDate,
        ];
        assert_eq!(judged(elsewhere), reasons);
    }

    proptest! {
        #[test]
        fn a_job_is_taken_when_nothing_keeps_it_out(
            definitions in proptest::option::of(proptest::collection::vec(0..4_i64, 0..3)),
            (low, high) in (0..10_i64, 0..10_i64),
            night_only in any::<bool>(),
            without_mail in any::<bool>(),
            (without_cleanup, needs_due_date) in any::<(bool, bool)>(),
            (definition, priority) in (0..4_i64, 0..10_i64),
            is_night in any::<bool>(),
            (is_cleanup, is_due) in any::<(bool, bool)>(),
        ) {
            let selection = Selection {
                priorities: low..=high,
                definitions: definitions.map(|mut keys| {
                    keys.sort_unstable();
                    keys.into_iter().map(DefinitionKey::new).collect()
                }),
                categories: night_only.then(|| ["night".into()].into()),
                without_topics: if without_mail { ["mail".into()].into() } else { [].into() },
                without_cleanup,
                needs_due_date,
                ..all()
            };
            let kind = if is_cleanup { JobKind::HistoryCleanup } else { JobKind::Timer };
            let category = is_night.then(|| "night".into());
            let due_at = is_due.then_some(Timestamp::ZERO);
            let job = JobRow { priority, kind, category, due_at, ..job(definition) };
            prop_assert_eq!(not_taken(&selection, &job).is_empty(), selection.takes(&job));
        }
    }
}
