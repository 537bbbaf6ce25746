//! The statements, in the configured schema.

use tokio_postgres::types::{Kind, Type};
use tokio_postgres::{Client, Row};

use orloj_store::Error;

use crate::error::{damaged, portable};

macro_rules! statements {
    ($($name:ident)*) => {
        pub(crate) struct Sql {
            $(pub $name: String,)*
        }

        impl Sql {
            pub fn new(schema: &str) -> Self {
                Self {
                    $($name: in_schema(
                        include_str!(concat!("../queries/", stringify!($name), ".sql")),
                        schema,
                    ),)*
                }
            }
        }
    };
}

statements! {
    asset_delete asset_find asset_insert asset_latest assets batch_load batches broadcasts called_ended called_instances chore_insert chore_locks
    chore_log chore_log_insert chore_replaced decision_find decision_insert decision_latest decision_load decisions definition_find
    definition_delete definition_insert definition_latest definition_live definition_load
    definition_starts_delete definition_suspend definition_timers definitions
    definitions_moved definitions_suspended ended ended_batch_removal ended_batches ended_load ended_removal event_state group_commit group_commit_chores
    group_commit_with_events group_commit_with_pages history_load incident_load incidents incidents_delete
    index_state indexes_valid instance_load instance_of instance_revs instances job_acquire_engine
    job_acquire_worker job_at_hand_clear job_at_hand_release job_candidates_engine job_candidates_worker job_clear_session
    job_definition_insert job_definition_load job_definition_set job_definitions
    job_definitions_set job_due job_due_worker job_expire job_extend_lock job_list_locks job_load job_lock_session job_lock_worker job_release job_taken
    jobs landed_delete landed_forget lane_delete lane_epoch lane_insert lane_reopen limit_delete limit_hold limit_load
    limit_put limit_use limits limits_locked lock_advisory message_expired message_fit
    message_fits message_load messages meter_add meters node_beat node_beat_at node_delete
    node_describe node_insert node_named node_number_free node_number_keep nodes notify
    operations prune_batch_keys prune_batch_log prune_batches prune_batches_ended prune_chore_log prune_ended prune_instances prune_meters prune_operations prune_removable
    requirements_delete requirements_version resource_insert resource_load settings_raise settings_version
    start_insert start_replace starts subscription_last subscription_load subscriptions
    subscriptions_of_business_key
    tenant_asset tenant_called tenant_chore tenant_chore_incident tenant_chore_log tenant_decision
    tenant_definition tenant_definitions tenant_ended tenant_ended_instance tenant_history
    tenant_incident tenant_instance tenant_instances tenant_job tenant_job_definition tenant_lock
    tenant_message tenant_of tenant_outdated tenant_page tenant_resource tenant_settled
    tenant_start_event tenant_subscription tenant_taken tenant_unsettled tenant_user_task
    tenant_variable
    user_task_load user_tasks
}

/// Puts a schema in the place of `orloj`, and leaves out comments and indentation, which would
/// travel with every execution.
pub(crate) fn in_schema(sql: &str, schema: &str) -> String {
    let prefix = format!("{}.", quoted(schema));
    let lines = sql.lines().map(str::trim).filter(|line| !line.starts_with("--"));
    let text: Vec<String> = lines.map(|line| line.replace("orloj.", &prefix)).collect();
    text.join(" ").trim().to_owned()
}

pub(crate) fn quoted(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}

/// A composite type of the schema, as arrays of it are sent.
#[derive(Clone, Debug)]
pub(crate) struct RowType {
    pub oid: u32,
    pub array: Type,
}

macro_rules! row_types {
    ($($name:ident)*) => {
        /// Types are known to the server by numbers that differ from database to database.
        pub(crate) struct RowTypes {
            $(pub $name: RowType,)*
        }

        impl RowTypes {
            pub async fn load(client: &Client, schema: &str) -> Result<Self, Error> {
                let sql = in_schema(include_str!("../queries/type_oids.sql"), schema);
                let rows = client.query_typed(&sql, &[(&schema, Type::TEXT)]).await;
                let rows = rows.map_err(|e| portable(&e))?;
                Ok(Self { $($name: row_type(&rows, stringify!($name), schema)?,)* })
            }
        }
    };
}

row_types! {
    job_at_hand instance_in instance_step instance_gone variable_in variable_gone job_in job_step job_held
    user_task_in incident_in history_in ended_in definition_in decision_in asset_in resource_in channel
    called_in subscription_in start_in message_in message_take broadcast_in
    broadcast_step migrated job_definition_in chore_step chore_log_in batch_in batch_step batch_gone
    operation_in meter_in limit_token page_in page_gone incident_note
}

fn row_type(rows: &[Row], name: &str, schema: &str) -> Result<RowType, Error> {
    let row = rows.iter().find(|row| row.try_get::<_, &str>(0).is_ok_and(|found| found == name));
    let row = row.ok_or_else(|| damaged("schema", format!("it has no type {name}")))?;
    let oid: u32 = row.try_get(1).map_err(|e| damaged("type", e))?;
    let array_oid: u32 = row.try_get(2).map_err(|e| damaged("type", e))?;
    let element = Type::new(name.to_owned(), oid, Kind::Pseudo, schema.to_owned());
    let array = Type::new(format!("_{name}"), array_oid, Kind::Array(element), schema.to_owned());
    Ok(RowType { oid, array })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_move_to_the_schema_without_their_comments() {
        let sql = "-- why\nSELECT key\n  FROM orloj.job\nWHERE key = ANY ($1)\n";
        assert!(in_schema(sql, "public").starts_with("SELECT key FROM \"public\".job"));
        let odd = in_schema("SELECT 1 FROM orloj.job\n", "a\"b");
        assert_eq!(odd, "SELECT 1 FROM \"a\"\"b\".job");
    }

    #[test]
    fn no_statement_has_a_comment_behind_code() {
        // The lines of a statement are joined, so such a comment would swallow the rest.
        for folder in ["queries", "procedures", "migrations"] {
            let folder = format!("{}/{folder}", env!("CARGO_MANIFEST_DIR"));
            for file in std::fs::read_dir(folder).unwrap() {
                let path = file.unwrap().path();
                let sql = in_schema(&std::fs::read_to_string(&path).unwrap(), "s");
                assert!(!sql.contains("--"), "{}", path.display());
            }
        }
    }
}
