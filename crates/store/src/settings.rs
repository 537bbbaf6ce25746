//! What people set while nodes run, as nodes read it.

use orloj_types::DefinitionKey;

use crate::job_definition::JobDefinitionRow;
use crate::limit::LimitRow;
use crate::tenant::MovedDefinition;

/// Everything set in the store that decides what a node does. It holds at least what had been set
/// when the settings got this version; what came later may be in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredSettings {
    pub version: i64,
    /// By scope, then name.
    pub limits: Vec<LimitRow>,
    /// Definitions that are suspended, in ascending order.
    pub suspended: Vec<DefinitionKey>,
    /// Job definitions about which something is set, in ascending order.
    pub job_definitions: Vec<JobDefinitionRow>,
    /// Definitions that have another tenant than the one they were deployed with, in ascending
    /// order.
    pub moved: Vec<MovedDefinition>,
}
