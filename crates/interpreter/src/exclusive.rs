//! The queue of an instance's exclusive jobs: who may run, and who is next.
//!
//! An exclusive job is ready if and only if it is the holder. A waiting or failed one is in no
//! queue at all; it joins at the end when it is due or repaired.

use orloj_types::JobKey;

use crate::record::{ExclusiveQueue, JobState, Record};
use crate::turn::Turn;

impl ExclusiveQueue {
    /// The state of a job that wants to run.
    pub(crate) fn join(&mut self, job: JobKey) -> JobState {
        if self.holder.is_none() {
            self.holder = Some(job);
            return JobState::Ready;
        }
        self.parked.push_back(job);
        JobState::Parked
    }

    /// Takes a job out; the answer is the one that may run instead.
    fn leave(&mut self, job: JobKey) -> Option<JobKey> {
        if self.holder == Some(job) {
            self.holder = self.parked.pop_front();
            return self.holder;
        }
        self.parked.retain(|&parked| parked != job);
        None
    }
}

/// Takes a job out of the queue and lets the next one run.
pub(crate) fn release(turn: &mut Turn<'_>, job: JobKey) {
    let Some(next) = turn.work.record.exclusive.leave(job) else { return };
    let next = turn.job_mut(next).expect("a parked job is in the record until it leaves the queue");
    next.state = JobState::Ready;
    let key = next.key;
    turn.work.changes.job_updated(key);
}

