//! Why a move is not legal.

use super::grid::Square;
use super::position::{FOLLOWERS, Position};
use crate::moves::Reasons;
use crate::{
    Cell, FigureKind, Illegality, Move, Phase, Placement, Player, Role, SegmentAt, Sentence, sentence,
};

const SIDES: [&str; 4] = ["north", "east", "south", "west"];

impl Position {
    /// Every reason why a move is not legal now; empty when it is.
    pub fn illegalities(&self, played: &Move) -> Vec<Illegality> {
        let mut reasons = Reasons::default();
        if let Some(player) = played.player().filter(|p| p.index() >= self.players) {
            let sentence = sentence!("there is no player {}; {} play", player.index() + 1, self.players);
            reasons.impossible("BA-01", sentence);
            return reasons.0;
        }
        if self.state.phase == Phase::Over {
            reasons.impossible("BA-24", sentence!("the game is over"));
            return reasons.0;
        }
        if self.state.phase == Phase::Step {
            self.judge_step(played, &mut reasons);
            if !reasons.0.is_empty() || !matches!(played, Move::Lay { .. } | Move::Discard { .. }) {
                return reasons.0;
            }
        }
        match *played {
            Move::Lay { player, placement } => self.judge_lay(player, placement, &mut reasons),
            Move::Claim { player, at, figure } => self.judge_claim(player, at, figure, &mut reasons),
            Move::Discard { player, tile } => self.judge_discard(player, tile, &mut reasons),
            Move::End { player } => {
                self.judge_turn(player, &mut reasons);
                if self.state.phase == Phase::Tile {
                    reasons.broken("BA-11", sentence!("no tile was laid in this turn"));
                }
            }
            Move::Stop => {}
            Move::Return { .. } | Move::Redeploy { .. } | Move::MoveNeutral { .. } | Move::Pass { .. } => {
                reasons.impossible("BA-06", sentence!("no rule lets anybody do this now"));
            }
            Move::Use { .. } | Move::Show { .. } => {
                reasons.impossible("BA-06", sentence!("the classic game has no wall tiles"));
            }
            Move::Order { .. } => {
                reasons.impossible(
                    "BA-06",
                    sentence!("the order of scoring does not matter in the classic game"),
                );
            }
        }
        reasons.0
    }

    /// Judges a move while a step is open: it is one of the step's, or those who may still
    /// act pass by it.
    fn judge_step(&self, played: &Move, reasons: &mut Reasons) {
        let rule = self.step_rule().unwrap_or("BA-06");
        let actor = self.state.actor;
        match *played {
            Move::Stop => {}
            Move::Lay { player, placement } => {
                // What cannot be is told, what is only early is passed by.
                let mut lay = Reasons::default();
                self.judge_lay(player, placement, &mut lay);
                reasons.0.extend(lay.0.into_iter().filter(|i| !i.waivable));
                reasons.broken(rule, sentence!("{} may still do something, or pass", actor));
            }
            Move::Discard { tile, .. } if tile >= self.tiles() => {
                reasons.impossible("BA-02", sentence!("the deck has no such tile"));
            }
            Move::End { .. } | Move::Discard { .. } => {
                reasons.broken(rule, sentence!("{} may still do something, or pass", actor));
            }
            Move::Use { .. } | Move::Show { .. } | Move::Order { .. } => {
                reasons.impossible("BA-06", sentence!("the classic game has nothing of the kind"));
            }
            Move::Claim { player, at, figure } if !self.legal_moves(&[]).contains(played) => {
                self.judge_claim(player, at, figure, reasons);
                if reasons.0.is_empty() {
                    reasons.broken(rule, sentence!("{} may still do something, or pass", actor));
                }
            }
            Move::Pass { player } if player != self.state.actor => {
                reasons.broken(rule, sentence!("{} is to act or to pass", actor));
            }
            Move::Return { player, at, figure } | Move::Redeploy { player, from: at, figure, .. }
                if self.find_standing(player, at, figure).is_none() =>
            {
                let sentence = sentence!("the player has no {} there", Sentence::word(figure.word()));
                reasons.impossible(rule, sentence);
            }
            Move::Redeploy { to, .. } if self.node_at(to).is_none() => {
                reasons.impossible(rule, sentence!("no tile has such a segment in {}", to.cell));
            }
            Move::Return { .. } | Move::Redeploy { .. } | Move::MoveNeutral { .. }
                if !self.legal_moves(&[]).contains(played) =>
            {
                reasons.impossible(rule, sentence!("that is none of the moves that the rule allows now"));
            }
            _ => {}
        }
    }

    fn judge_turn(&self, player: Player, reasons: &mut Reasons) {
        if player != self.state.to_move {
            reasons.broken("BA-05", sentence!("it is {}'s turn", self.state.to_move));
        }
    }

    fn judge_tile(&self, tile: usize, reasons: &mut Reasons) -> bool {
        if tile >= self.tiles() {
            reasons.impossible("BA-02", sentence!("the deck has no such tile"));
            return false;
        }
        if self.remaining(tile) == 0 {
            let id = &self.board.ids[tile];
            let sentence = match self.board.counts[tile] {
                1 => sentence!("the only one of tile {} has been used already", id),
                all => sentence!("all {} of tile {} have been used already", u32::from(all), id),
            };
            reasons.broken("BA-02", sentence);
        }
        true
    }

