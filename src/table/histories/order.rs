//! In which order several new tiles were laid, and what each is: a beam over the turns.

use super::line::Turn;
use super::sight::{Sight, Stance};
use crate::rules::{
    Cell, FigureKind, GamePosition, Move, Names, Phase, Placement, Player, Rotation, SegmentAt, Side,
};

/// How many orders are kept from turn to turn.
const WIDTH: usize = 24;
/// The most readings of a tile that are tried.
const READINGS: usize = 4;
/// A reading of which nothing else speaks is only tried when it is this likely.
const LEAST: f32 = 0.02;
/// A tile that it never read as is so unlikely, in logarithms.
const GUESS: f32 = 3.0;
/// Rules of laying tiles that tables break: all others say that it is no turn.
const WAIVED: [&str; 4] = ["CA-21", "CA-22", "CA-25", "BA-08"];
/// Of so many new tiles it is kept who may have laid which, where no figure tells.
const FEW: usize = 4;
/// How many such tiles are tried.
const GUESSES: usize = 4;
/// On so many segments a figure of each kind is tried.
const STANCES: usize = 3;

/// A new tile whose turn is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub cell: Cell,
    /// When it was first seen, record seconds.
    pub since: f64,
    /// Whether it may be what it never read as, where nothing else fits.
    pub guess: bool,
}

/// Turns in which new tiles were laid.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    pub turns: Vec<Turn>,
    /// The slots, by their index, that are in no turn.
    pub aside: Vec<usize>,
    /// The logarithm of how likely.
    pub score: f32,
    /// How many rules are broken.
    pub broken: u32,
    /// The cells whose tile was guessed.
    pub guessed: Vec<Cell>,
    /// What it comes to.
    pub standing: Standing,
}

/// Where the players stand: their totals, and what each took from the track, by the spaces
/// where it lay. Of two orders that come to the same total one may land where a wall tile lies.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Standing {
    totals: Vec<u32>,
    prizes: Vec<Vec<u8>>,
}

impl Standing {
    fn of(position: &dyn GamePosition) -> Standing {
        let players = || Player::first(position.players());
        let prizes = |p: Player| position.prizes(p).iter().map(|prize| prize.0).collect();
        Standing {
            totals: players().map(|p| position.total(p)).collect(),
            prizes: players().map(prizes).collect(),
        }
    }
}

struct Node {
    order: Order,
    placed: u64,
    position: Box<dyn GamePosition>,
}

/// A turn by which a node may go on.
struct Step {
    parent: usize,
    slot: usize,
    turn: Turn,
    score: f32,
    broken: u32,
    guessed: bool,
    standing: Standing,
}

/// The likeliest orders, best first; the position waits for a tile.
pub(crate) fn orders(
    position: &dyn GamePosition,
    names: &Names,
    sight: &Sight<'_>,
    slots: &[Slot],
) -> Vec<Order> {
    let order = Order {
        turns: Vec::new(),
        aside: Vec::new(),
        score: 0.0,
        broken: 0,
        guessed: Vec::new(),
        standing: Standing::default(),
    };
    let slots = slots.get(..slots.len().min(64)).unwrap_or_default();
    let mut nodes = vec![Node { order, placed: 0, position: position.boxed() }];
    let mut finals: Vec<Order> = Vec::new();
    for _ in 0..=slots.len() {
        for node in &nodes {
            let aside: Vec<usize> = (0..slots.len()).filter(|i| node.placed & (1 << i) == 0).collect();
            let score = node.order.score - sight.weights.aside * aside.len() as f32;
            finals.push(Order { aside, score, ..node.order.clone() });
        }
        let mut steps = Vec::new();
        for (parent, node) in nodes.iter_mut().enumerate() {
            node.steps(parent, names, sight, slots, &mut steps);
        }
        steps.sort_by(|a, b| b.score.total_cmp(&a.score));
        nodes = kept(&nodes, steps, names, slots.len() <= FEW);
        if nodes.is_empty() {
            break;
        }
    }
    finals.sort_by(|a, b| b.score.total_cmp(&a.score));
    finals.truncate(WIDTH);
    finals
}

