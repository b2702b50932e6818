//! The Castle's words: what its tiles show and what followers are on them.

use crate::attributes::{AttributeFacts, Several};
use crate::kind::{Holds, KindFacts};
use crate::role::RoleFacts;
use crate::vocabulary::Vocabulary;
use crate::{Attribute, Kind, Role};

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    kinds: &[
        KindFacts { name: "path", holds: Holds::Middles, role: Some("herald") },
        KindFacts { name: "house", holds: Holds::Halves, role: Some("squire") },
        KindFacts { name: "tower", holds: Holds::Halves, role: Some("knight") },
        KindFacts { name: "court", holds: Holds::Halves, role: Some("merchant") },
    ],
    roles: &[
        RoleFacts { name: "herald", lies: false },
        RoleFacts { name: "squire", lies: false },
        RoleFacts { name: "merchant", lies: true },
    ],
    attributes: &[
        AttributeFacts { name: "market", several: Several::Counted },
        AttributeFacts { name: "fountain", several: Several::AsOne },
        AttributeFacts { name: "square", several: Several::AsOne },
    ],
    ..Vocabulary::NONE
};

impl Kind {
    /// The Castle: a path (CA-32 A).
    pub const PATH: Kind = Kind::declared("path");
    /// The Castle: a house (CA-32 B).
    pub const HOUSE: Kind = Kind::declared("house");
    /// The Castle: a tower (CA-32 C).
    pub const TOWER: Kind = Kind::declared("tower");
    /// The Castle: a court (CA-32 D, E).
    pub const COURT: Kind = Kind::declared("court");
}

impl Role {
    /// The Castle: on a path.
    pub const HERALD: Role = Role::declared("herald");
    /// The Castle: on a house.
    pub const SQUIRE: Role = Role::declared("squire");
    /// The Castle: on a court, lying.
    pub const MERCHANT: Role = Role::declared("merchant");
}

impl Attribute {
    /// The Castle: a market on a court (CA-105, CA-109).
    pub const MARKET: Attribute = Attribute::declared("market");
    /// The Castle: a fountain on a path, 2 points a tile (CA-34, CA-46).
    pub const FOUNTAIN: Attribute = Attribute::declared("fountain");
    /// The Castle: the path ends at a square, which splits it from the other arms (CA-33).
    pub const SQUARE: Attribute = Attribute::declared("square");
}
