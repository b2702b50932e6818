//! What is found out later: turns that were taken back, misread or missed.

use super::compare::Difference;
use super::doubts::{Problem, read_as};
use super::placing::{self, Choice, NewTile, REACH};
use super::scribe::{Scribe, Turn, apply, is_no_worse};
use super::steady::{Candidate, SteadyFigure};
use crate::observation::Figure;
use crate::record::{EventKind, Game, RecordError};
use crate::rules::{Cell, Player, Role, SegmentAt, Sentence, sentence};

/// An older tile is only corrected by a reading at least this sure.
const REREAD_CONFIDENCE: f32 = 0.5;
/// A new tile that reads as one that is gone with at least this may be that one.
const MAY_BE: f32 = 0.05;
/// Followers that were scored may stay this many times the patience before
/// anybody is reminded.
const LINGER: f64 = 15.0;

impl Scribe {
    /// The newest tile was moved, turned, taken back or misread.
    pub(super) fn revise(&mut self, turn: &Turn, difference: &Difference) -> bool {
        let gone = difference.gone.contains(&turn.cell);
        let changed = difference.changed.iter().find(|(c, ..)| *c == turn.cell);
        if !gone && changed.is_none() {
            return false;
        }
        let mut without = self.game.clone();
        if take_back(&mut without, turn, self.now).is_err() {
            return false;
        }
        let (cell, candidates) = match (changed, &difference.new[..]) {
            (Some((cell, candidates, _)), _) => (*cell, candidates),
            (None, [new]) => (new.cell, &new.candidates),
            (None, []) => {
                let first = self.game.events().len();
                let facts = [Some(turn.lay), turn.claim.map(|c| c.0), turn.end];
                let before = self.game.facts();
                let done = take_back(&mut self.game, turn, self.now).is_ok();
                if done {
                    let taken =
                        facts.into_iter().flatten().filter_map(|seq| before.iter().find(|f| f.0 == seq));
                    self.taken_back = taken.cloned().collect();
                }
                self.take_notice(first);
                return done;
            }
            (None, _) => return false,
        };
        let Choice::Clear(candidate) = placing::choose(without.position(), cell, candidates) else {
            return false;
        };
        if cell == turn.cell && candidate.tile == turn.tile && candidate.rotation == turn.rotation {
            return false;
        }
        let instead = EventKind::TilePlaced {
            player: turn.player,
            tile: candidate.tile.clone(),
            cell,
            rotation: candidate.rotation,
        };
        let first = self.game.events().len();
        let mut shorter = turn.clone();
        shorter.lay = 0;
        let corrected = EventKind::Correction { replaces: turn.lay, instead: Some(Box::new(instead)) };
        let done = take_back(&mut self.game, &shorter, self.now).is_ok()
            && apply(&mut self.game, corrected, candidate.confidence, self.now).is_ok();
        self.confidences.remove(&turn.cell);
        self.confidences.insert(cell, candidate.confidence);
        self.take_notice(first);
        done
    }

    /// Whether a tile is seen no more although no hand took it away; `new` are the tiles that the
    /// record has not.
    pub(super) fn is_lost(&self, cell: Cell, new: &[NewTile]) -> bool {
        self.is_lost_as(cell, &self.tile_id(cell), new)
    }

    /// The same of a tile that the record has there no more.
    fn is_lost_as(&self, cell: Cell, tile: &str, new: &[NewTile]) -> bool {
        self.histories.is_lost(cell, new.is_empty() || new.iter().any(|new| may_be(tile, new)))
    }

    /// Whether nothing is recorded while the players are asked about a tile that is missed: it may be
    /// what was laid before `until`, record seconds. What surely is another, or came later, is a turn.
    pub(super) fn holds_up(&self, cell: Cell, until: f64, new: &[NewTile]) -> bool {
        let tile = self.tile_id(cell);
        !self.is_lost(cell, new) && new.iter().any(|new| new.since <= until && may_be(&tile, new))
    }

    /// Puts the turn that was taken back into the record again where its tile was lost and others
    /// are laid: whether that was done.
    pub(super) fn restore_lost(&mut self, new: &[NewTile]) -> bool {
        let laid = self.taken_back.iter().find_map(|(_, kind)| match kind {
            EventKind::TilePlaced { tile, cell, .. } => Some((*cell, tile.as_str())),
            _ => None,
        });
        let is_lost = !new.is_empty() && laid.is_some_and(|(cell, tile)| self.is_lost_as(cell, tile, new));
        if is_lost {
            self.restore();
        }
        is_lost
    }

    /// Puts the turn that was taken back into the record again: its tile was only
    /// the first of many to go.
    pub(super) fn restore(&mut self) {
        for (seq, kind) in std::mem::take(&mut self.taken_back) {
            self.correct(seq, Some(kind), 0.8);
        }
    }

