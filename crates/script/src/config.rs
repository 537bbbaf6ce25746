use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The class whose listing makes `execution` visible under a white list.
pub(crate) const EXECUTION_CLASSES: &[&str] = &[
    "org.flowable.engine.impl.persistence.entity.ExecutionEntityImpl",
    "org.flowable.engine.delegate.DelegateExecution",
];
pub(crate) const TASK_CLASSES: &[&str] = &[
    "org.flowable.task.service.impl.persistence.entity.TaskEntityImpl",
    "org.flowable.task.service.delegate.DelegateTask",
];

/// Bytes of stack that one call of a script is taken to need; QuickJS bounds bytes, not calls.
const STACK_BYTES_PER_CALL: u64 = 1_024;
/// What the engine itself needs to compile the world that a script may touch.
const STACK_BYTES_MIN: u64 = 256 << 10;
/// A child's main thread has 8 MB; the engine's own C code needs some above the limit.
const STACK_BYTES_MAX: u64 = 4 << 20;
/// An engine with its standard objects takes about 300 KB before a script has done anything.
const MEMORY_BYTES_MIN: u64 = 1 << 20;
const MEMORY_BYTES_MAX: u64 = 512 << 20;

/// Flowable's secure scripting, property by property. `-1` stands for the default limit: a script
/// without any limit does not exist here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SecureScripting {
    /// Only classes of `white_listed_classes` are visible. Also on when that list is given.
    pub enable_class_white_listing: bool,
    pub white_listed_classes: Option<BTreeSet<String>>,
    /// Milliseconds.
    pub max_script_execution_time: i64,
    /// Bytes, the engine's own included.
    pub max_memory_used: i64,
    /// Nested calls.
    pub max_stack_depth: i64,
    /// Accepted and without effect: limits are looked at by the engine itself, at loops and calls.
    pub nr_of_instructions_before_state_check_callback: i64,
    /// Accepted and without effect: there is one way to run a script.
    pub script_optimization_level: i64,
    /// Accepted; there are no beans in the sandbox, so that none becomes visible.
    pub enable_access_to_beans: bool,
}

impl Default for SecureScripting {
    fn default() -> Self {
        Self {
            enable_class_white_listing: false,
            white_listed_classes: None,
            max_script_execution_time: -1,
            max_memory_used: -1,
            max_stack_depth: -1,
            nr_of_instructions_before_state_check_callback: 100,
            script_optimization_level: -1,
            enable_access_to_beans: false,
        }
    }
}

impl SecureScripting {
    /// `None`: every class that is supported at all is visible.
    pub fn white_list(&self) -> Option<BTreeSet<String>> {
        match &self.white_listed_classes {
            Some(classes) => Some(classes.clone()),
            None => self.enable_class_white_listing.then(BTreeSet::new),
        }
    }

    pub fn shows_execution(&self) -> bool {
        self.shows(EXECUTION_CLASSES)
    }

    pub fn shows_task(&self) -> bool {
        self.shows(TASK_CLASSES)
    }

    fn shows(&self, classes: &[&str]) -> bool {
        self.white_list().is_none_or(|list| classes.iter().any(|class| list.contains(*class)))
    }

    pub fn limits(&self) -> Limits {
        let default = Limits::default();
        let given = |value: i64| u64::try_from(value).ok().filter(|value| *value > 0);
        Limits {
            time_ms: given(self.max_script_execution_time).unwrap_or(default.time_ms),
            memory_bytes: given(self.max_memory_used)
                .map_or(default.memory_bytes, |b| b.clamp(MEMORY_BYTES_MIN, MEMORY_BYTES_MAX)),
            stack_bytes: given(self.max_stack_depth).map_or(default.stack_bytes, |depth| {
                depth.saturating_mul(STACK_BYTES_PER_CALL).clamp(STACK_BYTES_MIN, STACK_BYTES_MAX)
            }),
            ..default
        }
    }
}

