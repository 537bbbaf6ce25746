//! What the dialects mean about values that expressions compute and ask for.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueRules {
    /// Null stands for what is not set: a text, a number or names that may be left out.
    pub null_is_unset: bool,
    /// A whole number may come as text.
    pub numbers_as_text: bool,
    /// Names may come as text with commas between them.
    pub names_as_text: bool,
    /// The priority of a user task is a whole number from 0 to 100.
    pub task_priority_is_bounded: bool,
    /// A date of a user task that is text names its zone, and empty text is no date.
    pub task_dates_name_zone: bool,
    /// A value that is no text is written out where text is wanted.
    pub written_out: bool,
    /// What is only told to people, as the name of a task is, may fail to be computed.
    pub told_may_fail: bool,
    /// A job's priority that cannot be computed is the default one.
    pub priority_may_fail: bool,
    /// So is one that is no whole number.
    pub priority_may_be_anything: bool,
    /// A call activity may compute null for the business key of what it calls.
    pub business_key_may_be_null: bool,
    /// One that cannot be computed, or is no text, is none.
    pub business_key_may_fail: bool,
    /// To an expression an instance without a tenant has the empty one, not null.
    pub no_tenant_is_empty: bool,
    /// A mapping sees what earlier ones of the element gave before all else. Otherwise inputs see
    /// what is around the element only, and outputs the element's own variables first.
    pub mappings_build_up: bool,
    /// Skip expressions count only where one of these variables is true.
    pub skip_switches: &'static [&'static str],
}

impl ValueRules {
    pub const ZEEBE: Self = Self {
        null_is_unset: false,
        numbers_as_text: false,
        names_as_text: false,
        task_priority_is_bounded: true,
        task_dates_name_zone: true,
        written_out: false,
        told_may_fail: false,
        priority_may_fail: true,
        priority_may_be_anything: true,
        business_key_may_be_null: true,
        business_key_may_fail: true,
        no_tenant_is_empty: false,
        mappings_build_up: true,
        skip_switches: &[],
    };
    pub const CAMUNDA: Self = Self {
        null_is_unset: true,
        numbers_as_text: true,
        names_as_text: true,
        task_priority_is_bounded: false,
        task_dates_name_zone: false,
        priority_may_be_anything: false,
        business_key_may_fail: false,
        mappings_build_up: false,
        ..Self::ZEEBE
    };
    pub const FLOWABLE: Self = Self {
        null_is_unset: true,
        numbers_as_text: true,
        names_as_text: true,
        task_priority_is_bounded: false,
        task_dates_name_zone: false,
        written_out: true,
        told_may_fail: true,
        priority_may_fail: false,
        priority_may_be_anything: false,
        business_key_may_be_null: false,
        business_key_may_fail: false,
        no_tenant_is_empty: true,
        mappings_build_up: true,
        skip_switches: &["_ACTIVITI_SKIP_EXPRESSION_ENABLED", "_FLOWABLE_SKIP_EXPRESSION_ENABLED"],
    };
}
