//! One program for all of these, so that the parts they share are linked once.

mod at_hand;
mod cluster;
mod common;
mod events;
mod indexes;
mod lost_answers;
mod one_by_one;
mod plans;
mod refusals;
mod schema;
mod suite;
mod tenants;
