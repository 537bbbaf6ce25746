//! Jobs on their way from the engine to a client's socket, and back when they do not get there.
//!
//! A job that is handed out is locked until its timeout. When the client has gone meanwhile, the
//! job is given back at once, so that the next worker need not wait for that. A job counts as under
//! way from the moment the transport takes its message until the bytes are in the connection's
//! buffer; what is lost after that comes back by its timeout.
//!
//! How the second moment is known: the transport collects messages until there is no further one
//! ready, or until it holds [`CHUNK_BYTES`], and then hands them to the connection before it asks
//! for more. So everything is written when it asks again after having been told "not yet", or
//! after a full chunk. Before the end of a stream it is told "not yet" once more than needed, for
//! the same reason.
//!
//! It must not be imprecise the other way: a worker that stops closes its stream and then finishes
//! the jobs it has. Those must not be given to another one.

use std::collections::VecDeque;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::Stream;
use futures_util::stream::BoxStream;
use orloj::Orloj;
use orloj_types::JobKey;
use prost::Message;
use tonic::Status;

/// From which size on the transport passes on what it has.
const CHUNK_BYTES: usize = 32 * 1024;
/// In front of every message: a flag and its length.
const MESSAGE_PREFIX_BYTES: usize = 5;

/// A message and the locks of the jobs in it.
pub(crate) struct Parcel<M> {
    pub message: M,
    pub jobs: Vec<(JobKey, i32)>,
}

/// Is told how jobs fared.
pub(crate) trait Tally: Send + Unpin + 'static {
    fn delivered(&self, jobs: usize);
    fn lost(&self, jobs: usize);
}

pub(crate) struct Delivery<M, T: Tally> {
    source: Source<M>,
    under_way: Vec<(JobKey, i32)>,
    under_way_bytes: usize,
    written: bool,
    /// The end, kept back until the last message is written.
    end: Option<Option<Status>>,
    give_back: GiveBack,
    tally: T,
}

/// Where parcels come from.
pub(crate) enum Source<M> {
    /// All there are. Those not yet taken are given back as well.
    Batch(VecDeque<Parcel<M>>),
    /// One after the other; who makes them keeps those not yet taken.
    Stream(BoxStream<'static, Result<Parcel<M>, Status>>),
}

type GiveBack = Box<dyn Fn(Vec<(JobKey, i32)>) + Send>;

impl<M: Message, T: Tally> Delivery<M, T> {
    pub fn new(orloj: Orloj, tally: T, source: Source<M>) -> Self {
        Self::with(Box::new(move |jobs| give_back(&orloj, jobs)), tally, source)
    }

    fn with(give_back: GiveBack, tally: T, source: Source<M>) -> Self {
        let (under_way, under_way_bytes, written, end) = (Vec::new(), 0, false, None);
        Self { source, under_way, under_way_bytes, written, end, give_back, tally }
    }
}

impl<M: Message + Unpin, T: Tally> Stream for Delivery<M, T> {
    type Item = Result<M, Status>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        this.asked_again();
        if let Some(end) = this.end.take() {
            return Poll::Ready(end.map(Err));
        }
        let next = match &mut this.source {
            Source::Batch(parcels) => Poll::Ready(parcels.pop_front().map(Ok)),
            Source::Stream(parcels) => parcels.as_mut().poll_next(cx),
        };
        match next {
            Poll::Ready(Some(Ok(parcel))) => {
                this.take(parcel.jobs, parcel.message.encoded_len());
                Poll::Ready(Some(Ok(parcel.message)))
            }
            Poll::Ready(Some(Err(status))) => this.end_with(Some(status), cx),
            Poll::Ready(None) => this.end_with(None, cx),
            Poll::Pending => {
                this.written = true;
                Poll::Pending
            }
        }
    }
}

impl<M, T: Tally> Delivery<M, T> {
    fn take(&mut self, jobs: Vec<(JobKey, i32)>, message_bytes: usize) {
        match self.under_way.is_empty() {
            true => self.under_way = jobs,
            false => self.under_way.extend(jobs),
        }
        self.under_way_bytes += message_bytes + MESSAGE_PREFIX_BYTES;
        self.written = self.under_way_bytes >= CHUNK_BYTES;
    }

    fn asked_again(&mut self) {
        if mem::take(&mut self.written) {
            if !self.under_way.is_empty() {
                self.tally.delivered(self.under_way.len());
            }
            self.under_way.clear();
            self.under_way_bytes = 0;
        }
    }

