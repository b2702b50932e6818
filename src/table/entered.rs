//! A game that people enter and no camera sees: where figures may be put, what may be done in a
//! step, and what the camera has left open.

use super::session::Session;
use super::show::{cell_view, follower_view, in_place};
use super::view::{CellView, FigureView};
use crate::observation::Figure;
use crate::rules::{Cell, FigureKind, Move, NamedPlace, Phase, Player, SegmentAt, Sentence, sentence};

/// What may be done after a tile is laid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// What is asked, in a sentence, where a rule lets somebody do something more.
    pub question: Option<Sentence>,
    /// What may be chosen: by the kind of figure, then by place.
    pub places: Vec<PlaceView>,
    /// The move that does nothing, or nothing more.
    pub nothing: Option<Move>,
}

/// Something that may be done with a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceView {
    /// The move that does it.
    pub played: Move,
    /// With what, such as `builder` or `follower in the castle`; those with the same follow one
    /// another.
    pub group: Sentence,
    /// What it is in this group: `knight on the tower (north)`.
    pub place: Sentence,
    /// The same in full.
    pub words: Sentence,
    /// Where its foot would be, in its cell.
    pub foot: FigureView,
    /// The tile with the figure on it.
    pub cell: CellView,
    /// Whether it stands on that tile, not in a place with a name of its own.
    pub on_tile: bool,
    /// The cell that it comes from.
    pub from: Option<Cell>,
}

impl Session {
    /// What the one who may act can do now; nothing while no tile of this turn lies.
    pub fn choices(&self) -> Choices {
        let position = self.game().position();
        match position.phase() {
            Phase::Follower => {
                let nothing = Some(Move::End { player: position.to_move() });
                Choices { question: None, places: self.claims(), nothing }
            }
            Phase::Step => {
                let nothing = Some(Move::Pass { player: position.actor() });
                let question = position.step_question(self.game().names());
                Choices { question, places: self.step_places(), nothing }
            }
            Phase::Tile | Phase::Over => Choices::default(),
        }
    }

    /// Where the player to move may put a figure, by the kind of figure, then in the order of the
    /// tile's segments.
    fn claims(&self) -> Vec<PlaceView> {
        let position = self.game().position();
        let Some(cell) = position.last_cell() else { return Vec::new() };
        let player = position.to_move();
        let Some(((tile, rotation), view)) =
            position.tile_at(cell).zip(cell_view(self.game(), &self.anchors, cell))
        else {
            return Vec::new();
        };
        let mut claims: Vec<(FigureKind, u8)> = position
            .legal_moves(&[])
            .into_iter()
            .filter_map(|played| match played {
                Move::Claim { at, figure, .. } if at.cell == cell => Some((figure, at.segment)),
                _ => None,
            })
            .collect();
        claims.sort_unstable();
        let place = |(figure, segment): (FigureKind, u8)| {
            let at = SegmentAt { cell, segment };
            let role = position.role_word(position.role_at(at)?);
            let on = self.scribe.segment_view(tile, rotation, segment).said();
            let place = sentence!("{} on the {}", Sentence::word(&role), on);
            let group = Sentence::word(figure.word());
            let words = match figure.is_follower() {
                true => place.clone(),
                false => sentence!("{} as {}", group.clone(), place.clone()),
            };
            let foot = follower_view(&self.anchors, (tile, rotation), player, segment);
            let foot = FigureView { kind: figure, ..foot };
            let mut cell = view.clone();
            cell.figures.retain(|f| f.figure != Figure::Keep);
            cell.figures.push(foot);
            let played = Move::Claim { player, at, figure };
            Some(PlaceView { played, group, place, words, foot, cell, on_tile: true, from: None })
        };
        claims.into_iter().filter_map(place).collect()
    }

    /// What may be done in a step after the turn's tile and figure: by figure and where it comes
    /// from, on the newest tile first.
    fn step_places(&self) -> Vec<PlaceView> {
        let position = self.game().position();
        let last = position.last_cell();
        let mut moves = position.legal_moves(&[]);
        moves.retain(|played| !matches!(played, Move::Pass { .. }));
        moves.sort_by_key(|played| match *played {
            Move::Claim { at, figure, .. } | Move::Return { at, figure, .. } => (Some((figure, at)), None),
            Move::Redeploy { from, to, figure, .. } => {
                (Some((figure, from)), Some((Some(to.cell) != last, to)))
            }
            _ => (None, None),
        });
        moves.into_iter().filter_map(|played| self.step_place(played)).collect()
    }

