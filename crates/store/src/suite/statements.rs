//! Statements of the application that commit with a change.

use std::sync::Arc;

use crate::suite::sample::{Node, insert, load, update};
use crate::{CommitError, Statement, Store};
use thin_vec::thin_vec;

pub(super) async fn a_statement_that_fails_takes_its_change_along(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    let attached = |statements: Vec<Statement>| {
        let mut change = update(10, 1);
        change.statements = statements.into();
        vec![change]
    };
    let fine = || Statement::new("SELECT $2, $1").bind(7).bind("text");
    let missing = Statement::new("UPDATE no_such_table SET a = $1").bind(true);
    for (statements, culprit) in [
        (vec![missing.clone()], 0),
        (vec![fine(), missing], 1),
        (vec![fine(), fine(), Statement::new("COMMIT")], 2),
    ] {
        match node.commit(attached(statements)).await {
            Err(CommitError::Attached { at, reason }) => {
                assert_eq!(at, culprit);
                assert!(!reason.is_empty());
            }
            other => panic!("a statement failed, and the group answered {other:?}"),
        }
        let loaded = load(&store, 10).await.expect("there");
        assert_eq!(loaded.row.rev, 1, "nothing of the change was written");
    }
    node.commit(attached(vec![fine(), fine()])).await.expect("commit");
    assert_eq!(load(&store, 10).await.expect("there").row.rev, 2);
}

pub(super) async fn a_lost_race_comes_before_a_failing_statement(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    let mut change = update(10, 7);
    change.statements = thin_vec![Statement::new("UPDATE no_such_table SET a = 1")];
    assert_eq!(node.commit(vec![change]).await, Err(CommitError::Conflicts(vec![0])));
}
