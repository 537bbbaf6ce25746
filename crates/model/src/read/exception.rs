//! Flowable's `mapException`: failures of code that are errors of the process.

use orloj_xml::quoted;

use crate::graph::ExceptionMapping;
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject};

impl<'a> Context<'a> {
    /// `None` when one of them is refused.
    pub fn exceptions(
        &mut self,
        subject: &Subject<'a>,
        holder: Node<'a>,
    ) -> Option<Vec<ExceptionMapping>> {
        if self.dialect != Dialect::Flowable {
            return Some(Vec::new());
        }
        let nodes: Vec<_> = self.extension_nodes(holder, "mapException").collect();
        nodes.into_iter().map(|node| self.exception(subject, node)).collect()
    }

    fn exception(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<ExceptionMapping> {
        let offset = node.range().start;
        let code = self.own_attribute(node, "errorCode").filter(|code| !code.text.is_empty());
        let Some(code) = code else {
            let message = format!("a mapException of {} has no errorCode", subject.title());
            self.error_at(subject, offset, "exception-code-missing", message);
            return None;
        };
        let children = self.own_attribute(node, "includeChildExceptions");
        let includes_children = match children.filter(|children| !children.text.is_empty()) {
            None => false,
            Some(flag) if flag.text.eq_ignore_ascii_case("true") => true,
            Some(flag) if flag.text.eq_ignore_ascii_case("false") => false,
            Some(flag) => {
                let message = format!(
                    "includeChildExceptions of {} is neither true nor false but {}",
                    subject.title(),
                    quoted(&flag.text)
                );
                self.error_at(subject, flag.offset, "exception-flag-invalid", message);
                return None;
            }
        };
        let class = self.content(node);
        let root_cause = self.own_attribute(node, "rootCause");
        Some(ExceptionMapping {
            class: (!class.text.is_empty()).then(|| (*class.text).into()),
            error_code: (*code.text).into(),
            includes_children,
            root_cause: root_cause.filter(|r| !r.text.is_empty()).map(|r| (*r.text).into()),
        })
    }
}