impl SecureScripting {
    /// What of it is not done as it says, to be told to whoever configured it.
    pub fn warnings(&self) -> Vec<String> {
        let default = Self::default();
        let limits = self.limits();
        let mut warnings = Vec::new();
        let mut without_effect = |name: &str, is_set: bool, reason: &str| {
            if is_set {
                warnings.push(format!("{name} has no effect: {reason}"));
            }
        };
        without_effect(
            "nrOfInstructionsBeforeStateCheckCallback",
            self.nr_of_instructions_before_state_check_callback
                != default.nr_of_instructions_before_state_check_callback,
            "the engine itself looks at the limits, at loops and calls",
        );
        without_effect(
            "scriptOptimizationLevel",
            self.script_optimization_level != default.script_optimization_level,
            "there is one way to run a script",
        );
        without_effect(
            "enableAccessToBeans",
            self.enable_access_to_beans,
            "there are no beans in the sandbox",
        );
        let memory = u64::try_from(self.max_memory_used).unwrap_or(0);
        if memory > 0 && limits.memory_bytes != memory {
            let used = limits.memory_bytes;
            warnings.push(format!("maxMemoryUsed of {memory} bytes is taken as {used}"));
        }
        let depth = u64::try_from(self.max_stack_depth).unwrap_or(0);
        if depth > 0 && limits.stack_bytes != depth.saturating_mul(STACK_BYTES_PER_CALL) {
            let used = limits.stack_bytes / STACK_BYTES_PER_CALL;
            warnings.push(format!("maxStackDepth of {depth} calls is taken as {used}"));
        }
        for (name, value) in [
            ("maxScriptExecutionTime", self.max_script_execution_time),
            ("maxMemoryUsed", self.max_memory_used),
            ("maxStackDepth", self.max_stack_depth),
        ] {
            if value == 0 || value < -1 {
                warnings.push(format!("{name} of {value} is no limit; the default applies"));
            }
        }
        warnings
    }
}

/// What one JavaScript may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub time_ms: u64,
    pub memory_bytes: u64,
    pub stack_bytes: u64,
    /// Rounds of 10,000 loop turns and calls, which is how often the engine asks.
    pub rounds: u64,
    pub printed_bytes: u64,
    /// Of the value and all effects together.
    pub answer_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time_ms: 1_000,
            memory_bytes: 32 << 20,
            stack_bytes: 512 << 10,
            rounds: 100_000,
            printed_bytes: 64 << 10,
            answer_bytes: 4 << 20,
        }
    }
}

impl Limits {
    pub fn time(&self) -> Duration {
        Duration::from_millis(self.time_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_properties_have_flowables_names() {
        let config: SecureScripting = serde_json::from_str(
            r#"{"enableClassWhiteListing": true, "whiteListedClasses": ["java.util.ArrayList"],
                "maxScriptExecutionTime": 3000, "maxMemoryUsed": 3145728, "maxStackDepth": 10,
                "nrOfInstructionsBeforeStateCheckCallback": 10, "scriptOptimizationLevel": -1,
                "enableAccessToBeans": false}"#,
        )
        .expect("every property is known");
        let limits = config.limits();
        assert_eq!((limits.time_ms, limits.memory_bytes), (3_000, 3_145_728));
        assert_eq!(limits.stack_bytes, STACK_BYTES_MIN);
        assert!(!config.shows_execution());
        assert!(serde_json::from_str::<SecureScripting>(r#"{"maxTime": 1}"#).is_err());
    }

    #[test]
    fn what_is_not_done_is_said() {
        assert_eq!(SecureScripting::default().warnings(), Vec::<String>::new());
        let config = SecureScripting {
            max_script_execution_time: 0,
            max_memory_used: 1_000,
            max_stack_depth: 10,
            nr_of_instructions_before_state_check_callback: 10,
            script_optimization_level: 1,
            enable_access_to_beans: true,
            ..SecureScripting::default()
        };
        assert_eq!(
            config.warnings(),
            [
                "nrOfInstructionsBeforeStateCheckCallback has no effect: the engine itself looks \
                 at the limits, at loops and calls",
                "scriptOptimizationLevel has no effect: there is one way to run a script",
                "enableAccessToBeans has no effect: there are no beans in the sandbox",
                "maxMemoryUsed of 1000 bytes is taken as 1048576",
                "maxStackDepth of 10 calls is taken as 256",
                "maxScriptExecutionTime of 0 is no limit; the default applies",
            ]
        );
        let within = SecureScripting {
            max_memory_used: 3 << 20,
            max_stack_depth: 1_000,
            ..SecureScripting::default()
        };
        assert_eq!(within.warnings(), Vec::<String>::new());
    }

    #[test]
    fn a_list_alone_turns_white_listing_on() {
        let listed = |class: &str| SecureScripting {
            white_listed_classes: Some(BTreeSet::from([class.to_owned()])),
            ..SecureScripting::default()
        };
        assert!(!listed("java.util.ArrayList").shows_execution());
        assert!(listed(EXECUTION_CLASSES[0]).shows_execution());
        assert!(SecureScripting::default().shows_execution());
    }
}
