//! How well a history explains all that was seen.

use super::evidence::{Evidence, Piece, Seen};
use super::faces::{Distance, Faces};
use super::line::{KeepPut, Outline, Turn};
use super::weights::Weights;
use crate::observation::Figure;
use crate::rules::{Cell, FeatureView, FigureKind, GamePosition, Move, Player, Rotation};
use crate::table::steady::Patience;

/// All that was seen, by the moment at which a history is held against it.
#[derive(Debug)]
pub(crate) struct Sight<'a> {
    pub evidence: &'a Evidence,
    pub faces: &'a Faces,
    pub weights: &'a Weights,
    /// The kinds of figures that the players have, followers first.
    pub kinds: &'a [FigureKind],
    pub patience: Patience,
    /// Record seconds.
    pub now: f64,
    /// Whether figures are being put away: that one is gone tells nothing then.
    pub packing: bool,
}

/// A history with what followed from it by the rules.
#[derive(Clone, Debug)]
pub(crate) struct Told<'a> {
    pub turns: Vec<&'a Turn>,
    pub outline: &'a Outline,
    /// Any position of the game: it names the tiles.
    pub position: &'a dyn GamePosition,
}

/// A segment on which a figure may stand, with the logarithm of how likely.
pub(crate) type Place = (u8, f32);

/// A segment and what may stand there, with the logarithm of how likely.
pub(crate) type Stance = ((u8, FigureKind), f32);

