//! The end of a turn: what was completed is scored, markers move, wall tiles
//! and keeps change hands, followers go home.

use super::board::{NO_TOWER, PLAIN_WALL, TRACK};
use super::position::{CastleFeature, Holder, Keep, MAX_STANDING, NO_NODE, Standing};
use super::{Phase, Position, SegmentAt};
use crate::features::Node;
use crate::{Attribute, Kind, Player};

/// How many features of one player are put in every order to find out whether
/// the order matters; more than a tile can complete in practice.
const ORDERED: usize = 5;

/// A completed feature that had followers on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// What it was when it was scored, followers still on it.
    pub feature: CastleFeature,
    /// Who got the points; `None` when tied (CA-49).
    pub player: Option<Player>,
    /// Castle tiles and start spaces, each counted once.
    pub tiles: u32,
    /// Points for each of them.
    pub each: u32,
    /// How many wall tiles of kind 2 or 3 are in `each` (CA-83, CA-87).
    pub doubles: u32,
    /// In how many moves of the marker they are made, each as long as the others
    /// (CA-98).
    pub moves: u32,
    /// The player's total before and after.
    pub from: u32,
    /// See `from`.
    pub to: u32,
    /// The keep's new size, if it moved onto this house (CA-62, CA-63).
    pub keep: Option<Keep>,
    pub(super) root: Node,
}

impl Scored {
    /// The points.
    pub fn points(&self) -> u32 {
        self.tiles * self.each
    }
}

/// A wall tile taken from its tower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pickup {
    /// By whom.
    pub player: Player,
    /// The lower track space of its tower.
    pub tower: u8,
    /// Its number, where known.
    pub number: Option<u8>,
    /// After which of the outcome's scores, by index.
    pub after: usize,
}

/// What the end of a turn brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The turn that ended, from 1.
    pub turn: u32,
    /// Whose it was.
    pub player: Player,
    /// What was scored, in order.
    pub scored: Vec<Scored>,
    /// The wall tiles taken, in order.
    pub pickups: Vec<Pickup>,
    /// Followers that went home, a player each.
    pub returned: [u8; 2],
    /// The order of scoring decided who takes which wall tile, and nobody had
    /// chosen one.
    pub order_open: bool,
    /// The game is over.
    pub over: bool,
    /// Followers that went home, with the feature they stood on.
    pub(super) home: Vec<(Standing, Node)>,
}

/// The wall tiles that an order of scoring brings.
struct Prospect {
    /// How much the mover likes it: own wall tiles, then fewer for the opponent.
    liking: (usize, std::cmp::Reverse<usize>),
    /// Towers by number, and who takes the wall tile there; sorted.
    taken: Vec<(u8, Player)>,
}

/// An order of scoring and what it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderOption {
    /// A segment of each feature, in order.
    pub order: Vec<SegmentAt>,
    /// Who takes the wall tile of which tower (lower track space).
    pub taken: Vec<(Player, u8)>,
}

impl Position {
    /// Ends the turn; the result is in `self.outcome`.
    pub(super) fn finish_turn(&mut self) {
        let mut outcome = std::mem::take(&mut self.outcome);
        outcome.turn = u32::from(self.state.turn);
        outcome.player = self.state.to_move;
        outcome.scored.clear();
        outcome.pickups.clear();
        outcome.home.clear();
        outcome.returned = [0; 2];
        outcome.order_open = false;
        self.completed(&mut outcome.scored);
        if !outcome.scored.is_empty() {
            outcome.order_open = self.settle_order(&mut outcome.scored);
            for i in 0..outcome.scored.len() {
                self.score(&mut outcome, i);
            }
            if self.switches.pickup_after_all_moves {
                let movers: Vec<Player> = outcome.scored.iter().filter_map(|s| s.player).collect();
                for player in [self.state.to_move, self.state.to_move.opponent()] {
                    if movers.contains(&player) {
                        let last = outcome.scored.len() - 1;
                        self.pick_up(&mut outcome, player, last);
                    }
                }
            }
            let mut roots = [NO_NODE; 24];
            let count = outcome.scored.len().min(roots.len());
            for (root, scored) in roots.iter_mut().zip(&outcome.scored) {
                *root = scored.root;
            }
            self.send_home(&roots[..count], &mut outcome.home);
            for (standing, _) in &outcome.home {
                outcome.returned[standing.player.index()] += 1;
            }
        }
        if self.state.last != PLAIN_WALL {
            self.note_rings(self.state.last);
        }
        let state = &mut self.state;
        state.turn = state.turn.saturating_add(1);
        state.ended = Some(state.to_move);
        state.doubles = [(0, NO_NODE); 4];
        state.order = [NO_NODE; MAX_STANDING];
        state.last = PLAIN_WALL;
        state.claimed = false;
        state.drawn = false;
        if state.extra > 0 {
            state.extra -= 1;
        } else {
            state.to_move = state.to_move.opponent();
        }
        state.phase = Phase::Tile;
        if self.tiles_left() == 0 {
            self.state.phase = Phase::Over;
        }
        outcome.over = self.state.phase == Phase::Over;
        self.outcome = outcome;
    }

