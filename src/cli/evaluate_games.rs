//! `castellan evaluate --games`: films of whole games are watched, and what the live table
//! recorded is held against what was played, event by event.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::Context;
use image::RgbImage;
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::filmed::{self, FrameLine, SCANNED};
use super::games_report::{self, Counts, GameRow, Report, Times};
use super::out;
use super::out::talk;
use super::outcome::Outcome;
use crate::capture::{CaptureError, Frame, FrameSource};
use crate::picture::Limits;
use crate::record::{EventKind, Game, Log, Match, Source, align, align_scores};
use crate::rules::{Cell, Deck, FaceMap, Phase, Rotation, Score, Wall};
use crate::studio::{Entry, Film, Hazard, PrintedSet, Projector, Said, Script, scan, survey_picture};
use crate::table::{self, Patience, Question, Session, Status};
use crate::vision::faces;
use crate::vision::figures::Way;
use crate::vision::tiles::recogniser::OnnxMatcher;
use crate::vision::{Reader, ReaderSetup, SurveyedWall};
use crate::{files, library, picture};

/// What is recorded so long after it could be seen is right at once, seconds of the film: the
/// table's patience with a completed feature, and as long again for a hand in between.
const AT_ONCE: f64 = 6.0;
/// So long the players try to enter what no camera can see, seconds: the turn before may
/// not have ended yet.
const SAYS: f64 = 15.0;
/// So long a doubt is open before somebody answers it, seconds of the film.
const ANSWERS: f64 = 10.0;
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
}

