//! Events as sentences for people, in the words of the edition that is played.

use serde::{Deserialize, Serialize};

use super::event::EventKind;
use super::game::Game;
use crate::rules::words::so_many;
use crate::rules::{
    Cell, FigureKind, GamePosition, Kind, Names, Player, Role, Rotation, SegmentAt, cell_name,
};

/// Says what happened in a game: its players by their names, all else in the words of
/// the edition that is played.
#[derive(Clone, Copy, Debug)]
pub struct Wording<'a> {
    names: &'a Names,
    position: &'a dyn GamePosition,
}

impl Game {
    /// Says what happens in this game.
    pub fn wording(&self) -> Wording<'_> {
        Wording { names: self.names(), position: self.position() }
    }

    /// What an event says, in a sentence without a full stop; see [`Wording::sentence`].
    pub fn describe(&self, kind: &EventKind) -> String {
        self.wording().sentence(kind)
    }
}

impl Wording<'_> {
    /// What happened, in full: a sentence without a full stop.
    pub fn sentence(&self, kind: &EventKind) -> String {
        let name = |player: &Player| self.names.of(*player);
        match kind {
            EventKind::TilePlaced { player, tile, cell, rotation } => {
                format!("{} lays {tile} in {}, {}", name(player), cell_name(*cell), turns(*rotation))
            }
            EventKind::FollowerPlaced { player, cell, segment, role, figure } => {
                let what = self.figure(*figure, *role);
                format!("{} puts a {what} on segment {segment} in {}", name(player), cell_name(*cell))
            }
            EventKind::FigureReturned { player, at, figure } => {
                format!("{} takes a {} home from {}", name(player), figure.word(), cell_name(at.cell))
            }
            EventKind::FigureMoved { player, from, to, role, figure } => format!(
                "{} moves a {} from {} to segment {} in {}, as a {}",
                name(player),
                figure.word(),
                self.place(*from),
                to.segment,
                cell_name(to.cell),
                self.position.role_word(*role)
            ),
            EventKind::NeutralMoved { player, to } => {
                let what = self.position.neutral().map_or("figure of nobody", |(word, _)| word);
                format!("{} moves the {what} to {}", name(player), self.place(*to))
            }
            EventKind::Passed { player } => format!("{} does nothing more", name(player)),
            EventKind::TokensTaken { sentence, .. } | EventKind::Noted { sentence } => sentence.clone(),
            EventKind::TileDiscarded { player, tile } => {
                format!("{} puts {tile} out of the game", name(player))
            }
            EventKind::WallTileUsed { player, number, .. } => {
                format!("{} uses wall tile {}", name(player), self.position.prize_word(*number))
            }
            EventKind::OrderChosen { player, .. } => format!("{} chooses the order of scoring", name(player)),
            EventKind::WallTileShown { tower, number } => {
                format!(
                    "the wall tile of tower {} is a {}",
                    spaces(*tower),
                    self.position.prize_word(*number)
                )
            }
            EventKind::TurnEnded { player, turn } => format!("turn {turn} of {} ends", name(player)),
            EventKind::Correction { replaces, instead: None } => format!("event {replaces} did not happen"),
            EventKind::Correction { replaces, instead: Some(instead) } => {
                format!("instead of event {replaces}: {}", self.sentence(instead))
            }
            EventKind::Inserted { before, fact } => {
                format!("before event {before}: {}", self.sentence(fact))
            }
            EventKind::PlayStopped => "the players end the game here".to_owned(),
            EventKind::Recomputed { changes, .. } if changes.is_empty() => {
                "the correction changes no score".to_owned()
            }
            EventKind::Recomputed { changes, .. } => changes.join("; "),
            EventKind::FeatureScored { score, .. } => score.sentence.clone(),
            EventKind::MarkerMoved { player, from, to, total } => {
                format!("{} moves from {from} to {to}, {total} in all", name(player))
            }
            EventKind::WallTileTaken { player, tower, number } => {
                let number = number.map(|n| self.position.prize_word(n));
                let tile = number.map_or("the wall tile".to_owned(), |n| format!("wall tile {n}"));
                format!("{} takes {tile} from tower {}", name(player), spaces(*tower))
            }
            EventKind::KeepPlaced { player, size, cell } => format!(
                "{}'s {} stands on a {} of {size} in {}",
                name(player),
                self.position.largest_word(),
                self.position.kind_word(Kind::HOUSE),
                cell_name(*cell)
            ),
            EventKind::FollowersReturned { counts } => {
                let home: Vec<String> = counts
                    .iter()
                    .zip(self.names.all())
                    .filter(|(n, _)| **n > 0)
                    .map(|(n, name)| format!("{n} to {name}"))
                    .collect();
                format!("followers go home: {}", home.join(", "))
            }
            EventKind::Doubt { sentence, .. } => sentence.clone(),
            EventKind::GameEnded { winners, .. } => match winners.as_slice() {
                [winner] => format!("{} wins", name(winner)),
                all if all.len() == self.names.all().len() => "the game is a draw".to_owned(),
                all => format!("{} share the win", all.iter().map(name).collect::<Vec<_>>().join(" and ")),
            },
        }
    }

    /// What happened, as it is told to people who have the table before their eyes: a
    /// tile's turns and a follower's segment are left out. A follower stands on the tile
    /// of the turn, which was told before it.
    pub fn told(&self, kind: &EventKind) -> String {
        match kind {
            EventKind::TilePlaced { player, tile, cell, .. } => {
                format!("{} lays {tile} in {}", self.names.of(*player), cell_name(*cell))
            }
            EventKind::FollowerPlaced { player, role, figure, .. } => {
                format!("{} puts a {} on it", self.names.of(*player), self.figure(*figure, *role))
            }
            other => self.sentence(other),
        }
    }

    /// What a fact put on the table: `Ada's knight in D5`; `None` for all other events.
    pub fn laid_down(&self, kind: &EventKind) -> Option<String> {
        let (player, what, cell) = match kind {
            EventKind::TilePlaced { player, tile, cell, .. } => (player, tile.clone(), cell),
            EventKind::FollowerPlaced { player, role, cell, figure, .. } => {
                (player, self.figure(*figure, *role), cell)
            }
            _ => return None,
        };
        Some(format!("{}'s {what} in {}", self.names.of(*player), cell_name(*cell)))
    }

    /// What stands somewhere: a follower by its role, another figure by its name too.
    fn figure(&self, figure: FigureKind, role: Role) -> String {
        let role = self.position.role_word(role);
        match (figure.is_follower(), figure.weight()) {
            (true, _) => role,
            (false, 0) => figure.word().to_owned(),
            (false, _) => format!("{} as a {role}", figure.word()),
        }
    }

    /// A place where figures stand: its name, or the cell.
    fn place(&self, at: SegmentAt) -> String {
        match self.position.place_name(at) {
            Some(name) => format!("the {name}"),
            None => cell_name(at.cell),
        }
    }

    /// What someone should do at the table now that this has happened.
    pub fn to_do(&self, kind: &EventKind) -> Vec<ToDo> {
        match kind {
            EventKind::WallTileTaken { player, tower, .. } => {
                vec![ToDo::WallTile { player: player.index(), tower: *tower }]
            }
            EventKind::KeepPlaced { player, size, cell } => {
                vec![ToDo::Keep { player: player.index(), size: *size, cell: *cell }]
            }
            EventKind::TokensTaken { sentence, .. } => vec![ToDo::Told { sentence: sentence.clone() }],
            EventKind::FollowersReturned { counts } => (0..)
                .zip(counts)
                .filter(|(_, count)| **count > 0)
                .map(|(player, count)| ToDo::Home { player, count: *count })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// What someone should do, in a sentence.
    pub fn asked(&self, to_do: &ToDo) -> String {
        let name = |player: usize| self.names.all().get(player).map_or("", String::as_str);
        match to_do {
            ToDo::WallTile { player, tower } => {
                format!("{} takes the wall tile on {}", name(*player), spaces(*tower))
            }
            ToDo::Keep { player, size, cell } => format!(
                "{}'s {} goes to the {} of {} at {}",
                name(*player),
                self.position.largest_word(),
                self.position.kind_word(Kind::HOUSE),
                so_many(*size, "tile"),
                cell_name(*cell)
            ),
            ToDo::Home { player, count } => {
                format!("{} takes {} home", name(*player), so_many(*count, "follower"))
            }
            ToDo::Scored { player, cell } => {
                format!("{}'s follower at {} has been scored", name(*player), cell_name(*cell))
            }
            ToDo::CutOff { cell } => format!(
                "what lies in {} runs out of the picture; turn the camera so that it is seen whole",
                cell_name(*cell)
            ),
            ToDo::Told { sentence } => sentence.clone(),
        }
    }
}

/// Something that someone should do at the table. Players are told by their index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum ToDo {
    /// Take a wall tile (CA-70).
    WallTile {
        /// Who.
        player: usize,
        /// The lower track space of its tower.
        tower: u8,
    },
    /// Put the keep on a house (CA-62).
    Keep {
        /// Whose.
        player: usize,
        /// The size of the house in tiles.
        size: u32,
        /// A cell of the house.
        cell: Cell,
    },
    /// Take scored followers home.
    Home {
        /// Whose.
        player: usize,
        /// How many.
        count: u32,
    },
    /// Take home a scored follower that still stands somewhere.
    Scored {
        /// Whose.
        player: usize,
        /// Where it stands.
        cell: Cell,
    },
    /// Turn the camera so that a tile is seen whole that runs out of the picture.
    CutOff {
        /// Where something lies.
        cell: Cell,
    },
    /// What an English sentence says.
    Told {
        /// The sentence.
        sentence: String,
    },
}

/// A tile with how it is turned: `c07 turned once`.
pub fn turned(tile: &str, rotation: Rotation) -> String {
    match rotation.quarters() {
        0 => tile.to_owned(),
        _ => format!("{tile} {}", turns(rotation)),
    }
}

fn turns(rotation: Rotation) -> &'static str {
    match rotation.quarters() {
        0 => "upright",
        1 => "turned once",
        2 => "turned twice",
        _ => "turned three times",
    }
}

/// The two track spaces of a tower, by the lower one: `12/13`.
fn spaces(tower: u8) -> String {
    format!("{tower}/{}", tower.saturating_add(1))
}
