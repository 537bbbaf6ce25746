//! Which property a name means.

use super::{Owner, Property, System, properties};
use crate::nearest::{folded, nearest};

/// By the name of its setter; with `is_relaxed` also as `kebab-case` and the like.
pub fn find_property(system: System, name: &str, is_relaxed: bool) -> Option<&'static Property> {
    let wanted = folded(name);
    properties().filter(|property| property.system == system && property.owner != Owner::Boot).find(
        |property| {
            if is_relaxed { folded(property.name) == wanted } else { property.name == name }
        },
    )
}

/// By its full name in Spring Boot or Quarkus, however that is spelt.
pub fn find_boot(name: &str) -> Option<&'static Property> {
    let wanted = folded_path(name);
    let is_meant = |written: &str| {
        let known = folded_path(written);
        known == wanted || known.strip_suffix('*').is_some_and(|prefix| wanted.starts_with(prefix))
    };
    let by_row = properties().find(|property| {
        let own = (property.owner == Owner::Boot).then_some(property.name);
        own.into_iter().chain(property.boot.iter().copied()).any(is_meant)
    });
    by_row.or_else(|| {
        let (system, setter) = setter_of(&wanted)?;
        find_property(system, setter, true)
    })
}

/// Prefixes below which the engine's and the executor's own names stand.
const FREE: &[(&str, System)] = &[
    ("camunda.bpm.genericproperties.properties.", System::Camunda7),
    ("quarkus.camunda.genericconfig.", System::Camunda7),
    ("quarkus.camunda.jobexecutor.genericconfig.", System::Camunda7),
    ("flowable.process.async.executor.", System::Flowable),
    ("flowable.process.", System::Flowable),
    ("flowable.", System::Flowable),
];

fn setter_of(path: &str) -> Option<(System, &str)> {
    FREE.iter().find_map(|(prefix, system)| Some((*system, path.strip_prefix(prefix)?)))
}

fn folded_path(path: &str) -> String {
    path.split('.').map(folded).collect::<Vec<_>>().join(".")
}

/// What to say about a name that is no property.
pub fn unknown(system: System, name: &str) -> String {
    let of = match system {
        System::Camunda7 => "Camunda 7",
        System::Flowable => "Flowable",
    };
    match suggestion(system, name) {
        Some(known) => format!("{of} has no property '{name}'; the nearest is '{known}'"),
        None => format!("{of} has no property '{name}'"),
    }
}

/// What was probably meant by a name that is no property.
pub fn suggestion(system: System, name: &str) -> Option<&'static str> {
    let of_system = move || properties().filter(move |property| property.system == system);
    if name.contains('.') {
        let boot = of_system().flat_map(|property| {
            let own = (property.owner == Owner::Boot).then_some(property.name);
            own.into_iter().chain(property.boot.iter().copied())
        });
        return nearest(name, boot);
    }
    nearest(name, of_system().filter(|p| p.owner != Owner::Boot).map(|property| property.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boot_names_in_every_spelling() {
        let name = |text| find_boot(text).map(|property| property.name);
        assert_eq!(name("camunda.bpm.job-execution.queue-capacity"), Some("queueSize"));
        assert_eq!(name("camunda.bpm.jobExecution.queueCapacity"), Some("queueSize"));
        assert_eq!(name("camunda.bpm.webapp.index-redirect-enabled"), Some("camunda.bpm.webapp.*"));
        assert_eq!(
            name("camunda.bpm.generic-properties.properties.history-time-to-live"),
            Some("historyTimeToLive")
        );
        assert_eq!(name("flowable.process.async.executor.core-pool-size"), Some("corePoolSize"));
        assert_eq!(name("flowable.database-schema-update"), Some("databaseSchemaUpdate"));
        assert_eq!(name("flowable.process.enable-safe-xml"), Some("enableSafeBpmnXml"));
        assert_eq!(name("flowable.cmmn.enabled"), Some("flowable.cmmn.*"));
        assert_eq!(name("camunda.bpm.job-execution.queue-size"), None);
        assert_eq!(
            suggestion(System::Camunda7, "camunda.bpm.job-execution.queue-capacty"),
            Some("camunda.bpm.job-execution.queue-capacity")
        );
    }
}
