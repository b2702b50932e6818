//! How well a history explains all that was seen.

use super::evidence::{Evidence, Piece, Seen};
use super::faces::Faces;
use super::line::{Line, Turn};
use super::weights::Weights;
use crate::observation::Figure;
use crate::rules::{Cell, FigureKind, GamePosition, Player, Rotation};
use crate::table::steady::Patience;

/// All that was seen, by the moment at which a history is held against it.
#[derive(Debug)]
pub(crate) struct Sight<'a> {
    pub evidence: &'a Evidence,
    pub faces: &'a Faces,
    pub weights: &'a Weights,
    pub patience: Patience,
    /// Record seconds.
    pub now: f64,
}

/// A segment on which a figure may stand, with the logarithm of how likely.
pub(crate) type Place = (u8, f32);

impl Sight<'_> {
    /// The figures that were seen steadily in a cell and are no keeps.
    pub(crate) fn pieces<'s>(&'s self, seen: &'s Seen) -> impl Iterator<Item = &'s Piece> + 's {
        seen.pieces.iter().filter(|p| p.figure == Figure::Follower && p.is_steady(&self.patience))
    }

    /// The logarithm of how likely a tile reads as it does.
    fn tile(&self, seen: &Seen, id: &str, rotation: Rotation) -> f32 {
        seen.tile(id, rotation).max(self.weights.least).ln()
    }

    /// On which segments of a tile a figure may stand, as the tile lies.
    pub(crate) fn places(&self, piece: &Piece, tile: usize, rotation: Rotation) -> Vec<Place> {
        let w = self.weights;
        let near = |d: &super::faces::Distance| d.area <= w.farthest;
        let ln = |d: super::faces::Distance| {
            (d.segment, -0.5 * (d.area / w.reach).powi(2) - 0.5 * (d.anchor / w.anchor).powi(2))
        };
        self.faces.distances(tile, rotation, piece.x, piece.y).into_iter().filter(near).map(ln).collect()
    }

    /// The logarithm of how likely a figure reads as it does when it is a player's.
    pub(crate) fn colour(&self, piece: &Piece, player: Player) -> f32 {
        piece.is_of(player.0).max(self.weights.miscoloured).ln()
    }

    /// How well a history explains what was seen: the logarithm of its likelihood.
    pub(crate) fn score(&self, line: &Line) -> f32 {
        let mut sum = 0.0;
        let mut latest = f64::NEG_INFINITY;
        for (i, turn) in line.turns().enumerate() {
            sum -= self.weights.breach * line.breaches(i) as f32;
            if turn.extra.is_some() {
                sum -= self.weights.extra_known;
            }
            let Some(seen) = self.evidence.of(turn.cell) else { continue };
            let Some(since) = seen.since else { continue };
            let id = line.position().tile_id(turn.tile).unwrap_or_default();
            sum += self.tile(seen, id, turn.rotation);
            if since + self.weights.same_time < latest {
                sum -= self.weights.order;
            }
            latest = latest.max(since);
            sum += self.figures(line, i, turn, seen);
        }
        sum
    }

    /// When the tile of a turn was first seen.
    fn laid(&self, line: &Line, i: usize) -> Option<f64> {
        self.evidence.of(line.turn(i)?.cell)?.since
    }

    fn figures(&self, line: &Line, i: usize, turn: &Turn, seen: &Seen) -> f32 {
        let w = self.weights;
        let running = i + 1 == line.len() && !line.is_ended(i);
        let next = self.laid(line, i + 1);
        let none = |piece: &Piece| {
            if piece.is_gone(&self.patience) && (running || piece.seen < 8) {
                w.taken_back
            } else if piece.was_put && next.is_none_or(|next| piece.first <= next) {
                w.put
            } else {
                w.phantom
            }
        };
        let all: f32 = self.pieces(seen).map(none).sum();
        let Some((segment, _)) = turn.claim else { return -all };
        let stands = |piece: &Piece| -> f32 {
            let places = self.places(piece, turn.tile, turn.rotation);
            let place = places.iter().find(|p| p.0 == segment).map_or(-2.0 * w.put, |p| p.1);
            let mut sum = place + self.colour(piece, turn.player);
            if next.is_some_and(|next| piece.first > next + w.same_time) {
                sum -= w.late + if piece.was_put { 0.0 } else { w.unhandled };
            }
            let home = line.home(i).and_then(|home| self.laid(line, home));
            match home {
                Some(home) if piece.is_gone(&self.patience) => {
                    let before = (home - piece.last - 1.0).clamp(0.0, 10.0) as f32;
                    sum -= w.early * before / 10.0;
                }
                Some(home) => {
                    let over = ((self.now - home) / w.free - 1.0).clamp(0.0, 1.0) as f32;
                    sum -= w.lingers * over;
                }
                None if line.home(i).is_some() => {}
                None if running && piece.is_gone(&self.patience) => sum -= 2.0 * w.taken_back + 1.0,
                None => sum -= (w.gone_a_look * piece.gone_for.saturating_sub(6) as f32).min(w.gone),
            }
            sum + none(piece)
        };
        let best = self.pieces(seen).map(stands).fold(f32::NEG_INFINITY, f32::max);
        // A follower that was never seen is known from before.
        if best.is_finite() { best - all } else { 0.0 }
    }

    /// What else a turn may have been by what was seen in its cell; `told` leaves what
    /// people entered: its tile, its figure.
    pub(crate) fn others(
        &self,
        turn: &Turn,
        position: &dyn GamePosition,
        broken: bool,
        told: (bool, bool),
    ) -> Vec<Turn> {
        let Some(seen) = self.evidence.of(turn.cell).filter(|s| s.since.is_some()) else { return Vec::new() };
        let mut all = Vec::new();
        if !told.1 {
            all.extend(self.claims(turn, seen).into_iter().map(|claim| Turn { claim, ..turn.clone() }));
        }
        if !told.0 {
            let own = seen.tile(position.tile_id(turn.tile).unwrap_or_default(), turn.rotation);
            let least = if broken { 0.01 } else { 0.12 * own };
            for (id, rotation, share) in seen.tiles().into_iter().take(5) {
                let Some(tile) = position.tile_index(id) else { continue };
                if share < least.max(0.01) || (tile, rotation) == (turn.tile, turn.rotation) {
                    continue;
                }
                let mut other = Turn { tile, rotation, ..turn.clone() };
                if turn.claim.is_some() && !told.1 {
                    other.claim = None;
                    for claim in self.claims(&other, seen).into_iter().take(2) {
                        all.push(Turn { claim, ..other.clone() });
                    }
                } else if !told.1 || turn.claim.is_none() {
                    all.push(other);
                }
            }
        }
        all.retain(|other| other != turn);
        all
    }

    /// The claims other than its own that a turn may have made, likeliest first.
    fn claims(&self, turn: &Turn, seen: &Seen) -> Vec<Option<(u8, FigureKind)>> {
        let w = self.weights;
        let mut best: Vec<Place> = Vec::new();
        let mut doubtful = false;
        let mut any = false;
        for piece in self.pieces(seen) {
            any = true;
            let colour = self.colour(piece, turn.player);
            doubtful |= piece.is_gone(&self.patience) || !piece.was_put || colour < -1.5;
            for (segment, ln) in self.places(piece, turn.tile, turn.rotation) {
                match best.iter_mut().find(|b| b.0 == segment) {
                    Some(known) => known.1 = known.1.max(ln + colour),
                    None => best.push((segment, ln + colour)),
                }
            }
        }
        if !any {
            return Vec::new();
        }
        best.sort_by(|a, b| b.1.total_cmp(&a.1));
        let top = best.first().map_or(f32::NEG_INFINITY, |b| b.1);
        best.retain(|b| b.1 >= top - 6.0 && b.1 >= -1.8 * w.put);
        let figure = FigureKind::FOLLOWER;
        let mut claims: Vec<Option<(u8, FigureKind)>> =
            best.into_iter().map(|(segment, _)| Some((segment, figure))).collect();
        if claims.is_empty() || doubtful || top < -1.5 || claims.len() > 1 {
            claims.push(None);
        }
        claims.retain(|c| *c != turn.claim);
        claims
    }

    /// What lies in a cell, so and so likely, by the readings alone.
    pub(crate) fn tiles(&self, cell: Cell) -> Vec<(&str, Rotation, f32)> {
        self.evidence.of(cell).map_or_else(Vec::new, Seen::tiles)
    }
}
