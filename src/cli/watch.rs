use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use clap::Args;

use super::Outcome;
use crate::capture::{self, FrameSource, Pace};
use crate::record::{Event, EventKind, Game, Log, LogWriter};
use crate::rules::{Player, Score};
use crate::table::{self, GameFile, Instruments, Patience, Session, Status};

/// Keeps score without a window: prints what happens, as it is decided.
///
/// A folder that is watched may hold a `game.toml` with players, colours, rgb,
/// starts, deck, wall and wall_tiles; what is said here goes before it.
#[derive(Debug, Args)]
pub struct Watch {
    /// `camera:0`, a video file, a folder of stills, or an http or rtsp address.
    source: String,
    /// The deck: `house`, an enrolled deck's name, or a path.
    #[arg(long)]
    deck: Option<String>,
    /// The wall: `house`, a surveyed wall's name, or a path.
    #[arg(long)]
    wall: Option<String>,
    /// The two players' names.
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    players: Vec<String>,
    /// Their colours, in the same order.
    #[arg(long, value_delimiter = ',', value_name = "C,D")]
    colours: Vec<String>,
    /// Who starts.
    #[arg(long, value_name = "A")]
    starts: Option<String>,
    /// Players, colours and wall tiles from a file.
    #[arg(long, value_name = "FILE.toml")]
    game: Option<PathBuf>,
    /// Write the record of the game here, event by event; a record that is there
    /// is gone on with.
    #[arg(long, value_name = "OUT.jsonl")]
    record: Option<PathBuf>,
    /// Print each event as a line of JSON.
    #[arg(long)]
    json: bool,
    /// Read with this model, not the built-in one.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// How long each still of a folder lasts.
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = seconds)]
    seconds_per_still: f64,
    /// The source shows the whole game: score it at the end even when tiles are
    /// left.
    #[arg(long)]
    whole_game: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s.is_finite() && s > 0.0 => Ok(s),
        _ => Err("give a number of seconds above 0".to_owned()),
    }
}

impl Watch {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let pace = Pace { seconds_per_still: self.seconds_per_still, ..Pace::default() };
        let file = self.game_file()?;
        let header = file.header()?;
        let colours = file.figure_colours(&header)?;
        let wall_name = header.wall.clone().unwrap_or_default();
        // The cheap checks come first: deck and wall before the source, the
        // source before the model.
        table::castle_deck(&header.deck)?;
        table::castle_wall(&wall_name)?;
        let mut source = capture::open(&self.source, pace)?;
        let Instruments { deck, wall, mut reader } =
            table::instruments(&header.deck, &wall_name, colours.clone(), self.model.as_deref())?;
        let (game, log) = match &self.record {
            Some(path) if path.exists() => {
                let log = Log::open(path)?;
                if let Some(torn) = &log.torn {
                    eprintln!("{}: {torn}", path.display());
                }
                let mut writer = LogWriter::resume(path, &log)?;
                let written = log.events.len();
                let game = log.replay(&wall, &deck.deck)?;
                for event in game.events().iter().skip(written) {
                    writer.append(event)?;
                }
                eprintln!("{}: going on after {} events", path.display(), game.events().len());
                (game, Some(writer))
            }
            Some(path) => {
                let game = Game::new(header, &wall, &deck.deck)?;
                (game, Some(LogWriter::create(path, &file.header()?)?))
            }
            None => (Game::new(header, &wall, &deck.deck)?, None),
        };
        let patience =
            if is_stills(&self.source) { Patience::stills(self.seconds_per_still) } else { Patience::live() };
        let session =
            Mutex::new(Session::resume(game, deck.deck).with_patience(patience).with_colours(&colours));
        let result = self.watch(&mut *source, &mut reader, &session, log);
        let session = session.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        result?;
        Ok(if session.doubts().is_empty() { Outcome::Done } else { Outcome::Findings })
    }

    fn watch(
        &self,
        source: &mut dyn FrameSource,
        reader: &mut crate::vision::Reader,
        session: &Mutex<Session>,
        log: Option<LogWriter>,
    ) -> anyhow::Result<()> {
        let names = {
            let session = session.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            [Player(0), Player(1)].map(|p| session.game().names().of(p).to_owned())
        };
        let mut sink = Sink { json: self.json, log, teller: Teller::new(names), failed: None };
        let stop = AtomicBool::new(false);
        let mut status = Status::Playing;
        let mut trouble = None;
        let ran = table::run(source, reader, session, &stop, |update| {
            sink.take(&update.events);
            if sink.failed.is_some() {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            if update.trouble.is_some() && update.trouble != trouble {
                eprintln!("{}", update.trouble.as_deref().unwrap_or_default());
            }
            trouble = update.trouble;
            if update.view.status != status {
                if let Status::NoWall(sentence) | Status::OutOfStep(sentence) = &update.view.status {
                    eprintln!("{sentence}");
                }
                status = update.view.status;
            }
        });
        if let Some(error) = sink.failed {
            return Err(error);
        }
        let mut session = session.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        // A source that broke off is not the end of a game.
        ran?;
        let mut last = session.finish();
        if self.whole_game && session.status() != Status::Finished {
            last.extend(session.apply_by_hand(EventKind::PlayStopped)?);
        }
        sink.take(&last);
        if let Some(error) = sink.failed {
            return Err(error);
        }
        if !self.json {
            for doubt in session.doubts() {
                eprintln!("open: {}", doubt.sentence);
            }
            if session.status() != Status::Finished {
                let left = session.game().position().tiles_left();
                eprintln!("the source has ended with {left} tiles left; --whole-game scores the end");
            }
        }
        Ok(())
    }

    /// What is said on the command line, before what the game file says.
    fn game_file(&self) -> anyhow::Result<GameFile> {
        let beside = Path::new(&self.source).join("game.toml");
        let mut file = match &self.game {
            Some(path) => GameFile::read(path)?,
            None if beside.is_file() => GameFile::read(&beside)?,
            None => GameFile::default(),
        };
        let folder = self.game.as_deref().and_then(Path::parent).unwrap_or(Path::new(&self.source));
        for name in [&mut file.deck, &mut file.wall].into_iter().flatten() {
            let local = folder.join(&*name);
            if name.ends_with(".toml") && local.is_file() {
                *name = local.to_string_lossy().into_owned();
            }
        }
        if !self.players.is_empty() {
            file.players.clone_from(&self.players);
        }
        if !self.colours.is_empty() {
            file.colours.clone_from(&self.colours);
            file.rgb.clear();
        }
        file.starts = self.starts.clone().or(file.starts);
        file.deck = self.deck.clone().or(file.deck);
        file.wall = self.wall.clone().or(file.wall);
        Ok(file)
    }
}