    /// The completed features with followers on them, each once: those on the
    /// tile just laid and those that it closed.
    pub(super) fn completed(&self, scored: &mut Vec<Scored>) {
        let place = self.state.last;
        if place == PLAIN_WALL {
            return;
        }
        let add = |node: Node| {
            let root = self.features.root(node);
            let feature = self.features.of(root);
            if feature.is_claimed()
                && self.is_closed(root)
                && !self.is_old_ring(root)
                && Position::is_scored_in_play(feature.kind)
                && scored.iter().all(|s| s.root != root)
            {
                let player = feature.majority().map(|p| Player(p as u8));
                scored.push(Scored {
                    feature: *feature,
                    player,
                    tiles: feature.places.len(),
                    each: points_each(feature),
                    doubles: 0,
                    moves: 1,
                    from: 0,
                    to: 0,
                    keep: None,
                    root,
                });
            }
        };
        self.each_node_around(place, add);
        self.double(scored);
    }

    /// Lets wall tiles 2 and 3 speak: each goes to the feature that was named,
    /// else to the one worth most; one doubles, two triple (CA-83 to CA-87).
    fn double(&self, scored: &mut [Scored]) {
        for (number, node) in self.state.doubles.iter().filter(|d| d.0 > 0) {
            let kind = if *number == 2 { Kind::TOWER } else { Kind::HOUSE };
            let named = (*node != NO_NODE).then(|| self.features.root(*node));
            let chosen = scored
                .iter_mut()
                .filter(|s| s.feature.kind == kind && s.player == Some(self.state.to_move))
                .filter(|s| named.is_none_or(|root| s.root == root))
                .max_by_key(|s| (s.tiles, std::cmp::Reverse(s.root)));
            if let Some(scored) = chosen {
                scored.doubles += 1;
                scored.each += points_each(&scored.feature);
                if !self.switches.doubled_score_is_one_move {
                    scored.moves += 1;
                }
            }
        }
    }

    /// Puts the features in order (CA-73): the mover's own, then the
    /// opponent's, then those that nobody scores. Returns whether an order
    /// would have mattered that nobody chose.
    fn settle_order(&self, scored: &mut Vec<Scored>) -> bool {
        let rank = |s: &Scored| {
            let owner = match s.player {
                Some(p) if p == self.state.to_move => 0,
                Some(_) => 1,
                None => 2,
            };
            let chosen = self
                .state
                .order
                .iter()
                .position(|n| *n != NO_NODE && self.features.root(*n) == s.root)
                .unwrap_or(usize::MAX);
            (owner, chosen, s.root)
        };
        scored.sort_by_key(rank);
        let own = scored.iter().filter(|s| rank(s).0 == 0).count();
        let other = scored.iter().filter(|s| rank(s).0 == 1).count();
        if (own < 2 && other < 2) || self.switches.pickup_after_all_moves {
            return false;
        }
        if self.state.order[0] != NO_NODE {
            return false;
        }
        let first = self.prospect(scored);
        let mut best = (first.liking, scored.clone());
        let mut matters = false;
        each_order(scored, own, other, &mut |order| {
            let found = self.prospect(order);
            matters |= found.taken != first.taken;
            if found.liking > best.0 {
                best = (found.liking, order.to_vec());
            }
        });
        *scored = best.1;
        matters
    }

    /// What an order of scoring leads to.
    fn prospect(&self, scored: &[Scored]) -> Prospect {
        let mut totals = self.state.totals;
        let mut taken: Vec<(u8, Player)> = Vec::new();
        for s in scored {
            let Some(player) = s.player else { continue };
            for _ in 0..s.moves {
                totals[player.index()] += s.points() / s.moves;
                let tower = self.board.tower_at[(totals[player.index()] % TRACK) as usize];
                if self.lies_on(tower) && taken.iter().all(|t| t.0 != tower) {
                    taken.push((tower, player));
                }
            }
        }
        taken.sort_unstable();
        let own = taken.iter().filter(|t| t.1 == self.state.to_move).count();
        Prospect { liking: (own, std::cmp::Reverse(taken.len() - own)), taken }
    }