    /// A tile of an earlier turn reads differently for some time.
    pub(super) fn reread(
        &mut self,
        cell: Cell,
        candidates: &[Candidate],
        since: f64,
        problems: &mut Vec<(Problem, Sentence)>,
    ) -> bool {
        if self.now - since < self.patience.before_doubt {
            return false;
        }
        let Some(top) = candidates.first() else { return false };
        let recorded = self.tile_id(cell);
        let facts = self.game.facts();
        let lay = facts.iter().find_map(|(seq, kind)| match kind {
            EventKind::TilePlaced { player, cell: c, .. } if *c == cell => Some((*seq, *player)),
            _ => None,
        });
        let follower = facts.iter().find_map(|(seq, kind)| match kind {
            EventKind::FollowerPlaced { cell: c, segment, .. } if *c == cell => Some((*seq, *segment)),
            _ => None,
        });
        if let Some((seq, player)) = lay
            && top.confidence >= REREAD_CONFIDENCE
            && follower.is_none_or(|(_, segment)| self.same_segment(cell, top, segment))
        {
            let instead =
                EventKind::TilePlaced { player, tile: top.tile.clone(), cell, rotation: top.rotation };
            let kind = EventKind::Correction { replaces: seq, instead: Some(Box::new(instead)) };
            if self.record_if_better(&[kind], top.confidence) {
                self.confidences.insert(cell, top.confidence);
                return true;
            }
        }
        let sentence = sentence!(
            "the tile in {} is {} in the record, but reads as {}; correct it if the record is wrong",
            cell,
            recorded,
            read_as(top)
        );
        problems.push((Problem::Reread(cell), sentence));
        false
    }

    /// Whether a segment of the recorded tile is of the same kind on another.
    fn same_segment(&self, cell: Cell, other: &Candidate, segment: u8) -> bool {
        let recorded = self.position().tile_at(cell).and_then(|(tile, _)| self.kind(tile, segment));
        recorded.is_some()
            && recorded == self.deck.index(&other.tile).and_then(|tile| self.kind(tile, segment))
    }

    /// Followers on tiles of earlier turns that the record has not.
    pub(super) fn stray_followers(
        &mut self,
        newest: Option<Cell>,
        problems: &mut Vec<(Problem, Sentence)>,
    ) -> bool {
        let expected = self.position().followers();
        let cells: Vec<Cell> = self.position().cells();
        for cell in cells {
            if Some(cell) == newest || self.position().tile_at(cell).is_none() {
                continue;
            }
            for figure in self.memory.figures(cell) {
                let player = Player(figure.player);
                let known = expected.iter().any(|f| f.cell == cell && f.player == player);
                if figure.figure != Figure::Follower || known || player.index() >= self.position().players() {
                    continue;
                }
                if let Some((.., since)) = self.lingering.iter().find(|(p, c, _)| *p == player && *c == cell)
                {
                    if self.now - since >= LINGER * self.patience.before_doubt {
                        let sentence = sentence!(
                            "{}'s follower in {} has been scored; take it home",
                            self.name(player),
                            cell
                        );
                        problems.push((Problem::Lingering(cell, player), sentence));
                    }
                    continue;
                }
                if figure.age < self.patience.before_doubt && self.patience.readings > 1 {
                    continue;
                }
                if self.insert_follower(cell, &figure) {
                    return true;
                }
                if !self.may_be_keep(cell, &figure) {
                    let sentence = sentence!("{}, where the record has none", self.stands(player, cell));
                    problems.push((Problem::Follower(cell, player), sentence));
                }
            }
        }
        false
    }

    /// Puts a follower that was missed into the turn of its tile.
    fn insert_follower(&mut self, cell: Cell, figure: &SteadyFigure) -> bool {
        let facts = self.game.facts();
        let lay = facts.iter().position(
            |(_, k)| matches!(k, EventKind::TilePlaced { cell: c, player, .. } if *c == cell && player.0 == figure.player),
        );
        let Some(lay) = lay else { return false };
        let Some((next, kind)) = facts.get(lay + 1) else { return false };
        if !matches!(kind, EventKind::TurnEnded { .. }) {
            return false;
        }
        let player = Player(figure.player);
        for (segment, distance) in self.nearest(cell, figure) {
            if distance > REACH {
                return false;
            }
            let at = SegmentAt { cell, segment };
            let Some(role) = self.position().role_at(at) else { continue };
            let fact = EventKind::follower(player, at, role);
            let kind = EventKind::Inserted { before: *next, fact: Box::new(fact) };
            let mut tried = self.game.clone();
            if apply(&mut tried, kind.clone(), figure.confidence, self.now).is_ok()
                && is_no_worse(&tried, &self.game)
                && tried.position().followers().iter().any(|f| f.cell == cell && f.player == player)
            {
                return self.record(kind, figure.confidence * (1.0 - 0.5 * distance / REACH));
            }
        }
        false
    }

    /// Whether a figure taken for a follower may be its player's keep.
    fn may_be_keep(&self, cell: Cell, figure: &SteadyFigure) -> bool {
        let on_house = self
            .nearest(cell, figure)
            .first()
            .and_then(|(segment, _)| self.position().role_at(SegmentAt { cell, segment: *segment }))
            .is_some_and(|role| role == Role::SQUIRE);
        on_house && self.position().largest(Player(figure.player)).is_some()
    }
}

/// Whether a tile that the record has not may be this one.
fn may_be(tile: &str, new: &NewTile) -> bool {
    let is_it = |c: &Candidate| c.tile == tile && c.confidence >= MAY_BE;
    new.candidates.is_empty() || new.candidates.iter().any(is_it)
}

/// Takes a turn back, the last fact first; a `lay` of 0 leaves its tile.
fn take_back(game: &mut Game, turn: &Turn, t: f64) -> Result<(), RecordError> {
    let lay = (turn.lay > 0).then_some(turn.lay);
    for seq in [turn.end, turn.claim.map(|c| c.0), lay].into_iter().flatten() {
        apply(game, EventKind::Correction { replaces: seq, instead: None }, 0.8, t)?;
    }
    Ok(())
}
