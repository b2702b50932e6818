//! The newest turn: its tile, its follower and its end, as they are seen.

use super::compare::Difference;
use super::doubts::{Problem, either, listed, read_as};
use super::placing::{self, Choice, NewTile, REACH};
use super::saying::Asks;
use super::scribe::{Scribe, Turn, apply};
use super::steady::{Candidate, SteadyFigure};
use crate::observation::Figure;
use crate::record::{EventKind, Source};
use crate::rules::{Cell, GamePosition, Illegality, Move, Phase, Player, SegmentAt, Sentence, sentence};

/// The last turn waits so many times the patience for its follower.
const LAST_CALM: f64 = 2.0;

impl Scribe {
    /// Takes the only new tile for the next turn's.
    pub(super) fn place_one(&mut self, new: &NewTile, problems: &mut Vec<(Problem, Sentence)>) -> bool {
        let Some(position) = self.waiting_for_tile() else { return false };
        let player = position.to_move();
        let patient = self.now - new.since < self.patience.before_doubt;
        match placing::choose(&*position, new.cell, &new.candidates) {
            Choice::Clear(candidate) => self.lay(player, new.cell, &candidate),
            Choice::Against(candidate, why) => {
                if patient {
                    return false;
                }
                let sentence = sentence!(
                    "{}, but {}; correct it if it was misread",
                    self.game.wording().told(&tile_placed(player, new.cell, &candidate)),
                    Sentence::both(why.iter().map(Sentence::from))
                );
                let laid = self.lay(player, new.cell, &candidate);
                if laid {
                    self.doubt_now(sentence, new.cell, Asks::Against);
                }
                laid
            }
            Choice::Unclear(candidates) => {
                let Some(best) = candidates.first() else { return false };
                if patient {
                    return false;
                }
                let sentence = sentence!(
                    "the tile in {} is taken for {}; it may be {}",
                    new.cell,
                    read_as(best),
                    either(candidates.iter().skip(1).take(2))
                );
                let laid = self.lay(player, new.cell, best);
                if laid {
                    self.doubt_now(sentence, new.cell, Asks::What);
                }
                laid
            }
            Choice::Nothing(why) => {
                let sentence = match (new.candidates.first(), why.first()) {
                    (Some(top), Some(why)) => sentence!(
                        "the tile in {} reads as {}, but {}; say what it is, or move it",
                        new.cell,
                        read_as(top),
                        Sentence::from(why)
                    ),
                    _ => sentence!("the tile in {} cannot be named; say which it is", new.cell),
                };
                problems.push((Problem::Tile(new.cell), sentence));
                false
            }
        }
    }

    fn lay(&mut self, player: Player, cell: Cell, candidate: &Candidate) -> bool {
        let first = self.game.events().len();
        let done =
            apply(&mut self.game, tile_placed(player, cell, candidate), candidate.confidence, self.now)
                .is_ok();
        if done {
            self.taken_back.clear();
            self.confidences.insert(cell, candidate.confidence);
            self.calm_since = Some(self.now);
        }
        self.take_notice(first);
        done
    }

    /// Several new tiles at once: frames were missed.
    pub(super) fn place_many(
        &mut self,
        difference: &Difference,
        problems: &mut Vec<(Problem, Sentence)>,
    ) -> bool {
        let new = &difference.new;
        let Some(position) = self.waiting_for_tile() else { return false };
        let cells: Vec<Cell> = new.iter().map(|n| n.cell).collect();
        let youngest = new.iter().map(|n| n.since).fold(f64::NEG_INFINITY, f64::max);
        match placing::order(&*position, &self.layouts, new) {
            Some(order) if order.certain || self.now - youngest >= self.patience.before_doubt => {
                self.doubts.in_step();
                let mut done = false;
                for (i, candidate) in &order.tiles {
                    let player = self.waiting_for_tile().map(|p| p.to_move());
                    let Some((player, new)) = player.zip(new.get(*i)) else { break };
                    if !self.lay(player, new.cell, candidate) {
                        break;
                    }
                    done = true;
                    if let Some(turn) = self.turn() {
                        self.follow(&turn, problems);
                    }
                }
                if done && !order.certain {
                    let sentence = sentence!(
                        "several tiles came at once, in {}; they are taken to be laid in this order",
                        listed(&cells)
                    );
                    self.doubt_now(sentence, new[order.tiles[0].0].cell, Asks::Order);
                }
                done
            }
            Some(_) => false,
            None => {
                let sentence = sentence!(
                    "tiles in {} are not in the record and fit no order of turns; enter them by hand or take \
                     them away",
                    listed(&cells)
                );
                problems.push((Problem::Step, sentence));
                false
            }
        }
    }

