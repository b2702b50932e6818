//! Inns & Cathedrals: a sixth player, the big follower, inns on roads and cathedrals in
//! cities (PL-01 to PL-04).

use super::module::{Module, Worth};
use super::position::{ClassicFeature, Position};
use super::reasons::reason;
use super::switches::Switch;
use crate::attributes::{AttributeFacts, Several};
use crate::figure::FigureFacts;
use crate::vocabulary::Vocabulary;
use crate::{Attribute, FeatureView, FigureKind, Kind, Reason, Sentence, sentence};

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    figures: &[FigureFacts { name: "big_follower", word: "big follower", weight: 2, size: 165, on: &[] }],
    attributes: &[
        AttributeFacts { name: "inn", several: Several::AsOne },
        AttributeFacts { name: "cathedral", several: Several::AsOne },
    ],
    ..Vocabulary::NONE
};

impl FigureKind {
    /// Classic, Inns & Cathedrals: a big follower; it counts as two (PL-02).
    pub const BIG_FOLLOWER: FigureKind = FigureKind::declared("big_follower");
}

impl Attribute {
    /// Classic, Inns & Cathedrals: an inn beside a road (PL-04).
    pub const INN: Attribute = Attribute::declared("inn");
    /// Classic, Inns & Cathedrals: a cathedral in a city (PL-04).
    pub const CATHEDRAL: Attribute = Attribute::declared("cathedral");
}

pub(super) const SWITCHES: [Switch; 1] = [Switch::new(
    "open_inns_and_cathedrals_score",
    "PL-04",
    || {
        sentence!(
            "at the end an open road with an inn and an open city with a cathedral score like any other"
        )
    },
    || {
        sentence!(
            "at the end an open road with an inn and an open city with a cathedral score nothing: the numbers are not from a text"
        )
    },
    |s| &mut s.modules.inns.open_score,
)];

/// Readings of the rules of Inns & Cathedrals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Switches {
    open_score: bool,
}

/// The module.
pub(super) struct Inns;

/// What doubles or voids a kind of feature.
fn mark(kind: Kind) -> Option<(Attribute, &'static str)> {
    match kind {
        Kind::ROAD => Some((Attribute::INN, "with an inn")),
        Kind::CITY => Some((Attribute::CATHEDRAL, "with a cathedral")),
        _ => None,
    }
}

impl Module for Inns {
    fn set(&self) -> &'static str {
        "inns"
    }

    fn title(&self) -> &'static str {
        "Inns & Cathedrals"
    }

    fn figures(&self) -> &'static [(FigureKind, u8)] {
        &[(FigureKind::BIG_FOLLOWER, 1)]
    }

    fn most_players(&self) -> usize {
        6
    }

    fn worth(&self, position: &Position, feature: &ClassicFeature, complete: bool, worth: &mut Worth) {
        let Some((attribute, words)) = mark(feature.kind) else { return };
        if !feature.attributes.has(attribute) {
            return;
        }
        if complete {
            worth.each += 1;
        } else if !position.switches.modules.inns.open_score {
            worth.each = 0;
        }
        worth.note(words, "PL-04");
    }

    fn reasons(
        &self,
        position: &Position,
        feature: &FeatureView,
        place: &Sentence,
        reasons: &mut Vec<Reason>,
    ) {
        let Some((attribute, _)) = mark(feature.kind) else { return };
        if !feature.attributes.has(attribute) {
            return;
        }
        let open_score = position.switches.modules.inns.open_score;
        let sentence = match (feature.kind, feature.is_complete(), open_score) {
            (Kind::ROAD, true, _) => sentence!("{} has an inn: 2 points for each tile, not 1", place),
            (Kind::ROAD, false, true) => {
                sentence!("{} has an inn, which changes nothing while it is open at this table", place)
            }
            (Kind::ROAD, false, false) => {
                sentence!("{} has an inn: it scores nothing unless it is completed", place)
            }
            (_, true, _) => {
                sentence!("{} has a cathedral: 1 point more for each tile and pennant", place)
            }
            (_, false, true) => {
                sentence!("{} has a cathedral, which changes nothing while it is open at this table", place)
            }
            (_, false, false) => {
                sentence!("{} has a cathedral: it scores nothing unless it is completed", place)
            }
        };
        reasons.push(reason("PL-04", sentence));
    }
}
