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
    struct Reason {
        code: String,
        text: String,
        remedy: Option<String>,
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
            data.push_str(&format!("\n   → {}", plain(remedy)));
        }
    }
    Ok(View { data, note: None })
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let json = format!(r#"{{"job":{JOB},"reasons":[]}}"#);
        assert!(explain(&json).unwrap().data.ends_with("nothing stands in its way"));
    }
}
