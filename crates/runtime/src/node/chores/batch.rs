//! Batches as their rows say them: what is done to each element, and which elements are left.

use std::sync::Arc;

use orloj_interpreter::{Command, Instruction, JobOrder, Migrate, Place};
use orloj_store::{BatchRow, JobDefinitionRow, JobKind, JobRow};
use orloj_types::{
    BatchKey, DefinitionKey, Document, ElementId, InstanceKey, JobDefinitionKey, Timestamp,
};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::definition::Definition;

/// What a batch does to each of its elements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum BatchWork {
    /// Instances go on as ones of this definition.
    InstanceMigration {
        definition: i64,
        plan: Vec<(String, String)>,
    },
    InstanceModification {
        instructions: Vec<Modification>,
    },
    /// Ended instances are started again, from these elements or from the beginning.
    InstanceRestart {
        definition: i64,
        before: Vec<String>,
        with_business_key: bool,
    },
    /// Without listeners: no code of the model is called.
    InstanceDeletion {
        without_listeners: bool,
    },
    InstanceUpdateSuspensionState {
        suspended: bool,
    },
    /// `due_ms`: `Some(None)` takes the due date away.
    SetJobRetries {
        retries: i32,
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "given")]
        due_ms: Option<Option<i64>>,
    },
    /// They run at once, whatever their due date. A job that is no dead letter any more is left as
    /// it is.
    MoveDeadLetters {
        retries: i32,
    },
    SetExternalTaskRetries {
        retries: i32,
    },
    /// A JSON object.
    SetVariables {
        variables: String,
    },
    CorrelateMessage {
        name: String,
        variables: String,
    },
    /// Ended instances and their history.
    HistoricInstanceDeletion,
    /// Of ended instances; `None`: they are kept.
    ProcessSetRemovalTime {
        at_ms: Option<i64>,
    },
    /// Of ended batches; `None`: they are kept.
    BatchSetRemovalTime {
        at_ms: Option<i64>,
    },
}

/// Why a kind of batch that Camunda has is refused; `None`: it is not one of those.
pub fn refused_batch(kind: &str) -> Option<&'static str> {
    match kind {
        "historic-decision-instance-deletion" | "decision-set-removal-time" => {
            Some("no history of decisions is kept yet")
        }
        _ => None,
    }
}

impl BatchWork {
    /// The word by which batches are listed and configured; Camunda's.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::InstanceMigration { .. } => "instance-migration",
            Self::InstanceModification { .. } => "instance-modification",
            Self::InstanceRestart { .. } => "instance-restart",
            Self::InstanceDeletion { .. } => "instance-deletion",
            Self::InstanceUpdateSuspensionState { .. } => "instance-update-suspension-state",
            // To Camunda the second is the first.
            Self::SetJobRetries { .. } | Self::MoveDeadLetters { .. } => "set-job-retries",
            Self::SetExternalTaskRetries { .. } => "set-external-task-retries",
            Self::SetVariables { .. } => "set-variables",
            Self::CorrelateMessage { .. } => "correlate-message",
            Self::HistoricInstanceDeletion => "historic-instance-deletion",
            Self::ProcessSetRemovalTime { .. } => "process-set-removal-time",
            Self::BatchSetRemovalTime { .. } => "batch-set-removal-time",
        }
    }

    /// The definition that has to be at hand.
    pub(super) fn definition(&self) -> Option<DefinitionKey> {
        match self {
            Self::InstanceMigration { definition, .. }
            | Self::InstanceRestart { definition, .. } => Some(DefinitionKey::new(*definition)),
            _ => None,
        }
    }

    /// What an instance is told, where the element is one.
    pub(super) fn command(
        &self,
        element: i64,
        target: Option<&Definition>,
    ) -> Result<Option<Command>, String> {
        let variables =
            |json: &str| Document::parse(json).map_err(|error| format!("variables: {error}"));
        Ok(Some(match self {
            Self::InstanceMigration { plan, .. } => {
                let target = target.ok_or("the definition to migrate to is gone")?;
                let plan = plan.iter().map(|(from, to)| {
                    (ElementId::from(from.as_str()), ElementId::from(to.as_str()))
                });
                let (definition, target) = (target.key, target.process.clone());
                Command::Migrate(Migrate { definition, target, plan: plan.collect() })
            }
            Self::InstanceModification { instructions } => {
                let instructions = instructions.iter().map(Modification::instruction);
                Command::Modify { instructions: instructions.collect::<Result<_, _>>()? }
            }
            Self::InstanceDeletion { without_listeners: true } => Command::Delete,
            Self::InstanceDeletion { without_listeners: false } => Command::Cancel,
            Self::InstanceUpdateSuspensionState { suspended: true } => Command::Suspend,
            Self::InstanceUpdateSuspensionState { suspended: false } => Command::Resume,
            Self::SetVariables { variables: json } => Command::SetVariables {
                scope: InstanceKey::new(element).root_scope(),
                variables: variables(json)?,
                local: false,
            },
            Self::InstanceRestart { .. }
            | Self::SetJobRetries { .. }
            | Self::MoveDeadLetters { .. }
            | Self::SetExternalTaskRetries { .. }
            | Self::CorrelateMessage { .. }
            | Self::HistoricInstanceDeletion
            | Self::ProcessSetRemovalTime { .. }
            | Self::BatchSetRemovalTime { .. } => return Ok(None),
        }))
    }

    /// What the instance of a job is told.
    pub(super) fn job_command(&self, row: &JobRow) -> Option<Command> {
        let what = match self {
            Self::SetJobRetries { retries, due_ms } => {
                let due = due_ms.map(|due| due.map(Timestamp::from_ms));
                JobOrder::SetRetries { retries: *retries, due }
            }
            Self::MoveDeadLetters { retries } => JobOrder::MoveToExecutable { retries: *retries },
            Self::SetExternalTaskRetries { retries } => {
                JobOrder::SetRetries { retries: *retries, due: None }
            }
            _ => return None,
        };
        Some(Command::ManageJob { job: row.key, what, failure: row.failure.clone() })
    }
}