    /// The orders of scoring that lead to different wall tiles, when the turn
    /// ended now; empty when the order does not matter (CA-72).
    pub fn order_options(&self) -> Vec<OrderOption> {
        let mut scored = Vec::new();
        self.completed(&mut scored);
        self.settle_order(&mut scored);
        if self.switches.pickup_after_all_moves {
            return Vec::new();
        }
        let of = |p: Player| scored.iter().filter(|s| s.player == Some(p)).count();
        let (own, other) = (of(self.state.to_move), of(self.state.to_move.opponent()));
        let mut options: Vec<OrderOption> = Vec::new();
        each_order(&scored.clone(), own, other, &mut |order| {
            let taken: Vec<(Player, u8)> = self
                .prospect(order)
                .taken
                .into_iter()
                .map(|(tower, player)| (player, self.board.towers[tower as usize]))
                .collect();
            if options.iter().all(|o| o.taken != taken) {
                let order = order
                    .iter()
                    .filter(|s| s.player.is_some())
                    .filter_map(|s| self.name_of(s.root))
                    .collect();
                options.push(OrderOption { order, taken });
            }
        });
        if options.len() < 2 { Vec::new() } else { options }
    }

    fn lies_on(&self, tower: u8) -> bool {
        tower != NO_TOWER
            && self.board.towers[tower as usize] != 0
            && self.state.wall_tiles[tower as usize].holder == Holder::Wall
    }

    /// Scores one feature: points, marker, wall tile, keep (CA-69 to CA-76).
    fn score(&mut self, outcome: &mut Outcome, index: usize) {
        let scored = &mut outcome.scored[index];
        let Some(player) = scored.player else { return };
        scored.from = self.state.totals[player.index()];
        scored.to = scored.from + scored.points();
        let (moves, step) = (scored.moves, scored.points() / scored.moves);
        let may_have_keep = player == self.state.to_move || !self.switches.keep_needs_own_completion;
        if scored.feature.kind == Kind::HOUSE && may_have_keep {
            let size = self.state.keeps[player.index()].map_or(0, |k| k.size);
            let own = self.house_size(&scored.feature);
            if own > size {
                let place = scored.feature.places.iter().next().unwrap_or_default();
                let keep = Keep { size: own, cell: self.cell_of(place as u8) };
                self.state.keeps[player.index()] = Some(keep);
                scored.keep = Some(keep);
            }
        }
        for _ in 0..moves {
            self.state.totals[player.index()] += step;
            if !self.switches.pickup_after_all_moves {
                self.pick_up(outcome, player, index);
            }
        }
    }

    /// The size of a house for the keep on it (CA-65, CA-68).
    pub(super) fn house_size(&self, house: &CastleFeature) -> u32 {
        let starts = if self.switches.start_space_counts_for_keep {
            0
        } else {
            house.places.intersection(self.board.start_places).len()
        };
        house.places.len() - starts
    }

    fn pick_up(&mut self, outcome: &mut Outcome, player: Player, after: usize) {
        let space = self.state.totals[player.index()] % TRACK;
        let tower = self.board.tower_at[space as usize];
        if self.lies_on(tower) {
            let tile = &mut self.state.wall_tiles[tower as usize];
            tile.holder = Holder::Player(player);
            tile.taken = self.state.turn;
            outcome.pickups.push(Pickup {
                player,
                tower: self.board.towers[tower as usize],
                number: (tile.number > 0).then_some(tile.number),
                after,
            });
        }
    }
}

/// Points for each tile of a completed feature: path 1, with a fountain 2,
/// tower 2, house 1 (CA-122).
pub(super) fn points_each(feature: &CastleFeature) -> u32 {
    match feature.kind {
        Kind::TOWER => 2,
        Kind::PATH if feature.attributes.has(Attribute::FOUNTAIN) => 2,
        _ => 1,
    }
}

/// Calls a function with every order in which the first `own` and the `other`
/// after them can be scored.
fn each_order(scored: &[Scored], own: usize, other: usize, each: &mut impl FnMut(&[Scored])) {
    let mut order = scored.to_vec();
    permute(&mut order, 0, own.min(ORDERED), &mut |order| {
        let mut order = order.to_vec();
        permute(&mut order, own, own + other.min(ORDERED), each);
    });
}

fn permute(order: &mut [Scored], from: usize, to: usize, each: &mut impl FnMut(&[Scored])) {
    if from >= to {
        each(order);
        return;
    }
    for i in from..to {
        order[from..=i].rotate_right(1);
        permute(order, from + 1, to, each);
        order[from..=i].rotate_left(1);
    }
}
