//! What could not be seen because pictures came too rarely.

use std::collections::{BTreeMap, VecDeque};

use super::steady::Patience;
use crate::observation::{CellState, Observation};
use crate::record::{Event, EventKind, Game};
use crate::rules::{
    Cell, Consequence, FigureKind, GamePosition, Move, Phase, Player, SegmentAt, Sentence, sentence,
};

/// Seconds without a picture in which a follower can be put down, score and go home unseen:
/// players who know the game need some four.
const BLIND: f64 = 4.0;

/// Seconds from picture to picture, at the median of the last few, from which on the players
/// are told that reading lags.
const SLOW: f64 = 2.0;
/// How many times between pictures are remembered.
const REMEMBERED: usize = 5;

/// Tiles that came while nothing was seen, until their turns are over.
#[derive(Debug, Default)]
pub(super) struct Lag {
    last: Option<f64>,
    /// The newest times between pictures, seconds.
    gaps: VecDeque<f64>,
    /// New tiles, and for how long nothing had been seen when they came, in seconds.
    came: BTreeMap<Cell, f64>,
    /// Those that were recorded and on which a follower may have stood.
    risky: BTreeMap<Cell, f64>,
}

impl Lag {
    /// Takes in what is seen at `t`, in seconds, before it is judged. Stills, each of which
    /// shows a turn, are no lag.
    pub(super) fn take(&mut self, seen: &Observation, game: &Game, t: f64, patience: &Patience) {
        let gap = self.last.map_or(0.0, |last| t - last);
        self.last = Some(t);
        let is_new = |cell: &Cell| game.position().tile_at(*cell).is_none();
        self.came.retain(|cell, _| is_new(cell));
        if patience.readings <= 1 {
            return;
        }
        if self.gaps.len() == REMEMBERED {
            self.gaps.pop_front();
        }
        self.gaps.push_back(gap);
        if gap < BLIND {
            return;
        }
        let held = seen.cells.iter().filter(|c| matches!(c.state, CellState::Tile | CellState::Unknown));
        for cell in held.map(|c| Cell::new(c.col, c.row)).filter(is_new) {
            self.came.entry(cell).or_insert(gap);
        }
    }

    /// Seconds from picture to picture, where that is so long that turns can be missed.
    pub(super) fn slow(&self) -> Option<f64> {
        let mut gaps: Vec<f64> = self.gaps.iter().copied().collect();
        gaps.sort_by(f64::total_cmp);
        let median = *gaps.get(gaps.len() / 2)?;
        (gaps.len() == REMEMBERED && median >= SLOW).then_some(median)
    }

    /// Takes in what was decided; gives the cells, with a sentence, where a follower may have
    /// come and gone unseen.
    pub(super) fn judged(&mut self, decided: &[Event], game: &Game) -> Vec<(Sentence, Cell)> {
        for event in decided {
            if let EventKind::TilePlaced { cell, .. } = event.kind
                && let Some(gap) = self.came.remove(&cell)
                && may_have_scored(game.position(), cell)
            {
                self.risky.insert(cell, gap);
            }
        }
        if self.risky.is_empty() {
            return Vec::new();
        }
        let facts = game.facts();
        let turn_of = |cell: Cell| {
            let lay = facts
                .iter()
                .position(|(_, k)| matches!(k, EventKind::TilePlaced { cell: c, .. } if *c == cell))?;
            let length = facts[lay..].iter().position(|(_, k)| matches!(k, EventKind::TurnEnded { .. }))?;
            Some(&facts[lay..=lay + length])
        };
        let mut doubts = Vec::new();
        self.risky.retain(|cell, gap| {
            let Some(turn) = turn_of(*cell) else { return game.position().tile_at(*cell).is_some() };
            let claimed = turn.iter().any(|(_, k)| matches!(k, EventKind::FollowerPlaced { .. }));
            if let (false, Some((_, EventKind::TilePlaced { player, tile, .. }))) = (claimed, turn.first()) {
                doubts.push((missed(game.names().of(*player), tile, *gap), *cell));
            }
            false
        });
        doubts
    }
}

fn missed(name: &str, tile: &str, gap: f64) -> Sentence {
    sentence!(
        "nothing was seen for {0} s while {1} laid {2}; if {1} put a follower on it that scored and went home, \
         enter it",
        format!("{gap:.0}"),
        name,
        tile
    )
}

