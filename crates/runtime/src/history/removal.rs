//! How long an ended instance is kept.
//!
//! DIFFERENCE: in Camunda a called instance goes with its outermost caller. Here every instance has
//! the time to live of its own definition, so that its row is complete when it is written.

use orloj_model::TimeToLive;
use orloj_settings::{HistorySettings, Profile, RemovalTime, Settings};
use orloj_types::Timestamp;

const DAY_MS: i64 = 24 * 3_600_000;

/// When rows may be removed that are no part of history: at once. No instance ends so early.
pub const NOT_KEPT: Timestamp = Timestamp::ZERO;

/// Days from the definition, or else from the settings. `None`: for ever.
pub fn days_kept(settings: &HistorySettings, of_definition: Option<TimeToLive>) -> Option<u32> {
    match of_definition {
        Some(TimeToLive::Days(days)) => Some(days),
        // Said to be none, so the settings do not count.
        Some(TimeToLive::Unlimited) => None,
        None => settings.ttl.map(|ttl| ttl.days),
    }
}

/// When an instance that ends may be removed.
pub fn removal_at(
    settings: &HistorySettings,
    of_definition: Option<TimeToLive>,
    started_at: Timestamp,
    ended_at: Timestamp,
) -> Option<Timestamp> {
    let from = match settings.removal_time {
        RemovalTime::Start => started_at,
        RemovalTime::End => ended_at,
        RemovalTime::None => return None,
    };
    let days = days_kept(settings, of_definition)?;
    Some(from.plus_ms(i64::from(days).saturating_mul(DAY_MS)))
}

/// When an ended batch may be removed.
pub fn batch_removal_at(
    settings: &Settings,
    kind: &str,
    started_at: Timestamp,
    ended_at: Timestamp,
) -> Option<Timestamp> {
    let own = settings.batches.ttl_by_kind.get(kind).copied();
    let ttl = own.or(settings.history.batch_ttl)?;
    let from = match settings.history.removal_time {
        RemovalTime::Start => started_at,
        RemovalTime::End => ended_at,
        RemovalTime::None => return None,
    };
    Some(from.plus_ms(i64::from(ttl.days).saturating_mul(DAY_MS)))
}

/// Whether a definition must not be deployed because nothing says how long its instances are kept.
/// Only Camunda asks for it.
pub fn is_ttl_missing(settings: &Settings, of_definition: Option<TimeToLive>) -> bool {
    settings.profile == Profile::Camunda7
        && settings.history.ttl_required
        && days_kept(&settings.history, of_definition).is_none()
}

#[cfg(test)]
mod tests {
    use orloj_settings::Ttl;

    use super::*;

    #[test]
    fn the_definition_comes_before_the_settings() {
        let days = TimeToLive::Days;
        let unlimited = Some(TimeToLive::Unlimited);
        let table = [
            // settings, definition, days
            (None, None, None),
            (Some(30), None, Some(30)),
            (Some(30), Some(days(5)), Some(5)),
            (None, Some(days(0)), Some(0)),
            (Some(30), unlimited, None),
        ];
        for (ttl, of_definition, kept) in table {
            let ttl = ttl.map(|days| Ttl { days });
            let mut settings = Settings::default();
            settings.history.ttl = ttl;
            assert_eq!(days_kept(&settings.history, of_definition), kept, "{ttl:?}");
            settings.history.ttl_required = true;
            assert!(!is_ttl_missing(&settings, of_definition), "only in Camunda's profile");
            settings.profile = Profile::Camunda7;
            assert_eq!(is_ttl_missing(&settings, of_definition), kept.is_none());
        }
    }

    #[test]
    fn time_counts_from_the_end_or_the_start() {
        let (started_at, ended_at) = (Timestamp::from_ms(1_000), Timestamp::from_ms(5_000));
        let at = |removal_time| {
            let settings = HistorySettings { removal_time, ..HistorySettings::default() };
            removal_at(&settings, Some(TimeToLive::Days(2)), started_at, ended_at)
        };
        assert_eq!(at(RemovalTime::End), Some(Timestamp::from_ms(5_000 + 2 * DAY_MS)));
        assert_eq!(at(RemovalTime::Start), Some(Timestamp::from_ms(1_000 + 2 * DAY_MS)));
        assert_eq!(at(RemovalTime::None), None);
        let never = HistorySettings::default();
        assert_eq!(removal_at(&never, None, started_at, ended_at), None);
    }
}