impl Sight<'_> {
    /// The followers that were seen steadily in a cell.
    pub(crate) fn pieces<'s>(&'s self, seen: &'s Seen) -> impl Iterator<Item = &'s Piece> + 's {
        self.figures_of(seen).filter(|p| p.figure() == Figure::Follower)
    }

    /// The followers and keeps that were seen steadily in a cell.
    fn figures_of<'s>(&'s self, seen: &'s Seen) -> impl Iterator<Item = &'s Piece> + 's {
        seen.pieces.iter().filter(|p| p.is_steady(&self.patience))
    }

    /// Whether a figure that no turn explains is seen too surely, or for too long, for a sign of the print.
    pub(crate) fn is_no_sign(&self, piece: &Piece) -> bool {
        let w = self.weights;
        self.is_stills() || piece.stands_surely() >= w.strange || piece.constant_for() >= 2.0 * w.constant_for
    }

    /// Whether a keep that was put down reads as one somewhere on its house.
    fn is_seen(&self, keep: &KeepPut) -> bool {
        let reads = |p: &Piece| {
            p.figure() == Figure::Keep && p.player() == keep.player.0 && p.is_steady(&self.patience)
        };
        keep.cells.iter().filter_map(|cell| self.evidence.of(*cell)).any(|seen| seen.pieces.iter().any(reads))
    }

    /// Whether it is stills that are seen, each of which shows a turn: they may be any time
    /// apart.
    pub(super) fn is_stills(&self) -> bool {
        self.patience.readings <= 1
    }

    /// The logarithm of how likely a tile reads as it does.
    fn tile(&self, seen: &Seen, id: &str, rotation: Rotation) -> f32 {
        seen.tile(id, rotation).max(self.weights.least).ln()
    }

    /// On which segments of a tile a follower may stand, as the tile lies.
    pub(crate) fn places(&self, piece: &Piece, tile: usize, rotation: Rotation) -> Vec<Place> {
        let with_pose =
            |(segment, ln): Place| (segment, ln + self.pose(piece, self.faces.lies(tile, segment)));
        self.near(piece, tile, rotation).into_iter().map(with_pose).collect()
    }

    /// The segments of a tile, as it lies, on which the foot of a figure may be.
    fn near(&self, piece: &Piece, tile: usize, rotation: Rotation) -> Vec<Place> {
        let w = self.weights;
        let bell = |off: f32, deviation: f32| (-0.5 * (off / deviation).powi(2)).exp();
        let density = |d: &Distance, lies: bool| {
            let place = if lies { &w.lying } else { &w.standing };
            let size = self.faces.size(tile, d.segment);
            // What the spread adds all round.
            let area = size + 5.0 * size.sqrt() * place.area;
            let at_anchor = bell(d.anchor, place.anchor) / (std::f32::consts::TAU * place.anchor.powi(2));
            let on_segment = w.anywhere / area + (1.0 - w.anywhere) * at_anchor;
            (1.0 - w.often_off) * bell(d.area, place.area) * on_segment + w.often_off * bell(d.area, w.off)
        };
        let distances = self.faces.distances(tile, rotation, piece.x, piece.y);
        distances
            .iter()
            .filter(|d| d.area <= w.farthest)
            .map(|d| {
                let lies = self.faces.lies(tile, d.segment);
                (d.segment, (density(d, lies) / w.usual).ln())
            })
            .collect()
    }

    /// Where on a tile a figure may stand, and as what, as the tile lies.
    pub(crate) fn stances(&self, piece: &Piece, tile: usize, rotation: Rotation) -> Vec<Stance> {
        let on = |(segment, ln): Place| {
            let (kind, lies) = (self.faces.kind(tile, segment), self.faces.lies(tile, segment));
            let may = move |figure: &&FigureKind| kind.is_none_or(|kind| figure.may_stand_on(kind));
            // Only what claims a feature lies down on it.
            let pose =
                move |figure: FigureKind| if figure.weight() > 0 { self.pose(piece, lies) } else { 0.0 };
            let stance = move |figure: &FigureKind| {
                ((segment, *figure), ln + pose(*figure) + self.size(piece, *figure))
            };
            self.kinds.iter().filter(may).map(stance)
        };
        self.near(piece, tile, rotation).into_iter().flat_map(on).collect()
    }

    /// The logarithm of how likely a figure looks as large as it does if it is of a kind, with
    /// how likely one of that kind is put down.
    pub(crate) fn size(&self, piece: &Piece, figure: FigureKind) -> f32 {
        let w = self.weights;
        if self.kinds.len() < 2 {
            return 0.0;
        }
        let rare = if figure.is_follower() { 0.0 } else { w.other_figure };
        let off = piece.size().map_or(0.0, |size| (size - figure.size().ln()) / w.size);
        -0.5 * (off * off).min(w.oddest_size) - rare
    }

    /// The logarithm of how likely a figure reads as lying or standing as it does, on a
    /// segment on which followers lie down or not (CA-40, BA-12).
    fn pose(&self, piece: &Piece, lies: bool) -> f32 {
        let Some(lying) = piece.lying() else { return 0.0 };
        let (scale, more) = self.weights.pose;
        let lying = lying.clamp(0.02, 0.98);
        let odds = (scale * (lying / (1.0 - lying)).ln() + more).clamp(-4.0, 3.0).exp();
        let lying = odds / (1.0 + odds);
        let as_it_should = if lies { lying } else { 1.0 - lying };
        let against = if lies { self.weights.stands } else { self.weights.lies };
        (as_it_should * (1.0 - against) + (1.0 - as_it_should) * against).ln()
    }

    /// The logarithm of how likely a figure reads as it does when it is a player's.
    pub(crate) fn colour(&self, piece: &Piece, player: Player) -> f32 {
        piece.is_of(player.0).max(self.weights.miscoloured).ln()
    }

    /// What speaks against the order in which tiles were laid.
    pub(crate) fn order(&self, cells: impl Iterator<Item = Cell>) -> f32 {
        let w = self.weights;
        let mut latest = f64::NEG_INFINITY;
        let mut sum = 0.0;
        let seen = cells.filter_map(|cell| self.evidence.of(cell));
        for (earliest, since) in seen.filter_map(Seen::came) {
            if since + w.same_time < latest {
                sum -= w.order;
            } else if earliest + w.same_time < latest && earliest + w.unread_for < since {
                sum -= w.unread;
            }
            latest = latest.max(earliest);
        }
        sum
    }

    /// Whether something lay unread in a cell for long, and another tile came after it, both of
    /// which were named since.
    pub(crate) fn lay_unread(&self, cell: Cell, other: Cell) -> bool {
        let w = self.weights;
        let came = |cell| self.evidence.of(cell)?.came();
        came(cell)
            .zip(came(other))
            .is_some_and(|((own, named), (other, _))| own + w.same_time < other && own + w.unread_for < named)
    }

    /// How well one turn of a history explains what was seen of its cell.
    pub(crate) fn turn(&self, history: &Told<'_>, i: usize) -> f32 {
        let Some(turn) = history.turns.get(i) else { return 0.0 };
        if turn.void {
            return -self.weights.extra_unheld - self.stands(turn.cell);
        }
        let mut breaches = history.outline.breaches.get(i).copied().unwrap_or(0);
        let mut sum = 0.0;
        let gives_turn = |m: &Move| matches!(m, Move::Use { number: 1, .. });
        let used = turn.extra.is_some() || turn.after.iter().any(gives_turn);
        let before = history.turns[..i].iter().rfind(|t| !t.void);
        let players = history.position.players();
        let out_of_turn = before.is_some_and(|t| (t.player.index() + 1) % players != turn.player.index());
        if used {
            sum -= self.weights.extra_known;
        }
        if out_of_turn && breaches > 0 {
            // What gives another turn is not held by the record, or was not used: who holds it
            // hangs on every score before. Or a turn was not seen, or one seen that was none.
            breaches -= 1;
            sum -= self.weights.extra_unheld;
        }
        sum -= self.weights.breach * breaches as f32;
        if self.laid_nothing(turn, history.position) {
            sum -= self.weights.hole;
        }
        let Some(seen) = self.evidence.of(turn.cell).filter(|s| s.since.is_some()) else { return sum };
        let id = history.position.tile_id(turn.tile).unwrap_or_default();
        sum + self.tile(seen, id, turn.rotation) + self.figures(history, i, turn, seen)
    }

    /// What speaks against that nothing stands in a cell.
    fn stands(&self, cell: Cell) -> f32 {
        let Some(seen) = self.evidence.of(cell) else { return 0.0 };
        self.figures_of(seen).map(|piece| self.none(piece, piece.was_put, 0.0)).sum()
    }

    /// What speaks against that a figure that is seen is none: whether a hand has put it there, and
    /// `constant` for how constantly it was seen. Of one that is seen faintly less does.
    pub(crate) fn none(&self, piece: &Piece, put: bool, constant: f32) -> f32 {
        let w = self.weights;
        let faint = w.faint * (w.plain - piece.there()).max(0.0);
        (constant + if put { w.put } else { w.phantom } - faint).max(w.faintest)
    }

    /// When the tile of a turn was first seen, or of the first one after it where it was none.
    fn laid(&self, history: &Told<'_>, i: usize) -> Option<f64> {
        let turn = history.turns.get(i..)?.iter().find(|t| !t.void)?;
        self.evidence.of(turn.cell)?.since
    }

    /// When the next tile was first seen after that of a cell, or one that came with it,
    /// whichever of them was laid first.
    pub(crate) fn next_laid(&self, cell: Cell, cells: impl Iterator<Item = Cell>) -> Option<f64> {
        let own = self.evidence.of(cell)?.since?;
        let since = cells.filter(|c| *c != cell).filter_map(|c| self.evidence.of(c)?.since);
        since.filter(|t| t + self.weights.same_time >= own).min_by(f64::total_cmp)
    }

    fn figures(&self, history: &Told<'_>, i: usize, turn: &Turn, seen: &Seen) -> f32 {
        let w = self.weights;
        let running = i + 1 == history.turns.len() && !history.outline.ended;
        let next = self.laid(history, i + 1);
        let home_in = history.outline.home.get(i).copied().flatten();
        let keep_stood = |piece: &Piece| {
            let own = |keep: &&KeepPut| keep.player.0 == piece.player();
            history.outline.keeps_in(turn.cell).filter(own).any(|keep| {
                let later = || self.laid(history, keep.turn).is_some_and(|t| piece.first >= t);
                piece.figure() == Figure::Keep || later() && !self.is_seen(keep)
            })
        };
        let none = |piece: &Piece| {
            match piece.figure() {
                Figure::Keep if keep_stood(piece) => return 0.0,
                Figure::Keep => return w.stray_keep,
                _ if keep_stood(piece) => return w.other_kind,
                _ => {}
            }
            let flickers = !self.is_stills() && piece.seen < 8 && piece.last - piece.first < w.flicker;
            if piece.is_gone(&self.patience) && (running || flickers) {
                w.taken_back
            } else {
                let put = piece.was_put && next.is_none_or(|next| piece.first <= next);
                let long = if self.is_stills() { 0.0 } else { piece.constant_for() / w.constant_for };
                self.none(piece, put, w.constant * long.min(1.0) as f32)
            }
        };
        let all: f32 = self.figures_of(seen).map(none).sum();
        let Some(claim) = turn.claim else { return -all };
        let stands = |piece: &Piece| -> f32 {
            let stances = self.stances(piece, turn.tile, turn.rotation);
            let place = stances.iter().find(|s| s.0 == claim).map_or(-2.0 * w.put, |s| s.1);
            let mut sum = place + self.colour(piece, turn.player);
            if !piece.was_follower(&self.patience) {
                sum -= w.other_kind;
            }
            if next.is_some_and(|next| piece.first > next + w.same_time) {
                sum -= w.late + if piece.was_put { 0.0 } else { w.unhandled };
            }
            let home = home_in.and_then(|home| self.laid(history, home));
            match home {
                Some(home) if piece.is_gone(&self.patience) => {
                    // While nobody looks at it, it may go and be scored.
                    let blind = seen.looked(piece.last, home).1;
                    let before = (home - piece.last - blind - 1.0).clamp(0.0, 10.0) as f32;
                    sum -= w.early * before / 10.0;
                }
                // What stands there now is the keep.
                Some(_) if keep_stood(piece) => {}
                // Followers go home when the turn ends: before the next tile is laid.
                Some(_) => {
                    let next = home_in.and_then(|home| self.laid(history, home + 1));
                    let over = next.map_or(0.0, |next| (self.now - next) / w.free);
                    sum -= w.lingers * over.clamp(0.0, 1.0) as f32;
                }
                None if home_in.is_some() || self.packing => {}
                None if self.evidence.is_merged(turn.cell, piece, &self.patience) => {}
                None if running && piece.is_gone(&self.patience) => sum -= 2.0 * w.taken_back + 1.0,
                None if self.is_stills() => sum -= (w.missed * piece.gone_for as f32).min(w.gone),
                None => sum -= (w.gone_a_look * piece.gone_for.saturating_sub(6) as f32).min(w.gone),
            }
            sum + none(piece)
        };
        let best = self.figures_of(seen).map(stands).fold(f32::NEG_INFINITY, f32::max);
        if best.is_finite() { best - all } else { -self.unseen_claim(history, i, turn, seen) - all }
    }

    /// How unlikely it is that a follower on the tile of a turn was never seen: it went home
    /// in a turn before it was seen, or it still stands and is not seen.
    fn unseen_claim(&self, history: &Told<'_>, i: usize, turn: &Turn, seen: &Seen) -> f32 {
        let w = self.weights;
        let Some(laid) = seen.since else { return w.hidden };
        let cells = history.turns.iter().filter(|t| !t.void).map(|t| t.cell);
        let next = self.next_laid(turn.cell, cells).unwrap_or(self.now);
        let home = history.outline.home.get(i).copied().flatten();
        let over = match home {
            Some(home) => self.laid(history, home + 1).unwrap_or(self.now),
            None => self.now,
        };
        let later = if home == Some(i) { 0 } else { seen.looked(next, over).0 };
        w.hidden + self.unseen(seen, laid, next) + w.missed * later.min(6) as f32
    }

    /// How unlikely it is that a follower came into a cell and was not seen between two
    /// moments.
    fn unseen(&self, seen: &Seen, from: f64, to: f64) -> f32 {
        let w = self.weights;
        let (looks, blind) = seen.looked(from, to);
        let looks = w.missed * looks.min(6) as f32;
        if self.is_stills() {
            return looks;
        }
        looks.min(w.haste * (w.blind - blind).max(0.0) as f32)
    }

    /// What a follower that was never seen may have claimed in a turn: `next` is when the next
    /// tile was laid.
    pub(crate) fn hidden(
        &self,
        turn: &Turn,
        position: &dyn GamePosition,
        next: f64,
    ) -> Vec<(u8, FigureKind)> {
        let Some(seen) = self.evidence.of(turn.cell) else { return Vec::new() };
        let Some(laid) = seen.since.filter(|_| turn.claim.is_none()) else { return Vec::new() };
        if self.pieces(seen).next().is_some() || self.unseen(seen, laid, next) > self.weights.missed {
            return Vec::new();
        }
        let gone = |f: &FeatureView| f.is_complete() || seen.looked(next, self.now).0 < 3;
        let around = position.features_around(turn.cell);
        let own = around.iter().filter(|f| gone(f)).flat_map(|f| &f.segments);
        own.filter(|at| at.cell == turn.cell).map(|at| (at.segment, FigureKind::FOLLOWER)).collect()
    }

    /// What else a turn may have been by what was seen in its cell; `told` leaves what
    /// people entered: its tile, its figure. `next` is when the next tile was laid, or the
    /// game was over.
    pub(crate) fn others(
        &self,
        turn: &Turn,
        position: &dyn GamePosition,
        broken: bool,
        told: (bool, bool),
        next: Option<f64>,
    ) -> Vec<Turn> {
        let Some(seen) = self.evidence.of(turn.cell).filter(|s| s.since.is_some()) else { return Vec::new() };
        let mut all = Vec::new();
        if !told.1 {
            all.extend(self.claims(turn, seen).into_iter().map(|claim| Turn { claim, ..turn.clone() }));
            let hidden = next.map_or_else(Vec::new, |next| self.hidden(turn, position, next));
            all.extend(hidden.into_iter().map(|claim| Turn { claim: Some(claim), ..turn.clone() }));
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
        let mut best: Vec<Stance> = Vec::new();
        let mut doubtful = false;
        let mut any = false;
        for piece in self.figures_of(seen) {
            let mut colour = self.colour(piece, turn.player);
            if piece.was_follower(&self.patience) {
                any = true;
            } else if turn.claim.is_none() && piece.player() == turn.player.0 {
                // What reads as a keep may be a follower, but tells of none that is recorded.
                colour -= w.other_kind;
            } else {
                continue;
            }
            doubtful |= piece.is_gone(&self.patience) || !piece.was_put || colour < -1.5;
            for (stance, ln) in self.stances(piece, turn.tile, turn.rotation) {
                match best.iter_mut().find(|b| b.0 == stance) {
                    Some(known) => known.1 = known.1.max(ln + colour),
                    None => best.push((stance, ln + colour)),
                }
            }
        }
        best.sort_by(|a, b| b.1.total_cmp(&a.1));
        let top = best.first().map_or(f32::NEG_INFINITY, |b| b.1);
        best.retain(|b| b.1 >= top - 6.0 && b.1 >= -1.8 * w.put);
        let mut claims: Vec<Option<(u8, FigureKind)>> =
            best.into_iter().map(|(stance, _)| Some(stance)).collect();
        if any && (claims.is_empty() || doubtful || top < -1.5 || claims.len() > 1) {
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
