//! With the library's spans filtered out the current one is the application's, in which nothing is written.

use std::sync::{Arc, Mutex};

use mongo_sequence::AutoIncrement;
use tracing::{
    Instrument, Level, Subscriber, field,
    span::{Id, Record},
};
use tracing_subscriber::{
    filter::LevelFilter,
    layer::{Context, Layer, SubscriberExt},
    registry::Registry,
};

use crate::{Stage, models::order};

/// What is recorded after a span has begun.
#[derive(Clone, Default)]
struct Recorded(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber> Layer<S> for Recorded {
    fn on_record(&self, _: &Id, record: &Record<'_>, _: Context<'_, S>) {
        self.0.lock().unwrap().push(format!("{record:?}"));
    }
}

#[tokio::test]
async fn a_span_of_the_application_is_left_alone() {
    let Stage { orders, .. } = Stage::new().await;
    for (level, is_ours) in [(LevelFilter::INFO, false), (LevelFilter::DEBUG, true)] {
        let recorded = Recorded::default();
        let subscriber = Registry::default().with(level).with(recorded.clone());
        let guard = tracing::subscriber::set_default(subscriber);
        let span = tracing::span!(
            Level::INFO,
            "request",
            number = field::Empty,
            mode = field::Empty,
            attempts = field::Empty,
            error = field::Empty,
        );
        let mut model = order();
        async { model.insert_with_seq(&orders).await.unwrap() }.instrument(span).await;
        drop(guard);
        assert_eq!(!recorded.0.lock().unwrap().is_empty(), is_ours, "{level}");
    }
}
