//! `orloj deploy`

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;
use serde::Deserialize;

use crate::args::Client;
use crate::call::{Answer, Call, Calls, Path, View};
use crate::definition::Definition;
use crate::plan::Plan;
use crate::table;

#[derive(Debug, Args)]
pub struct Arguments {
    /// BPMN files; each is a deployment of its own
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    client: Client,
}

/// Every file is read before the first is sent.
pub fn plan(arguments: Arguments) -> anyhow::Result<Plan> {
    let calls = arguments.files.into_iter().map(call).collect::<anyhow::Result<_>>()?;
    Ok(Plan::Ask(Calls { client: arguments.client, calls }))
}

fn call(file: PathBuf) -> anyhow::Result<Call> {
    let content = std::fs::read(&file).with_context(|| file.display().to_string())?;
    let limit = orloj_server::BODY_BYTES_MAX;
    ensure!(
        content.len() <= limit,
        "{}: {} bytes; a model has at most {limit}",
        file.display(),
        content.len()
    );
    // The name alone: a file deployed again from another folder is still the same resource.
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let request = Path::new("/api/deployments").with("name", Some(name)).post_xml(content);
    Ok(Call { request, answer: Answer::Show(deployed) })
}

fn deployed(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Deployed {
        duplicate: bool,
        definitions: Vec<Definition>,
    }
    let deployed: Deployed = serde_json::from_str(json)?;
    let note = deployed.duplicate.then(|| "already deployed: nothing has changed".to_owned());
    Ok(View { data: table::rows(&deployed.definitions), note })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Format;
    use crate::call::Request;

    #[test]
    fn a_file_is_sent_under_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my order.bpmn");
        std::fs::write(&file, "<x/>").unwrap();
        assert_eq!(
            call(file).unwrap().request,
            Request::PostXml("/api/deployments?name=my%20order.bpmn".to_owned(), b"<x/>".to_vec())
        );
    }

    #[test]
    fn a_missing_file_is_named_and_nothing_is_sent() {
        let client = Client { url: "http://nowhere".to_owned(), output: Format::Table };
        let arguments = Arguments { files: vec!["/nowhere/a.bpmn".into()], client };
        let Err(error) = plan(arguments) else { panic!("must fail") };
        assert_eq!(format!("{error:#}"), "/nowhere/a.bpmn: No such file or directory (os error 2)");
    }
}
