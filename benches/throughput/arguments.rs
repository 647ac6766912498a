//! What is asked for on the command line, and how long it takes.

use std::time::Duration;

const USAGE: &str = "usage: cargo bench --bench throughput [-- [--quick] [--only TEXT]...]";

pub(crate) enum Arguments {
    Run(Plan),
    /// This is one of the processes of section 4.
    Child(Child),
}

/// What is run, and for how long.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) quick: bool,
    only: Vec<String>,
    pub(crate) rounds: usize,
    pub(crate) warm_up: Duration,
    pub(crate) window: Duration,
    pub(crate) callers: &'static [usize],
    /// Of section 3.
    pub(crate) tasks: &'static [usize],
}

/// `--child WAY URI DATABASE COLLECTION WARM_UP_MS WINDOW_MS`
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) way: String,
    pub(crate) uri: String,
    pub(crate) database: String,
    pub(crate) collection: String,
    pub(crate) warm_up: Duration,
    pub(crate) window: Duration,
}

impl Plan {
    fn full() -> Self {
        Self {
            quick: false,
            only: Vec::new(),
            rounds: 5,
            warm_up: Duration::from_millis(500),
            window: Duration::from_secs(2),
            callers: &[1, 16, 64, 256],
            tasks: &[1, 2, 8, 64, 256],
        }
    }

    fn quick() -> Self {
        let moment = Duration::from_millis(50);
        Self {
            quick: true,
            rounds: 1,
            warm_up: moment,
            window: 2 * moment,
            callers: &[1, 16],
            tasks: &[1, 8],
            ..Self::full()
        }
    }

    pub(crate) fn is_part(&self) -> bool {
        !self.only.is_empty()
    }

    pub(crate) fn wants(&self, cell: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|text| cell.contains(text))
    }
}

/// Without `--bench`, which `cargo bench` adds, this is a run of tests: the quick form, whatever the test runner's
/// arguments are.
pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let arguments: Vec<String> = arguments.collect();
    if let [child, rest @ ..] = arguments.as_slice()
        && child == "--child"
    {
        return parse_child(rest).map(Arguments::Child);
    }
    if !arguments.iter().any(|argument| argument == "--bench") {
        return Ok(Arguments::Run(Plan::quick()));
    }
    let quick = arguments.iter().any(|argument| argument == "--quick");
    let mut plan = if quick { Plan::quick() } else { Plan::full() };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" | "--quick" => {}
            "--only" => plan.only.push(arguments.next().ok_or(USAGE)?),
            _ => return Err(format!("{argument} is not known; {USAGE}")),
        }
    }
    Ok(Arguments::Run(plan))
}

fn parse_child(arguments: &[String]) -> Result<Child, String> {
    let [way, uri, database, collection, warm_up, window] = arguments else {
        return Err("--child is for this program itself".to_owned());
    };
    let milliseconds = |text: &String| text.parse().map(Duration::from_millis).map_err(|error| format!("{error}"));
    Ok(Child {
        way: way.clone(),
        uri: uri.clone(),
        database: database.clone(),
        collection: collection.clone(),
        warm_up: milliseconds(warm_up)?,
        window: milliseconds(window)?,
    })
}