fn is_stills(source: &str) -> bool {
    let path = Path::new(source);
    path.is_dir() || ["jpg", "jpeg", "png"].iter().any(|e| path.extension().is_some_and(|p| p == *e))
}

/// Where events go: stdout, and the record on the disk.
struct Sink {
    json: bool,
    log: Option<LogWriter>,
    teller: Teller,
    failed: Option<anyhow::Error>,
}

impl Sink {
    fn take(&mut self, events: &[Event]) {
        for event in events {
            if self.failed.is_none()
                && let Err(error) = self.one(event)
            {
                self.failed = Some(error);
            }
        }
    }

    fn one(&mut self, event: &Event) -> anyhow::Result<()> {
        if let Some(log) = &mut self.log {
            log.append(event)?;
        }
        let lines = if self.json { vec![serde_json::to_string(event)?] } else { self.teller.tell(event) };
        let mut out = std::io::stdout().lock();
        for line in lines {
            writeln!(out, "{line}").context("the output cannot be written")?;
        }
        out.flush().context("the output cannot be written")
    }
}

/// Says events as a player would.
struct Teller {
    names: [String; 2],
    totals: [u32; 2],
    turn: u32,
    /// A score whose marker has not moved yet.
    scored: Option<(Score, u32)>,
}

impl Teller {
    fn new(names: [String; 2]) -> Teller {
        Teller { names, totals: [0; 2], turn: 1, scored: None }
    }

    fn name(&self, player: Player) -> &str {
        self.names.get(player.index()).map_or("nobody", String::as_str)
    }

    fn score(&self) -> String {
        format!("{} {} : {} {}", self.names[0], self.totals[0], self.names[1], self.totals[1])
    }

    fn line(&self, what: &str) -> String {
        format!("turn {:<3} {what}", self.turn)
    }

