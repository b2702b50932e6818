//! The final scoring: what was not completed, then the fields.

use super::board::Place;
use super::position::{ClassicFeature, Position};
use crate::features::Node;
use crate::{Attribute, Kind, Player};

/// One feature that the final scoring counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub root: Node,
    pub feature: ClassicFeature,
    /// Tiles that count (BA-25 to BA-27); cities for a field (BA-28).
    pub count: u32,
    pub each: u32,
}

impl Part {
    /// The points that each leader gets.
    pub fn points(&self) -> u32 {
        self.count * self.each + u32::from(self.feature.attributes.count(Attribute::PENNANT))
    }
}

impl Position {
    /// All players' totals with the final scoring in it, as if the game ended here.
    pub fn final_totals(&self) -> Vec<u32> {
        let mut totals = self.state.totals;
        for part in self.final_parts() {
            for player in part.feature.leaders() {
                totals[player] += part.points();
            }
        }
        totals[..self.players].to_vec()
    }

    /// What the final scoring counts: roads, cities and cloisters in the order in which
    /// followers were put there, then fields (BA-35).
    pub(super) fn final_parts(&self) -> Vec<Part> {
        let mut roots: Vec<Node> = Vec::with_capacity(self.standing().len());
        for standing in self.standing() {
            let root = self.features.root(standing.node);
            if !roots.contains(&root) {
                roots.push(root);
            }
        }
        let part = |root: &Node| {
            let feature = *self.features.of(*root);
            let (count, each) = match feature.kind {
                Kind::FIELD => (self.cities_of(*root).len() as u32, 3),
                Kind::CLOISTER => (9 - u32::from(feature.open.min(8)), 1),
                _ => (feature.places.len(), 1),
            };
            Part { root: *root, feature, count, each }
        };
        let mut parts: Vec<Part> = roots.iter().map(part).collect();
        parts.sort_by_key(|p| p.feature.kind == Kind::FIELD);
        parts
    }

    /// The cities that a field scores for, each once (BA-28, BA-30).
    pub(super) fn cities_of(&self, field: Node) -> Vec<Node> {
        let mut cities = Vec::new();
        for place in self.features.of(field).places.iter() {
            let laid = self.laid[place];
            let face = &self.board.faces[laid.tile as usize];
            for (node, touched) in self.nodes(place as Place).zip(&face.cities) {
                if *touched == 0 || self.features.root(node) != field {
                    continue;
                }
                let mut touched = *touched;
                while touched != 0 {
                    let city = self.features.root(laid.nodes + touched.trailing_zeros() as Node);
                    touched &= touched - 1;
                    let complete = self.features.of(city).open == 0;
                    if (complete || self.switches.open_cities_feed_fields) && !cities.contains(&city) {
                        cities.push(city);
                    }
                }
            }
        }
        cities
    }

    /// Who has won, if the game ended here; several for a shared win (BA-34).
    pub fn winners(&self) -> Vec<Player> {
        crate::winners(&self.final_totals())
    }
}
