//! Texts that clients give things, and how long they may be.

use std::sync::Arc;

use tonic::Status;

use crate::status::{self, Intent, Refusal};

/// A model cannot hold a longer type.
pub(crate) const JOB_TYPE_CHARS_MAX: usize = 32_768;
/// Kept in history with every activation.
pub(crate) const WORKER_CHARS_MAX: usize = 32_768;
pub(crate) const BUSINESS_ID_CHARS_MAX: usize = 256;
/// Zeebe cuts there.
pub(crate) const ERROR_MESSAGE_CHARS_MAX: usize = 10_000;

pub(crate) fn read_job_type(text: String) -> Result<Arc<str>, Status> {
    if text.trim().is_empty() {
        return Err(refused("type", "not be empty", "it is"));
    }
    limited("type", text, JOB_TYPE_CHARS_MAX)
}

/// May be empty: some clients never set it.
pub(crate) fn read_worker(text: String) -> Result<Arc<str>, Status> {
    limited("worker", text, WORKER_CHARS_MAX)
}

/// An empty one is none.
pub(crate) fn read_business_id(text: Option<String>) -> Result<Option<Arc<str>>, Status> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let chars = text.chars().count();
    if chars > BUSINESS_ID_CHARS_MAX {
        return Err(status::invalid(format!(
            "the business id must have at most {BUSINESS_ID_CHARS_MAX} characters, but has {chars}"
        )));
    }
    Ok(Some(text.into()))
}

/// The names without repetitions, in the client's order.
pub(crate) fn names(texts: Vec<String>) -> Vec<Arc<str>> {
    let mut seen = std::collections::HashSet::with_capacity(texts.len());
    texts.into_iter().map(Arc::from).filter(|name: &Arc<str>| seen.insert(name.clone())).collect()
}

pub(crate) fn cut(text: &str, chars_max: usize) -> &str {
    match text.char_indices().nth(chars_max) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

fn limited(field: &str, text: String, chars_max: usize) -> Result<Arc<str>, Status> {
    let chars = text.chars().count();
    if chars > chars_max {
        let expected = format!("have at most {chars_max} characters");
        return Err(refused(field, &expected, &format!("it has {chars}")));
    }
    Ok(text.into())
}

fn refused(field: &str, expected: &str, actual: &str) -> Status {
    let reason = format!("{field} must {expected}, but {actual}");
    status::rejected(Intent::Activate, Refusal::InvalidArgument, &reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_needed_and_limited_a_worker_only_limited() {
        assert!(read_job_type("charge".into()).is_ok());
        for bad in [String::new(), " \t".into(), "x".repeat(JOB_TYPE_CHARS_MAX + 1)] {
            let refused = read_job_type(bad).unwrap_err();
            assert_eq!(refused.code(), tonic::Code::InvalidArgument);
            assert!(refused.message().contains("ACTIVATE") && refused.message().contains("type"));
        }
        assert!(read_worker(String::new()).is_ok());
        assert!(read_worker("x".repeat(WORKER_CHARS_MAX + 1)).is_err());
    }

    #[test]
    fn a_business_id_is_optional_and_limited() {
        assert_eq!(read_business_id(None).unwrap(), None);
        assert_eq!(read_business_id(Some(String::new())).unwrap(), None);
        assert_eq!(read_business_id(Some("o-1".into())).unwrap().as_deref(), Some("o-1"));
        assert!(read_business_id(Some("é".repeat(BUSINESS_ID_CHARS_MAX))).is_ok());
        assert!(read_business_id(Some("é".repeat(BUSINESS_ID_CHARS_MAX + 1))).is_err());
    }

    #[test]
    fn names_are_a_set_and_texts_are_cut_at_characters() {
        let given = ["b", "a", "b"].map(str::to_owned).to_vec();
        assert_eq!(names(given), ["b".into(), "a".into()] as [Arc<str>; 2]);
        assert_eq!(cut("čaj", 1), "č");
        assert_eq!(cut("čaj", 3), "čaj");
    }
}
