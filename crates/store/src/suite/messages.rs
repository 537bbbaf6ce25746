//! Buffered messages: found by their channel, matched with waits, taken once.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use orloj_types::{DefinitionKey, ProcessId, SubscriptionKey, TenantId, Timestamp};
use thin_vec::thin_vec;

use crate::suite::definitions::deploy;
use crate::suite::sample::{
    NOW, Node, after, channel, delete, group, insert, message, rev, subscription, update,
};
use crate::suite::subscriptions::opened;
use crate::suite::together::together;
use crate::{
    Change, Channel, CommitError, Committed, Fit, MessageKey, MessageQuery, MessageRow,
    MessageTaken, PAGE_ROWS_MAX, Store, SubscriptionKind, SubscriptionRow,
};

const NONE: [i64; 0] = [];

pub(super) async fn messages_wait_in_their_channel_oldest_first(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let red = MessageRow { tenant: TenantId::new("red"), ..message(36, "paid", "a") };
    let rows = vec![
        message(33, "paid", "a"),
        message(31, "paid", "a"),
        message(32, "paid", "b"),
        message(34, "sent", "a"),
        MessageRow { message_id: Some("".into()), variables: vec![], ..message(35, "", "") },
        red.clone(),
    ];
    node.write(published(rows.clone())).await;
    for row in &rows {
        assert_eq!(store.message(row.key).await, Ok(Some(row.clone())));
    }
    assert_eq!(waiting(&store, channel("paid", "a")).await, [31, 33]);
    assert_eq!(waiting(&store, channel("paid", "b")).await, [32]);
    assert_eq!(waiting(&store, channel("", "")).await, [35]);
    assert_eq!(waiting(&store, red.channel()).await, [36]);
    assert_eq!(waiting(&store, channel("paid", "")).await, NONE);
    let page = async |after: Option<i64>, limit| {
        let after = after.map(MessageKey::new);
        let query = MessageQuery { after, limit, ..query(channel("paid", "a")) };
        keys(&store.messages(query).await.expect("messages"))
    };
    assert_eq!(page(None, 1).await, [31]);
    assert_eq!(page(Some(31), 10).await, [33]);
    assert_eq!(page(Some(33), PAGE_ROWS_MAX).await, NONE);
}

pub(super) async fn a_message_is_taken_away_once(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.commit(vec![insert(10), insert(11)]).await.expect("inserts");
    node.write(published(vec![message(31, "paid", "a"), message(32, "paid", "a")])).await;
    let takes = |key, instance| Change {
        messages_gone: thin_vec![MessageKey::new(key)],
        ..update(instance, 1)
    };
    node.write(takes(31, 10)).await;
    assert_eq!(waiting(&store, channel("paid", "a")).await, [32]);
    let lost = node.commit(vec![takes(32, 10), takes(31, 11)]).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![0, 1])), "a revision, and a message");
    let lost = node.commit(vec![insert(12), takes(31, 11)]).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![1])));
    assert_eq!((rev(&store, 11).await, rev(&store, 12).await), (Some(1), None));
    assert_eq!(waiting(&store, channel("paid", "a")).await, [32], "nothing was applied");
}