/// A film that can be watched.
struct Showing {
    name: String,
    script: Script,
    truth: Game,
    wall: Option<Wall>,
    deck: Deck,
    reader: Reader,
    layouts: Vec<Option<FaceMap>>,
    colours: Vec<[u8; 3]>,
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
                let lines = frame_lines(&folder)?;
                let (row, by) = watch(showing, Shots::Folder(folder, lines), options)?;
                take(row, by);
            }
        }
        None => {
            let all = filmed::entries(None, None, None, true);
            let wanted = |n: usize| options.only.is_empty() || options.only.contains(&(n + 1));
            let chosen: Vec<&Entry> =
                all.iter().enumerate().filter(|(n, _)| wanted(*n)).map(|e| e.1).collect();
            anyhow::ensure!(!chosen.is_empty(), "the suite has no such game; it has 1 to {}", all.len());
            for entry in chosen {
                let film = filmed::film(entry, SIZE, options.short.then_some(SHORT))?;
                let showing = Showing::of(&film)?;
                let (row, by) = watch(showing, Shots::Projected(Box::new(film.projector())), options)?;
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

fn film_folders(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let is_film = |p: &Path| p.join("script.json").is_file();
    if is_film(dir) {
        return Ok(vec![dir.to_owned()]);
    }
    let entries =
        std::fs::read_dir(dir).with_context(|| format!("the folder cannot be read: {}", dir.display()))?;
    let mut folders: Vec<PathBuf> = entries.flatten().map(|e| e.path()).filter(|p| is_film(p)).collect();
    folders.sort();
    anyhow::ensure!(
        !folders.is_empty(),
        "no film is here; `castellan render --games 1 --unseen --out DIR` makes one: {}",
        dir.display()
    );
    Ok(folders)
}

/// The longest script, and the longest list of frames, bytes.
const MOST_TEXT: u64 = 16 << 20;

fn frame_lines(folder: &Path) -> anyhow::Result<Vec<FrameLine>> {
    let path = folder.join("frames.jsonl");
    let text =
        files::read_text(&path, MOST_TEXT).with_context(|| format!("cannot be read: {}", path.display()))?;
    text.lines()
        .map(|line| {
            let line: FrameLine = serde_json::from_str(line)
                .with_context(|| format!("not as `castellan render` writes it: {}", path.display()))?;
            let plain = Path::new(&line.frame).components().count() == 1 && !line.frame.starts_with('.');
            anyhow::ensure!(plain, "a frame must lie in the folder itself: {}", path.display());
            Ok(line)
        })
        .collect()
}

impl Showing {
    /// A film that is made while it is watched: its deck scanned and its wall surveyed as an
    /// owner would.
    fn of(film: &Film) -> anyhow::Result<Showing> {
        let mut rng = Pcg64Mcg::seed_from_u64(film.script.entry.seed ^ SCANNED);
        let (references, wall) = instruments(&film.set, &mut rng);
        Ok(Showing {
            name: film.script.entry.name.clone(),
            script: film.script.clone(),
            truth: film.truth.clone(),
            wall: film.wall.clone(),
            deck: film.deck.clone(),
            layouts: faces::layouts(&film.deck, &references)?,
            reader: reader(&film.deck, references, wall, film.colours.clone())?,
            colours: film.colours.clone(),
        })
    }

    /// A film that was written to a folder.
    fn read(folder: &Path) -> anyhow::Result<Showing> {
        let path = folder.join("script.json");
        let text = files::read_text(&path, MOST_TEXT)
            .with_context(|| format!("cannot be read: {}", path.display()))?;
        let script: Script = serde_json::from_str(&text)
            .with_context(|| format!("not as `castellan render` writes it: {}", path.display()))?;
        let deck = library::deck(&folder.join("deck.toml").to_string_lossy())?.deck;
        let open = |id: &str| {
            let path = folder.join(format!("references/{id}.png"));
            picture::open(&path, &Limits::TILE).map_err(|e| anyhow::anyhow!("{e}: {}", path.display()))
        };
        let references: Vec<(String, RgbImage)> =
            deck.tiles.iter().map(|t| Ok((t.id.clone(), open(&t.id)?))).collect::<anyhow::Result<_>>()?;
        let file = folder.join("wall.toml");
        let wall = file.is_file().then(|| library::wall(&file.to_string_lossy())).transpose()?;
        let surveyed =
            wall.as_ref().map(|wall| table::surveyed(&file.to_string_lossy(), wall)).transpose()?;
        let truth = Log::open(&folder.join("game.jsonl"))?.replay(wall.as_ref(), &deck)?;
        let colours: Vec<[u8; 3]> = script.entry.colours.iter().map(|word| table::colour(word)).collect();
        Ok(Showing {
            name: folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned(),
            layouts: faces::layouts(&deck, &references)?,
            reader: reader(&deck, references, surveyed, colours.clone())?,
            script,
            truth,
            wall,
            deck,
            colours,
        })
    }
}

/// The scans and the survey in the order in which `render` draws their seeds.
fn instruments(set: &PrintedSet, rng: &mut Pcg64Mcg) -> (Vec<(String, RgbImage)>, Option<SurveyedWall>) {
    let references = set.pictures.iter().map(|(id, p)| (id.clone(), scan(p, rng.random()))).collect();
    let wall = set.wall.as_ref().map(|standing| {
        let survey = survey_picture(standing, rng.random());
        SurveyedWall {
            wall: survey.wall,
            picture: survey.picture,
            px_per_tile: survey.px_per_tile,
            origin_px: survey.origin_px,
        }
    });
    (references, wall)
}

fn reader(
    deck: &Deck,
    references: Vec<(String, RgbImage)>,
    wall: Option<SurveyedWall>,
    colours: Vec<[u8; 3]>,
) -> anyhow::Result<Reader> {
    let matcher = OnnxMatcher::built_in()?;
    let setup = ReaderSetup { deck: deck.clone(), references, wall, colours, matcher: &matcher };
    let mut reader = Reader::new(setup)?;
    reader.expect_film();
    Ok(reader)
}

/// Where the frames of a film come from.
enum Shots<'a> {
    Projected(Box<Projector<'a>>),
    Folder(PathBuf, Vec<FrameLine>),
}

/// When a frame was handed out.
#[derive(Clone, Copy)]
struct Handed {
    changed: bool,
    at: Instant,
    cpu: Option<u64>,
}

/// The frames of a film as a source: time is the film's.
struct Playing<'a> {
    shots: Shots<'a>,
    rate: f64,
    frames: usize,
    next: usize,
    lag: f64,
    handed: Arc<Mutex<Option<Handed>>>,
    made: Arc<Mutex<f64>>,
}

impl FrameSource for Playing<'_> {
    fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
        if self.next >= self.frames {
            return Ok(None);
        }
        let begun = Instant::now();
        let (image, t, changed) = match &mut self.shots {
            Shots::Projected(projector) => {
                let frame = projector.frame(self.next);
                (frame.picture, frame.t, frame.changed)
            }
            Shots::Folder(folder, lines) => {
                let line = &lines[self.next];
                let path = folder.join(&line.frame);
                let image = picture::open(&path, &Limits::PHOTO)
                    .map_err(|e| CaptureError::Picture(e, path.clone()))?;
                (image, line.t, line.changed)
            }
        };
        *held(&self.made) += begun.elapsed().as_secs_f64();
        let skipped = (self.lag * self.rate).floor() as usize;
        self.next += skipped.max(1);
        *held(&self.handed) = Some(Handed { changed, at: Instant::now(), cpu: cpu_ns() });
        Ok(Some(Frame { image, t, name: String::new() }))
    }

    fn is_live(&self) -> bool {
        false
    }
}

