//! Results as Camunda 7 hands them to processes.

use std::collections::BTreeMap;
use std::sync::Arc;

use orloj_types::Value;

use crate::evaluation::Evaluation;

/// `camunda:mapDecisionResult` of a business rule task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapDecisionResult {
    /// The only output of the only rule.
    SingleEntry,
    /// The outputs of the only rule, by name.
    SingleResult,
    /// The only output of each rule, as a list.
    CollectEntries,
    /// The outputs of each rule, by name, as a list.
    #[default]
    ResultList,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MappingError {
    #[error("the decision result has {0} rules, but a single one is mapped")]
    SeveralRules(usize),
    #[error("the decision result has {0} outputs, but a single one is mapped")]
    SeveralOutputs(usize),
}

impl MapDecisionResult {
    /// By the value of the attribute; an unknown one is none of them.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "singleEntry" => Self::SingleEntry,
            "singleResult" => Self::SingleResult,
            "collectEntries" => Self::CollectEntries,
            "resultList" => Self::ResultList,
            _ => return None,
        })
    }

    /// No rules map to null for a single one and to an empty list for several.
    pub fn map(self, rules: &[BTreeMap<Arc<str>, Value>]) -> Result<Value, MappingError> {
        let entry = |rule: &BTreeMap<Arc<str>, Value>| match rule.len() {
            0 => Ok(Value::Null),
            1 => Ok(rule.values().next().cloned().unwrap_or_default()),
            several => Err(MappingError::SeveralOutputs(several)),
        };
        let context = |rule: &BTreeMap<Arc<str>, Value>| Value::Map(Arc::new(rule.clone()));
        match (self, rules) {
            (Self::SingleEntry | Self::SingleResult, []) => Ok(Value::Null),
            (Self::SingleEntry, [rule]) => entry(rule),
            (Self::SingleResult, [rule]) => Ok(context(rule)),
            (Self::SingleEntry | Self::SingleResult, several) => {
                Err(MappingError::SeveralRules(several.len()))
            }
            (Self::CollectEntries, rules) => {
                rules.iter().map(entry).collect::<Result<Vec<_>, _>>().map(Value::list)
            }
            (Self::ResultList, rules) => Ok(Value::list(rules.iter().map(context).collect())),
        }
    }
}

impl Evaluation {
    /// The result as Camunda 7 has it: the outputs of each rule by name. A decision that is no
    /// table is one rule with one output, named as its variable.
    pub fn rules(&self) -> Vec<BTreeMap<Arc<str>, Value>> {
        match &self.rows {
            Some(rows) => rows.clone(),
            None => vec![BTreeMap::from([(self.name.clone(), self.value.clone())])],
        }
    }

    pub fn mapped(&self, how: MapDecisionResult) -> Result<Value, MappingError> {
        how.map(&self.rules())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(outputs: &[(&str, i64)]) -> BTreeMap<Arc<str>, Value> {
        outputs.iter().map(|&(name, value)| (name.into(), Value::Int(value))).collect()
    }

    #[test]
    fn each_mapping_gives_its_shape() {
        use MapDecisionResult::{CollectEntries, ResultList, SingleEntry, SingleResult};
        let (none, one, two) = (vec![], vec![rule(&[("a", 1)])], vec![rule(&[("a", 1)]); 2]);
        let wide = vec![rule(&[("a", 1), ("b", 2)])];
        let json = |how: MapDecisionResult, rules: &[_]| how.map(rules).map(|v| v.to_json());
        assert_eq!(json(SingleEntry, &none).as_deref(), Ok("null"));
        assert_eq!(json(SingleEntry, &one).as_deref(), Ok("1"));
        assert_eq!(json(SingleEntry, &two), Err(MappingError::SeveralRules(2)));
        assert_eq!(json(SingleEntry, &wide), Err(MappingError::SeveralOutputs(2)));
        assert_eq!(json(SingleResult, &wide).as_deref(), Ok(r#"{"a":1,"b":2}"#));
        assert_eq!(json(CollectEntries, &none).as_deref(), Ok("[]"));
        assert_eq!(json(CollectEntries, &two).as_deref(), Ok("[1,1]"));
        assert_eq!(json(CollectEntries, &wide), Err(MappingError::SeveralOutputs(2)));
        assert_eq!(json(ResultList, &two).as_deref(), Ok(r#"[{"a":1},{"a":1}]"#));
        assert_eq!(MapDecisionResult::named("singleEntry"), Some(SingleEntry));
        assert_eq!(MapDecisionResult::named("single"), None);
    }
}
