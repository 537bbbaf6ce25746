//! Tenants that deployments were given: what has come of them has no other one when that is settled.

use super::Violation;
use crate::sim_store::Core;

/// To be asked when everything has ended and is settled.
pub(super) fn agree(store: &Core) -> Result<(), Violation> {
    let of_definition = |key| store.definitions.get(key).map(|row| &row.tenant);
    for row in store.ended.values() {
        // One that was deleted tells nothing any more.
        let caller = row.caller.map(|caller| store.ended.get(&caller));
        let of_caller = caller.flatten().map(|caller| &caller.tenant);
        let is_forgotten = caller == Some(None);
        let own = Some(&row.tenant);
        if own != of_definition(&row.definition) && own != of_caller && !is_forgotten {
            let message = format!("instance {} has the tenant '{}'", row.key, row.tenant);
            return Err(Violation::new("tenants", message));
        }
    }
    for row in store.history.values() {
        let of_instance = store.ended.get(&row.instance).map(|ended| &ended.tenant);
        if of_instance.is_some_and(|tenant| *tenant != row.tenant) {
            let message = format!("history of {} has the tenant '{}'", row.instance, row.tenant);
            return Err(Violation::new("tenants", message));
        }
    }
    for row in store.chore_log.values().filter(|row| row.batch.is_none()) {
        let expected = of_definition(&row.definition);
        if expected.is_some_and(|tenant| *tenant != row.tenant) {
            let message = format!("the log of {} has the tenant '{}'", row.job, row.tenant);
            return Err(Violation::new("tenants", message));
        }
    }
    Ok(())
}
