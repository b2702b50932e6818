//! Features as they lie on the table, for people to look at.

use super::board::{NO_SEGMENT, Place};
use super::position::Position;
use crate::features::Node;
use crate::{Boundary, Cell, FeatureView, Kind, Port, SegmentAt, Side};

impl Position {
    /// All features with followers on them, in the order in which the first follower of
    /// each was put there.
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

    /// The features that the tile in a cell is part of, and the cloisters round it, each
    /// once.
    pub fn features_around(&self, cell: Cell) -> Vec<FeatureView> {
        let Some(place) = self.place(cell) else { return Vec::new() };
        let mut roots: Vec<Node> = Vec::new();
        for node in self.nodes(place).chain(self.cloisters_around(place)) {
            let root = self.features.root(node);
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        roots.into_iter().map(|root| self.view(root)).collect()
    }

    /// The feature of a segment.
    pub fn feature_at(&self, at: SegmentAt) -> Option<FeatureView> {
        Some(self.view(self.features.root(self.node_at(at)?)))
    }

    fn view(&self, root: Node) -> FeatureView {
        let feature = self.features.of(root);
        let on = self.standing().iter().filter(|s| self.features.root(s.node) == root);
        let mut view = FeatureView {
            kind: feature.kind,
            segments: Vec::new(),
            cells: Vec::new(),
            start_spaces: 0,
            open: Vec::new(),
            bounds: Vec::new(),
            followers: on.map(|s| self.follower(*s)).collect(),
            attributes: feature.attributes,
            at_corners: Vec::new(),
        };
        for place in feature.places.iter() {
            let cell = self.cell_of(place as Place);
            view.cells.push(cell);
            for (node, segment) in self.nodes(place as Place).zip(0u8..) {
                if self.features.root(node) == root {
                    view.segments.push(SegmentAt { cell, segment });
                }
            }
            let laid = self.laid[place];
            let turned = &self.board.faces[laid.tile as usize].turned[laid.rotation.quarters() as usize];
            for port in Port::ALL {
                let segment = turned.ports[port.index()];
                let ours =
                    segment != NO_SEGMENT && self.features.root(laid.nodes + Node::from(segment)) == root;
                let beyond = cell.neighbour(port.side());
                if ours && self.tile_at(beyond).is_none() {
                    view.open.push(beyond);
                }
            }
            if feature.kind == Kind::CLOISTER {
                let sides = [Side::North, Side::South].map(|side| cell.neighbour(side));
                let corners =
                    sides.into_iter().flat_map(|c| [c.neighbour(Side::East), c.neighbour(Side::West)]);
                let round = Side::ALL.into_iter().map(|side| cell.neighbour(side)).chain(corners);
                view.open.extend(round.filter(|cell| self.tile_at(*cell).is_none()));
            }
        }
        if feature.kind == Kind::ROAD && view.open.is_empty() && feature.open > 0 {
            view.bounds.push(Boundary::Endless);
        }
        for cells in [&mut view.cells, &mut view.open] {
            cells.sort_unstable_by_key(|c| (c.row, c.col));
            cells.dedup();
        }
        view.segments.sort_unstable_by_key(|s| (s.cell.row, s.cell.col, s.segment));
        view
    }
}
