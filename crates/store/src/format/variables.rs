use orloj_types::{Document, StoredValue, ValueTag};
use prost::Message;

use crate::Error;
use crate::format::damaged;

const VERSION: u8 = 1;

#[derive(Clone, PartialEq, Message)]
pub struct VariablesMessage {
    #[prost(message, repeated, tag = "1")]
    pub variables: Vec<VariableEntry>,
}

#[derive(Clone, PartialEq, Message)]
pub struct VariableEntry {
    #[prost(string, tag = "1")]
    pub name: String,
    /// [`ValueTag`].
    #[prost(uint32, tag = "2")]
    pub tag: u32,
    #[prost(bytes = "vec", tag = "3")]
    pub bytes: Vec<u8>,
}

impl VariableEntry {
    pub fn new(name: &str, value: &StoredValue) -> Self {
        Self { name: name.to_owned(), tag: value.tag as u32, bytes: value.bytes.to_vec() }
    }

    pub fn value(&self) -> Result<StoredValue, Error> {
        let tag = u8::try_from(self.tag).ok().and_then(ValueTag::from_number);
        let tag = tag.ok_or_else(|| damaged("variable", format!("unknown tag {}", self.tag)))?;
        Ok(StoredValue::new(tag, &self.bytes))
    }
}

pub fn encode_variables(document: &Document) -> Vec<u8> {
    let variables = document.0.iter().map(|(n, v)| VariableEntry::new(n, v)).collect();
    let message = VariablesMessage { variables };
    let mut bytes = Vec::with_capacity(1 + message.encoded_len());
    bytes.push(VERSION);
    message.encode_raw(&mut bytes);
    bytes
}

pub fn decode_variables(bytes: &[u8]) -> Result<Document, Error> {
    let message = match bytes.split_first() {
        Some((&VERSION, message)) => {
            VariablesMessage::decode(message).map_err(|e| damaged("variables", e))?
        }
        Some((version, _)) => {
            return Err(damaged("variables", format!("unknown version {version}")));
        }
        None => return Ok(Document::new()),
    };
    let mut document = Document::new();
    for entry in &message.variables {
        document.insert(entry.name.as_str(), entry.value()?);
    }
    Ok(document)
}
