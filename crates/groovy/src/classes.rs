//! The Java classes that scripts may name. The list is closed: what is not here is refused when
//! the script is parsed.

/// Index into the table.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Class(u16);

struct Entry {
    name: &'static str,
    /// The class above it, by full name; empty for `java.lang.Object`.
    parent: &'static str,
}

const fn class(name: &'static str, parent: &'static str) -> Entry {
    Entry { name, parent }
}

const OBJECT: &str = "java.lang.Object";
const NUMBER: &str = "java.lang.Number";
const THROWABLE: &str = "java.lang.Throwable";
const EXCEPTION: &str = "java.lang.Exception";
const RUNTIME: &str = "java.lang.RuntimeException";
const ARGUMENT: &str = "java.lang.IllegalArgumentException";
const BOUNDS: &str = "java.lang.IndexOutOfBoundsException";
const GROOVY: &str = "groovy.lang.GroovyRuntimeException";

static TABLE: &[Entry] = &[
    class(OBJECT, ""),
    class("java.lang.String", "java.lang.CharSequence"),
    class("java.lang.CharSequence", OBJECT),
    class("groovy.lang.GString", "java.lang.CharSequence"),
    class("java.lang.StringBuilder", "java.lang.CharSequence"),
    class("java.lang.StringBuffer", "java.lang.CharSequence"),
    class(NUMBER, OBJECT),
    class("java.lang.Integer", NUMBER),
    class("java.lang.Long", NUMBER),
    class("java.lang.Short", NUMBER),
    class("java.lang.Byte", NUMBER),
    class("java.lang.Double", NUMBER),
    class("java.lang.Float", NUMBER),
    class("java.math.BigDecimal", NUMBER),
    class("java.math.BigInteger", NUMBER),
    class("java.lang.Boolean", OBJECT),
    class("java.lang.Character", OBJECT),
    class("java.lang.Math", OBJECT),
    class("java.lang.System", OBJECT),
    class("java.lang.Thread", OBJECT),
    class("java.lang.Class", OBJECT),
    class("java.lang.Iterable", OBJECT),
    class("java.lang.Comparable", OBJECT),
    class("java.math.RoundingMode", OBJECT),
    class("java.math.MathContext", OBJECT),
    class("java.util.Collection", "java.lang.Iterable"),
    class("java.util.List", "java.util.Collection"),
    class("java.util.ArrayList", "java.util.List"),
    class("java.util.LinkedList", "java.util.List"),
    class("java.util.Set", "java.util.Collection"),
    class("java.util.HashSet", "java.util.Set"),
    class("java.util.LinkedHashSet", "java.util.HashSet"),
    class("java.util.TreeSet", "java.util.Set"),
    class("java.util.Map", OBJECT),
    class("java.util.HashMap", "java.util.Map"),
    class("java.util.LinkedHashMap", "java.util.HashMap"),
    class("java.util.TreeMap", "java.util.Map"),
    class("java.util.concurrent.ConcurrentHashMap", "java.util.Map"),
    class("java.util.Map$Entry", OBJECT),
    class("java.util.Arrays", OBJECT),
    class("java.util.Collections", OBJECT),
    class("java.util.Objects", OBJECT),
    class("java.util.Date", OBJECT),
    class("java.util.Random", OBJECT),
    class("java.util.UUID", OBJECT),
    class("java.util.regex.Pattern", OBJECT),
    class("java.util.regex.Matcher", OBJECT),
    class("java.text.SimpleDateFormat", OBJECT),
    class("java.util.concurrent.TimeUnit", OBJECT),
    class("groovy.lang.Closure", OBJECT),
    class("groovy.lang.Range", "java.util.List"),
    class("groovy.lang.IntRange", "groovy.lang.Range"),
    class("groovy.lang.ObjectRange", "groovy.lang.Range"),
    class("org.codehaus.groovy.runtime.GStringImpl", "groovy.lang.GString"),
    class("java.util.LinkedHashMap$Entry", "java.util.Map$Entry"),
    class("org.flowable.engine.impl.persistence.entity.ExecutionEntityImpl", OBJECT),
    class("[I", OBJECT),
    class("[B", OBJECT),
    class("[C", OBJECT),
    class("[Ljava.lang.String;", OBJECT),
    class("groovy.json.JsonSlurper", OBJECT),
    class("groovy.json.JsonOutput", OBJECT),
    class("org.camunda.bpm.engine.impl.persistence.entity.ExecutionEntity", OBJECT),
    class("org.camunda.bpm.engine.delegate.DelegateExecution", OBJECT),
    class("org.flowable.engine.delegate.DelegateExecution", OBJECT),
    class("org.camunda.bpm.engine.variable.Variables", OBJECT),
    class("org.camunda.bpm.engine.delegate.DelegateTask", OBJECT),
    class("org.flowable.task.service.delegate.DelegateTask", OBJECT),
    class(THROWABLE, OBJECT),
    class("java.lang.Error", THROWABLE),
    class("java.lang.AssertionError", "java.lang.Error"),
    class(
        "org.codehaus.groovy.runtime.powerassert.PowerAssertionError",
        "java.lang.AssertionError",
    ),
    class("java.lang.StackOverflowError", "java.lang.Error"),
    class(EXCEPTION, THROWABLE),
    class("java.io.IOException", EXCEPTION),
    class("java.lang.InterruptedException", EXCEPTION),
    class("java.text.ParseException", EXCEPTION),
    class("java.util.concurrent.TimeoutException", EXCEPTION),
    class(RUNTIME, EXCEPTION),
    class(ARGUMENT, RUNTIME),
    class("java.lang.NumberFormatException", ARGUMENT),
    class("java.util.regex.PatternSyntaxException", ARGUMENT),
    class("java.lang.IllegalStateException", RUNTIME),
    class("java.lang.ArithmeticException", RUNTIME),
    class("java.lang.NullPointerException", RUNTIME),
    class("java.lang.ClassCastException", RUNTIME),
    class(
        "org.codehaus.groovy.runtime.typehandling.GroovyCastException",
        "java.lang.ClassCastException",
    ),
    class("java.lang.UnsupportedOperationException", RUNTIME),
    class(BOUNDS, RUNTIME),
    class("java.lang.StringIndexOutOfBoundsException", BOUNDS),
    class("java.lang.ArrayIndexOutOfBoundsException", BOUNDS),
    class("java.util.NoSuchElementException", RUNTIME),
    class("java.util.ConcurrentModificationException", RUNTIME),
    class(GROOVY, RUNTIME),
    class("groovy.lang.MissingPropertyException", GROOVY),
    class("groovy.lang.MissingMethodException", GROOVY),
    class("org.camunda.bpm.engine.ProcessEngineException", RUNTIME),
    class(
        "org.camunda.bpm.engine.delegate.BpmnError",
        "org.camunda.bpm.engine.ProcessEngineException",
    ),
    class("org.flowable.common.engine.api.FlowableException", RUNTIME),
    class(
        "org.flowable.common.engine.api.FlowableIllegalArgumentException",
        "org.flowable.common.engine.api.FlowableException",
    ),
    class(
        "org.flowable.engine.delegate.BpmnError",
        "org.flowable.common.engine.api.FlowableException",
    ),
];

