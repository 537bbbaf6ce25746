//! What only one change of a group can have.

use std::collections::BTreeSet;
use std::sync::Arc;

use orloj_types::JobKey;

use crate::broadcast::BroadcastKey;
use crate::change::Change;
use crate::message::{Channel, MessageKey, MessageTaken};

/// For stores that look for the losers of a group: two changes may each agree with what is stored
/// and still want the same message, broadcast or chore.
#[derive(Debug, Default)]
pub struct Claims {
    ids: BTreeSet<(Channel, Arc<str>)>,
    taken: BTreeSet<MessageTaken>,
    gone: BTreeSet<MessageKey>,
    broadcasts: BTreeSet<BroadcastKey>,
    chores: BTreeSet<JobKey>,
}

impl Claims {
    /// False when an earlier change has it. Then nothing may be relied on any more but that.
    pub fn claim(&mut self, change: &Change) -> bool {
        let mut is_free = true;
        for row in &change.messages_added {
            if let Some(id) = &row.message_id {
                is_free &= self.ids.insert((row.channel(), id.clone()));
            }
        }
        for taken in &change.messages_taken {
            is_free &= !self.gone.contains(&taken.message) && self.taken.insert(taken.clone());
        }
        for key in &change.messages_gone {
            is_free &= self.gone.insert(*key);
        }
        for write in &change.broadcasts {
            is_free &= self.broadcasts.insert(write.expects().0);
        }
        for write in &change.chores {
            is_free &= self.chores.insert(write.key());
        }
        is_free
    }
}
