/// Whether a text fits a pattern in which `*` stands for any characters.
///
/// Linear in the product of both lengths at worst; patterns come from the configuration.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let Some(end) = parts.pop() else { return true };
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text) in [
            ("*", ""),
            ("*", "x"),
            ("pay", "pay"),
            ("pay*", "pay2"),
            ("*y", "pay"),
            ("a*b*c", "abbc"),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("pay", "pays"), ("pay*", "prepay"), ("a*a", "a"), ("a*b*c", "acb"), ("", "x")]
        {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }
}
