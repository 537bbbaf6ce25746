//! What must hold between the elements of a process.
//!
//! Placeholders of what could not be read take part: they have an error already, and the checks
//! are lenient around them, so that no problem is reported twice.

mod boundary;
mod flows;
mod gateway;
mod loops;
mod reach;
mod start;

use crate::options::Dialect;
use crate::read::context::Context;
use crate::read::draft::Draft;

pub(crate) fn check<'a>(ctx: &mut Context<'a>, draft: &mut Draft<'a>) {
    start::check(ctx, draft);
    flows::check_ends(ctx, draft);
    flows::resolve_defaults(ctx, draft);
    flows::check_conditions(ctx, draft);
    gateway::check(ctx, draft);
    boundary::check(ctx, draft);
    reach::check(ctx, draft);
    if ctx.dialect == Dialect::Zeebe {
        loops::check(ctx, draft);
    }
}
