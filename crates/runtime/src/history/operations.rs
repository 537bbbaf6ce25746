//! Whether what people do is written into the log of operations.

use orloj_settings::{HistoryLevel, Settings};

/// Only the highest level of history keeps it, and, unless the settings say otherwise, only of
/// people who are known by name.
pub fn is_logged(settings: &Settings, user: Option<&str>) -> bool {
    let is_known = user.is_some_and(|user| !user.is_empty());
    settings.history.level == HistoryLevel::Full
        && (is_known || !settings.operations.authenticated_only)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_logged_when() {
        let table = [
            // level, authenticated only, user, logged
            (HistoryLevel::Full, true, Some("anna"), true),
            (HistoryLevel::Full, true, Some(""), false),
            (HistoryLevel::Full, true, None, false),
            (HistoryLevel::Full, false, None, true),
            (HistoryLevel::Audit, false, Some("anna"), false),
            (HistoryLevel::None, false, Some("anna"), false),
        ];
        for (level, authenticated_only, user, logged) in table {
            let mut settings = Settings::default();
            settings.history.level = level;
            settings.operations.authenticated_only = authenticated_only;
            assert_eq!(is_logged(&settings, user), logged, "{level:?} {user:?}");
        }
    }
}
