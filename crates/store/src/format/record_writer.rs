//! Records, written without their messages being built. Field numbers are those of the messages
//! in the file beside this one.

use std::sync::Arc;

use orloj_types::{StoredValue, Variables};
use prost::Message;

use crate::format::record::{ElementEntry, RecordMessage, VERSION};
use crate::format::wire::Wire;

/// Writes one record, in the order of its fields.
pub struct RecordWriter(Vec<u8>);

/// The fields of an element that take no list.
#[derive(Clone, Copy, Debug, Default)]
pub struct ElementFields<'a> {
    pub key: i64,
    pub element: &'a str,
    pub scope: i64,
    pub state: u32,
    pub entered_ms: i64,
    pub arrived_by: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct JobFields<'a> {
    pub key: i64,
    pub kind: u32,
    pub job_type: &'a str,
    pub state: u32,
    pub retries_left: i32,
    pub priority: i64,
    pub exclusive: bool,
    pub due_at_ms: Option<i64>,
    pub failed_before: bool,
    pub still_held: bool,
    pub event: &'a str,
    pub repeat: Option<RepeatFields<'a>>,
    pub listener: u32,
    pub ticket: u64,
    pub category: Option<&'a str>,
    pub limit_key: Option<&'a str>,
    pub subscription: Option<i64>,
    /// What a signal carries.
    pub variables: Option<&'a Variables>,
    pub headers: &'a [(Arc<str>, Arc<str>)],
}

#[derive(Clone, Copy, Debug, Default)]
pub struct RepeatFields<'a> {
    pub text: &'a str,
    pub anchor_ms: i64,
    pub fired: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct IncidentFields<'a> {
    pub key: i64,
    pub kind: &'a str,
    pub job: Option<i64>,
    pub cause: Option<i64>,
}

/// Messages one after the other are read as one with the fields of both.
fn append(bytes: &mut Vec<u8>, rest: &impl Message) {
    rest.encode(bytes).expect("a vector takes any number of bytes");
}

/// Records of most instances are shorter.
const USUAL_BYTES: usize = 256;

impl RecordWriter {
    pub fn new(started_at_ms: i64, awaited_by: Option<u32>) -> Self {
        let mut bytes = Vec::with_capacity(USUAL_BYTES);
        bytes.push(VERSION);
        let mut wire = Wire(&mut bytes);
        wire.uint(1, started_at_ms as u64);
        if let Some(node) = awaited_by {
            wire.some_uint(2, node.into());
        }
        Self(bytes)
    }

    pub fn element(
        &mut self,
        fields: ElementFields<'_>,
        details: impl FnOnce(&mut ElementWriter<'_, '_>),
    ) {
        Wire(&mut self.0).nested(3, |wire| {
            wire.sint(1, fields.key);
            wire.bytes(2, fields.element.as_bytes());
            wire.sint(3, fields.scope);
            wire.uint(4, fields.state.into());
            wire.sint(5, fields.entered_ms);
            if let Some(flow) = fields.arrived_by {
                wire.some_bytes(6, flow.as_bytes());
            }
            details(&mut ElementWriter(wire));
        });
    }

    pub fn scope<'v>(
        &mut self,
        key: i64,
        variables: impl Iterator<Item = (&'v str, &'v StoredValue)>,
    ) {
        Wire(&mut self.0).nested(4, |wire| {
            wire.sint(1, key);
            for (name, value) in variables {
                wire.nested(2, |wire| {
                    wire.bytes(1, name.as_bytes());
                    wire.uint(2, value.tag as u64);
                    wire.bytes(3, &value.bytes);
                });
            }
        });
    }

    /// `rest` has the fields that few records have and that come after all others.
    pub fn finish(
        mut self,
        exclusive_holder: Option<i64>,
        exclusive_parked: impl ExactSizeIterator<Item = i64>,
        rest: Option<&RecordMessage>,
    ) -> Vec<u8> {
        let mut wire = Wire(&mut self.0);
        if let Some(holder) = exclusive_holder {
            wire.some_sint(5, holder);
        }
        wire.packed_sints(6, exclusive_parked);
        if let Some(rest) = rest {
            append(&mut self.0, rest);
        }
        self.0
    }
}

/// Writes what an element has besides its fields, in the order of the methods.
pub struct ElementWriter<'a, 'b>(&'a mut Wire<'b>);

impl ElementWriter<'_, '_> {
    pub fn job(&mut self, job: JobFields<'_>) {
        self.0.nested(7, |wire| {
            wire.sint(1, job.key);
            wire.uint(2, job.kind.into());
            wire.bytes(3, job.job_type.as_bytes());
            wire.uint(4, job.state.into());
            wire.sint(5, job.retries_left.into());
            wire.sint(6, job.priority);
            wire.uint(7, job.exclusive.into());
            if let Some(due) = job.due_at_ms {
                wire.some_uint(8, due as u64);
            }
            wire.uint(9, job.failed_before.into());
            wire.bytes(10, job.event.as_bytes());
            if let Some(repeat) = job.repeat {
                wire.nested(11, |wire| {
                    wire.bytes(1, repeat.text.as_bytes());
                    wire.uint(2, repeat.anchor_ms as u64);
                    wire.uint(3, repeat.fired.into());
                });
            }
            wire.uint(12, job.listener.into());
            wire.uint(13, job.ticket);
            if let Some(category) = job.category {
                wire.some_bytes(14, category.as_bytes());
            }
            if let Some(limit_key) = job.limit_key {
                wire.some_bytes(15, limit_key.as_bytes());
            }
            if let Some(subscription) = job.subscription {
                wire.some_sint(16, subscription);
            }
            for (name, value) in job.variables.into_iter().flatten() {
                wire.nested(17, |wire| {
                    wire.bytes(1, name.as_bytes());
                    wire.uint(2, value.tag as u64);
                    wire.bytes(3, &value.bytes);
                });
            }
            for (name, value) in job.headers {
                wire.nested(18, |wire| {
                    wire.bytes(1, name.as_bytes());
                    wire.bytes(2, value.as_bytes());
                });
            }
            wire.uint(19, job.still_held.into());
        });
    }

    pub fn user_task(&mut self, key: i64) {
        self.0.some_sint(8, key);
    }

    pub fn incident(&mut self, incident: IncidentFields<'_>) {
        self.incident_as(9, incident);
    }

    pub fn timer_incident(&mut self, incident: IncidentFields<'_>) {
        self.incident_as(10, incident);
    }

    /// The fields that few elements have and that come after all others.
    pub fn rest(&mut self, rest: &ElementEntry) {
        append(self.0.0, rest);
    }

    fn incident_as(&mut self, field: u32, incident: IncidentFields<'_>) {
        self.0.nested(field, |wire| {
            wire.sint(1, incident.key);
            wire.bytes(2, incident.kind.as_bytes());
            if let Some(job) = incident.job {
                wire.some_sint(3, job);
            }
            if let Some(cause) = incident.cause {
                wire.some_uint(4, cause as u64);
            }
        });
    }
}
