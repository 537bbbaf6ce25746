//! SetVariables: from outside, into exactly one scope or from it outward.

use orloj_types::{Document, ElementInstanceKey};

use crate::command::Rejection;
use crate::failure::Stop;
use crate::turn::Turn;
use crate::variables;

pub(crate) fn set_variables(
    turn: &mut Turn<'_>,
    scope: ElementInstanceKey,
    document: &Document,
    local: bool,
) -> Result<(), Stop> {
    let record = &mut turn.work.record;
    if record.element(scope).is_none() {
        return Err(Rejection::ScopeNotFound(scope).into());
    }
    match local {
        true => variables::set_local(record, scope, &document.0),
        false => variables::give(record, turn.process.semantics.completion, scope, &document.0),
    }
    turn.note_variables();
    Ok(())
}

#[cfg(test)]
mod tests {
    use orloj_types::ElementInstanceKey;

    use crate::testing::{Sketch, Story, document, start, worker};
    use crate::{Command, Rejection};

    #[test]
    fn local_means_exactly_there_and_otherwise_outward() {
        let process = Sketch::zeebe()
            .node("start", start())
            .node("pay", worker("charge"))
            .flows("start -> pay")
            .input("pay", "1", "x");
        let mut story = Story::of(process.build());
        story.start(r#"{"y":1}"#);
        let scope = story.token("pay").0;
        let mut set = |json: &str, local| {
            story.play(Command::SetVariables { scope, variables: document(json), local })
        };
        insta::assert_snapshot!(set(r#"{"y":2,"z":3}"#, true), @r#"
        --
        at pay job1
        instance: {"y":1}
        pay: {"x":1,"y":2,"z":3}
        "#);
        insta::assert_snapshot!(set(r#"{"x":4,"y":5,"new":6}"#, false), @r#"
        --
        at pay job1
        instance: {"new":6,"y":1}
        pay: {"x":4,"y":5,"z":3}
        "#);
        let scope = ElementInstanceKey::new(7);
        let variables = document("{}");
        let refused = story.interpret(Command::SetVariables { scope, variables, local: true });
        assert_eq!(refused.map(|_| ()), Err(Rejection::ScopeNotFound(scope)));
    }
}
