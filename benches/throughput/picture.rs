//! Section 1 as a picture: inserts a second against callers, both on scales of equal factors.

use std::{fs, path::Path};

use plotters::prelude::*;

use crate::{
    Result,
    modes::Way,
    results::{Cell, Quantity, Results, Section, float},
};

const SIZE: (u32, u32) = (880, 500);
/// Of the texts, and between two of them that would meet.
const TEXT: i32 = 14;
const LINE: i32 = 18;
/// The rates that have a line.
const RATES: [f64; 8] = [10., 30., 100., 300., 1_000., 3_000., 10_000., 30_000.];
/// Where the curves end and their names begin.
const NAMES: u32 = 290;

/// Grey and colours that can be told from white and from black alike. Paper and texts get theirs from the reader's scheme.
const GREY: RGBColor = RGBColor(128, 128, 128);
const SCHEMES: &str = "<style>svg{font-variant-numeric:tabular-nums}text{fill:#1f2328}.paper{fill:#ffffff}\
    @media(prefers-color-scheme:dark){text{fill:#e6edf3}.paper{fill:#1c2128}}</style>\
    <rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"6\"/>";

/// How a way is drawn: what is not of this library in grey tones, with a dashed line.
fn style(way: Way) -> (RGBColor, bool) {
    match way {
        Way::InsertOne => (RGBColor(110, 118, 129), false),
        Way::TwoCommands => (RGBColor(150, 130, 90), false),
        Way::GaplessByHand => (RGBColor(200, 70, 60), false),
        Way::Plain => (RGBColor(150, 130, 90), true),
        Way::Sequenced => (RGBColor(47, 129, 247), true),
        Way::Blocks => (RGBColor(35, 154, 85), true),
        Way::PlainGapless => (RGBColor(200, 70, 60), true),
        Way::SequencedGapless => (RGBColor(163, 96, 220), true),
    }
}

/// Draws what was measured of section 1, unless that is nothing.
pub(crate) fn draw(results: &Results, subtitle: &str, path: &Path) -> Result<()> {
    let curves: Vec<(Way, Vec<(f64, f64)>)> =
        Way::ALL.into_iter().map(|way| (way, curve(way, results))).filter(|(_, points)| !points.is_empty()).collect();
    let rates = || curves.iter().flat_map(|(_, points)| points).map(|(_, rate)| *rate);
    let callers = || curves.iter().flat_map(|(_, points)| points).map(|(callers, _)| *callers);
    let (Some(slowest), Some(fastest)) = (rates().reduce(f64::min), rates().reduce(f64::max)) else { return Ok(()) };
    let most = callers().fold(2.0, f64::max);
    let mut measured: Vec<f64> = callers().collect();
    measured.sort_by(f64::total_cmp);
    measured.dedup();

    let (lowest, highest) = (slowest / 1.3, fastest * 1.3);
    let rates = RATES.into_iter().filter(|rate| (lowest..highest).contains(rate)).collect();
    let mut drawn = String::new();
    {
        let area = SVGBackend::with_string(&mut drawn, SIZE).into_drawing_area();
        let font = ("sans-serif", TEXT).into_font();
        area.draw(&Text::new("Inserts a second", (12, 10), ("sans-serif", 20)))?;
        area.draw(&Text::new(subtitle.to_owned(), (12, 36), font.clone()))?;
        let mut chart = ChartBuilder::on(&area)
            .margin_top(64)
            .margin_right(NAMES)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(
                (1.0..most).log_scale().with_key_points(measured),
                (lowest..highest).log_scale().with_key_points(rates),
            )?;
        chart
            .configure_mesh()
            .x_desc("callers at once")
            .x_label_formatter(&|callers| format!("{callers}"))
            .y_label_formatter(&|rate| thousands(*rate))
            .label_style(font.clone())
            .axis_style(GREY)
            .bold_line_style(GREY.mix(0.35))
            .light_line_style(TRANSPARENT)
            .draw()?;
        let mut ends = Vec::new();
        for (way, points) in curves {
            let (colour, ours) = style(way);
            let line = colour.stroke_width(if ours { 3 } else { 2 });
            if ours {
                chart.draw_series(LineSeries::new(points.clone(), line))?;
            } else {
                chart.draw_series(DashedLineSeries::new(points.clone(), 6, 4, line))?;
            }
            chart.draw_series(points.iter().map(|point| Circle::new(*point, 3, colour.filled())))?;
            ends.extend(points.last().map(|end| (chart.backend_coord(end), *end, way, colour)));
        }
        let right = i32::try_from(SIZE.0 - NAMES)? + 12;
        ends.sort_by_key(|((_, y), ..)| *y);
        let mut next = 0;
        for ((x, y), (callers, rate), way, colour) in ends {
            next = (y - TEXT / 2).max(next);
            let (from, to) = ((x + 5, y), (right + 8, next + TEXT / 2));
            area.draw(&PathElement::new(vec![from, to], colour.mix(0.6)))?;
            let alone = if callers < 2.0 { " (one caller)" } else { "" };
            let name = format!("{} {}{alone}", thousands(rate), way.name());
            area.draw(&Text::new(name, (right + 14, next), font.clone()))?;
            next += LINE;
        }
        area.present()?;
    }
    let start = drawn.find('>').ok_or("this is no SVG")? + 1;
    drawn.insert_str(start, SCHEMES);
    fs::write(path, drawn)?;
    Ok(())
}

fn curve(way: Way, results: &Results) -> Vec<(f64, f64)> {
    let is_point = |cell: &Cell| cell.section == Section::Inserts && cell.way == way.name();
    let cells = results.cells().map(|(cell, _)| cell).filter(is_point);
    cells.filter_map(|cell| Some((float(cell.callers), results.median(cell, Quantity::PerSecond)?))).collect()
}

fn thousands(rate: f64) -> String {
    let whole = format!("{rate:.0}");
    match whole.len() {
        ..4 => whole,
        length => format!("{},{}", &whole[..length - 3], &whole[length - 3..]),
    }
}