    fn tell(&mut self, event: &Event) -> Vec<String> {
        match &event.kind {
            EventKind::TilePlaced { player, tile, cell, .. } => {
                let what =
                    format!("{} lays {tile} in column {}, row {}", self.name(*player), cell.col, cell.row);
                vec![self.line(&what)]
            }
            EventKind::FollowerPlaced { player, role, .. } => {
                vec![self.line(&format!("{} puts a {} on it", self.name(*player), role.name()))]
            }
            EventKind::FeatureScored { score, points } => {
                if score.player.is_some() {
                    self.scored = Some((score.clone(), *points));
                    return Vec::new();
                }
                vec![self.line(&format!("nobody scores the {}  ({})", score.category, why(score)))]
            }
            EventKind::MarkerMoved { player, total, .. } => {
                if let Some(slot) = self.totals.get_mut(player.index()) {
                    *slot = *total;
                }
                let Some((score, points)) = self.scored.take() else { return Vec::new() };
                let what = format!(
                    "{}  +{points} {}  ({})   {}",
                    self.name(*player),
                    score.category,
                    why(&score),
                    self.score()
                );
                vec![self.line(&what)]
            }
            EventKind::WallTileTaken { player, tower, number } => {
                let number = number.map_or_else(String::new, |n| format!(", number {n}"));
                let high = tower.saturating_add(1);
                vec![
                    self.line(&format!(
                        "{} takes the wall tile on {tower}/{high}{number}",
                        self.name(*player)
                    )),
                ]
            }
            EventKind::KeepPlaced { player, size, .. } => {
                vec![self.line(&format!("{}'s keep goes to a house of {size}", self.name(*player)))]
            }
            EventKind::WallTileUsed { player, number, .. } => {
                vec![self.line(&format!("{} uses wall tile {number}", self.name(*player)))]
            }
            EventKind::TileDiscarded { player, tile } => {
                vec![self.line(&format!("{} puts {tile} out of the game", self.name(*player)))]
            }
            EventKind::TurnEnded { turn, .. } => {
                self.turn = turn + 1;
                Vec::new()
            }
            EventKind::Doubt { sentence, .. } => vec![self.line(&format!("?  {sentence}"))],
            EventKind::Recomputed { changes, totals } => {
                for (slot, total) in self.totals.iter_mut().zip(totals) {
                    *slot = *total;
                }
                let mut lines: Vec<String> =
                    changes.iter().map(|c| self.line(&format!("corrected: {c}"))).collect();
                if !changes.is_empty() {
                    lines.push(self.line(&self.score()));
                }
                lines
            }
            EventKind::Correction { instead, .. } => match instead.as_deref() {
                Some(EventKind::TilePlaced { player, tile, cell, .. }) => {
                    let name = self.name(*player);
                    vec![self.line(&format!(
                        "corrected: {name} laid {tile} in column {}, row {}",
                        cell.col, cell.row
                    ))]
                }
                Some(EventKind::FollowerPlaced { player, role, .. }) => {
                    vec![self.line(&format!("corrected: {} has a {} there", self.name(*player), role.name()))]
                }
                _ => Vec::new(),
            },
            EventKind::Inserted { fact, .. } => match &**fact {
                EventKind::FollowerPlaced { player, role, cell, .. } => vec![self.line(&format!(
                    "corrected: {} has put a {} in column {}, row {}",
                    self.name(*player),
                    role.name(),
                    cell.col,
                    cell.row
                ))],
                _ => Vec::new(),
            },
            EventKind::GameEnded { tallies, winners } => {
                let mut lines =
                    vec![String::new(), format!("{:<12}{:>12}{:>12}", "", self.names[0], self.names[1])];
                for category in ["path", "tower", "house", "keep", "court", "wall tiles"] {
                    let points = |i: usize| {
                        tallies.get(i).and_then(|t| t.by_category.get(category)).copied().unwrap_or(0)
                    };
                    lines.push(format!("{category:<12}{:>12}{:>12}", points(0), points(1)));
                }
                let total = |i: usize| tallies.get(i).map_or(0, |t| t.total);
                lines.push(format!("{:<12}{:>12}{:>12}", "total", total(0), total(1)));
                lines.push(match winners[..] {
                    [winner] => format!("{} wins", self.name(winner)),
                    _ => "a draw".to_owned(),
                });
                lines
            }
            _ => Vec::new(),
        }
    }
}

/// The reason in a score's sentence, without the points that stand beside it.
fn why(score: &Score) -> &str {
    score.sentence.rsplit_once(": ").map_or(&score.sentence, |(reason, _)| reason)
}
