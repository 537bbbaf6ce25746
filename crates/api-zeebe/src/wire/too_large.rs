//! Requests beyond the size limit.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tonic::Code;
use tonic::body::Body;
use tonic::codegen::http::{HeaderValue, Request, Response};
use tonic::server::NamedService;
use tower::Service;

use crate::status;

/// Answers RESOURCE_EXHAUSTED where the transport's decoder says OUT_OF_RANGE, which it does for a
/// message that is too large and which nothing else here says.
#[derive(Clone, Debug)]
pub(crate) struct TooLargeService<S> {
    inner: S,
}

impl<S> TooLargeService<S> {
    pub fn new(inner: S) -> Self {
        Self { inner }
    }
}

impl<S: NamedService> NamedService for TooLargeService<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for TooLargeService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = self.inner.call(request);
        Box::pin(async move { answer.await.map(renamed) })
    }
}

fn renamed(answer: Response<Body>) -> Response<Body> {
    let out_of_range = HeaderValue::from(Code::OutOfRange as i32);
    match answer.headers().get(tonic::Status::GRPC_STATUS) == Some(&out_of_range) {
        true => status::message_too_large().into_http(),
        false => answer,
    }
}
