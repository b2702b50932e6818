//! Corrections of any turn, at any time: what a person says becomes facts of the record,
//! and what they would change is seen before they are taken.

use serde::Serialize;
use thiserror::Error;

use super::event::{Event, EventKind, Source};
use super::fold;
use super::game::{Game, RecordError};
use super::transcript::{TextError, moves_in};
use crate::rules::{
    Cell, FigureKind, GamePosition, Illegality, Phase, Player, Rotation, SegmentAt, Sentence, Unreadable,
    sentence,
};

/// No face has more segments: one a port.
const MOST_SEGMENTS: u8 = 12;

/// A correction as a person says it. Turns are numbered from 1, as the sheet numbers them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A turn was otherwise, in one or several ways.
    Turn(u32, Vec<Edit>),
    /// A turn did not happen.
    Delete(u32),
    /// Moves were missed, in their notation (`lay h07 D5 1; knight; end`): they happened
    /// before this turn, or last of all where it is the turn after the last one.
    Insert(u32, String),
    /// A turn happened earlier or later than it was written: just before the second one.
    Move(u32, u32),
    /// The wall tile of a tower, by the lower of its track spaces, has this number (of 2003).
    Shown(u8, u8),
}

/// What was otherwise in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Another tile was laid, by its id.
    Tile(String),
    /// The tile lay in another cell; its follower went there too.
    Cell(Cell),
    /// The tile was turned otherwise.
    Rotation(Rotation),
    /// It was another player's turn.
    Player(Player),
    /// A figure was put on this segment of the tile, in place of the one that was written, if
    /// any; `None`: no figure was put down.
    Figure(Option<(FigureKind, u8)>),
    /// What was completed was scored in this order (CA-73); empty: no order was chosen.
    Order(Vec<SegmentAt>),
    /// A wall tile was used (CA-78): its number (of 2003), and the feature for which;
    /// `None`: none was used.
    WallTile(Option<(u8, Option<SegmentAt>)>),
    /// The whole turn was this, in the notation of moves.
    Moves(String),
}

/// Why a correction cannot be made.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum CorrectionError {
    /// No such turn.
    Turn(u32, u32),
    /// The turn laid no tile.
    NoTile(u32),
    /// The figure has no place.
    Segment(String, u8, String),
    /// Moves that cannot be read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// Nothing would be otherwise.
    Nothing,
    /// The record does not take it.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl From<&CorrectionError> for Sentence {
    fn from(error: &CorrectionError) -> Sentence {
        match error {
            CorrectionError::Turn(turn, last) => {
                sentence!("there is no turn {}; the record has turns 1 to {}", *turn, *last)
            }
            CorrectionError::NoTile(turn) => {
                sentence!("no tile was laid in turn {}; say the whole turn as moves, or insert one", *turn)
            }
            CorrectionError::Nothing => {
                sentence!("that is what the record says already; nothing is corrected")
            }
            CorrectionError::Record(error) => Sentence::from(error),
            CorrectionError::Text(error) => Sentence::from(error),
            CorrectionError::Segment(tile, segment, known) => sentence!(
                "no figure can stand on segment {1} of tile {0}; its segments for figures are {2}",
                tile,
                *segment,
                known
            ),
        }
    }
}

impl From<Unreadable> for CorrectionError {
    fn from(error: Unreadable) -> CorrectionError {
        CorrectionError::Text(error.into())
    }
}

/// A turn as it is written in a record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurnFacts {
    /// Its number; facts after the last turn, such as the end of the game, stand in a turn of
    /// their own.
    pub turn: u32,
    /// Its facts: their numbers, as corrections name them, and what happened.
    pub facts: Vec<(u64, EventKind)>,
    /// The same in the notation of moves.
    pub moves: String,
}

/// What a correction changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Preview {
    /// What was written and no longer holds, a sentence each.
    pub before: Vec<Sentence>,
    /// What holds instead.
    pub after: Vec<Sentence>,
    /// The scores that change: `White's path in turn 14: 6 → 8`.
    pub scores: Vec<Sentence>,
    /// All totals before and after.
    pub totals: (Vec<u32>, Vec<u32>),
    /// The wall tiles that other players hold after it.
    pub wall_tiles: Vec<Sentence>,
    /// The rules that are broken after it and were not before, and facts that no longer fit.
    pub breaches: Vec<Sentence>,
}

