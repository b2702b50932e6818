//! What players do, and why they may not.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Cell, FigureKind, Names, Player, Rotation, Sentence, sentence};

/// A segment of the tile in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SegmentAt {
    /// The cell.
    pub cell: Cell,
    /// The segment's index in the tile's face.
    pub segment: u8,
}

/// Where and how a tile is laid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    /// The tile's index in the deck.
    pub tile: usize,
    /// The cell.
    pub cell: Cell,
    /// How it is turned.
    pub rotation: Rotation,
}

/// What players do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// A tile is laid.
    Lay {
        /// By whom.
        player: Player,
        /// Which, where and how.
        placement: Placement,
    },
    /// A figure is put on a segment.
    Claim {
        /// Whose.
        player: Player,
        /// Where.
        at: SegmentAt,
        /// What it is.
        figure: FigureKind,
    },
    /// A tile that fits nowhere leaves the game (CA-27).
    Discard {
        /// Who had drawn it.
        player: Player,
        /// Its index in the deck.
        tile: usize,
    },
    /// Something with a number that a player took is used, such as a wall tile of The
    /// Castle (CA-78 to CA-98).
    Use {
        /// By whom.
        player: Player,
        /// Its number.
        number: u8,
        /// A segment of the feature meant, where it is used on one; without it, the one on
        /// which it is worth most.
        on: Option<SegmentAt>,
    },
    /// The number of what lies or lay on the score track becomes known.
    Show {
        /// The lower track space of where it lay.
        space: u8,
        /// Its number.
        number: u8,
    },
    /// The player to move says in which order completed features are scored
    /// (CA-73).
    Order {
        /// Who.
        player: Player,
        /// A segment of each that someone scores, in order, the player's own first.
        features: Vec<SegmentAt>,
    },
    /// A figure goes back to its player, where a rule lets it (PL-10).
    Return {
        /// Whose.
        player: Player,
        /// Where it stands.
        at: SegmentAt,
        /// What it is.
        figure: FigureKind,
    },
    /// A figure goes from where it stands to another feature, where a rule lets it (CO-12).
    Redeploy {
        /// Whose.
        player: Player,
        /// Where it stands.
        from: SegmentAt,
        /// Where it goes.
        to: SegmentAt,
        /// What it is.
        figure: FigureKind,
    },
    /// The figure that belongs to nobody goes elsewhere (CO-20).
    MoveNeutral {
        /// By whom.
        player: Player,
        /// Where it goes.
        to: SegmentAt,
    },
    /// A player does nothing, or nothing more, where something could be done.
    Pass {
        /// Who.
        player: Player,
    },
    /// The turn is over: what was completed is scored.
    End {
        /// Whose turn.
        player: Player,
    },
    /// The players stop here; the final scoring follows.
    Stop,
}

impl Move {
    /// A follower is put on a segment.
    pub const fn follower(player: Player, at: SegmentAt) -> Move {
        Move::Claim { player, at, figure: FigureKind::FOLLOWER }
    }

    /// Who makes the move; nobody for what becomes known and for the end.
    pub fn player(&self) -> Option<Player> {
        match *self {
            Move::Lay { player, .. }
            | Move::Claim { player, .. }
            | Move::Discard { player, .. }
            | Move::Use { player, .. }
            | Move::Order { player, .. }
            | Move::Return { player, .. }
            | Move::Redeploy { player, .. }
            | Move::MoveNeutral { player, .. }
            | Move::Pass { player }
            | Move::End { player } => Some(player),
            Move::Show { .. } | Move::Stop => None,
        }
    }
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A tile is to be drawn and laid.
    Tile,
    /// A tile lies; a figure may be put on it, then the turn ends.
    Follower,
    /// A rule lets a player do something more; [`Move::Pass`] does nothing.
    Step,
    /// The last turn has ended.
    Over,
}

/// A reason why a move is not legal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{sentence} ({rule})")]
pub struct Illegality {
    /// The rule, such as `CA-21`.
    pub rule: &'static str,
    /// What is against it, in a sentence without a full stop.
    pub sentence: Sentence,
    /// Whether it can have happened at the table all the same. What cannot
    /// (a tile on top of another) is a misreading or a slip of the pen.
    pub waivable: bool,
}

/// A move was not played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", .illegalities.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct Refusal {
    /// Every reason; at least one.
    pub illegalities: Vec<Illegality>,
}

impl Illegality {
    /// The same with the players' names.
    #[must_use]
    pub fn named(self, names: &Names) -> Illegality {
        Illegality { sentence: self.sentence.named(names), ..self }
    }
}

impl Refusal {
    /// The same with the players' names.
    pub(crate) fn named(self, names: &Names) -> Refusal {
        Refusal { illegalities: named(self.illegalities, names) }
    }
}

/// Reasons with the players' names.
pub(crate) fn named(illegalities: Vec<Illegality>, names: &Names) -> Vec<Illegality> {
    illegalities.into_iter().map(|why| why.named(names)).collect()
}

impl From<&Illegality> for Sentence {
    fn from(why: &Illegality) -> Sentence {
        sentence!("{} ({})", why.sentence.clone(), why.rule)
    }
}

impl From<&Refusal> for Sentence {
    fn from(refusal: &Refusal) -> Sentence {
        Sentence::in_turn(refusal.illegalities.iter().map(Sentence::from))
    }
}

/// Reasons as they are found.
#[derive(Default)]
pub(crate) struct Reasons(pub Vec<Illegality>);

impl Reasons {
    pub fn broken(&mut self, rule: &'static str, sentence: Sentence) {
        self.0.push(Illegality { rule, sentence, waivable: true });
    }

    pub fn impossible(&mut self, rule: &'static str, sentence: Sentence) {
        self.0.push(Illegality { rule, sentence, waivable: false });
    }
}
