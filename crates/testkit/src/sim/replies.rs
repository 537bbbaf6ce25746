//! What nodes answer to those who asked.

use std::sync::Arc;

use orloj::api::Error;
use orloj::node::{Event, Reply, Request, RequestId};

use super::Violation;
use super::happening::{Answered, Ask, Asked, Happening, Place};
use super::world::World;

impl World<'_> {
    /// Sends a request to a node.
    pub(crate) fn ask(&mut self, to: Place, ask: Ask, request: Request) -> RequestId {
        let id = RequestId(self.next_request);
        self.next_request += 1;
        self.note(|| format!("request {} to n{}: {ask:?}", id.0, to.node));
        self.asked.insert(id, Asked { ask, place: to, answer: Answered::NotYet });
        let delay = self.delay_us();
        let event = Box::new(Event::Request { id, request });
        self.add(self.now_us + delay, Happening::Event { to, event });
        id
    }

    /// A node answers. Judged here, as it leaves: whether it arrives is not the node's business.
    pub(crate) fn replied(
        &mut self,
        of: Place,
        id: RequestId,
        result: Result<Reply, Error>,
    ) -> Result<(), Violation> {
        let Some(asked) = self.asked.get(&id).cloned() else {
            return Err(Violation::new("I9", format!("an answer to request {} nobody made", id.0)));
        };
        if asked.answer != Answered::NotYet {
            let message = format!("request {} {:?} is answered twice", id.0, asked.ask);
            return Err(Violation::new("I9", message));
        }
        self.checker.replied(&self.store, &asked, &result)?;
        let answer = match &result {
            Ok(_) => Answered::Done,
            Err(
                Error::Rejected(_) | Error::Missing(_) | Error::Invalid(_) | Error::IsCalled { .. },
            ) => Answered::Refused,
            Err(Error::Internal(message)) => {
                return Err(Violation::new("I12", format!("an internal error: {message}")));
            }
            Err(_) => Answered::Unknown,
        };
        self.marks.hit(match answer {
            Answered::Done => "request done",
            Answered::Refused => "request refused",
            Answered::NotYet | Answered::Unknown => "request unknown",
        });
        if let Some(asked) = self.asked.get_mut(&id) {
            asked.answer = answer;
        }
        if let (Ask::Poll { worker }, result) = (&asked.ask, result) {
            let jobs = match result {
                Ok(Reply::Jobs(jobs)) => jobs,
                _ => Vec::new(),
            };
            self.polled(of, *worker, id, jobs.into_iter().map(Arc::new).collect())?;
        }
        Ok(())
    }
}
