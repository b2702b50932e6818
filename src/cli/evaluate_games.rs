//! `castellan evaluate --games`: films of whole games are watched, and what the live table
//! recorded is held against what was played, event by event.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context;

use super::filmed;
use super::games_judge::{Judge, Known, UnderHazards, quantile};
use super::games_players::Players;
use super::games_report::{self, GameRow, Report, Times};
use super::games_showing::{
    Playing, READINGS, ReadingLine, Shots, Showing, cpu_ns, film_folders, frame_lines, held, readings,
};
use super::out;
use super::out::talk;
use super::outcome::Outcome;
use super::written::make_folder;
use crate::record::{EventKind, Game};
use crate::rules::{Cell, Phase, sentence};
use crate::studio::{Entry, Games, Hazard};
use crate::table::{self, Patience, Session};
use crate::vision::figures::Way;

/// How many turns a short film has.
const SHORT: usize = 12;
/// The size of the films that are made on the fly.
const SIZE: (u32, u32) = (1280, 720);

/// What is evaluated, and how.
#[derive(Clone)]
pub(super) struct Options {
    /// A film that `render --games` wrote, or a folder of such; the suite itself without.
    pub dir: Option<PathBuf>,
    /// The games by their number in the suite, from 1; all without.
    pub only: Vec<usize>,
    /// The seed of another suite of the same kind.
    pub seed: Option<u64>,
    /// Only the first turns of each.
    pub short: bool,
    /// Seconds that the reading of a frame takes: those that come meanwhile are left out.
    pub lag: f64,
    /// How figures are found; without it, as the program does.
    pub figures: Option<Way>,
    pub json: bool,
    /// What was not right, on stderr.
    pub details: bool,
    /// Whether doubts are answered as it was played.
    pub answers: bool,
    /// The folder for the records that were kept.
    pub records: Option<PathBuf>,
    /// The folder for what was read in each frame.
    pub readings: Option<PathBuf>,
}

/// Watches the games and prints the tables.
pub(super) fn run(options: &Options) -> anyhow::Result<Outcome> {
    let mut report = Report { lag: options.lag, short: options.short, ..Report::default() };
    let mut take = |row: GameRow, by: Vec<UnderHazards>| {
        talk!("{}", games_report::told(&row));
        for (hazards, counts) in by {
            // What lasts through all of a game leaves its turns as they are.
            if hazards.iter().all(|h| *h == Hazard::Drift) {
                report.undisturbed.add(&counts);
            }
            hazards.iter().for_each(|h| report.by_hazard.entry(*h).or_default().add(&counts));
        }
        report.games.push(row);
    };
    match &options.dir {
        Some(dir) => {
            for folder in film_folders(dir)? {
                let showing = Showing::read(&folder)?;
                let (row, by) = match readings(&folder)? {
                    Some(lines) => listen(&showing, &lines, options)?,
                    None => {
                        let lines = frame_lines(&folder)?;
                        let keeps = options.readings.as_ref().map(|out| out.join(&showing.name));
                        if let Some(keeps) = &keeps {
                            filmed::copy_script(&folder, keeps)?;
                        }
                        watch(showing, Shots::Folder(folder, lines), options, keeps.as_deref())?
                    }
                };
                take(row, by);
            }
        }
        None => {
            let all = filmed::entries(Games::SUITE, options.seed, true);
            let wanted = |n: usize| options.only.is_empty() || options.only.contains(&(n + 1));
            let chosen: Vec<&Entry> =
                all.iter().enumerate().filter(|(n, _)| wanted(*n)).map(|e| e.1).collect();
            anyhow::ensure!(!chosen.is_empty(), "the suite has no such game; it has 1 to {}", all.len());
            for entry in chosen {
                let film = filmed::film(entry, SIZE, options.short.then_some(SHORT))?;
                let showing = Showing::of(&film)?;
                let keeps = options.readings.as_ref().map(|out| out.join(&entry.name));
                if let Some(keeps) = &keeps {
                    filmed::write_script(&film, keeps)?;
                }
                let shots = Shots::Projected(Box::new(film.projector()));
                let (row, by) = watch(showing, shots, options, keeps.as_deref())?;
                take(row, by);
            }
        }
    }
    if options.json {
        out::json(&report)?;
    } else {
        games_report::print(&report)?;
    }
    Ok(Outcome::Done)
}