    /// Looks for a follower on the newest tile.
    pub(super) fn follow(&mut self, turn: &Turn, problems: &mut Vec<(Problem, Sentence)>) -> bool {
        let seen: Vec<SteadyFigure> =
            self.memory.figures(turn.cell).into_iter().filter(|f| f.figure == Figure::Follower).collect();
        let own = seen.iter().find(|f| f.player == turn.player.0);
        match (own, turn.claim) {
            (Some(figure), None)
                if !self.is_lingering(turn.player, turn.cell) && self.claim(turn, figure, problems) =>
            {
                return true;
            }
            (Some(figure), Some((seq, segment))) if self.move_claim(turn, figure, seq, segment) => {
                return true;
            }
            (None, Some((seq, _))) => {
                let stands = self.position().followers().iter().any(|f| f.cell == turn.cell);
                if stands && self.memory.is_clear_of(turn.cell, turn.player.0, Figure::Follower) {
                    return self.correct(seq, None, 0.8);
                }
            }
            _ => {}
        }
        match seen.iter().find(|f| f.player != turn.player.0) {
            Some(figure) if own.is_none() && turn.claim.is_none() => self.extra_turn(turn, figure, problems),
            _ => false,
        }
    }

    /// Looks for a follower on the last tile of a game that what it completed has ended,
    /// for as long as a last turn that completes nothing waits for its follower.
    pub(super) fn follow_after_end(&mut self) {
        let Some(turn) = self.turn().filter(|t| t.claim.is_none()) else { return };
        let ended = self.game.events().iter().rev().find(|e| Some(e.seq) == turn.end);
        let waits = ended.is_some_and(|end| {
            end.source == Source::Table && self.now - end.t <= LAST_CALM * self.patience.before_doubt
        });
        if !waits || self.is_lingering(turn.player, turn.cell) {
            return;
        }
        let is_own = |f: &SteadyFigure| f.figure == Figure::Follower && f.player == turn.player.0;
        if let Some(figure) = self.memory.figures(turn.cell).into_iter().find(is_own) {
            self.claim(&turn, &figure, &mut Vec::new());
        }
    }

    /// As [`Scribe::follow_after_end`], by weighing histories.
    pub(super) fn weigh_after_end(&mut self) {
        let Some(turn) = self.turn() else { return };
        let ended = self.game.events().iter().rev().find(|e| Some(e.seq) == turn.end);
        let waits = ended.is_some_and(|end| {
            end.source == Source::Table && self.now - end.t <= LAST_CALM * self.patience.before_doubt
        });
        if waits {
            let mut problems = Vec::new();
            self.weigh(&mut problems);
            self.note(problems);
        }
    }

    fn claim(&mut self, turn: &Turn, figure: &SteadyFigure, problems: &mut Vec<(Problem, Sentence)>) -> bool {
        let mut before = self.game.clone();
        if let Some(end) = turn.end
            && apply(&mut before, EventKind::Correction { replaces: end, instead: None }, 1.0, self.now)
                .is_err()
        {
            return false;
        }
        let position = before.position();
        if let Some((at, confidence)) = placing::claim(position, &self.layouts, turn.cell, figure)
            && let Some(role) = position.role_at(at)
        {
            let fact = EventKind::follower(turn.player, at, role);
            let kind = match turn.end {
                Some(end) => EventKind::Inserted { before: end, fact: Box::new(fact) },
                None => fact,
            };
            return self.record(kind, confidence);
        }
        let sentence = self.against_follower(position, turn, figure);
        problems.push((Problem::Follower(turn.cell, turn.player), sentence));
        false
    }

