//! What to do, once every argument has been checked.

use crate::call::Calls;
use crate::{dev, serve};

pub enum Plan {
    Serve(Box<serve::Plan>),
    Dev(Box<dev::Plan>),
    Ask(Calls),
}

impl Plan {
    pub fn act(self) -> anyhow::Result<()> {
        match self {
            Self::Serve(plan) => serve::act(&plan),
            Self::Dev(plan) => dev::act(&plan),
            Self::Ask(calls) => calls.act(),
        }
    }
}
