/// The language of a script, by what models write into `scriptFormat` and `language`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScriptLanguage {
    JavaScript,
    Groovy,
    Feel,
    Uel,
}

impl ScriptLanguage {
    /// `None`: a language that does not run here (Python, Ruby …).
    pub fn from_format(format: &str) -> Option<Self> {
        Some(match format.trim().to_ascii_lowercase().as_str() {
            "javascript"
            | "js"
            | "ecmascript"
            | "text/javascript"
            | "text/ecmascript"
            | "application/javascript"
            | "application/ecmascript"
            | "graal.js"
            | "nashorn"
            | "rhino" => Self::JavaScript,
            "groovy" | "text/x-groovy" | "application/x-groovy" => Self::Groovy,
            "feel" | "http://www.omg.org/spec/feel/20140401" => Self::Feel,
            "juel" | "uel" | "el" => Self::Uel,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_models_are_known() {
        for (format, language) in [
            ("JavaScript", Some(ScriptLanguage::JavaScript)),
            ("text/javascript", Some(ScriptLanguage::JavaScript)),
            ("Groovy", Some(ScriptLanguage::Groovy)),
            ("juel", Some(ScriptLanguage::Uel)),
            ("feel", Some(ScriptLanguage::Feel)),
            ("python", None),
        ] {
            assert_eq!(ScriptLanguage::from_format(format), language, "{format}");
        }
    }
}
