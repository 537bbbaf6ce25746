use std::future::Future;

use orloj_groovy::{Dialect, Host};
use orloj_types::Timestamp;

use crate::config::SecureScripting;
use crate::javascript;
use crate::language::ScriptLanguage;
use crate::outcome::{Diagnostic, Failure, Limit, Outcome};
use crate::pool::{PoolError, ScriptHost};
use crate::script::{Program, Script};

/// Runs scripts of every language. Shared; any number of scripts may run at once.
#[derive(Debug)]
pub struct Scripts {
    host: ScriptHost,
    config: SecureScripting,
}

#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    pub dialect: Dialect,
    /// Assigning an undeclared name writes a variable.
    pub auto_store: bool,
    pub now: Timestamp,
    /// Where random numbers of the script start.
    pub seed: u64,
}

impl RunOptions {
    pub fn new(dialect: Dialect, now: Timestamp) -> Self {
        Self { dialect, auto_store: false, now, seed: 0 }
    }
}

impl Scripts {
    pub fn new(host: ScriptHost, config: SecureScripting) -> Self {
        Self { host, config }
    }

    /// Parses a script of a deployment; JavaScript is compiled by a child and not run.
    pub async fn check(
        &self,
        language: ScriptLanguage,
        source: &str,
    ) -> Result<Script, Diagnostic> {
        let script = Script::parse(language, source)?;
        if language != ScriptLanguage::JavaScript {
            return Ok(script);
        }
        let request = javascript::check_request(source, &self.config);
        match self.host.call(&request).await {
            Err(error) => Err(Diagnostic::Host { message: error.to_string() }),
            Ok(answer) => javascript::checked(answer).map(|()| script),
        }
    }

    /// What `host` shows is read before the first await.
    pub fn run(
        &self,
        script: &Script,
        host: &dyn Host,
        options: RunOptions,
    ) -> impl Future<Output = Outcome> + Send + '_ {
        let work = match &script.program {
            Program::JavaScript(source) => {
                Err(javascript::run_request(source, host, &options, &self.config))
            }
            Program::Groovy(script) => Ok(run_groovy(script, host, options)),
        };
        async move {
            match work {
                Ok(outcome) => outcome,
                Err(request) => match self.host.call(&request).await {
                    Ok(answer) => javascript::outcome(answer, &self.config),
                    Err(PoolError::Deadline) => Outcome::of(Err(Failure::Limit {
                        limit: Limit::Time,
                        message: javascript::limit_message(Limit::Time, &self.config),
                        position: None,
                    })),
                    Err(PoolError::Ended) => Outcome::of(Err(Failure::Limit {
                        limit: Limit::Memory,
                        message: javascript::limit_message(Limit::Memory, &self.config),
                        position: None,
                    })),
                    Err(error) => Outcome::of(Err(Failure::Host { message: error.to_string() })),
                },
            }
        }
    }
}

fn run_groovy(script: &orloj_groovy::Script, host: &dyn Host, options: RunOptions) -> Outcome {
    let outcome = script.run(
        host,
        orloj_groovy::Options {
            auto_store: options.auto_store,
            seed: options.seed,
            ..orloj_groovy::Options::new(options.dialect, options.now)
        },
    );
    let result = outcome.result.map_err(|failure| match failure {
        orloj_groovy::Failure::BpmnError { code, message, position } => {
            Failure::BpmnError { code, message, position: Some(position) }
        }
        orloj_groovy::Failure::Exception { class, message, position } => Failure::Exception {
            class: class.to_owned(),
            message: message.unwrap_or_else(|| "no message".to_owned()),
            position: Some(position),
        },
        orloj_groovy::Failure::Limit { limit, allowed, position } => Failure::Limit {
            message: format!("the script needs more than {allowed} {limit}"),
            limit: match limit {
                orloj_groovy::Limit::Steps => Limit::Instructions,
                orloj_groovy::Limit::Depth => Limit::Stack,
                orloj_groovy::Limit::Bytes => Limit::Memory,
            },
            position: Some(position),
        },
    });
    Outcome {
        result,
        effects: outcome.effects,
        printed: outcome.printed,
        printed_lost: outcome.printed_lost,
    }
}