impl Game {
    /// The turns of the record with their facts, after all corrections.
    pub fn turns(&self) -> Vec<TurnFacts> {
        let mut position = self.start_position();
        let mut turns = Vec::new();
        let mut now = TurnFacts { turn: 1, facts: Vec::new(), moves: String::new() };
        let mut ended = false;
        for (seq, kind) in self.facts() {
            if ended && matches!(kind, EventKind::TilePlaced { .. } | EventKind::TileDiscarded { .. }) {
                let next = TurnFacts { turn: now.turn + 1, facts: Vec::new(), moves: String::new() };
                turns.push(std::mem::replace(&mut now, next));
                ended = false;
            }
            let written = fold::to_move(&*position, &kind).ok().flatten().map(|m| position.write_move(&m));
            let fits = fold::happen(&mut *position, &kind, self.names()).is_ok();
            if let Some(written) = written {
                let between = if now.moves.is_empty() { "" } else { "; " };
                let left_out = if fits { "" } else { "(left out) " };
                now.moves = format!("{}{between}{left_out}{written}", now.moves);
            }
            now.facts.push((seq, kind));
            ended |= matches!(now.facts.last(), Some((_, EventKind::TurnEnded { .. })));
            // Steps after the end of a turn are of the turn.
            if ended && position.phase() != Phase::Step {
                let turn = now.turn + 1;
                let next = TurnFacts { turn, facts: Vec::new(), moves: String::new() };
                turns.push(std::mem::replace(&mut now, next));
                ended = false;
            }
        }
        if !now.facts.is_empty() {
            turns.push(now);
        }
        turns
    }

    /// The facts that a correction adds to the record, in order.
    ///
    /// # Errors
    /// [`CorrectionError`], also when it would change nothing.
    pub fn corrections(&self, change: &Change) -> Result<Vec<EventKind>, CorrectionError> {
        let turns = self.turns();
        let last = turns.last().map_or(0, |t| t.turn);
        let find = |turn: u32| {
            let found = turns.iter().position(|t| t.turn == turn);
            found.ok_or(CorrectionError::Turn(turn, last))
        };
        let facts = match change {
            Change::Turn(turn, edits) => {
                let at = find(*turn)?;
                let mut new: Vec<(Option<u64>, EventKind)> =
                    turns[at].facts.iter().map(|(seq, kind)| (Some(*seq), kind.clone())).collect();
                let position = self.position_after(&turns[..at]);
                for edit in edits {
                    self.edit(&*position, *turn, edit, &mut new)?;
                }
                let next = turns.get(at + 1).and_then(|t| t.facts.first()).map(|f| f.0);
                difference(&turns[at].facts, &new, next)
            }
            Change::Delete(turn) => taken_out(&turns[find(*turn)?].facts),
            Change::Insert(before, moves) => {
                let at = if *before == last + 1 { turns.len() } else { find(*before)? };
                let position = self.position_after(&turns[..at]);
                let new = self.read_moves(position, moves)?;
                put_in(new, turns.get(at).and_then(|t| t.facts.first()).map(|f| f.0))
            }
            Change::Move(turn, before) => {
                let from = find(*turn)?;
                let to = if *before == last + 1 { turns.len() } else { find(*before)? };
                if to == from || to == from + 1 {
                    return Err(CorrectionError::Nothing);
                }
                let mut facts = taken_out(&turns[from].facts);
                let moved = turns[from].facts.iter().map(|(_, kind)| kind.clone()).collect();
                facts.extend(put_in(moved, turns.get(to).and_then(|t| t.facts.first()).map(|f| f.0)));
                facts
            }
            Change::Shown(tower, number) => {
                let shown = EventKind::WallTileShown { tower: *tower, number: *number };
                let facts = turns.iter().flat_map(|t| &t.facts);
                let said = |kind: &EventKind| matches!(kind, EventKind::WallTileShown { tower: t, .. } if t == tower);
                match facts.into_iter().find(|(_, kind)| said(kind)) {
                    Some((_, kind)) if *kind == shown => Vec::new(),
                    Some((seq, _)) => {
                        vec![EventKind::Correction { replaces: *seq, instead: Some(Box::new(shown)) }]
                    }
                    None => vec![shown],
                }
            }
        };
        if facts.is_empty() { Err(CorrectionError::Nothing) } else { Ok(facts) }
    }

    /// What a correction would change. The game itself is left as it is.
    ///
    /// # Errors
    /// As [`Game::correct`].
    pub fn preview(&self, change: &Change) -> Result<Preview, CorrectionError> {
        let mut after = self.clone();
        after.correct(change, self.events().last().map_or(0.0, |e| e.t))?;
        Ok(Preview::between(self, &after))
    }

