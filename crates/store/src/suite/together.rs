//! Several calls under way at once, on one task.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Polls all futures side by side until each has ended; outputs in the order of the futures.
pub(super) async fn together<'a, T>(
    futures: Vec<Pin<Box<dyn Future<Output = T> + Send + 'a>>>,
) -> Vec<T> {
    let mut slots: Vec<_> = futures.into_iter().map(Slot::Running).collect();
    poll_fn(|cx| {
        let mut all_ended = true;
        for slot in &mut slots {
            if let Slot::Running(future) = slot {
                match future.as_mut().poll(cx) {
                    Poll::Ready(output) => *slot = Slot::Ended(output),
                    Poll::Pending => all_ended = false,
                }
            }
        }
        if all_ended { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    slots
        .into_iter()
        .map(|slot| match slot {
            Slot::Ended(output) => output,
            Slot::Running(_) => unreachable!("all have ended"),
        })
        .collect()
}

enum Slot<'a, T> {
    Running(Pin<Box<dyn Future<Output = T> + Send + 'a>>),
    Ended(T),
}
