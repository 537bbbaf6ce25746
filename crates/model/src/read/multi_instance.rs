//! Activities that are done several times.

use std::sync::Arc;

use orloj_expr::{Expression, Language};
use orloj_types::Value;
use orloj_xml::quoted;

use crate::graph::{
    Aggregated, AggregatedSource, Aggregation, Items, MultiInstance, OutputCollection,
};
use crate::options::Dialect;
use crate::read::context::{Context, Node, Subject, Written, bpmn_child};
use crate::read::dialect::ZEEBE;
use crate::read::expression::{failing, is_uel, is_zeebe_expression, text};
use crate::read::extension::extension_elements;
use crate::read::parameter::variable;

impl<'a> Context<'a> {
    /// `Err`: there is a loop and it cannot be read.
    pub fn multi_instance(&mut self, subject: &Subject<'a>) -> Result<Option<MultiInstance>, ()> {
        let Some(node) = bpmn_child(subject.node, "multiInstanceLoopCharacteristics") else {
            return Ok(None);
        };
        let sequential = self.attribute(node, "isSequential");
        let is_sequential = sequential.is_some_and(|flag| flag.text == "true");
        let mut multi = match self.dialect {
            Dialect::Zeebe => self.zeebe_loop(subject, node),
            Dialect::Camunda7 => self.camunda_loop(subject, node),
            Dialect::Flowable => self.flowable_loop(subject, node),
        }
        .ok_or(())?;
        multi.is_sequential = is_sequential;
        if let Some(condition) = bpmn_child(node, "completionCondition") {
            multi.completion = self.completion(subject, condition)?;
        }
        Ok(Some(multi))
    }

    fn completion(
        &mut self,
        subject: &Subject<'a>,
        condition: Node<'a>,
    ) -> Result<Option<Expression>, ()> {
        if self.dialect == Dialect::Zeebe {
            return self.zeebe_completion(subject, condition).map(Some).ok_or(());
        }
        let written = self.whole_content(condition);
        if written.text.is_empty() {
            return Ok(None);
        }
        let value = self.late_value(subject, &written).ok_or(())?;
        Ok(Some(self.unless_padded(subject, &written, value)))
    }

    /// DIFFERENCE: a fixed text is text here, even `true`, and no condition.
    fn zeebe_completion(
        &mut self,
        subject: &Subject<'a>,
        condition: Node<'a>,
    ) -> Option<Expression> {
        let written = self.content(condition);
        match is_zeebe_expression(&written.text) {
            true => self.value(subject, &written),
            false => Some(text(&written.text)),
        }
    }

