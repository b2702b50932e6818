//! Why a turn and the end of the game scored as they did, and not otherwise.

use super::board::Place;
use super::position::Position;
use crate::words::{cells, figures, tiles};
use crate::{Boundary, FeatureView, FigureKind, Kind, Names, Player, Reason, Role, Sentence, Term, sentence};

/// A reason by a rule.
pub(super) fn reason(rule: &str, sentence: Sentence) -> Reason {
    Reason { rule: rule.to_owned(), sentence }
}

/// `the city in C4, D4`.
fn place_of(feature: &FeatureView) -> Sentence {
    sentence!("the {} in {}", Sentence::word(feature.kind.name()), cells(&feature.cells))
}

/// What claims a feature for a player: `2 knights`, `1 knight and 1 big follower`.
fn figures_of(feature: &FeatureView, player: Player) -> Term {
    let of = |figure: FigureKind| {
        let theirs = feature.followers.iter().filter(|f| f.player == player && f.figure == figure);
        let word = if figure.is_follower() { role(feature) } else { figure.word() };
        (theirs.count() as u32, word)
    };
    let claiming = FigureKind::ALL.into_iter().filter(|figure| figure.weight() > 0).map(of);
    Term::listed(claiming.filter(|(n, _)| *n > 0).map(|(n, word)| figures(n, word)))
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
                    sentence!("{} scores at the end of the game; its farmers stay until then", place),
                )),
                Kind::FIELD => {}
                _ if claimed && feature.bounds.contains(&Boundary::Endless) => reasons.push(reason(
                    "BA-15",
                    sentence!("{} runs in a ring: at this table it is never complete", place),
                )),
                _ if !feature.is_complete() && claimed => {
                    let open = cells(&feature.open);
                    let rule = rule_for(feature.kind);
                    let sentence = match feature.kind {
                        Kind::CLOISTER => {
                            sentence!("{} still waits for tiles in {}: it scores nothing yet", place, open)
                        }
                        _ => sentence!("{} is still open towards {}: it scores nothing yet", place, open),
                    };
                    reasons.push(reason(rule, sentence));
                }
                _ if !feature.is_complete() => {}
                _ if !claimed => {
                    let sentence = sentence!(
                        "{} is complete, and nobody has a {} on it: nobody scores",
                        place,
                        Sentence::word(role(&feature))
                    );
                    reasons.push(reason("BA-22", sentence));
                }
                _ => self.of_completed(&feature, &place, names, &mut reasons),
            }
        }
        reasons
    }

    fn of_completed(
        &self,
        feature: &FeatureView,
        place: &Sentence,
        names: &Names,
        reasons: &mut Vec<Reason>,
    ) {
        let why = match feature.kind {
            Kind::CLOISTER => sentence!("{} is complete: all eight tiles lie round it", place),
            Kind::CITY => {
                sentence!("{} is complete: its wall is closed and nothing is missing inside", place)
            }
            _ => sentence!("{} is complete: both its ends are closed, or it closes in a loop", place),
        };
        reasons.push(reason(rule_for(feature.kind), why));
        self.of_majority(feature, place, names, reasons);
        let (segments, size) = (feature.segments.len() as u32, feature.cells.len() as u32);
        if segments > size {
            let sentence =
                sentence!("{} has {} pieces on {}: tiles count, not pieces", place, segments, tiles(size));
            reasons.push(reason("BA-23", sentence));
        }
        if feature.kind == Kind::CITY && size == 2 {
            let sentence = match self.switches.tiny_city_scores_two {
                true => sentence!("{} has two tiles only: 1 point each at this table", place),
                false => sentence!("{} has two tiles only, and scores like any other city", place),
            };
            reasons.push(reason("BA-17", sentence));
        }
    }

    fn of_majority(&self, feature: &FeatureView, place: &Sentence, names: &Names, reasons: &mut Vec<Reason>) {
        let weights: Vec<(Player, u32)> = (0..self.players)
            .map(|p| (Player(p as u8), feature.weight(Player(p as u8))))
            .filter(|(_, n)| *n > 0)
            .collect();
        let most = weights.iter().map(|(_, n)| *n).max().unwrap_or(0);
        let on = |(player, _): &(Player, u32)| {
            sentence!("{} has {}", names.of(*player), figures_of(feature, *player))
        };
        let leaders: Vec<&str> =
            weights.iter().filter(|(_, n)| *n == most).map(|(p, _)| names.of(*p)).collect();
        let (held, who) = (Term::listed(weights.iter().map(on)), Term::listed(leaders.iter().copied()));
        let sentence = match (weights.len(), leaders.len()) {
            (1, _) => sentence!("{} on {}, nobody else: all points are {}'s", held, place, who),
            (_, 1) => sentence!("{} on {}: all points go to {}, they are not shared", held, place, who),
            _ => sentence!("{} on {}: {} are tied, and each scores in full", held, place, who),
        };
        reasons.push(reason("BA-19", sentence));
        let mover = self.state.to_move;
        if feature.is_complete() && feature.kind != Kind::FIELD && !leaders.contains(&names.of(mover)) {
            let sentence =
                sentence!("{} completed {}, but the points go to who has most on it", names.of(mover), place);
            reasons.push(reason("BA-19", sentence));
        }
        if most > 1 {
            let sentence = sentence!("{} is worth the same, however many stand on it", place);
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
                    let sentence = sentence!("{} counts itself and each tile that lies round it", place);
                    reasons.push(reason("BA-27", sentence));
                }
                Kind::CITY => {
                    let sentence =
                        sentence!("{} was not completed: 1 point for each tile and pennant, not 2", place);
                    reasons.push(reason("BA-26", sentence));
                }
                _ => {
                    let sentence = sentence!("{} was not completed: 1 point for each tile", place);
                    reasons.push(reason("BA-25", sentence));
                }
            }
        }
        for module in self.modules() {
            module.final_reasons(self, names, &mut reasons);
        }
        let totals = self.final_totals();
        let most = totals.iter().max().copied().unwrap_or(0);
        let winners = self.winners();
        let who = Term::listed(winners.iter().map(|p| names.of(*p)));
        let sentence = match winners.len() {
            1 => sentence!("{} has most points, {}, and wins", who, most),
            _ => sentence!("{} have {} points each and share the win", who, most),
        };
        reasons.push(reason("BA-34", sentence));
        reasons
    }

    fn of_field(&self, feature: &FeatureView, place: &Sentence, reasons: &mut Vec<Reason>) {
        let Some(field) = feature.segments.first().and_then(|at| self.node_at(*at)) else { return };
        let root = self.features.root(field);
        let cities: Vec<String> = self
            .cities_of(root)
            .into_iter()
            .filter_map(|city| self.features.of(city).places.iter().next())
            .map(|place| crate::cell_name(self.cell_of(place as Place)))
            .collect();
        let (n, all) = (cities.len(), Term::listed(cities));
        let sentence = match (n, self.switches.open_cities_feed_fields) {
            (0, true) => sentence!("{} touches no city: it scores nothing", place),
            (0, false) => sentence!("{} touches no completed city: it scores nothing", place),
            (1, true) => sentence!("{} touches 1 city, that in {}: 3 points", place, all),
            (1, false) => sentence!("{} touches 1 completed city, that in {}: 3 points", place, all),
            (n, true) => {
                sentence!("{} touches {} of them, a city each in {}: 3 points for each", place, n, all)
            }
            (n, false) => {
                sentence!(
                    "{} touches {} of them, a completed city each in {}: 3 points for each",
                    place,
                    n,
                    all
                )
            }
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
