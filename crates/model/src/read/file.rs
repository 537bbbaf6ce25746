//! The file and which of its processes run.

use std::collections::BTreeSet;

use orloj_xml::quoted;
use roxmltree::Document;

use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_children, is_bpmn};
use crate::read::definitions::Definitions;
use crate::read::draft::Draft;
use crate::read::parts::read_id;
use crate::read::process::read_process;

/// The processes of a file that run, and those that are checked all the same.
pub(crate) fn read_file<'a>(ctx: &mut Context<'a>, tree: &'a Document<'a>) -> Vec<Draft<'a>> {
    let root = Subject { node: tree.root_element(), id: None };
    if root.tag() != "definitions" || !is_bpmn(root.node) {
        let message = format!("the root element {} is not BPMN definitions", quoted(root.tag()));
        ctx.error(&root, "not-bpmn", message);
        return Vec::new();
    }
    let elements = root.node.descendants().filter(|node| node.is_element());
    ctx.ids = elements.filter_map(|node| node.attribute("id")).collect();
    let definitions = Definitions::read(ctx, root.node);
    let mut ids = BTreeSet::new();
    let mut drafts = Vec::new();
    let mut has_executable = false;
    for node in bpmn_children(root.node).filter(|node| node.tag_name().name() == "process") {
        let is_executable = is_executable(ctx, node);
        has_executable |= is_executable;
        if !is_executable && ctx.dialect != Dialect::Flowable {
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
        let mut draft = read_process(ctx, &definitions, subject, &id);
        draft.is_executable = is_executable;
        drafts.push(draft);
    }
    match ctx.dialect {
        Dialect::Camunda7 => ctx.check_camunda_file(root.node, has_executable),
        Dialect::Flowable => ctx.check_flowable_file(root.node),
        Dialect::Zeebe => {}
    }
    if !has_executable {
        report_nothing_to_run(ctx, &root);
    }
    drafts
}

fn is_executable<'a>(ctx: &Context<'a>, process: Node<'a>) -> bool {
    let flag = ctx.attribute(process, "isExecutable").filter(|flag| !flag.text.is_empty());
    match (flag, ctx.dialect) {
        (None, dialect) => dialect == Dialect::Flowable,
        (Some(flag), Dialect::Camunda7 | Dialect::Flowable) => {
            flag.text.eq_ignore_ascii_case("true")
        }
        (Some(flag), Dialect::Zeebe) => flag.text == "true",
    }
}

/// Zeebe and Flowable refuse such a file; Camunda accepts it and has nothing to run.
fn report_nothing_to_run<'a>(ctx: &mut Context<'a>, root: &Subject<'a>) {
    const CODE: &str = "no-executable-process";
    let message = "no process of the file is marked isExecutable=\"true\"".to_owned();
    match ctx.dialect {
        Dialect::Zeebe | Dialect::Flowable => ctx.error(root, CODE, message),
        Dialect::Camunda7 => ctx.warn(root, CODE, message),
    }
}
