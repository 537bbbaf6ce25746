//! The way of a file: bytes, text, tree, drafts, checks, graphs.

use orloj_xml::{Places, Refusal, build_tree, decode, gate};
use roxmltree::Document;

use crate::check;
use crate::diagnostic::{Diagnostic, Severity};
use crate::graph::{Process, Semantics};
use crate::options::{Dialect, Options};
use crate::read::context::{Context, Subject, is_bpmn};
use crate::read::dialect::Vendors;
use crate::read::read_file;
use crate::schema;

/// What a file says.
#[derive(Clone, Debug)]
pub struct Parsed {
    pub dialect: Dialect,
    /// Nothing in the file tells its dialect: it was read as what the options say.
    pub is_plain: bool,
    /// The executable processes; empty when anything in the file is an error.
    pub processes: Vec<Process>,
    /// In the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Why the checks of this version would refuse the file, had it not been accepted before.
    pub outgrown: Option<Diagnostic>,
}

impl Parsed {
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    fn refused(options: &Options, refusal: Refusal) -> Self {
        Self {
            dialect: options.dialect.unwrap_or(options.plain_dialect),
            is_plain: true,
            processes: Vec::new(),
            diagnostics: vec![Diagnostic {
                severity: Severity::Error,
                position: refusal.position,
                element: None,
                code: refusal.code,
                message: refusal.message,
            }],
            outgrown: None,
        }
    }
}

/// Reads a BPMN file. The bytes are untrusted: any input gives an answer, in time linear in its
/// length.
pub fn parse(bytes: &[u8], options: &Options) -> Parsed {
    let text = match gate::check_size(bytes).and_then(|()| decode(bytes)) {
        Ok(text) => text,
        Err(refusal) => return Parsed::refused(options, refusal),
    };
    let places = Places::new(&text);
    let tree = match gate::check(&places).and_then(|()| build_tree(&text)) {
        Ok(tree) => tree,
        Err(refusal) => return Parsed::refused(options, refusal),
    };
    read_tree(&tree, &places, options)
}

fn read_tree<'a>(tree: &'a Document<'a>, places: &'a Places<'a>, options: &Options) -> Parsed {
    let vendors = Vendors::of(tree);
    let dialect = vendors.dialect(options);
    let mut ctx = Context::new(dialect, places, options);
    let unread = vendors.unread_by(dialect);
    if !unread.is_empty() {
        let root = Subject { node: tree.root_element(), id: None };
        let message =
            format!("read as {dialect}; extensions of {} have no effect", unread.join(" and "));
        ctx.warn(&root, "ignored-vendor", message);
    }
    let mut drafts = read_file(&mut ctx, tree);
    if options.was_accepted {
        // What could be read means what it meant when it was accepted; a check that came later
        // changes nothing about that.
        ctx.diagnostics.tolerate();
    }
    for draft in &mut drafts {
        check::check(&mut ctx, draft);
    }
    check::check_between(&mut ctx, &drafts);
    if is_bpmn(tree.root_element()) {
        schema::check(&mut ctx, tree.root_element());
    }
    let mut processes = Vec::new();
    if ctx.diagnostics.error_count() == 0 {
        drafts.retain(|draft| draft.is_executable);
        let expected = drafts.len();
        let finished = drafts.into_iter();
        processes
            .extend(finished.filter_map(|draft| draft.finish(dialect, Semantics::of(dialect))));
        debug_assert_eq!(processes.len(), expected, "what could not be read has an error");
    }
    let is_plain = vendors.told().is_none();
    let outgrown = ctx.diagnostics.take_tolerated();
    Parsed { dialect, is_plain, processes, diagnostics: ctx.diagnostics.finish(), outgrown }
}
