//! What happens in a game, as one JSON object a line.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::rules::{Cell, FigureKind, Game, Player, Role, Rotation, Score, SegmentAt, Token};

/// The version of the format that is written; those before it are read too.
pub const VERSION: u32 = 2;

/// The first line of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Always `castellan`.
    pub format: String,
    /// The version of the format: [`VERSION`], or an older one.
    pub version: u32,
    /// Which game.
    pub game: Game,
    /// The name of the deck.
    pub deck: String,
    /// The name of the wall, for games that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<String>,
    /// The edition and what the table chose differently, such as
    /// `rgg-2003 +pickup_after_all_moves`; the game's own without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    /// The players' names, in the order of [`Player`].
    pub players: Vec<String>,
    /// The players' colours as words (`blue`), in the same order.
    pub colours: Vec<String>,
    /// The colour of the figure that is nobody's, as a word, where someone has said it (CO-03).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neutral: Option<String>,
    /// Who starts (CA-10).
    pub starts: Player,
    /// Which wall tile lies on which tower, where someone has said so: the
    /// lower track space of the tower to the number of the wall tile, always that
    /// of 2003.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub wall_tiles: BTreeMap<u8, u8>,
}

/// Where an event comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Seen by the camera.
    Camera,
    /// Entered by a person.
    Hand,
    /// Follows from the rules.
    Table,
}

/// One line of a record after the header.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// 1, 2, 3, … without a gap.
    pub seq: u64,
    /// Seconds since the record began.
    pub t: f64,
    /// Where it comes from.
    pub source: Source,
    /// 0 to 1; 1 for what a person said or the rules say.
    pub confidence: f32,
    /// The rules that the table waived for it (`CA-21`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waived: Vec<String>,
    /// What the table decided about it, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ruling: Option<String>,
    /// Pictures that show it: files by their names, in the folder named like the record
    /// with `.evidence` after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What happened.
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened. *Facts* make up the game; all other kinds follow from them by
/// the rules and are written so that a record can be read without an engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventKind {
    /// Fact: a tile was laid.
    TilePlaced {
        /// Who laid it.
        player: Player,
        /// The tile's id.
        tile: String,
        /// Where.
        cell: Cell,
        /// How it was turned.
        rotation: Rotation,
    },
    /// Fact: a follower was put on the tile just laid.
    FollowerPlaced {
        /// Whose.
        player: Player,
        /// On which cell.
        cell: Cell,
        /// On which segment of the tile's face.
        segment: u8,
        /// What it became there.
        role: Role,
        /// What kind of figure it is.
        #[serde(default, skip_serializing_if = "FigureKind::is_follower")]
        figure: FigureKind,
    },
    /// Fact: a tile that fits nowhere left the game (CA-27).
    TileDiscarded {
        /// Who had drawn it.
        player: Player,
        /// The tile's id.
        tile: String,
    },
    /// Fact: a player used a wall tile (CA-78 to CA-98).
    WallTileUsed {
        /// Who.
        player: Player,
        /// Its number, 1 to 9.
        number: u8,
        /// For 2 to 7: a segment of the feature meant; without it, the one on
        /// which it is worth most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on: Option<SegmentAt>,
    },
    /// Fact: the player chose in which order completed features are scored
    /// (CA-73).
    OrderChosen {
        /// Who.
        player: Player,
        /// A segment of each feature, in order.
        features: Vec<SegmentAt>,
    },
    /// Fact: someone said, or the camera saw, which number a taken wall tile has.
    WallTileShown {
        /// The lower track space of its tower.
        tower: u8,
        /// Its number, 1 to 9.
        number: u8,
    },
    /// Fact: a figure went back to its player, where a rule lets it (PL-10).
    FigureReturned {
        /// Whose.
        player: Player,
        /// Where it stood.
        at: SegmentAt,
        /// What kind of figure it is.
        #[serde(default, skip_serializing_if = "FigureKind::is_follower")]
        figure: FigureKind,
    },
    /// Fact: a figure went to another feature, where a rule lets it (CO-12, CO-30).
    FigureMoved {
        /// Whose.
        player: Player,
        /// Where it stood.
        from: SegmentAt,
        /// Where it went.
        to: SegmentAt,
        /// What it became there.
        role: Role,
        /// What kind of figure it is.
        #[serde(default, skip_serializing_if = "FigureKind::is_follower")]
        figure: FigureKind,
    },
    /// Fact: the figure that belongs to nobody went elsewhere (CO-20).
    NeutralMoved {
        /// Who moved it.
        player: Player,
        /// Where it went.
        to: SegmentAt,
    },
    /// Fact: a player did nothing, or nothing more, where something could be done.
    Passed {
        /// Who.
        player: Player,
    },
    /// Fact: the turn is over.
    TurnEnded {
        /// Whose turn.
        player: Player,
        /// 1, 2, 3, ….
        turn: u32,
    },
    /// Fact: an earlier event was wrong; `instead` holds in its place and all
    /// that follows is recomputed. `None`: it did not happen.
    Correction {
        /// The `seq` of the event that was wrong.
        replaces: u64,
        /// What happened instead.
        instead: Option<Box<EventKind>>,
    },
    /// Fact: something was missed; it happened just before an earlier event, and
    /// all that follows is recomputed.
    Inserted {
        /// The `seq` of the event before which it belongs.
        before: u64,
        /// What was missed.
        fact: Box<EventKind>,
    },
    /// Fact: the players ended the game here.
    PlayStopped,
    /// A correction or insertion changed what was scored.
    Recomputed {
        /// What changed, in sentences: `White's path in turn 14: 6 → 8`.
        changes: Vec<String>,
        /// All totals after it.
        totals: Vec<u32>,
    },
    /// A feature was completed and scored, or counted at the end.
    FeatureScored {
        /// Why, and for whom.
        score: Score,
        /// The points that each of its players gets.
        points: u32,
    },
    /// A marker moved on the track.
    MarkerMoved {
        /// Whose.
        player: Player,
        /// From track space.
        from: u8,
        /// To track space.
        to: u8,
        /// The total, past the track's end too.
        total: u32,
    },
    /// A wall tile was taken (CA-70).
    WallTileTaken {
        /// Who took it.
        player: Player,
        /// The lower track space of its tower.
        tower: u8,
        /// Its number, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        number: Option<u8>,
    },
    /// A keep was put on a house (CA-62, CA-63).
    KeepPlaced {
        /// Whose.
        player: Player,
        /// The house's size in tiles.
        size: u32,
        /// Where it stands.
        cell: Cell,
    },
    /// Followers went back to the supply.
    FollowersReturned {
        /// How many, a player each.
        counts: Vec<u32>,
    },
    /// A player took tokens or a card (PL-13, PL-25).
    TokensTaken {
        /// Who.
        player: Player,
        /// What.
        token: Token,
        /// How many.
        count: u32,
        /// Who had it before; the player too, who keeps a card.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<Player>,
        /// Why, in a sentence that names the rule.
        sentence: String,
    },
    /// Something else followed by a rule, such as a second turn (PL-18).
    Noted {
        /// What, in a sentence that names the rule.
        sentence: String,
    },
    /// Something is unclear and waits for the players.
    Doubt {
        /// What, in a sentence.
        sentence: String,
        /// Where, if in one cell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cell: Option<Cell>,
    },
    /// The game is over.
    GameEnded {
        /// All players' totals by category, in the order of the players.
        tallies: Vec<Tally>,
        /// Who won; more than one for a draw (CA-121).
        winners: Vec<Player>,
    },
}

