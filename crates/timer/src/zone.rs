use jiff::tz::{Offset, TimeZone, TimeZoneDatabase};

/// The zone of this name: of the built-in tz database, or a fixed offset such as `+01:00`,
/// `UTC+1` or `Z`. What the machine has installed makes no difference.
pub fn zone(name: &str) -> Option<TimeZone> {
    if matches!(name, "Z" | "z") {
        return Some(TimeZone::UTC);
    }
    let signed = ["UTC", "GMT", "UT", ""]
        .into_iter()
        .filter_map(|prefix| name.strip_prefix(prefix))
        .find(|rest| rest.starts_with(['+', '-']));
    match signed {
        Some(signed) => fixed(signed).map(Offset::to_time_zone),
        None => TimeZoneDatabase::bundled().get(name).ok(),
    }
}

/// `+1`, `+01`, `+0100`, `+01:00`, `+01:00:00`.
pub(crate) fn fixed(signed: &str) -> Option<Offset> {
    const HOURS_MAX: i32 = 18;
    let (sign, rest) = match signed.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let digits: String = rest.chars().filter(|c| *c != ':').collect();
    let is_plain = digits.len() == rest.len();
    let is_split = rest.split(':').all(|part| part.len() == 2);
    if !(is_plain || is_split) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| digits.get(from..to).map_or(Ok(0), str::parse::<i32>).ok();
    let (hours, minutes, seconds) = match digits.len() {
        1 => (digits.parse().ok()?, 0, 0),
        2 | 4 | 6 => (part(0, 2)?, part(2, 4)?, part(4, 6)?),
        _ => return None,
    };
    if minutes > 59 || seconds > 59 {
        return None;
    }
    let total = hours * 3600 + minutes * 60 + seconds;
    (total <= HOURS_MAX * 3600).then(|| Offset::from_seconds(sign * total).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_offsets() {
        for name in
            ["Europe/Prague", "UTC", "Z", "+01:00", "GMT+1", "UTC-05:30", "America/Sao_Paulo"]
        {
            assert!(zone(name).is_some(), "{name}");
        }
        for name in ["", "Europe/Nowhere", "+1:0", "UTC+19", "+01:60", "GMT+", "+é1"] {
            assert!(zone(name).is_none(), "{name}");
        }
        assert_eq!(fixed("-05:30").map(Offset::seconds), Some(-19_800));
    }
}