    fn against_follower(&self, position: &dyn GamePosition, turn: &Turn, figure: &SteadyFigure) -> Sentence {
        let name = self.name(turn.player);
        let segment = self.nearest(turn.cell, figure).into_iter().next();
        let at = segment.map(|s| SegmentAt { cell: turn.cell, segment: s.0 });
        let against = |at| position.illegalities(&Move::follower(turn.player, at)).into_iter().next();
        let why: Option<Illegality> = at.and_then(against).map(|why| why.named(self.game.names()));
        let kind = at.and_then(|at| self.kind_word(at)).unwrap_or_else(|| "tile".to_owned());
        match &why {
            Some(why) => sentence!(
                "a follower of {} stands on the {} in {}, but {}; say where it is meant",
                name,
                Sentence::word(&kind),
                turn.cell,
                Sentence::from(why)
            ),
            None => sentence!("{}, where it has no place", self.stands(turn.player, turn.cell)),
        }
    }

    /// The follower of the newest tile stands elsewhere than recorded.
    fn move_claim(&mut self, turn: &Turn, figure: &SteadyFigure, seq: u64, segment: u8) -> bool {
        let nearest = self.nearest(turn.cell, figure);
        let away = nearest.iter().find(|n| n.0 == segment).map_or(f32::INFINITY, |n| n.1);
        let Some(&(now, _)) = nearest.first() else { return false };
        if now == segment || away <= REACH || figure.age < self.patience.seconds {
            return false;
        }
        let at = SegmentAt { cell: turn.cell, segment: now };
        let Some(role) = self.position().role_at(at) else { return false };
        let instead = EventKind::follower(turn.player, at, role);
        let kind = EventKind::Correction { replaces: seq, instead: Some(Box::new(instead)) };
        self.record_if_better(&[kind], figure.confidence)
    }

    /// The follower on the newest tile is another player's: who laid the tile
    /// had used wall tile 1 (CA-82).
    fn extra_turn(
        &mut self,
        turn: &Turn,
        figure: &SteadyFigure,
        problems: &mut Vec<(Problem, Sentence)>,
    ) -> bool {
        let other = Player(figure.player);
        if other.index() >= self.position().players() || self.is_lingering(other, turn.cell) {
            return false;
        }
        let held = self.position().prizes(other);
        let known = held.iter().any(|t| t.1 == Some(1));
        if known || held.iter().any(|t| t.1.is_none()) {
            let used = EventKind::WallTileUsed { player: other, number: 1, on: None };
            let lay = EventKind::TilePlaced {
                player: other,
                tile: turn.tile.clone(),
                cell: turn.cell,
                rotation: turn.rotation,
            };
            let mut kinds = Vec::new();
            if let Some(end) = turn.end {
                kinds.push(EventKind::Correction { replaces: end, instead: None });
            }
            kinds.push(EventKind::Inserted { before: turn.lay, fact: Box::new(used) });
            kinds.push(EventKind::Correction { replaces: turn.lay, instead: Some(Box::new(lay)) });
            if self.record_if_better(&kinds, 0.5) {
                if !known {
                    let sentence = sentence!(
                        "{} put a follower in {} on {}'s turn and is taken to have used a wall tile {}; \
                         correct it if not",
                        self.name(other),
                        turn.cell,
                        self.name(turn.player),
                        self.position().prize_word(1)
                    );
                    self.doubt_now(sentence, turn.cell, Asks::WhoLaid);
                }
                return true;
            }
        }
        let sentence = sentence!(
            "{} on {}'s tile; say whose turn it was",
            self.stands(other, turn.cell),
            self.name(turn.player)
        );
        problems.push((Problem::Follower(turn.cell, other), sentence));
        false
    }

    /// Ends the turn once nothing more can come, or what it completed has been
    /// calm for long enough.
    pub(super) fn settle(&mut self, turn: &Turn) -> bool {
        if turn.end.is_some() || self.position().phase() != Phase::Follower {
            return false;
        }
        let Some(calm) = self.calm_since else { return false };
        let calm = self.now - calm.max(turn.t);
        let waited = turn.claim.is_some()
            || (calm >= self.patience.settle && self.would_score())
            || (calm >= LAST_CALM * self.patience.before_doubt && self.position().tiles_left() == 0);
        waited && self.end_turn()
    }
}

fn tile_placed(player: Player, cell: Cell, candidate: &Candidate) -> EventKind {
    EventKind::TilePlaced { player, tile: candidate.tile.clone(), cell, rotation: candidate.rotation }
}