fn held<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the table knew at a time.
struct Known {
    t: f64,
    facts: Vec<EventKind>,
    scores: Vec<Score>,
    /// What is asked: the cell, `None` where the question is of no cell.
    doubts: Vec<Option<Cell>>,
}

impl Known {
    fn of(session: &Session, t: f64) -> Known {
        let game = session.game();
        let mut doubts: Vec<Option<Cell>> = session.doubts().into_iter().map(|d| d.cell).collect();
        if matches!(session.status(), Status::OutOfStep(_) | Status::TilesGone(_) | Status::NoBoard(_)) {
            doubts.push(None);
        }
        Known {
            t,
            facts: game.facts().into_iter().map(|(_, kind)| kind).collect(),
            scores: game.scores().iter().map(|s| s.score.clone()).collect(),
            doubts,
        }
    }

    /// Whether something is asked that may be about some cells.
    fn doubts_of(&self, cells: &[Cell]) -> bool {
        self.doubts.iter().any(|d| d.is_none_or(|cell| cells.contains(&cell)))
    }
}

/// What was counted in turns with the same hazards.
type UnderHazards = (Vec<Hazard>, Counts);

/// Watches a film, and judges.
fn watch(
    showing: Showing,
    shots: Shots<'_>,
    options: &Options,
) -> anyhow::Result<(GameRow, Vec<UnderHazards>)> {
    let Showing { name, script, truth, wall, deck, mut reader, layouts, colours } = showing;
    if let Some(way) = &options.figures {
        reader.find_figures(way.clone());
    }
    let session = Session::new(truth.header().clone(), wall.as_ref(), deck.clone())?
        .with_patience(Patience::live())
        .with_colours(&colours)
        .with_layouts(layouts);
    let session = Mutex::new(session);
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
    let mut known: Vec<Known> = Vec::new();
    let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
    let mut said: Vec<Said> = script.said.clone();
    let (mut not_taken, mut answered) = (0, 0);
    let mut asked = BTreeMap::new();
    let mut seen = (usize::MAX, Vec::new());
    let (mut number, begun) = (0, Instant::now());
    let step = (options.lag * script.rate).floor().max(1.0) / script.rate;
    let ran = table::run(&mut source, &mut reader, &session, None, &AtomicBool::new(false), |_| {
        if let Some(handed) = held(&handed).take() {
            let wall_ms = handed.at.elapsed().as_secs_f64() * 1e3;
            let cpu_ms =
                cpu_ns().zip(handed.cpu).map_or(0.0, |(now, then)| now.saturating_sub(then) as f64 / 1e6);
            if handed.changed { &mut changed } else { &mut unchanged }.push((wall_ms, cpu_ms));
        }
        let t = f64::from(number) * step;
        number += 1;
        let mut session = held(&session);
        said.retain(|what| {
            if what.t > t {
                return true;
            }
            let entered = session.apply_by_hand(what.fact.clone()).is_ok();
            let late = t > what.t + SAYS;
            not_taken += u32::from(!entered && late);
            !entered && !late
        });
        if options.answers {
            answered += u32::from(answer(&mut session, &truth, &deck, t, &mut asked));
        }
        let now = Known::of(&session, t);
        let events = session.game().events().len();
        if seen != (events, now.doubts.clone()) {
            seen = (events, now.doubts.clone());
            known.push(now);
        }
    });
    let read_seconds = begun.elapsed().as_secs_f64() - *held(&made);
    drop(source);
    let mut session = session.into_inner().unwrap_or_else(PoisonError::into_inner);
    session.finish();
    known.push(Known::of(&session, f64::MAX));
    let game = session.game();
    if let Some(folder) = &options.records {
        fs::create_dir_all(folder)?;
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
        name,
        hazards: script.entry.hazards.clone(),
        doubts: game.events().iter().filter(|e| matches!(e.kind, EventKind::Doubt { .. })).count() as u32,
        left_open: session.doubts().len() as u32,
        totals: totals(&truth, over(&truth)),
        recorded: totals(game, over(game)),
        not_taken,
        answered,
        changed: times(changed),
        unchanged: times(unchanged),
        seconds: script.seconds,
        read_seconds,
        made_seconds: *held(&made),
        broke_off: ran.err().map(|e| e.to_string()),
        ..GameRow::default()
    };
    row.untouched = row.totals == row.recorded && over(&truth) == over(game);
    let mut judge =
        Judge { script: &script, truth: &truth, deck: &deck, known: &known, options, delays: Vec::new() };
    let by = judge.turns(&mut row);
    row.delay_median = quantile(&mut judge.delays, 0.5);
    row.delay_p95 = quantile(&mut judge.delays, 0.95);
    Ok((row, by))
}

