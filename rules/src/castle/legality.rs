//! Why a move is not legal.

use std::collections::BTreeMap;

use super::board::Place;
use super::notation::segment_name;
use super::position::{FOLLOWERS, Holder, WALL_TILE_KINDS};
use super::{Illegality, Move, Phase, Placement, Position, Refusal, SegmentAt};
use crate::features::Node;
use crate::moves::Reasons;
use crate::{Kind, Player, Role, Sentence, Side, sentence};

pub(super) const SIDES: [&str; 4] = ["north", "east", "south", "west"];

impl Position {
    /// Every reason why a move is not legal now; empty when it is.
    pub fn illegalities(&self, played: &Move) -> Vec<Illegality> {
        let mut reasons = Reasons::default();
        if let Some(player) = played.player().filter(|p| p.index() > 1) {
            reasons
                .impossible("CA-01", sentence!("there is no player {}; two play", u32::from(player.0) + 1));
            return reasons.0;
        }
        let in_play = !matches!(played, Move::Show { .. } | Move::Use { .. });
        if in_play && self.state.phase == Phase::Over {
            reasons.impossible("CA-110", sentence!("the game is over"));
            return reasons.0;
        }
        match *played {
            Move::Lay { player, placement } => self.judge_lay(player, placement, &mut reasons),
            Move::Claim { figure, .. } if !figure.is_follower() => {
                let figure = Sentence::word(figure.word());
                let sentence = sentence!("this game is played without a {}; name a follower", figure);
                reasons.impossible("CA-05", sentence);
            }
            Move::Claim { player, at, .. } => self.judge_claim(player, at, &mut reasons),
            Move::Discard { player, tile } => self.judge_discard(player, tile, &mut reasons),
            Move::Use { player, number, on } => self.judge_use(player, number, on, &mut reasons),
            Move::Show { space, number } => self.judge_show(space, number, &mut reasons),
            Move::Order { player, ref features } => self.judge_order(player, features, &mut reasons),
            Move::End { player } => {
                self.judge_turn(player, &mut reasons);
                if self.state.phase == Phase::Tile {
                    reasons.broken("CA-28", sentence!("no tile was laid in this turn"));
                }
            }
            Move::Return { .. } | Move::Redeploy { .. } | Move::MoveNeutral { .. } | Move::Pass { .. } => {
                reasons.impossible("CA-17", sentence!("a turn of The Castle has no such step"));
            }
            Move::Stop => {}
        }
        reasons.0
    }

    /// Holds what is said to lie on the towers against the rules: each is a tower's
    /// lower space, and no number lies there three times (CA-04 to CA-09).
    ///
    /// # Errors
    /// [`Refusal`] with every reason.
    pub fn check_wall_tiles(&self, numbers: &BTreeMap<u8, u8>) -> Result<(), Refusal> {
        let mut reasons = Reasons::default();
        for (tower, number) in numbers {
            self.judge_show(*tower, *number, &mut reasons);
        }
        for number in 1..=WALL_TILE_KINDS {
            let count = numbers.values().filter(|n| **n == number).count();
            if count > 2 {
                let printed = self.words.wall_tile(number);
                let sentence = sentence!("{} towers hold a {}; of each number there are two", count, printed);
                reasons.impossible("CA-04", sentence);
            }
        }
        if reasons.0.is_empty() { Ok(()) } else { Err(Refusal { illegalities: reasons.0 }) }
    }

    fn judge_turn(&self, player: Player, reasons: &mut Reasons) {
        if player != self.state.to_move {
            reasons.broken("CA-17", sentence!("it is {}'s turn", self.state.to_move));
        }
    }

    fn judge_tile(&self, tile: usize, reasons: &mut Reasons) -> bool {
        if tile >= self.tiles() {
            reasons.impossible("CA-03", sentence!("the deck has no such tile"));
            return false;
        }
        if self.remaining(tile) == 0 {
            reasons.broken("CA-03", sentence!("tile {} has been used already", &self.board.ids[tile]));
        }
        true
    }