/// The nodes that the likeliest steps lead to; of those that lead to the same the
/// likeliest. `whose` tells who laid which tile apart, also where nobody put a figure on it.
fn kept(nodes: &[Node], steps: Vec<Step>, names: &Names, whose: bool) -> Vec<Node> {
    let mut kept: Vec<Node> = Vec::new();
    for step in steps {
        let Some(parent) = nodes.get(step.parent) else { continue };
        let placed = parent.placed | (1 << step.slot);
        let mut turns = parent.order.turns.clone();
        turns.push(step.turn.clone());
        let outcome = |turns: &[Turn]| {
            let mut all: Vec<_> = turns
                .iter()
                .map(|t| {
                    (t.cell, t.tile, t.rotation, t.claim, (whose || t.claim.is_some()).then_some(t.player))
                })
                .collect();
            all.sort();
            all
        };
        let same = |n: &Node| {
            n.placed == placed
                && n.order.standing == step.standing
                && outcome(&n.order.turns) == outcome(&turns)
        };
        if kept.iter().any(same) {
            continue;
        }
        let mut position = parent.position.clone();
        if !play(&mut *position, names, &step.turn).is_some_and(|_| true) {
            continue;
        }
        let mut guessed = parent.order.guessed.clone();
        guessed.extend(step.guessed.then_some(step.turn.cell));
        let order = Order {
            turns,
            aside: Vec::new(),
            score: step.score,
            broken: parent.order.broken + step.broken,
            guessed,
            standing: step.standing,
        };
        kept.push(Node { order, placed, position });
        if kept.len() == WIDTH {
            break;
        }
    }
    kept
}

/// Plays a turn to its end: how many moves, and how many rules were broken; `None`, and
/// nothing has changed, where it cannot have happened.
fn play(position: &mut dyn GamePosition, names: &Names, turn: &Turn) -> Option<(usize, u32)> {
    let placement = Placement { tile: turn.tile, cell: turn.cell, rotation: turn.rotation };
    let mut moves = vec![Move::Lay { player: turn.player, placement }];
    moves.extend(turn.claim.map(|(segment, figure)| Move::Claim {
        player: turn.player,
        at: SegmentAt { cell: turn.cell, segment },
        figure,
    }));
    moves.push(Move::End { player: turn.player });
    let mut broken = 0;
    for (done, one) in moves.iter().enumerate() {
        if position.play(one).is_ok() {
            continue;
        }
        match position.happen(one, names) {
            Ok((_, why)) if why.iter().all(|why| WAIVED.contains(&why.rule)) => broken += why.len() as u32,
            happened => {
                if happened.is_ok() {
                    position.undo();
                }
                for _ in 0..done {
                    position.undo();
                }
                return None;
            }
        }
    }
    let mut played = moves.len();
    // What is done in a step before the next turn is told elsewhere.
    while position.phase() == Phase::Step && position.play(&Move::Pass { player: position.actor() }).is_ok() {
        played += 1;
    }
    Some((played, broken))
}

impl Node {
    fn steps(
        &mut self,
        parent: usize,
        names: &Names,
        sight: &Sight<'_>,
        slots: &[Slot],
        steps: &mut Vec<Step>,
    ) {
        if self.position.phase() != Phase::Tile {
            return;
        }
        let w = sight.weights;
        let player = self.position.to_move();
        for (at, slot) in slots.iter().enumerate() {
            if self.placed & (1 << at) != 0 {
                continue;
            }
            let left = slots.iter().enumerate().filter(|(i, _)| self.placed & (1 << i) == 0);
            let older = left.filter(|(_, s)| s.since + w.same_time < slot.since).count();
            let order = w.order * older.min(1) as f32;
            let mut found = false;
            for (tile, rotation, share) in self.readings(sight, slot.cell) {
                let score = self.order.score + share.max(w.least).ln() - order;
                found |= self.lay(
                    parent,
                    names,
                    sight,
                    (at, slot.cell),
                    (player, tile, rotation),
                    score,
                    share,
                    steps,
                );
            }
            if !found && slot.guess && touches(&*self.position, slot.cell) {
                for (tile, rotation, share) in self.guesses(player, sight, slot.cell) {
                    let score = self.order.score + share.max(w.least).ln() - order - GUESS;
                    let from = steps.len();
                    self.lay(
                        parent,
                        names,
                        sight,
                        (at, slot.cell),
                        (player, tile, rotation),
                        score,
                        0.0,
                        steps,
                    );
                    for step in steps.iter_mut().skip(from) {
                        step.guessed = true;
                    }
                }
            }
        }
    }

