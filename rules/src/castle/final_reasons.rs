//! Why the final scoring counts what it counts, and nothing else.

use super::Position;
use super::reasons::{followers_of, place_of, reason};
use crate::words::counted;
use crate::{Attribute, FeatureView, Kind, Names, Player, Reason, Score};

/// The reasons for the final scoring of a game that is over.
pub(super) fn of(position: &Position, finals: &[Score], names: &Names) -> Vec<Reason> {
    let account = FinalAccount { names, position, finals };
    let mut reasons = Vec::new();
    if !account.position.wall_tiles_on_wall().is_empty() {
        let sentence =
            "the wall tiles still on the wall leave it before the final scoring: no marker takes one now";
        reasons.push(reason("CA-112", sentence.to_owned()));
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
    fn keep_words(&self, player: Player) -> String {
        let words = self.position.words();
        let eights = self.position.wall_tiles(player).iter().filter(|t| t.1 == Some(8)).count();
        let with = match eights {
            0 => String::new(),
            1 => format!(" and wall tile {}", words.wall_tile(8)),
            _ => format!(" and both wall tiles {}", words.wall_tile(8)),
        };
        match self.position.keep(player) {
            Some(keep) => {
                format!(
                    "{} has the {} on {}{with}",
                    self.name(player),
                    words.keep,
                    counted(keep.size, "tiles")
                )
            }
            None => format!("{} has no {}{with}", self.name(player), words.keep),
        }
    }

    fn of_keeps(&self, reasons: &mut Vec<Reason>) {
        let words = self.position.words();
        let both = format!("{}, {}", self.keep_words(Player(0)), self.keep_words(Player(1)));
        let score = self.finals.iter().find(|s| s.category == "keep");
        let eights = [Player(0), Player(1)].iter().any(|p| {
            self.position.keep(*p).is_some() && self.position.wall_tiles(*p).iter().any(|t| t.1 == Some(8))
        });
        reasons.push(match score.map(|s| s.players.first().copied()) {
            None => reason(
                "CA-120",
                format!("no {} stands on a {}: nobody scores the empty area", words.keep, words.house),
            ),
            Some(None) => reason("CA-119", format!("{both}: equal ones score for nobody")),
            Some(Some(player)) => {
                let alone = self.position.keep(player.opponent()).is_none();
                let rule = if alone { "CA-120" } else { "CA-115" };
                reason(rule, format!("{both}: {} scores the largest empty area", self.name(player)))
            }
        });
        if eights {
            let sentence = format!(
                "wall tile {} makes a {} two tiles larger at the end",
                words.wall_tile(8),
                words.keep
            );
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
            let printed = self.position.words().wall_tile(number);
            let sentence =
                format!("{place} was never completed: it scores nothing without wall tile {printed}");
            reasons.push(reason("CA-114", sentence));
        }
        for score in scored {
            let Some(item) = score.items.iter().find(|_| score.category.starts_with("wall tile")) else {
                continue;
            };
            let copies = if ["CA-91", "CA-93"].contains(&item.rule.as_str()) {
                "both wall tiles"
            } else {
                "wall tile"
            };
            let number = score.category.strip_prefix("wall tile ").and_then(|n| n.parse().ok());
            let printed = number.map_or_else(String::new, |n| self.position.words().wall_tile(n));
            let whose = score.players.first().map_or("", |player| self.name(*player));
            let sentence = match feature.kind {
                Kind::COURT => format!(
                    "{whose} has {copies} {printed} and most followers on {place}: its markets count more"
                ),
                _ => format!(
                    "{whose} has {copies} {printed} and most followers on {place}: it counts although it is open"
                ),
            };
            reasons.push(reason(&item.rule, sentence));
        }
    }

    fn of_court(&self, feature: &FeatureView, place: &str) -> Reason {
        let words = self.position.words();
        let on = |player| followers_of(self.position, feature, player);
        let (white, black) = (Player(0), Player(1));
        let counts =
            format!("{} has {} on {place}, {} {}", self.name(white), on(white), self.name(black), on(black));
        if !feature.attributes.has(Attribute::MARKET) {
            return reason("CA-106", format!("{place} has no {}: it scores nothing", words.market));
        }
        match feature.count(white).cmp(&feature.count(black)) {
            std::cmp::Ordering::Equal => {
                reason("CA-105", format!("{counts}: equal numbers score for nobody"))
            }
            order => {
                let most = if order == std::cmp::Ordering::Greater { white } else { black };
                let most = self.name(most);
                reason("CA-105", format!("{counts}: {most} scores 3 points for each {}", words.market))
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
            let printed = words.wall_tile(number);
            let category = format!("wall tile {number}");
            let counts = self.finals.iter().any(|s| s.category == category && s.players.contains(&player));
            match number {
                1..=3 => {
                    let sentence =
                        format!("{name}'s wall tile {printed} serves during the game, not at its end");
                    reasons.push(reason("CA-81", sentence));
                }
                4..=7 if !counts => {
                    let what = match number {
                        4 => format!("an open {}", words.path),
                        5 => format!("an open {}", words.tower),
                        6 => format!("an open {}", words.house),
                        _ => format!("a {} with a {}", words.court, words.market),
                    };
                    let sentence = format!(
                        "{name}'s wall tile {printed} needs most followers on {what}, and {name} has that on none"
                    );
                    reasons.push(reason("CA-97", sentence));
                }
                8 if self.position.keep(player).is_none() && self.position.switches().eight_needs_keep => {
                    let sentence = format!(
                        "{name}'s wall tile {printed} makes a {} larger, and {name} has none",
                        words.keep
                    );
                    reasons.push(reason("CA-95", sentence));
                }
                9 => {
                    let sentence =
                        format!("{name}'s wall tile {printed} is worth 5 points whatever else lies there");
                    reasons.push(reason("CA-96", sentence));
                }
                _ => {}
            }
        }
    }

    fn of_winner(&self, reasons: &mut Vec<Reason>) {
        let [white, black] = self.position.final_totals();
        let sentence = match white.cmp(&black) {
            std::cmp::Ordering::Equal => format!("both have {white} points: a draw"),
            order => {
                let most = if order == std::cmp::Ordering::Greater { Player(0) } else { Player(1) };
                let (more, fewer) = (white.max(black), white.min(black));
                format!("{} has {more} points to {fewer} and wins", self.name(most))
            }
        };
        reasons.push(reason("CA-121", sentence));
    }
}
