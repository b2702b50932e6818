//! What a module of the classic game can add: one trait, of which each module takes what it
//! needs. Where the base game asks its modules, it knows none of them by name.

use super::final_scoring::Items;
use super::grid::Square;
use super::position::{ClassicFeature, Position};
use super::turn::Outcome;
use crate::features::Node;
use crate::moves::Reasons;
use crate::{
    Cell, FeatureView, FigureKind, Move, NamedPlace, Names, Placement, Player, Reason, Rotation, SegmentAt,
    Sentence, Token,
};

/// Where a turn stands after its tile and follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Before what was completed is scored.
    Scoring,
    /// It has been scored.
    Scored,
    /// The end of the turn.
    End,
    /// The last turn has ended; the final scoring follows.
    Final,
}

impl Stage {
    /// All, in their order.
    pub const ALL: [Stage; 4] = [Stage::Scoring, Stage::Scored, Stage::End, Stage::Final];
}

/// What a road, city or cloister is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Worth {
    /// Tiles that count; nine for a completed cloister.
    pub tiles: u32,
    /// Points for each tile and pennant.
    pub each: u32,
    /// What changed it, as words that follow its name, and the rule that says so.
    pub because: [Option<(&'static str, &'static str)>; 2],
}

impl Worth {
    /// So many points for each of so many tiles, and nothing special about it.
    pub const fn new(tiles: u32, each: u32) -> Worth {
        Worth { tiles, each, because: [None; 2] }
    }

    /// Says what changed it: `with an inn`, and the rule.
    pub fn note(&mut self, words: &'static str, rule: &'static str) {
        if let Some(free) = self.because.iter_mut().find(|note| note.is_none()) {
            *free = Some((words, rule));
        }
    }
}

/// Points at the end of the game for what lies on no feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extra {
    /// The category of the sheet.
    pub category: &'static str,
    /// Who gets all of it.
    pub players: Vec<Player>,
    /// What is counted, in the plural.
    pub what: &'static str,
    /// How many.
    pub count: u32,
    /// Points for each.
    pub each: u32,
    /// The rule.
    pub rule: &'static str,
    /// What it is for, before the colon and the points.
    pub words: String,
}

/// A module of the classic game.
pub(super) trait Module: Sync {
    /// The name of its set in decks and editions.
    fn set(&self) -> &'static str;

    /// Its title, for people.
    fn title(&self) -> &'static str;

    /// The figures that each player has more with it.
    fn figures(&self) -> &'static [(FigureKind, u8)] {
        &[]
    }

    /// How many may play with it (BA-01).
    fn most_players(&self) -> usize {
        5
    }

    /// The categories that it adds to the sheet.
    fn categories(&self) -> &'static [&'static str] {
        &[]
    }

    /// Tiles that lie from the start, upright, besides the one at the origin.
    fn block(&self) -> &'static [(&'static str, Cell)] {
        &[]
    }

    /// A tile has been laid or has left the game; whether the module forbids to draw tiles,
    /// or places that the base game allows, from now on. One that does not is asked no
    /// more.
    fn restricts(&self, _position: &mut Position) -> bool {
        false
    }

    /// Whether a tile may lie so, where the base game allows it.
    fn allows(&self, _position: &Position, _tile: usize, _square: Square, _rotation: Rotation) -> bool {
        true
    }

    /// Whether a tile may be drawn now.
    fn may_draw(&self, _position: &Position, _tile: usize) -> bool {
        true
    }

    /// Whatever else is against laying a tile.
    fn judge_lay(&self, _position: &Position, _lay: Placement, _square: Square, _reasons: &mut Reasons) {}

    /// A tile has been laid.
    fn laid(&self, _position: &mut Position) {}

    /// Adds figures that may be put on the tile just laid.
    fn claims(&self, _position: &Position, _moves: &mut Vec<Move>) {}

    /// Judges a claim by its own rules; whether it did.
    fn judge_claim(
        &self,
        _position: &Position,
        _player: Player,
        _at: SegmentAt,
        _figure: FigureKind,
        _reasons: &mut Reasons,
    ) -> bool {
        false
    }

    /// Changes what a road, city or cloister is worth.
    fn worth(&self, _position: &Position, _feature: &ClassicFeature, _complete: bool, _worth: &mut Worth) {}

    /// Adds what a field is worth to all who score for it; `cities` are the completed ones
    /// that it touches.
    fn field(&self, _position: &Position, _field: Node, _cities: &[Node], _items: &mut Items) {}

    /// Adds what a field is worth to one of those who score for it, who have `items`
    /// already.
    fn field_of(&self, _position: &Position, _field: Node, _player: Player, _items: &mut Items) {}

    /// Roads, cities and cloisters have been completed, by their roots, claimed or not;
    /// their followers have been scored and gone home.
    fn completed(&self, _position: &mut Position, _roots: &[Node], _outcome: &mut Outcome) {}

    /// Whether the player to move goes on with another tile, when a turn has ended. Says
    /// why in the outcome.
    fn goes_on(&self, _position: &mut Position) -> bool {
        false
    }

    /// The stages at which it can open a step.
    fn steps(&self) -> &'static [Stage] {
        &[]
    }

    /// Begins a step, or goes on with it, if it has one at this stage; whether it has. Who
    /// acts stands in the state then.
    fn opens(&self, _position: &mut Position, _stage: Stage) -> bool {
        false
    }

    /// Adds what the one who acts may do in the step, without passing.
    fn step_moves(&self, _position: &Position, _moves: &mut Vec<Move>) {}

    /// Says by which rule a move is none of those of the step.
    fn step_rule(&self, _position: &Position) -> &'static str {
        "BA-06"
    }

    /// What the one who acts in the step, by name, is asked, in a sentence.
    fn step_question(&self, _position: &Position, _name: &str) -> Option<Sentence> {
        None
    }

    /// What is special about this turn, in a few words.
    fn turn_note(&self, _position: &Position) -> Option<Sentence> {
        None
    }

    /// A move of the step has been made, or the one who acts has passed.
    fn stepped(&self, _position: &mut Position, _played: &Move) {}

    /// What is scored at the end besides features.
    fn extras(&self, _position: &Position, _extras: &mut Vec<Extra>) {}

    /// Cities of its own that count as completed ones.
    fn more_cities(&self) -> u32 {
        0
    }

    /// How many of a token a player holds.
    fn tokens(&self, _position: &Position, _player: Player, _held: &mut Vec<(Token, u32)>) {}

    /// The figure that belongs to nobody, and where it stands.
    fn neutral(&self, _position: &Position) -> Option<(&'static str, SegmentAt)> {
        None
    }

    /// The places that have names of their own.
    fn named_places(&self, _position: &Position) -> Vec<NamedPlace> {
        Vec::new()
    }

    /// The place with a name of its own.
    fn place_named(&self, _position: &Position, _name: &str) -> Option<SegmentAt> {
        None
    }

    /// The name of a place that has one.
    fn place_name(&self, _position: &Position, _at: SegmentAt) -> Option<&'static str> {
        None
    }

    /// Why a feature scored as it did, or at the end of the game.
    fn reasons(
        &self,
        _position: &Position,
        _feature: &FeatureView,
        _place: &Sentence,
        _reasons: &mut Vec<Reason>,
    ) {
    }

    /// Why the end of the game counted what it counted besides features.
    fn final_reasons(&self, _position: &Position, _names: &Names, _reasons: &mut Vec<Reason>) {}
}