/// What must hold for every record that goes in or out.
pub(crate) fn holds(record: &Record) -> bool {
    let queue = &record.exclusive;
    if record.is_suspended {
        return queue.holder.is_none() && queue.parked.is_empty();
    }
    let mut queued = 0;
    for job in record.holders().flat_map(|e| &e.jobs).filter(|j| j.exclusive) {
        let is_holder = queue.holder == Some(job.key);
        let is_parked = queue.parked.contains(&job.key);
        if is_holder != (job.state == JobState::Ready)
            || is_parked != (job.state == JobState::Parked)
        {
            return false;
        }
        queued += usize::from(is_holder || is_parked);
    }
    queued == usize::from(queue.holder.is_some()) + queue.parked.len()
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sketch, Story, and, delegate, end, start};
    use crate::{Command, InvokeResult, JobState};

    /// Three exclusive jobs at once.
    fn fork(sketch: Sketch) -> Sketch {
        sketch
            .node("start", start())
            .node("fork", and())
            .node("a", delegate("Work"))
            .node("b", delegate("Work"))
            .node("c", delegate("Work"))
            .node("end", end())
            .flows("start -> fork -> a -> end")
            .flows("fork -> b -> end")
            .flows("fork -> c -> end")
            .async_before("a")
            .async_before("b")
            .async_before("c")
    }

    fn states(story: &Story) -> String {
        let state = |element: &str| {
            let mut rows = story.jobs.values().filter(|row| &*row.element == element);
            rows.next().map_or("-".into(), |row| format!("{:?}", row.job.state).to_lowercase())
        };
        ["a", "b", "c"].map(state).join(" ")
    }

    #[test]
    fn one_is_ready_and_the_next_follows_when_it_is_done() {
        let mut story = Story::of(fork(Sketch::camunda()).build()).delegate("Work", &[]);
        insta::assert_snapshot!(story.start("{}"), @"
        started
        entered start
        left start
        entered fork
        left fork
        job1 created
        job2 created
        job3 created
        --
        insert job1 before a, ready, retries 3, exclusive
        insert job2 before b, parked, retries 3, exclusive
        insert job3 before c, parked, retries 3, exclusive
        at a entering job1
        at b entering job2
        at c entering job3
        ");
        insta::assert_snapshot!(story.run_job("b"), @"rejected: job job2 is in state Parked");
        insta::assert_snapshot!(story.run_job("a"), @"
        job1 completed
        entered a
        left a
        entered end
        left end
        --
        delete job1
        update job2 before b, ready, retries 3, exclusive
        at b entering job2
        at c entering job3
        ");
        insta::assert_snapshot!(story.run_job("b"), @"
        job2 completed
        entered b
        left b
        entered end#2
        left end#2
        --
        delete job2
        update job3 before c, ready, retries 3, exclusive
        at c entering job3
        ");
        insta::assert_snapshot!(story.run_job("c"), @"
        job3 completed
        entered c
        left c
        entered end#3
        left end#3
        ended Completed
        --
        delete job3
        end Completed {}
        ");
    }

    #[test]
    fn a_job_that_is_tried_at_once_goes_behind_the_others() {
        let failed = InvokeResult::Failed { message: "no".into() };
        let mut story = Story::of(fork(Sketch::camunda()).build())
            .delegate("Work", std::slice::from_ref(&failed));
        story.start("{}");
        insta::assert_snapshot!(story.run_job("a"), @"
        job1 failed, 2 left: no
        --
        update job1 before a, parked, retries 2, exclusive unlock 'no'
        update job2 before b, ready, retries 3, exclusive
        at a entering job1
        at b entering job2
        at c entering job3
        ");
        assert_eq!(states(&story), "parked ready parked");
        story.run_job("b");
        story.run_job("c");
        assert_eq!(states(&story), "ready - -");
        story.delegates.insert("Work".into(), vec![failed]);
        story.run_job("a");
        assert_eq!(states(&story), "ready - -", "alone it stays first");
    }

    #[test]
    fn a_delayed_job_leaves_the_queue_and_joins_it_again_when_due() {
        let failed = InvokeResult::Failed { message: "no".into() };
        let mut story = Story::of(fork(Sketch::flowable()).build()).delegate("Work", &[failed]);
        story.start("{}");
        insta::assert_snapshot!(story.run_job("a"), @"
        job1 failed, 2 left: no
        --
        update job1 before a, waiting, retries 2, exclusive, due +10 s unlock 'no'
        update job2 before b, ready, retries 3, exclusive
        at a entering job1
        at b entering job2
        at c entering job3
        ");
        assert_eq!(states(&story), "waiting ready parked");
        story.pass(10_000);
        story.job_due("a");
        assert_eq!(states(&story), "parked ready parked");
        story.run_job("b");
        story.run_job("c");
        assert_eq!(states(&story), "ready - -");
    }

    #[test]
    fn a_due_job_with_a_free_queue_becomes_its_holder_when_it_needs_foreign_code() {
        let failed = InvokeResult::Failed { message: "no".into() };
        let mut story = Story::of(fork(Sketch::flowable()).build()).delegate("Work", &[failed]);
        story.start("{}");
        story.run_job("a");
        story.run_job("b");
        story.run_job("c");
        assert_eq!(states(&story), "waiting - -");
        story.pass(10_000);
        story.job_due("a");
        assert_eq!(states(&story), "ready - -");
        assert_eq!(story.invoked.len(), 3, "no foreign code without a lock");
    }

    #[test]
    fn a_job_that_failed_for_good_leaves_the_queue_until_it_is_repaired() {
        let failed = InvokeResult::Failed { message: "no".into() };
        let process = fork(Sketch::camunda()).retry("a", "R1/PT1M").build();
        let mut story = Story::of(process).delegate("Work", &[failed]);
        story.start("{}");
        story.run_job("a");
        assert_eq!(states(&story), "failed ready parked");
        let job = story.job_of("a");
        story.play(Command::UpdateRetries { job, retries: 1 });
        assert_eq!(states(&story), "parked ready parked");
        story.run_job("b");
        assert_eq!(states(&story), "parked - ready");
    }

    #[test]
    fn cancelling_empties_the_queue() {
        let mut story = Story::of(fork(Sketch::camunda()).build()).delegate("Work", &[]);
        story.start("{}");
        insta::assert_snapshot!(story.play(Command::Cancel), @"
        job3 cancelled
        job2 cancelled
        job1 cancelled
        ended Cancelled
        --
        delete job1
        delete job2
        delete job3
        end Cancelled {}
        ");
    }

    #[test]
    fn a_chain_of_exclusive_jobs_lets_the_parked_ones_go_first() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("fork", and())
            .node("a", delegate("Work"))
            .node("b", delegate("Work"))
            .node("c", delegate("Work"))
            .flows("start -> fork -> a -> c")
            .flows("fork -> b")
            .async_before("a")
            .async_before("b")
            .async_before("c");
        let mut story = Story::of(process.build()).delegate("Work", &[]);
        story.start("{}");
        story.run_job("a");
        assert_eq!(states(&story), "- ready parked");
        assert_eq!(story.jobs[&story.job_of("c")].job.state, JobState::Parked);
    }
}