/// What a live table kept of a film while it was watched.
#[derive(Default)]
struct Watched {
    known: Vec<Known>,
    /// By how many events, and what was asked, it was kept last.
    last: Option<(usize, Vec<Option<Cell>>)>,
}

impl Watched {
    fn keep(&mut self, session: &Session, t: f64) {
        let now = Known::of(session, t);
        let last = Some((session.game().events().len(), now.doubts.clone()));
        if self.last != last {
            self.last = last;
            self.known.push(now);
        }
    }
}

fn session_for(showing: &Showing) -> anyhow::Result<Session> {
    Ok(Session::new(showing.truth.header().clone(), showing.wall.as_ref(), showing.deck.clone())?
        .with_patience(Patience::live())
        .with_colours(showing.players_colours())
        .with_layouts(showing.layouts.clone()))
}

/// Watches a film, and judges; what is read in its frames is kept in the folder `keeps`.
fn watch(
    mut showing: Showing,
    shots: Shots<'_>,
    options: &Options,
    keeps: Option<&Path>,
) -> anyhow::Result<(GameRow, Vec<UnderHazards>)> {
    let mut reader = showing.reader()?;
    if let Some(way) = &options.figures {
        reader.find_figures(way.clone());
    }
    let session = Mutex::new(session_for(&showing)?);
    let script = &showing.script;
    let (handed, made) = (Arc::default(), Arc::new(Mutex::new(0.0)));
    let frames = match &shots {
        Shots::Projected(_) => script.frames(),
        Shots::Folder(_, lines) => lines.len(),
    };
    let mut source = Playing {
        shots,
        rate: script.rate,
        frames,
        next: 0,
        lag: options.lag,
        handed: Arc::clone(&handed),
        made: Arc::clone(&made),
    };
    let mut kept = match keeps {
        Some(folder) => {
            let path = folder.join(READINGS);
            let file =
                fs::File::create(&path).with_context(|| format!("cannot be written: {}", path.display()))?;
            Some(std::io::BufWriter::new(file))
        }
        None => None,
    };
    let mut not_kept: Option<std::io::Error> = None;
    let mut watched = Watched::default();
    let mut players = Players::new(&showing.truth, &showing.deck, &script.said, options.answers);
    let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
    let (mut number, begun) = (0, Instant::now());
    let step = (options.lag * script.rate).floor().max(1.0) / script.rate;
    let ran = table::run(&mut source, &mut reader, &session, None, &AtomicBool::new(false), |update| {
        if let Some(handed) = held(&handed).take() {
            let wall_ms = handed.at.elapsed().as_secs_f64() * 1e3;
            let cpu_ms =
                cpu_ns().zip(handed.cpu).map_or(0.0, |(now, then)| now.saturating_sub(then) as f64 / 1e6);
            if handed.changed { &mut changed } else { &mut unchanged }.push((wall_ms, cpu_ms));
        }
        let t = f64::from(number) * step;
        number += 1;
        if let Some(kept) = &mut kept {
            let line = ReadingLine { t, seen: update.seen };
            let text = serde_json::to_string(&line).unwrap_or_default();
            not_kept = writeln!(kept, "{text}").err().or(not_kept.take());
        }
        let mut session = held(&session);
        players.act(&mut session, t);
        watched.keep(&session, t);
    });
    if let Some(error) = not_kept.or(kept.and_then(|mut kept| kept.flush().err())) {
        return Err(error).context("what was read cannot be kept");
    }
    let made_seconds = *held(&made);
    let row = GameRow {
        not_taken: players.not_taken,
        answered: players.answered,
        changed: times(changed),
        unchanged: times(unchanged),
        read_seconds: begun.elapsed().as_secs_f64() - made_seconds,
        made_seconds,
        broke_off: ran.err().map(|e| e.to_string()),
        ..GameRow::default()
    };
    let session = session.into_inner().unwrap_or_else(PoisonError::into_inner);
    judge(&showing, session, watched, row, options)
}