    fn zeebe_loop(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<MultiInstance> {
        let mut found =
            extension_elements(node).filter(|n| n.has_tag_name((ZEEBE, "loopCharacteristics")));
        let (extension, second) = (found.next(), found.next());
        let Some(extension) = extension.filter(|_| second.is_none()) else {
            let message = format!(
                "multi-instance {} must have exactly one zeebe:loopCharacteristics",
                subject.title()
            );
            self.error_at(subject, node.range().start, "loop-without-items", message);
            return None;
        };
        let given = |ctx: &Self, name: &str| {
            ctx.own_attribute(extension, name).filter(|found| !found.text.is_empty())
        };
        let Some(collection) = given(self, "inputCollection") else {
            self.loop_without_items(subject, node);
            return None;
        };
        let collection = self.expression_required(subject, &collection, "inputCollection")?;
        let variable = given(self, "inputElement").map(|name| Arc::from(&*name.text));
        let output = match (given(self, "outputCollection"), given(self, "outputElement")) {
            (Some(variable), Some(element)) => Some(OutputCollection {
                variable: Arc::from(&*variable.text),
                element: self.expression_required(subject, &element, "outputElement")?,
            }),
            (None, None) => None,
            _ => {
                let message = format!(
                    "outputCollection and outputElement of {} need each other",
                    subject.title()
                );
                self.error_at(subject, extension.range().start, "output-incomplete", message);
                return None;
            }
        };
        let mut multi = MultiInstance::of(Items::Collection { collection, variable });
        multi.output = output;
        Some(multi)
    }

    fn camunda_loop(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<MultiInstance> {
        let collection = self.extension_attribute(node, "collection");
        let collection = collection.or_else(|| self.text_of_child(node, "loopDataInputRef"));
        let variable = self.extension_attribute(node, "elementVariable");
        let variable = variable.or_else(|| self.input_data_item(node));
        let is_blank =
            collection.as_ref().is_some_and(|collection| collection.text.trim().is_empty());
        let items = match (bpmn_child(node, "loopCardinality"), collection) {
            // The number of instances counts before the items.
            (Some(cardinality), None) => {
                if let Some(variable) = variable {
                    let message = format!(
                        "the loop of {} has an element variable but no collection",
                        subject.title()
                    );
                    self.error_at(subject, variable.offset, "loop-without-items", message);
                    return None;
                }
                self.cardinality(subject, cardinality)?
            }
            // The variable without a name is looked for only where there is no number.
            (Some(cardinality), Some(_)) if is_blank => self.cardinality(subject, cardinality)?,
            (None, Some(collection)) if is_blank => {
                let message = format!("the collection of {} is empty", subject.title());
                self.warn_at(subject, collection.offset, "loop-without-items", message);
                Items::Cardinality(Expression::constant(Value::Null))
            }
            (_, Some(collection)) => {
                let collection = self.collection(subject, &collection)?;
                let variable = variable.map(|name| Arc::from(&*name.text));
                Items::Collection { collection, variable }
            }
            (None, None) => {
                self.loop_without_items(subject, node);
                return None;
            }
        };
        let mut multi = MultiInstance::of(items);
        multi.inner_before = self.async_before(node);
        multi.inner_after = self.async_after(node);
        Some(multi)
    }

    fn flowable_loop(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<MultiInstance> {
        let given = |found: Option<Written<'a>>| found.filter(|found| !found.text.is_empty());
        let collection = given(self.extension_attribute(node, "collection"));
        let collection = collection.or_else(|| given(self.text_of_child(node, "loopDataInputRef")));
        let variable = given(self.extension_attribute(node, "elementVariable"));
        let variable = variable.or_else(|| given(self.input_data_item(node)));
        let cardinality = bpmn_child(node, "loopCardinality")
            .filter(|node| !self.whole_content(*node).text.is_empty());
        let by_handler = extension_elements(node).find(|e| e.tag_name().name() == "collection");
        let is_coded = match by_handler {
            Some(handler) => self.is_handled_by_code(subject, handler)?,
            None => false,
        };
        // What the element holds counts where no attribute names a collection.
        let inside = by_handler.and_then(|handler| self.collection_inside(handler));
        let items = match (cardinality, collection.or(inside)) {
            (Some(cardinality), _) => self.cardinality(subject, cardinality)?,
            (None, None) => return self.flowable_loop_without_items(subject, node),
            // Nobody computes the items: a token that comes fails.
            (None, Some(_)) if is_coded => {
                Items::Cardinality(failing("nothing here computes the items of the loop"))
            }
            (None, Some(collection)) => {
                let collection = self.collection(subject, &collection)?;
                let variable = variable.map(|name| Arc::from(&*name.text));
                Items::Collection { collection, variable }
            }
        };
        let mut multi = MultiInstance::of(items);
        multi.inner_before = self.async_before(subject.node);
        let watched = self.extension_attribute(node, "noWaitStatesAsyncLeave");
        multi.is_watched =
            multi.inner_before.is_some() && watched.is_some_and(|flag| self.is_true(&flag.text));
        let index = given(self.extension_attribute(node, "elementIndexVariable"));
        multi.index_variable = index.map(|name| Arc::from(&*name.text));
        multi.aggregations = self.aggregations(subject, node);
        Some(multi)
    }

    /// Flowable looks only at the loops of the process itself; those of a subprocess fail when a
    /// token comes.
    fn flowable_loop_without_items(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
    ) -> Option<MultiInstance> {
        let parent = subject.node.parent_element();
        if parent.is_some_and(|parent| parent.tag_name().name() == "process") {
            self.loop_without_items(subject, node);
            return None;
        }
        let message = format!("the loop of {} has neither a number nor items", subject.title());
        self.warn_at(subject, node.range().start, "loop-without-items", message);
        Some(MultiInstance::of(Items::Cardinality(Expression::constant(Value::Null))))
    }

    /// DIFFERENCE: Flowable lets code of the application turn a text into a collection. There is
    /// none here. A text that no code is named for cannot be deployed.
    fn is_handled_by_code(&mut self, subject: &Subject<'a>, handler: Node<'a>) -> Option<bool> {
        let named = |name| self.own_attribute(handler, name).filter(|code| !code.text.is_empty());
        let code = named("class").or_else(|| named("delegateExpression"));
        if let Some(code) = code {
            let message = format!(
                "the items of {} are computed by {}, which has no effect here; they cannot be used",
                subject.title(),
                quoted(&code.text)
            );
            self.warn_at(subject, code.offset, "collection-handler-unsupported", message);
            return Some(true);
        }
        if handler.children().any(|child| child.tag_name().name() == "string") {
            let message =
                format!("nothing says how the items of {} are read from a text", subject.title());
            self.error_at(subject, handler.range().start, "collection-handler-missing", message);
            return None;
        }
        Some(false)
    }

    fn collection_inside(&self, handler: Node<'a>) -> Option<Written<'a>> {
        let mut inside = handler.children().filter(|child| child.is_element());
        let child = inside.find(|c| matches!(c.tag_name().name(), "string" | "expression"))?;
        Some(self.content(child)).filter(|text| !text.text.is_empty())
    }

    fn aggregations(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Vec<Aggregation> {
        let found = extension_elements(node)
            .filter(|element| element.tag_name().name() == "variableAggregation");
        let found: Vec<_> = found.collect();
        found.into_iter().filter_map(|node| self.aggregation(subject, node)).collect()
    }

    /// What code of the application would gather is gathered by nobody.
    fn aggregation(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Aggregation> {
        let is_coded = self.own_attribute(node, "class").is_some()
            || self.own_attribute(node, "delegateExpression").is_some();
        let mut variables = Vec::new();
        let children = node.children().filter(|child| child.tag_name().name() == "variable");
        for child in children.filter(|_| !is_coded) {
            variables.push(self.aggregated(subject, child)?);
        }
        let target = self.aggregation_target(subject, node)?;
        if variables.is_empty() || target.is_none() {
            let message = format!("the variable aggregation of {} cannot be made", subject.title());
            self.warn_at(subject, node.range().start, "aggregation-unusable", message);
        }
        let overview = self.own_attribute(node, "createOverviewVariable");
        let creates_overview = overview.is_some_and(|flag| self.is_true(&flag.text));
        let transient = self.own_attribute(node, "storeAsTransientVariable");
        let is_transient = transient.is_some_and(|flag| self.is_true(&flag.text));
        Some(Aggregation { target, variables, creates_overview, is_transient })
    }

    /// `targetExpression` computes the name. An expression as `target` is set: it may be nothing
    /// but a variable.
    fn aggregation_target(
        &mut self,
        subject: &Subject<'a>,
        node: Node<'a>,
    ) -> Option<Option<Expression>> {
        if let Some(written) = self.own_attribute(node, "targetExpression") {
            return self.value(subject, &written).map(Some);
        }
        let target = self.own_attribute(node, "target");
        let Some(target) = target.filter(|target| !target.text.is_empty()) else {
            return Some(None);
        };
        let inside = target.text.strip_prefix("${").or(target.text.strip_prefix("#{"));
        let name = match inside.map(|inside| inside.strip_suffix('}').unwrap_or_default().trim()) {
            None if is_uel(&target.text) => None,
            None => Some(&*target.text),
            Some(name) => Some(name).filter(|name| is_variable_name(name)),
        };
        Some(name.map(|name| Expression::constant(Value::from(name))))
    }

    fn aggregated(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Aggregated> {
        let given = |found: Option<Written<'a>>| found.filter(|found| !found.text.is_empty());
        let computed = given(self.own_attribute(node, "sourceExpression"));
        let source = match (given(self.own_attribute(node, "source")), computed) {
            (Some(variable), _) => AggregatedSource::Variable(Arc::from(&*variable.text)),
            (None, Some(computed)) => AggregatedSource::Value(self.value(subject, &computed)?),
            (None, None) => AggregatedSource::Nothing,
        };
        let computed = given(self.own_attribute(node, "targetExpression"));
        let name = match (given(self.own_attribute(node, "target")), computed) {
            (Some(name), _) => Some(Expression::constant(Value::from(&*name.text))),
            (None, Some(computed)) => Some(self.value(subject, &computed)?),
            (None, None) => None,
        };
        Some(Aggregated { source, name })
    }

    fn cardinality(&mut self, subject: &Subject<'a>, node: Node<'a>) -> Option<Items> {
        let written = self.whole_content(node);
        if written.text.is_empty() {
            let message = format!("the loopCardinality of {} is empty", subject.title());
            self.error_at(subject, node.range().start, "loop-without-items", message);
            return None;
        }
        let number = self.value(subject, &written)?;
        Some(Items::Cardinality(self.unless_padded(subject, &written, number)))
    }

    /// An expression, or the name of a variable.
    fn collection(&mut self, subject: &Subject<'a>, written: &Written<'a>) -> Option<Expression> {
        match is_uel(&written.text) {
            true => self.value(subject, written),
            false => self.variable(subject, written),
        }
    }

    fn variable(&mut self, subject: &Subject<'a>, written: &Written<'a>) -> Option<Expression> {
        let name = written.text.trim();
        // Camunda takes white space for a part of the name.
        if self.dialect == Dialect::Camunda7 && name != written.text {
            return Some(variable(&written.text));
        }
        let parsed = Expression::parse(Language::Uel, &format!("${{{name}}}"));
        self.parsed(subject, written, parsed)
    }

    fn text_of_child(&self, node: Node<'a>, name: &str) -> Option<Written<'a>> {
        bpmn_child(node, name).map(|child| self.content(child))
    }

    fn input_data_item(&self, node: Node<'a>) -> Option<Written<'a>> {
        let item = bpmn_child(node, "inputDataItem")?;
        match self.dialect {
            Dialect::Flowable => self
                .attribute(item, "name")
                .or_else(|| Some(self.content(item)).filter(|text| !text.text.is_empty())),
            Dialect::Camunda7 | Dialect::Zeebe => self.attribute(item, "name"),
        }
    }

    fn loop_without_items(&mut self, subject: &Subject<'a>, node: Node<'a>) {
        let message = format!("the loop of {} has neither a number nor items", subject.title());
        self.error_at(subject, node.range().start, "loop-without-items", message);
    }
}

fn is_variable_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}
