const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// From 1.
pub(super) fn month(name: &str) -> Option<u8> {
    place(&MONTHS, name).map(|place| place + 1)
}

/// From Sunday, 0.
pub(super) fn weekday(name: &str) -> Option<u8> {
    place(&WEEKDAYS, name)
}

fn place(names: &[&str], name: &str) -> Option<u8> {
    names.iter().position(|known| known.eq_ignore_ascii_case(name)).map(|place| place as u8)
}
