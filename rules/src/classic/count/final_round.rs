//! Before the final scoring followers leave the city, one each in turn (CO-30).

use super::super::position::Position;
use super::quarters::QUARTERS;
use crate::features::Node;
use crate::{Kind, Move, Player};

/// The number of the market.
const MARKET: usize = 1;

impl Position {
    /// Asks the next player who may move a follower before the final scoring.
    pub(super) fn opens_final_round(&mut self) -> bool {
        for _ in 0..self.players {
            let player = self.asked_after(self.state.modules.count.asked);
            let passed = self.state.modules.count.passed >> player.index() & 1 == 1;
            if !passed && self.may_leave(player) {
                self.state.actor = player;
                return true;
            }
            self.ask_next();
        }
        false
    }

    fn ask_next(&mut self) {
        let asked = &mut self.state.modules.count.asked;
        *asked = (*asked + 1) % self.players as u8;
    }

    fn may_leave(&self, player: Player) -> bool {
        self.leaving_at_the_end(player).any(|(_, quarter)| {
            let kind = QUARTERS[quarter].for_kind;
            self.features.roots().any(|(_, f)| f.kind == kind && (kind == Kind::FIELD || f.open > 0))
        })
    }

    fn leaving_at_the_end(
        &self,
        player: Player,
    ) -> impl Iterator<Item = (super::super::position::Standing, usize)> {
        let only_market = self.switches.modules.count.only_the_market;
        self.leaving(player).into_iter().filter(move |(_, quarter)| !only_market || *quarter == MARKET)
    }

    /// Where a player's followers may go before the final scoring: to what is open, and to
    /// fields.
    pub(super) fn final_redeployments(&self, player: Player, moves: &mut Vec<Move>) {
        for (standing, quarter) in self.leaving_at_the_end(player) {
            let kind = QUARTERS[quarter].for_kind;
            let all =
                self.features.roots().filter(|(_, f)| f.kind == kind && (kind == Kind::FIELD || f.open > 0));
            let roots: Vec<Node> = all.map(|(root, _)| root).collect();
            for root in roots {
                self.moves_to(player, &standing, root, moves);
            }
        }
    }

    pub(super) fn moved_at_the_end(&mut self, played: &Move) {
        if !matches!(played, Move::Redeploy { .. }) {
            self.state.modules.count.passed |= 1 << self.state.actor.index();
        }
        self.ask_next();
    }
}
