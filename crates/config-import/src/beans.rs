//! Beans of Spring: engine configurations, executors, and what they refer to.

use std::collections::{HashMap, HashSet};

use orloj_settings::properties::find_property;
use orloj_settings::{Kind, Severity, System, Value};
use roxmltree::{Node, NodeId};

use crate::descriptor::{elements, place, text};
use crate::gathered::{Gathered, Scope};

/// `p:name="value"` is short for a property.
const SHORT: &str = "http://www.springframework.org/schema/p";
/// Beans that refer to each other in a ring end somewhere.
const DEPTH_MAX: usize = 8;
/// Of Spring's own pool, which an executor may borrow, and what an executor calls it.
const POOL: &[(&str, &str, i64)] = &[
    ("corePoolSize", "corePoolSize", 1),
    ("maxPoolSize", "maxPoolSize", 1),
    ("queueCapacity", "queueSize", 1),
    ("keepAliveSeconds", "keepAliveTime", 1_000),
];

pub struct Beans<'f, 'a, 'i> {
    file: &'f str,
    gathered: &'f mut Gathered,
    by_id: HashMap<&'a str, Node<'a, 'i>>,
    /// Beans that something was said about.
    seen: HashSet<NodeId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// An engine or one of its executors: all of its properties are ours.
    Ours(System),
    /// Spring's own pool.
    Pool,
    Other,
}

/// A property of a bean, however it is written.
struct Written<'a, 'i> {
    name: String,
    place: String,
    value: Given<'a, 'i>,
}

enum Given<'a, 'i> {
    Plain(Value),
    Bean(Node<'a, 'i>),
    /// Of a list with beans among its items.
    Each(Vec<Given<'a, 'i>>),
    /// A bean that is not in this file.
    Absent(String),
}

impl<'f, 'a, 'i> Beans<'f, 'a, 'i> {
    pub fn read(file: &'f str, gathered: &'f mut Gathered, root: Node<'a, 'i>) {
        let all = || root.descendants().filter(|node| node.tag_name().name() == "bean");
        let by_id = all()
            .filter_map(|bean| Some((bean.attribute("id").or(bean.attribute("name"))?, bean)))
            .collect();
        let mut beans = Self { file, gathered, by_id, seen: HashSet::new() };
        // What others only inherit from is no engine of its own.
        let is_whole = |bean: &Node<'a, 'i>| bean.attribute("abstract") != Some("true");
        let whole: Vec<_> = all().filter(is_whole).collect();
        let mut engines = whole.iter().filter(|bean| is_engine(beans.class(**bean)));
        let Some(first) = engines.next().copied() else {
            // Executors alone are worth something too.
            let ours = whole.iter().filter(|bean| matches!(beans.role(**bean), Role::Ours(_)));
            let ours: Vec<_> = ours.copied().collect();
            if ours.is_empty() {
                let message = "no engine configuration or executor among the beans".to_owned();
                let place = place(file, root);
                return beans.gathered.error(place, message);
            }
            ours.into_iter().for_each(|bean| beans.bean(bean, 0));
            return beans.left_out(root);
        };
        let others: Vec<_> = engines.copied().collect();
        beans.bean(first, 0);
        for other in others {
            beans.seen.insert(other.id());
            let place = place(file, other);
            beans
                .gathered
                .error(place, "a second engine configuration; import them apart".to_owned());
        }
        beans.left_out(root);
    }

    /// Beans of the file that neither are an engine nor belong to one.
    fn left_out(&mut self, root: Node<'a, 'i>) {
        let beans = root.descendants().filter(|node| node.tag_name().name() == "bean");
        // One inside of another is told of with that one.
        let is_outer = |bean: &Node<'a, 'i>| {
            bean.parent_element().is_some_and(|parent| parent.tag_name().name() == "beans")
        };
        for bean in beans.filter(is_outer).filter(|bean| !self.seen.contains(&bean.id())) {
            let id = bean.attribute("id").or(bean.attribute("name")).unwrap_or_default();
            let (what, class) = (format!("bean {id}"), self.class(bean));
            let (severity, message) = match (self.role(bean), class, bean.attribute("parent")) {
                (Role::Ours(_), class, _) => {
                    (Severity::Warning, format!("{class} was not taken: no engine refers to it"))
                }
                (_, "", Some(parent)) if !self.by_id.contains_key(parent) => {
                    let message = format!(
                        "was not taken: it has no class, and its parent '{parent}' is not in this \
                         file"
                    );
                    (Severity::Warning, message)
                }
                (_, "", _) => (Severity::Note, "was not taken: it has no class".to_owned()),
                (_, class, _) => {
                    (Severity::Note, format!("{class} was not taken: it is not of the engine"))
                }
            };
            let place = place(self.file, bean);
            self.gathered.note(severity, what.trim_end(), &place, message);
        }
    }

