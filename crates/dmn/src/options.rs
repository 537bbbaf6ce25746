/// How a model is read and evaluated.
#[derive(Clone, Debug, Default)]
pub struct Options<'a> {
    pub mode: Mode,
    /// Files that the main one may import, in any order. They are found by their namespace.
    pub imports: Vec<&'a [u8]>,
    /// Keep a model although expressions in it cannot be read: the diagnostics are warnings then,
    /// and what is evaluated of them is null and an error.
    pub lenient: bool,
}

/// Whose rules apply where the compatible engines differ from the standard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The standard: a decision sees what it requires and nothing else; values that do not fit
    /// their type are null.
    #[default]
    Standard,
    /// Camunda 8: its FEEL, and all variables of the caller are visible.
    Camunda8,
    /// Camunda 7: as Camunda 8, and expressions may be JUEL; a required table offers its outputs
    /// under their own names; broken hit policies are errors.
    Camunda7,
    /// Flowable: every text is UEL. A cell goes on where the expression of its input ends, as
    /// `> 5` and `.startsWith("A")` do, or is an expression of its own between braces. Outputs see
    /// those before them, and have the type of their column. All variables are visible.
    Flowable,
}

impl Mode {
    pub(crate) fn sees_callers_variables(self) -> bool {
        self != Self::Standard
    }

    /// A required table offers its outputs under their own names, and the types of its columns
    /// are all there is.
    pub(crate) fn offers_outputs(self) -> bool {
        matches!(self, Self::Camunda7 | Self::Flowable)
    }
}
