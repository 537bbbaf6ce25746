//! What suspending and resuming definitions and job definitions have in common.

use serde_json::{Map, Value, json};

use crate::args::Client;
use crate::call::{Answer, Call, Calls, Path};
use crate::plan::Plan;

/// All of a process, perhaps of one tenant, or of none.
pub fn name_process(
    body: &mut Map<String, Value>,
    process: String,
    tenant: Option<String>,
    without_tenant: bool,
) {
    body.insert("process".to_owned(), json!(process));
    if let Some(tenant) = tenant {
        body.insert("tenant".to_owned(), json!(tenant));
    }
    if without_tenant {
        body.insert("withoutTenant".to_owned(), json!(true));
    }
}

/// A call for each of them: its path, and what it is about with its verb. `at`: not now but then.
pub fn calls(
    client: Client,
    each: Vec<(String, String)>,
    body: Map<String, Value>,
    done: &str,
    at: Option<&str>,
) -> Plan {
    let body = Value::Object(body).to_string();
    let call = |(path, what): (String, String)| {
        let said = match at {
            Some(at) => format!("{what} {done} at {at}"),
            None => format!("{what} {done}"),
        };
        Call { request: Path::new(path).post_json(body.clone()), answer: Answer::Done(said) }
    };
    Plan::Ask(Calls { client, calls: each.into_iter().map(call).collect() })
}
