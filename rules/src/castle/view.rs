//! Features as they lie on the table, for people to look at.

use serde::{Deserialize, Serialize};

use super::board::{PLAIN_WALL, Place};
use super::{Position, SegmentAt};
use crate::features::Node;
use crate::{Cell, Kind, Player, Port, Side, StandingFollower};

/// The most letters that a cell of the board's text is filled up to.
const WIDEST_CELL: usize = 64;

/// What a feature ends at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// The castle wall.
    Wall,
    /// A square that splits the path.
    Square,
    /// Something within its own tile.
    Within,
    /// A path on the tile beside it.
    Path,
    /// A tower on the tile beside it.
    Tower,
    /// A house on the tile beside it.
    House,
    /// A court on the tile beside it.
    Court,
    /// A side of a tile with nothing there.
    Bare,
    /// An empty space that it surrounds, by the reading that closes such rings (CA-55).
    Ring,
}

/// A feature, its followers and where it is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureView {
    /// Its kind.
    pub kind: Kind,
    /// Its segments on castle tiles, in reading order of the cells.
    pub segments: Vec<SegmentAt>,
    /// The cells of its castle tiles, each once, in reading order.
    pub cells: Vec<Cell>,
    /// How many start spaces are part of it.
    pub start_spaces: u32,
    /// The empty cells that it runs into; none: it is complete (a court never
    /// scores for that, CA-104).
    pub open: Vec<Cell>,
    /// What it ends at where it does not go on, each once; nothing for a path that
    /// closes in a loop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Boundary>,
    /// The followers on it.
    pub followers: Vec<StandingFollower>,
    /// Whether a fountain is on it.
    pub fountain: bool,
    /// The markets on it.
    pub markets: u32,
    /// Cells with a house or tower like this one that touches it at a corner
    /// only (CA-37).
    pub at_corners: Vec<Cell>,
}

impl FeatureView {
    /// How many followers a player has on it.
    pub fn count(&self, player: Player) -> u32 {
        self.followers.iter().filter(|f| f.player == player).count() as u32
    }
}

