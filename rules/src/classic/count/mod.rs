//! The Count of Carcassonne: the city as the start of the map, its four quarters, and the
//! count (CO-01 to CO-36).

mod final_round;
mod quarters;
mod redeployment;

use self::quarters::{BLOCK, QUARTERS, Quarter};
use super::final_scoring::Items;
use super::module::{Module, Stage};
use super::position::Position;
use super::reasons::reason;
use super::switches::Switch;
use crate::features::Node;
use crate::kind::{Holds, KindFacts};
use crate::moves::Reasons;
use crate::role::RoleFacts;
use crate::vocabulary::Vocabulary;
use crate::{
    Cell, FeatureView, FigureKind, Kind, Move, NamedPlace, Names, Player, Reason, Role, SegmentAt, Sentence,
    sentence,
};

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    kinds: &[
        KindFacts { name: "carcassonne", holds: Holds::Halves, role: None },
        KindFacts { name: "castle", holds: Holds::Nothing, role: Some("citizen") },
        KindFacts { name: "market", holds: Holds::Nothing, role: Some("citizen") },
        KindFacts { name: "blacksmith", holds: Holds::Nothing, role: Some("citizen") },
        KindFacts { name: "cathedral", holds: Holds::Nothing, role: Some("citizen") },
    ],
    roles: &[RoleFacts { name: "citizen", lies: false }],
    ..Vocabulary::NONE
};

impl Kind {
    /// Classic, Count: the City of Carcassonne itself.
    pub const CARCASSONNE: Kind = Kind::declared("carcassonne");
    /// Classic, Count: the quarter of the castle; it has no port, as the other three.
    pub const CASTLE: Kind = Kind::declared("castle");
    /// Classic, Count: the quarter of the market.
    pub const MARKET: Kind = Kind::declared("market");
    /// Classic, Count: the quarter of the blacksmith.
    pub const BLACKSMITH: Kind = Kind::declared("blacksmith");
    /// Classic, Count: the quarter of the cathedral.
    pub const CATHEDRAL: Kind = Kind::declared("cathedral");
}

impl Role {
    /// Classic, Count: in a quarter of the City of Carcassonne.
    pub const CITIZEN: Role = Role::declared("citizen");
}

/// Points of a field for the City of Carcassonne (CO-24).
const CARCASSONNE: u32 = 3;

pub(super) const SWITCHES: [Switch; 5] = [
    Switch::new(
        "one_citizen_a_double_turn",
        "CO-09",
        || sentence!("with a builder's second tile a player may still send one follower only into the city"),
        || {
            sentence!(
                "with a builder's second tile a player may send a follower into the city after each of the two tiles: the text says so, an answer of a forum otherwise"
            )
        },
        |s| &mut s.modules.count.one_citizen_a_double_turn,
    ),
    Switch::new(
        "count_bars_the_way_in",
        "CO-21",
        || sentence!("no follower may be sent into the quarter of the count"),
        || sentence!("a follower may be sent into the quarter of the count: only one edition forbids it"),
        |s| &mut s.modules.count.bars_the_way_in,
    ),
    Switch::new(
        "count_goes_clockwise",
        "CO-22",
        || sentence!("the count goes one quarter on, clockwise, whenever a follower is sent into the city"),
        || sentence!("who sends a follower into the city may move the count to any quarter"),
        |s| &mut s.modules.count.clockwise,
    ),
    Switch::new(
        "count_follows_the_follower",
        "CO-22",
        || sentence!("the count goes to the quarter into which a follower is sent"),
        || {
            sentence!(
                "who sends a follower into the city may move the count anywhere, not only after the follower"
            )
        },
        |s| &mut s.modules.count.follows,
    ),
    Switch::new(
        "only_the_market_at_the_end",
        "CO-30",
        || sentence!("before the final scoring only followers in the market may leave the city"),
        || {
            sentence!(
                "before the final scoring followers of all quarters may leave the city: the text says so, another program takes the market only"
            )
        },
        |s| &mut s.modules.count.only_the_market,
    ),
];

/// Readings of the rules of the count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Switches {
    one_citizen_a_double_turn: bool,
    bars_the_way_in: bool,
    clockwise: bool,
    follows: bool,
    only_the_market: bool,
}

/// What the module keeps of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// The quarter of the count, by [`QUARTERS`].
    count: u8,
    /// How many players have been asked in this step.
    asked: u8,
    /// Whether the one who acts has moved a follower already.
    moved: bool,
    /// Players who move no more before the final scoring, a bit each.
    passed: u8,
    /// What becomes of a follower that is sent into the city in this turn.
    sending: Sending,
    /// The player who sent a follower into the city last, and the turn.
    sent: (u8, u16),
}

/// Where the sending of a follower into the city stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sending {
    #[default]
    Open,
    /// A follower was sent; the count may be moved.
    Sent,
    Done,
}

/// The module.
pub(super) struct Count;

