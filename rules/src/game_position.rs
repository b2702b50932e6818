//! What every game offers to those who keep its score: one trait.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Debug;

use thiserror::Error;

use crate::{
    Attribute, Cell, Deck, FeatureView, FigureKind, Game, Holding, Illegality, Kind, Move, NamedPlace, Names,
    Phase, Placement, Player, Reason, Refusal, Role, Rotation, Score, SegmentAt, Sentence, StandingFollower,
    Token, Wall, names,
};

/// The most letters that a cell of the board's text is filled up to.
const WIDEST_CELL: usize = 64;

/// With what a game is begun.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The wall, for games that are played inside one.
    pub wall: Option<&'a Wall>,
    /// The tiles.
    pub deck: &'a Deck,
    /// The edition and what the table chose differently, such as
    /// `rgg-2003 +pickup_after_all_moves`; the game's own when nobody named one.
    pub edition: Option<&'a str>,
    /// How many play.
    pub players: usize,
    /// Who begins.
    pub starts: Player,
    /// What lies face down on the score track, such as the wall tiles of The Castle, where
    /// someone has said so: the lower track space to the number.
    pub prizes: &'a BTreeMap<u8, u8>,
}

/// Why a game cannot be begun.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct SetupFault(pub Sentence);

/// Why a text is not a move; it says how to write it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Unreadable(pub Sentence);

/// The edition of a game with what the table chose differently, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditionNotes {
    /// Its title.
    pub title: String,
    /// What a table must know of it, in sentences.
    pub notes: Vec<String>,
    /// In which readings of the rules the table departs from it, in sentences.
    pub departures: Vec<String>,
}

/// What follows from a move by the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consequence {
    /// A feature was scored.
    Scored(Score),
    /// Points were made: the player's total before and after.
    Moved {
        /// Who made them.
        player: Player,
        /// Before.
        from: u32,
        /// After.
        to: u32,
    },
    /// A player took what lies on the score track.
    Taken {
        /// Who.
        player: Player,
        /// The lower track space of where it lay.
        from: u8,
        /// Its number, where known.
        number: Option<u8>,
    },
    /// The piece that marks a player's largest feature was put on another.
    Largest(Player, Largest),
    /// Followers went home, a player each.
    Returned(Vec<u32>),
    /// A player took tokens or a card.
    Token {
        /// Who.
        player: Player,
        /// What.
        token: Token,
        /// How many.
        count: u32,
        /// Who had it before, the player too, who keeps a card; nobody for what lay beside
        /// the board.
        from: Option<Player>,
        /// Why, in a sentence that names the rule.
        sentence: String,
    },
    /// Something else followed by a rule, in a sentence that names it.
    Noted(String),
    /// Something is unclear and waits for the players, in a sentence.
    Unclear(String),
}

/// What a piece that marks a player's largest feature of a kind stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Largest {
    /// Its size in tiles.
    pub size: u32,
    /// A cell of it.
    pub cell: Cell,
}

/// Moves played, and what was against the rules in them.
pub type Happened = (Vec<Consequence>, Vec<Illegality>);

/// A game in progress, whichever game it is.
pub trait GamePosition: Debug + Send + Sync {
    /// Which game it is.
    fn game(&self) -> Game;

    /// The position as what it is, for what only one game has.
    fn as_any(&self) -> &dyn Any;

    /// A copy.
    fn boxed(&self) -> Box<dyn GamePosition>;

    /// How many play.
    fn players(&self) -> usize;

    /// Whose turn it is.
    fn to_move(&self) -> Player;

    /// Who may do something now: in a step others than the one whose turn it is, too.
    fn actor(&self) -> Player {
        self.to_move()
    }

    /// Who has the next turn, if this one ended now.
    fn next_player(&self) -> Player;

    /// What is to be done next.
    fn phase(&self) -> Phase;

    /// The number of the turn, from 1.
    fn turn(&self) -> u32;