impl Position {
    /// All features with followers on them, in the order in which the first
    /// follower of each was put there.
    pub fn claimed_features(&self) -> Vec<FeatureView> {
        let mut roots: Vec<Node> = Vec::new();
        for standing in self.standing() {
            let root = self.features.root(standing.node);
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        roots.into_iter().map(|root| self.view(root)).collect()
    }

    /// The features that the tile in a cell is part of or touches: those of its
    /// own segments, then those beyond its sides, each once.
    pub fn features_around(&self, cell: Cell) -> Vec<FeatureView> {
        let Some(place) = self.board.place(cell) else { return Vec::new() };
        let mut roots: Vec<Node> = Vec::new();
        let add = |node: Node| {
            let root = self.features.root(node);
            if !roots.contains(&root) {
                roots.push(root);
            }
        };
        self.each_node_around(place, add);
        roots.into_iter().map(|root| self.view(root)).collect()
    }

    /// The feature of a segment.
    pub fn feature_at(&self, at: SegmentAt) -> Option<FeatureView> {
        Some(self.view(self.features.root(self.node_at(at)?)))
    }

    fn view(&self, root: Node) -> FeatureView {
        let feature = self.features.of(root);
        let mut view = FeatureView {
            kind: feature.kind,
            segments: Vec::new(),
            cells: Vec::new(),
            start_spaces: feature.places.intersection(self.board.start_places).len(),
            open: Vec::new(),
            bounds: self.bounds(root),
            followers: self
                .standing()
                .iter()
                .filter(|s| self.features.root(s.node) == root)
                .map(|s| self.follower(*s))
                .collect(),
            fountain: feature.attributes.fountain,
            markets: u32::from(feature.attributes.markets),
            at_corners: Vec::new(),
        };
        for place in feature.places.iter().map(|p| p as Place) {
            let cell = self.cell_of(place);
            if self.board.is_start(place) {
                let (touched, side) = self.board.starts[place as usize - self.board.cells.len()];
                let ports = [Port::left(side), Port::middle(side), Port::right(side)];
                let reaches = ports
                    .iter()
                    .filter_map(|port| self.node_at_port(place, port.facing()))
                    .any(|node| self.features.root(node) == root);
                if reaches && self.tile_at(self.cell_of(touched)).is_none() {
                    view.open.push(cell);
                }
                continue;
            }
            view.cells.push(cell);
            for (segment, node) in self.nodes(place).enumerate() {
                if self.features.root(node) == root {
                    view.segments.push(SegmentAt { cell, segment: segment as u8 });
                }
            }
            for port in Port::ALL {
                let next = self.board.neighbours[place as usize][port.side().index()];
                let ours = self.node_at_port(place, port).is_some_and(|n| self.features.root(n) == root);
                if ours && next != PLAIN_WALL && !self.board.is_start(next) {
                    let beyond = self.cell_of(next);
                    if self.tile_at(beyond).is_none() {
                        view.open.push(beyond);
                    }
                }
            }
            if matches!(feature.kind, Kind::House | Kind::Tower) {
                view.at_corners.extend(self.corner_touches(place, root));
            }
        }
        for cells in [&mut view.cells, &mut view.open, &mut view.at_corners] {
            cells.sort_unstable_by_key(|c| (c.row, c.col));
            cells.dedup();
        }
        if !view.open.is_empty() && self.is_closed(root) {
            view.open.clear();
            view.bounds.push(Boundary::Ring);
        }
        view.segments.sort_unstable_by_key(|s| (s.cell.row, s.cell.col, s.segment));
        view
    }

    /// What a feature ends at, start spaces' ends among it.
    fn bounds(&self, root: Node) -> Vec<Boundary> {
        let feature = self.features.of(root);
        let mut bounds = Vec::new();
        for place in feature.places.iter().map(|p| p as Place) {
            if self.board.is_start(place) {
                bounds.push(Boundary::Wall);
                continue;
            }
            for node in self.nodes(place).filter(|node| self.features.root(*node) == root) {
                let ports: Vec<Port> =
                    Port::ALL.into_iter().filter(|p| self.node_at_port(place, *p) == Some(node)).collect();
                let segment = usize::from(node - self.nodes(place).start);
                if feature.kind == Kind::Path && (ports.len() < 2 || self.is_square(place, segment)) {
                    bounds.push(if self.is_square(place, segment) {
                        Boundary::Square
                    } else {
                        Boundary::Within
                    });
                }
                bounds.extend(ports.into_iter().filter_map(|port| self.bound_at(place, port, root)));
            }
        }
        bounds.sort_unstable();
        bounds.dedup();
        bounds
    }

    /// Whether a segment of the tile in a place ends at a square.
    fn is_square(&self, place: Place, segment: usize) -> bool {
        self.segments_of(place).get(segment).is_some_and(|s| s.attributes.square)
    }

    /// What a feature ends at beyond a port of one of its tiles; `None` where it
    /// goes on or is open.
    fn bound_at(&self, place: Place, port: Port, root: Node) -> Option<Boundary> {
        let next = self.board.neighbours[place as usize][port.side().index()];
        if next == PLAIN_WALL {
            return Some(Boundary::Wall);
        }
        if self.nodes(next).is_empty() {
            return None;
        }
        let Some(node) = self.node_at_port(next, port.facing()) else { return Some(Boundary::Bare) };
        (self.features.root(node) != root).then(|| match self.features.of(node).kind {
            Kind::Path => Boundary::Path,
            Kind::Tower => Boundary::Tower,
            Kind::House => Boundary::House,
            _ => Boundary::Court,
        })
    }

    /// The cells across a corner of a tile in which another feature of the same
    /// kind touches this one there.
    fn corner_touches(&self, place: Place, root: Node) -> Vec<Cell> {
        let kind = self.features.of(root).kind;
        let cell = self.cell_of(place);
        let mut cells = Vec::new();
        for side in Side::ALL {
            let next = Side::from_index(side.index() + 1);
            let at = |place: Place, a: Side, b: Side| {
                [Port::right(a), Port::left(b)].map(|port| self.node_at_port(place, port))
            };
            let ours = at(place, side, next).into_iter().flatten().any(|n| self.features.root(n) == root);
            let across = cell.neighbour(side).neighbour(next);
            let Some(other) = self.board.place(across).filter(|_| ours) else { continue };
            let theirs = at(other, side.opposite(), next.opposite());
            if theirs
                .into_iter()
                .flatten()
                .any(|n| self.features.of(n).kind == kind && self.features.root(n) != root)
            {
                cells.push(across);
            }
        }
        cells
    }

    /// The board as text, a line a row: tiles by id and quarter turns, `.` an
    /// empty cell, nothing outside the wall; columns and rows are named.
    pub fn board_text(&self) -> Vec<String> {
        let cells = self.cells();
        let cols = cells.iter().map(|c| c.col).max().unwrap_or(0);
        let rows = cells.iter().map(|c| c.row).max().unwrap_or(0);
        let text = |cell: Cell| match self.tile_at(cell) {
            Some((tile, rotation)) => match rotation.quarters() {
                0 => self.tile_id(tile).unwrap_or("?").to_owned(),
                n => format!("{}/{n}", self.tile_id(tile).unwrap_or("?")),
            },
            None if self.board.place(cell).is_some() => ".".to_owned(),
            None => String::new(),
        };
        let width = cells.iter().map(|c| text(*c).chars().count()).max().unwrap_or(1).min(WIDEST_CELL);
        let line = |name: String, words: Vec<String>| {
            let words: String = words.iter().map(|w| format!(" {w:<width$}")).collect();
            format!("{name:>2}{words}").trim_end().to_owned()
        };
        let letters = (0..=cols).map(|c| char::from(b'A' + c.unsigned_abs() % 26).to_string()).collect();
        let mut lines = vec![line(String::new(), letters)];
        for row in 0..=rows {
            let words = (0..=cols).map(|col| text(Cell::new(col, row))).collect();
            lines.push(line((i16::from(row) + 1).to_string(), words));
        }
        lines
    }
}
