//! Reading waits, messages, start events, broadcasts and called instances.

use orloj_store::{
    BroadcastRow, CalledBy, Channel, EndedRow, Error, Fit, InstanceRow, MessageKey, MessageQuery,
    MessageRow, PAGE_ROWS_MAX, Page, StartQuery, StartRow, SubscriptionKind, SubscriptionQuery,
    SubscriptionRow,
};
use orloj_types::{InstanceKey, SubscriptionKey, Timestamp};
use tokio_postgres::types::{ToSql, Type};

use crate::read;
use crate::store::Shared;

impl Shared {
    pub(crate) async fn subscription(
        &self,
        key: SubscriptionKey,
    ) -> Result<Option<SubscriptionRow>, Error> {
        self.by_key(&self.sql.subscription_load, key.raw(), read::subscription).await
    }

    pub(crate) async fn subscriptions(
        &self,
        query: &SubscriptionQuery,
    ) -> Result<Vec<SubscriptionRow>, Error> {
        let (engine, kind) = (query.engine.as_str(), query.kind as i16);
        let after = query.after.map(SubscriptionKey::raw);
        let limit = i64::from(query.limit.min(PAGE_ROWS_MAX));
        let (tenant, name) = (query.tenant.as_deref(), query.name.as_deref());
        let correlation_key = query.correlation_key.as_deref();
        let instance = query.instance.map(InstanceKey::raw);
        let business_key = query.business_key.as_deref();
        let params: [(&(dyn ToSql + Sync), Type); 9] = [
            (&engine, Type::TEXT),
            (&kind, Type::INT2),
            (&after, Type::INT8),
            (&limit, Type::INT8),
            (&tenant, Type::TEXT),
            (&name, Type::TEXT),
            (&correlation_key, Type::TEXT),
            (&instance, Type::INT8),
            (&business_key, Type::TEXT),
        ];
        // Apart from the others: beside an OR the planner joins nothing.
        let rows = match business_key {
            Some(_) => self.read(&self.sql.subscriptions_of_business_key, &params).await?,
            None => self.read(&self.sql.subscriptions, &params[..8]).await?,
        };
        read::all(&rows, read::subscription)
    }

