//! The River: twelve tiles that are laid first and begin the map (PL-05 to PL-07).

use super::grid::Square;
use super::module::Module;
use super::position::Position;
use super::switches::Switch;
use crate::attributes::{AttributeFacts, Several};
use crate::moves::Reasons;
use crate::vocabulary::Vocabulary;
use crate::{Attribute, Kind, Placement, Rotation, Side, sentence};

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    attributes: &[AttributeFacts { name: "spring", several: Several::AsOne }],
    ..Vocabulary::NONE
};

impl Attribute {
    /// Classic, River: where the river begins.
    pub const SPRING: Attribute = Attribute::declared("spring");
}

pub(super) const SWITCHES: [Switch; 1] = [Switch::new(
    "river_may_turn_back",
    "PL-06",
    || sentence!("two curves of the river may turn the same way"),
    || {
        sentence!(
            "two curves of the river may not turn the same way, so that it never runs into itself: no text says so, the publisher's rules do"
        )
    },
    |s| &mut s.modules.river.may_turn_back,
)];

/// Readings of the rules of the river.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Switches {
    may_turn_back: bool,
}

/// What the module keeps of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// The part of the river that must be laid next, as long as there is one left.
    due: Option<Part>,
}

/// A part of the river.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Spring,
    Middle,
    Lake,
}

/// The module.
pub(super) struct River;

impl Module for River {
    fn set(&self) -> &'static str {
        "river"
    }

    fn title(&self) -> &'static str {
        "the River"
    }

    fn restricts(&self, position: &mut Position) -> bool {
        let due = position.river_due();
        position.state.modules.river.due = due;
        due.is_some()
    }

    fn allows(&self, position: &Position, tile: usize, square: Square, rotation: Rotation) -> bool {
        let Some(part) = position.part_of_river(tile) else { return true };
        (part == Part::Spring || position.continues_river(tile, square, rotation))
            && (position.switches.modules.river.may_turn_back
                || position.leaves_room_for_river(tile, square, rotation))
    }

    fn may_draw(&self, position: &Position, tile: usize) -> bool {
        let due = position.state.modules.river.due;
        due.is_none() || position.part_of_river(tile) == due
    }

    fn judge_lay(&self, position: &Position, lay: Placement, square: Square, reasons: &mut Reasons) {
        let part = position.part_of_river(lay.tile);
        match position.state.modules.river.due {
            Some(due) if part.is_none() => {
                let sentence = match due {
                    Part::Lake => sentence!("the lake must be laid before other tiles"),
                    _ => sentence!("tiles of the river must be laid before other tiles"),
                };
                reasons.broken("PL-05", sentence);
            }
            Some(Part::Middle) if part == Some(Part::Lake) => {
                reasons.broken("PL-05", sentence!("the lake is the last tile of the river"));
            }
            Some(Part::Spring) if part != Some(Part::Spring) => {
                reasons.broken("PL-05", sentence!("the spring is the first tile of the river"));
            }
            _ => {}
        }
        let Some(part) = part else { return };
        if part != Part::Spring && !position.continues_river(lay.tile, square, lay.rotation) {
            reasons.broken("PL-05", sentence!("the tile does not continue the river"));
        }
        if !position.switches.modules.river.may_turn_back
            && !position.leaves_room_for_river(lay.tile, square, lay.rotation)
        {
            reasons.broken("PL-06", sentence!("the river would turn back to tiles that lie"));
        }
    }
}

impl Position {
    /// The sides of a tile through which a river runs, upright.
    fn river_sides(&self, tile: usize) -> impl Iterator<Item = Side> + use<> {
        let edges = self.board.faces[tile].turned[0].edges;
        Side::ALL.into_iter().filter(move |side| edges >> (4 * side.index()) & 0xf == 4)
    }

    /// Which part of the river a tile is.
    fn part_of_river(&self, tile: usize) -> Option<Part> {
        let sides = self.river_sides(tile).count();
        if sides == 0 {
            return None;
        }
        let river = self.board.faces[tile].segments.iter().find(|s| s.kind == Kind::RIVER)?;
        Some(match sides {
            _ if river.attributes.has(Attribute::SPRING) => Part::Spring,
            1 => Part::Lake,
            _ => Part::Middle,
        })
    }

    /// The part of the river that must be laid next, as long as there is one left.
    fn river_due(&self) -> Option<Part> {
        let mut lake = None;
        let mut middle = None;
        for tile in (0..self.tiles()).filter(|tile| self.remaining(*tile) > 0) {
            match self.part_of_river(tile) {
                Some(Part::Spring) => return Some(Part::Spring),
                Some(Part::Middle) => middle = Some(Part::Middle),
                Some(Part::Lake) => lake = Some(Part::Lake),
                None => {}
            }
        }
        middle.or(lake)
    }

    /// Whether a tile of the river would lie beside one with which it joins the river.
    fn continues_river(&self, tile: usize, square: Square, rotation: Rotation) -> bool {
        self.river_sides(tile).any(|side| {
            let side = side.turned(rotation);
            self.is_laid(square.beside()[side.index()])
        })
    }

    /// Whether the square into which the river would run is free on its other sides.
    fn leaves_room_for_river(&self, tile: usize, square: Square, rotation: Rotation) -> bool {
        self.river_sides(tile).all(|side| {
            let next = square.beside()[side.turned(rotation).index()];
            self.is_laid(next)
                || self.square(self.cell(next)).is_none()
                || next.beside().into_iter().all(|other| other == square || !self.is_laid(other))
        })
    }
}
