//! What reaches the thread from outside.

use orloj_executor::TakerId;
use tokio::sync::{mpsc, oneshot};

use crate::api::{ActivatedJob, Error, StreamJobs};
use crate::node::{Event, Reply, Request, RequestId};

pub(crate) type Answer = Result<Reply, Error>;

pub(crate) enum Input {
    Event(Event),
    Request { id: RequestId, request: Request, answer: oneshot::Sender<Answer> },
    Open { id: TakerId, stream: StreamJobs, jobs: mpsc::UnboundedSender<ActivatedJob> },
}