/// Answers one doubt that has been open for long enough, by the choice with which the record is
/// likest to what was played; whether there was one. `asked` keeps since when each is open.
fn answer(
    session: &mut Session,
    truth: &Game,
    deck: &Deck,
    t: f64,
    asked: &mut BTreeMap<String, f64>,
) -> bool {
    let about_table =
        |q: &Question| q.answers.len() > 1 && session.doubts().iter().any(|d| d.sentence == q.sentence);
    let open: Vec<Question> = session.questions().into_iter().filter(about_table).collect();
    asked.retain(|sentence, _| open.iter().any(|q| q.sentence == *sentence));
    for question in open {
        if t - *asked.entry(question.sentence.clone()).or_insert(t) < ANSWERS {
            continue;
        }
        let played: Vec<EventKind> = truth.facts().into_iter().map(|(_, kind)| kind).collect();
        let likeness = |kinds: &[EventKind]| {
            let mut game = session.game().clone();
            for kind in kinds {
                game.apply_anyway(kind.clone(), Source::Hand, 1.0, t).ok()?;
            }
            let facts: Vec<EventKind> = game.facts().into_iter().map(|(_, kind)| kind).collect();
            let found = align(&played, &facts, |a, b| shows_same(deck, a, b));
            let right = found.played.iter().flatten().filter(|m| m.0 == Match::Right).count();
            let wrong = found.false_tiles.len() + found.false_followers.len();
            let scores = align_scores(
                &truth.scores().iter().map(|s| s.score.clone()).collect::<Vec<_>>(),
                &game.scores().iter().map(|s| s.score.clone()).collect::<Vec<_>>(),
            );
            let scored = scores.0.iter().filter(|m| **m == Match::Right).count();
            Some(2 * (right as i64 - wrong as i64) + scored as i64 - scores.1.len() as i64)
        };
        let worth: Vec<Option<i64>> = question.answers.iter().map(|a| likeness(&a.kinds)).collect();
        // Of equal ones, the record as it is.
        let best = (0..worth.len()).rev().max_by_key(|i| worth[*i]).unwrap_or(0);
        let key = question.answers[best].key;
        asked.remove(&question.sentence);
        return session.answer(&question, key).is_ok();
    }
    false
}

/// Holds what the table knew against what was played.
struct Judge<'a> {
    script: &'a Script,
    truth: &'a Game,
    deck: &'a Deck,
    known: &'a [Known],
    options: &'a Options,
    delays: Vec<f64>,
}

