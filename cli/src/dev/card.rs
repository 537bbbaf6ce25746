//! The delegate of the demo: a card terminal with a few habits, so that there is something to see.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use orloj_server::orloj::types::{Document, InstanceKey, Value};
use orloj_server::orloj::{Call, DelegateResult, Fault};

/// As many as a job has tries: then there is an incident, and once it is resolved the card works.
const FAULTS: u8 = 3;
/// Forgetting an old one only makes it fail again.
const REMEMBERED_MAX: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Card {
    Good,
    /// Caught by the model.
    Refused,
    /// The terminal fails until the job has no tries left.
    Unreadable,
}

impl Card {
    /// One unreadable card early on, and a refused one now and then.
    pub fn of(number: i64) -> Self {
        match number {
            3 => Self::Unreadable,
            _ if number % 9 == 4 => Self::Refused,
            _ => Self::Good,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Refused => "refused",
            Self::Unreadable => "unreadable",
        }
    }
}

#[derive(Debug, Default)]
pub struct CardTerminal {
    faults: Mutex<BTreeMap<InstanceKey, u8>>,
}

impl CardTerminal {
    pub fn charge(&self, call: &Call) -> DelegateResult {
        let card = call.variables.get("card").map(Value::from);
        match card {
            Some(Value::Text(card)) if &*card == Card::Refused.name() => {
                Err(Fault::error("CARD_REFUSED"))
            }
            Some(Value::Text(card))
                if &*card == Card::Unreadable.name() && self.fails(call.instance) =>
            {
                Err(Fault::failed("the card terminal does not answer"))
            }
            _ => Ok(Document::new().with("paid", true)),
        }
    }

    fn fails(&self, instance: InstanceKey) -> bool {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if faults.len() >= REMEMBERED_MAX {
            faults.clear();
        }
        let count = faults.entry(instance).or_default();
        let fails = *count < FAULTS;
        *count = count.saturating_add(1);
        fails
    }
}

#[cfg(test)]
mod tests {
    use orloj_server::orloj::types::TenantId;

    use super::*;

    fn call(card: Card) -> Call {
        Call {
            delegate: "demo.ChargeCard".into(),
            instance: InstanceKey::new(1),
            element: "charge".into(),
            tenant: TenantId::none(),
            business_key: None,
            variables: Document::new().with("card", card.name()),
            ..Call::default()
        }
    }

    #[test]
    fn an_unreadable_card_uses_up_all_tries_and_then_works() {
        let terminal = CardTerminal::default();
        for _ in 0..FAULTS {
            assert!(matches!(terminal.charge(&call(Card::Unreadable)), Err(Fault::Failed(_))));
        }
        assert!(terminal.charge(&call(Card::Unreadable)).is_ok());
        assert!(terminal.charge(&call(Card::Good)).is_ok());
        assert!(matches!(terminal.charge(&call(Card::Refused)), Err(Fault::Error { .. })));
    }
}