    fn judge_lay(&self, player: Player, placement: Placement, reasons: &mut Reasons) {
        if self.state.phase == Phase::Follower {
            reasons.broken("CA-17", sentence!("the turn before has not ended"));
        } else {
            self.judge_turn(player, reasons);
        }
        let known = self.judge_tile(placement.tile, reasons);
        let Some(place) = self.board.place(placement.cell) else {
            reasons.impossible("CA-30", sentence!("the cell is outside the wall"));
            return;
        };
        if self.state.occupied.contains(place as usize) {
            reasons.impossible("CA-19", sentence!("a tile lies in that cell already"));
            return;
        }
        if !self.state.frontier.contains(place as usize) {
            if self.state.laid == 0 {
                reasons.broken("CA-18", sentence!("the first tile touches no start space with a whole side"));
            } else if self.has_diagonal_neighbour(place) {
                reasons.broken("CA-20", sentence!("the tile touches others only corner to corner"));
            } else {
                reasons.broken(
                    "CA-19",
                    sentence!("the tile touches no tile and no start space with a whole side"),
                );
            }
        }
        if known {
            for side in self.clashes(placement.tile, place, placement.rotation) {
                self.judge_clash(placement, place, side, reasons);
            }
        }
    }

    fn judge_clash(&self, placement: Placement, place: Place, side: Side, reasons: &mut Reasons) {
        let name = Sentence::word(SIDES[side.index()]);
        let turned = &self.board.faces[placement.tile].turned[placement.rotation.quarters() as usize];
        let ours = turned.paths >> side.index() & 1 == 1;
        let start = self.board.is_start(self.board.neighbours[place as usize][side.index()]);
        match (start, ours) {
            (true, true) => reasons
                .broken("CA-25", sentence!("the path on the {} side meets no path on the start space", name)),
            (true, false) => reasons.broken(
                "CA-25",
                sentence!("the path of the start space on the {} side is not continued", name),
            ),
            (false, true) => reasons.broken(
                "CA-21",
                sentence!("the path on the {} side meets no path on the tile beside it", name),
            ),
            (false, false) => reasons.broken(
                "CA-22",
                sentence!("the path of the tile beside it on the {} side is not continued", name),
            ),
        }
    }

    fn has_diagonal_neighbour(&self, place: Place) -> bool {
        let cell = self.cell_of(place);
        [Side::North, Side::South].into_iter().any(|v| {
            [Side::East, Side::West].into_iter().any(|h| {
                self.board
                    .place(cell.neighbour(v).neighbour(h))
                    .is_some_and(|p| self.state.occupied.contains(p as usize))
            })
        })
    }

    fn judge_claim(&self, player: Player, at: SegmentAt, reasons: &mut Reasons) {
        let Some(node) = self.node_at(at) else {
            reasons.impossible("CA-38", sentence!("no tile lies there, or it has no such segment"));
            return;
        };
        let standing = self.standing().iter().filter(|s| s.player == player).count();
        if standing > FOLLOWERS as usize {
            reasons.impossible("CA-05", sentence!("all seven followers of the player are in use"));
            return;
        }
        self.judge_turn(player, reasons);
        let on_new_tile =
            self.state.phase == Phase::Follower && self.board.place(at.cell) == Some(self.state.last);
        if !on_new_tile {
            reasons.broken("CA-38", sentence!("a follower may only be put on the tile just laid"));
        } else if self.state.claimed {
            reasons.broken("CA-38", sentence!("a follower was put in this turn already"));
        }
        if self.supply(player) == 0 {
            reasons.broken(
                "CA-40d",
                sentence!("the player has no follower left; the marker stays on the track"),
            );
        }
        let feature = self.features.of(node);
        if feature.is_claimed() {
            let role = Role::on(feature.kind).map_or("follower", |role| self.words.role(role));
            let kind = Sentence::word(self.words.kind(feature.kind));
            let sentence = sentence!("a {} is on this {} already", Sentence::word(role), kind);
            let rule = match feature.kind {
                Kind::HOUSE => "CA-40b",
                Kind::COURT => "CA-40c",
                _ => "CA-40a",
            };
            reasons.broken(rule, sentence);
        } else if self.is_old_ring(self.features.root(node)) {
            let kind = Sentence::word(self.words.kind(feature.kind));
            let sentence = sentence!("this {} was complete before", kind);
            reasons.broken("CA-51", sentence);
        }
    }

    fn judge_discard(&self, player: Player, tile: usize, reasons: &mut Reasons) {
        self.judge_turn(player, reasons);
        if self.state.phase != Phase::Tile {
            reasons.broken("CA-17", sentence!("a tile has been laid in this turn already"));
        }
        if self.judge_tile(tile, reasons) && self.has_placement(tile) {
            reasons.broken("CA-27", sentence!("the tile can be laid, so it must be"));
        }
    }

