/// A language that scripts are run in. Which words of models mean it is known to the reader of
/// models; FEEL and UEL are expressions, and none of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScriptLanguage {
    JavaScript,
    Groovy,
}