    /// Takes a correction, `t` seconds after the record began: all of it, or nothing. What
    /// breaks a rule is taken too, and stands as waived.
    ///
    /// # Errors
    /// [`CorrectionError`]; nothing has changed.
    pub fn correct(&mut self, change: &Change, t: f64) -> Result<Vec<Event>, CorrectionError> {
        let facts = self.corrections(change)?;
        Ok(self.apply_together(&facts, Source::Hand, 1.0, t)?)
    }

    /// Where the game stood after some of its turns; what did not fit is left out.
    pub fn position_after(&self, turns: &[TurnFacts]) -> Box<dyn GamePosition> {
        let mut position = self.start_position();
        for (_, kind) in turns.iter().flat_map(|t| &t.facts) {
            let _ = fold::happen(&mut *position, kind, self.names());
        }
        position
    }

    fn read_moves(
        &self,
        mut position: Box<dyn GamePosition>,
        moves: &str,
    ) -> Result<Vec<EventKind>, CorrectionError> {
        let mut facts = Vec::new();
        for text in moves_in(moves) {
            let text = text.trim_start_matches('!').trim();
            let played = position.read_move(&self.numbered(text))?;
            let Some(fact) = fold::to_fact(&*position, &played) else { continue };
            fold::happen(&mut *position, &fact, self.names()).map_err(RecordError::Unknown)?;
            facts.push(fact);
        }
        Ok(facts)
    }

    fn edit(
        &self,
        position: &dyn GamePosition,
        turn: u32,
        edit: &Edit,
        facts: &mut Vec<(Option<u64>, EventKind)>,
    ) -> Result<(), CorrectionError> {
        let laid = facts.iter().position(|(_, k)| matches!(k, EventKind::TilePlaced { .. }));
        let laid_at = || laid.ok_or(CorrectionError::NoTile(turn));
        match edit {
            Edit::Tile(id) => {
                position.tile_index(id).ok_or_else(|| {
                    RecordError::Unknown(sentence!("the deck has no tile `{}`; name one of its tiles", id))
                })?;
                if let EventKind::TilePlaced { tile, .. } = &mut facts[laid_at()?].1 {
                    tile.clone_from(id);
                }
            }
            Edit::Cell(to) => {
                let at = laid_at()?;
                let EventKind::TilePlaced { cell: from, .. } = facts[at].1 else { return Ok(()) };
                for (_, kind) in facts.iter_mut() {
                    match kind {
                        EventKind::TilePlaced { cell, .. } => *cell = *to,
                        EventKind::FollowerPlaced { cell, .. } if *cell == from => *cell = *to,
                        EventKind::FigureReturned { at, .. } | EventKind::FigureMoved { to: at, .. }
                            if at.cell == from =>
                        {
                            at.cell = *to
                        }
                        EventKind::OrderChosen { features, .. } => {
                            features.iter_mut().filter(|f| f.cell == from).for_each(|f| f.cell = *to);
                        }
                        _ => {}
                    }
                }
            }
            Edit::Rotation(to) => {
                if let EventKind::TilePlaced { rotation, .. } = &mut facts[laid_at()?].1 {
                    *rotation = *to;
                }
            }
            Edit::Player(to) => {
                for (_, kind) in facts.iter_mut() {
                    match kind {
                        EventKind::TilePlaced { player, .. }
                        | EventKind::FollowerPlaced { player, .. }
                        | EventKind::TileDiscarded { player, .. }
                        | EventKind::WallTileUsed { player, .. }
                        | EventKind::OrderChosen { player, .. }
                        | EventKind::TurnEnded { player, .. } => *player = *to,
                        _ => {}
                    }
                }
            }
            Edit::Figure(figure) => {
                let at = laid_at()?;
                let EventKind::TilePlaced { player, ref tile, cell, .. } = facts[at].1 else { return Ok(()) };
                let tile = tile.clone();
                // What is put after the end of the turn is not on its tile.
                let end = facts.iter().position(|(_, k)| matches!(k, EventKind::TurnEnded { .. }));
                let put = &facts[..end.unwrap_or(facts.len())];
                let stood = put.iter().position(|(_, k)| matches!(k, EventKind::FollowerPlaced { .. }));
                let seq = stood.and_then(|i| facts.remove(i).0);
                let Some((figure, segment)) = *figure else { return Ok(()) };
                let mut there = position.boxed();
                let _ = fold::happen(&mut *there, &facts[at].1, self.names());
                let on = SegmentAt { cell, segment };
                let role = there.role_at(on).ok_or_else(|| {
                    let stand = |segment: &u8| there.role_at(SegmentAt { cell, segment: *segment }).is_some();
                    let segments: Vec<String> =
                        (0..MOST_SEGMENTS).filter(stand).map(|s| s.to_string()).collect();
                    CorrectionError::Segment(tile, segment, segments.join(", "))
                })?;
                let fact = EventKind::FollowerPlaced { player, cell, segment, role, figure };
                facts.insert(at + 1, (seq, fact));
            }
            Edit::Order(features) => {
                let chosen = facts.iter().position(|(_, k)| matches!(k, EventKind::OrderChosen { .. }));
                let seq = chosen.and_then(|i| facts.remove(i).0);
                if !features.is_empty() {
                    let end = facts.iter().position(|(_, k)| matches!(k, EventKind::TurnEnded { .. }));
                    let player = player_of(facts).unwrap_or_else(|| position.to_move());
                    let fact = EventKind::OrderChosen { player, features: features.clone() };
                    facts.insert(end.unwrap_or(facts.len()), (seq, fact));
                }
            }
            Edit::WallTile(used) => {
                let known = facts.iter().position(|(_, k)| matches!(k, EventKind::WallTileUsed { .. }));
                let seq = known.and_then(|i| facts.remove(i).0);
                if let Some((number, on)) = *used {
                    let player = player_of(facts).unwrap_or_else(|| position.to_move());
                    let fact = EventKind::WallTileUsed { player, number, on };
                    // What doubles a score is said after the tile, an extra turn before it
                    // (CA-82, CA-84).
                    let at = if number == 1 { 0 } else { laid.map_or(0, |i| (i + 1).min(facts.len())) };
                    facts.insert(at, (seq, fact));
                }
            }
            Edit::Moves(moves) => {
                let mut written: Vec<(Option<u64>, EventKind)> = std::mem::take(facts);
                for fact in self.read_moves(position.boxed(), moves)? {
                    let same = |(_, old): &(Option<u64>, EventKind)| {
                        std::mem::discriminant(old) == std::mem::discriminant(&fact)
                    };
                    let seq = written.iter().position(same).and_then(|i| written.remove(i).0);
                    facts.push((seq, fact));
                }
            }
        }
        Ok(())
    }
}