/// Classes that need no import, and are not for scripts: named so that they are refused when the
/// script is parsed, not when it runs.
const REFUSED: &[&str] = &[
    "Base64",
    "Calendar",
    "ClassLoader",
    "Eval",
    "File",
    "FileReader",
    "FileWriter",
    "GregorianCalendar",
    "GroovyShell",
    "InetAddress",
    "Iterator",
    "Locale",
    "Optional",
    "PrintWriter",
    "ProcessBuilder",
    "Properties",
    "Reader",
    "Runtime",
    "Scanner",
    "Socket",
    "StringTokenizer",
    "TimeZone",
    "Timer",
    "URI",
    "URL",
    "URLEncoder",
    "Writer",
];

pub(crate) fn is_refused(simple: &str) -> bool {
    REFUSED.contains(&simple)
}

/// Packages whose classes need no import.
const DEFAULT_PACKAGES: &[&str] = &["java.lang.", "java.util.", "java.io.", "groovy.lang."];
const DEFAULT_CLASSES: &[&str] = &["java.math.BigDecimal", "java.math.BigInteger"];

impl Class {
    pub(crate) fn by_name(full: &str) -> Option<Self> {
        let at = TABLE.iter().position(|entry| entry.name == full)?;
        u16::try_from(at).ok().map(Self)
    }

    /// A class that this crate itself names.
    pub(crate) fn known(full: &'static str) -> Self {
        Self::by_name(full).unwrap_or(Self(0))
    }

    pub(crate) fn by_simple_name(simple: &str) -> Option<Self> {
        let found = |full: String| Self::by_name(&full);
        DEFAULT_PACKAGES.iter().find_map(|package| found(format!("{package}{simple}"))).or_else(
            || DEFAULT_CLASSES.iter().filter(|c| short(c) == simple).find_map(|c| Self::by_name(c)),
        )
    }

    pub(crate) fn name(self) -> &'static str {
        TABLE[usize::from(self.0)].name
    }

    pub(crate) fn simple_name(self) -> &'static str {
        short(self.name())
    }

    pub(crate) fn is_a(self, ancestor: Self) -> bool {
        let mut at = Some(self);
        while let Some(class) = at {
            if class == ancestor {
                return true;
            }
            at = Self::by_name(TABLE[usize::from(class.0)].parent);
        }
        false
    }

    pub(crate) fn is_throwable(self) -> bool {
        self.is_a(Self::known(THROWABLE))
    }

    pub(crate) fn is_bpmn_error(self) -> bool {
        self.simple_name() == "BpmnError"
    }
}

impl std::fmt::Debug for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Whether anything of the package is known, for `import package.*`.
pub(crate) fn is_known_package(package: &str) -> bool {
    TABLE.iter().any(|entry| entry.name.rsplit_once('.').is_some_and(|(p, _)| p == package))
}

pub(crate) fn of_package(package: &str) -> impl Iterator<Item = Class> + '_ {
    let is_in = move |entry: &&Entry| {
        entry.name.rsplit_once('.').is_some_and(|(found, _)| found == package)
    };
    TABLE.iter().filter(is_in).filter_map(|entry| Class::by_name(entry.name))
}

/// Why a class is refused.
pub(crate) fn refusal(name: &str) -> String {
    if name.starts_with("java.time.") || name.starts_with("org.joda.time.") {
        format!(
            "class {name} is not supported: compute dates with java.util.Date, or in FEEL or UEL"
        )
    } else {
        format!("class {name} is not supported in scripts")
    }
}

fn short(name: &str) -> &str {
    name.rsplit(['.', '$']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parent_is_in_the_table() {
        for entry in TABLE {
            assert!(
                entry.parent.is_empty() || Class::by_name(entry.parent).is_some(),
                "{} has no parent {}",
                entry.name,
                entry.parent
            );
        }
    }

    #[test]
    fn errors_know_their_ancestors() {
        let error = Class::known("org.camunda.bpm.engine.delegate.BpmnError");
        assert!(error.is_a(Class::known(RUNTIME)));
        assert!(error.is_throwable() && error.is_bpmn_error());
        assert!(!error.is_a(Class::known(ARGUMENT)));
    }
}
