use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use clap::Args;

use super::Outcome;
use super::out::{self, outln, talk};
use super::table_options::TableOptions;
use crate::record::{Event, EventKind, Game, LogWriter};
use crate::rules::{Player, Score, cell_name};
use crate::table::{self, OpenTable, Session, Status};

/// Keeps score without a window: prints what happens, as it is decided.
///
/// A folder that is watched may hold a `game.toml` with players, colours, rgb,
/// starts, deck, wall, edition and wall_tiles; what is said here goes before it.
#[derive(Debug, Args)]
pub struct Watch {
    /// `camera:0`, a video file, a folder of stills, or an http or rtsp address.
    source: String,
    #[command(flatten)]
    table: TableOptions,
    /// Print each event as a line of JSON.
    #[arg(long)]
    json: bool,
}

impl Watch {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let table = self.table.opening(&self.source).prepare()?.open()?;
        for note in &table.notes {
            talk!("{note}");
        }
        let (session, left_out) = self.watch(table)?;
        Ok(if session.doubts().is_empty() && left_out == 0 { Outcome::Done } else { Outcome::Findings })
    }

    /// The game, and how many pictures were left out.
    fn watch(&self, table: OpenTable) -> anyhow::Result<(Session, usize)> {
        let OpenTable { mut source, mut reader, session, record, whole_game, .. } = table;
        let names = [Player(0), Player(1)].map(|p| session.game().names().of(p).to_owned());
        let log = record.map(|(log, _)| log);
        let told = session.game().events().len();
        let mut sink = Sink { json: self.json, log, told, teller: Teller::new(names), failed: None };
        let session = Mutex::new(session);
        let stop = AtomicBool::new(false);
        let mut status = Status::Playing;
        let mut trouble = None;
        let ran = table::run(&mut *source, &mut reader, &session, &stop, |update| {
            sink.take(session.lock().unwrap_or_else(PoisonError::into_inner).game());
            if sink.failed.is_some() {
                stop.store(true, std::sync::atomic::Ordering::Relaxed);
            }
            if update.trouble.is_some() && update.trouble != trouble {
                talk!("{}", update.trouble.as_deref().unwrap_or_default());
            }
            trouble = update.trouble;
            if update.view.status != status {
                if let Status::NoWall(sentence) | Status::OutOfStep(sentence) | Status::TilesGone(sentence) =
                    &update.view.status
                {
                    talk!("{sentence}");
                }
                status = update.view.status;
            }
        });
        if let Some(error) = sink.failed {
            return Err(error);
        }
        let mut session = session.into_inner().unwrap_or_else(PoisonError::into_inner);
        // A source that broke off is not the end of a game.
        let left_out = ran?;
        session.finish();
        if whole_game && session.status() != Status::Finished {
            session.apply_by_hand(EventKind::PlayStopped)?;
        }
        sink.take(session.game());
        if let Some(error) = sink.failed {
            return Err(error);
        }
        if !self.json {
            for doubt in session.doubts() {
                talk!("open: {}", doubt.sentence);
            }
            if session.status() != Status::Finished {
                let left = session.game().position().tiles_left();
                talk!("the source has ended with {left} tiles left; --whole-game scores the end");
            }
        }
        Ok((session, left_out))
    }
}

/// Where events go: first into the record on the disk, then to stdout.
struct Sink {
    json: bool,
    log: Option<LogWriter>,
    /// How many of the game's events have been printed or were there before.
    told: usize,
    teller: Teller,
    failed: Option<anyhow::Error>,
}

impl Sink {
    /// Takes what has happened in the game since it was called last. Only what is
    /// recorded is printed.
    fn take(&mut self, game: &Game) {
        if self.failed.is_some() {
            return;
        }
        let mut recorded = game.events();
        if let Some(log) = &mut self.log {
            self.failed = log.write(game).err().map(Into::into);
            recorded = recorded.get(..log.written()).unwrap_or(recorded);
        }
        for event in recorded.iter().skip(self.told) {
            self.told += 1;
            if let Err(error) = self.tell(event) {
                self.failed.get_or_insert(error);
                return;
            }
        }
    }

    fn tell(&mut self, event: &Event) -> anyhow::Result<()> {
        if self.json {
            return out::json(event);
        }
        self.teller.tell(event).iter().try_for_each(|line| outln!("{line}"))
    }
}

/// Says events as a player would.
struct Teller {
    names: [String; 2],
    totals: [u32; 2],
    turn: u32,
    /// A score whose marker has not moved yet.
    scored: Option<(Score, u32)>,
    /// The tiles and followers that were put down: a fact's number, and what it is.
    placed: BTreeMap<u64, String>,
}

impl Teller {
    fn new(names: [String; 2]) -> Teller {
        Teller { names, totals: [0; 2], turn: 1, scored: None, placed: BTreeMap::new() }
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

    /// Keeps what a later correction may take back.
    fn remember(&mut self, event: &Event) {
        let what = match &event.kind {
            EventKind::TilePlaced { player, tile, cell, .. } => {
                format!("{}'s {tile} in {}", self.name(*player), cell_name(*cell))
            }
            EventKind::FollowerPlaced { player, role, cell, .. } => {
                let name = self.name(*player);
                format!("{name}'s {} in {}", role.name(), cell_name(*cell))
            }
            _ => return,
        };
        self.placed.insert(event.seq, what);
    }

    fn tell(&mut self, event: &Event) -> Vec<String> {
        self.remember(event);
        match &event.kind {
            EventKind::TilePlaced { player, tile, cell, .. } => {
                let what = format!("{} lays {tile} in {}", self.name(*player), cell_name(*cell));
                vec![self.line(&what)]
            }
            EventKind::FollowerPlaced { player, role, .. } => {
                vec![self.line(&format!("{} puts a {} on it", self.name(*player), role.name()))]
            }
            EventKind::FeatureScored { score, points } => {
                if !score.players.is_empty() {
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
            EventKind::Correction { replaces, instead } => match instead.as_deref() {
                Some(EventKind::TilePlaced { player, tile, cell, .. }) => {
                    let name = self.name(*player);
                    vec![self.line(&format!("corrected: {name} laid {tile} in {}", cell_name(*cell)))]
                }
                Some(EventKind::FollowerPlaced { player, role, .. }) => {
                    vec![self.line(&format!("corrected: {} has a {} there", self.name(*player), role.name()))]
                }
                None => {
                    let what = self.placed.get(replaces);
                    what.map(|what| self.line(&format!("taken back: {what}"))).into_iter().collect()
                }
                Some(_) => Vec::new(),
            },
            EventKind::Inserted { fact, .. } => match &**fact {
                EventKind::FollowerPlaced { player, role, cell, .. } => vec![self.line(&format!(
                    "corrected: {} has put a {} in {}",
                    self.name(*player),
                    role.name(),
                    cell_name(*cell)
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
