//! Another tenant for what a deployment brought.
//!
//! One transaction, as large as what the deployment brought and what has come of it: groups of its
//! instances wait for it, those of others do not.
//!
//! Ended instances are found by their index, and so is what belongs to chores and most of what
//! belongs to instances. No index leads from a definition to its live instances, nor from an
//! instance to its jobs, user tasks and subscriptions, nor from a definition to the log of its
//! chores, because every commit would pay for it: these tables are read from end to end, those of
//! what belongs to instances only where there are some.

use std::collections::BTreeSet;

use orloj_store::{Error, MovedDefinition, SetTenant, Taken, TakenKind, TenantSet};
use orloj_types::{DefinitionKey, DeploymentKey, TenantId, Timestamp};
use tokio_postgres::types::{ToSql, Type};

use crate::read;
use crate::store::Shared;
use crate::transaction::{Params, Transaction};

impl Shared {
    pub(crate) async fn set_deployment_tenant(&self, set: &SetTenant) -> Result<TenantSet, Error> {
        let transaction = Transaction::begin(&self.readers).await?;
        // Deployments count versions under the same lock.
        self.lock_advisory(&transaction, &format!("deploy {}", self.engine)).await?;
        let (deployment, to) = (set.deployment.raw(), set.tenant.as_str());
        let engine = self.engine.as_str();
        let of_engine: [(&(dyn ToSql + Sync), Type); 2] =
            [(&engine, Type::TEXT), (&deployment, Type::INT8)];
        let rows = transaction.rows(&self.sql.tenant_of, &of_engine).await?;
        let found = read::first(&rows, |row| Ok((row.text(0)?, row.get::<bool>(1)?)))?;
        let into: [(&(dyn ToSql + Sync), Type); 2] = [(&deployment, Type::INT8), (&to, Type::TEXT)];
        let refused = match &found {
            None => Some(TenantSet::NotFound),
            Some((_, true)) => Some(TenantSet::Unsettled),
            Some((from, false)) if **from == *to => Some(TenantSet::Same),
            Some(_) => {
                let rows = transaction.rows(&self.sql.tenant_taken, &into).await?;
                read::first(&rows, taken)?.map(TenantSet::Taken)
            }
        };
        let (Some((from, _)), None) = (found, &refused) else {
            transaction.roll_back().await?;
            return Ok(refused.unwrap_or(TenantSet::NotFound));
        };
        for sql in [
            &self.sql.tenant_definition,
            &self.sql.tenant_decision,
            &self.sql.tenant_asset,
            &self.sql.tenant_resource,
        ] {
            transaction.execute(sql, &into).await?;
        }
        let rows = transaction.rows(&self.sql.tenant_definitions, &of_engine).await?;
        let definitions: Vec<i64> = read::all(&rows, |row| row.get(0))?;
        let of_definitions: [(&(dyn ToSql + Sync), Type); 2] =
            [(&definitions, Type::INT8_ARRAY), (&to, Type::TEXT)];
        for sql in [&self.sql.tenant_job_definition, &self.sql.tenant_start_event] {
            transaction.execute(sql, &of_definitions).await?;
        }
        let moving = Moving { engine, definitions: &definitions, from: &from, to };
        self.move_rows(&transaction, &moving).await?;
        self.drop_outdated(&transaction, &definitions, set.logs_chores, set.now).await?;
        let version = self.raise_settings(&transaction).await?;
        transaction.commit().await?;
        Ok(TenantSet::Done(version))
    }

    pub(crate) async fn settle_deployment_tenant(
        &self,
        deployment: DeploymentKey,
        now: Timestamp,
        logs_chores: bool,
    ) -> Result<bool, Error> {
        let (engine, deployment) = (self.engine.as_str(), deployment.raw());
        let of_engine: [(&(dyn ToSql + Sync), Type); 2] =
            [(&engine, Type::TEXT), (&deployment, Type::INT8)];
        // Every node asks, and one does it: who asks later needs no lock.
        if self.read(&self.sql.tenant_unsettled, &of_engine).await?.is_empty() {
            return Ok(false);
        }
        let transaction = Transaction::begin(&self.readers).await?;
        self.lock_advisory(&transaction, &format!("deploy {}", self.engine)).await?;
        let rows = transaction.rows(&self.sql.tenant_unsettled, &of_engine).await?;
        let rows = read::all(&rows, |row| Ok((row.get::<i64>(0)?, row.text(1)?, row.text(2)?)))?;
        let Some((_, to, from)) = rows.first() else {
            transaction.roll_back().await?;
            return Ok(false);
        };
        let definitions: Vec<i64> = rows.iter().map(|(key, ..)| *key).collect();
        let moving = Moving { engine, definitions: &definitions, from, to };
        self.move_rows(&transaction, &moving).await?;
        self.drop_outdated(&transaction, &definitions, logs_chores, now).await?;
        transaction.execute(&self.sql.tenant_settled, &[(&deployment, Type::INT8)]).await?;
        transaction.commit().await?;
        Ok(true)
    }

