use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;

use super::figure_way::FigureWay;
use super::out::{self, outln, talk};
use super::outcome::Outcome;
use super::table_options::TableOptions;
#[cfg(feature = "gui")]
use crate::app::{BoardPainter, ShownPage};
use crate::record::{Event, EventKind, Game, LogWriter, Tally};
use crate::rules::{Names, Player, Score};
use crate::table::{self, OpenTable, Session, Status};

/// Keeps score without a window: prints what happens, as it is decided.
///
/// A folder that is watched may hold a `game.toml` with game, players, colours, rgb, neutral,
/// starts, deck, wall, edition and wall_tiles; what is said here goes before it. At a
/// terminal, questions are answered and moves entered by typing, as `--stdin` has it.
#[derive(Debug, Args)]
pub struct Watch {
    /// `camera:0` or `camera:` and a part of its name, a video file, a folder of stills, or an
    /// http or rtsp address.
    source: String,
    #[command(flatten)]
    table: TableOptions,
    /// Find figures in this way: network, colours, or the .onnx file of a network; without
    /// it, as the program does.
    #[arg(long, value_name = "WAY")]
    figures: Option<FigureWay>,
    /// Print each event as a line of JSON.
    #[arg(long)]
    json: bool,
    /// Do what is written on stdin, also when it is no terminal (at a terminal it is done
    /// unasked; in the background add `< /dev/null`): the number of an answer, `ok`
    /// to leave a question as it is, moves, `correct` with a turn as `castellan correct` has
    /// it, `undo`.
    #[arg(long)]
    stdin: bool,
    /// Show the totals, the last scores and the drawn board to other screens in the network, on a
    /// page whose address is told. It can only be looked at.
    #[cfg(feature = "gui")]
    #[arg(long)]
    page: bool,
}

impl Watch {
    pub fn run(self) -> anyhow::Result<Outcome> {
        let mut table = self.table.opening(&self.source).prepare()?.open()?;
        if let Some(way) = &self.figures {
            table.reader.find_figures(way.open()?);
        }
        for note in &table.notes {
            talk!("{note}");
        }
        let interrupted = interruptible()?;
        let (session, left_out) = self.watch(table, &interrupted)?;
        if interrupted.load(Ordering::Relaxed) {
            return Ok(Outcome::Interrupted);
        }
        Ok(if session.doubts().is_empty() && left_out == 0 { Outcome::Done } else { Outcome::Findings })
    }

    /// The page for other screens, where it is wanted, and what draws its board.
    #[cfg(feature = "gui")]
    fn shown_page(&self, table: &OpenTable) -> anyhow::Result<Option<(ShownPage, BoardPainter)>> {
        if !self.page {
            return Ok(None);
        }
        let page = ShownPage::open()?;
        for address in page.addresses() {
            talk!("the game is shown at {address}");
        }
        Ok(Some((page, BoardPainter::new(table.deck.clone(), table.wall.clone()))))
    }