    pub(crate) async fn last_subscription(
        &self,
        kind: SubscriptionKind,
        name: &str,
    ) -> Result<Option<SubscriptionKey>, Error> {
        let (engine, kind) = (self.engine.as_str(), kind as i16);
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&kind, Type::INT2), (&name, Type::TEXT)];
        let rows = self.read(&self.sql.subscription_last, &params).await?;
        read::first(&rows, |row| Ok(SubscriptionKey::new(row.get(0)?)))
    }

    pub(crate) async fn message(&self, key: MessageKey) -> Result<Option<MessageRow>, Error> {
        self.by_key(&self.sql.message_load, key.raw(), read::message).await
    }

    pub(crate) async fn messages(&self, query: &MessageQuery) -> Result<Vec<MessageRow>, Error> {
        let Channel { engine, tenant, name, correlation_key } = &query.channel;
        let (engine, tenant) = (engine.as_str(), tenant.as_str());
        let (name, correlation_key) = (&**name, &**correlation_key);
        let (after, now) = (query.after.map(MessageKey::raw), query.now.as_ms());
        let message_id = query.message_id.as_deref();
        let not_taken_by = query.not_taken_by.as_deref();
        let limit = i64::from(query.limit.min(PAGE_ROWS_MAX));
        let params: [(&(dyn ToSql + Sync), Type); 9] = [
            (&engine, Type::TEXT),
            (&tenant, Type::TEXT),
            (&name, Type::TEXT),
            (&correlation_key, Type::TEXT),
            (&after, Type::INT8),
            (&message_id, Type::TEXT),
            (&now, Type::INT8),
            (&limit, Type::INT8),
            (&not_taken_by, Type::TEXT),
        ];
        read::all(&self.read(&self.sql.messages, &params).await?, read::message)
    }

    pub(crate) async fn fit(
        &self,
        channel: &Channel,
        now: Timestamp,
    ) -> Result<Option<Fit>, Error> {
        let (engine, tenant) = (channel.engine.as_str(), channel.tenant.as_str());
        let (name, key, now) = (&*channel.name, &*channel.correlation_key, now.as_ms());
        let params: [(&(dyn ToSql + Sync), Type); 5] = [
            (&engine, Type::TEXT),
            (&tenant, Type::TEXT),
            (&name, Type::TEXT),
            (&key, Type::TEXT),
            (&now, Type::INT8),
        ];
        read::first(&self.read(&self.sql.message_fit, &params).await?, read::fit)
    }

    pub(crate) async fn fits(
        &self,
        now: Timestamp,
        after: Option<MessageKey>,
        limit: u32,
    ) -> Result<Vec<Fit>, Error> {
        let (engine, now) = (self.engine.as_str(), now.as_ms());
        let (after, limit) = (after.map(MessageKey::raw), i64::from(limit));
        let params: [(&(dyn ToSql + Sync), Type); 4] =
            [(&engine, Type::TEXT), (&now, Type::INT8), (&after, Type::INT8), (&limit, Type::INT8)];
        read::all(&self.read(&self.sql.message_fits, &params).await?, read::fit)
    }

    pub(crate) async fn expire_messages(&self, now: Timestamp, limit: u32) -> Result<u32, Error> {
        let (engine, now, limit) = (self.engine.as_str(), now.as_ms(), i64::from(limit));
        let params: [(&(dyn ToSql + Sync), Type); 3] =
            [(&engine, Type::TEXT), (&now, Type::INT8), (&limit, Type::INT8)];
        let rows = self.write(&self.sql.message_expired, &params).await?;
        let gone = read::first(&rows, |row| row.get::<i64>(0))?.unwrap_or_default();
        Ok(u32::try_from(gone).unwrap_or(u32::MAX))
    }

    pub(crate) async fn broadcasts(&self, limit: u32) -> Result<Vec<BroadcastRow>, Error> {
        let (engine, limit) = (self.engine.as_str(), i64::from(limit));
        let params: [(&(dyn ToSql + Sync), Type); 2] =
            [(&engine, Type::TEXT), (&limit, Type::INT8)];
        read::all(&self.read(&self.sql.broadcasts, &params).await?, read::broadcast)
    }

    pub(crate) async fn starts(&self, query: &StartQuery) -> Result<Vec<StartRow>, Error> {
        let (engine, kind) = (query.engine.as_str(), query.kind as i16);
        let definition = query.after.as_ref().map(|(definition, _)| definition.raw());
        let event = query.after.as_ref().map(|(_, event)| event.as_str());
        let (tenant, name) = (query.tenant.as_deref(), query.name.as_deref());
        let limit = i64::from(query.limit.min(PAGE_ROWS_MAX));
        let params: [(&(dyn ToSql + Sync), Type); 7] = [
            (&engine, Type::TEXT),
            (&kind, Type::INT2),
            (&definition, Type::INT8),
            (&event, Type::TEXT),
            (&limit, Type::INT8),
            (&tenant, Type::TEXT),
            (&name, Type::TEXT),
        ];
        read::all(&self.read(&self.sql.starts, &params).await?, read::start)
    }

    pub(crate) async fn called_instances(
        &self,
        by: CalledBy,
        page: Page,
    ) -> Result<Vec<InstanceRow>, Error> {
        let (caller, root) = (by.caller().map(InstanceKey::raw), by.root().map(InstanceKey::raw));
        let filter: [(&(dyn ToSql + Sync), Type); 2] = [(&caller, Type::INT8), (&root, Type::INT8)];
        self.page(&self.sql.called_instances, page, &filter, read::instance).await
    }

    pub(crate) async fn called_ended(
        &self,
        by: CalledBy,
        page: Page,
    ) -> Result<Vec<EndedRow>, Error> {
        let (caller, root) = (by.caller().map(InstanceKey::raw), by.root().map(InstanceKey::raw));
        let filter: [(&(dyn ToSql + Sync), Type); 2] = [(&caller, Type::INT8), (&root, Type::INT8)];
        self.page(&self.sql.called_ended, page, &filter, read::ended).await
    }
}