    pub(crate) async fn moved_definitions(
        &self,
        engine: Params<'_>,
    ) -> Result<Vec<MovedDefinition>, Error> {
        let rows = self.read(&self.sql.definitions_moved, engine).await?;
        read::all(&rows, |row| {
            Ok(MovedDefinition {
                key: DefinitionKey::new(row.get(0)?),
                tenant: TenantId::new(row.text(1)?),
                deployment: DeploymentKey::new(row.get(2)?),
                is_settled: row.get(3)?,
            })
        })
    }

    /// The instances are locked first, so that what belongs to them stays as it is found.
    async fn move_rows(
        &self,
        transaction: &Transaction<'_>,
        moving: &Moving<'_>,
    ) -> Result<(), Error> {
        let Moving { definitions, from, to, .. } = *moving;
        let keys = self.lock_instances(transaction, moving).await?;
        if !keys.is_empty() {
            let of_instances: [(&(dyn ToSql + Sync), Type); 2] =
                [(&keys, Type::INT8_ARRAY), (&to, Type::TEXT)];
            for sql in [
                &self.sql.tenant_instance,
                &self.sql.tenant_job,
                &self.sql.tenant_variable,
                &self.sql.tenant_page,
                &self.sql.tenant_user_task,
                &self.sql.tenant_incident,
                &self.sql.tenant_subscription,
                &self.sql.tenant_message,
                &self.sql.tenant_history,
                &self.sql.tenant_ended_instance,
            ] {
                transaction.execute(sql, &of_instances).await?;
            }
        }
        let of_chores: [(&(dyn ToSql + Sync), Type); 3] =
            [(&definitions, Type::INT8_ARRAY), (&from, Type::TEXT), (&to, Type::TEXT)];
        for sql in
            [&self.sql.tenant_chore, &self.sql.tenant_chore_incident, &self.sql.tenant_chore_log]
        {
            transaction.execute(sql, &of_chores).await?;
        }
        Ok(())
    }

    /// All at once and in the order of their keys, as groups lock theirs. Then they are looked for
    /// once more: until they were locked some may have called others, or been migrated. What is
    /// started even later is left to be settled.
    async fn lock_instances(
        &self,
        transaction: &Transaction<'_>,
        moving: &Moving<'_>,
    ) -> Result<Vec<i64>, Error> {
        let keys = self.moving_instances(transaction, moving).await?;
        if keys.is_empty() {
            return Ok(keys);
        }
        transaction.rows(&self.sql.tenant_lock, &[(&keys, Type::INT8_ARRAY)]).await?;
        self.moving_instances(transaction, moving).await
    }

    /// Live ones and ended ones.
    async fn moving_instances(
        &self,
        transaction: &Transaction<'_>,
        moving: &Moving<'_>,
    ) -> Result<Vec<i64>, Error> {
        let Moving { engine, definitions, from, .. } = *moving;
        let live: [(&(dyn ToSql + Sync), Type); 2] =
            [(&definitions, Type::INT8_ARRAY), (&from, Type::TEXT)];
        let ended: [(&(dyn ToSql + Sync), Type); 3] =
            [(&definitions, Type::INT8_ARRAY), (&from, Type::TEXT), (&engine, Type::TEXT)];
        let mut found: BTreeSet<i64> = BTreeSet::new();
        // Ended ones after the live ones: those that have ended meanwhile are among them.
        for (sql, params) in
            [(&self.sql.tenant_instances, &live[..]), (&self.sql.tenant_ended, &ended)]
        {
            let rows = transaction.rows(sql, params).await?;
            found.extend(read::all(&rows, |row| row.get::<i64>(0))?);
        }
        let mut callers: Vec<i64> = found.iter().copied().collect();
        while !callers.is_empty() {
            let by_callers: [(&(dyn ToSql + Sync), Type); 2] =
                [(&callers, Type::INT8_ARRAY), (&from, Type::TEXT)];
            let rows = transaction.rows(&self.sql.tenant_called, &by_callers).await?;
            callers = read::all(&rows, |row| row.get::<i64>(0))?;
            callers.retain(|key| found.insert(*key));
        }
        Ok(found.into_iter().collect())
    }

    /// Of the versions that now stand beside each other in a tenant the last one starts instances.
    async fn drop_outdated(
        &self,
        transaction: &Transaction<'_>,
        definitions: &[i64],
        logs_chores: bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        let given: [(&(dyn ToSql + Sync), Type); 1] = [(&definitions, Type::INT8_ARRAY)];
        let rows = transaction.rows(&self.sql.tenant_outdated, &given).await?;
        for key in read::all(&rows, |row| row.get::<i64>(0))? {
            let by_key: [(&(dyn ToSql + Sync), Type); 1] = [(&key, Type::INT8)];
            transaction.execute(&self.sql.definition_starts_delete, &by_key).await?;
            let gone = transaction.rows(&self.sql.definition_timers, &by_key).await?;
            self.exchange_chores(transaction, &gone, &[], logs_chores, now).await?;
        }
        Ok(())
    }
}

/// Definitions of one deployment on their way from one tenant to another.
struct Moving<'a> {
    engine: &'a str,
    definitions: &'a [i64],
    from: &'a str,
    to: &'a str,
}

fn taken(row: &read::Columns<'_>) -> Result<Taken, Error> {
    Ok(Taken {
        kind: row.named(0, "what is taken", TakenKind::from_number)?,
        id: row.text(1)?,
        version: row.get(2)?,
    })
}
