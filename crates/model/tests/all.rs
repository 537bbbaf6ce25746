//! One program for all of these, so that the parts they share are linked once.

mod advice;
mod camunda;
mod camunda_extensions;
mod flowable;
mod flowable_extensions;
mod graph;
mod hooks;
mod hostile;
mod jobs;
mod properties;
mod scripts;
mod structure;
mod structure_verdicts;
mod support;
mod verdicts;
mod zeebe;
mod zeebe_extensions;
