//! Why a turn and the end of the game scored as they did, and not otherwise.

use super::board::Place;
use super::position::Position;
use crate::words::{cells, listed, so_many};
use crate::{Boundary, FeatureView, FigureKind, Kind, Names, Player, Reason, Role};

/// A reason by a rule.
pub(super) fn reason(rule: &str, sentence: String) -> Reason {
    Reason { rule: rule.to_owned(), sentence }
}

/// `the city in C4, D4`.
fn place_of(feature: &FeatureView) -> String {
    format!("the {} in {}", feature.kind, cells(&feature.cells))
}

/// What claims a feature for a player: `2 knights`, `1 knight and 1 big follower`.
fn figures_of(feature: &FeatureView, player: Player) -> String {
    let of = |figure: FigureKind| {
        let theirs = feature.followers.iter().filter(|f| f.player == player && f.figure == figure);
        let word = if figure.is_follower() { role(feature) } else { figure.word() };
        (theirs.count() as u32, word)
    };
    let claiming = FigureKind::ALL.into_iter().filter(|figure| figure.weight() > 0).map(of);
    let words = claiming.filter(|(n, _)| *n > 0).map(|(n, word)| so_many(n, word));
    listed(&words.collect::<Vec<_>>())
}

fn role(feature: &FeatureView) -> &'static str {
    Role::on(feature.kind).map_or("follower", Role::name)
}

