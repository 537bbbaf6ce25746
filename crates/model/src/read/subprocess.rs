//! Subprocesses of every kind.

use std::sync::Arc;

use crate::graph::{AdHoc, ElementKind, Scope, SubProcess, SubProcessKind};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, bpmn_child};
use crate::read::element::Surroundings;
use crate::read::event::is_event_subprocess;

impl<'a> Context<'a> {
    pub fn subprocess(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
    ) -> Option<ElementKind> {
        self.check_triggered(subject);
        let kind = match subject.tag() {
            "transaction" => SubProcessKind::Transaction,
            "adHocSubProcess" => SubProcessKind::AdHoc(self.ad_hoc(surroundings, subject)?),
            _ if is_event_subprocess(self, subject.node) => SubProcessKind::Event,
            _ => SubProcessKind::Embedded,
        };
        // What lies inside is known when everything has been read.
        Some(ElementKind::SubProcess(SubProcess { kind, scope: Scope::default() }))
    }

    /// Camunda knows only the words.
    fn check_triggered(&mut self, subject: &Subject<'a>) {
        let Some(flag) = self.attribute(subject.node, "triggeredByEvent") else { return };
        if self.dialect == Dialect::Camunda7 && !matches!(&*flag.text, "true" | "false") {
            let message =
                format!("triggeredByEvent of {} is neither true nor false", subject.title());
            self.error_at(subject, flag.offset, "flag-unknown", message);
        }
    }

    fn ad_hoc(&mut self, surroundings: &Surroundings<'a>, subject: &Subject<'a>) -> Option<AdHoc> {
        let node = subject.node;
        let ordering = self.attribute(node, "ordering");
        let cancels = self.attribute(node, "cancelRemainingInstances");
        let mut ad_hoc = AdHoc {
            by_hand: self.dialect != Dialect::Zeebe,
            is_sequential: ordering.is_some_and(|o| o.text.eq_ignore_ascii_case("sequential")),
            completion: None,
            cancels_rest: cancels.is_none_or(|flag| flag.text != "false"),
            active_elements: None,
            worker: None,
            output: None,
        };
        if let Some(condition) = bpmn_child(node, "completionCondition") {
            let written = self.content(condition);
            if !written.text.is_empty() || self.dialect == Dialect::Zeebe {
                let expression = match self.dialect {
                    Dialect::Zeebe => {
                        self.expression_required(subject, &written, "the completionCondition")?
                    }
                    Dialect::Camunda7 | Dialect::Flowable => self.value(subject, &written)?,
                };
                ad_hoc.completion = Some(expression);
            }
        }
        if self.dialect == Dialect::Zeebe {
            self.zeebe_ad_hoc(surroundings, subject, &mut ad_hoc)?;
        }
        Some(ad_hoc)
    }

    /// Where a client decides what comes next, the model cannot.
    fn refuse_beside_worker(&mut self, subject: &Subject<'a>, definition: Node<'a>) {
        let extension = self.extension(subject, "adHoc");
        let collection =
            extension.and_then(|node| self.own_attribute(node, "activeElementsCollection"));
        let refused = [
            ("activeElementsCollection", collection.is_some()),
            ("completionCondition", bpmn_child(subject.node, "completionCondition").is_some()),
            (
                "cancelRemainingInstances",
                self.attribute(subject.node, "cancelRemainingInstances")
                    .is_some_and(|flag| flag.text != "true"),
            ),
        ];
        for (name, is_given) in refused {
            if is_given {
                let message =
                    format!("{name} of {} cannot stand beside a taskDefinition", subject.title());
                self.error_at(subject, definition.range().start, "ad-hoc-worker", message);
            }
        }
    }

    fn zeebe_ad_hoc(
        &mut self,
        surroundings: &Surroundings<'a>,
        subject: &Subject<'a>,
        ad_hoc: &mut AdHoc,
    ) -> Option<()> {
        if let Some(definition) = self.extension(subject, "taskDefinition") {
            self.refuse_beside_worker(subject, definition);
            ad_hoc.worker = Some(self.zeebe_worker(surroundings, subject)?);
        }
        let Some(extension) = self.extension(subject, "adHoc") else { return Some(()) };
        let given = |ctx: &Self, name: &str| {
            ctx.own_attribute(extension, name).filter(|found| !found.text.is_empty())
        };
        if let Some(elements) = given(self, "activeElementsCollection") {
            let what = "activeElementsCollection";
            ad_hoc.active_elements = Some(self.expression_required(subject, &elements, what)?);
        }
        let collection = given(self, "outputCollection");
        let element = given(self, "outputElement");
        match (collection, element) {
            (Some(collection), Some(element)) => {
                let element = self.expression_required(subject, &element, "outputElement")?;
                ad_hoc.output = Some((Arc::from(&*collection.text), element));
            }
            (None, None) => {}
            _ => {
                let message = format!(
                    "outputCollection and outputElement of {} need each other",
                    subject.title()
                );
                self.error_at(subject, extension.range().start, "output-incomplete", message);
                return None;
            }
        }
        Some(())
    }
}
