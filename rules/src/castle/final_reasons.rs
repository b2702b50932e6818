//! Why the final scoring counts what it counts, and nothing else.

use super::Position;
use super::reasons::{followers_of, number_of, place_of, reason};
use crate::words::tiles;
use crate::{Attribute, FeatureView, Kind, Names, Player, Reason, Score, Sentence, sentence};

/// The reasons for the final scoring of a game that is over.
pub(super) fn of(position: &Position, finals: &[Score], names: &Names) -> Vec<Reason> {
    let account = FinalAccount { names, position, finals };
    let mut reasons = Vec::new();
    if !account.position.wall_tiles_on_wall().is_empty() {
        let sentence = sentence!(
            "the wall tiles still on the wall leave it before the final scoring: no marker takes one now"
        );
        reasons.push(reason("CA-112", sentence));
    }
    account.of_keeps(&mut reasons);
    for feature in account.position.claimed_features() {
        account.of_feature(&feature, &mut reasons);
    }
    for player in [Player(0), Player(1)] {
        account.of_wall_tiles(player, &mut reasons);
    }
    account.of_winner(&mut reasons);
    reasons
}

struct FinalAccount<'a> {
    names: &'a Names,
    position: &'a Position,
    finals: &'a [Score],
}

impl FinalAccount<'_> {
    fn name(&self, player: Player) -> &str {
        self.names.of(player)
    }

    /// The keep with its wall tiles, as the switches have them count.
    fn keep_words(&self, player: Player) -> Sentence {
        let word = Sentence::word(&self.position.words().keep);
        let has = match self.position.keep(player) {
            Some(keep) => sentence!("{} has the {} on {}", self.name(player), word, tiles(keep.size)),
            None => sentence!("{} has no {}", self.name(player), word),
        };
        let eights = self.position.wall_tiles(player).iter().filter(|t| t.1 == Some(8)).count();
        match eights {
            0 => has,
            1 => sentence!("{} and wall tile {}", has, number_of(self.position, 8)),
            _ => sentence!("{} and both wall tiles {}", has, number_of(self.position, 8)),
        }
    }

    fn of_keeps(&self, reasons: &mut Vec<Reason>) {
        let words = self.position.words();
        let (keep, house) = (Sentence::word(&words.keep), Sentence::word(&words.house));
        let both = sentence!("{}, {}", self.keep_words(Player(0)), self.keep_words(Player(1)));
        let score = self.finals.iter().find(|s| s.category == "keep");
        let eights = [Player(0), Player(1)].iter().any(|p| {
            self.position.keep(*p).is_some() && self.position.wall_tiles(*p).iter().any(|t| t.1 == Some(8))
        });
        reasons.push(match score.map(|s| s.players.first().copied()) {
            None => reason(
                "CA-120",
                sentence!("no {} stands on a {}: nobody scores the empty area", &keep, house),
            ),
            Some(None) => reason("CA-119", sentence!("{}: equal ones score for nobody", both)),
            Some(Some(player)) => {
                let alone = self.position.keep(player.opponent()).is_none();
                let rule = if alone { "CA-120" } else { "CA-115" };
                reason(rule, sentence!("{}: {} scores the largest empty area", both, self.name(player)))
            }
        });
        if eights {
            let number = number_of(self.position, 8);
            let sentence = sentence!("wall tile {} makes a {} two tiles larger at the end", number, keep);
            reasons.push(reason("CA-94", sentence));
        }
    }

    fn of_feature(&self, feature: &FeatureView, reasons: &mut Vec<Reason>) {
        let place = place_of(self.position, feature);
        let scored: Vec<&Score> = self
            .finals
            .iter()
            .filter(|s| feature.followers.iter().any(|f| s.followers.contains(f)))
            .collect();
        if feature.kind == Kind::COURT {
            reasons.push(self.of_court(feature, &place));
        } else if scored.is_empty() && !feature.open.is_empty() {
            let number = match feature.kind {
                Kind::PATH => 4,
                Kind::TOWER => 5,
                _ => 6,
            };
            let sentence = sentence!(
                "{} was never completed: it scores nothing without wall tile {}",
                &place,
                number_of(self.position, number)
            );
            reasons.push(reason("CA-114", sentence));
        }
        for score in scored {
            let Some(item) = score.items.iter().find(|_| score.category.starts_with("wall tile")) else {
                continue;
            };
            let both = ["CA-91", "CA-93"].contains(&item.rule.as_str());
            let number = score.category.strip_prefix("wall tile ").and_then(|n| n.parse().ok());
            let number = number.map_or_else(|| "".into(), |n| number_of(self.position, n));
            let whose = score.players.first().map_or("", |player| self.name(*player));
            let sentence = match (feature.kind, both) {
                (Kind::COURT, false) => sentence!(
                    "{} has wall tile {} and most followers on {}: its markets count more",
                    whose,
                    number,
                    &place
                ),
                (Kind::COURT, true) => sentence!(
                    "{} has both wall tiles {} and most followers on {}: its markets count more",
                    whose,
                    number,
                    &place
                ),
                (_, false) => sentence!(
                    "{} has wall tile {} and most followers on {}: it counts although it is open",
                    whose,
                    number,
                    &place
                ),
                (_, true) => sentence!(
                    "{} has both wall tiles {} and most followers on {}: it counts although it is open",
                    whose,
                    number,
                    &place
                ),
            };
            reasons.push(reason(&item.rule, sentence));
        }
    }

    fn of_court(&self, feature: &FeatureView, place: &Sentence) -> Reason {
        let market = Sentence::word(&self.position.words().market);
        let on = |player| followers_of(self.position, feature, player);
        let (white, black) = (Player(0), Player(1));
        if !feature.attributes.has(Attribute::MARKET) {
            return reason("CA-106", sentence!("{} has no {}: it scores nothing", place, market));
        }
        let counts = sentence!(
            "{} has {} on {}, {} {}",
            self.name(white),
            on(white),
            place,
            self.name(black),
            on(black)
        );
        match feature.count(white).cmp(&feature.count(black)) {
            std::cmp::Ordering::Equal => {
                reason("CA-105", sentence!("{}: equal numbers score for nobody", counts))
            }
            order => {
                let most = if order == std::cmp::Ordering::Greater { white } else { black };
                let most = self.name(most);
                reason("CA-105", sentence!("{}: {} scores 3 points for each {}", counts, most, market))
            }
        }
    }

    /// The wall tiles of a player that count at the end, and those that do not.
    fn of_wall_tiles(&self, player: Player, reasons: &mut Vec<Reason>) {
        let words = self.position.words();
        let name = self.name(player);
        let mut numbers: Vec<u8> = self.position.wall_tiles(player).iter().filter_map(|t| t.1).collect();
        numbers.sort_unstable();
        numbers.dedup();
        for number in numbers {
            let printed = number_of(self.position, number);
            let category = format!("wall tile {number}");
            let counts = self.finals.iter().any(|s| s.category == category && s.players.contains(&player));
            match number {
                1..=3 => {
                    let sentence =
                        sentence!("{}'s wall tile {} serves during the game, not at its end", name, printed);
                    reasons.push(reason("CA-81", sentence));
                }
                4..=7 if !counts => {
                    let what = match number {
                        4 => sentence!("an open {}", Sentence::word(&words.path)),
                        5 => sentence!("an open {}", Sentence::word(&words.tower)),
                        6 => sentence!("an open {}", Sentence::word(&words.house)),
                        _ => sentence!(
                            "a {} with a {}",
                            Sentence::word(&words.court),
                            Sentence::word(&words.market)
                        ),
                    };
                    let sentence = sentence!(
                        "{0}'s wall tile {1} needs most followers on {2}, and {0} has that on none",
                        name,
                        printed,
                        what
                    );
                    reasons.push(reason("CA-97", sentence));
                }
                8 if self.position.keep(player).is_none() && self.position.switches().eight_needs_keep => {
                    let sentence = sentence!(
                        "{0}'s wall tile {1} makes a {2} larger, and {0} has none",
                        name,
                        printed,
                        Sentence::word(&words.keep)
                    );
                    reasons.push(reason("CA-95", sentence));
                }
                9 => {
                    let sentence = sentence!(
                        "{}'s wall tile {} is worth 5 points whatever else lies there",
                        name,
                        printed
                    );
                    reasons.push(reason("CA-96", sentence));
                }
                _ => {}
            }
        }
    }

    fn of_winner(&self, reasons: &mut Vec<Reason>) {
        let [white, black] = self.position.final_totals();
        let sentence = match white.cmp(&black) {
            std::cmp::Ordering::Equal => sentence!("both have {} points: a draw", white),
            order => {
                let most = if order == std::cmp::Ordering::Greater { Player(0) } else { Player(1) };
                let (more, fewer) = (white.max(black), white.min(black));
                sentence!("{} has {} points to {} and wins", self.name(most), more, fewer)
            }
        };
        reasons.push(reason("CA-121", sentence));
    }
}
