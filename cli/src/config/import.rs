//! `orloj config import`

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueEnum};
use orloj_config_import::{File, Imported, import};
use orloj_settings::Profile;

use crate::output;

const HELP: &str = "\
Files are told apart by what they are: processes.xml, bpm-platform.xml, Spring bean XML
(camunda.cfg.xml, flowable.cfg.xml), application.yaml or application.properties. What was taken and
what was not goes to stderr; errors come with line and column, and nothing is written then.";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Files of one configuration
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Whose defaults hold [default: those of the system whose files they are]
    #[arg(long, value_enum)]
    profile: Option<ProfileName>,
    /// Where to write the configuration [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProfileName {
    Orloj,
    Camunda7,
    Flowable,
    /// Flowable's as its chapter on the async executor has them
    Chapter,
}

pub struct Plan {
    files: Vec<(String, Vec<u8>)>,
    profile: Option<Profile>,
    output: Option<PathBuf>,
}

pub fn plan(arguments: Arguments) -> anyhow::Result<Plan> {
    let mut files = Vec::new();
    for path in arguments.files {
        let name = path.display().to_string();
        let bytes = std::fs::read(&path).with_context(|| format!("cannot read {name}"))?;
        files.push((name, bytes));
    }
    let profile = arguments.profile.map(|profile| match profile {
        ProfileName::Orloj => Profile::Orloj,
        ProfileName::Camunda7 => Profile::Camunda7,
        ProfileName::Flowable => Profile::Flowable,
        ProfileName::Chapter => Profile::Chapter,
    });
    Ok(Plan { files, profile, output: arguments.output })
}

impl Plan {
    pub fn act(&self) -> anyhow::Result<()> {
        let files: Vec<File<'_>> =
            self.files.iter().map(|(name, bytes)| File { name, bytes }).collect();
        match import(&files, self.profile) {
            Ok(imported) => {
                tell(&imported);
                match &self.output {
                    None => output::data(&imported.to_toml())?,
                    Some(path) => std::fs::write(path, imported.to_toml())
                        .with_context(|| format!("cannot write {}", path.display()))?,
                }
                Ok(())
            }
            Err(errors) => {
                for error in &errors {
                    output::talk(&format!("error: {error}"));
                }
                output::verdict(errors.len(), errors.len())
            }
        }
    }
}

fn tell(imported: &Imported) {
    for (knob, origin) in &imported.read.origins {
        let said = match &origin.property {
            Some(property) => format!("{property} as {knob}"),
            None => knob.clone(),
        };
        output::talk(&format!("taken: {}: {said}", origin.place));
    }
    for note in imported.notes() {
        output::talk(&format!("not taken: {note}"));
    }
    let (taken, notes) = (imported.read.origins.len(), imported.notes().len());
    output::talk(&format!("{taken} values taken, {notes} notes"));
}
