//! King & Robber Baron: cards for who completes the largest city and the longest road
//! (PL-25 to PL-29).

use super::module::{Extra, Module};
use super::position::Position;
use super::reasons::reason;
use super::switches::Switch;
use super::turn::{Outcome, Taken};
use crate::features::Node;
use crate::token::TokenFacts;
use crate::vocabulary::Vocabulary;
use crate::words::tiles;
use crate::{FeatureView, Kind, Names, Player, Reason, Sentence, Token, sentence};

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    tokens: &[
        TokenFacts { name: "king", word: "king", single: true },
        TokenFacts { name: "robber", word: "robber baron", single: true },
    ],
    ..Vocabulary::NONE
};

impl Token {
    /// Classic, King & Robber Baron: the king's card.
    pub const KING: Token = Token::declared("king");
    /// Classic, King & Robber Baron: the robber baron's card.
    pub const ROBBER: Token = Token::declared("robber");
}

/// A card: what it is for.
struct Card {
    token: Token,
    kind: Kind,
    /// The category of the sheet.
    category: &'static str,
    /// What is counted at the end.
    counted: &'static str,
    why: &'static str,
}

const CARDS: [Card; 2] = [
    Card {
        token: Token::KING,
        kind: Kind::CITY,
        category: "king",
        counted: "completed cities",
        why: "for the largest completed city, in",
    },
    Card {
        token: Token::ROBBER,
        kind: Kind::ROAD,
        category: "robber",
        counted: "completed roads",
        why: "for the longest completed road, in",
    },
];

pub(super) const SWITCHES: [Switch; 1] = [Switch::new(
    "carcassonne_is_no_city_for_the_king",
    "PL-28",
    || sentence!("the City of Carcassonne is no city for the king"),
    || {
        sentence!(
            "the City of Carcassonne is one more completed city for the king, where it lies: a note of the Count's rules says so"
        )
    },
    |s| &mut s.modules.king.without_carcassonne,
)];

/// Readings of the rules of King & Robber Baron.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Switches {
    without_carcassonne: bool,
}

/// What the module keeps of a position, for each card.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// The largest that was completed, in tiles.
    largest: [u8; 2],
    /// Who holds the card.
    holder: [Option<Player>; 2],
}

/// The module.
pub(super) struct King;

impl Module for King {
    fn set(&self) -> &'static str {
        "king"
    }

    fn title(&self) -> &'static str {
        "King & Robber Baron"
    }

    fn categories(&self) -> &'static [&'static str] {
        &["king", "robber"]
    }

    fn completed(&self, position: &mut Position, roots: &[Node], outcome: &mut Outcome) {
        let player = position.state.to_move;
        for (i, card) in CARDS.iter().enumerate() {
            let of_kind = roots.iter().filter(|root| position.features.of(**root).kind == card.kind);
            let sizes = of_kind.map(|root| (position.features.of(*root).places.len() as u8, *root));
            let Some((size, root)) = sizes.reduce(|a, b| if b.0 > a.0 { b } else { a }) else { continue };
            if size <= position.state.modules.king.largest[i] {
                continue;
            }
            let from = position.state.modules.king.holder[i].replace(player);
            position.state.modules.king.largest[i] = size;
            let cell = position.first_cell(root);
            let rule = if from.is_none() { "PL-25" } else { "PL-26" };
            let (token, why) = (card.token, card.why);
            outcome.tokens.push(Taken { player, token, count: 1, from, cell, why, rule });
        }
    }

    fn extras(&self, position: &Position, extras: &mut Vec<Extra>) {
        for (i, card) in CARDS.iter().enumerate() {
            let Some(holder) = position.state.modules.king.holder[i] else { continue };
            let count = position.completed_of(card.kind);
            let words = format!("the {}, {}", card.token.word(), counted(count, card));
            let (category, what, players) = (card.category, card.counted, vec![holder]);
            extras.push(Extra { category, players, what, count, each: 1, rule: "PL-27", words });
        }
    }

    fn tokens(&self, position: &Position, player: Player, held: &mut Vec<(Token, u32)>) {
        let theirs = CARDS.iter().zip(position.state.modules.king.holder).filter(|(_, h)| *h == Some(player));
        held.extend(theirs.map(|(card, _)| (card.token, 1)));
    }

    fn reasons(
        &self,
        position: &Position,
        feature: &FeatureView,
        place: &Sentence,
        reasons: &mut Vec<Reason>,
    ) {
        let Some((i, card)) = CARDS.iter().enumerate().find(|(_, card)| card.kind == feature.kind) else {
            return;
        };
        if !feature.is_complete() {
            return;
        }
        let (size, word) = (feature.cells.len() as u32, Sentence::word(card.token.word()));
        let largest = u32::from(position.state.modules.king.largest[i]);
        let sentence = match (position.state.modules.king.holder[i], size > largest) {
            (None, _) => {
                let kind = Sentence::word(card.kind.name());
                sentence!("{} is the first completed {}: its completer takes the {}", place, kind, word)
            }
            (_, true) => sentence!(
                "{} has {}, more than the {} of the largest before: its completer takes the {}",
                place,
                tiles(size),
                largest,
                word
            ),
            (_, false) => {
                sentence!("{} has {}, not more than {}: the {} stays", place, tiles(size), largest, word)
            }
        };
        reasons.push(reason(if largest == 0 { "PL-25" } else { "PL-26" }, sentence));
    }

    fn final_reasons(&self, position: &Position, names: &Names, reasons: &mut Vec<Reason>) {
        for (i, card) in CARDS.iter().enumerate() {
            let (word, kind) = (Sentence::word(card.token.word()), Sentence::word(card.kind.name()));
            let sentence = match position.state.modules.king.holder[i] {
                Some(holder) => sentence!(
                    "{} holds the {}: 1 point for each of {}, whoever scored them",
                    names.of(holder),
                    word,
                    counted(position.completed_of(card.kind), card)
                ),
                None => sentence!("no {} was completed: nobody holds the {}", kind, word),
            };
            reasons.push(reason("PL-27", sentence));
        }
    }
}

fn counted(count: u32, card: &Card) -> Sentence {
    match (card.kind, count) {
        (Kind::CITY, 1) => sentence!("1 completed city"),
        (Kind::CITY, n) => sentence!("{} completed cities", n),
        (_, 1) => sentence!("1 completed road"),
        (_, n) => sentence!("{} completed roads", n),
    }
}

impl Position {
    /// How many features of a kind are complete on the whole map (PL-27, PL-28).
    fn completed_of(&self, kind: Kind) -> u32 {
        let complete = self.features.roots().filter(|(_, f)| f.kind == kind && f.open == 0).count() as u32;
        let more = kind == Kind::CITY && !self.switches.modules.king.without_carcassonne;
        complete + if more { self.modules().map(|module| module.more_cities()).sum::<u32>() } else { 0 }
    }
}