impl Judge<'_> {
    /// Fills the row's counts and gives those of each turn with its hazards.
    fn turns(&mut self, row: &mut GameRow) -> Vec<UnderHazards> {
        let played: Vec<EventKind> = self.truth.facts().into_iter().map(|(_, kind)| kind).collect();
        let Some(last) = self.known.last() else { return Vec::new() };
        let alike = |a: (&str, Rotation), b: (&str, Rotation)| shows_same(self.deck, a, b);
        let end = align(&played, &last.facts, alike);
        let at_end = |i: usize| end.played[i].is_some_and(|m| m.0 == Match::Right);
        let mut by: Vec<UnderHazards> = self
            .script
            .turns
            .iter()
            .map(|t| (t.hazards.clone(), Counts { turns: 1, ..Counts::default() }))
            .collect();
        let mut turn = 0;
        for (i, fact) in played.iter().enumerate() {
            let Some((times, (_, counts))) = self.script.turns.get(turn).zip(by.get_mut(turn)) else { break };
            let (t, cell, events) = match fact {
                EventKind::TurnEnded { .. } => {
                    turn += 1;
                    continue;
                }
                EventKind::TilePlaced { cell, .. } => (times.tile, *cell, &mut counts.tiles),
                EventKind::FollowerPlaced { cell, .. } => (times.follower, *cell, &mut counts.figures),
                _ => continue,
            };
            let seen_at = t.unwrap_or(times.over);
            let known = self.at(seen_at + AT_ONCE);
            let right = known.is_some_and(|k| {
                align(&played, &k.facts, alike).played[i].is_some_and(|m| m.0 == Match::Right)
            });
            let doubted = known.is_some_and(|k| k.doubts_of(&[cell]));
            events.take(right, doubted, at_end(i));
            if self.options.details && !right {
                let what = self.truth.wording().sentence(fact);
                talk!(
                    "{}, turn {}: not at once: {what}{}",
                    row.name,
                    turn + 1,
                    if doubted { " (doubted)" } else { "" }
                );
            }
            if matches!(fact, EventKind::TilePlaced { .. }) {
                let first = self
                    .known
                    .iter()
                    .find(|k| k.facts.iter().any(|f| same_tile(f, fact, &alike)))
                    .filter(|k| k.t < f64::MAX);
                self.delays.extend(first.map(|k| (k.t - seen_at).max(0.0)));
            }
        }
        self.scores(row, &mut by);
        for (_, counts) in &by {
            row.counts.add(counts);
        }
        row.counts.tiles.false_ones = end.false_tiles.len() as u32;
        row.counts.figures.false_ones = end.false_followers.len() as u32;
        by
    }

    /// Scores of the turns; the final scoring follows from the facts and is in the totals.
    fn scores(&self, row: &mut GameRow, by: &mut [(Vec<Hazard>, Counts)]) {
        let played: Vec<Score> = self.truth.scores().iter().map(|s| s.score.clone()).collect();
        let Some(last) = self.known.last() else { return };
        let (end, false_ones) = align_scores(&played, &last.scores);
        row.counts.scores.false_ones = false_ones.len() as u32;
        for (i, score) in self.truth.scores().iter().enumerate() {
            let turn = (score.turn as usize).saturating_sub(1);
            let Some((times, (_, counts))) = self.script.turns.get(turn).zip(by.get_mut(turn)) else {
                continue;
            };
            let known = self.at((times.over + AT_ONCE).min(self.script.packed_up));
            let right = known.is_some_and(|k| align_scores(&played, &k.scores).0[i] == Match::Right);
            let doubted = known.is_some_and(|k| k.doubts_of(&score.score.cells));
            counts.scores.take(right, doubted, end[i] == Match::Right);
            if self.options.details && !right {
                talk!(
                    "{}, turn {}: not at once: {}{}",
                    row.name,
                    score.turn,
                    score.score.sentence,
                    if doubted { " (doubted)" } else { "" }
                );
            }
        }
    }

    /// What the table knew at a time.
    fn at(&self, t: f64) -> Option<&Known> {
        self.known.iter().rev().find(|k| k.t <= t)
    }
}

fn same_tile(
    recorded: &EventKind,
    played: &EventKind,
    alike: &impl Fn((&str, Rotation), (&str, Rotation)) -> bool,
) -> bool {
    match (recorded, played) {
        (
            EventKind::TilePlaced { tile: a, cell: at, rotation: r, .. },
            EventKind::TilePlaced { tile: b, cell, rotation, .. },
        ) => at == cell && alike((a, *r), (b, *rotation)),
        _ => false,
    }
}

/// Whether two tiles, turned, show the same to the rules.
pub(super) fn shows_same(deck: &Deck, a: (&str, Rotation), b: (&str, Rotation)) -> bool {
    let face = |(id, turn): (&str, Rotation)| {
        let tile = deck.tiles.iter().find(|t| t.id == id)?;
        Some(tile.face.as_ref()?.turned(turn).ordered())
    };
    a == b || face(a).is_some_and(|a| Some(a) == face(b))
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

/// 0 of nothing.
fn quantile(of: &mut [f64], share: f64) -> f64 {
    of.sort_by(f64::total_cmp);
    let last = of.len().saturating_sub(1);
    of.get((last as f64 * share).round() as usize).copied().unwrap_or(0.0)
}

/// Processor time that all threads of this process have had, nanoseconds, where the system
/// tells it.
fn cpu_ns() -> Option<u64> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    let of = |thread: std::fs::DirEntry| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    };
    Some(threads.flatten().filter_map(of).sum())
}