impl Event {
    /// An event with nothing but its kind: no number yet, nothing waived.
    pub fn new(kind: EventKind, source: Source, confidence: f32, t: f64) -> Event {
        let (waived, evidence) = (Vec::new(), Vec::new());
        Event { seq: 0, t, source, confidence, waived, ruling: None, evidence, kind }
    }
}

impl EventKind {
    /// The fact that a follower was put on a segment.
    pub fn follower(player: Player, at: SegmentAt, role: Role) -> EventKind {
        let (cell, segment, figure) = (at.cell, at.segment, FigureKind::FOLLOWER);
        EventKind::FollowerPlaced { player, cell, segment, role, figure }
    }

    /// Whether this is a fact, not something that follows from facts.
    pub fn is_fact(&self) -> bool {
        match self {
            EventKind::TilePlaced { .. }
            | EventKind::FollowerPlaced { .. }
            | EventKind::TileDiscarded { .. }
            | EventKind::WallTileUsed { .. }
            | EventKind::OrderChosen { .. }
            | EventKind::WallTileShown { .. }
            | EventKind::FigureReturned { .. }
            | EventKind::FigureMoved { .. }
            | EventKind::NeutralMoved { .. }
            | EventKind::Passed { .. }
            | EventKind::TurnEnded { .. }
            | EventKind::Correction { .. }
            | EventKind::Inserted { .. }
            | EventKind::PlayStopped => true,
            EventKind::Recomputed { .. }
            | EventKind::FeatureScored { .. }
            | EventKind::MarkerMoved { .. }
            | EventKind::WallTileTaken { .. }
            | EventKind::KeepPlaced { .. }
            | EventKind::FollowersReturned { .. }
            | EventKind::TokensTaken { .. }
            | EventKind::Noted { .. }
            | EventKind::Doubt { .. }
            | EventKind::GameEnded { .. } => false,
        }
    }
}

/// Whether an event is the one that is due. The sentences of scores are for people
/// and may have been others in the version that wrote the record; where the names are
/// not shown as they are written, those of what was recomputed may differ too.
pub(super) fn same(due: &EventKind, event: &EventKind, named_alike: bool) -> bool {
    let bare = |kind: &EventKind| {
        let mut kind = kind.clone();
        match &mut kind {
            EventKind::FeatureScored { score, .. } => score.sentence.clear(),
            EventKind::TokensTaken { sentence, .. } | EventKind::Noted { sentence } => sentence.clear(),
            EventKind::Recomputed { changes, .. } if !named_alike => changes.clear(),
            _ => {}
        }
        kind
    };
    due == event || bare(due) == bare(event)
}

/// A player's points by category.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Category of the game's sheet (`path`, `tower`, …; `road`, `city`, …) to points.
    pub by_category: BTreeMap<String, u32>,
    /// Their sum.
    pub total: u32,
}
