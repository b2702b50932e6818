//! The end of a turn: what was completed is scored, followers go home.

use super::board::Place;
use super::position::{ClassicFeature, MOST_PLAYERS, Position, Standing};
use super::switches::Switches;
use crate::features::Node;
use crate::{Kind, Phase, Player};

/// The most features that one tile completes: its own, and the cloisters round it.
const MOST_COMPLETED: usize = 32;

/// A completed feature that had followers on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// What it was when it was scored, followers still on it.
    pub feature: ClassicFeature,
    /// Tiles, each counted once; nine for a cloister.
    pub tiles: u32,
    /// Points for each tile and pennant.
    pub each: u32,
    pub(super) root: Node,
}

impl Scored {
    /// The points that each leader gets.
    pub fn points(&self) -> u32 {
        (self.tiles + u32::from(self.feature.attributes.pennants)) * self.each
    }

    /// Who gets the points: all who are tied for most followers (BA-19).
    pub fn players(&self) -> Vec<Player> {
        self.feature.leaders().map(|p| Player(p as u8)).collect()
    }
}

/// What the end of a turn brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The turn that ended, from 1.
    pub turn: u32,
    /// Whose it was.
    pub player: Player,
    /// What was scored.
    pub scored: Vec<Scored>,
    /// Followers that went home, a player each.
    pub returned: [u8; MOST_PLAYERS],
    /// The game is over.
    pub over: bool,
    /// Followers that went home, with the feature they stood on.
    pub(super) home: Vec<(Standing, Node)>,
}

/// What a feature is worth when it is complete: how many tiles count, and the points for
/// each tile and pennant (BA-15 to BA-18).
pub(super) fn worth(feature: &ClassicFeature, switches: Switches) -> (u32, u32) {
    let tiles = feature.places.len();
    match feature.kind {
        Kind::Cloister => (9, 1),
        Kind::City if tiles == 2 && switches.tiny_city_scores_two => (tiles, 1),
        Kind::City => (tiles, 2),
        _ => (tiles, 1),
    }
}

impl Position {
    /// Ends the turn; the result is in `self.outcome`.
    pub(super) fn finish_turn(&mut self) {
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.turn = u32::from(self.state.turn);
        outcome.player = self.state.to_move;
        outcome.returned = [0; MOST_PLAYERS];
        outcome.scored.clear();
        outcome.home.clear();
        if self.state.phase == Phase::Follower {
            self.completed(&mut outcome.scored);
        }
        if !outcome.scored.is_empty() {
            let mut roots = [0; MOST_COMPLETED];
            let mut count = 0;
            for (root, scored) in roots.iter_mut().zip(&outcome.scored) {
                let points = scored.points();
                for player in scored.feature.leaders() {
                    self.state.totals[player] += points;
                }
                *root = scored.root;
                count += 1;
            }
            self.send_home(&roots[..count], &mut outcome.home);
            for (standing, _) in &outcome.home {
                outcome.returned[standing.player.index()] += 1;
            }
        }
        self.pass_on();
        self.state.phase = if self.tiles_left() == 0 { Phase::Over } else { Phase::Tile };
        outcome.over = self.state.phase == Phase::Over;
        self.outcome = outcome;
    }

    /// The completed features with followers on them, each once: roads and cities of the
    /// tile just laid, its cloister and those round it (BA-15 to BA-18).
    pub(super) fn completed(&self, scored: &mut Vec<Scored>) {
        let Some(last) = self.laid.len().checked_sub(1) else { return };
        let mut add = |node: Node| {
            let root = self.features.root(node);
            let feature = self.features.of(root);
            let scores = matches!(feature.kind, Kind::Road | Kind::City | Kind::Cloister);
            if feature.open == 0
                && scores
                && feature.is_claimed()
                && scored.len() < MOST_COMPLETED
                && scored.iter().all(|s| s.root != root)
            {
                let (tiles, each) = worth(feature, self.switches);
                scored.push(Scored { feature: *feature, tiles, each, root });
            }
        };
        self.nodes(last as Place).for_each(&mut add);
        self.cloisters_around(last as Place).for_each(&mut add);
    }
}