pub(super) async fn an_id_is_unique_while_its_message_is_buffered(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let with_id = |key, id: &str, expires_at| MessageRow {
        message_id: Some(id.into()),
        expires_at,
        ..message(key, "paid", "a")
    };
    let conflict = Err(CommitError::Conflicts(vec![1]));
    node.write(published(vec![with_id(31, "x", after(10)), message(30, "paid", "a")])).await;
    let again = vec![insert(10), published(vec![with_id(32, "x", after(10))])];
    assert_eq!(node.commit(again).await, conflict);
    assert_eq!(rev(&store, 10).await, None);
    // Another id, none at all, and another channel are no matter.
    let other = MessageRow { message_id: Some("x".into()), ..message(34, "paid", "b") };
    let red = MessageRow {
        tenant: TenantId::new("red"),
        message_id: Some("x".into()),
        ..message(35, "paid", "a")
    };
    node.write(published(vec![with_id(33, "y", NOW), message(36, "paid", "a"), other, red])).await;
    let by_id = MessageQuery { message_id: Some("x".into()), ..query(channel("paid", "a")) };
    assert_eq!(keys(&store.messages(by_id).await.expect("messages")), [31]);

    let twice = vec![
        published(vec![with_id(37, "z", after(10))]),
        published(vec![with_id(38, "z", after(10))]),
    ];
    assert_eq!(node.commit(twice).await, conflict, "the first of them would win");
    // Expired at this very moment, though nobody has removed it.
    node.write(published(vec![with_id(39, "y", after(10))])).await;
    assert_eq!(store.message(MessageKey::new(33)).await, Ok(None));
    // Free again when it was taken away.
    let change = Change { messages_gone: thin_vec![MessageKey::new(31)], ..Change::default() };
    node.write(change).await;
    node.write(published(vec![with_id(40, "x", after(10))])).await;
    assert_eq!(waiting(&store, channel("paid", "a")).await, [30, 36, 39, 40]);
}

pub(super) async fn an_expired_message_is_not_found_and_removed_in_bulk(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    assert_eq!(node.beat(0).await.message_expires_at, None);
    let until = |key, ms| MessageRow { expires_at: after(ms), ..message(key, "paid", "a") };
    let rows = vec![until(31, 0), until(32, -5), until(33, 1), until(34, -1), until(35, 900)];
    node.write(published(rows)).await;
    assert_eq!(waiting(&store, channel("paid", "a")).await, [33, 35]);
    assert_eq!(node.beat(0).await.message_expires_at, Some(after(-5)));
    assert_eq!(node.fits(opened(vec![subscription(50, "paid", Some("a"))])).await, [fit(33, 50)]);
    let takes = Change { messages_taken: thin_vec![taken(34, "p")], ..Change::default() };
    node.write(takes).await;

    assert_eq!(store.expire_messages(NOW, 2).await, Ok(2), "the earliest first");
    assert_eq!(store.message(MessageKey::new(31)).await, Ok(Some(until(31, 0))));
    assert_eq!(store.expire_messages(NOW, 2).await, Ok(1));
    assert_eq!(store.expire_messages(NOW, 2).await, Ok(0));
    assert_eq!(waiting(&store, channel("paid", "a")).await, [33, 35]);
    assert_eq!(node.beat(0).await.message_expires_at, Some(after(1)));
    let elsewhere = MessageRow { engine: orloj_types::EngineName::new("another"), ..until(40, -9) };
    node.write(published(vec![elsewhere])).await;
    assert_eq!(store.expire_messages(NOW, 9).await, Ok(0), "another engine's");
}

pub(super) async fn the_later_of_message_and_wait_is_told_of_the_earlier(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    // The message first.
    let none = node.fits(published(vec![message(31, "paid", "a"), message(32, "paid", "a")])).await;
    assert_eq!(none, []);
    let wait = subscription(51, "paid", Some("a"));
    assert_eq!(node.fits(opened(vec![wait])).await, [fit(31, 51)], "the oldest message");
    // The wait first.
    let waits = vec![subscription(53, "sent", Some("b")), subscription(52, "sent", Some("b"))];
    assert_eq!(node.fits(opened(waits)).await, []);
    let fits = node.fits(published(vec![message(33, "sent", "b")])).await;
    assert_eq!(fits, [fit(33, 52)], "the oldest wait");
    // Both at once, in one change and in two of one group.
    let mut both = published(vec![message(34, "sent", "c")]);
    both.subscriptions_added = thin_vec![subscription(54, "sent", Some("c"))];
    assert_eq!(node.fits(both).await, [fit(34, 54)]);
    let changes = vec![
        opened(vec![subscription(55, "sent", Some("d"))]),
        insert(10),
        published(vec![message(35, "sent", "d"), message(36, "sent", "e")]),
    ];
    let committed = store.commit(group(node.lease, 1, 1, changes)).await;
    assert_eq!(committed, Ok(Committed { fits: vec![fit(35, 55)] }));
    assert_eq!(node.fits(update(10, 1)).await, [], "a step touches no channel");
}