/// A token moved by hand in every instance of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Modification {
    StartBefore { element: String, variables: String, locals: String },
    StartAfter { element: String, variables: String, locals: String },
    StartTransition { flow: String, variables: String, locals: String },
    CancelAll { element: String },
}

impl Modification {
    fn instruction(&self) -> Result<Instruction, String> {
        let place = |variables: &str, locals: &str| {
            let parse = |json: &str| match json {
                "" => Ok(Document::new()),
                json => Document::parse(json).map_err(|error| format!("variables: {error}")),
            };
            let (variables, locals) = (parse(variables)?, parse(locals)?);
            Ok::<_, String>(Place { variables, locals, ..Place::default() })
        };
        Ok(match self {
            Self::StartBefore { element, variables, locals } => Instruction::StartBefore {
                element: element.as_str().into(),
                place: place(variables, locals)?,
            },
            Self::StartAfter { element, variables, locals } => Instruction::StartAfter {
                element: element.as_str().into(),
                place: place(variables, locals)?,
            },
            Self::StartTransition { flow, variables, locals } => Instruction::StartTransition {
                flow: flow.as_str().into(),
                place: place(variables, locals)?,
            },
            Self::CancelAll { element } => {
                Instruction::CancelAll { element: element.as_str().into() }
            }
        })
    }
}

/// The bytes of a batch's row. They never change, so that a seed that makes the next parts writes
/// little however large the batch is: it tells its follower how many have been made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchConfig {
    pub work: BatchWork,
    /// What parts are made for, in this order.
    pub groups: Vec<BatchGroup>,
    /// Elements of one part.
    pub per_part: u32,
}

/// Elements whose jobs belong to the same definition, so that nodes which know it run them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchGroup {
    pub definition: i64,
    #[serde(with = "steps")]
    pub elements: Vec<i64>,
}

impl BatchConfig {
    pub fn read(row: &BatchRow) -> Result<Self, String> {
        serde_json::from_slice(&row.config)
            .map_err(|error| format!("the batch cannot be read: {error}"))
    }

    pub fn bytes(&self) -> Vec<u8> {
        super::written(self)
    }

    /// Parts in all.
    pub fn parts(&self) -> usize {
        self.groups.iter().map(|group| self.parts_of(group)).sum()
    }

    fn parts_of(&self, group: &BatchGroup) -> usize {
        group.elements.len().div_ceil(self.per_part.max(1) as usize)
    }

    /// The elements of the next parts after those that have been made, at most so many, and the
    /// definition that all of them belong to.
    pub(super) fn next(&self, made: usize, parts_max: usize) -> Option<(DefinitionKey, Parts<'_>)> {
        let mut made = made;
        for group in &self.groups {
            let parts = self.parts_of(group);
            if made < parts {
                let elements = group.elements.chunks(self.per_part.max(1) as usize);
                let next = elements.skip(made).take(parts_max).collect();
                return Some((DefinitionKey::new(group.definition), next));
            }
            made -= parts;
        }
        None
    }
}

/// The elements of each.
type Parts<'a> = Vec<&'a [i64]>;

/// What a seed knows beyond its batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeedPayload {
    /// Parts that its predecessors have made.
    pub made: i64,
}

/// The words for the job definitions of a batch, by the kind of their jobs. Those of parts have the
/// word of the batch.
pub fn batch_job_kind(word: &str) -> JobKind {
    match word {
        "batch-seed-job" => JobKind::BatchSeed,
        "batch-monitor-job" => JobKind::BatchMonitor,
        _ => JobKind::BatchPart,
    }
}

/// The batch that a job definition belongs to; `None`: it came with a model.
pub fn batch_of_job_definition(row: &JobDefinitionRow) -> Option<BatchKey> {
    let key = row.configuration.parse().ok().filter(|_| row.definition.raw() == 0);
    key.map(BatchKey::new)
}

