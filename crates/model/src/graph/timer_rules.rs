//! What the dialects mean about timers.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerRules {
    /// Whose texts they are: what is accepted, how a repetition counts, and what becomes of
    /// firings that were missed. Handed on to the reader of texts, which knows.
    pub texts: orloj_timer::Dialect,
    /// A repetition that is wholly past still fires once, at once.
    pub past_repetition_fires: bool,
    /// A date that an expression has computed is one also where a duration is wanted.
    pub dates_anywhere: bool,
}

impl TimerRules {
    pub const ZEEBE: Self = Self {
        texts: orloj_timer::Dialect::Zeebe,
        past_repetition_fires: true,
        dates_anywhere: false,
    };
    pub const CAMUNDA: Self = Self {
        texts: orloj_timer::Dialect::Camunda7,
        past_repetition_fires: false,
        dates_anywhere: true,
    };
    pub const FLOWABLE: Self = Self {
        texts: orloj_timer::Dialect::Flowable,
        past_repetition_fires: true,
        dates_anywhere: true,
    };
}