/// Whose the facts of a turn are.
fn player_of(facts: &[(Option<u64>, EventKind)]) -> Option<Player> {
    facts.iter().find_map(|(_, kind)| match kind {
        EventKind::TilePlaced { player, .. } | EventKind::TurnEnded { player, .. } => Some(*player),
        _ => None,
    })
}

/// Facts that did not happen, the last first: what stands on a tile before the tile.
fn taken_out(facts: &[(u64, EventKind)]) -> Vec<EventKind> {
    facts.iter().rev().map(|(seq, _)| EventKind::Correction { replaces: *seq, instead: None }).collect()
}

/// Facts that were missed, before the fact with a number or last of all.
fn put_in(facts: Vec<EventKind>, before: Option<u64>) -> Vec<EventKind> {
    let put = |fact: EventKind| match before {
        Some(before) => EventKind::Inserted { before, fact: Box::new(fact) },
        None => fact,
    };
    facts.into_iter().map(put).collect()
}

/// What makes the facts of a turn into others: `new` has the numbers of those that it keeps
/// or changes, in their old order; `next` is the first fact of the next turn.
fn difference(
    old: &[(u64, EventKind)],
    new: &[(Option<u64>, EventKind)],
    next: Option<u64>,
) -> Vec<EventKind> {
    let mut kept: Vec<u64> = Vec::new();
    for (seq, _) in new {
        let goes_on = |seq: &u64| {
            let at = |s: u64| old.iter().position(|(o, _)| *o == s);
            kept.last().is_none_or(|last| at(*last) < at(*seq))
        };
        kept.extend(seq.filter(goes_on));
    }
    let now = |seq: u64| new.iter().find(|(s, _)| *s == Some(seq)).map(|(_, kind)| kind);
    let stays = |seq: u64| kept.contains(&seq);
    let mut facts = Vec::new();
    // What stands on a tile goes before the tile is another, and comes back after it, so
    // that nothing is out of place in between.
    let moved =
        |kind: &EventKind| matches!(kind, EventKind::FollowerPlaced { .. } | EventKind::OrderChosen { .. });
    for (seq, was) in old.iter().rev() {
        let out = !stays(*seq) || (moved(was) && now(*seq) != Some(was));
        if out {
            facts.push(EventKind::Correction { replaces: *seq, instead: None });
        }
    }
    for (seq, was) in old.iter().filter(|(seq, _)| stays(*seq)) {
        if let Some(is) = now(*seq).filter(|is| *is != was) {
            facts.push(EventKind::Correction { replaces: *seq, instead: Some(Box::new(is.clone())) });
        }
    }
    for (i, (seq, kind)) in new.iter().enumerate() {
        if seq.is_some_and(stays) {
            continue;
        }
        let before = new[i + 1..].iter().find_map(|(s, _)| s.filter(|s| stays(*s))).or(next);
        facts.extend(put_in(vec![kind.clone()], before));
    }
    facts
}