    fn end_with(
        &mut self,
        status: Option<Status>,
        cx: &Context<'_>,
    ) -> Poll<Option<Result<M, Status>>> {
        if self.under_way.is_empty() {
            return Poll::Ready(status.map(Err));
        }
        self.end = Some(status);
        self.written = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<M, T: Tally> Drop for Delivery<M, T> {
    fn drop(&mut self) {
        let mut jobs = mem::take(&mut self.under_way);
        if let Source::Batch(parcels) = &mut self.source {
            jobs.extend(parcels.drain(..).flat_map(|parcel| parcel.jobs));
        }
        if !jobs.is_empty() {
            self.tally.lost(jobs.len());
            (self.give_back)(jobs);
        }
    }
}

/// In a task of its own: a drop cannot wait for the answer.
fn give_back(orloj: &Orloj, jobs: Vec<(JobKey, i32)>) {
    // Without a runtime the process is ending, and its locks with it.
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        let orloj = orloj.clone();
        runtime.spawn(async move { orloj.give_back(jobs).await });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use futures_util::task::noop_waker_ref;
    use futures_util::{StreamExt, stream};

    use super::*;
    use crate::proto::ActivatedJob;

    #[derive(Clone, Default)]
    struct Seen {
        back: Arc<Mutex<Vec<i64>>>,
        delivered: Arc<AtomicUsize>,
    }

    impl Tally for Seen {
        fn delivered(&self, jobs: usize) {
            self.delivered.fetch_add(jobs, Ordering::Relaxed);
        }

        fn lost(&self, _jobs: usize) {}
    }

    fn delivery(seen: &Seen, steps: Vec<Option<(i64, usize)>>) -> Delivery<ActivatedJob, Seen> {
        let back = seen.back.clone();
        let give_back: GiveBack = Box::new(move |jobs| {
            back.lock().unwrap().extend(jobs.iter().map(|(key, _)| key.raw()));
        });
        let mut steps = steps.into_iter();
        let parcels = stream::poll_fn(move |_| match steps.next() {
            Some(Some((key, bytes))) => {
                let message =
                    ActivatedJob { key, variables: "x".repeat(bytes), ..Default::default() };
                Poll::Ready(Some(Ok(Parcel { message, jobs: vec![(JobKey::new(key), 1)] })))
            }
            Some(None) => Poll::Pending,
            None => Poll::Ready(None),
        });
        Delivery::with(give_back, seen.clone(), Source::Stream(parcels.boxed()))
    }

    fn poll(delivery: &mut Delivery<ActivatedJob, Seen>) -> Poll<Option<i64>> {
        let mut cx = Context::from_waker(noop_waker_ref());
        Pin::new(delivery).poll_next(&mut cx).map(|item| item.map(|job| job.unwrap().key))
    }

    fn back(seen: &Seen) -> Vec<i64> {
        seen.back.lock().unwrap().clone()
    }

    #[test]
    fn a_message_taken_but_not_written_is_given_back() {
        let seen = Seen::default();
        let mut delivery = delivery(&seen, vec![Some((1, 10)), Some((2, 10))]);
        assert_eq!(poll(&mut delivery), Poll::Ready(Some(1)));
        assert_eq!(poll(&mut delivery), Poll::Ready(Some(2)));
        drop(delivery);
        assert_eq!(back(&seen), [1, 2]);
    }

    #[test]
    fn what_was_written_stays_with_the_worker() {
        let seen = Seen::default();
        let mut delivery = delivery(&seen, vec![Some((1, 10)), None, Some((2, 10)), None]);
        assert_eq!(poll(&mut delivery), Poll::Ready(Some(1)));
        assert_eq!(poll(&mut delivery), Poll::Pending);
        assert_eq!(poll(&mut delivery), Poll::Ready(Some(2)));
        assert_eq!(seen.delivered.load(Ordering::Relaxed), 1);
        drop(delivery);
        assert_eq!(back(&seen), [2]);
    }

    #[test]
    fn a_full_chunk_is_written_without_a_pause() {
        let seen = Seen::default();
        let mut delivery = delivery(&seen, vec![Some((1, CHUNK_BYTES)), Some((2, 10))]);
        assert_eq!(poll(&mut delivery), Poll::Ready(Some(1)));
        assert_eq!(poll(&mut delivery), Poll::Ready(Some(2)));
        drop(delivery);
        assert_eq!(back(&seen), [2]);
    }

    #[test]
    fn the_end_waits_for_the_last_message() {
        let seen = Seen::default();
        let mut delivery = delivery(&seen, vec![Some((1, 10))]);
        assert_eq!(poll(&mut delivery), Poll::Ready(Some(1)));
        assert_eq!(poll(&mut delivery), Poll::Pending);
        assert_eq!(poll(&mut delivery), Poll::Ready(None));
        drop(delivery);
        assert_eq!(back(&seen), [] as [i64; 0]);
        assert_eq!(seen.delivered.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_rest_of_a_batch_is_given_back() {
        let seen = Seen::default();
        let back_seen = seen.back.clone();
        let give_back: GiveBack = Box::new(move |jobs| {
            back_seen.lock().unwrap().extend(jobs.iter().map(|(key, _)| key.raw()));
        });
        let parcel = |key: i64, bytes: usize| Parcel {
            message: ActivatedJob { key, variables: "x".repeat(bytes), ..Default::default() },
            jobs: vec![(JobKey::new(key), 1)],
        };
        let batch = Source::Batch([parcel(1, CHUNK_BYTES), parcel(2, 1), parcel(3, 1)].into());
        let mut delivery = Delivery::with(give_back, seen.clone(), batch);
        assert_eq!(poll(&mut delivery), Poll::Ready(Some(1)));
        assert_eq!(poll(&mut delivery), Poll::Ready(Some(2)));
        drop(delivery);
        assert_eq!(back(&seen), [2, 3]);
    }

    #[test]
    fn an_empty_answer_ends_at_once() {
        let seen = Seen::default();
        assert_eq!(poll(&mut delivery(&seen, vec![])), Poll::Ready(None));
    }
}
