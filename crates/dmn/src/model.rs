//! Models: parsed once, evaluated often.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use orloj_expr::{self as expr, Scope};
use orloj_types::Value;
use orloj_xml::{Places, Position, Refusal, build_tree, decode, gate};

use crate::diagnostic::{Diagnostic, Diagnostics, Problems};
use crate::eval::evaluator::Evaluator;
use crate::eval::function::{ModelFunction, outputs};
use crate::eval::session::Session;
use crate::eval::types::ModelTypes;
use crate::eval::world::World;
use crate::evaluation::{Environment, Evaluation, Level, Problem};
use crate::feel::{Feel, FlowableRules};
use crate::graph::{Graph, NodeIndex, NodeKind};
use crate::options::{Mode, Options};
use crate::read::header::{Header, normalized, read_header};
use crate::read::link::link;
use crate::read::source::Source;

/// Files that one model may consist of.
pub const FILES_MAX: usize = 100;

/// A decision model and what it imports. Clones share it.
#[derive(Clone)]
pub struct Model {
    graph: Arc<Graph>,
    /// Ids and names of what can be evaluated.
    index: Arc<HashMap<Arc<str>, NodeIndex>>,
    warnings: Arc<Diagnostics>,
}

/// Something of a model that can be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocable {
    pub kind: InvocableKind,
    pub id: Arc<str>,
    pub name: Arc<str>,
    pub position: Position,
    /// The name that its author gave to this version of a decision.
    pub version_tag: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvocableKind {
    Decision,
    Service,
    Knowledge,
}

impl Model {
    /// Reads a model. The bytes are untrusted: any input gives an answer, in time about linear in
    /// its length.
    pub fn parse(bytes: &[u8], options: &Options<'_>) -> Result<Self, Diagnostics> {
        let mut problems = Problems::default();
        let files: Vec<&[u8]> =
            std::iter::once(bytes).chain(options.imports.iter().copied()).collect();
        if files.len() > FILES_MAX {
            let message = format!("more than {FILES_MAX} files for one model");
            let code = "too-many-files";
            problems
                .push(Diagnostic::refusal(0, Refusal { position: Position::FIRST, code, message }));
            return Err(problems.into());
        }
        let texts: Vec<_> = files.iter().map(|bytes| text_of(bytes)).collect();
        let mut places = Vec::with_capacity(texts.len());
        for (file, text) in texts.iter().enumerate() {
            match text {
                Ok(text) => places.push(Places::new(text)),
                Err(refusal) => problems.push(Diagnostic::refusal(file, refusal.clone())),
            }
        }
        if problems.error_count() > 0 {
            return Err(problems.into());
        }
        let trees: Vec<_> = places
            .iter()
            .map(|places| gate::check(places).and_then(|()| build_tree(places.text())))
            .collect();
        let mut headers: Vec<Header<'_>> = Vec::with_capacity(trees.len());
        for (file, tree) in trees.iter().enumerate() {
            match tree {
                Ok(tree) => {
                    let source = Source::new(file, tree, &places[file]);
                    headers.extend(read_header(source, options.mode, &mut problems));
                }
                Err(refusal) => problems.push(Diagnostic::refusal(file, refusal.clone())),
            }
        }
        if problems.error_count() > 0 {
            return Err(problems.into());
        }
        let graph = link(&headers, (options.mode, options.lenient), &mut problems);
        let diagnostics = Diagnostics::from(problems);
        if diagnostics.has_errors() {
            return Err(diagnostics);
        }
        let index = Arc::new(index_of(&graph));
        Ok(Self { graph: Arc::new(graph), index, warnings: Arc::new(diagnostics) })
    }

