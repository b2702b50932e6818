//! The classic game's words: what its tiles show, what followers are on them, and the
//! figures that its players put on tiles.

use crate::attributes::{AttributeFacts, Several};
use crate::figure::FigureFacts;
use crate::kind::{Holds, KindFacts};
use crate::role::RoleFacts;
use crate::vocabulary::Vocabulary;
use crate::{Attribute, FigureKind, Kind, Role};

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    kinds: &[
        KindFacts { name: "road", holds: Holds::Middles, role: Some("highwayman") },
        KindFacts { name: "city", holds: Holds::Halves, role: Some("knight") },
        KindFacts { name: "field", holds: Holds::Halves, role: Some("farmer") },
        KindFacts { name: "river", holds: Holds::Middles, role: None },
        KindFacts { name: "cloister", holds: Holds::Nothing, role: Some("monk") },
    ],
    roles: &[
        RoleFacts { name: "highwayman", lies: false },
        RoleFacts { name: "farmer", lies: true },
        RoleFacts { name: "monk", lies: false },
    ],
    figures: &[
        FigureFacts { name: "big_follower", word: "big follower", weight: 2 },
        FigureFacts { name: "builder", word: "builder", weight: 0 },
        FigureFacts { name: "pig", word: "pig", weight: 0 },
    ],
    attributes: &[AttributeFacts { name: "pennant", several: Several::Counted }],
};

impl Kind {
    /// Classic: a road.
    pub const ROAD: Kind = Kind::declared("road");
    /// Classic: a city.
    pub const CITY: Kind = Kind::declared("city");
    /// Classic: a field.
    pub const FIELD: Kind = Kind::declared("field");
    /// Classic: a river.
    pub const RIVER: Kind = Kind::declared("river");
    /// Classic: a cloister; it has no port.
    pub const CLOISTER: Kind = Kind::declared("cloister");
}

impl Role {
    /// Classic: on a road.
    pub const HIGHWAYMAN: Role = Role::declared("highwayman");
    /// Classic: on a field, lying.
    pub const FARMER: Role = Role::declared("farmer");
    /// Classic: on a cloister.
    pub const MONK: Role = Role::declared("monk");
}

impl FigureKind {
    /// Classic: a big follower; it counts as two (PL-02).
    pub const BIG_FOLLOWER: FigureKind = FigureKind::declared("big_follower");
    /// Classic: a builder (PL-18).
    pub const BUILDER: FigureKind = FigureKind::declared("builder");
    /// Classic: a pig (PL-23).
    pub const PIG: FigureKind = FigureKind::declared("pig");
}

impl Attribute {
    /// Classic: a pennant in a city (BA-16).
    pub const PENNANT: Attribute = Attribute::declared("pennant");
}