    /// What the tile in a cell reads as.
    fn readings(&self, sight: &Sight<'_>, cell: Cell) -> Vec<(usize, Rotation, f32)> {
        let known = |(id, rotation, share): (&str, Rotation, f32)| {
            Some((self.position.tile_index(id)?, rotation, share))
        };
        let likely = sight.tiles(cell).into_iter().filter(|t| t.2 >= LEAST);
        likely.filter_map(known).take(READINGS).collect()
    }

    /// The tiles that may lie in a cell by the rules, whatever they read as; likeliest
    /// first.
    fn guesses(&self, player: Player, sight: &Sight<'_>, cell: Cell) -> Vec<(usize, Rotation, f32)> {
        let read = sight.tiles(cell);
        let mut all = Vec::new();
        for tile in (0..self.position.tiles()).filter(|t| self.position.remaining(*t) > 0) {
            for rotation in Rotation::ALL {
                let placement = Placement { tile, cell, rotation };
                if self.position.illegalities(&Move::Lay { player, placement }).is_empty() {
                    let id = self.position.tile_id(tile).unwrap_or_default();
                    let share = read.iter().find(|r| r.0 == id && r.1 == rotation).map_or(0.0, |r| r.2);
                    all.push((tile, rotation, share));
                }
            }
        }
        all.sort_by(|a, b| b.2.total_cmp(&a.2));
        all.truncate(GUESSES);
        all
    }

    /// Tries a tile with every figure that may stand on it; whether it may lie there by
    /// the rules.
    #[expect(clippy::too_many_arguments, reason = "what a turn is, and where it is put")]
    fn lay(
        &mut self,
        parent: usize,
        names: &Names,
        sight: &Sight<'_>,
        (slot, cell): (usize, Cell),
        (player, tile, rotation): (Player, usize, Rotation),
        score: f32,
        share: f32,
        steps: &mut Vec<Step>,
    ) -> bool {
        let w = sight.weights;
        let mut legal = false;
        for (claim, ln) in claims(sight, cell, player, tile, rotation) {
            let turn = Turn {
                before: Vec::new(),
                extra: None,
                player,
                tile,
                cell,
                rotation,
                claim,
                after: Vec::new(),
                void: false,
            };
            let Some((moves, broken)) = play(&mut *self.position, names, &turn) else { continue };
            let standing = Standing::of(&*self.position);
            for _ in 0..moves {
                self.position.undo();
            }
            legal |= broken == 0;
            // Against the rules only what reads surely.
            if broken > 0 && (share < 0.5 || claim.is_some() || !touches(&*self.position, cell)) {
                continue;
            }
            let score = score + ln - w.breach * broken as f32;
            steps.push(Step { parent, slot, turn, score, broken, guessed: false, standing });
        }
        legal
    }
}

/// Whether a tile lies beside a cell.
fn touches(position: &dyn GamePosition, cell: Cell) -> bool {
    Side::ALL.into_iter().any(|side| position.tile_at(cell.neighbour(side)).is_some())
}

/// The figures that may have been put on a tile, with the logarithm of how likely.
pub(crate) fn claims(
    sight: &Sight<'_>,
    cell: Cell,
    player: Player,
    tile: usize,
    rotation: Rotation,
) -> Vec<(Option<(u8, FigureKind)>, f32)> {
    let Some(seen) = sight.evidence.of(cell) else { return vec![(None, 0.0)] };
    let mut best: Vec<Stance> = Vec::new();
    let mut none = 0.0;
    for piece in sight.pieces(seen) {
        let cost = sight.none(piece, piece.was_put, 0.0);
        none -= cost;
        let colour = sight.colour(piece, player);
        for (stance, ln) in sight.stances(piece, tile, rotation) {
            let ln = ln + colour + cost;
            match best.iter_mut().find(|b| b.0 == stance) {
                Some(known) => known.1 = known.1.max(ln),
                None => best.push((stance, ln)),
            }
        }
    }
    best.sort_by(|a, b| b.1.total_cmp(&a.1));
    best.truncate(STANCES * sight.kinds.len());
    let mut all: Vec<_> = best.into_iter().map(|(stance, ln)| (Some(stance), none + ln)).collect();
    all.push((None, none));
    all
}