    /// Points made in play, final scoring not in it.
    fn total(&self, player: Player) -> u32;

    /// All players' totals with the final scoring in it, as if the game ended here.
    fn final_totals(&self) -> Vec<u32>;

    /// Spaces of the score track: totals go round it.
    fn track(&self) -> u32;

    /// Followers in a player's supply.
    fn supply(&self, player: Player) -> u8;

    /// The kinds of figures that players have, followers first.
    fn figures(&self) -> Vec<FigureKind> {
        vec![FigureKind::FOLLOWER]
    }

    /// How many of a figure are in a player's supply.
    fn supply_of(&self, player: Player, figure: FigureKind) -> u8 {
        if figure.is_follower() { self.supply(player) } else { 0 }
    }

    /// The tokens and cards that a player holds, with how many of each; none of which the
    /// player has none.
    fn tokens(&self, _player: Player) -> Vec<(Token, u32)> {
        Vec::new()
    }

    /// All that a player holds besides followers: every kind of figure, then the tokens and
    /// cards that the player has.
    fn holdings(&self, player: Player) -> Vec<Holding> {
        let standing = self.followers();
        let figures = self.figures().into_iter().filter(|figure| !figure.is_follower()).map(|figure| {
            let theirs = standing.iter().filter(|f| f.player == player && f.figure == figure);
            Holding {
                name: figure.name(),
                word: figure.word(),
                count: u32::from(self.supply_of(player, figure)),
                single: false,
                on_board: theirs.map(|f| SegmentAt { cell: f.cell, segment: f.segment }).collect(),
            }
        });
        let tokens = self.tokens(player).into_iter().map(|(token, count)| Holding {
            name: token.name(),
            word: token.word(),
            count,
            single: token.is_single(),
            on_board: Vec::new(),
        });
        figures.chain(tokens).collect()
    }

    /// What the one who may act is asked in a step, in a sentence.
    fn step_question(&self, _names: &Names) -> Option<Sentence> {
        None
    }

    /// What is special about this turn, in a few words.
    fn turn_note(&self) -> Option<Sentence> {
        None
    }

    /// The places of the board that have names of their own, such as the quarters of a city.
    fn named_places(&self) -> Vec<NamedPlace> {
        Vec::new()
    }

    /// The figure that belongs to nobody: what it is called and where it stands.
    fn neutral(&self) -> Option<(&'static str, SegmentAt)> {
        None
    }

