//! Messages, signals and commands about whole instances, as the handle takes them.

use std::sync::Arc;

use orloj_interpreter::{Command, Instruction, Migrate, Place};
use orloj_store::{
    PAGE_ROWS_MAX, StartKind, StartQuery, StartRow, SubscriptionKind, SubscriptionQuery,
    SubscriptionRow,
};
use orloj_types::{Document, ElementId, ElementInstanceKey, InstanceKey, SubscriptionKey};

use crate::api::{
    Activate, BroadcastSignal, Correlate, Correlated, Error, MigrateInstance, Missing, Modify,
    Move, PublishMessage,
};
use crate::definition::Definition;
use crate::handle::{Orloj, check_texts, unexpected};
use crate::node::{Reply, Request, StartRequest, store_error};

impl Orloj {
    /// Gives the message's key. It is on disk, or was given to those that waited for it, when the
    /// answer comes.
    pub async fn publish_message(&self, message: PublishMessage) -> Result<i64, Error> {
        check_name("message", &message.name)?;
        if message.time_to_live_ms < 0 {
            return Err(Error::Invalid(format!(
                "a message lives zero milliseconds or more, not {}",
                message.time_to_live_ms
            )));
        }
        let id = message.message_id.as_deref().unwrap_or_default();
        check_texts([&*message.name, &*message.correlation_key, id], &message.variables)?;
        self.key_of(Request::Publish(message)).await
    }

    /// Gives a key for the operation. Whoever waits hears the signal soon afterwards.
    pub async fn broadcast_signal(&self, signal: BroadcastSignal) -> Result<i64, Error> {
        check_name("signal", &signal.name)?;
        check_texts([&*signal.name], &signal.variables)?;
        self.key_of(Request::Broadcast(signal)).await
    }

    /// Gives the message to the one waiting instance or, if none waits, to the one start event
    /// that it fits. It is [`Error::Ambiguous`] if there is none, or more than one.
    pub async fn correlate(&self, correlate: Correlate) -> Result<Correlated, Error> {
        check_name("message", &correlate.name)?;
        let business_key = correlate.business_key.as_deref().unwrap_or_default();
        check_texts([&*correlate.name, business_key], &correlate.variables)?;
        match self.waiting_for(&correlate).await? {
            (0, _) => {}
            (1, Some(row)) => {
                let (subscription, variables) = (row.key, correlate.variables);
                self.trigger(subscription, variables).await?;
                return Ok(Correlated::Waiting(row.instance));
            }
            (count, _) => return Err(Error::Ambiguous { name: correlate.name, count }),
        }
        let start = match self.starts_for(&correlate).await? {
            (1, Some(start)) => start,
            (count, _) => return Err(Error::Ambiguous { name: correlate.name, count }),
        };
        let request = StartRequest {
            definition: self.inner.definitions.get(start.definition).await?,
            business_key: correlate.business_key,
            variables: correlate.variables,
            at: Some(start.event.clone()),
            before: Vec::new(),
            tags: Arc::default(),
            stops_after: Vec::new(),
            await_end: false,
        };
        match self.request(Request::Start(request)).await? {
            Reply::Started { instance } => Ok(Correlated::Started(instance)),
            other => Err(unexpected(&other)),
        }
    }

    /// How many wait for it, and the first of them. Two stand for any number above: nobody reads
    /// on once it is known that it is not one.
    async fn waiting_for(
        &self,
        correlate: &Correlate,
    ) -> Result<(usize, Option<SubscriptionRow>), Error> {
        let query = SubscriptionQuery {
            engine: self.inner.engine.clone(),
            tenant: Some(correlate.tenant.clone()),
            kind: SubscriptionKind::Message,
            name: Some(correlate.name.clone()),
            correlation_key: None,
            instance: correlate.instance,
            business_key: correlate.business_key.clone(),
            after: None,
            limit: 2,
        };
        let found = self.inner.store.subscriptions(query).await.map_err(|e| store_error(&e))?;
        Ok((found.len(), found.into_iter().next()))
    }

    /// How many start events it fits, and the first of them.
    async fn starts_for(&self, correlate: &Correlate) -> Result<(usize, Option<StartRow>), Error> {
        if correlate.instance.is_some() {
            return Ok((0, None));
        }
        let mut query = StartQuery {
            engine: self.inner.engine.clone(),
            tenant: Some(correlate.tenant.clone()),
            kind: StartKind::Message,
            name: Some(correlate.name.clone()),
            after: None,
            limit: PAGE_ROWS_MAX,
        };
        let (mut count, mut first) = (0, None);
        loop {
            let page = self.inner.store.starts(query.clone()).await;
            let page = page.map_err(|e| store_error(&e))?;
            let is_last = page.len() < PAGE_ROWS_MAX as usize;
            query.after = page.last().map(|row| (row.definition, row.event.clone()));
            count += page.len();
            first = first.or_else(|| page.into_iter().next());
            if is_last {
                return Ok((count, first));
            }
        }
    }

    /// What a subscription waits for has come, whatever it is.
    pub async fn trigger(
        &self,
        subscription: SubscriptionKey,
        variables: Document,
    ) -> Result<(), Error> {
        check_texts([], &variables)?;
        self.done(Request::Trigger { subscription, variables }).await
    }

