//! The keys of an instance's jobs, read from its record without the rest: of a large instance a
//! page of jobs is asked for many times.

use prost::Message;

use crate::Error;
use crate::format::damaged;
use crate::format::record::VERSION;

/// The part of [`crate::format::RecordMessage`] that leads to jobs; what it does not name is passed
/// over.
#[derive(Clone, PartialEq, Message)]
struct JobHolders {
    #[prost(message, repeated, tag = "3")]
    elements: Vec<JobHolder>,
    #[prost(message, optional, tag = "8")]
    root: Option<JobHolder>,
}

#[derive(Clone, PartialEq, Message)]
struct JobHolder {
    #[prost(message, repeated, tag = "7")]
    jobs: Vec<HeldJob>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct HeldJob {
    #[prost(sint64, tag = "1")]
    key: i64,
}

/// As differences to the key of the instance, from a record or from a page of its elements.
pub fn decode_job_keys(bytes: &[u8]) -> Result<impl Iterator<Item = i64>, Error> {
    let holders = match bytes.split_first() {
        Some((&VERSION, message)) => {
            JobHolders::decode(message).map_err(|e| damaged("instance record", e))?
        }
        Some((version, _)) => {
            return Err(damaged("instance record", format!("unknown version {version}")));
        }
        None => return Err(damaged("instance record", "empty")),
    };
    let holders = holders.root.into_iter().chain(holders.elements);
    Ok(holders.flat_map(|holder| holder.jobs).map(|job| job.key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{ElementEntry, JobEntry, RecordMessage, ScopeEntry};

    #[test]
    fn jobs_of_the_instance_and_of_its_elements_are_found() {
        let job = |key| JobEntry { key, job_type: "pay".into(), ..JobEntry::default() };
        let element = |key, jobs: &[i64]| ElementEntry {
            key,
            element: "task".into(),
            jobs: jobs.iter().map(|key| job(*key)).collect(),
            ..ElementEntry::default()
        };
        let message = RecordMessage {
            started_at_ms: 7,
            elements: vec![element(1, &[2, 3]), element(4, &[]), element(5, &[6])],
            scopes: vec![ScopeEntry::default()],
            root: Some(element(0, &[-9])),
            ..RecordMessage::default()
        };
        let mut bytes = vec![VERSION];
        message.encode(&mut bytes).expect("a vector grows");
        let keys: Vec<i64> = decode_job_keys(&bytes).expect("it is whole").collect();
        assert_eq!(keys, [-9, 2, 3, 6]);
        assert!(decode_job_keys(&[]).is_err() && decode_job_keys(&[9]).is_err());
    }
}