/// Takes what was read in a film's frames before, and judges: the tracker alone. What a reader
/// does with what the record has (`Reader::expect_laid`) stays as it was then.
fn listen(
    showing: &Showing,
    lines: &[ReadingLine],
    options: &Options,
) -> anyhow::Result<(GameRow, Vec<UnderHazards>)> {
    let mut session = session_for(showing)?;
    let mut watched = Watched::default();
    let mut players = Players::new(&showing.truth, &showing.deck, &showing.script.said, options.answers);
    let begun = Instant::now();
    for line in lines {
        match &line.seen {
            Some(seen) => drop(session.observe(seen, line.t)),
            None => session.lost_sight(sentence!("the board is not in sight; show it to the camera")),
        }
        players.act(&mut session, line.t);
        watched.keep(&session, line.t);
    }
    let row = GameRow {
        not_taken: players.not_taken,
        answered: players.answered,
        read_seconds: begun.elapsed().as_secs_f64(),
        ..GameRow::default()
    };
    judge(showing, session, watched, row, options)
}

/// Fills a game's row by what the table knew and when.
fn judge(
    showing: &Showing,
    mut session: Session,
    mut watched: Watched,
    row: GameRow,
    options: &Options,
) -> anyhow::Result<(GameRow, Vec<UnderHazards>)> {
    session.finish();
    watched.known.push(Known::of(&session, f64::MAX));
    let (game, truth, name) = (session.game(), &showing.truth, &showing.name);
    if let Some(folder) = &options.records {
        make_folder(folder)?;
        fs::write(folder.join(format!("{name}.jsonl")), game.to_log())?;
    }
    for event in game.events().iter().filter(|_| options.details) {
        if let EventKind::Doubt { sentence, .. } = &event.kind {
            talk!("{name}, {:.0} s: asked: {sentence}", event.t);
        }
    }
    let over = |game: &Game| game.position().phase() == Phase::Over;
    let totals = |game: &Game, finals: bool| -> Vec<u32> {
        if finals {
            game.position().final_totals()
        } else {
            game.players().map(|p| game.position().total(p)).collect()
        }
    };
    let mut row = GameRow {
        name: name.clone(),
        hazards: showing.script.entry.hazards.clone(),
        doubts: game.events().iter().filter(|e| matches!(e.kind, EventKind::Doubt { .. })).count() as u32,
        left_open: session.doubts().len() as u32,
        totals: totals(truth, over(truth)),
        recorded: totals(game, over(game)),
        seconds: showing.script.seconds,
        ..row
    };
    row.untouched = row.totals == row.recorded && over(truth) == over(game);
    let mut judge = Judge {
        script: &showing.script,
        truth,
        deck: &showing.deck,
        known: &watched.known,
        details: options.details,
        delays: Vec::new(),
    };
    let by = judge.turns(&mut row);
    row.delay_median = quantile(&mut judge.delays, 0.5);
    row.delay_p95 = quantile(&mut judge.delays, 0.95);
    Ok((row, by))
}

/// Times of frames: of the wall clock and of all cores, milliseconds.
fn times(of: Vec<(f64, f64)>) -> Times {
    let (mut wall, mut cpu): (Vec<f64>, Vec<f64>) = of.into_iter().unzip();
    Times {
        frames: wall.len(),
        wall_median: quantile(&mut wall, 0.5),
        wall_p95: quantile(&mut wall, 0.95),
        cpu_median: quantile(&mut cpu, 0.5),
        cpu_p95: quantile(&mut cpu, 0.95),
    }
}
