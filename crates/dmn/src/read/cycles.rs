//! Decisions that need their own result.

use crate::diagnostic::{Problems, Severity};
use crate::graph::{Node, NodeKind};
use crate::read::header::Header;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

/// Knowledge models may call themselves; that is a recursion, which evaluation bounds.
pub(crate) fn report_cycles(headers: &[Header<'_>], nodes: &[Node], diagnostics: &mut Problems) {
    let mut marks = vec![Mark::New; nodes.len()];
    for start in 0..nodes.len() {
        if marks[start] != Mark::New {
            continue;
        }
        // Not recursive: a chain may be as long as the file.
        let mut path = vec![(start, 0)];
        marks[start] = Mark::Open;
        while let Some((at, next)) = path.last_mut() {
            let node = *at;
            let required = nodes[node].requires.get(*next).map(|r| r.node.0 as usize);
            *next += 1;
            match required {
                None => {
                    marks[node] = Mark::Done;
                    path.pop();
                }
                Some(required) if !matches!(nodes[required].kind, NodeKind::Decision { .. }) => {}
                Some(required) => match marks[required] {
                    Mark::New => {
                        marks[required] = Mark::Open;
                        path.push((required, 0));
                    }
                    Mark::Open => report(headers, &nodes[required], diagnostics),
                    Mark::Done => {}
                },
            }
        }
    }
}

fn report(headers: &[Header<'_>], node: &Node, diagnostics: &mut Problems) {
    headers[node.file].source.report(
        diagnostics,
        Severity::Error,
        node.position,
        Some(&node.name),
        "cyclic-requirement",
        "the decision requires its own result".into(),
    );
}