    /// What is odd about the files, but no reason to refuse them.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    pub fn id(&self) -> &str {
        self.graph.files.first().map(|file| &*file.id).unwrap_or_default()
    }

    pub fn name(&self) -> &str {
        self.graph.files.first().map(|file| &*file.name).unwrap_or_default()
    }

    pub fn namespace(&self) -> &str {
        self.graph.files.first().map(|file| &*file.namespace).unwrap_or_default()
    }

    /// What the main file offers, in its order.
    pub fn invocables(&self) -> impl Iterator<Item = Invocable> + '_ {
        self.graph.nodes.iter().filter(|node| node.file == 0).filter_map(|node| {
            let kind = match node.kind {
                NodeKind::Input => return None,
                NodeKind::Decision { .. } => InvocableKind::Decision,
                NodeKind::Service(_) => InvocableKind::Service,
                NodeKind::Knowledge { .. } => InvocableKind::Knowledge,
            };
            let (id, name, position) = (node.id.clone(), node.name.clone(), node.position);
            Some(Invocable { kind, id, name, position, version_tag: node.version_tag.clone() })
        })
    }

    /// The names of the input data of the main file.
    pub fn inputs(&self) -> impl Iterator<Item = &str> + '_ {
        let nodes = self.graph.nodes.iter().filter(|node| node.file == 0);
        nodes.filter(|node| matches!(node.kind, NodeKind::Input)).map(|node| &*node.variable)
    }

    /// Evaluates a decision, a service or a knowledge model, by its id or its name. Services and
    /// knowledge models take what they need from the variables, by name.
    pub fn evaluate(
        &self,
        which: &str,
        variables: &dyn Scope,
        environment: &Environment<'_>,
    ) -> Evaluation {
        let Some(&target) = self.index.get(&normalized(which)) else {
            return unknown(which);
        };
        let session = Session::new(self.graph.clone(), environment);
        let types = ModelTypes(&session);
        let mut expressions = expr::Environment::new(variables, environment.now)
            .with_zone(environment.zone)
            .with_seed(environment.seed)
            .with_budget(environment.budget)
            .with_types(&types);
        if self.graph.mode == Mode::Flowable {
            expressions = expressions.with_host(&FlowableRules);
        }
        let mut feel = Feel::new(expressions);
        let mut world = World::new(&session, Some(variables));
        let value = self.valued(target, &session, &mut world, &mut feel);
        let rows = world.take_rows(target);
        let decisions = world.take_decisions();
        let (problems, tables) = session.finish();
        let name = self.graph.node(target).variable.clone();
        Evaluation { value, rows, name, problems, decisions, tables }
    }

    fn valued(
        &self,
        target: NodeIndex,
        session: &Arc<Session>,
        world: &mut World<'_>,
        feel: &mut Feel<'_>,
    ) -> Value {
        let node = self.graph.node(target);
        match &node.kind {
            NodeKind::Service(service) => {
                // Input decisions are given by the caller, not evaluated.
                for &input in &service.input_decisions {
                    let value = world.given_for(input, feel);
                    world.give(input, value);
                }
                let value = outputs(session, service, world, feel);
                let evaluator = Evaluator::new(session, target, feel);
                evaluator.result_of(value)
            }
            NodeKind::Knowledge { function: Some(function) } => {
                let arguments = function.names.iter().map(|name| {
                    let value = world.callers(name).unwrap_or_default();
                    (name.clone(), value)
                });
                let arguments = arguments.collect();
                let Value::Function(callee) = ModelFunction::of_node(session, target) else {
                    return Value::Null;
                };
                let evaluator = Evaluator::new(session, target, feel);
                evaluator.call_named(&callee, arguments, node.position)
            }
            _ => world.value(target, feel),
        }
    }
}

fn text_of(bytes: &[u8]) -> Result<std::borrow::Cow<'_, str>, Refusal> {
    gate::check_size(bytes)?;
    decode(bytes)
}

/// Ids before names, decisions before services and knowledge models, the main file first.
fn index_of(graph: &Graph) -> HashMap<Arc<str>, NodeIndex> {
    let mut ranked: Vec<(u8, NodeIndex)> = Vec::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        let rank = match node.kind {
            NodeKind::Input => continue,
            NodeKind::Decision { .. } => 0,
            NodeKind::Service(_) => 1,
            NodeKind::Knowledge { .. } => 2,
        };
        let rank = if node.file == 0 { rank } else { rank + 3 };
        ranked.push((rank, NodeIndex(u32::try_from(at).expect("numbered so"))));
    }
    ranked.sort_by_key(|&(rank, _)| rank);
    let mut index = HashMap::new();
    for &(_, at) in &ranked {
        let id = &graph.node(at).id;
        if !id.is_empty() {
            index.entry(id.clone()).or_insert(at);
        }
    }
    for &(_, at) in &ranked {
        index.entry(graph.node(at).name.clone()).or_insert(at);
    }
    index
}

fn unknown(which: &str) -> Evaluation {
    let problem = Problem {
        level: Level::Error,
        element: which.into(),
        file: 0,
        position: Position::FIRST,
        code: "unknown-decision",
        message: format!("there is no decision {}", orloj_xml::quoted(which)),
    };
    Evaluation { problems: vec![problem], ..Evaluation::default() }
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Model({:?}, {} elements)", self.name(), self.graph.nodes.len())
    }
}
