//! Bytes to text.
//!
//! The byte-order mark, the first bytes and the XML declaration must tell the same story: a file
//! that two readers decode differently is a file that says different things to each of them.

use std::borrow::Cow;

use encoding_rs::{DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::places::Places;
use crate::position::Position;
use crate::quoted::quoted;
use crate::refusal::Refusal;

/// A declaration is at most `<?xml` and three short attributes.
const DECLARATION_BYTES_MAX: usize = 1_024;

pub fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Refusal> {
    if bytes.starts_with(&[0, 0, 0xFE, 0xFF]) || bytes.starts_with(&[0xFF, 0xFE, 0, 0]) {
        return Err(unsupported("UTF-32"));
    }
    let marked = Encoding::for_bom(bytes);
    let (seen, mark_length) = match marked {
        Some((encoding, length)) => (Some(encoding), length),
        None => (wide_by_first_bytes(bytes), 0),
    };
    let body = &bytes[mark_length..];
    let declared = declared_encoding(body, seen.unwrap_or(UTF_8));
    let encoding = match (seen, declared) {
        (seen, None) => seen.unwrap_or(UTF_8),
        (seen, Some(label)) => agreed(seen, &label)?,
    };
    decode_all(body, encoding)
}

/// UTF-16 without a mark shows itself by the zero beside the first `<`.
fn wide_by_first_bytes(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [b'<', 0, second, 0, ..] if *second != 0 => Some(UTF_16LE),
        [0, b'<', 0, second, ..] if *second != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// The label in `<?xml … encoding="label"?>`. Everything in a declaration is ASCII in every
/// encoding that can hold one, wide ones apart.
fn declared_encoding(body: &[u8], seen: &'static Encoding) -> Option<String> {
    let ascii: Vec<u8> = if seen == UTF_16LE {
        body.iter().copied().step_by(2).take(DECLARATION_BYTES_MAX).collect()
    } else if seen == UTF_16BE {
        body.iter().copied().skip(1).step_by(2).take(DECLARATION_BYTES_MAX).collect()
    } else {
        body.iter().copied().take(DECLARATION_BYTES_MAX).collect()
    };
    let text = String::from_utf8_lossy(&ascii);
    let declaration = text.strip_prefix("<?xml")?.split("?>").next()?;
    let (_, rest) = declaration.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split_once(quote).map(|(label, _)| label.to_owned())
}

/// The encoding that both what was seen and what is declared allow.
fn agreed(seen: Option<&'static Encoding>, label: &str) -> Result<&'static Encoding, Refusal> {
    let Some(declared) = Encoding::for_label_no_replacement(label.trim().as_bytes()) else {
        return Err(unsupported(&quoted(label)));
    };
    let declares_wide = declared == UTF_16LE || declared == UTF_16BE;
    match seen {
        // The label UTF-16 names no byte order; a mark or the first bytes do.
        Some(seen) if seen == UTF_16LE || seen == UTF_16BE => {
            let either_order = label.trim().eq_ignore_ascii_case("utf-16");
            match declares_wide && (either_order || declared == seen) {
                true => Ok(seen),
                false => Err(contradiction(seen.name(), label)),
            }
        }
        Some(seen) if seen == declared => Ok(seen),
        Some(seen) => Err(contradiction(seen.name(), label)),
        None if declares_wide => Err(contradiction("single bytes", label)),
        None => Ok(declared),
    }
}

fn decode_all<'i>(body: &'i [u8], encoding: &'static Encoding) -> Result<Cow<'i, str>, Refusal> {
    if encoding == UTF_8 {
        return match std::str::from_utf8(body) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(error) => {
                let readable = String::from_utf8_lossy(&body[..error.valid_up_to()]);
                Err(malformed(&readable, encoding))
            }
        };
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let length = decoder.max_utf8_buffer_length_without_replacement(body.len());
    let mut text = String::with_capacity(length.unwrap_or(0));
    match decoder.decode_to_string_without_replacement(body, &mut text, true).0 {
        DecoderResult::InputEmpty => Ok(Cow::Owned(text)),
        // The buffer holds the longest possible text, so only bad bytes end it early.
        DecoderResult::OutputFull | DecoderResult::Malformed(..) => Err(malformed(&text, encoding)),
    }
}

fn malformed(readable: &str, encoding: &'static Encoding) -> Refusal {
    Refusal {
        position: Places::new(readable).position(readable.len()),
        code: "encoding-malformed",
        message: format!("the bytes here are not {} text", encoding.name()),
    }
}

fn contradiction(seen: &str, label: &str) -> Refusal {
    let label = quoted(label);
    Refusal {
        position: Position::FIRST,
        code: "encoding-contradiction",
        message: format!("the file is written in {seen} but declares the encoding {label}"),
    }
}

fn unsupported(name: &str) -> Refusal {
    Refusal {
        position: Position::FIRST,
        code: "encoding-unsupported",
        message: format!("the encoding {name} is not supported"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wide(text: &str, mark: bool, little: bool) -> Vec<u8> {
        let units = mark.then_some(0xFEFF).into_iter().chain(text.encode_utf16());
        units.flat_map(|u: u16| if little { u.to_le_bytes() } else { u.to_be_bytes() }).collect()
    }

    fn code(bytes: &[u8]) -> &'static str {
        decode(bytes).expect_err("refused").code
    }

    #[test]
    fn reads_what_mark_and_declaration_agree_on() {
        assert_eq!(decode(b"<a/>").as_deref(), Ok("<a/>"));
        assert_eq!(decode(b"\xEF\xBB\xBF<a/>").as_deref(), Ok("<a/>"));
        assert_eq!(decode(b"").as_deref(), Ok(""));
        let text = "<?xml version='1.0' encoding='UTF-16'?><a b='é€'/>";
        for (mark, little) in [(true, true), (true, false), (false, true), (false, false)] {
            assert_eq!(decode(&wide(text, mark, little)).as_deref(), Ok(text));
        }
        let latin = b"<?xml version=\"1.0\" encoding = \"ISO-8859-1\"?><a b=\"\xE9\"/>";
        assert!(decode(latin).expect("latin 1").ends_with("<a b=\"é\"/>"));
    }

    #[test]
    fn refuses_contradictions() {
        let utf8_that_says_16 = b"<?xml version='1.0' encoding='UTF-16'?><a/>";
        assert_eq!(code(utf8_that_says_16), "encoding-contradiction");
        let marked = [b"\xEF\xBB\xBF".as_slice(), b"<?xml encoding='latin1'?><a/>"].concat();
        assert_eq!(code(&marked), "encoding-contradiction");
        let wide_that_says_8 = wide("<?xml version='1.0' encoding='UTF-8'?><a/>", true, true);
        assert_eq!(code(&wide_that_says_8), "encoding-contradiction");
        let little_that_says_big = wide("<?xml encoding='UTF-16BE'?><a/>", true, true);
        assert_eq!(code(&little_that_says_big), "encoding-contradiction");
    }

    #[test]
    fn refuses_what_it_cannot_read() {
        assert_eq!(code(b"\x00\x00\xFE\xFF\x00\x00\x00<"), "encoding-unsupported");
        assert_eq!(code(b"\xFF\xFE\x00\x00<\x00\x00\x00"), "encoding-unsupported");
        assert_eq!(code(b"<?xml encoding='klingon'?><a/>"), "encoding-unsupported");
        assert_eq!(code(b"<?xml encoding='iso-2022-kr'?><a/>"), "encoding-unsupported");
    }

    #[test]
    fn says_where_the_bytes_turn_bad() {
        let refusal = decode(b"<a>\n\xC3\xA9\xFF</a>").expect_err("not UTF-8");
        assert_eq!(refusal.code, "encoding-malformed");
        assert_eq!(refusal.position, Position { line: 2, column: 2 });
        let mut half = wide("<a/>\n<", true, true);
        half.push(b'b');
        let refusal = decode(&half).expect_err("half a character");
        assert_eq!(refusal.position, Position { line: 2, column: 2 });
    }
}
