//! Where files go unless someone says otherwise.

use std::path::PathBuf;

/// Under the user's own data folder rather than the working folder, so that the state found does
/// not depend on where a node happens to be started.
pub fn default(variable: impl Fn(&str) -> Option<String>) -> PathBuf {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(data) = absolute("XDG_DATA_HOME") {
        return data.join("orloj");
    }
    match absolute("HOME") {
        Some(home) => home.join(".local/share/orloj"),
        // A system user without a home.
        None => PathBuf::from("orloj-data"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_desktop_convention() {
        let dir = |pairs: &'static [(&str, &str)]| {
            default(|name| {
                pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(dir(&[("XDG_DATA_HOME", "/x"), ("HOME", "/h")]), PathBuf::from("/x/orloj"));
        assert_eq!(
            dir(&[("XDG_DATA_HOME", "relative"), ("HOME", "/h")]),
            PathBuf::from("/h/.local/share/orloj")
        );
        assert_eq!(dir(&[]), PathBuf::from("orloj-data"));
    }
}
