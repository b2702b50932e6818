//! Cathars: besieged cities, and how knights escape from them (PL-08 to PL-12).

use super::board::Place;
use super::final_scoring::Items;
use super::module::{Module, Stage, Worth};
use super::position::{ClassicFeature, Position};
use super::reasons::reason;
use super::switches::Switch;
use crate::attributes::{AttributeFacts, Several};
use crate::features::Node;
use crate::vocabulary::Vocabulary;
use crate::{Attribute, FeatureView, Kind, Move, Reason, Sentence, sentence};

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    attributes: &[AttributeFacts { name: "besieged", several: Several::AsOne }],
    ..Vocabulary::NONE
};

impl Attribute {
    /// Classic, Cathars: a city that is besieged (PL-08).
    pub const BESIEGED: Attribute = Attribute::declared("besieged");
}

/// What a besieged city brings a field more (PL-09).
const MORE_FOR_FIELDS: u32 = 3;

pub(super) const SWITCHES: [Switch; 4] = [
    Switch::new(
        "siege_beside_a_city",
        "PL-08",
        || sentence!("a city that lies beside a siege tile is besieged too"),
        || {
            sentence!(
                "a city is besieged when a siege tile is part of it: the text can be read otherwise, the publisher's rules say so"
            )
        },
        |s| &mut s.modules.cathars.siege_beside,
    ),
    Switch::new(
        "open_besieged_cities_score",
        "PL-09",
        || sentence!("at the end an open city that is besieged scores like any other"),
        || {
            sentence!(
                "at the end an open city that is besieged scores nothing: the numbers are lost in the text, the publisher's rules say so"
            )
        },
        |s| &mut s.modules.cathars.open_score,
    ),
    Switch::new(
        "escape_by_any_tile",
        "PL-10",
        || sentence!("a knight may escape when a cloister lies beside any tile of the city"),
        || {
            sentence!(
                "a knight may escape when a cloister lies beside the siege tile: the text says so, newer rules take any tile of the city"
            )
        },
        |s| &mut s.modules.cathars.escape_by_any_tile,
    ),
    Switch::new(
        "escape_needs_a_monk",
        "PL-12",
        || sentence!("a knight may escape only by a cloister with a monk of the same player"),
        || {
            sentence!(
                "a knight may escape by any cloister, complete or not, whoever is on it: the text is silent, the publisher's rules look at nothing else"
            )
        },
        |s| &mut s.modules.cathars.escape_needs_a_monk,
    ),
];

/// Readings of the rules of the Cathars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Switches {
    siege_beside: bool,
    open_score: bool,
    escape_by_any_tile: bool,
    escape_needs_a_monk: bool,
}

/// What the module keeps of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Whether this turn's player has let a knight escape or has passed.
    asked: bool,
    /// Whether a siege tile lies.
    siege: bool,
}

/// The module.
pub(super) struct Cathars;

