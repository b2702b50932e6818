//! What `castellan evaluate --games` counts, and its tables in Markdown.

use std::collections::BTreeMap;

use serde::Serialize;

use super::out::outln;
use crate::studio::Hazard;

/// Events of a kind and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Events {
    /// All.
    pub all: u32,
    /// Right so soon after they could be seen.
    pub at_once: u32,
    /// Not right by then, and a doubt was open about it.
    pub doubted: u32,
    /// Not right by then, and nothing said so.
    pub silent: u32,
    /// Right in the record when the film had ended.
    pub in_the_end: u32,
    /// Recorded when the film had ended, though nothing of it happened.
    pub false_ones: u32,
}

impl Events {
    pub(super) fn add(&mut self, other: &Events) {
        self.all += other.all;
        self.at_once += other.at_once;
        self.doubted += other.doubted;
        self.silent += other.silent;
        self.in_the_end += other.in_the_end;
        self.false_ones += other.false_ones;
    }

    pub(super) fn take(&mut self, right: bool, doubted: bool, in_the_end: bool) {
        self.all += 1;
        self.at_once += u32::from(right);
        self.doubted += u32::from(!right && doubted);
        self.silent += u32::from(!right && !doubted);
        self.in_the_end += u32::from(in_the_end);
    }
}

/// What a table row counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Counts {
    pub turns: u32,
    pub tiles: Events,
    pub figures: Events,
    pub scores: Events,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Counts) {
        self.turns += other.turns;
        self.tiles.add(&other.tiles);
        self.figures.add(&other.figures);
        self.scores.add(&other.scores);
    }
}

/// Times of one kind of frames, milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Times {
    pub frames: usize,
    pub wall_median: f64,
    pub wall_p95: f64,
    pub cpu_median: f64,
    pub cpu_p95: f64,
}

/// How a game went.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct GameRow {
    pub name: String,
    pub hazards: Vec<Hazard>,
    pub counts: Counts,
    /// Questions that the table asked.
    pub doubts: u32,
    /// Doubts that were open when the film had ended.
    pub left_open: u32,
    /// The totals that were played and those in the record, final scoring included where
    /// the game was over.
    pub totals: Vec<u32>,
    pub recorded: Vec<u32>,
    /// All totals right, and nobody touched anything but to say what no camera can see.
    pub untouched: bool,
    /// Doubts that were answered as it was played.
    pub answered: u32,
    /// What the players could not enter, since the record would not have it.
    pub not_taken: u32,
    /// How long after a tile could be seen it was in the record, seconds of the film.
    pub delay_median: f64,
    pub delay_p95: f64,
    pub changed: Times,
    pub unchanged: Times,
    /// Seconds of the film, and that reading it and making it took.
    pub seconds: f64,
    pub read_seconds: f64,
    pub made_seconds: f64,
    /// Why it was not watched to its end.
    pub broke_off: Option<String>,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    pub games: Vec<GameRow>,
    /// What happened in turns with a hazard; a turn with two counts for both.
    pub by_hazard: BTreeMap<Hazard, Counts>,
    /// What happened in turns with none.
    pub undisturbed: Counts,
    pub lag: f64,
    pub short: bool,
}

/// A share in percent, a dash where there was nothing.
fn share(part: u32, of: u32) -> String {
    if of == 0 { "-".to_owned() } else { format!("{:.1} %", 100.0 * f64::from(part) / f64::from(of)) }
}

/// At once, doubted, silent and in the end; of how many.
fn events(e: &Events) -> Vec<String> {
    vec![
        format!("{} of {}", share(e.at_once, e.all), e.all),
        e.doubted.to_string(),
        e.silent.to_string(),
        share(e.in_the_end, e.all),
    ]
}

fn counts(c: &Counts) -> Vec<String> {
    [events(&c.tiles), events(&c.figures), events(&c.scores)].concat()
}

/// What is in the columns of [`counts`].
const COUNTED: [&str; 12] = [
    "tiles at once",
    "doubted",
    "silent",
    "in the end",
    "figures at once",
    "doubted",
    "silent",
    "in the end",
    "scores at once",
    "doubted",
    "silent",
    "in the end",
];

