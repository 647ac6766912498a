//! Futures that are dropped before they are done.

use std::{
    cell::{Cell, RefCell},
    future::{IntoFuture, poll_fn},
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use futures_util::stream::{FuturesUnordered, StreamExt};

/// How many calls are under way at once.
const LANES: usize = 8;

/// Where a call is cut off.
#[derive(Clone, Copy, Debug)]
pub(super) enum Cut {
    /// Right after so many polls, with what they have sent on its way.
    AfterPolls(usize),
    /// After so many polls, once there is news for it: an answer has come that nobody reads.
    BeforePoll(usize),
    /// After this time.
    AfterTime(Duration),
    Never,
}

impl Cut {
    /// `None` if it was dropped.
    pub(super) async fn off<T>(self, call: impl IntoFuture<Output = T>) -> Option<T> {
        let mut call = pin!(Some(call.into_future()));
        let (mut left, at_once) = match self {
            Self::AfterPolls(polls) => (polls, true),
            Self::BeforePoll(polls) => (polls, false),
            Self::AfterTime(time) => {
                let whole =
                    poll_fn(|context| call.as_mut().as_pin_mut().map_or(Poll::Pending, |call| call.poll(context)));
                return tokio::time::timeout(time, whole).await.ok();
            }
            Self::Never => (usize::MAX, false),
        };
        poll_fn(|context| {
            if left == 0 {
                return Poll::Ready(None);
            }
            left -= 1;
            match call.as_mut().as_pin_mut().map(|call| call.poll(context)) {
                Some(Poll::Ready(done)) => Poll::Ready(Some(done)),
                _ if left == 0 && at_once => Poll::Ready(None),
                _ => Poll::Pending,
            }
        })
        .await
    }
}

/// Starts calls until `n` of them were dropped, several at once: each lane goes through the polls of its calls one by one,
/// and starts again where a call gets through to its end. What those have told.
pub(super) async fn drops<T, F: Future<Output = Option<Vec<T>>>>(
    n: usize,
    tokens: &mut impl Iterator<Item = i64>,
    call: impl Fn(i64, Cut) -> F,
) -> Vec<T> {
    let (left, tokens) = (Cell::new(n), RefCell::new(tokens));
    let lane = async |first: usize| {
        let (mut polls, mut longest, mut told) = (first, Duration::from_millis(2), Vec::new());
        for kind in (0..3).cycle() {
            if left.get() == 0 {
                break;
            }
            let cut = match kind {
                0 => Cut::AfterPolls(polls),
                1 => Cut::BeforePoll(polls),
                _ => Cut::AfterTime(longest.mul_f64(rand::random())),
            };
            let started = Instant::now();
            let token = tokens.borrow_mut().next().unwrap_or_default();
            match call(token, cut).await {
                None => {
                    left.set(left.get().saturating_sub(1));
                    polls += usize::from(kind == 1);
                }
                Some(more) => {
                    told.extend(more);
                    longest = started.elapsed().min(Duration::from_millis(50));
                    if kind < 2 {
                        polls = 1;
                    }
                }
            }
        }
        told
    };
    let lanes: FuturesUnordered<_> = (1..=LANES).map(lane).collect();
    lanes.concat().await
}
