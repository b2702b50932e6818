//! The final scoring: what was not completed, then the fields, then what lies on no
//! feature.

use super::board::Place;
use super::module::{Extra, Worth};
use super::position::{ClassicFeature, Position};
use super::turn::scores;
use crate::features::Node;
use crate::{Attribute, Kind, Player};

/// The most lines of a feature's score.
const MOST_ITEMS: usize = 6;
/// Points of a field for each city (BA-28).
const CITY: u32 = 3;

/// One line of what is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PartItem {
    /// What, in the plural.
    pub what: &'static str,
    pub count: u32,
    pub each: u32,
    pub rule: &'static str,
    /// Whether it counts cities, each once.
    pub is_city: bool,
}

/// What is counted, line by line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Items {
    list: [PartItem; MOST_ITEMS],
    len: usize,
}

impl Items {
    /// Adds a line.
    pub fn push(&mut self, what: &'static str, count: u32, each: u32, rule: &'static str) {
        self.add(PartItem { what, count, each, rule, is_city: false });
    }

    /// Adds a line of cities.
    pub fn push_city(&mut self, what: &'static str, count: u32, each: u32, rule: &'static str) {
        self.add(PartItem { what, count, each, rule, is_city: true });
    }

    fn add(&mut self, item: PartItem) {
        if let Some(free) = self.list.get_mut(self.len) {
            *free = item;
            self.len += 1;
        }
    }

    /// The lines.
    pub fn iter(&self) -> impl Iterator<Item = &PartItem> {
        self.list[..self.len].iter()
    }

    /// Their sum.
    pub fn points(&self) -> u32 {
        self.iter().map(|item| item.count * item.each).sum()
    }
}

/// One feature that the final scoring counts, for those who score the same on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub root: Node,
    pub feature: ClassicFeature,
    /// What it is worth, for a road, a city and a cloister.
    pub worth: Worth,
    /// Tiles that count (BA-25 to BA-27); cities for a field (BA-28).
    pub items: Items,
    /// Who gets the points, a bit each.
    pub leaders: u8,
}

impl Part {
    /// The points that each leader gets.
    pub fn points(&self) -> u32 {
        self.items.points()
    }

    /// Who gets them.
    pub fn players(&self) -> Vec<Player> {
        Player::first(8).filter(|p| self.leaders >> p.index() & 1 == 1).collect()
    }
}

impl Position {
    /// All players' totals with the final scoring in it, as if the game ended here.
    pub fn final_totals(&self) -> Vec<u32> {
        let mut totals = self.state.totals;
        for part in self.final_parts() {
            let points = part.points();
            for (player, total) in totals.iter_mut().enumerate() {
                *total += points * u32::from(part.leaders >> player & 1);
            }
        }
        for extra in self.extras() {
            for player in extra.players {
                totals[player.index()] += extra.count * extra.each;
            }
        }
        totals[..self.players].to_vec()
    }

    /// What is scored at the end besides features.
    pub(super) fn extras(&self) -> Vec<Extra> {
        let mut extras = Vec::new();
        for module in self.modules() {
            module.extras(self, &mut extras);
        }
        extras
    }

    /// What the final scoring counts: roads, cities and cloisters in the order in which
    /// followers were put there, then fields (BA-35).
    pub(super) fn final_parts(&self) -> Vec<Part> {
        let mut roots: Vec<Node> = Vec::with_capacity(self.standing().len());
        for standing in self.standing() {
            let root = self.features.root(standing.node);
            let feature = self.features.of(root);
            let counts = scores(feature.kind) || feature.kind == Kind::FIELD;
            if counts && feature.is_claimed() && !roots.contains(&root) {
                roots.push(root);
            }
        }
        roots.sort_by_key(|root| self.features.of(*root).kind == Kind::FIELD);
        let mut parts = Vec::with_capacity(roots.len());
        for root in roots {
            let feature = *self.features.of(root);
            let leaders = feature.leaders().fold(0u8, |bits, player| bits | 1 << player);
            if feature.kind == Kind::FIELD {
                self.field_parts(root, feature, leaders, &mut parts);
                continue;
            }
            let worth = self.worth(&feature, false);
            let mut items = Items::default();
            let rule = match (worth.because[0], feature.kind) {
                (Some((_, rule)), _) => rule,
                (None, Kind::CLOISTER) => "BA-27",
                (None, Kind::CITY) => "BA-26",
                _ => "BA-25",
            };
            items.push("tiles", worth.tiles, worth.each, rule);
            let pennants = u32::from(feature.attributes.count(Attribute::PENNANT));
            if pennants > 0 {
                items.push("pennants", pennants, worth.each, rule);
            }
            parts.push(Part { root, feature, worth, items, leaders });
        }
        parts
    }

    /// What a field brings its leaders, in parts where modules give them different points.
    fn field_parts(&self, root: Node, feature: ClassicFeature, leaders: u8, parts: &mut Vec<Part>) {
        let cities = self.cities_of(root);
        let mut items = Items::default();
        let what = if self.switches.open_cities_feed_fields { "cities" } else { "completed cities" };
        items.push_city(what, cities.len() as u32, CITY, "BA-28");
        let part = |items, leaders| Part { root, feature, worth: Worth::new(0, 0), items, leaders };
        if self.active == 0 {
            parts.push(part(items, leaders));
            return;
        }
        for module in self.modules() {
            module.field(self, root, &cities, &mut items);
        }
        let first = parts.len();
        for player in feature.leaders() {
            let mut own = items;
            for module in self.modules() {
                module.field_of(self, root, Player(player as u8), &mut own);
            }
            match parts[first..].iter_mut().find(|part| part.items == own) {
                Some(same) => same.leaders |= 1 << player,
                None => parts.push(part(own, 1 << player)),
            }
        }
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