pub(super) async fn only_equal_channels_fit(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    let red = TenantId::new("red");
    let waits = vec![
        subscription(51, "paid", None),
        subscription(52, "paid", Some("b")),
        subscription(53, "Paid", Some("a")),
        SubscriptionRow { tenant: red.clone(), ..subscription(54, "paid", Some("a")) },
        SubscriptionRow { kind: SubscriptionKind::Signal, ..subscription(55, "paid", Some("a")) },
        SubscriptionRow {
            engine: orloj_types::EngineName::new("another"),
            ..subscription(56, "paid", Some("a"))
        },
    ];
    assert_eq!(node.fits(opened(waits)).await, []);
    assert_eq!(node.fits(published(vec![message(31, "paid", "a")])).await, []);
    assert_eq!(store.fits(NOW, None, 10).await, Ok(vec![]));
    let row = MessageRow { tenant: red, ..message(32, "paid", "a") };
    assert_eq!(node.fits(published(vec![row.clone()])).await, [fit(32, 54)]);
    assert_eq!(store.fit(row.channel(), NOW).await, Ok(Some(fit(32, 54))));
    assert_eq!(store.fit(channel("paid", "a"), NOW).await, Ok(None));
    let empty = published(vec![message(33, "", "")]);
    assert_eq!(node.fits(empty).await, []);
    assert_eq!(node.fits(opened(vec![subscription(57, "", Some(""))])).await, [fit(33, 57)]);
}

pub(super) async fn a_process_takes_a_message_once(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 1, &[("p.bpmn", b"1", 2, "p"), ("q.bpmn", b"1", 3, "q")]).await;
    deploy(&store, 4, &[("p.bpmn", b"2", 5, "p")]).await;
    let wait = |key, definition| SubscriptionRow {
        definition: DefinitionKey::new(definition),
        ..subscription(key, "paid", Some("a"))
    };
    let takes = |message, process: &str| Change {
        messages_taken: thin_vec![taken(message, process)],
        ..Change::default()
    };
    node.write(published(vec![message(31, "paid", "a")])).await;
    assert_eq!(node.fits(opened(vec![wait(51, 2)])).await, [fit(31, 51)]);
    node.write(takes(31, "p")).await;
    assert_eq!(store.fit(channel("paid", "a"), NOW).await, Ok(None));
    assert_eq!(node.fits(opened(vec![wait(52, 5)])).await, [], "another version is the same");
    assert_eq!(node.fits(opened(vec![wait(53, 3)])).await, [fit(31, 53)], "another process");
    assert_eq!(node.fits(published(vec![message(32, "paid", "a")])).await, [fit(31, 53)]);
    assert_eq!(store.fits(NOW, None, 10).await, Ok(vec![fit(31, 53), fit(32, 51)]));
    assert_eq!(store.fits(NOW, None, 1).await, Ok(vec![fit(31, 53)]));
    let after_first = store.fits(NOW, Some(MessageKey::new(31)), 10).await;
    assert_eq!(after_first, Ok(vec![fit(32, 51)]));

    for (process, left) in [("p", &[32][..]), ("q", &[31, 32])] {
        let not_taken_by = Some(ProcessId::new(process));
        let left_to = MessageQuery { not_taken_by, ..query(channel("paid", "a")) };
        assert_eq!(keys(&store.messages(left_to).await.expect("messages")), left, "{process}");
    }

    // Twice by the same process, and of a message that is no more.
    let lost = node.commit(vec![takes(31, "p"), insert(10), takes(30, "q")]).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![0, 2])));
    assert_eq!(rev(&store, 10).await, None);
    node.write(Change { messages_gone: thin_vec![MessageKey::new(31)], ..takes(31, "q") }).await;
    let lost = node.commit(vec![takes(31, "r")]).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![0])));
    assert_eq!(store.fits(NOW, None, 10).await, Ok(vec![fit(32, 51)]));
}

