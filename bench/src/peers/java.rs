//! One Java engine: its program is run once, warms up and prints a line of JSON for each run.

use std::process::Stdio;

use anyhow::{Context, ensure};
use serde_json::Value;
use tokio::process::Command;

use super::Options;
use crate::place::{Ground, connect};

/// Steps per second of each run.
pub async fn runs(ground: &Ground, options: &Options, program: &str) -> anyhow::Result<Vec<f64>> {
    let database = format!("peers_{program}");
    let client = connect(&ground.postgres).await?;
    let drop = format!("DROP DATABASE IF EXISTS {database} WITH (FORCE)");
    client.batch_execute(&drop).await?;
    client.batch_execute(&format!("CREATE DATABASE {database}")).await?;
    let result = measure(ground, options, program, &database).await;
    client.batch_execute(&drop).await?;
    result
}

async fn measure(
    ground: &Ground,
    options: &Options,
    program: &str,
    database: &str,
) -> anyhow::Result<Vec<f64>> {
    let jar = options.programs.join(program).join("target").join(format!("{program}.jar"));
    ensure!(jar.is_file(), "{} is missing; `cargo xtask bench peers` builds it", jar.display());
    let [instances, warm_up, repeat] =
        [options.instances, options.warm_up, options.repeat].map(|number| number.to_string());
    let output = Command::new("java")
        .args(["-Xms1g", "-Xmx2g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-jar"])
        .arg(&jar)
        .args(["--engine", program, "--workload", "async-chain", "--settings", "tuned"])
        .args(["--instances", &instances, "--warmup", &warm_up, "--repeat", &repeat])
        .args(["--jdbc", &jdbc(&ground.postgres, database)?])
        .stderr(Stdio::inherit())
        .output()
        .await
        .context("cannot start java")?;
    ensure!(output.status.success(), "the program for {program} failed ({})", output.status);
    let text = String::from_utf8(output.stdout).context("the program printed invalid UTF-8")?;
    let mut found = Vec::new();
    for line in text.lines() {
        eprintln!("{line}");
        let line: Value = serde_json::from_str(line).context("a line is no JSON")?;
        if line["event"] == "run" {
            found.push(line["steps_per_s"].as_f64().context("a run without `steps_per_s`")?);
        }
    }
    ensure!(!found.is_empty(), "the program for {program} measured nothing");
    Ok(found)
}

/// Of `postgres://USER@HOST:PORT/DATABASE`, as the throw-away cluster has it.
fn jdbc(url: &str, database: &str) -> anyhow::Result<String> {
    let rest = url.split_once("://").context("a URL of PostgreSQL")?.1;
    let (user, place) = rest.split_once('@').context("a URL with a user")?;
    let (host, _) = place.split_once('/').context("a URL with a database")?;
    Ok(format!("jdbc:postgresql://{host}/{database}?user={user}"))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_url_becomes_one_of_java() {
        let url = super::jdbc("postgres://postgres@127.0.0.1:4711/postgres", "peers_camunda");
        let wanted = "jdbc:postgresql://127.0.0.1:4711/peers_camunda?user=postgres";
        assert_eq!(url.ok().as_deref(), Some(wanted));
    }
}
