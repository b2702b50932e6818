//! Traders & Builders: goods for who completes a city, the builder's second turn, and the
//! pig (PL-13 to PL-24).

use super::final_scoring::Items;
use super::module::{Extra, Module};
use super::position::{MOST_PLAYERS, Position};
use super::reasons::reason;
use super::switches::Switch;
use super::turn::{Note, Outcome, Taken};
use crate::attributes::{AttributeFacts, Several};
use crate::features::Node;
use crate::figure::FigureFacts;
use crate::moves::Reasons;
use crate::token::TokenFacts;
use crate::vocabulary::Vocabulary;
use crate::{
    Attribute, FeatureView, FigureKind, Kind, Move, Names, Player, Reason, SegmentAt, Sentence, Term, Token,
    sentence,
};

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    figures: &[
        FigureFacts { name: "builder", word: "builder", weight: 0, size: 90, on: &["city", "road"] },
        FigureFacts { name: "pig", word: "pig", weight: 0, size: 90, on: &["field"] },
    ],
    attributes: &[
        AttributeFacts { name: "cloth", several: Several::Counted },
        AttributeFacts { name: "grain", several: Several::Counted },
        AttributeFacts { name: "wine", several: Several::Counted },
    ],
    tokens: &[
        TokenFacts { name: "cloth", word: "cloth", single: false },
        TokenFacts { name: "grain", word: "grain", single: false },
        TokenFacts { name: "wine", word: "wine", single: false },
    ],
    ..Vocabulary::NONE
};

impl Attribute {
    /// Classic, Traders & Builders: a bale of cloth in a city.
    pub const CLOTH: Attribute = Attribute::declared("cloth");
    /// Classic, Traders & Builders: grain in a city.
    pub const GRAIN: Attribute = Attribute::declared("grain");
    /// Classic, Traders & Builders: wine in a city.
    pub const WINE: Attribute = Attribute::declared("wine");
}

impl FigureKind {
    /// Classic, Traders & Builders: a builder (PL-18).
    pub const BUILDER: FigureKind = FigureKind::declared("builder");
    /// Classic, Traders & Builders: a pig (PL-23).
    pub const PIG: FigureKind = FigureKind::declared("pig");
}

/// The goods as they are printed in cities, and as tokens (PL-13).
const GOODS: [(Attribute, Token); 3] = [
    (Attribute::declared("cloth"), Token::declared("cloth")),
    (Attribute::declared("grain"), Token::declared("grain")),
    (Attribute::declared("wine"), Token::declared("wine")),
];

/// Points for most tokens of a kind (PL-15).
const MOST_GOODS: u32 = 10;

pub(super) const SWITCHES: [Switch; 3] = [
    Switch::new(
        "tied_goods_score_nothing",
        "PL-16",
        || sentence!("players who are tied for most goods of a kind get nothing for it"),
        || {
            sentence!(
                "players who are tied for most goods of a kind get 10 points each: the text is silent, the publisher's rules say so"
            )
        },
        |s| &mut s.modules.traders.tied_goods_score_nothing,
    ),
    Switch::new(
        "builder_needs_no_follower",
        "PL-22",
        || sentence!("a builder may be put on a road or city without a follower of its player"),
        || {
            sentence!(
                "a builder may only be put on a road or city with a follower of its player: the line is lost in the text, the publisher's rules say so"
            )
        },
        |s| &mut s.modules.traders.builder_needs_no_follower,
    ),
    Switch::new(
        "pigs_add_up",
        "PL-23",
        || sentence!("each of a player's pigs on a field counts"),
        || {
            sentence!(
                "several pigs of a player on a field count as one: the line is lost in the text, the publisher's rules say so"
            )
        },
        |s| &mut s.modules.traders.pigs_add_up,
    ),
];

/// Readings of the rules of Traders & Builders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Switches {
    tied_goods_score_nothing: bool,
    builder_needs_no_follower: bool,
    pigs_add_up: bool,
}

/// What the module keeps of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Tokens of each kind, a player each, in the order of [`GOODS`].
    goods: [[u8; 3]; MOST_PLAYERS],
    /// The turn in which a tile was added where the builder stands.
    built: u16,
    /// The turn that is a builder's second one.
    second: u16,
}

/// The module.
pub(super) struct Traders;

