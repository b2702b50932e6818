//! Events as sentences for people, in the words of the edition that is played.

use serde::{Deserialize, Serialize};

use super::event::EventKind;
use super::game::Game;
use crate::rules::{
    Cell, FigureKind, GamePosition, Kind, Names, Player, Role, Rotation, SegmentAt, Sentence, cell_name,
    sentence,
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
    pub fn describe(&self, kind: &EventKind) -> Sentence {
        self.wording().sentence(kind)
    }
}

impl Wording<'_> {
    /// What happened, in full: a sentence without a full stop.
    pub fn sentence(&self, kind: &EventKind) -> Sentence {
        let name = |player: &Player| self.names.of(*player);
        match kind {
            EventKind::TilePlaced { player, tile, cell, rotation } => {
                sentence!("{} lays {} in {}, {}", name(player), tile, *cell, turns(*rotation))
            }
            EventKind::FollowerPlaced { player, cell, segment, role, figure } => {
                let what = self.figure(*figure, *role);
                sentence!("{} puts a {} on segment {} in {}", name(player), what, *segment, *cell)
            }
            EventKind::FigureReturned { player, at, figure } => {
                let what = Sentence::word(figure.word());
                sentence!("{} takes a {} home from {}", name(player), what, at.cell)
            }
            EventKind::FigureMoved { player, from, to, role, figure } => sentence!(
                "{} moves a {} from {} to segment {} in {}, as a {}",
                name(player),
                Sentence::word(figure.word()),
                self.place(*from),
                to.segment,
                to.cell,
                Sentence::word(&self.position.role_word(*role))
            ),
            EventKind::NeutralMoved { player, to } => {
                let what = self.position.neutral().map_or("figure of nobody", |(word, _)| word);
                sentence!("{} moves the {} to {}", name(player), Sentence::word(what), self.place(*to))
            }
            EventKind::Passed { player } => sentence!("{} does nothing more", name(player)),
            EventKind::TokensTaken { sentence, .. } | EventKind::Noted { sentence } => {
                Sentence::from(sentence.clone())
            }
            EventKind::TileDiscarded { player, tile } => {
                sentence!("{} puts {} out of the game", name(player), tile)
            }
            EventKind::WallTileUsed { player, number, .. } => {
                sentence!("{} uses wall tile {}", name(player), self.position.prize_word(*number))
            }
            EventKind::OrderChosen { player, .. } => {
                sentence!("{} chooses the order of scoring", name(player))
            }
            EventKind::WallTileShown { tower, number } => {
                let number = self.position.prize_word(*number);
                sentence!("the wall tile of tower {} is a {}", spaces(*tower), number)
            }
            EventKind::TurnEnded { player, turn } => sentence!("turn {} of {} ends", *turn, name(player)),
            EventKind::Correction { replaces, instead: None } => {
                sentence!("event {} did not happen", *replaces)
            }
            EventKind::Correction { replaces, instead: Some(instead) } => {
                sentence!("instead of event {}: {}", *replaces, self.sentence(instead))
            }
            EventKind::Inserted { before, fact } => {
                sentence!("before event {}: {}", *before, self.sentence(fact))
            }
            EventKind::PlayStopped => sentence!("the players end the game here"),
            EventKind::Recomputed { changes, .. } if changes.is_empty() => {
                sentence!("the correction changes no score")
            }
            EventKind::Recomputed { changes, .. } => Sentence::from(changes.join("; ")),
            EventKind::FeatureScored { score, .. } => Sentence::from(score.sentence.clone()),
            EventKind::MarkerMoved { player, from, to, total } => {
                sentence!("{} moves from {} to {}, {} in all", name(player), *from, *to, *total)
            }
            EventKind::WallTileTaken { player, tower, number: None } => {
                sentence!("{} takes the wall tile from tower {}", name(player), spaces(*tower))
            }
            EventKind::WallTileTaken { player, tower, number: Some(number) } => {
                let number = self.position.prize_word(*number);
                sentence!("{} takes wall tile {} from tower {}", name(player), number, spaces(*tower))
            }
            EventKind::KeepPlaced { player, size, cell } => sentence!(
                "{}'s {} stands on a {} of {} in {}",
                name(player),
                Sentence::word(&self.position.largest_word()),
                Sentence::word(&self.position.kind_word(Kind::HOUSE)),
                *size,
                *cell
            ),
            EventKind::FollowersReturned { counts } => {
                let home: Vec<String> = counts
                    .iter()
                    .zip(self.names.all())
                    .filter(|(n, _)| **n > 0)
                    .map(|(n, name)| format!("{name} {n}"))
                    .collect();
                sentence!("followers go home: {}", home.join(", "))
            }
            EventKind::Doubt { sentence, .. } => Sentence::from(sentence.clone()),
            EventKind::GameEnded { winners, .. } => match winners.as_slice() {
                [winner] => sentence!("{} wins", name(winner)),
                all if all.len() == self.names.all().len() => sentence!("the game is a draw"),
                all => sentence!("{} share the win", all.iter().map(name).collect::<Vec<_>>().join(", ")),
            },
        }
    }

    /// What happened, as it is told to people who have the table before their eyes: a
    /// tile's turns and a follower's segment are left out. A follower stands on the tile
    /// of the turn, which was told before it.
    pub fn told(&self, kind: &EventKind) -> Sentence {
        match kind {
            EventKind::TilePlaced { player, tile, cell, .. } => {
                sentence!("{} lays {} in {}", self.names.of(*player), tile, *cell)
            }
            EventKind::FollowerPlaced { player, role, figure, .. } => {
                sentence!("{} puts a {} on it", self.names.of(*player), self.figure(*figure, *role))
            }
            EventKind::FigureMoved { player, from, to, role, figure } => sentence!(
                "{} moves a {} from {} to {}, as a {}",
                self.names.of(*player),
                Sentence::word(figure.word()),
                self.place(*from),
                self.place(*to),
                Sentence::word(&self.position.role_word(*role))
            ),
            other => self.sentence(other),
        }
    }

    /// What a fact put on the table: `Ada's knight in D5`; `None` for all other events.
    pub fn laid_down(&self, kind: &EventKind) -> Option<Sentence> {
        let (player, what, cell) = match kind {
            EventKind::TilePlaced { player, tile, cell, .. } => (player, Sentence::word(tile), cell),
            EventKind::FollowerPlaced { player, role, cell, figure, .. } => {
                (player, self.figure(*figure, *role), cell)
            }
            _ => return None,
        };
        Some(sentence!("{}'s {} in {}", self.names.of(*player), what, *cell))
    }

    /// What stands somewhere: a follower by its role, another figure by its name too.
    fn figure(&self, figure: FigureKind, role: Role) -> Sentence {
        let role = Sentence::word(&self.position.role_word(role));
        let figure_word = Sentence::word(figure.word());
        match (figure.is_follower(), figure.weight()) {
            (true, _) => role,
            (false, 0) => figure_word,
            (false, _) => sentence!("{} as a {}", figure_word, role),
        }
    }

    /// A place where figures stand: its name, or the cell.
    fn place(&self, at: SegmentAt) -> Sentence {
        match self.position.place_name(at) {
            Some(name) => sentence!("the {}", Sentence::word(name)),
            None => Sentence::word(&cell_name(at.cell)),
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
    pub fn asked(&self, to_do: &ToDo) -> Sentence {
        let name = |player: usize| self.names.all().get(player).map_or("", String::as_str);
        match to_do {
            ToDo::WallTile { player, tower } => {
                sentence!("{} takes the wall tile on {}", name(*player), spaces(*tower))
            }
            ToDo::Keep { player, size, cell } => {
                let (what, on) = (self.position.largest_word(), self.position.kind_word(Kind::HOUSE));
                let (what, on) = (Sentence::word(&what), Sentence::word(&on));
                match size {
                    1 => sentence!("{}'s {} goes to the {} of 1 tile at {}", name(*player), what, on, *cell),
                    n => {
                        sentence!(
                            "{}'s {} goes to the {} of {} tiles at {}",
                            name(*player),
                            what,
                            on,
                            *n,
                            *cell
                        )
                    }
                }
            }
            ToDo::Home { player, count: 1 } => sentence!("{} takes 1 follower home", name(*player)),
            ToDo::Home { player, count } => {
                sentence!("{} takes {} followers home", name(*player), *count)
            }
            ToDo::Scored { player, cell } => {
                sentence!("{}'s follower at {} has been scored", name(*player), *cell)
            }
            ToDo::CutOff { cell } => sentence!(
                "what lies in {} runs out of the picture; turn the camera so that it is seen whole",
                *cell
            ),
            ToDo::Told { sentence } => Sentence::from(sentence.clone()),
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
pub fn turned(tile: &str, rotation: Rotation) -> Sentence {
    match rotation.quarters() {
        0 => Sentence::word(tile),
        _ => sentence!("{} {}", tile, turns(rotation)),
    }
}

fn turns(rotation: Rotation) -> Sentence {
    match rotation.quarters() {
        0 => sentence!("upright"),
        1 => sentence!("turned once"),
        2 => sentence!("turned twice"),
        _ => sentence!("turned three times"),
    }
}

/// The two track spaces of a tower, by the lower one: `12/13`.
fn spaces(tower: u8) -> String {
    format!("{tower}/{}", tower.saturating_add(1))
}