    fn judge_lay(&self, player: Player, placement: Placement, reasons: &mut Reasons) {
        if self.state.phase == Phase::Follower {
            reasons.broken("BA-06", sentence!("the turn before has not ended"));
        } else {
            self.judge_turn(player, reasons);
        }
        let known = self.judge_tile(placement.tile, reasons);
        let Some(square) = self.square(placement.cell) else {
            reasons
                .impossible("BA-08", sentence!("no tile can come to lie as far away as {}", placement.cell));
            return;
        };
        if self.place(placement.cell).is_some() {
            reasons.impossible("BA-08", sentence!("a tile lies in {} already", placement.cell));
            return;
        }
        if !self.is_in_frontier(square) {
            let sentence = if self.has_diagonal_neighbour(placement.cell) {
                sentence!("the tile touches others only corner to corner")
            } else {
                sentence!("the tile touches no tile with a whole side")
            };
            reasons.broken("BA-08", sentence);
        }
        if known {
            self.judge_clashes(placement, square, reasons);
            for module in self.modules() {
                module.judge_lay(self, placement, square, reasons);
            }
        }
    }

    fn judge_clashes(&self, placement: Placement, square: Square, reasons: &mut Reasons) {
        for side in self.clashes(placement.tile, square, placement.rotation) {
            let [ours, theirs] = self.edges_at(placement, square, side);
            let word = Sentence::word;
            let name = word(SIDES[side.index()]);
            reasons.broken(
                "BA-08",
                sentence!("the {} on the {} side meets a {}", word(ours), name, word(theirs)),
            );
        }
    }

    fn has_diagonal_neighbour(&self, cell: Cell) -> bool {
        [(-1, -1), (1, -1), (-1, 1), (1, 1)].into_iter().any(|(dx, dy)| {
            let cell = Cell::new(cell.col.saturating_add(dx), cell.row.saturating_add(dy));
            self.place(cell).is_some()
        })
    }

    fn judge_claim(&self, player: Player, at: SegmentAt, figure: FigureKind, reasons: &mut Reasons) {
        if self.modules().any(|module| module.judge_claim(self, player, at, figure, reasons))
            || !self.judge_place(player, at, figure, reasons)
        {
            return;
        }
        let Some(node) = self.node_at(at) else { return };
        let feature = self.features.of(node);
        let Some(role) = Role::on(feature.kind) else {
            reasons.impossible(
                "BA-12",
                sentence!("no follower can stand on a {}", Sentence::word(feature.kind.name())),
            );
            return;
        };
        if self.supply_of(player, figure) == 0 {
            reasons
                .broken("BA-03", sentence!("the player has no follower left; the eighth stays on the track"));
        }
        if feature.is_claimed() {
            let kind = Sentence::word(feature.kind.name());
            let sentence = sentence!("a {} is on this {} already", Sentence::word(role.name()), kind);
            reasons.broken("BA-13", sentence);
        }
    }

    /// Judges whether a player can put a figure on a segment at all, and on the tile just
    /// laid; whether it can be.
    pub(super) fn judge_place(
        &self,
        player: Player,
        at: SegmentAt,
        figure: FigureKind,
        reasons: &mut Reasons,
    ) -> bool {
        if !self.judge_has(figure, reasons) {
            return false;
        }
        if self.place(at.cell).is_none() {
            reasons.impossible("BA-12", sentence!("no tile lies in {}", at.cell));
            return false;
        }
        if self.node_at(at).is_none() {
            reasons.impossible("BA-12", sentence!("the tile in {} has no segment {}", at.cell, at.segment));
            return false;
        }
        if !self.judge_supply(player, figure, reasons) {
            return false;
        }
        self.judge_turn(player, reasons);
        if self.last_cell() != Some(at.cell) || self.state.phase != Phase::Follower {
            reasons.broken("BA-12", sentence!("a follower may only be put on the tile just laid"));
        } else if self.state.claimed {
            reasons.broken("BA-12", sentence!("a follower was put in this turn already"));
        }
        true
    }

    fn judge_has(&self, figure: FigureKind, reasons: &mut Reasons) -> bool {
        if self.each_has(figure) == 0 {
            let figure = Sentence::word(figure.word());
            let sentence = sentence!("this game is played without a {}; name a follower", figure);
            reasons.impossible("BA-03", sentence);
            return false;
        }
        true
    }

    /// Judges whether a player has a figure, be it the one on the track; whether it can be.
    pub(super) fn judge_supply(&self, player: Player, figure: FigureKind, reasons: &mut Reasons) -> bool {
        if !self.judge_has(figure, reasons) {
            return false;
        }
        if figure.is_follower() && self.standing_of(player, figure) > FOLLOWERS {
            reasons.impossible("BA-03", sentence!("all eight followers of the player are in use"));
            return false;
        }
        if !figure.is_follower() && self.supply_of(player, figure) == 0 {
            let figure = Sentence::word(figure.word());
            reasons.impossible("BA-03", sentence!("the player has no {} left", figure));
            return false;
        }
        true
    }

    fn judge_discard(&self, player: Player, tile: usize, reasons: &mut Reasons) {
        self.judge_turn(player, reasons);
        if self.state.phase != Phase::Tile {
            reasons.broken("BA-06", sentence!("a tile has been laid in this turn already"));
        }
        if self.judge_tile(tile, reasons) && self.has_placement(tile) {
            reasons.broken("BA-11", sentence!("the tile can be laid, so it must be"));
        }
    }
}
