//! The final scoring: the largest keep, the courts and wall tiles 4 to 9.

use super::Position;
use super::board::{PLAIN_WALL, Places};
use super::position::{CastleFeature, Holder, PLAYERS};
use crate::rules::features::Node;
use crate::rules::{Kind, Player};

/// One thing that the final scoring counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The largest keep scores the largest empty area (CA-115). `sizes` are the
    /// keeps with wall tiles 8 counted, 0 for none.
    Keep { player: Option<Player>, sizes: [u32; PLAYERS], cells: Places, free_starts: u32 },
    /// A court with merchants on it (CA-105).
    Court { player: Option<Player>, root: Node, markets: u32 },
    /// Wall tiles 4 to 6 on an incomplete feature (CA-88 to CA-91).
    Incomplete { player: Player, number: u8, copies: u32, root: Node, tiles: u32, each: u32 },
    /// Wall tiles 7 on a court: so much more for each market (CA-92, CA-93).
    Markets { player: Player, copies: u32, root: Node, markets: u32, more: u32 },
    /// Wall tiles 9 (CA-96).
    Nine { player: Player, copies: u32 },
}

impl Part {
    pub fn player(&self) -> Option<Player> {
        match *self {
            Part::Keep { player, .. } | Part::Court { player, .. } => player,
            Part::Incomplete { player, .. } | Part::Markets { player, .. } | Part::Nine { player, .. } => {
                Some(player)
            }
        }
    }

    pub fn points(&self) -> u32 {
        match *self {
            Part::Keep { cells, free_starts, .. } => cells.len() + free_starts,
            Part::Court { markets, .. } => 3 * markets,
            Part::Incomplete { copies, tiles, each, .. } => copies * tiles * each,
            Part::Markets { markets, more, .. } => markets * more,
            Part::Nine { copies, .. } => 5 * copies,
        }
    }
}

/// Who has most points; both for a draw (CA-121).
pub fn winners(totals: [u32; 2]) -> Vec<Player> {
    let most = totals.into_iter().max().unwrap_or(0);
    (0..2u8).filter(|p| totals[*p as usize] == most).map(Player).collect()
}

impl Position {
    /// Both players' totals with the final scoring in it, as if the game ended
    /// here; wall tiles are used as well as they can be.
    pub fn final_totals(&self) -> [u32; 2] {
        let mut totals = self.state.totals;
        for part in self.final_parts() {
            if let Some(player) = part.player() {
                totals[player.index()] += part.points();
            }
        }
        totals
    }

    /// The largest connected empty area, and the free start spaces that count
    /// with it (CA-115 to CA-118). Areas are compared by their cells, equal ones
    /// by their start spaces.
    pub(super) fn largest_empty_area(&self) -> (Places, u32) {
        let mut seen = self.state.occupied;
        let mut best = (Places::EMPTY, 0);
        let mut stack = Vec::with_capacity(self.board.cells.len());
        for first in 0..self.board.cells.len() {
            if seen.contains(first) {
                continue;
            }
            let mut area = Places::EMPTY;
            let mut free_starts = 0;
            seen = seen.with(first);
            stack.push(first);
            while let Some(place) = stack.pop() {
                area = area.with(place);
                for next in self.board.neighbours[place] {
                    if next == PLAIN_WALL {
                        continue;
                    }
                    if self.board.is_start(next) {
                        free_starts += 1;
                    } else if !seen.contains(next as usize) {
                        seen = seen.with(next as usize);
                        stack.push(next as usize);
                    }
                }
            }
            if !self.switches.count_free_start_spaces {
                free_starts = 0;
            }
            if (area.len(), free_starts) > (best.0.len(), best.1) {
                best = (area, free_starts);
            }
        }
        best
    }

    /// How many wall tiles of a kind a player still holds.
    fn copies(&self, player: Player, number: u8) -> u32 {
        self.state.wall_tiles[..self.board.towers.len()]
            .iter()
            .filter(|t| t.holder == Holder::Player(player) && t.number == number)
            .count() as u32
    }

    /// All that the final scoring counts, in the order of CA-113.
    pub(super) fn final_parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        parts.extend(self.keep_part());
        let has_majority =
            |feature: &CastleFeature, player: Player| feature.majority() == Some(player.index());
        for (root, feature) in self.features.roots() {
            if feature.kind == Kind::Court && feature.is_claimed() {
                let player = feature.majority().map(|p| Player(p as u8));
                parts.push(Part::Court { player, root, markets: u32::from(feature.attributes.markets) });
            }
        }
        for player in [Player(0), Player(1)] {
            for (number, kind) in [(4, Kind::Path), (5, Kind::Tower), (6, Kind::House)] {
                let copies = self.copies(player, number);
                if copies == 0 {
                    continue;
                }
                let best = self
                    .features
                    .roots()
                    .filter(|(_, f)| f.kind == kind && f.open > 0 && has_majority(f, player))
                    .map(|(root, f)| (f.places.len() * self.incomplete_each(f), std::cmp::Reverse(root)))
                    .max();
                if let Some((_, std::cmp::Reverse(root))) = best {
                    let feature = self.features.of(root);
                    parts.push(Part::Incomplete {
                        player,
                        number,
                        copies,
                        root,
                        tiles: feature.places.len(),
                        each: self.incomplete_each(feature),
                    });
                }
            }
            let copies = self.copies(player, 7);
            let best = self
                .features
                .roots()
                .filter(|(_, f)| f.kind == Kind::Court && f.attributes.markets > 0 && has_majority(f, player))
                .map(|(root, f)| (u32::from(f.attributes.markets), std::cmp::Reverse(root)))
                .max();
            if let Some((markets, std::cmp::Reverse(root))) = best.filter(|_| copies > 0) {
                let more = if copies == 1 { 1 } else { 5 };
                parts.push(Part::Markets { player, copies, root, markets, more });
            }
            let copies = self.copies(player, 9);
            if copies > 0 {
                parts.push(Part::Nine { player, copies });
            }
        }
        parts
    }

    fn keep_part(&self) -> Option<Part> {
        let sizes = [Player(0), Player(1)].map(|player| {
            self.state.keeps[player.index()].map_or(0, |keep| keep.size + 2 * self.copies(player, 8))
        });
        let player = match sizes[0].cmp(&sizes[1]) {
            std::cmp::Ordering::Greater => Some(Player(0)),
            std::cmp::Ordering::Less => Some(Player(1)),
            std::cmp::Ordering::Equal => None,
        };
        if sizes == [0, 0] {
            return None;
        }
        let (cells, free_starts) = self.largest_empty_area();
        Some(Part::Keep { player, sizes, cells, free_starts })
    }

    /// Points for each tile of an incomplete feature under wall tiles 4 to 6.
    fn incomplete_each(&self, feature: &CastleFeature) -> u32 {
        match feature.kind {
            Kind::Tower => 2,
            Kind::Path if feature.attributes.fountain && self.switches.wall4_fountain => 2,
            _ => 1,
        }
    }
}