impl Preview {
    /// What is otherwise in the second of two games, the same game corrected.
    fn between(old: &Game, new: &Game) -> Preview {
        let (was, is) = (old.facts(), new.facts());
        let told = |game: &Game, facts: &[(u64, EventKind)], other: &[(u64, EventKind)]| {
            let gone = facts.iter().filter(|fact| !other.contains(fact));
            gone.map(|(_, kind)| game.describe(kind)).collect()
        };
        let held = |game: &Game| -> Vec<Sentence> {
            let of = |player: Player| {
                let prizes = game.position().prizes(player);
                let name = game.names().of(player);
                prizes
                    .into_iter()
                    .map(move |(tower, _)| sentence!("{} holds the wall tile of tower {}", name, tower))
            };
            game.players().flat_map(of).collect()
        };
        let broken = |game: &Game| -> Vec<Sentence> {
            let facts = game.facts();
            let what = |seq: u64| {
                facts
                    .iter()
                    .find(|f| f.0 == seq)
                    .map_or_else(Sentence::default, |(_, kind)| game.describe(kind))
            };
            let against =
                |(seq, rule): &(u64, Illegality)| sentence!("{}: {}", what(*seq), Sentence::from(rule));
            let unfit = |(seq, why): &(u64, Sentence)| sentence!("{}: left out, {}", what(*seq), why.clone());
            game.broken().iter().map(against).chain(game.conflicts().iter().map(unfit)).collect()
        };
        let (held_before, broken_before) = (held(old), broken(old));
        Preview {
            before: told(old, &was, &is),
            after: told(new, &is, &was),
            scores: old.scores_changed(new),
            totals: (fold::totals_now(old.position()), fold::totals_now(new.position())),
            wall_tiles: held(new).into_iter().filter(|h| !held_before.contains(h)).collect(),
            breaches: broken(new).into_iter().filter(|b| !broken_before.contains(b)).collect(),
        }
    }

    /// The preview as it is printed: what was written with `-` before it, what holds instead
    /// with `+`.
    pub fn to_lines(&self, names: &[String]) -> Vec<Sentence> {
        let mut lines: Vec<Sentence> = self.before.iter().map(|was| sentence!("- {}", was.clone())).collect();
        lines.extend(self.after.iter().map(|is| sentence!("+ {}", is.clone())));
        lines.extend(self.scores.iter().cloned());
        lines.extend(self.wall_tiles.iter().cloned());
        lines.extend(self.breaches.iter().map(|breach| sentence!("against the rules: {}", breach.clone())));
        let total = |((name, was), is): ((&String, &u32), &u32)| match was == is {
            true => format!("{name} {is}"),
            false => format!("{name} {was} → {is}"),
        };
        let totals = names.iter().zip(&self.totals.0).zip(&self.totals.1).map(total);
        lines.push(Sentence::word(&totals.collect::<Vec<_>>().join(", ")));
        lines
    }
}

impl Change {
    /// The cells of the record that a change is about, so that doubts about them can go.
    pub fn cells(&self, game: &Game) -> Vec<Cell> {
        let (Change::Turn(turn, _) | Change::Delete(turn) | Change::Move(turn, _)) = self else {
            return Vec::new();
        };
        let facts = game.turns().into_iter().filter(|t| t.turn == *turn).flat_map(|t| t.facts);
        facts
            .filter_map(
                |(_, kind)| if let EventKind::TilePlaced { cell, .. } = kind { Some(cell) } else { None },
            )
            .collect()
    }
}