impl Position {
    /// Why a turn scored what it scored and nothing else; the position is the one after
    /// the follower and before the scoring.
    pub(super) fn reasons(&self, names: &Names) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for feature in self.last_cell().map(|cell| self.features_around(cell)).unwrap_or_default() {
            let (place, claimed) = (place_of(&feature), !feature.followers.is_empty());
            for module in self.modules().filter(|_| claimed || feature.is_complete()) {
                module.reasons(self, &feature, &place, &mut reasons);
            }
            match feature.kind {
                Kind::RIVER => {}
                Kind::FIELD if claimed => reasons.push(reason(
                    "BA-21",
                    format!("{place} scores at the end of the game; its farmers stay until then"),
                )),
                Kind::FIELD => {}
                _ if claimed && feature.bounds.contains(&Boundary::Endless) => reasons.push(reason(
                    "BA-15",
                    format!("{place} runs in a ring: at this table it is never complete"),
                )),
                _ if !feature.is_complete() && claimed => {
                    let open = cells(&feature.open);
                    let rule = rule_for(feature.kind);
                    let sentence = match feature.kind {
                        Kind::CLOISTER => {
                            format!("{place} still waits for tiles in {open}: it scores nothing yet")
                        }
                        _ => format!("{place} is still open towards {open}: it scores nothing yet"),
                    };
                    reasons.push(reason(rule, sentence));
                }
                _ if !feature.is_complete() => {}
                _ if !claimed => {
                    let sentence = format!(
                        "{place} is complete, and nobody has a {} on it: nobody scores",
                        role(&feature)
                    );
                    reasons.push(reason("BA-22", sentence));
                }
                _ => self.of_completed(&feature, &place, names, &mut reasons),
            }
        }
        reasons
    }

    fn of_completed(&self, feature: &FeatureView, place: &str, names: &Names, reasons: &mut Vec<Reason>) {
        let rule = rule_for(feature.kind);
        let why = match feature.kind {
            Kind::CLOISTER => "all eight tiles lie round it",
            Kind::CITY => "its wall is closed and nothing is missing inside",
            _ => "both its ends are closed, or it closes in a loop",
        };
        reasons.push(reason(rule, format!("{place} is complete: {why}")));
        self.of_majority(feature, place, names, reasons);
        let (segments, tiles) = (feature.segments.len() as u32, feature.cells.len() as u32);
        if segments > tiles {
            let sentence = format!(
                "{place} has {segments} pieces on {}: tiles count, not pieces",
                so_many(tiles, "tile")
            );
            reasons.push(reason("BA-23", sentence));
        }
        if feature.kind == Kind::CITY && tiles == 2 {
            let sentence = match self.switches.tiny_city_scores_two {
                true => format!("{place} has two tiles only: 1 point each at this table"),
                false => format!("{place} has two tiles only, and scores like any other city"),
            };
            reasons.push(reason("BA-17", sentence));
        }
    }

    fn of_majority(&self, feature: &FeatureView, place: &str, names: &Names, reasons: &mut Vec<Reason>) {
        let weights: Vec<(Player, u32)> = (0..self.players)
            .map(|p| (Player(p as u8), feature.weight(Player(p as u8))))
            .filter(|(_, n)| *n > 0)
            .collect();
        let most = weights.iter().map(|(_, n)| *n).max().unwrap_or(0);
        let on = |(player, _): &(Player, u32)| {
            format!("{} has {}", names.of(*player), figures_of(feature, *player))
        };
        let leaders: Vec<String> =
            weights.iter().filter(|(_, n)| *n == most).map(|(p, _)| names.of(*p).to_owned()).collect();
        let held = listed(&weights.iter().map(on).collect::<Vec<_>>());
        let sentence = match (weights.len(), leaders.len()) {
            (1, _) => format!("{held} on {place}, nobody else: all points are {}'s", leaders.join("")),
            (_, 1) => {
                format!("{held} on {place}: all points go to {}, they are not shared", leaders.join(""))
            }
            _ => format!("{held} on {place}: {} are tied, and each scores in full", listed(&leaders)),
        };
        reasons.push(reason("BA-19", sentence));
        let mover = self.state.to_move;
        if feature.is_complete()
            && feature.kind != Kind::FIELD
            && !leaders.iter().any(|n| n == names.of(mover))
        {
            let sentence =
                format!("{} completed {place}, but the points go to who has most on it", names.of(mover));
            reasons.push(reason("BA-19", sentence));
        }
        if most > 1 {
            let sentence = format!("{place} is worth the same, however many stand on it");
            reasons.push(reason("BA-20", sentence));
        }
    }

    /// Why the final scoring counted what it counted.
    pub(super) fn final_reasons(&self, names: &Names) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for feature in self.claimed_features() {
            let counts = super::turn::scores(feature.kind) || feature.kind == Kind::FIELD;
            if !counts || feature.followers.iter().all(|f| f.figure.weight() == 0) {
                continue;
            }
            let place = place_of(&feature);
            self.of_majority(&feature, &place, names, &mut reasons);
            for module in self.modules() {
                module.reasons(self, &feature, &place, &mut reasons);
            }
            match feature.kind {
                Kind::FIELD => self.of_field(&feature, &place, &mut reasons),
                Kind::CLOISTER => {
                    let sentence = format!("{place} counts itself and each tile that lies round it");
                    reasons.push(reason("BA-27", sentence));
                }
                Kind::CITY => {
                    let sentence =
                        format!("{place} was not completed: 1 point for each tile and pennant, not 2");
                    reasons.push(reason("BA-26", sentence));
                }
                _ => {
                    reasons.push(reason("BA-25", format!("{place} was not completed: 1 point for each tile")))
                }
            }
        }
        for module in self.modules() {
            module.final_reasons(self, names, &mut reasons);
        }
        let totals = self.final_totals();
        let most = totals.iter().max().copied().unwrap_or(0);
        let winners: Vec<String> = self.winners().iter().map(|p| names.of(*p).to_owned()).collect();
        let sentence = match winners.len() {
            1 => format!("{} has most points, {most}, and wins", winners.join("")),
            _ => format!("{} have {most} points each and share the win", listed(&winners)),
        };
        reasons.push(reason("BA-34", sentence));
        reasons
    }

    fn of_field(&self, feature: &FeatureView, place: &str, reasons: &mut Vec<Reason>) {
        let Some(field) = feature.segments.first().and_then(|at| self.node_at(*at)) else { return };
        let root = self.features.root(field);
        let cities: Vec<String> = self
            .cities_of(root)
            .into_iter()
            .filter_map(|city| self.features.of(city).places.iter().next())
            .map(|place| crate::cell_name(self.cell_of(place as Place)))
            .collect();
        let what = if self.switches.open_cities_feed_fields { "city" } else { "completed city" };
        let sentence = match cities.len() {
            0 => format!("{place} touches no {what}: it scores nothing"),
            1 => format!("{place} touches 1 {what}, that in {}: 3 points", cities[0]),
            n => format!(
                "{place} touches {n} of them, a {what} each in {}: 3 points for each",
                listed(&cities)
            ),
        };
        reasons.push(reason("BA-28", sentence));
    }
}

/// The rule by which a kind of feature is complete.
fn rule_for(kind: Kind) -> &'static str {
    match kind {
        Kind::CITY => "BA-16",
        Kind::CLOISTER => "BA-18",
        _ => "BA-15",
    }
}