    /// The game, and how many pictures were left out; it is watched no longer once `stop` is set.
    fn watch(&self, table: OpenTable, stop: &AtomicBool) -> anyhow::Result<(Session, usize)> {
        #[cfg(feature = "gui")]
        let mut page = self.shown_page(&table)?;
        let OpenTable { mut source, mut reader, session, record, mut evidence, whole_game, .. } = table;
        let players = session.game().names().all().len();
        let log = record.map(|(log, _)| log);
        let told = session.game().events().len();
        let mut sink = Sink { json: self.json, log, told, teller: Teller::new(players), failed: None };
        let session = Mutex::new(session);
        let mut status = Status::Playing;
        let mut trouble = None;
        let (mut lag_told, mut unread_told) = (false, None);
        let live = source.is_live();
        let mut listener =
            (self.stdin || std::io::stdin().is_terminal()).then(super::listen::Listener::start);
        let ran = table::run(&mut *source, &mut reader, &session, evidence.as_mut(), stop, |update| {
            let mut now = session.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(listener) = &mut listener {
                listener.hear(&mut now);
            }
            sink.take(now.game());
            drop(now);
            #[cfg(feature = "gui")]
            if let Some((page, painter)) = &mut page {
                page.show(&update.view, &crate::page::English, Some(painter));
            }
            if sink.failed.is_some() {
                stop.store(true, Ordering::Relaxed);
            }
            if update.trouble != trouble {
                match &update.trouble {
                    Some(sentence) => talk!("{sentence}"),
                    None if live => talk!("the pictures come again"),
                    None => {}
                }
            }
            trouble = update.trouble;
            if update.view.unread != unread_told {
                if let Some(why) = &update.view.unread {
                    talk!("{why}");
                }
                unread_told.clone_from(&update.view.unread);
            }
            if let (false, Some(lag)) = (lag_told, &update.view.lag) {
                talk!("{}", lag.sentence);
                lag_told = true;
            }
            if update.view.status != status {
                if let Status::NoBoard(sentence) | Status::OutOfStep(sentence) | Status::TilesGone(sentence) =
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
        if stop.load(Ordering::Relaxed) {
            return Ok((session, left_out));
        }
        session.finish();
        sink.take(session.game());
        if let Some(listener) = &mut listener
            && self.stdin
        {
            listener.hear_out(&mut session, |session| sink.take(session.game()));
        }
        if whole_game && session.status() != Status::Finished {
            session.stop()?;
        }
        sink.take(session.game());
        if let Some(error) = sink.failed {
            return Err(error);
        }
        if let Some(told) = evidence.and_then(|e| e.told()) {
            talk!("{told}");
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

/// Is set by Ctrl+C: the camera is let go as it was before the program ends. By a second Ctrl+C it ends at once,
/// where a source does not answer.
fn interruptible() -> Result<Arc<AtomicBool>, ctrlc::Error> {
    let interrupted = Arc::<AtomicBool>::default();
    let set = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })?;
    Ok(interrupted)
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
            if let Err(error) = self.tell(game, event) {
                self.failed.get_or_insert(error);
                return;
            }
        }
    }

    fn tell(&mut self, game: &Game, event: &Event) -> anyhow::Result<()> {
        if self.json {
            return out::json(event);
        }
        self.teller.tell(game, event).iter().try_for_each(|line| outln!("{line}"))
    }
}

/// Says events as a player would, with the score beside what changes it.
struct Teller {
    totals: Vec<u32>,
    turn: u32,
    /// The newest score, its points, and the players whose markers have not moved for it.
    scored: Option<(Score, u32, Vec<Player>)>,
    /// The tiles and followers that were put down: a fact's number, and what it is.
    placed: BTreeMap<u64, String>,
}

impl Teller {
    fn new(players: usize) -> Teller {
        Teller { totals: vec![0; players], turn: 1, scored: None, placed: BTreeMap::new() }
    }

    fn totals(&self, names: &Names) -> String {
        let side = |(name, total): (&String, &u32)| format!("{name} {total}");
        names.all().iter().zip(&self.totals).map(side).collect::<Vec<_>>().join(" : ")
    }

    fn line(&self, what: &str) -> String {
        format!("turn {:<3} {what}", self.turn)
    }

    fn tell(&mut self, game: &Game, event: &Event) -> Vec<String> {
        let (wording, names) = (game.wording(), game.names());
        // What a later correction may take back.
        if let Some(what) = wording.laid_down(&event.kind) {
            self.placed.insert(event.seq, what.to_string());
        }
        match &event.kind {
            EventKind::TilePlaced { .. }
            | EventKind::FollowerPlaced { .. }
            | EventKind::TileDiscarded { .. }
            | EventKind::WallTileUsed { .. }
            | EventKind::WallTileShown { .. }
            | EventKind::OrderChosen { .. }
            | EventKind::PlayStopped
            | EventKind::FigureReturned { .. }
            | EventKind::FigureMoved { .. }
            | EventKind::NeutralMoved { .. }
            | EventKind::TokensTaken { .. }
            | EventKind::Noted { .. }
            | EventKind::WallTileTaken { .. }
            | EventKind::KeepPlaced { .. } => vec![self.line(&wording.told(&event.kind).to_string())],
            EventKind::FeatureScored { score, points } => {
                self.scored = Some((score.clone(), *points, score.players.clone()));
                match score.players.is_empty() {
                    true => {
                        vec![self.line(&format!("nobody scores the {}  ({})", score.category, why(score)))]
                    }
                    false => Vec::new(),
                }
            }
            EventKind::MarkerMoved { player, total, .. } => {
                if let Some(slot) = self.totals.get_mut(player.index()) {
                    *slot = *total;
                }
                let Some((score, points, still)) = &mut self.scored else { return Vec::new() };
                let Some(at) = still.iter().position(|p| p == player) else { return Vec::new() };
                still.swap_remove(at);
                let what = format!("+{points} {}  ({})", score.category, why(score));
                vec![self.line(&format!("{}  {what}   {}", names.of(*player), self.totals(names)))]
            }
            EventKind::TurnEnded { turn, .. } => {
                self.turn = turn + 1;
                Vec::new()
            }
            EventKind::Doubt { sentence, .. } => vec![self.line(&format!("?  {sentence}"))],
            EventKind::Recomputed { changes, totals } => {
                self.totals.clone_from(totals);
                let mut lines: Vec<String> =
                    changes.iter().map(|c| self.line(&format!("corrected: {c}"))).collect();
                if !changes.is_empty() {
                    lines.push(self.line(&self.totals(names)));
                }
                lines
            }
            EventKind::Correction { replaces, instead: None } => {
                let what = self.placed.get(replaces);
                what.map(|what| self.line(&format!("taken back: {what}"))).into_iter().collect()
            }
            EventKind::Correction { instead: Some(fact), .. } | EventKind::Inserted { fact, .. } => {
                vec![self.line(&format!("corrected: {}", wording.sentence(fact)))]
            }
            EventKind::Passed { .. } | EventKind::FollowersReturned { .. } => Vec::new(),
            EventKind::GameEnded { tallies, .. } => {
                final_table(game, tallies, wording.sentence(&event.kind).to_string())
            }
        }
    }
}

/// The final sheet: a row a category and a column a player.
fn final_table(game: &Game, tallies: &[Tally], result: String) -> Vec<String> {
    let row = |what: &str, words: Vec<String>| {
        let words: String = words.iter().map(|w| format!("{w:>12}")).collect();
        format!("{what:<12}{words}")
    };
    let mut lines = vec![String::new(), row("", game.names().all().to_vec())];
    for category in game.position().categories() {
        let points = |t: &Tally| t.by_category.get(category).copied().unwrap_or(0).to_string();
        lines.push(row(category, tallies.iter().map(points).collect()));
    }
    lines.push(row("total", tallies.iter().map(|t| t.total.to_string()).collect()));
    lines.push(result);
    lines
}

/// The reason in a score's sentence, without the points that stand beside it.
fn why(score: &Score) -> &str {
    score.sentence.rsplit_once(": ").map_or(&score.sentence, |(reason, _)| reason)
}
