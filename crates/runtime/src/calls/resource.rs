//! Scripts that lie beside the model, as files of the same deployment.

use orloj_interpreter::Invoke;
use orloj_model::{Place, Position, Program, ScriptLanguage, ScriptResource};

use crate::definitions::Definitions;

/// Where a name that is not of the class path begins.
const DEPLOYMENT: &str = "deployment://";

/// The program in a file of the deployment.
pub(super) async fn program(
    definitions: &Definitions,
    resource: &ScriptResource,
    name: &str,
    invoke: &Invoke,
) -> Result<Program, String> {
    let Some(file) = name.strip_prefix(DEPLOYMENT) else {
        return Err(format!("there is no class path to find the script '{name}' on"));
    };
    let ScriptLanguage::Program(language) = resource.language else {
        return Err(format!("the script '{name}' is an expression, which must be in the model"));
    };
    let found = definitions.file(invoke.definition, file).await.map_err(|e| e.to_string())?;
    let Some(content) = found else {
        return Err(format!("the deployment has no file '{file}'"));
    };
    let source = String::from_utf8(content.to_vec())
        .map_err(|_| format!("the script '{file}' is not UTF-8"))?;
    Ok(Program {
        language,
        host: resource.host,
        source: source.into(),
        stores_assigned: resource.stores_assigned,
        place: Place { start: Position::FIRST, is_verbatim: true },
    })
}