    /// Continues an element instance that waits for nothing but this, such as a receive task
    /// without a message.
    pub async fn trigger_element(
        &self,
        element: ElementInstanceKey,
        variables: Document,
    ) -> Result<(), Error> {
        let missing = || Error::Missing(Missing::ElementInstance(element.raw()));
        let store = &self.inner.store;
        let found = store.instance_of(element).await.map_err(|e| store_error(&e))?;
        let instance = found.ok_or_else(missing)?;
        for kind in [SubscriptionKind::Hand, SubscriptionKind::Message] {
            let mut query = SubscriptionQuery {
                engine: self.inner.engine.clone(),
                tenant: None,
                kind,
                name: None,
                correlation_key: None,
                instance: Some(instance),
                business_key: None,
                after: None,
                limit: PAGE_ROWS_MAX,
            };
            loop {
                let rows = store.subscriptions(query.clone()).await;
                let rows = rows.map_err(|e| store_error(&e))?;
                if let Some(row) = rows.iter().find(|row| row.element_instance == element) {
                    return self.trigger(row.key, variables).await;
                }
                query.after = rows.last().map(|row| row.key);
                if rows.len() < PAGE_ROWS_MAX as usize {
                    break;
                }
            }
        }
        Err(missing())
    }

    /// Asks conditional events that hear nothing by themselves, as Flowable's, after these variables
    /// are set in the instance.
    pub async fn ask_conditions(
        &self,
        instance: InstanceKey,
        variables: Document,
    ) -> Result<(), Error> {
        check_texts([], &variables)?;
        self.command(instance, Command::AskConditions { variables }).await
    }

    pub async fn modify(&self, instance: InstanceKey, modify: Modify) -> Result<(), Error> {
        let instructions = instructions(modify)?;
        self.command(instance, Command::Modify { instructions }).await
    }

    pub async fn migrate(
        &self,
        instance: InstanceKey,
        migrate: MigrateInstance,
    ) -> Result<(), Error> {
        let MigrateInstance { which, tenant, plan } = migrate;
        let target: Arc<Definition> = self.inner.definitions.find(&which, &tenant).await?;
        let command = Command::Migrate(Migrate {
            definition: target.key,
            target: target.process.clone(),
            plan,
        });
        let (command, target) = (Box::new(command), Some(target));
        self.done(Request::Instance { instance, command, target }).await
    }

    /// Nothing of the instance is worked on until it is resumed.
    pub async fn suspend(&self, instance: InstanceKey) -> Result<(), Error> {
        self.command(instance, Command::Suspend).await
    }

    pub async fn resume(&self, instance: InstanceKey) -> Result<(), Error> {
        self.command(instance, Command::Resume).await
    }

    /// As `cancel`, but nothing of the process runs any more, listeners included.
    pub async fn delete(&self, instance: InstanceKey) -> Result<(), Error> {
        self.command(instance, Command::Delete).await
    }

    async fn command(&self, instance: InstanceKey, command: Command) -> Result<(), Error> {
        let command = Box::new(command);
        self.done(Request::Instance { instance, command, target: None }).await
    }

    async fn key_of(&self, request: Request) -> Result<i64, Error> {
        match self.request(request).await? {
            Reply::Keys(keys) => Ok(keys.first().copied().unwrap_or_default()),
            other => Err(unexpected(&other)),
        }
    }
}

/// Nobody can wait for an empty name.
fn check_name(what: &str, name: &str) -> Result<(), Error> {
    match name.trim().is_empty() {
        true => Err(Error::Invalid(format!("a {what} needs a name"))),
        false => Ok(()),
    }
}

/// Those of a modification, in the order in which they are followed, once its texts are known to be
/// small enough.
pub(crate) fn instructions(modify: Modify) -> Result<Vec<Instruction>, Error> {
    let Modify { activate, activate_after, activate_flow, moves, terminate, terminate_all } =
        modify;
    let mut instructions = Vec::new();
    for before in activate {
        let (element, place) = place(before)?;
        instructions.push(Instruction::StartBefore { element, place });
    }
    for after in activate_after {
        let (element, place) = passed(after)?;
        instructions.push(Instruction::StartAfter { element, place });
    }
    for on in activate_flow {
        let (flow, place) = passed(on)?;
        instructions.push(Instruction::StartTransition { flow, place });
    }
    for Move { from, to, inside } in moves {
        let (to, place) = place(to)?;
        instructions.push(Instruction::Move { from, to, inside, place });
    }
    for element_instance in terminate {
        instructions.push(Instruction::Cancel { element_instance });
    }
    let all = terminate_all.into_iter();
    instructions.extend(all.map(|element| Instruction::CancelAll { element }));
    Ok(instructions)
}

/// The place of what is not entered, and so has no scope that could keep variables of its own.
fn passed(activate: Activate) -> Result<(ElementId, Place), Error> {
    if !activate.locals.is_empty() {
        let reason = format!("'{}' is not entered and has no local variables", activate.element);
        return Err(Error::Invalid(reason));
    }
    place(activate)
}

fn place(activate: Activate) -> Result<(ElementId, Place), Error> {
    let Activate { element, ancestor, variables, locals, scoped } = activate;
    check_texts([&*element], &variables)?;
    check_texts([], &locals)?;
    for (_, document) in &scoped {
        check_texts([], document)?;
    }
    Ok((element, Place { ancestor, variables, locals, scoped }))
}
