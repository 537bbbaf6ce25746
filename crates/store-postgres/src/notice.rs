//! Notices as the text of notifications.
//!
//! A payload is the sender's number and any number of notices, separated by spaces: `j` and types
//! separated by commas, `t` and a time, `d`, `s` and a version, `e` and an instance and a node. Types are escaped, so
//! that separators are only separators. Unknown words are skipped: nodes of a newer version may
//! send them.

use std::fmt::Write as _;
use std::sync::Arc;

use orloj_store::Notice;
use orloj_types::{InstanceKey, NodeNumber, Timestamp};

/// The server takes less than 8000 bytes.
const PAYLOAD_BYTES_MAX: usize = 7_900;

/// As many payloads as the notices need. A type too long for any is left out: those who wait for
/// it find its jobs by polling.
pub(crate) fn encode(sender: u64, notices: &[Notice]) -> Vec<String> {
    let start = format!("{sender:x}");
    let mut payloads = Vec::new();
    let mut payload = start.clone();
    for word in notices.iter().flat_map(words) {
        if start.len() + 1 + word.len() > PAYLOAD_BYTES_MAX {
            continue;
        }
        if payload.len() + 1 + word.len() > PAYLOAD_BYTES_MAX {
            payloads.push(std::mem::replace(&mut payload, start.clone()));
        }
        payload.push(' ');
        payload.push_str(&word);
    }
    if payload.len() > start.len() {
        payloads.push(payload);
    }
    payloads
}

/// Who sent it, and what. None when the text is not ours.
pub(crate) fn decode(payload: &str) -> Option<(u64, Vec<Notice>)> {
    let mut words = payload.split(' ');
    let sender = u64::from_str_radix(words.next()?, 16).ok()?;
    Some((sender, words.filter_map(notice).collect()))
}

/// Types travel one to a word, so that no word grows with their number.
fn words(notice: &Notice) -> Vec<String> {
    match notice {
        Notice::JobsReady { types } => {
            types.iter().map(|job_type| format!("j{}", escaped(job_type))).collect()
        }
        Notice::DueAt(at) => vec![format!("t{}", at.as_ms())],
        Notice::Joined => vec!["n".to_owned()],
        // Nobody else's business.
        Notice::Listening => Vec::new(),
        Notice::Deployed => vec!["d".to_owned()],
        Notice::Settings(version) => vec![format!("s{version}")],
        Notice::InstanceEnded { instance, node } => vec![format!("e{instance},{}", node.0)],
    }
}

fn notice(word: &str) -> Option<Notice> {
    let (kind, rest) = (word.get(..1)?, word.get(1..)?);
    Some(match kind {
        "j" => Notice::JobsReady { types: vec![unescaped(rest)?] },
        "t" => Notice::DueAt(Timestamp::from_ms(rest.parse().ok()?)),
        "n" => Notice::Joined,
        "d" => Notice::Deployed,
        "s" => Notice::Settings(rest.parse().ok()?),
        "e" => {
            let (instance, node) = rest.split_once(',')?;
            Notice::InstanceEnded {
                instance: InstanceKey::new(instance.parse().ok()?),
                node: NodeNumber(node.parse().ok()?),
            }
        }
        _ => return None,
    })
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ' ' | '%' | '\0' => {
                // Writing to a string does not fail.
                let _ = write!(out, "%{:02x}", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

fn unescaped(text: &str) -> Option<Arc<str>> {
    let mut parts = text.split('%');
    let mut out = parts.next()?.to_owned();
    for part in parts {
        let code = u8::from_str_radix(part.get(..2)?, 16).ok()?;
        out.push(char::from(code));
        out.push_str(part.get(2..)?);
    }
    Some(out.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_come_back() {
        let types: Vec<Arc<str>> =
            ["", "pay", "a b%2c,d", "š 🕰", "%"].into_iter().map(Into::into).collect();
        let rest = [
            Notice::DueAt(Timestamp::from_ms(-5)),
            Notice::Joined,
            Notice::Deployed,
            Notice::Settings(7),
            Notice::InstanceEnded { instance: InstanceKey::new(77), node: NodeNumber(1023) },
        ];
        let mut notices = vec![Notice::JobsReady { types: types.clone() }];
        notices.extend(rest.clone());
        let payloads = encode(u64::MAX, &notices);
        assert_eq!(payloads.len(), 1);
        let (sender, decoded) = decode(&payloads[0]).expect("it is ours");
        assert_eq!(sender, u64::MAX);
        let ready = types.into_iter().map(|t| Notice::JobsReady { types: vec![t] });
        assert_eq!(decoded, ready.chain(rest).collect::<Vec<_>>());
        assert_eq!(encode(1, &[]), [""; 0]);
    }

    #[test]
    fn many_types_take_several_payloads_and_a_huge_one_none() {
        let types: Vec<Arc<str>> = (0..3_000).map(|n| format!("type-{n}").into()).collect();
        let huge: Arc<str> = "x".repeat(10 << 20).into();
        let notices =
            [Notice::JobsReady { types: types.clone() }, Notice::JobsReady { types: vec![huge] }];
        let payloads = encode(5, &notices);
        assert!(payloads.iter().all(|payload| payload.len() < 8_000));
        let decoded: usize =
            payloads.iter().map(|payload| decode(payload).expect("it is ours").1.len()).sum();
        assert_eq!(decoded, types.len());
    }

    #[test]
    fn foreign_text_is_no_notice() {
        for payload in ["", "hello", "zz d"] {
            assert_eq!(decode(payload), None);
        }
        assert_eq!(decode("1f  q9 t jx%4 e5"), Some((0x1f, vec![])));
    }
}
