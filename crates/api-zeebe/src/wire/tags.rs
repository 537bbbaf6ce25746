//! Tags of an instance.

use tonic::Status;

use crate::status::{self, Intent, Refusal};

const TAGS_MAX: usize = 10;
const TAG_CHARS_MAX: usize = 100;

pub(crate) fn check_tags(intent: Intent, tags: &[String]) -> Result<(), Status> {
    let refused = |reason: String| Err(status::rejected(intent, Refusal::InvalidArgument, &reason));
    if tags.len() > TAGS_MAX {
        return refused(format!("at most {TAGS_MAX} tags may be given, but {} are", tags.len()));
    }
    match tags.iter().find(|tag| !is_tag(tag)) {
        Some(bad) => refused(format!(
            "tag '{}' is invalid: a tag has at most {TAG_CHARS_MAX} characters, the first a \
             letter, the others letters, digits or one of _-:.",
            bad.chars().take(TAG_CHARS_MAX).collect::<String>()
        )),
        None => Ok(()),
    }
}

/// Only ASCII passes, so bytes are characters.
fn is_tag(text: &str) -> bool {
    let is_first = |b: &u8| b.is_ascii_alphabetic();
    let is_other = |b: &u8| b.is_ascii_alphanumeric() || b"_-:.".contains(b);
    text.len() <= TAG_CHARS_MAX
        && text
            .as_bytes()
            .split_first()
            .is_some_and(|(first, others)| is_first(first) && others.iter().all(is_other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_few_short_and_plain() {
        let ok = |tags: &[&str]| {
            let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
            check_tags(Intent::Create, &tags).is_ok()
        };
        assert!(ok(&[]));
        assert!(ok(&["a", "team:blue", "v1.2_x-y"]));
        assert!(ok(&["t"; 10]));
        assert!(!ok(&["t"; 11]));
        for bad in ["", "1a", "a b", "č", "-a", &"x".repeat(101)] {
            assert!(!ok(&[bad]), "{bad:?}");
        }
    }
}
