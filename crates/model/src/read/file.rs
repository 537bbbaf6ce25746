//! The file and which of its processes run.

use std::collections::BTreeSet;

use orloj_xml::quoted;
use roxmltree::Document;

use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_children, is_bpmn};
use crate::read::draft::Draft;
use crate::read::error_event::ErrorDefinitions;
use crate::read::parts::read_id;
use crate::read::process::read_process;

/// The executable processes of a file.
pub(crate) fn read_file<'a>(ctx: &mut Context<'a>, tree: &'a Document<'a>) -> Vec<Draft<'a>> {
    let root = Subject { node: tree.root_element(), id: None };
    if root.tag() != "definitions" || !is_bpmn(root.node) {
        let message = format!("the root element {} is not BPMN definitions", quoted(root.tag()));
        ctx.error(&root, "not-bpmn", message);
        return Vec::new();
    }
    let errors = ErrorDefinitions::read(ctx, root.node);
    let mut ids = BTreeSet::new();
    let mut drafts = Vec::new();
    for node in bpmn_children(root.node).filter(|node| node.tag_name().name() == "process") {
        if !is_executable(ctx, node) {
            continue;
        }
        let mut subject = Subject { node, id: None };
        let Some(id) = read_id(ctx, &subject) else { continue };
        subject.id = Some(id.clone());
        if !ids.insert(id.clone()) {
            let message = format!("the file has two processes with the id {}", quoted(&id));
            ctx.error(&subject, "process-id-repeated", message);
            continue;
        }
        drafts.push(read_process(ctx, &errors, subject, &id));
    }
    if drafts.is_empty() && ctx.diagnostics.error_count() == 0 {
        report_nothing_to_run(ctx, &root);
    }
    drafts
}

fn is_executable<'a>(ctx: &Context<'a>, process: Node<'a>) -> bool {
    let flag = ctx.attribute(process, "isExecutable").filter(|flag| !flag.text.is_empty());
    match flag {
        None => ctx.dialect == Dialect::Flowable,
        Some(flag) => ctx.is_true(&flag.text),
    }
}

/// Zeebe refuses such a file; the others accept it and have nothing to run.
fn report_nothing_to_run<'a>(ctx: &mut Context<'a>, root: &Subject<'a>) {
    const CODE: &str = "no-executable-process";
    let message = "no process of the file is marked isExecutable=\"true\"".to_owned();
    match ctx.dialect {
        Dialect::Zeebe => ctx.error(root, CODE, message),
        Dialect::Camunda7 | Dialect::Flowable => ctx.warn(root, CODE, message),
    }
}