impl Module for Count {
    fn set(&self) -> &'static str {
        "count"
    }

    fn title(&self) -> &'static str {
        "the Count of Carcassonne"
    }

    fn block(&self) -> &'static [(&'static str, Cell)] {
        &BLOCK
    }

    fn more_cities(&self) -> u32 {
        1
    }

    fn field(&self, position: &Position, field: Node, _: &[Node], items: &mut Items) {
        if position.touches_carcassonne(field) {
            items.push_city("the City of Carcassonne", 1, CARCASSONNE, "CO-24");
        }
    }

    fn steps(&self) -> &'static [Stage] {
        &[Stage::Scoring, Stage::Scored, Stage::Final]
    }

    fn opens(&self, position: &mut Position, stage: Stage) -> bool {
        match stage {
            Stage::Scoring => position.opens_redeployment(),
            Stage::Scored => position.opens_sending(),
            Stage::End => false,
            Stage::Final => position.opens_final_round(),
        }
    }

    fn step_moves(&self, position: &Position, moves: &mut Vec<Move>) {
        let player = position.state.actor;
        match position.state.stage {
            Stage::Scoring => position.redeployments(player, moves),
            Stage::Scored if position.state.modules.count.sending == Sending::Sent => {
                let to = (0..QUARTERS.len()).filter(|q| *q != position.state.modules.count.count as usize);
                let at = to.filter_map(|q| position.quarter_at(q));
                moves.extend(at.map(|to| Move::MoveNeutral { player, to }));
            }
            Stage::Scored => {
                let sendable: Vec<FigureKind> = FigureKind::ALL
                    .into_iter()
                    .filter(|f| f.weight() > 0 && position.supply_of(player, *f) > 0)
                    .collect();
                let quarters = || (0..QUARTERS.len()).filter(|q| position.takes_citizens(*q));
                for figure in sendable {
                    let at = quarters().filter_map(|q| position.quarter_at(q));
                    moves.extend(at.map(|at| Move::Claim { player, at, figure }));
                }
            }
            Stage::Final => position.final_redeployments(player, moves),
            Stage::End => {}
        }
    }

    fn step_rule(&self, position: &Position) -> &'static str {
        match position.state.stage {
            Stage::Scoring => "CO-12",
            Stage::Scored if position.state.modules.count.sending == Sending::Sent => "CO-20",
            Stage::Scored => "CO-06",
            Stage::End | Stage::Final => "CO-30",
        }
    }

    fn step_question(&self, position: &Position, name: &str) -> Option<Sentence> {
        Some(match position.state.stage {
            Stage::Scoring => sentence!("Does {} move a follower from the city to what is completed?", name),
            Stage::Scored if position.state.modules.count.sending == Sending::Sent => {
                sentence!("Where does {} move the count?", name)
            }
            Stage::Scored => sentence!("Does {} send a follower into the city?", name),
            Stage::End | Stage::Final => {
                sentence!("Does {} move a follower out of the city before the end is scored?", name)
            }
        })
    }

    fn stepped(&self, position: &mut Position, played: &Move) {
        match position.state.stage {
            Stage::Scoring => position.redeployed(played),
            Stage::Scored => position.sent(played),
            Stage::Final => position.moved_at_the_end(played),
            Stage::End => {}
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
        let Some(quarter) = position.quarter_of(at) else { return false };
        if figure.weight() == 0 {
            let figure = Sentence::word(figure.word());
            reasons.impossible("CO-10", sentence!("a {} is not sent into the city", figure));
            return true;
        }
        if !position.judge_supply(player, figure, reasons) {
            return true;
        }
        if position.state.phase != crate::Phase::Step || position.state.stage != Stage::Scored {
            reasons.broken(
                "CO-06",
                sentence!("a follower goes into the city only when others scored and the player did not"),
            );
        } else if !position.takes_citizens(quarter) {
            reasons.broken("CO-21", sentence!("the count stands in that quarter"));
        }
        true
    }

    fn neutral(&self, position: &Position) -> Option<(&'static str, SegmentAt)> {
        Some(("count", position.quarter_at(position.state.modules.count.count as usize)?))
    }

    fn named_places(&self, position: &Position) -> Vec<NamedPlace> {
        let quarters = QUARTERS.iter().enumerate();
        let place = |(number, quarter): (usize, &Quarter)| {
            let (name, (x, y)) = (quarter.kind.name(), quarter.middle);
            Some(NamedPlace { name, at: position.quarter_at(number)?, x, y })
        };
        quarters.filter_map(place).collect()
    }

    fn place_named(&self, position: &Position, name: &str) -> Option<SegmentAt> {
        position.quarter_at(QUARTERS.iter().position(|q| q.kind.name() == name)?)
    }

    fn place_name(&self, position: &Position, at: SegmentAt) -> Option<&'static str> {
        position.quarter_of(at).map(|q| QUARTERS[q].kind.name())
    }

    fn reasons(
        &self,
        position: &Position,
        feature: &FeatureView,
        place: &Sentence,
        reasons: &mut Vec<Reason>,
    ) {
        let quarter = QUARTERS.iter().position(|q: &Quarter| q.for_kind == feature.kind);
        let Some(quarter) = quarter.filter(|_| feature.is_complete()) else { return };
        let word = Sentence::word(QUARTERS[quarter].kind.name());
        let sentence = if position.state.modules.count.count as usize == quarter {
            sentence!("the count stands in the {}: nobody may come from there to {}", word, place)
        } else {
            sentence!("before {} is scored, followers in the {} may come to it", place, word)
        };
        let rule = if position.state.modules.count.count as usize == quarter { "CO-15" } else { "CO-12" };
        reasons.push(reason(rule, sentence));
    }

    fn final_reasons(&self, position: &Position, names: &Names, reasons: &mut Vec<Reason>) {
        for player in Player::first(position.players) {
            let name = names.of(player);
            let sentence = match position.citizens_of(player) {
                0 => continue,
                1 => sentence!("{} has 1 follower left in the city: they score nothing", name),
                n => sentence!("{} has {} followers left in the city: they score nothing", name, n),
            };
            reasons.push(reason("CO-31", sentence));
        }
    }
}
