//! Another tenant for a deployment, beside those who write about its instances.
#![expect(clippy::disallowed_methods, reason = "tests of real connections")]

use crate::common::{NOW, client, group, insert, join, open, with_database};
use orloj_store::suite::engine;
use orloj_store::{
    Change, InstanceWrite, NewDefinition, NewDeployment, NewResource, SetTenant, Store, TenantSet,
};
use orloj_types::{DefinitionKey, DeploymentKey, InstanceKey, ProcessId, TenantId};

/// With one definition, whose key follows.
fn deployment(key: i64, tenant: &str) -> NewDeployment {
    let definition = NewDefinition {
        key: DefinitionKey::new(key + 1),
        process_id: ProcessId::new(format!("p{key}")),
        suspended: false,
        starts: Vec::new(),
        job_definitions: Vec::new(),
        chores: Vec::new(),
    };
    let resource = NewResource {
        name: "a.bpmn".into(),
        content: key.to_be_bytes().into(),
        checksum: [u8::try_from(key).expect("small"); 16],
        dialect: "zeebe".into(),
        checks: 1,
        definitions: vec![definition],
        requirements: None,
        asset: None,
    };
    NewDeployment {
        key: DeploymentKey::new(key),
        engine: engine(),
        tenant: TenantId::new(tenant),
        resources: vec![resource],
        now: NOW,
        logs_chores: false,
    }
}

fn instance(key: i64, definition: i64, caller: Option<i64>) -> Change {
    let mut change = insert(key);
    for write in &mut change.instances {
        let InstanceWrite::Insert(row) = write else { continue };
        row.tenant = TenantId::new("acme");
        row.definition = DefinitionKey::new(definition);
        (row.caller, row.root) = (caller.map(InstanceKey::new), caller.map(InstanceKey::new));
    }
    change
}

fn set_tenant() -> SetTenant {
    let (deployment, tenant) = (DeploymentKey::new(10), TenantId::new("other"));
    SetTenant { deployment, tenant, now: NOW, logs_chores: false }
}

/// A called instance lies between two of the deployment, and a group that has locked it goes on to
/// the one behind.
#[tokio::test]
async fn instances_are_locked_in_the_order_of_groups() {
    with_database(|url| async move {
        let store = open(&url).await;
        let lease = join(&*store, "n").await;
        for (key, tenant) in [(10, "acme"), (20, "")] {
            store.deploy(deployment(key, tenant)).await.expect("deploy");
        }
        let changes = vec![instance(1, 11, None), instance(9, 11, None), instance(5, 21, Some(1))];
        store.commit(group(lease, 0, 1, changes)).await.expect("commit");

        let (writer, look) = (client(&url).await, client(&url).await);
        let lock = "SELECT FROM instance WHERE key = $1 FOR UPDATE";
        writer.batch_execute("BEGIN").await.expect("begin");
        writer.query(lock, &[&5_i64]).await.expect("locked");
        let setting = tokio::spawn({
            let store = store.clone();
            async move { store.set_deployment_tenant(set_tenant()).await }
        });
        wait_for_a_lock(&look).await;
        writer.query(lock, &[&9_i64]).await.expect("nobody waits in a circle");
        writer.batch_execute("COMMIT").await.expect("commit");
        let set = setting.await.expect("it does not panic");
        assert!(matches!(set, Ok(TenantSet::Done(_))), "{set:?}");
        let moved = "SELECT count(*) FROM instance WHERE tenant = 'other' AND rev = 2";
        assert_eq!(look.query_one(moved, &[]).await.expect("rows").get::<_, i64>(0), 3);
    })
    .await;
}

/// Where there is nothing to settle, whoever asks does not wait for the lock of deployments.
#[tokio::test]
async fn what_is_settled_is_seen_without_a_lock() {
    with_database(|url| async move {
        let store = open(&url).await;
        let settle = || store.settle_deployment_tenant(DeploymentKey::new(10), NOW, false);
        store.deploy(deployment(10, "acme")).await.expect("deploy");
        let set = store.set_deployment_tenant(set_tenant()).await;
        assert!(matches!(set, Ok(TenantSet::Done(_))), "{set:?}");
        assert_eq!(settle().await, Ok(true));

        let (deployer, look) = (client(&url).await, client(&url).await);
        deployer.batch_execute("BEGIN").await.expect("begin");
        let class: i32 = 0x6f72_6c6f;
        let what = format!("deploy {} public", engine());
        let lock = "SELECT pg_advisory_xact_lock($1, hashtext($2))";
        deployer.query(lock, &[&class, &what]).await.expect("locked");
        let deploying = tokio::spawn({
            let store = store.clone();
            async move { store.deploy(deployment(20, "acme")).await }
        });
        wait_for_a_lock(&look).await;
        assert_eq!(settle().await, Ok(false));
        deployer.batch_execute("COMMIT").await.expect("commit");
        deploying.await.expect("it does not panic").expect("deploy");
    })
    .await;
}

async fn wait_for_a_lock(look: &tokio_postgres::Client) {
    let waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
         AND datname = current_database()";
    while look.query(waits, &[]).await.expect("activity").is_empty() {
        tokio::task::yield_now().await;
    }
}