    /// An order names every completed feature that someone scores, each once, the
    /// mover's own before the opponent's (CA-72, CA-73).
    fn judge_order(&self, player: Player, features: &[SegmentAt], reasons: &mut Reasons) {
        self.judge_turn(player, reasons);
        let mut scored = Vec::new();
        self.completed(&mut scored);
        scored.retain(|s| s.player.is_some());
        let mut named = Vec::with_capacity(features.len());
        for at in features {
            let Some(node) = self.node_at(*at) else {
                reasons.impossible("CA-73", sentence!("the order names a segment that is not on the board"));
                return;
            };
            named.push(scored.iter().position(|s| s.root == self.features.root(node)));
        }
        let choices = self.order_choices(&scored);
        if let Some((at, _)) = features.iter().zip(&named).find(|(_, scored)| scored.is_none()) {
            let at = segment_name(*at);
            reasons.broken("CA-72", sentence!("nothing is scored at {} in this turn; {}", at, choices));
            return;
        }
        let named: Vec<usize> = named.into_iter().flatten().collect();
        let once = (1..named.len()).all(|i| !named[..i].contains(&named[i]));
        if named.len() != scored.len() || !once {
            reasons.broken("CA-72", sentence!("the order names each scored feature once; {}", choices));
        } else if !named.is_sorted_by_key(|i| scored[*i].player != Some(self.state.to_move)) {
            reasons.broken("CA-73", sentence!("the mover's own features are scored first; {}", choices));
        }
    }

    /// What an order is made of, each segment as it is typed.
    fn order_choices(&self, scored: &[super::Scored]) -> Sentence {
        let list = |own: bool| {
            let of = scored.iter().filter(|s| (s.player == Some(self.state.to_move)) == own);
            let names = of.filter_map(|s| {
                let at = self.name_on_new_tile(s.root).or_else(|| self.name_of(s.root))?;
                let kind = Sentence::word(self.words.kind(s.feature.kind));
                Some(sentence!("`{}` ({})", segment_name(at), kind))
            });
            names.reduce(|one, other| sentence!("{}, {}", one, other))
        };
        match (list(true), list(false)) {
            (None, None) => sentence!("no feature is completed that someone scores"),
            (Some(own), None) => sentence!("order the mover's {}", own),
            (None, Some(other)) => sentence!("order the other player's {}", other),
            (Some(own), Some(other)) => {
                sentence!("order first the mover's {}, then the other player's {}", own, other)
            }
        }
    }

    /// A segment of a feature on the tile just laid.
    fn name_on_new_tile(&self, root: Node) -> Option<SegmentAt> {
        let segment = self.nodes(self.state.last).position(|node| self.features.root(node) == root)?;
        Some(SegmentAt { cell: self.cell_of(self.state.last), segment: segment as u8 })
    }

    /// Whether the player may have used tile 1 between the end of the own turn
    /// and the opponent's tile (CA-82).
    fn has_just_moved(&self, player: Player) -> bool {
        self.state.phase == Phase::Tile && self.state.extra == 0 && self.state.ended == Some(player)
    }

    /// Says that a player holds no such wall tile, and how to write it where the
    /// opponent is the one who may use one.
    fn judge_missing(&self, player: Player, number: u8, on: Option<SegmentAt>, reasons: &mut Reasons) {
        let (one, other) = (player, player.opponent());
        let printed = self.words.wall_tile(number);
        let used = Move::Use { player: player.opponent(), number, on };
        let sentence = if !self.holds(player.opponent(), number) {
            sentence!("{} holds no wall tile {}", one, printed)
        } else if !self.illegalities(&used).is_empty() {
            sentence!("{} holds no wall tile {}, {} does", one, printed, other)
        } else {
            let text = self.write_move(&used);
            sentence!(
                "{0} holds no wall tile {1}, {2} does; write `{3}` if {2} uses it",
                one,
                printed,
                other,
                text
            )
        };
        // A count that missed points misses the wall tiles that they brought: the table may say
        // that one was used in play. At the end there is nothing to score it by.
        if number <= 3 {
            reasons.broken("CA-79", sentence);
        } else {
            reasons.impossible("CA-79", sentence);
        }
    }

