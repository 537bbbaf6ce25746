//! What must hold between the elements of a process.
//!
//! Placeholders of what could not be read take part: they have an error already, and the checks
//! are lenient around them, so that no problem is reported twice.

mod between;
mod boundary;
mod compensation;
mod conditions;
mod event_gateway;
mod flows;
mod gateway;
mod links;
mod loops;
mod reach;
mod repeated;
mod starts;

pub(crate) use between::check as check_between;

use crate::options::Dialect;
use crate::read::context::Context;
use crate::read::draft::Draft;

/// The level of the checks of this version, stored with every definition that they accept. It rises
/// with each version that refuses a file which the one before it took.
pub const CHECKS: i32 = 1;

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &mut Draft<'a>) {
    starts::check(ctx, draft);
    flows::check(ctx, draft);
    flows::resolve_defaults(ctx, draft);
    conditions::check(ctx, draft);
    gateway::check(ctx, draft);
    event_gateway::check(ctx, draft);
    boundary::check(ctx, draft);
    compensation::check(ctx, draft);
    links::check(ctx, draft);
    repeated::check(ctx, draft);
    reach::check(ctx, draft);
    if ctx.dialect == Dialect::Zeebe {
        loops::check(ctx, draft);
    }
}
