use crate::setting::words;

/// Whose defaults hold where nothing was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    #[default]
    Orloj,
    Camunda7,
    /// As in Flowable's source.
    Flowable,
    /// As in the chapter on the async executor, which older releases follow.
    Chapter,
}

words!(Profile {
    Orloj = "orloj",
    Camunda7 = "camunda7",
    Flowable = "flowable",
    Chapter = "chapter",
});