pub(super) async fn a_change_may_take_what_it_adds(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    deploy(&store, 1, &[("p.bpmn", b"1", 2, "p"), ("q.bpmn", b"1", 3, "q")]).await;
    let wait = |key, definition| SubscriptionRow {
        definition: DefinitionKey::new(definition),
        ..subscription(key, "paid", Some("a"))
    };
    node.write(opened(vec![wait(51, 2), wait(52, 3)])).await;
    // One of the processes gets it from whoever publishes it, the other has to be told.
    let change = Change {
        messages_taken: thin_vec![taken(31, "p")],
        ..published(vec![message(31, "paid", "a")])
    };
    assert_eq!(node.fits(change).await, [fit(31, 52)]);
    let gone = vec![MessageKey::new(32)];
    let change = Change { messages_gone: gone.into(), ..published(vec![message(32, "paid", "a")]) };
    assert_eq!(node.fits(change).await, [fit(31, 52)]);
    assert_eq!(waiting(&store, channel("paid", "a")).await, [31]);
}

pub(super) async fn changes_of_a_group_that_want_the_same_have_one_winner(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(published(vec![message(31, "paid", "a"), message(32, "paid", "a")])).await;
    let takes = |message, process: &str| Change {
        messages_taken: thin_vec![taken(message, process)],
        ..Change::default()
    };
    let gone = |message| Change {
        messages_gone: thin_vec![MessageKey::new(message)],
        ..Change::default()
    };
    let changes = vec![takes(31, "p"), gone(32), takes(31, "q"), takes(31, "p"), gone(32)];
    let lost = node.commit(changes.clone()).await;
    assert_eq!(lost, Err(CommitError::Conflicts(vec![3, 4])));
    node.commit(changes[..3].to_vec()).await.expect("nobody is in the way now");
    assert_eq!(waiting(&store, channel("paid", "a")).await, [31]);
}

pub(super) async fn a_closed_wait_fits_nothing(store: Arc<dyn Store>) {
    let mut node = Node::join(&store, "n").await;
    node.write(insert(10)).await;
    node.write(opened(vec![subscription(51, "paid", Some("a"))])).await;
    let ends = Change { subscriptions_gone: thin_vec![SubscriptionKey::new(51)], ..delete(10, 1) };
    node.write(ends).await;
    assert_eq!(node.fits(published(vec![message(31, "paid", "a")])).await, []);
    let mut flash = opened(vec![subscription(52, "paid", Some("a"))]);
    flash.subscriptions_gone = thin_vec![SubscriptionKey::new(52)];
    assert_eq!(node.fits(flash).await, []);
}

