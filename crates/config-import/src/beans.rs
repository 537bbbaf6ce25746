//! Beans of Spring: engine configurations, executors, and what they refer to.

use std::collections::HashMap;

use orloj_settings::properties::find_property;
use orloj_settings::{Kind, Severity, System, Value};
use roxmltree::Node;

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
    Beans(Vec<Node<'a, 'i>>),
    /// A bean that is not in this file.
    Absent(String),
}

impl<'f, 'a, 'i> Beans<'f, 'a, 'i> {
    pub fn read(file: &'f str, gathered: &'f mut Gathered, root: Node<'a, 'i>) {
        let all = || root.descendants().filter(|node| node.tag_name().name() == "bean");
        let by_id = all()
            .filter_map(|bean| Some((bean.attribute("id").or(bean.attribute("name"))?, bean)))
            .collect();
        let mut beans = Self { file, gathered, by_id };
        let mut engines = all().filter(|bean| is_engine(class(*bean)));
        let Some(first) = engines.next() else {
            // Executors alone are worth something too.
            let mut is_any = false;
            for bean in all().filter(|bean| matches!(role(*bean), Role::Ours(_))) {
                is_any = true;
                beans.bean(bean, 0);
            }
            if !is_any {
                let message = "no engine configuration or executor among the beans".to_owned();
                let place = place(file, root);
                beans.gathered.error(place, message);
            }
            return;
        };
        beans.bean(first, 0);
        for other in engines {
            let place = place(file, other);
            beans
                .gathered
                .error(place, "a second engine configuration; import them apart".to_owned());
        }
    }

    fn bean(&mut self, bean: Node<'a, 'i>, depth: usize) {
        let at = place(self.file, bean);
        if depth > DEPTH_MAX {
            return self.gathered.error(at, "beans refer to each other in a ring".to_owned());
        }
        let Role::Ours(system) = role(bean) else { return };
        self.gathered.see(system);
        // What the parent says holds where the child is silent.
        if let Some(parent) = bean.attribute("parent").and_then(|id| self.by_id.get(id).copied()) {
            let own: Vec<String> = self.written(bean).into_iter().map(|w| w.name).collect();
            let inherited = self.written(parent);
            let inherited = inherited.into_iter().filter(|w| !own.contains(&w.name)).collect();
            self.take(system, inherited, depth);
        }
        let written = self.written(bean);
        self.take(system, written, depth);
    }

    fn take(&mut self, system: System, written: Vec<Written<'a, 'i>>, depth: usize) {
        for Written { name, place, value } in written {
            match value {
                Given::Plain(value) => {
                    self.gathered.property(system, Scope::All, &name, value, place);
                }
                Given::Bean(bean) => self.inner(system, &name, place, bean, depth),
                Given::Beans(beans) => {
                    for bean in beans {
                        self.inner(system, &name, place.clone(), bean, depth);
                    }
                }
                Given::Absent(id) => self.absent(system, &name, place, &id),
            }
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
        match role(bean) {
            Role::Ours(_) => self.bean(bean, depth + 1),
            Role::Pool => self.pool(system, bean),
            Role::Other => self.class(system, name, place, class(bean)),
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
    fn class(&mut self, system: System, name: &str, place: String, class: &str) {
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
                let beans: Vec<_> = elements(child)
                    .filter_map(|item| match item.tag_name().name() {
                        "bean" => Some(item),
                        "ref" => self.by_id.get(item.attribute("bean")?).copied(),
                        _ => None,
                    })
                    .collect();
                if beans.is_empty() {
                    let items = elements(child).map(|item| Value::text(text(item)));
                    Given::Plain(Value::List(items.collect()))
                } else {
                    Given::Beans(beans)
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

fn class<'a>(bean: Node<'a, '_>) -> &'a str {
    bean.attribute("class").unwrap_or_default()
}

fn is_engine(class: &str) -> bool {
    system_of(class).is_some() && class.ends_with("ProcessEngineConfiguration")
}

fn role(bean: Node<'_, '_>) -> Role {
    let class = class(bean);
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
