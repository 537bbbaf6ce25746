//! `orloj deploy`

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::args::{Client, Vendor};
use crate::call::{Answer, Path, Request, View, ask};
use crate::decision::Decision;
use crate::definition::Definition;
use crate::moment::moment;
use crate::plan::Plan;
use crate::table::{self, Row};

#[derive(Debug, Args)]
pub struct Arguments {
    /// BPMN, DMN and form files, deployed together: all of them or none
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Whose files those are that do not tell it [default: as the others, else camunda7]
    #[arg(long, value_enum)]
    engine: Option<Vendor>,
    /// Whose they are, where several tenants share an engine
    #[arg(long)]
    tenant: Option<String>,
    /// Processes are suspended until then, when they are resumed by a job
    #[arg(long, value_name = "MOMENT", value_parser = moment, allow_hyphen_values = true)]
    activate_at: Option<String>,
    #[command(flatten)]
    client: Client,
}

struct File {
    name: String,
    content: Vec<u8>,
}

/// Every file is read before anything is sent.
pub fn plan(arguments: Arguments) -> anyhow::Result<Plan> {
    let files = arguments.files.into_iter().map(read).collect::<anyhow::Result<Vec<_>>>()?;
    let choices = Choices {
        engine: arguments.engine,
        tenant: arguments.tenant,
        activate_at: arguments.activate_at,
    };
    let request = request(files, choices)?;
    Ok(ask(arguments.client, request, Answer::Show(deployed)))
}

fn read(file: PathBuf) -> anyhow::Result<File> {
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
    Ok(File { name, content })
}

/// What holds for all files.
#[derive(Default)]
struct Choices {
    engine: Option<Vendor>,
    tenant: Option<String>,
    activate_at: Option<String>,
}

fn request(mut files: Vec<File>, choices: Choices) -> anyhow::Result<Request> {
    let Choices { engine, tenant, activate_at } = choices;
    let chosen = |path: Path| {
        path.with("engine", engine.map(Vendor::word))
            .with("tenant", tenant)
            .with("activateAt", activate_at)
    };
    let path = Path::new("/api/deployments");
    if files.len() == 1 {
        let File { name, content } = files.remove(0);
        return Ok(chosen(path.with("name", Some(name))).post_xml(content));
    }
    let body = together(files)?;
    let limit = orloj_server::DEPLOYMENT_BYTES_MAX;
    ensure!(body.len() <= limit, "{} bytes in all; a deployment has at most {limit}", body.len());
    Ok(chosen(path).post_json(body))
}

fn together(files: Vec<File>) -> anyhow::Result<String> {
    #[derive(Serialize)]
    struct Body {
        resources: Vec<Resource>,
    }
    #[derive(Serialize)]
    struct Resource {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        base64: Option<String>,
    }
    let resource = |File { name, content }| match String::from_utf8(content) {
        Ok(text) => Resource { name, content: Some(text), base64: None },
        Err(other) => {
            let base64 = Some(BASE64_STANDARD.encode(other.as_bytes()));
            Resource { name, content: None, base64 }
        }
    };
    let body = Body { resources: files.into_iter().map(resource).collect() };
    Ok(serde_json::to_string(&body)?)
}

/// A form, or a file that jobs are linked to.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asset {
    key: String,
    kind: String,
    asset: String,
    version: i32,
    resource: String,
    deployed_at: String,
}

impl Row for Asset {
    const COLUMNS: &'static [&'static str] =
        &["KEY", "KIND", "ID", "VERSION", "RESOURCE", "DEPLOYED"];

    fn cells(&self) -> Vec<String> {
        vec![
            self.key.clone(),
            self.kind.clone(),
            self.asset.clone(),
            self.version.to_string(),
            self.resource.clone(),
            self.deployed_at.clone(),
        ]
    }
}

/// What is taken otherwise than it is written.
#[derive(Deserialize)]
struct Warning {
    resource: String,
    line: Option<u32>,
    column: Option<u32>,
    message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.resource)?;
        for place in [self.line, self.column].into_iter().flatten() {
            write!(f, "{place}:")?;
        }
        write!(f, " warning: {}", self.message)
    }
}

