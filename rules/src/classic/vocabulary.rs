//! The base game's words: what its tiles show, and what followers are on them.

use crate::attributes::{AttributeFacts, Several};
use crate::kind::{Holds, KindFacts};
use crate::role::RoleFacts;
use crate::vocabulary::Vocabulary;
use crate::{Attribute, Kind, Role};

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    kinds: &[
        KindFacts { name: "road", holds: Holds::MiddlesUpTo("city"), role: Some("highwayman") },
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
    attributes: &[
        AttributeFacts { name: "pennant", several: Several::Counted },
        AttributeFacts { name: "city", several: Several::AsOne },
    ],
    ..Vocabulary::NONE
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

impl Attribute {
    /// Classic: a pennant in a city (BA-16).
    pub const PENNANT: Attribute = Attribute::declared("pennant");
    /// Classic: a field that touches every city of its tile, where corners do not show it.
    pub const CITY: Attribute = Attribute::declared("city");
}