    /// The name of a place that has one, such as a quarter of a city.
    fn place_name(&self, _at: SegmentAt) -> Option<&'static str> {
        None
    }

    /// Tiles neither laid nor discarded.
    fn tiles_left(&self) -> u32;

    /// How many of a tile are left, by its index in the deck.
    fn remaining(&self, tile: usize) -> u32;

    /// How many different tiles the deck has.
    fn tiles(&self) -> usize;

    /// The id of a tile, by its index in the deck.
    fn tile_id(&self, tile: usize) -> Option<&str>;

    /// The index of the tile with this id.
    fn tile_index(&self, id: &str) -> Option<usize>;

    /// What lies in a cell: the tile's index in the deck and how it is turned.
    fn tile_at(&self, cell: Cell) -> Option<(usize, Rotation)>;

    /// The cells of the board: all inside a wall, else those with tiles.
    fn cells(&self) -> Vec<Cell>;

    /// Where the tile of this turn lies, before the turn ends.
    fn last_cell(&self) -> Option<Cell>;

    /// Followers on tiles, in the order in which they were put there.
    fn followers(&self) -> Vec<StandingFollower>;

    /// The role of a follower on a segment of the tile in a cell.
    fn role_at(&self, at: SegmentAt) -> Option<Role>;

    /// Every way in which a tile may be laid; `tile` is its index in the deck.
    fn placements(&self, tile: usize) -> Vec<Placement>;

    /// Whether a tile has any legal place.
    fn has_placement(&self, tile: usize) -> bool;

    /// The segments of the tile just laid that the player to move may put a follower on,
    /// and what it would be there.
    fn claims(&self) -> Vec<(u8, Role)>;

    /// Every legal move with these tiles drawn, by index in the deck; with none, every
    /// tile left may be. Moves that end the game early are not among them.
    fn legal_moves(&self, drawn: &[usize]) -> Vec<Move>;

    /// Every reason why a move is not legal now; empty when it is.
    fn illegalities(&self, played: &Move) -> Vec<Illegality>;

    /// Plays a move by the rules, without telling what follows.
    ///
    /// # Errors
    /// [`Refusal`] with every reason why it is not legal; nothing has changed.
    fn play(&mut self, played: &Move) -> Result<(), Refusal>;

    /// Plays a move that happened at the table, legal or not: what follows from it, and
    /// what was against the rules.
    ///
    /// # Errors
    /// [`Refusal`] when it cannot have happened; nothing has changed.
    fn happen(&mut self, played: &Move, names: &Names) -> Result<Happened, Refusal>;

    /// Takes back the last move. Returns whether there was one.
    fn undo(&mut self) -> bool;

    /// Reads a move as people write it; it may still be illegal.
    ///
    /// # Errors
    /// [`Unreadable`] says how to write it.
    fn read_move(&self, text: &str) -> Result<Move, Unreadable>;

    /// Writes a move as [`GamePosition::read_move`] reads it; `self` is the position
    /// before it.
    fn write_move(&self, played: &Move) -> String;

    /// The final scoring as explanations, as if the game ended here.
    fn final_scores(&self, names: &Names) -> Vec<Score>;

    /// The categories of the final sheet, in its order.
    fn categories(&self) -> Vec<&'static str>;

    /// The category of the final sheet that a score belongs to.
    fn category<'a>(&self, score: &'a Score) -> &'a str {
        &score.category
    }

    /// The features with followers on them, in the order in which the first follower of
    /// each was put there.
    fn claimed_features(&self) -> Vec<FeatureView>;

    /// The features that the tile in a cell is part of or touches, each once.
    fn features_around(&self, cell: Cell) -> Vec<FeatureView>;

    /// Why a turn scored what it scored and nothing else; `self` is the position after
    /// the follower and before the scoring, `brought` what the turn's end brought.
    fn reasons(&self, scores: &[Score], brought: &[Consequence], names: &Names) -> Vec<Reason>;

    /// Why the final scoring counted what it counted and nothing else; the game is over.
    fn final_reasons(&self, finals: &[Score], names: &Names) -> Vec<Reason>;

    /// The word for a feature.
    fn kind_word(&self, kind: Kind) -> String {
        kind.name().to_owned()
    }

    /// The word for a follower on a feature.
    fn role_word(&self, role: Role) -> String {
        role.name().to_owned()
    }

    /// The word for what is printed on a feature.
    fn attribute_word(&self, attribute: Attribute) -> String {
        attribute.name().to_owned()
    }

    /// What the piece is called that marks a largest feature, for games that have one.
    fn largest_word(&self) -> String {
        "marker".to_owned()
    }

    /// A number of what lies on the score track, as players read it.
    fn prize_word(&self, number: u8) -> String {
        number.to_string()
    }

    /// The feature under the piece that marks a player's largest, for games that have
    /// one.
    fn largest(&self, _player: Player) -> Option<Largest> {
        None
    }

    /// What a player took from the score track and still has: the lower track space of
    /// where it lay, and its number, where known.
    fn prizes(&self, _player: Player) -> Vec<(u8, Option<u8>)> {
        Vec::new()
    }

    /// What still lies on the score track, as in [`GamePosition::prizes`].
    fn prizes_on_track(&self) -> Vec<(u8, Option<u8>)> {
        Vec::new()
    }

    /// What the final scoring does not know, in sentences: it is asked as soon as the game is
    /// over, and open until it is answered.
    fn open_questions(&self, _names: &Names) -> Vec<String> {
        Vec::new()
    }

    /// The board as text, a line a row: tiles by id and quarter turns, `.` an empty cell
    /// of the board; columns and rows are named.
    fn board_text(&self) -> Vec<String> {
        let cells = self.cells();
        let range = |of: fn(&Cell) -> i8| {
            let all = || cells.iter().map(of);
            all().min().unwrap_or(0)..=all().max().unwrap_or(0)
        };
        let (cols, rows) = (range(|c| c.col), range(|c| c.row));
        let text = |cell: Cell| match self.tile_at(cell) {
            Some((tile, rotation)) => match rotation.quarters() {
                0 => self.tile_id(tile).unwrap_or("?").to_owned(),
                n => format!("{}/{n}", self.tile_id(tile).unwrap_or("?")),
            },
            None if cells.contains(&cell) => ".".to_owned(),
            None => String::new(),
        };
        let width = cells.iter().map(|c| text(*c).chars().count()).max().unwrap_or(1).min(WIDEST_CELL);
        let line = |name: String, words: Vec<String>| {
            let words: String = words.iter().map(|w| format!(" {w:<width$}")).collect();
            format!("{name:>2}{words}").trim_end().to_owned()
        };
        let mut lines = vec![line(String::new(), cols.clone().map(names::column_name).collect())];
        for row in rows {
            let words = cols.clone().map(|col| text(Cell::new(col, row))).collect();
            lines.push(line(names::row_name(row), words));
        }
        lines
    }
}