    fn judge_use(&self, player: Player, number: u8, on: Option<SegmentAt>, reasons: &mut Reasons) {
        if !(1..=WALL_TILE_KINDS).contains(&number) {
            reasons.impossible("CA-04", sentence!("wall tiles are numbered from 1 to 9"));
            return;
        }
        let held = |wanted: u8| {
            self.state
                .wall_tiles
                .iter()
                .take(self.board.towers.len())
                .find(|t| t.holder == Holder::Player(player) && t.number == wanted)
        };
        let Some(tile) = held(number).or_else(|| held(0)) else {
            self.judge_missing(player, number, on, reasons);
            return;
        };
        let over = self.state.phase == Phase::Over;
        match number {
            1 if over || self.tiles_left() == 0 => {
                reasons.broken("CA-111", sentence!("no castle tile is left for another turn"));
            }
            1 if self.has_just_moved(player) && player != self.state.to_move && self.state.drawn => {
                reasons.broken(
                    "CA-82",
                    sentence!("the other player has drawn since; it serves in the player's next turn"),
                );
            }
            1 if player == self.state.to_move || self.has_just_moved(player) => {}
            1..=3 if over => reasons.broken("CA-81", sentence!("wall tiles 1 to 3 are used during the game")),
            1..=3 if player != self.state.to_move => {
                reasons.broken("CA-78", sentence!("wall tiles are used in the player's own turn"));
            }
            2 | 3 => {
                if tile.taken >= self.state.turn {
                    reasons.broken(
                        "CA-80",
                        sentence!("the wall tile was taken in this turn and serves from the next"),
                    );
                }
                self.judge_double(player, number, on, reasons);
            }
            _ if !over => {
                reasons.broken("CA-81", sentence!("wall tiles 4 to 9 are used at the end of the game"))
            }
            4..=7 => self.judge_final_use(player, number, on, reasons),
            _ => {}
        }
    }

    fn judge_double(&self, player: Player, number: u8, on: Option<SegmentAt>, reasons: &mut Reasons) {
        let kind = if number == 2 { Kind::TOWER } else { Kind::HOUSE };
        let mut scored = Vec::new();
        self.completed(&mut scored);
        let named = on.and_then(|at| self.node_at(at)).map(|n| self.features.root(n));
        if on.is_some() && named.is_none() {
            reasons.impossible(
                "CA-97",
                sentence!("the wall tile is used on a segment that is not on the board"),
            );
            return;
        }
        let word = Sentence::word(self.words.kind(kind));
        let mut fitting = scored.iter().filter(|s| s.feature.kind == kind);
        let fits = |s: &super::Scored| s.player == Some(player) && named.is_none_or(|r| r == s.root);
        if scored.iter().all(|s| s.feature.kind != kind) {
            let rule = if number == 2 { "CA-83" } else { "CA-85" };
            reasons.broken(rule, sentence!("no {} with followers is completed in this turn", word));
        } else if !fitting.any(fits) {
            reasons.broken("CA-97", sentence!("the player has no majority on the completed {}", word));
        }
    }

    fn judge_final_use(&self, player: Player, number: u8, on: Option<SegmentAt>, reasons: &mut Reasons) {
        let node = on.and_then(|at| self.node_at(at));
        if on.is_some() && node.is_none() {
            reasons.impossible(
                "CA-97",
                sentence!("the wall tile is used on a segment that is not on the board"),
            );
        } else if !self.serves_on(player, number, node) {
            let word = Sentence::word;
            let what = match number {
                4 => sentence!("an open {}", word(&self.words.path)),
                5 => sentence!("an open {}", word(&self.words.tower)),
                6 => sentence!("an open {}", word(&self.words.house)),
                _ => sentence!("a {} with a {}", word(&self.words.court), word(&self.words.market)),
            };
            let printed = self.words.wall_tile(number);
            reasons.broken("CA-97", sentence!("wall tile {} needs the majority on {}", printed, what));
        }
    }

    fn judge_show(&self, tower: u8, number: u8, reasons: &mut Reasons) {
        if !(1..=WALL_TILE_KINDS).contains(&number) {
            reasons.impossible("CA-04", sentence!("wall tiles are numbered from 1 to 9"));
        }
        match self.board.tower(tower) {
            None | Some(0) if tower == 0 => {
                reasons.impossible("CA-07", sentence!("no wall tile lies on tower 0/1"))
            }
            None => {
                let lows: Vec<String> =
                    self.board.towers.iter().filter(|low| **low != 0).map(u8::to_string).collect();
                let sentence =
                    sentence!("no tower has {} as its lower space; choose one of {}", tower, lows.join(", "));
                reasons.impossible("CA-09", sentence);
            }
            Some(index) => {
                let known = self
                    .state
                    .wall_tiles
                    .iter()
                    .take(self.board.towers.len())
                    .enumerate()
                    .filter(|(i, t)| *i != index && t.number == number)
                    .count();
                if known >= 2 {
                    reasons.broken(
                        "CA-04",
                        sentence!("both wall tiles {} are elsewhere", self.words.wall_tile(number)),
                    );
                }
            }
        }
    }
}
