//! Followers come from the quarters to what was completed, and others are sent into the
//! city (CO-06 to CO-23).

use super::super::board::Place;
use super::super::position::{Position, Standing};
use super::quarters::QUARTERS;
use super::{Sending, State};
use crate::features::Node;
use crate::{FigureKind, Kind, Move, Player, SegmentAt};

impl Position {
    /// The player who is asked after so many others, the left neighbour of the one whose
    /// turn it is first (CO-17).
    pub(super) fn asked_after(&self, others: u8) -> Player {
        Player(((self.state.to_move.index() + 1 + usize::from(others)) % self.players) as u8)
    }

    /// Asks the next player who may move followers to what was completed.
    pub(super) fn opens_redeployment(&mut self) -> bool {
        let count = self.state.modules.count;
        if count.moved {
            return true;
        }
        for asked in count.asked..self.players as u8 {
            let player = self.asked_after(asked);
            self.state.modules.count.asked = asked;
            if self.may_redeploy(player) {
                self.state.actor = player;
                return true;
            }
        }
        self.state.modules.count.asked = 0;
        false
    }

    /// What the tile just laid has completed, each once.
    fn just_completed(&self) -> Vec<Node> {
        let Some(last) = self.laid.len().checked_sub(1) else { return Vec::new() };
        let mut roots = Vec::new();
        for node in self.nodes(last as Place).chain(self.cloisters_around(last as Place)) {
            let root = self.features.root(node);
            let feature = self.features.of(root);
            let scores = [Kind::ROAD, Kind::CITY, Kind::CLOISTER].contains(&feature.kind);
            if scores && feature.open == 0 && !roots.contains(&root) {
                roots.push(root);
            }
        }
        roots
    }

    /// A player's followers in the city that may leave it: one of each kind in each
    /// quarter (CO-15).
    pub(super) fn leaving(&self, player: Player) -> Vec<(Standing, usize)> {
        let mut leaving: Vec<(Standing, usize)> = Vec::new();
        for standing in self.standing().iter().filter(|s| s.player == player) {
            let Some(quarter) = self.quarter_of(self.at(standing)) else { continue };
            let known = |(s, q): &(Standing, usize)| *q == quarter && s.figure == standing.figure;
            if quarter != self.state.modules.count.count as usize && !leaving.iter().any(known) {
                leaving.push((*standing, quarter));
            }
        }
        leaving
    }

    fn may_redeploy(&self, player: Player) -> bool {
        let leaving = self.leaving(player);
        !leaving.is_empty() && {
            let completed = self.just_completed();
            let suits = |root: &Node, q: usize| self.features.of(*root).kind == QUARTERS[q].for_kind;
            leaving.iter().any(|(_, q)| completed.iter().any(|root| suits(root, *q)))
        }
    }

    /// Where a player's followers may go before what was completed is scored.
    pub(super) fn redeployments(&self, player: Player, moves: &mut Vec<Move>) {
        let completed = self.just_completed();
        for (standing, quarter) in self.leaving(player) {
            for root in &completed {
                if self.features.of(*root).kind == QUARTERS[quarter].for_kind {
                    self.moves_to(player, &standing, *root, moves);
                }
            }
        }
    }

    /// The moves of a follower to each segment of a feature.
    pub(super) fn moves_to(&self, player: Player, standing: &Standing, root: Node, moves: &mut Vec<Move>) {
        let (from, figure) = (self.at(standing), standing.figure);
        for place in self.features.of(root).places.iter() {
            let cell = self.cell_of(place as Place);
            for (node, segment) in self.nodes(place as Place).zip(0u8..) {
                if self.features.root(node) == root {
                    moves.push(Move::Redeploy { player, from, to: SegmentAt { cell, segment }, figure });
                }
            }
        }
    }

    pub(super) fn redeployed(&mut self, played: &Move) {
        let count = &mut self.state.modules.count;
        match played {
            Move::Redeploy { .. } => count.moved = true,
            _ => {
                count.moved = false;
                count.asked += 1;
            }
        }
    }

    /// Lets the player who laid the tile send a follower into the city, when others have
    /// scored and that player has not (CO-06, CO-07), and move the count then.
    pub(super) fn opens_sending(&mut self) -> bool {
        let placer = self.state.to_move;
        let switches = self.switches.modules.count;
        let State { sending, sent, .. } = self.state.modules.count;
        let open = match sending {
            Sending::Sent => true,
            Sending::Done => false,
            Sending::Open => {
                let bit = 1 << placer.index();
                let others = self.state.gained & !bit != 0 && self.state.gained & bit == 0;
                let again = self.state.part > 0
                    && switches.one_citizen_a_double_turn
                    && sent == (placer.0 + 1, self.state.turn - 1);
                let has = |f: &FigureKind| f.weight() > 0 && self.supply_of(placer, *f) > 0;
                others && !again && FigureKind::ALL.iter().any(has)
            }
        };
        if open {
            self.state.actor = placer;
        } else {
            self.state.modules.count.sending = Sending::Open;
        }
        open
    }

    /// Whether followers may be sent into a quarter (CO-21).
    pub(super) fn takes_citizens(&self, quarter: usize) -> bool {
        !self.switches.modules.count.bars_the_way_in || self.state.modules.count.count as usize != quarter
    }

    pub(super) fn sent(&mut self, played: &Move) {
        let switches = self.switches.modules.count;
        let quarter = match played {
            Move::Claim { at, .. } | Move::MoveNeutral { to: at, .. } => self.quarter_of(*at),
            _ => None,
        };
        let turn = self.state.turn;
        let count = &mut self.state.modules.count;
        match (played, quarter) {
            (Move::Claim { player, .. }, Some(quarter)) => {
                count.sent = (player.0 + 1, turn);
                count.sending = Sending::Done;
                if switches.follows {
                    count.count = quarter as u8;
                } else if switches.clockwise {
                    count.count = (count.count + 1) % QUARTERS.len() as u8;
                } else {
                    count.sending = Sending::Sent;
                }
            }
            (Move::MoveNeutral { .. }, Some(quarter)) => {
                count.count = quarter as u8;
                count.sending = Sending::Done;
            }
            _ => count.sending = Sending::Done,
        }
    }
}
