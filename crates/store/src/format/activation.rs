use orloj_types::Timestamp;
use prost::Message;

use crate::Error;
use crate::format::damaged;

/// One activation of a job. Entries are concatenated with their lengths in front, so that an
/// acquisition can append one with the concatenation of its SQL dialect.
#[derive(Clone, PartialEq, Message)]
pub struct ActivationEntry {
    #[prost(string, tag = "1")]
    pub worker: String,
    #[prost(int64, tag = "2")]
    pub at_ms: i64,
}

/// The entry to append for a worker that takes a job now.
pub fn encode_activation(worker: &str, now: Timestamp) -> Vec<u8> {
    ActivationEntry { worker: worker.to_owned(), at_ms: now.as_ms() }
        .encode_length_delimited_to_vec()
}

pub fn decode_activations(mut bytes: &[u8]) -> Result<Vec<ActivationEntry>, Error> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        let entry = ActivationEntry::decode_length_delimited(&mut bytes)
            .map_err(|e| damaged("activations", e))?;
        entries.push(entry);
    }
    Ok(entries)
}
