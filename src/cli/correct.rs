//! `castellan correct`: a past turn put right, seen before it is taken.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, bail};
use clap::Args;

use super::out::{self, outln, talk};
use super::outcome::Outcome;
use super::recorded;
use crate::record::{Change, Edit, Game, Log, LogWriter, Preview, Recorder};
use crate::rules::{Cell, FigureKind, Player, Rotation, SegmentAt, cell_from_name};

/// Corrects a turn of a record, of a game that goes on or is over.
///
/// Without a correction it lists the turns. What would change is shown first: what was
/// written (-), what holds instead (+), scores, totals, wall tiles, and rules that would be
/// broken. Nothing is erased: the correction stands at the end of the record.
#[derive(Debug, Args)]
pub struct Correct {
    /// The record, or the folder of a game.
    record: String,
    #[command(flatten)]
    change: ChangeOptions,
    /// Only show what would change.
    #[arg(long)]
    dry_run: bool,
    /// Take it without asking.
    #[arg(long, short = 'y')]
    yes: bool,
    /// Print one JSON value: the turns, or what changes.
    #[arg(long)]
    json: bool,
    /// The deck to play it with, instead of the one that the record names.
    #[arg(long)]
    deck: Option<String>,
    /// The wall to play it with, instead of the one that the record names.
    #[arg(long)]
    wall: Option<String>,
}

/// What is to be corrected.
#[derive(Debug, Args)]
pub(super) struct ChangeOptions {
    /// The turn to correct, as `castellan correct RECORD` numbers them.
    turn: Option<u32>,
    /// Another tile was laid, by its id.
    #[arg(long, value_name = "ID", requires = "turn")]
    tile: Option<String>,
    /// The tile lay in another cell, such as D5.
    #[arg(long, value_name = "CELL", requires = "turn", value_parser = cell, allow_hyphen_values = true)]
    cell: Option<Cell>,
    /// How it was turned: clockwise quarter turns, 0 to 3.
    #[arg(long, value_name = "TURNS", requires = "turn", value_parser = clap::value_parser!(u8).range(0..4))]
    rotation: Option<u8>,
    /// Whose turn it was: a name, or a number from 1.
    #[arg(long, value_name = "NAME", requires = "turn")]
    player: Option<String>,
    /// On which segment of the tile the follower was put, such as 2; another figure by its
    /// name, such as `big_follower 2`; `none` for no figure.
    #[arg(long, value_name = "SEGMENT", requires = "turn", value_parser = figure)]
    follower: Option<Figure>,
    /// In which order features were scored, such as `D5 1, C4 0`; `none` for no choice.
    #[arg(long, value_name = "SEGMENTS", requires = "turn", value_parser = order, allow_hyphen_values = true)]
    order: Option<Order>,
    /// The wall tile that was used, by its number in the record, such as 2, and for which
    /// feature, such as `2 D5 1`; `none` for none.
    #[arg(long, value_name = "NUMBER", requires = "turn", value_parser = wall_tile)]
    wall_tile: Option<WallTile>,
    /// The whole turn as moves, such as `lay h07 D5 1; knight; end`.
    #[arg(long, value_name = "MOVES", requires = "turn", conflicts_with_all = ONE_BY_ONE)]
    moves: Option<String>,
    /// The turn did not happen.
    #[arg(long, requires = "turn", conflicts_with_all = ONE_BY_ONE, conflicts_with = "moves")]
    delete: bool,
    /// These moves were missed before the turn.
    #[arg(long, value_name = "MOVES", requires = "turn", conflicts_with_all = ONE_BY_ONE,
        conflicts_with_all = ["moves", "delete"])]
    insert: Option<String>,
    /// The turn happened just before this one.
    #[arg(long, value_name = "TURN", requires = "turn", conflicts_with_all = ONE_BY_ONE,
        conflicts_with_all = ["moves", "delete", "insert"])]
    move_before: Option<u32>,
    /// The wall tile of a tower has this number: the lower of its track spaces and the
    /// number in the record, such as `32 7`.
    #[arg(long, value_name = "TOWER NUMBER", value_parser = shown, conflicts_with = "turn")]
    shown: Option<Shown>,
}

/// The options that change one thing of a turn.
const ONE_BY_ONE: [&str; 7] = ["tile", "cell", "rotation", "player", "follower", "order", "wall_tile"];

/// A figure and its segment, or none.
#[derive(Clone, Copy, Debug)]
struct Figure(Option<(FigureKind, u8)>);

/// An order of scoring, empty for none.
#[derive(Clone, Debug)]
struct Order(Vec<SegmentAt>);

/// A wall tile that was used, or none.
#[derive(Clone, Copy, Debug)]
struct WallTile(Option<(u8, Option<SegmentAt>)>);

/// A tower and the number of its wall tile.
#[derive(Clone, Copy, Debug)]
struct Shown(u8, u8);

impl Correct {
    pub fn run(mut self) -> anyhow::Result<Outcome> {
        self.record = recorded::file(self.record);
        let path = Path::new(&self.record);
        if !path.exists() {
            bail!("no record is there; check the name: {}", self.record);
        }
        let named = || self.record.clone();
        let log = Log::open(path).with_context(named)?;
        let (wall, deck) = recorded::parts((&log.header, path), self.wall.as_deref(), self.deck.as_deref())?;
        let game = log.clone().replay(wall.as_ref(), &deck)?;
        let Some(change) = self.change.of(&game)? else {
            return self.list(&game);
        };
        let preview = game.preview(&change)?;
        if self.json {
            out::json(&preview)?;
        } else {
            for line in preview.to_lines(game.names().all()) {
                outln!("{line}")?;
            }
        }
        if self.dry_run || !(self.yes || asked()?) {
            return Ok(outcome(&preview));
        }
        let begun = LogWriter::resume(path).with_context(named)?;
        let Some((log, writer)) = begun.filter(|(now, _)| now.events == log.events) else {
            bail!("the record was written on meanwhile; nothing was changed, look at it again");
        };
        let (mut game, mut writer) = Recorder::go_on(log, writer, wall.as_ref(), &deck)?.into_parts();
        let t = game.events().last().map_or(0.0, |e| e.t);
        game.correct(&change, t)?;
        writer.write(&game)?;
        Ok(outcome(&preview))
    }