impl Module for Traders {
    fn set(&self) -> &'static str {
        "traders"
    }

    fn title(&self) -> &'static str {
        "Traders & Builders"
    }

    fn figures(&self) -> &'static [(FigureKind, u8)] {
        &[(FigureKind::BUILDER, 1), (FigureKind::PIG, 1)]
    }

    fn categories(&self) -> &'static [&'static str] {
        &["goods"]
    }

    fn laid(&self, position: &mut Position) {
        let (player, turn) = (position.state.to_move, position.state.turn);
        if position.state.modules.traders.second == turn {
            return;
        }
        if position.standing_of(player, FigureKind::BUILDER) == 0 {
            return;
        }
        let Some(last) = position.laid.len().checked_sub(1) else { return };
        let of_player = |s: &&super::position::Standing| s.player == player;
        let builder = position.standing().iter().filter(of_player).find(|s| s.figure == FigureKind::BUILDER);
        let extended = builder
            .map(|s| position.features.root(s.node))
            .is_some_and(|root| position.nodes(last as u8).any(|node| position.features.root(node) == root));
        if extended {
            position.state.modules.traders.built = turn;
        }
    }

    fn goes_on(&self, position: &mut Position) -> bool {
        let turn = position.state.turn;
        if position.state.modules.traders.built != turn {
            return false;
        }
        position.state.modules.traders.second = turn + 1;
        let words = "has added to where the builder stands, and lays a second tile";
        position.outcome.notes.push(Note { rule: "PL-18", player: position.state.to_move, words });
        true
    }

    fn turn_note(&self, position: &Position) -> Option<Sentence> {
        let second = position.state.modules.traders.second == position.state.turn;
        second.then(|| sentence!("the builder's second tile"))
    }

    fn claims(&self, position: &Position, moves: &mut Vec<Move>) {
        let player = position.state.to_move;
        let Some(cell) = position.last_cell() else { return };
        let Some(place) = position.place(cell) else { return };
        for figure in [FigureKind::BUILDER, FigureKind::PIG] {
            if position.supply_of(player, figure) == 0 {
                continue;
            }
            let free = position.nodes(place).zip(0u8..).filter(|(node, _)| {
                let feature = position.features.of(*node);
                stands_on(figure, feature.kind)
                    && (figure == FigureKind::PIG || feature.open > 0)
                    && (position.has_follower(player, *node) || position.needs_no_follower(figure))
            });
            moves.extend(free.map(|(_, segment)| Move::Claim {
                player,
                at: SegmentAt { cell, segment },
                figure,
            }));
        }
    }

    fn judge_claim(
        &self,
        position: &Position,
        player: Player,
        at: SegmentAt,
        figure: FigureKind,
        reasons: &mut Reasons,
    ) -> bool {
        if ![FigureKind::BUILDER, FigureKind::PIG].contains(&figure) {
            return false;
        }
        let rule = if figure == FigureKind::BUILDER { "PL-22" } else { "PL-23" };
        if !position.judge_place(player, at, figure, reasons) {
            return true;
        }
        let Some(node) = position.node_at(at) else { return true };
        let feature = position.features.of(node);
        let (kind, word) = (Sentence::word(feature.kind.name()), Sentence::word(figure.word()));
        if !stands_on(figure, feature.kind) {
            reasons.impossible(rule, sentence!("a {} does not stand on a {}", word, kind));
        } else if figure == FigureKind::BUILDER && feature.open == 0 {
            reasons.broken(rule, sentence!("the {} is complete; a builder has nothing to build on it", kind));
        } else if !position.has_follower(player, node) && !position.needs_no_follower(figure) {
            let sentence = sentence!("the player has no follower on this {} for the {}", kind, word);
            reasons.broken(rule, sentence);
        }
        true
    }

    fn field_of(&self, position: &Position, field: Node, player: Player, items: &mut Items) {
        let on = |s: &&super::position::Standing| {
            s.player == player && s.figure == FigureKind::PIG && position.features.root(s.node) == field
        };
        let pigs = position.standing().iter().filter(on).count() as u32;
        let each = if position.switches.modules.traders.pigs_add_up { pigs } else { pigs.min(1) };
        let cities: u32 = items.iter().filter(|i| i.is_city).map(|i| i.count).sum();
        if each > 0 && cities > 0 {
            items.push("cities for the pig", cities, each, "PL-23");
        }
    }

    fn completed(&self, position: &mut Position, roots: &[Node], outcome: &mut Outcome) {
        let player = position.state.to_move;
        for root in roots {
            let attributes = position.features.of(*root).attributes;
            for (i, (attribute, token)) in GOODS.into_iter().enumerate() {
                let count = attributes.count(attribute);
                if count > 0 {
                    let held = &mut position.state.modules.traders.goods[player.index()][i];
                    *held = held.saturating_add(count);
                    let cell = position.first_cell(*root);
                    let why = "for completing the city in";
                    outcome.tokens.push(Taken {
                        player,
                        token,
                        count: u32::from(count),
                        from: None,
                        cell,
                        why,
                        rule: "PL-13",
                    });
                }
            }
        }
    }

    fn extras(&self, position: &Position, extras: &mut Vec<Extra>) {
        for (i, (_, token)) in GOODS.into_iter().enumerate() {
            let held = |p: Player| position.state.modules.traders.goods[p.index()][i];
            let most = Player::first(position.players).map(held).max().unwrap_or(0);
            let players: Vec<Player> = Player::first(position.players).filter(|p| held(*p) == most).collect();
            let nobody = players.len() > 1 && position.switches.modules.traders.tied_goods_score_nothing;
            if most > 0 && !nobody {
                let words = format!("most tokens of {}, {most}", token.word());
                let (what, count, each) = ("kinds of goods", 1, MOST_GOODS);
                extras.push(Extra { category: "goods", players, what, count, each, rule: "PL-15", words });
            }
        }
    }

    fn tokens(&self, position: &Position, player: Player, held: &mut Vec<(Token, u32)>) {
        let goods = position.state.modules.traders.goods[player.index()];
        let some = GOODS.into_iter().zip(goods).filter(|(_, n)| *n > 0);
        held.extend(some.map(|((_, token), n)| (token, u32::from(n))));
    }

    fn reasons(
        &self,
        position: &Position,
        feature: &FeatureView,
        place: &Sentence,
        reasons: &mut Vec<Reason>,
    ) {
        let goods: Vec<Sentence> = GOODS
            .into_iter()
            .map(|(attribute, token)| (feature.attributes.count(attribute), token))
            .filter(|(n, _)| *n > 0)
            // The gaps have numbers so that languages can say this otherwise than other words.
            .map(|(n, token)| sentence!("{0} {1}", n, Sentence::word(token.word())))
            .collect();
        if !goods.is_empty() && feature.is_complete() {
            let sentence = sentence!(
                "{} has {}: who completes it takes a token for each, whoever scores it",
                place,
                Term::listed(goods)
            );
            reasons.push(reason("PL-13", sentence));
        }
        let helpers = feature.followers.iter().filter(|f| f.figure.weight() == 0);
        for helper in helpers {
            let rule = if helper.figure == FigureKind::PIG { "PL-23" } else { "PL-24" };
            let sentence = sentence!(
                "the {} on {} does not count among the followers",
                Sentence::word(helper.figure.word()),
                place
            );
            reasons.push(reason(rule, sentence));
        }
        if position.state.modules.traders.second == position.state.turn {
            let already = reasons.iter().any(|r| r.rule == "PL-19");
            if !already {
                let sentence = sentence!("this is the builder's second tile; it brings no third");
                reasons.push(reason("PL-19", sentence));
            }
        }
    }

    fn final_reasons(&self, position: &Position, names: &Names, reasons: &mut Vec<Reason>) {
        for (i, (_, token)) in GOODS.into_iter().enumerate() {
            let goods = Sentence::word(token.word());
            let held = |p: Player| u32::from(position.state.modules.traders.goods[p.index()][i]);
            let players: Vec<Player> = Player::first(position.players).collect();
            let most = players.iter().map(|p| held(*p)).max().unwrap_or(0);
            if most == 0 {
                let sentence = sentence!("nobody has a token of {}: nobody gets points for it", goods);
                reasons.push(reason("PL-15", sentence));
                continue;
            }
            let leaders: Vec<Player> = players.into_iter().filter(|p| held(*p) == most).collect();
            let who = Term::listed(leaders.iter().map(|p| names.of(*p)));
            let tokens = match most {
                1 => sentence!("1 token"),
                n => sentence!("{} tokens", n),
            };
            let sentence = match leaders.len() {
                1 => sentence!("{} has most {}, {}: {} points", who, goods, tokens, MOST_GOODS),
                _ if position.switches.modules.traders.tied_goods_score_nothing => {
                    sentence!(
                        "{} have {} of {} each: tied, they get nothing at this table",
                        who,
                        tokens,
                        goods
                    )
                }
                _ => sentence!(
                    "{} have {} of {} each: tied, each gets {} points",
                    who,
                    tokens,
                    goods,
                    MOST_GOODS
                ),
            };
            reasons.push(reason(if leaders.len() == 1 { "PL-15" } else { "PL-16" }, sentence));
        }
    }
}

/// Whether a figure stands on a kind of feature (PL-22, PL-23).
fn stands_on(figure: FigureKind, kind: Kind) -> bool {
    if figure == FigureKind::PIG { kind == Kind::FIELD } else { [Kind::ROAD, Kind::CITY].contains(&kind) }
}

impl Position {
    /// Whether a player has a follower on the feature of a segment.
    fn has_follower(&self, player: Player, node: Node) -> bool {
        self.features.of(node).weights[player.index()] > 0
    }

    fn needs_no_follower(&self, figure: FigureKind) -> bool {
        figure == FigureKind::BUILDER && self.switches.modules.traders.builder_needs_no_follower
    }
}
