//! Variables: the text of a JSON object on the wire.

use std::sync::Arc;

use orloj_types::Document;
use tonic::Status;

use crate::status;

pub(crate) fn read_variables(text: &str) -> Result<Document, Status> {
    Document::parse(text).map_err(|error| status::bad_document("variables", &error))
}

/// Those of the document that were asked for; all when none was. Names without a variable are
/// left out.
pub(crate) fn variables_named(mut document: Document, names: &[String]) -> Document {
    if !names.is_empty() {
        document.0.retain(|name: &Arc<str>, _| names.iter().any(|wanted| **wanted == **name));
    }
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_restrict_a_document_unless_there_are_none() {
        let all = Document::new().with("a", 1).with("b", 2);
        assert_eq!(variables_named(all.clone(), &[]).to_json(), r#"{"a":1,"b":2}"#);
        let names = ["b".to_owned(), "c".to_owned()];
        assert_eq!(variables_named(all, &names).to_json(), r#"{"b":2}"#);
    }

    #[test]
    fn blank_and_null_are_empty_and_other_roots_are_refused() {
        for text in ["", "  ", "null", "{}"] {
            assert!(read_variables(text).unwrap().is_empty(), "{text:?}");
        }
        for text in ["[1]", "1", "\"a\"", "{", "{'a': }", "nonsense"] {
            let refused = read_variables(text).unwrap_err();
            assert_eq!(refused.code(), tonic::Code::InvalidArgument, "{text:?}");
        }
    }
}