    fn list(&self, game: &Game) -> anyhow::Result<Outcome> {
        let turns = game.turns();
        if self.json {
            out::json(&turns)?;
            return Ok(Outcome::Done);
        }
        let width = turns.last().map_or(1, |t| t.turn.to_string().len());
        for turn in &turns {
            outln!("{:>width$}  {}", turn.turn, turn.moves)?;
        }
        Ok(Outcome::Done)
    }
}

impl ChangeOptions {
    /// What is to be corrected; `None` where nothing was said.
    pub(super) fn of(&self, game: &Game) -> anyhow::Result<Option<Change>> {
        if let Some(Shown(tower, number)) = self.shown {
            return Ok(Some(Change::Shown(tower, number)));
        }
        let Some(turn) = self.turn else { return Ok(None) };
        if self.delete {
            return Ok(Some(Change::Delete(turn)));
        }
        if let Some(moves) = &self.insert {
            return Ok(Some(Change::Insert(turn, moves.clone())));
        }
        if let Some(before) = self.move_before {
            return Ok(Some(Change::Move(turn, before)));
        }
        let mut edits = Vec::new();
        edits.extend(self.moves.clone().map(Edit::Moves));
        edits.extend(self.player.as_deref().map(|name| player(game, name)).transpose()?.map(Edit::Player));
        edits.extend(self.tile.clone().map(Edit::Tile));
        edits.extend(self.cell.map(Edit::Cell));
        edits.extend(self.rotation.map(|turns| Edit::Rotation(Rotation::new(turns))));
        edits.extend(self.follower.map(|f| Edit::Figure(f.0)));
        edits.extend(self.order.clone().map(|o| Edit::Order(o.0)));
        edits.extend(self.wall_tile.map(|w| Edit::WallTile(w.0)));
        if edits.is_empty() {
            bail!("say what was otherwise in turn {turn}, such as --cell D5 or --follower none");
        }
        Ok(Some(Change::Turn(turn, edits)))
    }
}

fn outcome(preview: &Preview) -> Outcome {
    if preview.breaches.is_empty() { Outcome::Done } else { Outcome::Findings }
}

/// Asks whether the correction is taken.
///
/// # Errors
/// There is nobody to ask.
fn asked() -> anyhow::Result<bool> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        bail!("nothing was changed; add --yes to take the correction, or --dry-run to look only");
    }
    let mut stderr = std::io::stderr();
    write!(stderr, "take it? [y/N] ")?;
    stderr.flush()?;
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer)?;
    let yes = ["y", "yes"].iter().any(|yes| answer.trim().eq_ignore_ascii_case(yes));
    if !yes {
        talk!("nothing was changed");
    }
    Ok(yes)
}

fn player(game: &Game, name: &str) -> anyhow::Result<Player> {
    let mut called = game.players().filter(|p| game.names().of(*p).eq_ignore_ascii_case(name.trim()));
    if let (Some(player), None) = (called.next(), called.next()) {
        return Ok(player);
    }
    let number = name.trim().parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    number.and_then(|n| game.players().nth(n)).with_context(|| {
        format!("nobody is called `{name}`; the players are {}", game.names().all().join(", "))
    })
}

fn cell(text: &str) -> Result<Cell, String> {
    cell_from_name(text)
        .ok_or_else(|| "write its column as a letter and its row as a number, such as D5".into())
}

fn number(text: &str) -> Result<u8, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number that fits here"))
}

fn segment(words: &[&str]) -> Result<SegmentAt, String> {
    match words {
        [at, n] => Ok(SegmentAt { cell: cell(at)?, segment: number(n)? }),
        _ => Err("write a cell and a segment, such as `D5 1`".to_owned()),
    }
}

fn figure(text: &str) -> Result<Figure, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["none"] => Ok(Figure(None)),
        [n] => Ok(Figure(Some((FigureKind::FOLLOWER, number(n)?)))),
        [kind, n] => {
            let known = FigureKind::ALL.into_iter().find(|k| k.name() == kind);
            let kind = known.ok_or_else(|| format!("`{kind}` is no figure"))?;
            Ok(Figure(Some((kind, number(n)?))))
        }
        _ => Err("write a segment, such as 2, or none".to_owned()),
    }
}

fn order(text: &str) -> Result<Order, String> {
    if text.trim() == "none" {
        return Ok(Order(Vec::new()));
    }
    let one = |part: &str| segment(&part.split_whitespace().collect::<Vec<_>>());
    text.split(',').map(one).collect::<Result<_, _>>().map(Order)
}

fn wall_tile(text: &str) -> Result<WallTile, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["none"] => Ok(WallTile(None)),
        [n] => Ok(WallTile(Some((number(n)?, None)))),
        [n, ref at @ ..] => Ok(WallTile(Some((number(n)?, Some(segment(at)?))))),
        [] => Err("write a number, such as 2, or none".to_owned()),
    }
}

fn shown(text: &str) -> Result<Shown, String> {
    match text.split_whitespace().collect::<Vec<_>>()[..] {
        [tower, n] => Ok(Shown(number(tower)?, number(n)?)),
        _ => Err("write a tower and a number, such as `32 7`".to_owned()),
    }
}
