//! How long a call may wait.

use std::time::Duration;

use orloj::LongPoll;
use tonic::metadata::MetadataMap;

/// An answer needs some time to reach the client before its deadline; at most a fifth of it is
/// given away.
const MARGIN_MAX: Duration = Duration::from_millis(250);

/// When the client gives up, as its `grpc-timeout` header says: up to eight digits and a unit.
pub(crate) fn client_deadline(metadata: &MetadataMap) -> Option<Duration> {
    const DIGITS_MAX: usize = 8;
    let text = metadata.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > DIGITS_MAX || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let count: u64 = digits.parse().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(count * 3_600),
        "M" => Duration::from_secs(count * 60),
        "S" => Duration::from_secs(count),
        "m" => Duration::from_millis(count),
        "u" => Duration::from_micros(count),
        "n" => Duration::from_nanos(count),
        _ => return None,
    })
}

/// Negative: no wait. Zero: the gateway's default. Positive: that many milliseconds. Never so long
/// that the client is gone when the answer comes.
pub(crate) fn long_poll(
    request_timeout_ms: i64,
    default: Duration,
    client_deadline: Option<Duration>,
) -> LongPoll {
    let asked = match request_timeout_ms {
        ..0 => return LongPoll::No,
        0 => default,
        ms => Duration::from_millis(ms.unsigned_abs()),
    };
    let wait = match client_deadline {
        Some(deadline) => asked.min(deadline - MARGIN_MAX.min(deadline / 5)),
        None => asked,
    };
    LongPoll::UpToMs(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: Duration = Duration::from_secs(10);

    fn deadline(header: &'static str) -> Option<Duration> {
        let mut metadata = MetadataMap::new();
        metadata.insert("grpc-timeout", header.parse().expect("a header"));
        client_deadline(&metadata)
    }

    #[test]
    fn reads_the_deadline_in_every_unit_and_ignores_nonsense() {
        assert_eq!(deadline("2H"), Some(Duration::from_secs(7_200)));
        assert_eq!(deadline("3M"), Some(Duration::from_secs(180)));
        assert_eq!(deadline("20S"), Some(Duration::from_secs(20)));
        assert_eq!(deadline("99999999m"), Some(Duration::from_millis(99_999_999)));
        assert_eq!(deadline("5u"), Some(Duration::from_micros(5)));
        assert_eq!(deadline("5n"), Some(Duration::from_nanos(5)));
        for bad in ["", "S", "5", "5x", "-5S", "123456789S", "5 S"] {
            assert_eq!(deadline(bad), None, "{bad:?}");
        }
        assert_eq!(client_deadline(&MetadataMap::new()), None);
    }

    #[test]
    fn the_three_meanings_of_the_request_timeout() {
        assert_eq!(long_poll(-1, DEFAULT, None), LongPoll::No);
        assert_eq!(long_poll(i64::MIN, DEFAULT, None), LongPoll::No);
        assert_eq!(long_poll(0, DEFAULT, None), LongPoll::UpToMs(10_000));
        assert_eq!(long_poll(500, DEFAULT, None), LongPoll::UpToMs(500));
        assert_eq!(long_poll(i64::MAX, DEFAULT, None), LongPoll::UpToMs(i64::MAX));
    }

    #[test]
    fn ends_before_the_client_gives_up() {
        let seconds = |s| Some(Duration::from_secs(s));
        assert_eq!(long_poll(0, DEFAULT, seconds(20)), LongPoll::UpToMs(10_000));
        assert_eq!(long_poll(5_000, DEFAULT, seconds(5)), LongPoll::UpToMs(4_750));
        let short = Some(Duration::from_millis(100));
        assert_eq!(long_poll(5_000, DEFAULT, short), LongPoll::UpToMs(80));
    }
}