impl Clone for Box<dyn GamePosition> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

/// The methods of [`GamePosition`] that every position has under the same name.
macro_rules! as_the_position_does {
    () => {
        fn to_move(&self) -> $crate::Player {
            self.to_move()
        }

        fn phase(&self) -> $crate::Phase {
            self.phase()
        }

        fn turn(&self) -> u32 {
            self.turn()
        }

        fn total(&self, player: $crate::Player) -> u32 {
            self.total(player)
        }

        fn supply(&self, player: $crate::Player) -> u8 {
            self.supply(player)
        }

        fn tiles_left(&self) -> u32 {
            self.tiles_left()
        }

        fn remaining(&self, tile: usize) -> u32 {
            self.remaining(tile)
        }

        fn tiles(&self) -> usize {
            self.tiles()
        }

        fn tile_id(&self, tile: usize) -> Option<&str> {
            self.tile_id(tile)
        }

        fn tile_index(&self, id: &str) -> Option<usize> {
            self.tile_index(id)
        }

        fn tile_at(&self, cell: $crate::Cell) -> Option<(usize, $crate::Rotation)> {
            self.tile_at(cell)
        }

        fn last_cell(&self) -> Option<$crate::Cell> {
            self.last_cell()
        }

        fn followers(&self) -> Vec<$crate::StandingFollower> {
            self.followers()
        }

        fn role_at(&self, at: $crate::SegmentAt) -> Option<$crate::Role> {
            self.role_at(at)
        }

        fn placements(&self, tile: usize) -> Vec<$crate::Placement> {
            self.placements(tile)
        }

        fn has_placement(&self, tile: usize) -> bool {
            self.has_placement(tile)
        }

        fn claims(&self) -> Vec<(u8, $crate::Role)> {
            self.claims()
        }

        fn illegalities(&self, played: &$crate::Move) -> Vec<$crate::Illegality> {
            self.illegalities(played)
        }

        fn undo(&mut self) -> bool {
            self.undo()
        }

        fn write_move(&self, played: &$crate::Move) -> String {
            self.write_move(played)
        }

        fn final_scores(&self, names: &$crate::Names) -> Vec<$crate::Score> {
            self.final_scores(names)
        }

        fn claimed_features(&self) -> Vec<$crate::FeatureView> {
            self.claimed_features()
        }

        fn features_around(&self, cell: $crate::Cell) -> Vec<$crate::FeatureView> {
            self.features_around(cell)
        }
    };
}
pub(crate) use as_the_position_does;
