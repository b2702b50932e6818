//! Whether a feature is complete, by the text and by the reading that lets a ring
//! round an empty space be closed (CA-55).

use super::Position;
use super::board::{PLAIN_WALL, Place, Places};
use super::position::NO_NODE;
use crate::features::Node;
use crate::{Kind, Port, Side};

impl Position {
    /// Whether a feature is complete: it is open nowhere or, with a switch on, only
    /// towards empty spaces that it surrounds.
    pub(super) fn is_closed(&self, root: Node) -> bool {
        self.features.of(root).open == 0
            || (self.switches.ring_is_closed && (self.is_old_ring(root) || self.surrounds(root)))
    }

    /// Whether a feature is a ring that was complete in an earlier turn: what fills it
    /// lets nobody claim or score it again.
    pub(super) fn is_old_ring(&self, root: Node) -> bool {
        self.switches.ring_is_closed
            && self.state.rings.iter().any(|node| *node != NO_NODE && self.features.root(*node) == root)
    }

    /// Keeps the rings that the tile in a place has closed.
    pub(super) fn note_rings(&mut self, place: Place) {
        if !self.switches.ring_is_closed {
            return;
        }
        let mut closed = Vec::new();
        self.each_node_around(place, |node| closed.push(self.features.root(node)));
        for root in closed {
            if self.features.of(root).open > 0
                && !self.is_old_ring(root)
                && self.surrounds(root)
                && let Some(slot) = self.state.rings.iter_mut().find(|node| **node == NO_NODE)
            {
                *slot = root;
            }
        }
    }

    /// Whether a tower or house surrounds all the empty spaces that it is open
    /// towards: beyond each side of them lies it or another of them.
    fn surrounds(&self, root: Node) -> bool {
        let feature = self.features.of(root);
        if !matches!(feature.kind, Kind::TOWER | Kind::HOUSE) {
            return false;
        }
        let is_ours = |node: Option<Node>| node.is_some_and(|node| self.features.root(node) == root);
        let mut todo: Vec<Place> = Vec::new();
        for place in feature.places.iter().map(|p| p as Place) {
            if self.board.is_start(place) {
                let (cell, _) = self.board.starts[place as usize - self.board.cells.len()];
                if self.nodes(cell).is_empty() {
                    return false;
                }
                continue;
            }
            let ports = Port::ALL.into_iter().filter(|port| is_ours(self.node_at_port(place, *port)));
            let beyond = ports.map(|port| self.board.neighbours[place as usize][port.side().index()]);
            todo.extend(beyond.filter(|next| *next != PLAIN_WALL && !self.is_occupied(*next)));
        }
        let mut seen = Places::EMPTY;
        while let Some(place) = todo.pop() {
            if seen.contains(place as usize) {
                continue;
            }
            seen = seen.with(place as usize);
            for side in Side::ALL {
                let next = self.board.neighbours[place as usize][side.index()];
                if next == PLAIN_WALL || self.board.is_start(next) {
                    return false;
                }
                let ports = [Port::left(side), Port::middle(side), Port::right(side)];
                if !self.is_occupied(next) {
                    todo.push(next);
                } else if !ports.into_iter().any(|port| is_ours(self.node_at_port(next, port.facing()))) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether a tile or a start space lies in a place.
    fn is_occupied(&self, place: Place) -> bool {
        self.board.is_start(place) || self.state.occupied.contains(place as usize)
    }
}
