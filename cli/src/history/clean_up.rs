//! `orloj history clean-up`: removes what is old enough.

use clap::{Args, Subcommand};

use crate::args::Client;
use crate::call::{Answer, Path, ask};
use crate::job::Job;
use crate::plan::Plan;
use crate::table;

const PATH: &str = "/api/history/clean-up";

#[derive(Debug, Subcommand)]
pub enum CleanUp {
    /// The jobs that do it
    Show(This),
    /// Begin now, whatever the window says
    Run(This),
}

#[derive(Debug, Args)]
pub struct This {
    #[command(flatten)]
    client: Client,
}

pub fn plan(verb: CleanUp) -> Plan {
    match verb {
        CleanUp::Show(this) => {
            ask(this.client, Path::new(PATH).get(), Answer::Show(table::listing::<Job>))
        }
        CleanUp::Run(this) => {
            let request = Path::new(PATH).post_json(String::new());
            ask(this.client, request, Answer::Done("the clean-up is due now".to_owned()))
        }
    }
}
