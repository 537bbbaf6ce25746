//! `orloj job explain`: every reason, in the order in which they would have to be cleared.

use serde::Deserialize;

use crate::call::View;
use crate::job::Job;
use crate::table::{self, plain};

pub fn explain(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Explained {
        job: Job,
        reasons: Vec<Reason>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Reason {
        code: String,
        text: String,
        remedy: Option<String>,
        #[serde(default)]
        on_node: Option<String>,
    }
    let explained: Explained = serde_json::from_str(json)?;
    let mut data = table::rows(&[explained.job]);
    data.push('\n');
    if explained.reasons.is_empty() {
        data.push_str("\nnothing stands in its way");
    }
    for (at, reason) in explained.reasons.iter().enumerate() {
        data.push_str(&format!("\n{}. {}: {}", at + 1, reason.code, plain(&reason.text)));
        if let Some(remedy) = &reason.remedy {
            let remedy = match &reason.on_node {
                Some(node) => format!("on node '{node}': {remedy}"),
                None => remedy.clone(),
            };
            data.push_str(&format!("\n   → {}", plain(&remedy)));
        }
    }
    Ok(View { data, note: None })
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use orloj_server::orloj::Remedy;

    use super::*;
    use crate::args::Cli;

    const JOB: &str = r#"{"key":"6","instance":"1","process":"order","definition":"0",
        "element":"charge","elementInstance":"5","kind":"worker","type":"pay","state":"failed",
        "retriesLeft":0,"priority":0,"exclusive":false,"dueAt":null,"lockedBy":null,
        "lockedUntil":null,"attempt":3,"failure":"no answer","tenant":null}"#;

    #[test]
    fn reasons_come_with_what_can_be_done() {
        let json = format!(
            r#"{{"job":{JOB},"reasons":[
                {{"code":"no-retries","text":"it failed 3 times","remedy":"raise its retries"}},
                {{"code":"no-worker","text":"nobody asks for pay","remedy":null}}]}}"#
        );
        insta::assert_snapshot!(explain(&json).unwrap().data);
        let json = format!(
            r#"{{"job":{JOB},"reasons":[{{"code":"no-executor","text":"it is off",
                "remedy":"orloj executor start","onNode":"b"}}]}}"#
        );
        let data = explain(&json).unwrap().data;
        assert!(data.ends_with("\n   → on node 'b': orloj executor start"), "{data}");
        let json = format!(r#"{{"job":{JOB},"reasons":[]}}"#);
        assert!(explain(&json).unwrap().data.ends_with("nothing stands in its way"));
    }

    #[test]
    fn every_command_that_is_advised_is_one() {
        let commands = Remedy::samples().into_iter().filter(Remedy::is_command);
        for line in commands.map(|remedy| remedy.to_string()) {
            let words = shell_words(&line);
            let parsed = Cli::try_parse_from(&words).map_err(|error| error.to_string());
            let planned = parsed.and_then(|cli| cli.plan().map_err(|error| error.to_string()));
            assert!(planned.is_ok(), "{line}: {}", planned.err().unwrap_or_default());
        }
    }

    /// As a shell takes a line apart that quotes with apostrophes only.
    fn shell_words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let (mut is_quoted, mut is_escaped) = (false, false);
        for c in line.chars() {
            let word = words.last_mut().expect("never empty");
            match c {
                _ if is_escaped => {
                    word.push(c);
                    is_escaped = false;
                }
                '\'' => is_quoted = !is_quoted,
                '\\' if !is_quoted => is_escaped = true,
                ' ' if !is_quoted => words.push(String::new()),
                _ => word.push(c),
            }
        }
        words
    }
}
