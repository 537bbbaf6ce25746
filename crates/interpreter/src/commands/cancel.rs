//! Cancel: the instance ends where it is.

use crate::instance;
use crate::turn::Turn;

pub(crate) fn cancel(turn: &mut Turn<'_>) {
    instance::cancel(turn);
}

/// The same, and nobody hears of it.
pub(crate) fn delete(turn: &mut Turn<'_>) {
    instance::cancel_unasked(turn);
    turn.work.farewells.clear();
}

#[cfg(test)]
mod tests {
    use orloj_model::TimerKind;

    use crate::testing::{Sketch, Story, and, end, on_timer, start, user, worker};
    use crate::{Command, Rejection};

    #[test]
    fn everything_goes_with_the_instance() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("fork", and())
            .node("pay", worker("charge"))
            .boundary("pay", "late", on_timer(false, TimerKind::Cycle, "R/PT1H"))
            .node("ask", user())
            .node("later", worker("later"))
            .node("end", end())
            .flows("start -> fork -> pay")
            .flows("fork -> ask")
            .flows("fork -> later")
            .async_before("later");
        let mut story = Story::of(process.build());
        story.start(r#"{"a":1}"#);
        story.fail("pay", 0, 0);
        insta::assert_snapshot!(story.play(Command::Cancel), @r#"
        job2 cancelled
        job3 cancelled
        incident1 deleted
        terminated pay
        terminated ask
        job1 cancelled
        ended Cancelled
        --
        delete job1
        delete job2
        delete job3
        delete task1
        delete incident1
        end Cancelled {"a":1}
        "#);
        let again = story.interpret(Command::Cancel);
        assert!(matches!(again, Err(Rejection::InstanceNotFound(_))));
    }
}
