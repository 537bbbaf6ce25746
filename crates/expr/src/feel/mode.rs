/// Whose FEEL it is, where the standard and Camunda 8 contradict each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// DMN 1.3 to 1.5, as its test kit reads it.
    Standard,
    /// As Zeebe evaluates it; also the language of processes.
    #[default]
    Camunda8,
}

impl Mode {
    pub(super) fn is_standard(self) -> bool {
        self == Self::Standard
    }
}
