//! The final scoring: the largest keep, the courts and wall tiles 4 to 9.

use super::Position;
use super::board::{PLAIN_WALL, Places};
use super::position::{CastleFeature, Holder, NO_NODE, PLAYERS};
use crate::features::Node;
use crate::{Attribute, Kind, Player, Side};

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
    /// by their start spaces; with a switch on, by both together.
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
                if self.switches.corners_connect_empty_area {
                    for next in self.corner_neighbours(place) {
                        if !seen.contains(next) {
                            seen = seen.with(next);
                            stack.push(next);
                        }
                    }
                }
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
            let size = |area: &Places, starts: u32| match self.switches.free_start_spaces_choose_area {
                true => (area.len() + starts, area.len()),
                false => (area.len(), starts),
            };
            if size(&area, free_starts) > size(&best.0, best.1) {
                best = (area, free_starts);
            }
        }
        best
    }

    /// The cells that touch a cell at a corner.
    fn corner_neighbours(&self, place: usize) -> impl Iterator<Item = usize> {
        let cell = self.board.cells[place];
        [
            (Side::North, Side::East),
            (Side::East, Side::South),
            (Side::South, Side::West),
            (Side::West, Side::North),
        ]
        .into_iter()
        .filter_map(move |(a, b)| self.board.place(cell.neighbour(a).neighbour(b)).map(usize::from))
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
        for (root, feature) in self.features.roots() {
            if feature.kind == Kind::COURT && feature.is_claimed() {
                let player = feature.majority().map(|p| Player(p as u8));
                parts.push(Part::Court {
                    player,
                    root,
                    markets: u32::from(feature.attributes.count(Attribute::MARKET)),
                });
            }
        }
        for player in [Player(0), Player(1)] {
            for number in 4..=6 {
                let copies = self.copies(player, number);
                if let Some(root) = self.best_for(player, number).filter(|_| copies > 0) {
                    let feature = self.features.of(root);
                    parts.push(Part::Incomplete {
                        player,
                        number,
                        copies,
                        root,
                        tiles: self.incomplete_tiles(feature),
                        each: self.incomplete_each(feature),
                    });
                }
            }
            let copies = self.copies(player, 7);
            if let Some(root) = self.best_for(player, 7).filter(|_| copies > 0) {
                let markets = u32::from(self.features.of(root).attributes.count(Attribute::MARKET));
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

    /// Whether wall tile 4 to 7 may be used by a player on a feature: one of its
    /// kind, open (a court with a market), with the player's majority (CA-97).
    fn serves(&self, player: Player, number: u8, root: Node) -> bool {
        let feature = self.features.of(root);
        let fits = match number {
            4 => feature.kind == Kind::PATH && !self.is_closed(root),
            5 => feature.kind == Kind::TOWER && !self.is_closed(root),
            6 => feature.kind == Kind::HOUSE && !self.is_closed(root),
            7 => feature.kind == Kind::COURT && feature.attributes.has(Attribute::MARKET),
            _ => false,
        };
        fits && feature.majority() == Some(player.index())
    }

    /// The feature that wall tile 4 to 7 of a player is used on: the one that the
    /// player named, else the one on which it is worth most; both 4s, with a switch
    /// on, on the one with the most tiles (CA-91).
    fn best_for(&self, player: Player, number: u8) -> Option<Node> {
        let named = self.state.finals[player.index()][usize::from(number - 4)];
        let named = (named != NO_NODE).then(|| self.features.root(named));
        let worth = |f: &CastleFeature| match number {
            7 => u32::from(f.attributes.count(Attribute::MARKET)),
            _ => self.incomplete_tiles(f) * self.incomplete_each(f),
        };
        let by_tiles = number == 4 && self.switches.both_fours_on_largest && self.copies(player, number) > 1;
        let size = |f: &CastleFeature| if by_tiles { self.incomplete_tiles(f) } else { 0 };
        self.features
            .roots()
            .filter(|(root, _)| named.is_none_or(|n| n == *root) && self.serves(player, number, *root))
            .max_by_key(|(root, f)| (size(f), worth(f), std::cmp::Reverse(*root)))
            .map(|(root, _)| root)
    }

    /// Whether wall tile 4 to 7 is worth anything to a player, on the feature of
    /// a segment or on any.
    pub(super) fn serves_on(&self, player: Player, number: u8, node: Option<Node>) -> bool {
        match node {
            Some(node) => self.serves(player, number, self.features.root(node)),
            None => self.features.roots().any(|(root, _)| self.serves(player, number, root)),
        }
    }

    fn keep_part(&self) -> Option<Part> {
        let sizes = [Player(0), Player(1)].map(|player| {
            let eights = match self.copies(player, 8) {
                n if self.switches.both_eights_add => n,
                n => n.min(1),
            };
            match self.state.keeps[player.index()] {
                Some(keep) => keep.size + 2 * eights,
                None if self.switches.eight_needs_keep => 0,
                None => 2 * eights,
            }
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

    /// The tiles of an incomplete feature that wall tiles 4 to 6 count (CA-101).
    fn incomplete_tiles(&self, feature: &CastleFeature) -> u32 {
        let starts = feature.places.intersection(self.board.start_places).len();
        feature.places.len() - if self.switches.start_space_counts_when_open { 0 } else { starts }
    }

    /// Points for each tile of an incomplete feature under wall tiles 4 to 6.
    fn incomplete_each(&self, feature: &CastleFeature) -> u32 {
        match feature.kind {
            Kind::TOWER => 2,
            Kind::PATH if feature.attributes.has(Attribute::FOUNTAIN) && self.switches.wall4_fountain => 2,
            _ => 1,
        }
    }
}
