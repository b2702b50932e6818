//! A score is an explanation: items, from which totals are derived.

use serde::{Deserialize, Serialize};

use super::cell::Cell;
use super::figure::FigureKind;
use crate::Sentence;

/// A player: 0 plays the first colour, 1 the second, and so on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Player(pub u8);

impl Player {
    /// 0, 1, ….
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The first so many players, in order.
    pub fn first(count: usize) -> impl Iterator<Item = Player> + Clone + use<> {
        (0..count).filter_map(|p| u8::try_from(p).ok()).map(Player)
    }

    /// The other of two players.
    pub const fn opponent(self) -> Player {
        Player(1 - self.0 % 2)
    }
}

/// One line of a score: so many of something, so many points each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What was counted, in the plural as a player would say it: `castle tiles`.
    pub what: String,
    /// How many.
    pub count: u32,
    /// Points for each.
    pub each: u32,
    /// The rule that says so, such as `CA-42`.
    pub rule: String,
    /// The cells that were counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Cell>,
}

/// A follower, or another figure, that stands on a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingFollower {
    /// Whose.
    pub player: Player,
    /// On which cell.
    pub cell: Cell,
    /// On which segment of that cell's face.
    pub segment: u8,
    /// What it is.
    #[serde(default, skip_serializing_if = "FigureKind::is_follower")]
    pub figure: FigureKind,
}

/// Why players got points, or why nobody did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Form")]
pub struct Score {
    /// What was scored, as a category of the final sheet: `path`, `court`, `road`,
    /// `field` ….
    pub category: String,
    /// Who got the points, each all of them: several where tied players all score
    /// (BA-19), nobody where they don't (CA-49).
    pub players: Vec<Player>,
    /// What was counted. The points are their sum; empty where nobody scored.
    pub items: Vec<Item>,
    /// The followers on it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub followers: Vec<StandingFollower>,
    /// The cells of the feature (castle tiles).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Cell>,
    /// The sentence a player would say: count first, then points.
    pub sentence: String,
}

/// A score as it is written: records of version 1 have one `player` or none.
#[derive(Deserialize)]
struct Form {
    category: String,
    #[serde(default)]
    player: Option<Player>,
    #[serde(default)]
    players: Vec<Player>,
    items: Vec<Item>,
    #[serde(default)]
    followers: Vec<StandingFollower>,
    #[serde(default)]
    cells: Vec<Cell>,
    sentence: String,
}

impl From<Form> for Score {
    fn from(form: Form) -> Score {
        let Form { category, player, mut players, items, followers, cells, sentence } = form;
        players.extend(player);
        Score { category, players, items, followers, cells, sentence }
    }
}

impl Score {
    /// The points of a player.
    pub fn points_of(&self, player: Player) -> u32 {
        if self.players.contains(&player) { self.points() } else { 0 }
    }

    /// The points: the sum over the items of count × each.
    pub fn points(&self) -> u32 {
        let points = self.items.iter().map(|i| i.count.saturating_mul(i.each));
        points.fold(0, u32::saturating_add)
    }
}

/// Why something scored or did not, and the rule that says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The rule, such as `CA-49`.
    pub rule: String,
    /// What holds, without a full stop.
    pub sentence: Sentence,
}

/// Who has most points, all of them where several have (CA-121, BA-34).
pub fn winners(totals: &[u32]) -> Vec<Player> {
    let most = totals.iter().max();
    let all = totals.iter().zip(0..).filter(|(total, _)| Some(*total) == most);
    all.map(|(_, player)| Player(player)).collect()
}