impl Module for Cathars {
    fn set(&self) -> &'static str {
        "cathars"
    }

    fn title(&self) -> &'static str {
        "the Cathars"
    }

    fn laid(&self, position: &mut Position) {
        let last = position.laid.len().checked_sub(1);
        if last.is_some_and(|last| position.is_siege(last as Place)) {
            position.state.modules.cathars.siege = true;
        }
    }

    fn worth(&self, position: &Position, feature: &ClassicFeature, complete: bool, worth: &mut Worth) {
        if feature.kind == Kind::CITY && position.is_besieged(feature) {
            worth.each = match (complete, position.switches.modules.cathars.open_score) {
                (true, _) => worth.each.saturating_sub(1).max(1),
                (false, false) => 0,
                (false, true) => worth.each,
            };
            worth.note("under siege", "PL-09");
        }
    }

    fn field(&self, position: &Position, _: Node, cities: &[Node], items: &mut Items) {
        let besieged = |city: &&Node| position.is_besieged(position.features.of(**city));
        let count = cities.iter().filter(besieged).count() as u32;
        if count > 0 {
            items.push("besieged cities", count, MORE_FOR_FIELDS, "PL-09");
        }
    }

    fn steps(&self) -> &'static [Stage] {
        &[Stage::End]
    }

    fn opens(&self, position: &mut Position, stage: Stage) -> bool {
        if stage != Stage::End {
            return false;
        }
        if std::mem::take(&mut position.state.modules.cathars.asked) {
            return false;
        }
        position.state.actor = position.state.to_move;
        position.state.modules.cathars.siege && position.standing().iter().any(|s| position.may_escape(s))
    }

    fn step_moves(&self, position: &Position, moves: &mut Vec<Move>) {
        let player = position.state.actor;
        let free = position.standing().iter().filter(|s| position.may_escape(s));
        moves.extend(free.map(|s| Move::Return { player, at: position.at(s), figure: s.figure }));
    }

    fn step_rule(&self, _: &Position) -> &'static str {
        "PL-10"
    }

    fn step_question(&self, _: &Position, name: &str) -> Option<Sentence> {
        Some(sentence!("Does {} let a knight escape from the siege?", name))
    }

    fn stepped(&self, position: &mut Position, _: &Move) {
        position.state.modules.cathars.asked = true;
    }

    fn reasons(
        &self,
        position: &Position,
        feature: &FeatureView,
        place: &Sentence,
        reasons: &mut Vec<Reason>,
    ) {
        let node = feature.segments.first().and_then(|at| position.node_at(*at));
        let Some(city) = node.map(|node| position.features.of(node)) else { return };
        if feature.kind != Kind::CITY || !position.is_besieged(city) {
            return;
        }
        let sentence = match (feature.is_complete(), position.switches.modules.cathars.open_score) {
            (true, _) => sentence!("{} is besieged: 1 point less for each tile and pennant", place),
            (false, false) => {
                sentence!("{} is besieged: it scores nothing unless it is completed", place)
            }
            (false, true) => {
                sentence!("{} is besieged, which changes nothing while it is open at this table", place)
            }
        };
        reasons.push(reason("PL-09", sentence));
    }
}

impl Position {
    /// Whether a city is besieged (PL-08).
    fn is_besieged(&self, city: &ClassicFeature) -> bool {
        city.attributes.has(Attribute::BESIEGED)
            || (self.switches.modules.cathars.siege_beside
                && city.places.iter().any(|place| {
                    let square = self.laid[place].square;
                    square.beside().into_iter().filter_map(|s| self.place_on(s)).any(|p| self.is_siege(p))
                }))
    }

    /// Whether a laid tile is a siege tile.
    fn is_siege(&self, place: Place) -> bool {
        let face = &self.board.faces[self.laid[place as usize].tile as usize];
        face.segments.iter().any(|s| s.attributes.has(Attribute::BESIEGED))
    }

    /// Whether a figure of the player to move may leave a besieged city (PL-10 to PL-12).
    fn may_escape(&self, standing: &super::position::Standing) -> bool {
        if standing.player != self.state.to_move || standing.figure.weight() == 0 {
            return false;
        }
        let city = self.features.of(standing.node);
        if city.kind != Kind::CITY {
            return false;
        }
        let opens = |cloister: Node| {
            !self.switches.modules.cathars.escape_needs_a_monk
                || self.features.of(cloister).weights[standing.player.index()] > 0
        };
        let beside_cloister = |place: usize| self.cloisters_around(place as Place).any(opens);
        self.is_besieged(city)
            && if self.switches.modules.cathars.escape_by_any_tile {
                city.places.iter().any(beside_cloister)
            } else {
                self.siege_tiles(city).any(beside_cloister)
            }
    }

    /// The siege tiles of a city; beside it too, where that is a siege.
    fn siege_tiles<'a>(&'a self, city: &'a ClassicFeature) -> impl Iterator<Item = usize> + 'a {
        let of_city = city.places.iter().filter(|place| self.is_siege(*place as Place));
        let beside = self.switches.modules.cathars.siege_beside;
        let next_to = city.places.iter().filter(move |_| beside).flat_map(|place| {
            let squares = self.laid[place].square.beside();
            squares
                .into_iter()
                .filter_map(|s| self.place_on(s))
                .filter(|p| self.is_siege(*p))
                .map(usize::from)
        });
        of_city.chain(next_to)
    }
}