    fn step_place(&self, played: Move) -> Option<PlaceView> {
        let position = self.game().position();
        let player = position.actor();
        let (group, place, words) = self.step_words(&played)?;
        let (to, figure, from) = match played {
            Move::Claim { at, figure, .. } | Move::Return { at, figure, .. } => (at, figure, None),
            Move::Redeploy { from, to, figure, .. } => (to, figure, Some(from.cell)),
            Move::MoveNeutral { to, .. } => (to, FigureKind::FOLLOWER, None),
            _ => return None,
        };
        let mut cell = cell_view(self.game(), &self.anchors, to.cell)?;
        let foot = self.foot(to, player, figure)?;
        if !matches!(played, Move::Return { .. } | Move::MoveNeutral { .. }) {
            cell.figures.push(foot);
        }
        let on_tile = position.place_name(to).is_none();
        Some(PlaceView { played, group, place, words, foot, cell, on_tile, from })
    }

    /// Where a figure's foot is on a segment, in its cell.
    fn foot(&self, at: SegmentAt, player: Player, figure: FigureKind) -> Option<FigureView> {
        let position = self.game().position();
        let named: Option<NamedPlace> = position.named_places().into_iter().find(|place| place.at == at);
        let Some(place) = named else {
            let foot = follower_view(&self.anchors, position.tile_at(at.cell)?, player, at.segment);
            return Some(FigureView { kind: figure, ..foot });
        };
        let foot = in_place(&place, player, figure);
        let (col, row) = (f32::from(at.cell.col), f32::from(at.cell.row));
        Some(FigureView { x: foot.x - col, y: foot.y - row, ..foot })
    }

    /// A move of a step: with what, what with it, and all of it.
    fn step_words(&self, played: &Move) -> Option<(Sentence, Sentence, Sentence)> {
        let position = self.game().position();
        Some(match *played {
            Move::Claim { at, figure, .. } => {
                let group = Sentence::word(figure.word());
                let place = sentence!("to the {}", self.where_words(at)?);
                let words = sentence!("{} {}", group.clone(), place.clone());
                (group, place, words)
            }
            Move::Return { at, figure, .. } => {
                let role = position.role_at(at).map_or_else(String::new, |role| position.role_word(role));
                let figure_word = Sentence::word(figure.word());
                let who = if figure.is_follower() { Sentence::word(&role) } else { figure_word.clone() };
                let words = sentence!("the {} in {} goes home", who, at.cell);
                (figure_word, words.clone(), words)
            }
            Move::Redeploy { from, to, figure, .. } => {
                let (what, from) = (Sentence::word(figure.word()), self.where_words(from)?);
                let place = sentence!("to the {}", self.where_words(to)?);
                let words = sentence!("{} from the {} {}", what.clone(), from.clone(), place.clone());
                (sentence!("{} in the {}", what, from), place, words)
            }
            Move::MoveNeutral { to, .. } => {
                let neutral = position.neutral().map_or("figure of nobody", |(word, _)| word);
                let neutral = sentence!("the {}", Sentence::word(neutral));
                let place = sentence!("to the {}", self.where_words(to)?);
                let words = sentence!("{} {}", neutral.clone(), place.clone());
                (neutral, place, words)
            }
            _ => return None,
        })
    }

    /// A place by its name, or what its segment shows and its cell: `city (north) in D5`.
    fn where_words(&self, at: SegmentAt) -> Option<Sentence> {
        let position = self.game().position();
        if let Some(name) = position.place_name(at) {
            return Some(Sentence::word(name));
        }
        let (tile, rotation) = position.tile_at(at.cell)?;
        Some(sentence!("{} in {}", self.scribe.segment_view(tile, rotation, at.segment).said(), at.cell))
    }

    /// The camera is not asked any more: what only it could settle is not waited for.
    pub fn without_camera(&mut self) {
        self.no_board = None;
        self.hand = false;
        self.go_on();
    }
}