/// Those of a new batch.
pub fn batch_job_definitions(row: &BatchRow, keys: [i64; 3]) -> Vec<JobDefinitionRow> {
    let words = ["batch-seed-job", "batch-monitor-job", &*row.kind];
    let definition = |(word, key): (&str, i64)| JobDefinitionRow {
        key: JobDefinitionKey::new(key),
        engine: row.engine.clone(),
        tenant: row.tenant.clone(),
        definition: DefinitionKey::new(0),
        process_id: "".into(),
        element: "".into(),
        kind: word.into(),
        configuration: row.key.to_string().into(),
        suspended: row.suspended,
        priority: None,
    };
    words.into_iter().zip(keys).map(definition).collect()
}

/// Keys of one time lie close together: written as the steps between them they take a third.
mod steps {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(keys: &[i64], serializer: S) -> Result<S::Ok, S::Error> {
        let mut last = 0_i64;
        serializer.collect_seq(keys.iter().map(|key| {
            let step = key.wrapping_sub(last);
            last = *key;
            step
        }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i64>, D::Error> {
        let mut keys = Vec::<i64>::deserialize(deserializer)?;
        let mut last = 0_i64;
        for key in &mut keys {
            last = last.wrapping_add(*key);
            *key = last;
        }
        Ok(keys)
    }
}

/// Batches whose work this node keeps in mind.
const KNOWN_BATCHES_MAX: usize = 64;

/// Batches whose seeds run here and whose elements are kept in mind meanwhile: some megabytes each.
const SOWING_MAX: usize = 4;

/// What is done never changes, so a part need not read the batch again.
#[derive(Debug, Default)]
pub(super) struct KnownBatches {
    known: FxHashMap<BatchKey, KnownBatch>,
    sowing: Vec<Arc<Sowing>>,
}

/// A batch whose parts are being made. Its row is without the bytes.
#[derive(Debug)]
pub(super) struct Sowing {
    pub batch: BatchRow,
    pub config: BatchConfig,
}

#[derive(Clone, Debug)]
pub(super) struct KnownBatch {
    pub work: Arc<BatchWork>,
    pub has_started: bool,
}

impl KnownBatches {
    pub fn get(&self, key: BatchKey) -> Option<&KnownBatch> {
        self.known.get(&key)
    }

    pub fn insert(&mut self, key: BatchKey, batch: KnownBatch) {
        if self.known.len() >= KNOWN_BATCHES_MAX {
            self.known.clear();
        }
        self.known.insert(key, batch);
    }

    pub fn forget(&mut self, key: BatchKey) {
        self.known.remove(&key);
        self.sown(key);
    }

    pub fn sowing(&self, key: BatchKey) -> Option<Arc<Sowing>> {
        self.sowing.iter().find(|sowing| sowing.batch.key == key).cloned()
    }

    pub fn sow(&mut self, mut batch: BatchRow) -> Result<Arc<Sowing>, String> {
        let config = BatchConfig::read(&batch)?;
        batch.config = Vec::new();
        let sowing = Arc::new(Sowing { batch, config });
        if self.sowing.len() >= SOWING_MAX {
            self.sowing.remove(0);
        }
        self.sowing.push(sowing.clone());
        Ok(sowing)
    }

    pub fn sown(&mut self, key: BatchKey) {
        self.sowing.retain(|sowing| sowing.batch.key != key);
    }

    pub fn started(&mut self, key: BatchKey) {
        if let Some(batch) = self.known.get_mut(&key) {
            batch.has_started = true;
        }
    }
}

/// What is there at all, be it null.
fn given<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Option<i64>>, D::Error> {
    serde::Deserialize::deserialize(from).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_reads_as_it_is_written() {
        let config = BatchConfig {
            work: BatchWork::SetJobRetries { retries: 3, due_ms: Some(None) },
            groups: vec![BatchGroup { definition: 7, elements: vec![1 << 52, (1 << 52) + 3, 9] }],
            per_part: 2,
        };
        let bytes = config.bytes();
        assert_eq!(serde_json::from_slice::<BatchConfig>(&bytes).expect("it reads"), config);
        assert_eq!(config.parts(), 2);
        let text = String::from_utf8(bytes).expect("text");
        assert!(text.contains("[4503599627370496,3,-4503599627370490]"), "{text}");
    }

    #[test]
    fn parts_follow_each_other_through_the_groups() {
        let group =
            |definition, elements: &[i64]| BatchGroup { definition, elements: elements.into() };
        let config = BatchConfig {
            work: BatchWork::HistoricInstanceDeletion,
            groups: vec![group(1, &[1, 2, 3, 4, 5]), group(2, &[6, 7])],
            per_part: 2,
        };
        let next = |made, max| {
            let found = config.next(made, max)?;
            Some((found.0.raw(), found.1.into_iter().map(<[i64]>::to_vec).collect::<Vec<_>>()))
        };
        assert_eq!(next(0, 2), Some((1, vec![vec![1, 2], vec![3, 4]])));
        assert_eq!(next(2, 2), Some((1, vec![vec![5]])));
        assert_eq!(next(3, 2), Some((2, vec![vec![6, 7]])));
        assert_eq!((next(4, 2), config.parts()), (None, 4));
    }

    #[test]
    fn the_stored_word_is_the_kind() {
        let json = serde_json::to_string(&BatchWork::HistoricInstanceDeletion).expect("json");
        assert_eq!(json, r#"{"kind":"historic-instance-deletion"}"#);
    }
}