/// A game in a line, told while the others still run.
pub(super) fn told(row: &GameRow) -> String {
    let right = if row.untouched { "right" } else { "wrong" };
    let totals = |of: &[u32]| of.iter().map(u32::to_string).collect::<Vec<_>>().join(":");
    format!(
        "{}: tiles {} of {} at once, figures {} of {}, totals {} for {} ({right}), {} doubts{}",
        row.name,
        row.counts.tiles.at_once,
        row.counts.tiles.all,
        row.counts.figures.at_once,
        row.counts.figures.all,
        totals(&row.recorded),
        totals(&row.totals),
        row.doubts,
        row.broke_off.as_ref().map_or_else(String::new, |why| format!("; broke off: {why}"))
    )
}

/// Prints all tables.
pub(super) fn print(report: &Report) -> anyhow::Result<()> {
    by_game(report)?;
    outln!()?;
    by_hazard(report)?;
    outln!()?;
    times(report)
}

fn by_game(report: &Report) -> anyhow::Result<()> {
    let mut rows = vec![head(
        &["game"],
        &["false tiles, figures, scores", "doubts", "answered", "open", "totals", "right"],
    )];
    let mut all = GameRow { name: "all".to_owned(), ..GameRow::default() };
    let line = |row: &GameRow, totals: String, right: String| {
        let c = &row.counts;
        let mut cells = vec![row.name.clone()];
        cells.extend(counts(c));
        cells.push(format!("{}, {}, {}", c.tiles.false_ones, c.figures.false_ones, c.scores.false_ones));
        cells.extend([row.doubts, row.answered, row.left_open].map(|n| n.to_string()));
        cells.extend([totals, right]);
        cells
    };
    for row in &report.games {
        all.counts.add(&row.counts);
        all.doubts += row.doubts;
        all.answered += row.answered;
        all.left_open += row.left_open;
        let join = |of: &[u32]| of.iter().map(u32::to_string).collect::<Vec<_>>().join(":");
        let totals = format!("{} for {}", join(&row.recorded), join(&row.totals));
        rows.push(line(row, totals, if row.untouched { "yes" } else { "no" }.to_owned()));
    }
    let right = report.games.iter().filter(|g| g.untouched).count();
    rows.push(line(&all, String::new(), format!("{right} of {}", report.games.len())));
    markdown(&rows)
}

fn by_hazard(report: &Report) -> anyhow::Result<()> {
    let mut rows = vec![head(&["turns with", "turns"], &[])];
    let line = |name: &str, c: &Counts| {
        let mut cells = vec![name.to_owned(), c.turns.to_string()];
        cells.extend(counts(c));
        cells
    };
    rows.push(line("nothing unusual", &report.undisturbed));
    for hazard in Hazard::ALL {
        if let Some(c) = report.by_hazard.get(&hazard) {
            rows.push(line(hazard.words(), c));
        }
    }
    markdown(&rows)
}

fn times(report: &Report) -> anyhow::Result<()> {
    let columns = [
        "game",
        "film s",
        "made s",
        "read s",
        "tile seen to recorded s (median, 95 %)",
        "changed frames",
        "ms (median, 95 %)",
        "CPU ms (median, 95 %)",
        "unchanged frames",
        "ms (median, 95 %)",
        "CPU ms (median, 95 %)",
    ];
    let mut rows = vec![columns.map(str::to_owned).to_vec()];
    for g in &report.games {
        let two = |a: f64, b: f64| format!("{a:.0}, {b:.0}");
        rows.push(vec![
            g.name.clone(),
            format!("{:.0}", g.seconds),
            format!("{:.0}", g.made_seconds),
            format!("{:.0}", g.read_seconds),
            format!("{:.1}, {:.1}", g.delay_median, g.delay_p95),
            g.changed.frames.to_string(),
            two(g.changed.wall_median, g.changed.wall_p95),
            two(g.changed.cpu_median, g.changed.cpu_p95),
            g.unchanged.frames.to_string(),
            two(g.unchanged.wall_median, g.unchanged.wall_p95),
            two(g.unchanged.cpu_median, g.unchanged.cpu_p95),
        ]);
    }
    markdown(&rows)
}

fn head(before: &[&str], after: &[&str]) -> Vec<String> {
    [before, &COUNTED, after].concat().into_iter().map(str::to_owned).collect()
}

/// Rows as a table, the first as its head.
fn markdown(rows: &[Vec<String>]) -> anyhow::Result<()> {
    for (i, row) in rows.iter().enumerate() {
        outln!("| {} |", row.join(" | "))?;
        if i == 0 {
            let rule: Vec<&str> = (0..row.len()).map(|c| if c == 0 { "---" } else { "---:" }).collect();
            outln!("|{}|", rule.join("|"))?;
        }
    }
    Ok(())
}