    /// Its own, or else that of the nearest it inherits from.
    fn class(&self, bean: Node<'a, 'i>) -> &'a str {
        self.line(bean).find_map(|bean| bean.attribute("class")).unwrap_or_default()
    }

    /// A bean and those it inherits from, nearest first.
    fn line(&self, bean: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
        let parent = |bean: &Node<'a, 'i>| self.by_id.get(bean.attribute("parent")?).copied();
        std::iter::successors(Some(bean), parent).take(DEPTH_MAX + 1)
    }

    fn role(&self, bean: Node<'a, 'i>) -> Role {
        role(self.class(bean))
    }

    fn bean(&mut self, bean: Node<'a, 'i>, depth: usize) {
        let at = place(self.file, bean);
        if depth > DEPTH_MAX {
            return self.gathered.error(at, "beans refer to each other in a ring".to_owned());
        }
        let Role::Ours(system) = self.role(bean) else { return };
        self.gathered.see(system);
        let line: Vec<_> = self.line(bean).collect();
        if line.len() > DEPTH_MAX {
            let message = format!("inherits over more than {DEPTH_MAX} beans, or in a ring");
            return self.gathered.error(at, message);
        }
        // What a parent says holds where the child is silent.
        let mut said: HashSet<String> = HashSet::new();
        for bean in line {
            self.seen.insert(bean.id());
            let mut written = self.written(bean);
            written.retain(|one| !said.contains(&one.name));
            said.extend(written.iter().map(|one| one.name.clone()));
            self.take(system, written, depth);
        }
    }

    fn take(&mut self, system: System, written: Vec<Written<'a, 'i>>, depth: usize) {
        for Written { name, place, value } in written {
            self.take_one(system, &name, place, value, depth);
        }
    }

    fn take_one(
        &mut self,
        system: System,
        name: &str,
        place: String,
        value: Given<'a, 'i>,
        depth: usize,
    ) {
        match value {
            Given::Plain(value) => self.gathered.property(system, Scope::All, name, value, place),
            Given::Bean(bean) => self.inner(system, name, place, bean, depth),
            Given::Each(items) => {
                for item in items {
                    self.take_one(system, name, place.clone(), item, depth);
                }
            }
            Given::Absent(id) => self.absent(system, name, place, &id),
        }
    }

    /// A property whose value is a bean.
    fn inner(
        &mut self,
        system: System,
        name: &str,
        place: String,
        bean: Node<'a, 'i>,
        depth: usize,
    ) {
        self.seen.insert(bean.id());
        match self.role(bean) {
            Role::Ours(_) => self.bean(bean, depth + 1),
            Role::Pool => self.pool(system, bean),
            Role::Other => self.of_class(system, name, place, self.class(bean)),
        }
    }

    fn pool(&mut self, system: System, bean: Node<'a, 'i>) {
        for Written { name, place, value } in self.written(bean) {
            let known = POOL.iter().find(|(theirs, _, _)| *theirs == name);
            match (known, value) {
                (Some((_, ours, factor)), Given::Plain(Value::Text(text))) => {
                    let number = text.trim().parse::<i64>().ok();
                    let value = number.and_then(|number| number.checked_mul(*factor));
                    let value = value.map_or(Value::Text(text), Value::Number);
                    self.gathered.property(system, Scope::All, ours, value, place);
                }
                _ => {
                    let message = "was not taken: jobs do not run in a pool of threads".to_owned();
                    self.gathered.note(Severity::Note, &name, &place, message);
                }
            }
        }
    }

    /// Some classes are known by name; others are somebody's own.
    fn of_class(&mut self, system: System, name: &str, place: String, class: &str) {
        match find_property(system, name, false) {
            Some(property) if property.kind != Kind::Object => {
                if property.words.iter().any(|(theirs, _)| *theirs == class) {
                    let value = Value::text(class);
                    self.gathered.property(system, Scope::All, name, value, place);
                } else {
                    let message = format!("{class} was not taken: it is a class of your own");
                    self.gathered.note(Severity::Warning, name, &place, message);
                }
            }
            _ => self.gathered.property(system, Scope::All, name, Value::text(class), place),
        }
    }

    fn absent(&mut self, system: System, name: &str, place: String, id: &str) {
        match find_property(system, name, false) {
            Some(property) if property.kind == Kind::Object => {
                self.gathered.property(system, Scope::All, name, Value::text(id), place);
            }
            Some(_) => {
                let message = format!("the bean '{id}' is not in this file and was not taken");
                self.gathered.note(Severity::Warning, name, &place, message);
            }
            None => self.gathered.unknown(system, name, place),
        }
    }

    fn written(&mut self, bean: Node<'a, 'i>) -> Vec<Written<'a, 'i>> {
        let mut all = Vec::new();
        for attribute in bean.attributes().filter(|a| a.namespace() == Some(SHORT)) {
            let at = place(self.file, bean);
            let (name, value) = match attribute.name().strip_suffix("-ref") {
                Some(name) => (name, self.referred(attribute.value())),
                None => (attribute.name(), Given::Plain(Value::text(attribute.value()))),
            };
            all.push(Written { name: name.to_owned(), place: at, value });
        }
        for property in elements(bean).filter(|node| node.tag_name().name() == "property") {
            let at = place(self.file, property);
            match property.attribute("name") {
                Some(name) => {
                    let value = self.given(property);
                    all.push(Written { name: name.to_owned(), place: at, value });
                }
                None => self.gathered.error(at, "expected <property name=\"...\">".to_owned()),
            }
        }
        all
    }

    fn referred(&self, id: &str) -> Given<'a, 'i> {
        match self.by_id.get(id) {
            Some(bean) => Given::Bean(*bean),
            None => Given::Absent(id.to_owned()),
        }
    }

    fn item(&self, item: Node<'a, 'i>) -> Given<'a, 'i> {
        match item.tag_name().name() {
            "bean" => Given::Bean(item),
            "ref" => self.referred(item.attribute("bean").unwrap_or_default()),
            _ => Given::Plain(Value::text(text(item))),
        }
    }

    fn given(&self, property: Node<'a, 'i>) -> Given<'a, 'i> {
        if let Some(value) = property.attribute("value") {
            return Given::Plain(Value::text(value));
        }
        if let Some(id) = property.attribute("ref") {
            return self.referred(id);
        }
        let Some(child) = elements(property).next() else {
            return Given::Plain(Value::text(text(property)));
        };
        match child.tag_name().name() {
            "bean" => Given::Bean(child),
            "ref" => self.referred(child.attribute("bean").unwrap_or_default()),
            "null" => Given::Plain(Value::Nothing),
            "list" | "set" | "array" => {
                let is_bean =
                    |item: &Node<'a, 'i>| matches!(item.tag_name().name(), "bean" | "ref");
                if elements(child).any(|item| is_bean(&item)) {
                    Given::Each(elements(child).map(|item| self.item(item)).collect())
                } else {
                    let items = elements(child).map(|item| Value::text(text(item)));
                    Given::Plain(Value::List(items.collect()))
                }
            }
            "map" | "props" => {
                let entries = elements(child).filter_map(|entry| {
                    let value = entry.attribute("value").map_or_else(|| text(entry), str::to_owned);
                    Some((entry.attribute("key")?.to_owned(), Value::text(value)))
                });
                Given::Plain(Value::Table(entries.collect()))
            }
            _ => Given::Plain(Value::text(text(property))),
        }
    }
}

fn is_engine(class: &str) -> bool {
    system_of(class).is_some() && class.ends_with("ProcessEngineConfiguration")
}

fn role(class: &str) -> Role {
    let name = class.rsplit('.').next().unwrap_or_default();
    let is_executor = name.ends_with("JobExecutor")
        || name.ends_with("AsyncExecutor")
        || name.ends_with("AsyncJobExecutorConfiguration")
        || name.ends_with("AsyncTaskExecutorConfiguration")
        || name.ends_with("AsyncTaskExecutor")
        || name == "SecureJavascriptConfigurator";
    match system_of(class) {
        Some(system) if is_executor || is_engine(class) => Role::Ours(system),
        None if name == "ThreadPoolTaskExecutor" => Role::Pool,
        _ => Role::Other,
    }
}

fn system_of(class: &str) -> Option<System> {
    if class.starts_with("org.camunda.") {
        Some(System::Camunda7)
    } else if class.starts_with("org.flowable.") {
        Some(System::Flowable)
    } else {
        None
    }
}
