//! The start event without a trigger (BPMN 10.5.2, 13.5.1): a token begins here and goes on.

use super::Begun;
use crate::failure::Ruled;

pub(crate) fn begin() -> Ruled<Begun> {
    Ok(Begun::Done)
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sketch, Story, end, start, user};

    #[test]
    fn an_instance_starts_with_its_variables_on_the_instance() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("ask", user())
            .node("end", end())
            .flows("start -> ask -> end");
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start(r#"{"a":1}"#), @r#"
        started
        entered start
        left start
        entered ask
        --
        insert task1 ask priority 50
        at ask task1
        instance: {"a":1}
        "#);
    }

    #[test]
    fn a_process_without_such_a_start_is_refused() {
        let mut story = Story::of(Sketch::zeebe().node("end", end()).build());
        insta::assert_snapshot!(story.start("{}"), @"rejected: the process has no start event without a trigger");
    }

    #[test]
    fn a_save_point_before_the_start_is_a_job() {
        let process = Sketch::camunda()
            .node("start", start())
            .node("end", end())
            .flows("start -> end")
            .async_before("start");
        let mut story = Story::of(process.build());
        insta::assert_snapshot!(story.start("{}"), @"
        started
        job1 created
        --
        insert job1 before start, ready, retries 3, exclusive
        at start entering job1
        ");
        insta::assert_snapshot!(story.run_job("start"), @"
        job1 completed
        entered start
        left start
        entered end
        left end
        ended Completed
        --
        delete job1
        end Completed {}
        ");
    }
}
