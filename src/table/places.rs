//! What is seen in places with names: whose figures stand in each, and where the figure that is
//! nobody's does (CO-03).

use std::collections::BTreeSet;

use super::histories::evidence::{Piece, Seen};
use super::scribe::Scribe;
use super::steady::Patience;
use crate::rules::{Cell, GamePosition, Move, NamedPlace, Phase, Player, SegmentAt, StandingFollower};

/// A piece that was first seen so long before the tile of the turn was put down on another tile for
/// that turn, seconds: a hand's way.
const BEFORE: f64 = 4.0;

/// A figure is not on what is less likely by so much, the logarithm, than what it is likeliest on: one in
/// twelve, set by hand. Larger takes a figure on one feature for one on another beside it.
const BESIDE: f32 = 2.5;

/// What was seen of the moves of a step.
#[derive(Debug)]
pub(super) enum SeenDone {
    /// One was made.
    Done(Move),
    /// None was.
    Nothing,
    /// It cannot be told yet.
    NotYet,
    /// Figures have left these places, and it cannot be told where they went.
    Left(Vec<SegmentAt>),
    /// It cannot be told.
    Unclear,
}

impl Scribe {
    /// Which of the moves of a step was made, as far as it shows in places with names. `over` says
    /// whether the players have gone on.
    pub(super) fn done_in_places(&self, moves: &[Move], over: bool) -> SeenDone {
        let position = self.position();
        let places = position.named_places();
        let Some(laid) = self.tile_of_turn() else { return SeenDone::Unclear };
        let sight = self.histories.sight(self.patience, self.now);
        if places.is_empty() || sight.packing {
            return SeenDone::Unclear;
        }
        if !self.is_in_view(&places, laid) {
            return SeenDone::NotYet;
        }
        let mut done: Vec<Move> = Vec::new();
        let mut open: BTreeSet<(Player, SegmentAt)> = BTreeSet::new();
        for played in moves {
            match played {
                Move::Claim { player, at, .. } => _ = open.insert((*player, *at)),
                Move::Redeploy { player, from, .. } => _ = open.insert((*player, *from)),
                Move::MoveNeutral { .. } | Move::Pass { .. } => {}
                _ => return SeenDone::Unclear,
            }
        }
        if moves.iter().any(|m| matches!(m, Move::MoveNeutral { .. })) {
            let Some(((x, y), last)) = sight.evidence.neutral(&self.patience) else {
                return SeenDone::NotYet;
            };
            let now = nearest(&places, x, y);
            let moved = moves.iter().find(|m| matches!(m, Move::MoveNeutral { to, .. } if Some(*to) == now));
            match moved {
                Some(moved) => done.push(moved.clone()),
                // It was looked for since, and is where it was.
                None if last < laid => return SeenDone::Unclear,
                None => {}
            }
        }
        let (mut as_recorded, mut left) = (true, Vec::new());
        for (player, place) in open {
            let recorded = recorded_in(position, player, place);
            let seen = self.seen_in(&places, player, place);
            let stand: Vec<&Piece> = seen.iter().copied().filter(|p| self.stands_by_now(p, player)).collect();
            // What is seen faintly did not come; what is recorded may be seen so.
            let is_sure = |p: &&&Piece| p.stands_surely() >= sight.weights.entered;
            let came: Vec<&Piece> = stand.iter().filter(is_sure).copied().collect();
            let now: Vec<&Piece> = seen.into_iter().filter(|p| p.gone_for == 0).collect();
            as_recorded &= now.iter().filter(is_sure).count() <= recorded && now.len() >= recorded;
            let here = |m: &&Move| match m {
                Move::Claim { player: p, at, .. } => (*p, *at) == (player, place),
                Move::Redeploy { player: p, from, .. } => (*p, *from) == (player, place),
                _ => false,
            };
            let of_place: Vec<&Move> = moves.iter().filter(here).collect();
            if came.len() > recorded {
                let newest = came.iter().max_by(|a, b| a.stands_since().total_cmp(&b.stands_since()));
                let claims = of_place.into_iter().filter_map(|m| match m {
                    Move::Claim { figure, .. } => Some((m, newest.map_or(0.0, |p| sight.size(p, *figure)))),
                    _ => None,
                });
                done.extend(claims.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(m, _)| m.clone()));
            } else if stand.len() < recorded {
                let leaves: Vec<&Move> =
                    of_place.into_iter().filter(|m| matches!(m, Move::Redeploy { .. })).collect();
                if leaves.is_empty() {
                    continue;
                }
                match self.went_to(&leaves, laid, over) {
                    Some(went) => done.push(went.clone()),
                    None => left.push(place),
                }
            }
        }
        // Whoever moves several may have moved them in any order (CO-17).
        if done.iter().all(|m| matches!(m, Move::Redeploy { .. })) {
            done.truncate(1);
        }
        match (done.pop(), done.is_empty()) {
            (None, _) if !left.is_empty() => SeenDone::Left(left),
            (None, _) if self.is_settled(&places, as_recorded) => SeenDone::Nothing,
            (None, _) => SeenDone::NotYet,
            (Some(one), true) => SeenDone::Done(one),
            _ => SeenDone::Unclear,
        }
    }

    /// Whether a figure has left its place that may in a step, or in one of those after it if nothing is
    /// done in those before: what comes to stand then was not put there in the turn.
    pub(super) fn has_left_a_place(&self, mut position: Box<dyn GamePosition>) -> bool {
        let places = position.named_places();
        let in_view = self.tile_of_turn().is_some_and(|laid| self.is_in_view(&places, laid));
        if places.is_empty() || !in_view || self.histories.sight(self.patience, self.now).packing {
            return false;
        }
        for _ in 0..position.players() {
            if position.phase() != Phase::Step {
                break;
            }
            let left = |m: &Move| match m {
                Move::Redeploy { player, from, .. } => {
                    let recorded = recorded_in(&*position, *player, *from);
                    let seen = self.seen_in(&places, *player, *from);
                    seen.iter().filter(|p| self.stands_by_now(p, *player)).count() < recorded
                }
                _ => false,
            };
            if position.legal_moves(&[]).iter().any(left) {
                return true;
            }
            if position.play(&Move::Pass { player: position.actor() }).is_err() {
                break;
            }
        }
        false
    }

    /// Whether a player's figure stands where one was seen, and nothing that reads as another's by now.
    fn stands_by_now(&self, piece: &Piece, player: Player) -> bool {
        piece.stands(&self.patience) && piece.player_by_now() == player.0
    }

    /// When the tile of the turn was first seen, record seconds.
    fn tile_of_turn(&self) -> Option<f64> {
        let cell = self.position().last_cell()?;
        self.histories.evidence.of(cell)?.since
    }

    /// The tiles that lay before the game.
    fn tiles_before(&self) -> Vec<Cell> {
        let start = self.game.start_position();
        start.cells().into_iter().filter(|cell| start.tile_at(*cell).is_some()).collect()
    }

    /// Whether the tiles round each place were seen with nothing over them since a moment.
    fn is_in_view(&self, places: &[NamedPlace], since: f64) -> bool {
        let seen = |seen: &Seen| seen.looked(since, f64::MAX).0 >= self.patience.readings;
        self.is_so_round(places, seen)
    }

    /// Whether they are in view for long enough by now to tell that nothing came or went while they were
    /// not: figures that come and go are told after some readings of a film, those that are all seen
    /// `as_recorded` sooner.
    fn is_settled(&self, places: &[NamedPlace], as_recorded: bool) -> bool {
        let Patience { readings, .. } = self.patience;
        let least = match (readings, as_recorded) {
            // A still is looked at once.
            (1, _) => 1,
            (_, true) => readings,
            (_, false) => Piece::gone_after(&self.patience).max(readings) + 1,
        };
        self.is_so_round(places, |seen| seen.in_view_for() >= least)
    }

    /// Whether something is so of all tiles round the places.
    fn is_so_round(&self, places: &[NamedPlace], is_so: impl Fn(&Seen) -> bool) -> bool {
        let near = |cell: &Cell| {
            let (x, y) = (f32::from(cell.col) + 0.5, f32::from(cell.row) + 0.5);
            places.iter().any(|p| (p.x - x).abs() < 1.0 && (p.y - y).abs() < 1.0)
        };
        let holds = |cell: Cell| self.histories.evidence.of(cell).is_some_and(&is_so);
        self.tiles_before().into_iter().filter(near).all(holds)
    }

    /// A player's figures that were seen in a place, there by now or not.
    fn seen_in(&self, places: &[NamedPlace], player: Player, place: SegmentAt) -> Vec<&Piece> {
        let evidence = &self.histories.evidence;
        let mut there = Vec::new();
        for cell in self.tiles_before() {
            let Some(seen) = evidence.of(cell) else { continue };
            let here = |piece: &&Piece| {
                let (x, y) = (f32::from(cell.col) + piece.x, f32::from(cell.row) + piece.y);
                piece.player() == player.0 && nearest(places, x, y) == Some(place)
            };
            there.extend(seen.pieces.iter().filter(here));
        }
        there
    }

    /// Of moves of a figure that has left its place, the one to where it was put: where a figure of
    /// its player was seen that the record has not, or, when the players have gone on, the only feature
    /// that there is.
    fn went_to<'m>(&self, moves: &[&'m Move], laid: f64, over: bool) -> Option<&'m Move> {
        let position = self.position();
        let sight = self.histories.sight(self.patience, self.now);
        let followers = position.followers();
        let as_seen = |played: &&'m Move| {
            let Move::Redeploy { player, to, figure, .. } = *played else { return None };
            if followers.iter().any(|f| (f.player, f.cell) == (*player, to.cell)) {
                return None;
            }
            let (tile, rotation) = position.tile_at(to.cell)?;
            let pieces = sight.evidence.of(to.cell)?.pieces.iter();
            let came = |p: &&Piece| p.stands_since() >= laid - BEFORE && p.looks() >= self.patience.readings;
            let own = pieces.filter(|p| p.player() == player.0).filter(came);
            let on = |piece: &Piece| {
                let places = sight.places(piece, tile, rotation);
                let ln = places.iter().find(|place| place.0 == to.segment)?.1;
                // Of several figures that came the one whose foot is there, not the one beside it.
                let likeliest = places.iter().map(|place| place.1).fold(f32::NEG_INFINITY, f32::max);
                let beside = ln - likeliest;
                (beside >= -BESIDE).then(|| beside + sight.size(piece, *figure))
            };
            own.filter_map(on).max_by(f32::total_cmp).map(|ln| (*played, ln))
        };
        let seen = moves.iter().filter_map(as_seen).max_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((played, _)) = seen {
            return Some(played);
        }
        let first = moves.first().filter(|_| over)?;
        let to = |played: &Move| match played {
            Move::Redeploy { to, figure, .. } => Some((*to, *figure)),
            _ => None,
        };
        let (to_first, figure) = to(first)?;
        let features = position.features_around(to_first.cell);
        let feature = features.iter().find(|f| f.segments.contains(&to_first))?;
        let all = |m: &&&Move| to(m).is_some_and(|(at, f)| f == figure && feature.segments.contains(&at));
        (moves.iter().filter(all).count() == moves.len()).then_some(*first)
    }
}

/// How many figures a player has in a place by the record.
fn recorded_in(position: &dyn GamePosition, player: Player, place: SegmentAt) -> usize {
    let there = |f: &&StandingFollower| (f.player, f.cell, f.segment) == (player, place.cell, place.segment);
    position.followers().iter().filter(there).count()
}

/// The place whose middle is nearest.
fn nearest(places: &[NamedPlace], x: f32, y: f32) -> Option<SegmentAt> {
    let away = |place: &&NamedPlace| (place.x - x).hypot(place.y - y);
    places.iter().min_by(|a, b| away(a).total_cmp(&away(b))).map(|place| place.at)
}
