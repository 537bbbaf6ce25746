//! Any command to any instance, for those who look for what the interpreter cannot stand.

use std::sync::Arc;

use orloj_interpreter::{Command, Record};
use orloj_types::InstanceKey;

use super::World;
use super::engine::Failed;

impl World {
    /// Those that have not ended.
    pub fn live(&self) -> Vec<Arc<Record>> {
        self.state.facts.live().map(|(_, record)| record.clone()).collect()
    }

    /// Does everything or nothing.
    pub fn order(&mut self, instance: InstanceKey, command: Command) -> Result<(), Failed> {
        self.transact(|world| world.command(instance, command).map(drop))
    }
}
