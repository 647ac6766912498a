//! What the library has told in this process: spans and events of its target, and metrics.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    pin::pin,
    sync::{LazyLock, Mutex, MutexGuard},
    time::Duration,
};

use metrics_util::{
    MetricKind,
    debugging::{DebugValue, DebuggingRecorder, Snapshotter},
};
use tokio::sync::Notify;
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
};
use tracing_subscriber::{
    layer::{Context, Layer, SubscriberExt},
    registry::{LookupSpan, Registry, SpanRef},
};

const TARGET: &str = "mongo_sequence";
/// How long to wait for something that is sure to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A span, or an event.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) name: String,
    /// The fields it has, whether they hold something or not.
    pub(crate) fields: BTreeSet<&'static str>,
    pub(crate) level: tracing::Level,
    pub(crate) is_span: bool,
    values: BTreeMap<&'static str, String>,
    /// Its place among all, that of the span it is in, and those of the spans it follows from.
    pub(crate) place: usize,
    pub(crate) parent: Option<usize>,
    pub(crate) follows: BTreeSet<usize>,
}

impl Told {
    /// What the field holds, as text.
    pub(crate) fn value(&self, field: &str) -> Option<&str> {
        assert!(self.fields.contains(field), "{self:?} has no `{field}`");
        self.values.get(field).map(String::as_str)
    }

    pub(crate) fn number(&self, field: &str) -> Option<i64> {
        self.value(field).map(|value| value.parse().unwrap())
    }

    /// Those of the fields that hold something.
    pub(crate) fn values<const N: usize>(&self, fields: [&str; N]) -> [Option<&str>; N] {
        fields.map(|field| self.value(field))
    }
}

/// One metric with its labels.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) kind: &'static str,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) unit: Option<&'static str>,
    pub(crate) is_described: bool,
}

/// What there is of a metric: what a counter has counted, or all values of a gauge or a histogram.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub(crate) count: u64,
    pub(crate) values: Vec<f64>,
}

pub(crate) struct Seen {
    told: Mutex<Vec<Told>>,
    more: Notify,
    snapshotter: Snapshotter,
    /// A snapshot takes the values away.
    measured: Mutex<BTreeMap<Series, Measured>>,
}

/// For all tests of this process, since there is one subscriber and one recorder for all threads of it.
pub(crate) static SEEN: LazyLock<Seen> = LazyLock::new(|| {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    recorder.install().unwrap();
    mongo_sequence::describe_metrics();
    tracing::subscriber::set_global_default(Registry::default().with(Notes)).unwrap();
    Seen { told: Mutex::default(), more: Notify::new(), snapshotter, measured: Mutex::default() }
});

impl Seen {
    pub(crate) fn told(&self) -> Vec<Told> {
        self.lock().clone()
    }

    /// The spans or events of this name at a sequence, in the order in which they began.
    pub(crate) fn of(&self, name: &str, sequence: &str) -> Vec<Told> {
        let is_meant = |told: &Told| told.name == name && told.value("sequence") == Some(sequence);
        self.told().into_iter().filter(is_meant).collect()
    }

    /// The only one.
    pub(crate) fn the(&self, name: &str, sequence: &str) -> Told {
        let mut told = self.of(name, sequence);
        assert_eq!(told.len(), 1, "`{name}` of `{sequence}`: {told:?}");
        told.remove(0)
    }

    /// Waits for the first.
    pub(crate) async fn until(&self, name: &str, sequence: &str) -> Told {
        loop {
            let mut more = pin!(self.more.notified());
            more.as_mut().enable();
            if let Some(told) = self.of(name, sequence).into_iter().next() {
                return told;
            }
            assert!(tokio::time::timeout(PATIENCE, more).await.is_ok(), "no `{name}` of `{sequence}`");
        }
    }

