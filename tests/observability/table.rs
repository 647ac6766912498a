//! `docs/observability.md`, read, and compared with what is told.

use std::collections::BTreeSet;

use crate::seen::{SEEN, Series, Told};

const PAGE: &str = include_str!("../../docs/observability.md");

/// What is told in one way: its name, what it is, and its fields or labels.
type Line = (String, String, BTreeSet<String>);

/// The cells of all tables of the page whose first column has this title.
fn rows(title: &str) -> Vec<Vec<&'static str>> {
    let cells = |line: &'static str| -> Vec<&str> { line.trim_matches('|').split('|').map(str::trim).collect() };
    let table = PAGE.lines().skip_while(|line| !line.starts_with(&format!("| {title} |")));
    table.skip(2).take_while(|line| line.starts_with('|')).map(cells).collect()
}

fn quoted(cell: &str) -> BTreeSet<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn documented() -> BTreeSet<Line> {
    rows("name").iter().map(|row| (row[0].trim_matches('`').to_owned(), row[1].to_owned(), quoted(row[2]))).collect()
}

fn of_told(told: &Told) -> Line {
    let is = if told.is_span { "span".to_owned() } else { format!("event, {}", told.level) };
    (told.name.clone(), is, told.fields.iter().map(|field| (*field).to_owned()).collect())
}

fn of_series(series: &Series) -> Line {
    let is = series.unit.map_or_else(|| series.kind.to_owned(), |unit| format!("{}, {unit}", series.kind));
    (series.name.clone(), is, series.labels.keys().cloned().collect())
}

/// What is told is in the table as it is, and nothing else is.
pub(crate) fn compare() {
    let measured = SEEN.measured();
    let told: BTreeSet<Line> = SEEN.told().iter().map(of_told).chain(measured.keys().map(of_series)).collect();
    let documented = documented();
    let missing: Vec<_> = told.difference(&documented).collect();
    let untold: Vec<_> = documented.difference(&told).collect();
    assert!(missing.is_empty() && untold.is_empty(), "not in the table: {missing:#?}\nnever told: {untold:#?}");
    assert!(measured.keys().all(|series| series.is_described), "{measured:#?}");
    assert!(SEEN.told().iter().filter(|told| told.is_span).all(|span| span.level == tracing::Level::DEBUG));
}

/// Every field has a meaning, and every one that is explained exists. Values that are words are all in it.
#[test]
fn every_field_is_explained() {
    let fields: BTreeSet<String> = documented().into_iter().flat_map(|(_, _, fields)| fields).collect();
    let explained: BTreeSet<String> = rows("field").iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    assert_eq!(fields, explained);
}

/// The words that a field may hold.
pub(crate) fn words(field: &str) -> BTreeSet<String> {
    let rows = rows("field");
    let row = rows.iter().find(|row| row[0].trim_matches('`') == field).unwrap();
    quoted(row[1])
}
