//! `processes.xml`, `bpm-platform.xml`, Spring beans, `application.yaml` and
//! `application.properties` to settings.
//!
//! The files are untrusted: XML passes the gate of `orloj-xml`, YAML is read event by event under
//! limits, and nothing is ever fetched or filled in. Nothing that was written is dropped without a
//! word: it turns a knob, or a note says why not.

mod archive;
mod beans;
mod boot;
mod descriptor;
mod gathered;
mod import;
mod placeholder;
mod properties_file;
mod recognise;
mod text;
mod yaml;

pub use import::{File, Imported, import};