/// Whether a follower on the tile just laid could score and go home in the same turn; `true`
/// where the turn is over already.
fn may_have_scored(position: &dyn GamePosition, cell: Cell) -> bool {
    if position.phase() != Phase::Follower || position.last_cell() != Some(cell) {
        return true;
    }
    let player = position.to_move();
    let goes_home = |segment: u8| {
        let at = SegmentAt { cell, segment };
        scores_at_once(position.boxed(), player, at)
    };
    position.claims().into_iter().any(|(segment, _)| goes_home(segment))
}

fn scores_at_once(mut position: Box<dyn GamePosition>, player: Player, at: SegmentAt) -> bool {
    let claim = Move::Claim { player, at, figure: FigureKind::FOLLOWER };
    let names = crate::rules::Names::new(&vec![String::new(); position.players()]);
    if position.play(&claim).is_err() {
        return false;
    }
    let Ok((brought, _)) = position.happen(&Move::End { player }, &names) else { return false };
    let is_its = |consequence: &Consequence| match consequence {
        Consequence::Scored(score) => score.followers.iter().any(|f| f.cell == at.cell && f.player == player),
        _ => false,
    };
    brought.iter().any(is_its)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::observation::CellReading;
    use crate::record::{Source, play_random};
    use crate::rules::castle::Policy;
    use crate::table::Session;

    fn seen(game: &Game) -> Observation {
        let position = game.position();
        let reading = |cell: Cell| {
            let mut reading =
                CellReading { col: cell.col, row: cell.row, confidence: 0.95, ..CellReading::default() };
            match position.tile_at(cell) {
                Some((tile, rotation)) => {
                    reading.state = CellState::Tile;
                    reading.tile = position.tile_id(tile).map(str::to_owned);
                    reading.rotation = rotation.quarters();
                }
                None => reading.state = CellState::Empty,
            }
            reading
        };
        Observation { cells: position.cells().into_iter().map(reading).collect(), ..Observation::default() }
    }

    /// Plays the facts before the first turn whose own follower scores, then shows that turn's
    /// tile and the next one, without any follower, in pictures so many seconds apart. Gives
    /// the doubts, and the cell of that turn's tile.
    fn shown(apart: f64) -> (Session, Cell) {
        let deck = library::deck("house").unwrap().deck;
        let wall = library::wall("house").unwrap();
        let game = play_random(&wall, &deck, 5, Policy::Greedy).unwrap();
        let turns = game.turns();
        let own_scores = |turn: &crate::record::TurnFacts| {
            let claim = turn.facts.iter().find_map(|(_, k)| match k {
                EventKind::FollowerPlaced { cell, .. } => Some(*cell),
                _ => None,
            })?;
            let scores = game.scores().iter().filter(|s| s.turn == turn.turn);
            scores.flat_map(|s| &s.score.followers).any(|f| f.cell == claim).then_some(claim)
        };
        let (at, cell) = turns.iter().enumerate().find_map(|(i, t)| Some((i, own_scores(t)?))).unwrap();
        let start = || Game::new(game.header().clone(), &wall, &deck).unwrap();
        let mut session = Session::new(game.header().clone(), &wall, deck.clone()).unwrap();
        let mut table = start();
        for (_, fact) in turns[..at].iter().flat_map(|t| t.facts.clone()) {
            session.apply_by_hand(fact.clone()).unwrap();
            table.apply_anyway(fact, Source::Hand, 1.0, 0.0).unwrap();
        }
        session.accept_doubts();
        let mut t = 0.0;
        let mut show = |table: &Game| {
            for _ in 0..6 {
                session.observe(&seen(table), t);
                t += apart;
            }
        };
        show(&table);
        for turn in &turns[at..at + 2] {
            let lay = turn.facts.iter().find(|(_, k)| matches!(k, EventKind::TilePlaced { .. })).unwrap();
            table.apply_anyway(lay.1.clone(), Source::Hand, 1.0, 0.0).unwrap();
            show(&table);
        }
        (session, cell)
    }

    #[test]
    fn a_follower_that_may_have_come_and_gone_while_nothing_was_seen_is_doubted() {
        let (session, cell) = shown(10.0);
        let doubts = session.doubts();
        let told =
            doubts.iter().find(|d| d.sentence.to_string().starts_with("nothing was seen for 10 s while"));
        assert_eq!(told.and_then(|d| d.cell), Some(cell), "{doubts:?}");
        let lag = session.view().lag.unwrap();
        assert!(lag.seconds == 10 && lag.sentence.to_string().contains("every 10 s"), "{lag:?}");
        let (session, _) = shown(0.3);
        assert_eq!(session.view().lag, None);
        let doubts = session.doubts();
        assert!(doubts.iter().all(|d| !d.sentence.to_string().starts_with("nothing was seen")), "{doubts:?}");
    }
}
