//! Features as they lie on the table, for people to look at.

use super::board::{PLAIN_WALL, Place};
use super::{Position, SegmentAt};
use crate::features::Node;
use crate::{Attribute, Boundary, Cell, FeatureView, Kind, Port, Side};

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
            attributes: feature.attributes,
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
            if matches!(feature.kind, Kind::HOUSE | Kind::TOWER) {
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
                if feature.kind == Kind::PATH && (ports.len() < 2 || self.is_square(place, segment)) {
                    bounds.push(if self.is_square(place, segment) {
                        Boundary::Printed(Attribute::SQUARE)
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
        self.segments_of(place).get(segment).is_some_and(|s| s.attributes.has(Attribute::SQUARE))
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
        (self.features.root(node) != root).then(|| Boundary::Beside(self.features.of(node).kind))
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
}
