//! Limits are never exceeded, however acquisitions of several nodes interleave (I6). The arithmetic
//! is the store's; here it is driven by clocks that disagree and jobs that begin and end at random.

use orloj_store::{JobKind, JobRow, JobState, LimitRow, LimitScope, NewLimit, Permits, Rate};
use orloj_types::{
    DefinitionKey, ElementId, ElementInstanceKey, EngineName, InstanceKey, JobKey, TenantId,
    Timestamp,
};
use proptest::prelude::*;

fn job(key: i64, topic: &str, limit_key: Option<&str>) -> JobRow {
    JobRow {
        key: JobKey::new(key),
        engine: EngineName::default(),
        tenant: TenantId::default(),
        instance: InstanceKey::new(1),
        definition: DefinitionKey::new(1),
        element_instance: ElementInstanceKey::new(1),
        element: ElementId::from("task"),
        kind: JobKind::AsyncBefore,
        job_type: "".into(),
        state: JobState::Ready,
        retries_left: 3,
        priority: 0,
        exclusive: false,
        due_at: None,
        lock_session: None,
        lock_worker: None,
        lock_until: None,
        attempt: 0,
        activations: Vec::new(),
        failure: None,
        created_at: Timestamp::ZERO,
        topic: topic.into(),
        category: None,
        limit_key: limit_key.map(Into::into),
        batch: None,
        payload: None,
        failure_details: None,
        failed_element: None,
    }
}

fn limit(scope: LimitScope, name: &str, max: Option<u32>, rate: Option<Rate>) -> LimitRow {
    let new = NewLimit { scope, name: name.into(), max_concurrent: max, rate };
    LimitRow::replacing(None, new, EngineName::default(), Timestamp::ZERO)
}

#[derive(Clone, Debug)]
enum Step {
    /// Time passes for all.
    Pass(i64),
    /// A node whose clock is off by so much asks for so many jobs.
    Acquire { off_ms: i64, limit: usize },
    /// The n-th of the running jobs ends.
    End(usize),
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..2_000_i64).prop_map(Step::Pass),
        (-500..=500_i64, 1..8_usize).prop_map(|(off_ms, limit)| Step::Acquire { off_ms, limit }),
        (0..8_usize).prop_map(Step::End),
    ]
}

proptest! {
    #[test]
    fn limits_are_never_exceeded(
        steps in proptest::collection::vec(any_step(), 1..150),
        (max, key_max) in (0..5_u32, 1..4_u32),
        rate in (1..20_u32, 1..3_000_u32, 1..6_u32),
    ) {
        let rate = Rate { jobs: rate.0, interval_ms: rate.1, burst: rate.2 };
        let mut rows = [
            limit(LimitScope::Topic, "mail", Some(max), Some(rate)),
            limit(LimitScope::Key, "customer", Some(key_max), None),
        ];
        let mut running: Vec<JobRow> = Vec::new();
        let mut begun: Vec<i64> = Vec::new();
        let mut now_ms = 1_000;
        for (step, n) in steps.into_iter().zip(0_i64..) {
            match step {
                Step::Pass(ms) => now_ms += ms,
                Step::End(at) if !running.is_empty() => {
                    running.swap_remove(at % running.len());
                }
                Step::End(_) => {}
                Step::Acquire { off_ms, limit } => {
                    let now = Timestamp::from_ms(now_ms + off_ms);
                    let locked = |row: &LimitRow| {
                        running.iter().filter(|job| row.matches(job)).count() as u64
                    };
                    let counted: Vec<_> = rows.iter().map(|r| (r.clone(), locked(r))).collect();
                    let mut permits = Permits::new(counted, now);
                    for i in 0..limit {
                        let key = (i % 2 == 0).then_some("customer");
                        let job = job(n * 100 + i as i64, "mail", key);
                        if permits.take(&job) {
                            running.push(job);
                            begun.push(now_ms);
                        }
                    }
                    for used in permits.used() {
                        let row = rows.iter_mut().find(|row| row.scope == used.scope);
                        *row.expect("each scope has one") = used.clone();
                    }
                }
            }
            prop_assert!(running.len() <= max as usize);
            let of_key = running.iter().filter(|job| job.limit_key.is_some()).count();
            prop_assert!(of_key <= key_max as usize);
        }
        // Clocks that are up to half a second off on either side add at most a second.
        for (first, from) in begun.iter().enumerate() {
            for (last, until) in begun.iter().enumerate().skip(first) {
                let elapsed = until - from + 1_000;
                let allowed = i64::from(rate.burst)
                    + elapsed * i64::from(rate.jobs) / i64::from(rate.interval_ms) + 1;
                prop_assert!(((last - first) as i64) < allowed);
            }
        }
    }
}