/// Two lanes, as two nodes would be: one publishes while the other waits, at the same time and in
/// the same channel. Whoever is later must have been told; on a store that lets both look before
/// either has written, some round tells nobody.
pub(super) async fn a_message_and_a_wait_at_the_same_time_never_miss_each_other(
    store: Arc<dyn Store>,
) {
    const ROUNDS: i64 = 60;
    /// More than a store may lock one by one.
    const MANY: i64 = 400;
    type Running<'a> = Pin<Box<dyn Future<Output = Result<Committed, CommitError>> + Send + 'a>>;
    let lease = Node::join(&store, "n").await.lease;
    for round in 1..=ROUNDS {
        let base = 1_000_000 + round * 10_000;
        let channels = if round % 10 == 0 { MANY } else { 1 + round % 3 };
        let key = |at: i64| format!("{round}-{at}");
        let messages = (0..channels).map(|at| message(base + at, "race", &key(at))).collect();
        let waits = (0..channels).rev();
        let waits =
            waits.map(|at| subscription(base + 5_000 + at, "race", Some(&key(at)))).collect();
        let publishing = group(lease, 0, round, vec![published(messages)]);
        let waiting = group(lease, 1, round, vec![opened(waits)]);
        let mut running: Vec<Running<'_>> =
            vec![Box::pin(store.commit(publishing)), Box::pin(store.commit(waiting))];
        if round % 2 == 0 {
            running.reverse();
        }
        let outcomes = together(running).await;
        let mut fits: Vec<Fit> =
            outcomes.into_iter().flat_map(|outcome| outcome.expect("commit").fits).collect();
        fits.sort_by_key(|fit| fit.message);
        let expected: Vec<Fit> =
            (0..channels).map(|at| fit(base + at, base + 5_000 + at)).collect();
        assert_eq!(fits, expected, "round {round}: each is told once, by the later one");
    }
    assert_eq!(store.fits(NOW, None, 10).await.expect("fits").len(), 10);
}

/// Of several that want one message at the same time, one gets it.
pub(super) async fn takers_at_the_same_time_have_one_winner(store: Arc<dyn Store>) {
    const ROUNDS: i64 = 20;
    let mut node = Node::join(&store, "n").await;
    for round in 1..=ROUNDS {
        node.write(published(vec![message(round, "paid", "a")])).await;
        let gone = |lane, id| {
            let messages_gone = vec![MessageKey::new(round)];
            group(
                node.lease,
                lane,
                id,
                vec![Change { messages_gone: messages_gone.into(), ..Change::default() }],
            )
        };
        let takes = |lane, id| {
            let messages_taken = vec![taken(round, "p")];
            group(
                node.lease,
                lane,
                id,
                vec![Change { messages_taken: messages_taken.into(), ..Change::default() }],
            )
        };
        let id = 1_000 + round * 2;
        let groups = vec![takes(0, id), takes(1, id)];
        let outcomes =
            together(groups.into_iter().map(|group| store.commit(group)).collect()).await;
        assert_one_winner(&outcomes);
        let groups = vec![gone(0, id + 1), gone(1, id + 1)];
        let outcomes =
            together(groups.into_iter().map(|group| store.commit(group)).collect()).await;
        assert_one_winner(&outcomes);
    }
}

fn assert_one_winner(outcomes: &[Result<Committed, CommitError>]) {
    let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(won, 1, "outcomes {outcomes:?}");
    let lost = Err(CommitError::Conflicts(vec![0]));
    assert!(outcomes.contains(&lost), "outcomes {outcomes:?}");
}

fn published(messages_added: Vec<MessageRow>) -> Change {
    Change { messages_added: messages_added.into(), ..Change::default() }
}

fn taken(message: i64, process_id: &str) -> MessageTaken {
    MessageTaken { message: MessageKey::new(message), process_id: ProcessId::new(process_id) }
}

fn fit(message: i64, subscription: i64) -> Fit {
    Fit {
        message: MessageKey::new(message),
        subscription: SubscriptionKey::new(subscription),
        instance: super::sample::subscription(subscription, "", None).instance,
    }
}

fn query(channel: Channel) -> MessageQuery {
    let (message_id, not_taken_by) = (None, None);
    MessageQuery { channel, message_id, not_taken_by, now: NOW, after: None, limit: 100 }
}

async fn waiting(store: &Arc<dyn Store>, channel: Channel) -> Vec<i64> {
    keys(&store.messages(query(channel)).await.expect("messages"))
}

fn keys(rows: &[MessageRow]) -> Vec<i64> {
    assert!(rows.iter().all(|row| row.expires_at > Timestamp::ZERO));
    rows.iter().map(|row| row.key.raw()).collect()
}