fn deployed(json: &str) -> serde_json::Result<View> {
    #[derive(Deserialize)]
    struct Deployed {
        duplicate: bool,
        definitions: Vec<Definition>,
        decisions: Vec<Decision>,
        assets: Vec<Asset>,
        warnings: Vec<Warning>,
    }
    let deployed: Deployed = serde_json::from_str(json)?;
    let mut notes: Vec<String> = deployed.warnings.iter().map(ToString::to_string).collect();
    if deployed.duplicate {
        notes.push("already deployed: nothing has changed".to_owned());
    }
    let note = (!notes.is_empty()).then(|| notes.join("\n"));
    let mut tables = Vec::new();
    if !deployed.definitions.is_empty() {
        tables.push(table::rows(&deployed.definitions));
    }
    if !deployed.decisions.is_empty() {
        tables.push(table::rows(&deployed.decisions));
    }
    if !deployed.assets.is_empty() {
        tables.push(table::rows(&deployed.assets));
    }
    Ok(View { data: tables.join("\n\n"), note })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Format;

    fn file(name: &str, content: &[u8]) -> File {
        File { name: name.to_owned(), content: content.to_vec() }
    }

    #[test]
    fn a_file_is_sent_as_it_is_under_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my order.bpmn");
        std::fs::write(&path, "<x/>").unwrap();
        let choices = Choices {
            engine: Some(Vendor::Zeebe),
            tenant: Some("a".to_owned()),
            activate_at: Some("2030-01-31T09:00:00.000Z".to_owned()),
        };
        let request = request(vec![read(path).unwrap()], choices).unwrap();
        let path = "/api/deployments?name=my%20order.bpmn&engine=zeebe&tenant=a\
                    &activateAt=2030-01-31T09%3A00%3A00.000Z";
        assert_eq!(request, Request::PostXml(path.to_owned(), b"<x/>".to_vec()));
    }

    #[test]
    fn several_files_are_one_deployment() {
        let files = vec![file("a.bpmn", b"<a/>"), file("b.dmn", b"\xff\xfe<\0")];
        let body = r#"{"resources":[{"name":"a.bpmn","content":"<a/>"},{"name":"b.dmn","base64":"//48AA=="}]}"#;
        let expected = Request::PostJson("/api/deployments".to_owned(), body.to_owned());
        assert_eq!(request(files, Choices::default()).unwrap(), expected);
    }

    #[test]
    fn a_missing_file_is_named_and_nothing_is_sent() {
        let client = Client {
            url: "http://nowhere".to_owned(),
            store: None,
            user: None,
            output: Format::Table,
        };
        let arguments = Arguments {
            files: vec!["/nowhere/a.bpmn".into()],
            engine: None,
            tenant: None,
            activate_at: None,
            client,
        };
        let Err(error) = plan(arguments) else { panic!("must fail") };
        assert_eq!(format!("{error:#}"), "/nowhere/a.bpmn: No such file or directory (os error 2)");
    }

    #[test]
    fn decisions_and_forms_are_shown_beside_processes() {
        let json = r#"{"key":"1","duplicate":false,"definitions":[{"key":"2","process":"p",
            "version":1,"resource":"p.bpmn","deployment":"1",
            "deployedAt":"2030-01-01T00:00:00Z","tenant":null}],
            "decisions":[{"key":"4","decision":"fee","name":"Fee","version":3,"versionTag":null,
            "requirements":{"key":"3","id":"d","name":"d","version":1},"resource":"d.dmn",
            "deployment":"1","deployedAt":"2030-01-01T00:00:00Z","tenant":null}],
            "assets":[{"key":"5","kind":"form","asset":"ask","version":2,"versionTag":null,
            "resource":"ask.form","deployment":"1","deployedAt":"2030-01-01T00:00:00Z",
            "tenant":null}],"warnings":[{"resource":"p.bpmn","line":3,"column":5,
            "severity":"warning","element":"a","code":"retries","message":"is no cycle"}]}"#;
        let view = deployed(json).unwrap();
        assert_eq!(view.note.as_deref(), Some("p.bpmn:3:5: warning: is no cycle"));
        insta::assert_snapshot!(view.data);
    }
}