    /// All of it so far.
    pub(crate) fn measured(&self) -> BTreeMap<Series, Measured> {
        let mut all = self.measured.lock().unwrap();
        for (key, unit, description, value) in self.snapshotter.snapshot().into_vec() {
            let labels = key.key().labels().map(|label| (label.key().to_owned(), label.value().to_owned())).collect();
            let series = Series {
                name: key.key().name().to_owned(),
                kind: match key.kind() {
                    MetricKind::Counter => "counter",
                    MetricKind::Gauge => "gauge",
                    MetricKind::Histogram => "histogram",
                },
                labels,
                unit: unit.map(|unit| unit.as_str()),
                is_described: description.is_some_and(|text| !text.is_empty()),
            };
            let measured = all.entry(series).or_default();
            match value {
                DebugValue::Counter(more) => measured.count += more,
                // which it also has when it was not set since the last look
                DebugValue::Gauge(value) if value == 0.0 => {}
                DebugValue::Gauge(value) => measured.values.push(*value),
                DebugValue::Histogram(values) => measured.values.extend(values.iter().map(|value| value.0)),
            }
        }
        all.clone()
    }

    /// What a counter of a sequence has counted, by mode.
    pub(crate) fn counted(&self, name: &str, sequence: &str) -> Vec<(String, u64)> {
        let found = self.series(name, sequence).into_iter();
        found.map(|(mode, measured)| (mode, measured.count)).filter(|(_, count)| *count > 0).collect()
    }

    /// The values of a histogram or a gauge of a sequence.
    pub(crate) fn values(&self, name: &str, sequence: &str) -> Vec<f64> {
        let found = self.series(name, sequence);
        assert_eq!(found.len(), 1, "{found:?}");
        found.into_values().flat_map(|measured| measured.values).collect()
    }

    fn series(&self, name: &str, sequence: &str) -> BTreeMap<String, Measured> {
        let name = format!("mongo_sequence_{name}");
        let is_meant = |series: &Series| series.name == name && series.labels["sequence"] == sequence;
        let found = self.measured().into_iter().filter(|(series, _)| is_meant(series));
        found.map(|(series, measured)| (series.labels.get("mode").cloned().unwrap_or_default(), measured)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Told>> {
        self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Notes all of it.
struct Notes;

/// The place of a span among what was told. (The ids of a subscriber are used again.)
struct Place(usize);

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Notes {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let span = context.span(id).unwrap();
        let parent = span.parent().and_then(|parent| place(&parent));
        if let Some(place) = note(attributes.metadata(), parent, |values| attributes.record(values)) {
            span.extensions_mut().insert(Place(place));
        }
    }

    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        if let Some(place) = place(&context.span(id).unwrap()) {
            let mut values = Values::default();
            record.record(&mut values);
            for (field, value) in values.0 {
                let before = SEEN.lock()[place].values.insert(field, value);
                assert_eq!(before, None, "`{field}` is recorded twice, which is shown twice");
            }
        }
    }

    fn on_follows_from(&self, id: &Id, follows: &Id, context: Context<'_, S>) {
        let places = (place(&context.span(id).unwrap()), place(&context.span(follows).unwrap()));
        if let (Some(place), Some(followed)) = places {
            SEEN.lock()[place].follows.insert(followed);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let span = context.event_span(event).and_then(|span| place(&span));
        note(event.metadata(), span, |values| event.record(values));
    }
}

fn note(metadata: &Metadata<'static>, parent: Option<usize>, record: impl FnOnce(&mut Values)) -> Option<usize> {
    if metadata.target() != TARGET {
        return None;
    }
    let mut values = Values::default();
    record(&mut values);
    let message = values.0.remove("message");
    let mut fields: BTreeSet<_> = metadata.fields().iter().map(|field| field.name()).collect();
    fields.remove("message");
    let mut told = SEEN.lock();
    let place = told.len();
    told.push(Told {
        name: message.unwrap_or_else(|| metadata.name().to_owned()),
        fields,
        level: *metadata.level(),
        is_span: metadata.is_span(),
        values: values.0,
        place,
        parent,
        follows: BTreeSet::new(),
    });
    drop(told);
    SEEN.more.notify_waiters();
    Some(place)
}

fn place<'a>(span: &SpanRef<'a, impl LookupSpan<'a>>) -> Option<usize> {
    span.extensions().get::<Place>().map(|place| place.0)
}

/// What fields hold, as text.
#[derive(Default)]
struct Values(BTreeMap<&'static str, String>);

impl Visit for Values {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}
