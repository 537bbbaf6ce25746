//! What someone probably meant.

/// The known name that takes the fewest changes, if few enough to be a slip.
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = folded(name);
    known
        .map(|known| (distance(&wanted, &folded(known)), known))
        .filter(|(distance, known)| {
            // That both lie in one section makes them no more alike.
            let own = known.len() - section(name, known);
            *distance <= (known.len() / 3).min(own / 2)
        })
        .min()
        .map(|(_, known)| known)
}

/// How much of a dotted name is the sections it shares with another.
fn section(name: &str, known: &str) -> usize {
    let same = name.bytes().zip(known.bytes()).take_while(|(one, other)| one == other).count();
    known.as_bytes()[..same].iter().rposition(|byte| *byte == b'.').map_or(0, |dot| dot + 1)
}

/// Names differ in capitals and dashes by the notation, which is nobody's mistake.
pub fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .flat_map(char::to_lowercase)
        // No name is longer; a hostile one must not cost its square.
        .take(NAME_CHARS_MAX)
        .collect()
}

const NAME_CHARS_MAX: usize = 120;

/// Levenshtein's: insertions, deletions and exchanges of one character.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let exchanged = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_nothing_far_away() {
        let known = ["jobExecutorActivate", "queueSize", "maxWait"];
        let find = |name| nearest(name, known.iter().copied());
        assert_eq!(find("jobExecutorActive"), Some("jobExecutorActivate"));
        assert_eq!(find("queue-sizes"), Some("queueSize"));
        assert_eq!(find("colour"), None);
        let known = ["executor.by_due", "executor.by_priority"];
        let find_in = |name| nearest(name, known.iter().copied());
        assert_eq!(find_in("executor.by_prio"), Some("executor.by_priority"));
        assert_eq!(find_in("executer.by_due"), Some("executor.by_due"));
        assert_eq!(find_in("executor.no_such"), None, "the section alone is no likeness");
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(find(&"x".repeat(1_000_000)), None);
    }
}
