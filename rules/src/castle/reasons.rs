//! Why a turn scored as it did: each feature that was touched, the keeps, and where
//! the markers came to.

use std::cmp::Ordering;

use super::Position;
use super::board::TRACK;
use crate::words::{cells, figures};
use crate::{
    Attribute, Boundary, Consequence, FeatureView, Item, Kind, Names, Player, Reason, Role, Score, Sentence,
    Term, sentence,
};

pub(super) fn reason(rule: &str, sentence: Sentence) -> Reason {
    Reason { rule: rule.to_owned(), sentence }
}

/// The rule for a path, a tower or a house.
pub(super) fn rule_for(
    kind: Kind,
    path: &'static str,
    tower: &'static str,
    house: &'static str,
) -> &'static str {
    match kind {
        Kind::PATH => path,
        Kind::TOWER => tower,
        _ => house,
    }
}

/// `the tower in C4, D4`.
pub(super) fn place_of(position: &Position, feature: &FeatureView) -> Sentence {
    let kind = Sentence::word(position.words().kind(feature.kind));
    match feature.cells.is_empty() {
        true => sentence!("the {} of a start space", kind),
        false => sentence!("the {} in {}", kind, cells(&feature.cells)),
    }
}

/// `2 knights`.
pub(super) fn followers_of(position: &Position, feature: &FeatureView, player: Player) -> Sentence {
    let role = Role::on(feature.kind).map_or("follower", |role| position.words().role(role));
    match feature.count(player) {
        0 => sentence!("no {}", Sentence::word(role)),
        n => figures(n, role),
    }
}

/// The number printed on a wall tile, or its number in 2003.
pub(super) fn number_of(position: &Position, number: u8) -> Term {
    match position.words().printed(number) {
        Some(printed) => printed.into(),
        None => sentence!("{} of 2003", number).into(),
    }
}

/// Finds the reasons; `laid` is the table after the follower and before the
/// scoring.
pub(super) struct Accountant<'a> {
    pub names: &'a Names,
    pub laid: &'a Position,
}

impl Accountant<'_> {
    pub fn reasons(&self, scores: &[Score], brought: &[Consequence]) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if let Some(cell) = self.laid.last_cell() {
            for feature in self.laid.features_around(cell) {
                self.of_feature(&feature, scores, &mut reasons);
            }
        }
        self.of_keeps(scores, brought, &mut reasons);
        self.of_track(brought, &mut reasons);
        reasons
    }

    fn name(&self, player: Player) -> &str {
        self.names.of(player)
    }

    fn role(&self, feature: &FeatureView) -> Sentence {
        Sentence::word(Role::on(feature.kind).map_or("follower", |role| self.laid.words().role(role)))
    }

    fn of_feature(&self, feature: &FeatureView, scores: &[Score], reasons: &mut Vec<Reason>) {
        let place = place_of(self.laid, feature);
        let claimed = !feature.followers.is_empty();
        if feature.kind == Kind::COURT {
            if claimed {
                let sentence = sentence!("{} scores at the end of the game, not when it is enclosed", place);
                reasons.push(reason("CA-104", sentence));
            }
        } else if !feature.open.is_empty() {
            if claimed {
                let open = cells(&feature.open);
                let sentence = sentence!("{} is still open towards {}: it scores nothing yet", place, open);
                reasons.push(reason(rule_for(feature.kind, "CA-36", "CA-52", "CA-58"), sentence));
            }
        } else if claimed {
            reasons.push(self.why_complete(feature, &place));
            if self.of_majority(feature, &place, reasons) {
                self.of_points(feature, &place, scores, reasons);
            }
        } else if !feature.cells.is_empty() {
            let sentence = sentence!(
                "{} is complete, and nobody has a {} on it: nobody scores, now or later",
                place,
                self.role(feature)
            );
            reasons.push(reason("CA-51", sentence));
        }
    }

    /// Why a feature is complete: what it ends at.
    fn why_complete(&self, feature: &FeatureView, place: &Sentence) -> Reason {
        let words = self.laid.words();
        // The gap has its number so that languages can say this otherwise than `a {}` of a figure.
        let something = |word: &str| sentence!("a {0}", Sentence::word(word));
        let listed = Term::listed(feature.bounds.iter().map(|bound| match bound {
            Boundary::Wall => sentence!("the castle wall"),
            Boundary::Printed(what) => something(words.attribute(*what)),
            Boundary::Within if feature.kind == Kind::PATH => sentence!("a building within its tile"),
            Boundary::Within => sentence!("its own tile"),
            Boundary::Beside(kind) => something(words.kind(*kind)),
            Boundary::Ring => sentence!("an empty space that it surrounds, which is closed here"),
            Boundary::Bare => sentence!("a side of a tile where nothing goes on"),
            Boundary::Endless => sentence!("nothing, since it runs in a ring"),
        }));
        let sentence = match (feature.kind, feature.bounds.is_empty()) {
            _ if feature.bounds.contains(&Boundary::Ring) => {
                sentence!("{} is complete: it borders on {}", place, listed)
            }
            (Kind::PATH, true) => sentence!("{} is complete: it closes in a loop", place),
            (Kind::PATH, false) => {
                sentence!("{} is complete: all its ends have come to {}", place, listed)
            }
            (_, true) => {
                sentence!("{} is complete: it is closed all round, with no empty space inside", place)
            }
            (_, false) => {
                sentence!("{} is complete: it borders on {} and has no empty space inside", place, listed)
            }
        };
        reason(rule_for(feature.kind, "CA-41", "CA-52", "CA-58"), sentence)
    }

    /// Who has most followers on a completed feature; says whether anyone has.
    fn of_majority(&self, feature: &FeatureView, place: &Sentence, reasons: &mut Vec<Reason>) -> bool {
        let on = |player| followers_of(self.laid, feature, player);
        let most = match feature.count(Player(0)).cmp(&feature.count(Player(1))) {
            Ordering::Greater => Player(0),
            Ordering::Less => Player(1),
            Ordering::Equal => {
                let each = on(Player(0));
                let sentence =
                    sentence!("{} has {} of each player: equal numbers score for nobody", place, each);
                reasons.push(reason(rule_for(feature.kind, "CA-49", "CA-57", "CA-66"), sentence));
                return false;
            }
        };
        let (name, other) = (self.name(most), self.name(most.opponent()));
        let sentence = match feature.count(most.opponent()) {
            0 => sentence!("{0} has {1} on {2}, {3} none: {0} scores it", name, on(most), place, other),
            theirs => sentence!(
                "{0} has {1} on {2}, {3} {4}: the points go to {0} alone, they are not shared",
                name,
                on(most),
                place,
                other,
                theirs
            ),
        };
        reasons.push(reason("CA-49", sentence));
        let mover = self.laid.to_move();
        if most != mover {
            let sentence = sentence!(
                "{} completed {}, but {} has the {}: the majority scores, not who completes",
                self.name(mover),
                place,
                name,
                self.role(feature)
            );
            reasons.push(reason("CA-50", sentence));
        }
        true
    }

    /// What a completed feature counts.
    fn of_points(
        &self,
        feature: &FeatureView,
        place: &Sentence,
        scores: &[Score],
        reasons: &mut Vec<Reason>,
    ) {
        let words = self.laid.words();
        let kind = Sentence::word(words.kind(feature.kind));
        let (segments, tiles) = (feature.segments.len() as u32, feature.cells.len() as u32);
        let counts_two = feature.kind == Kind::TOWER
            || (feature.kind == Kind::PATH && feature.attributes.has(Attribute::FOUNTAIN));
        let counted_tiles = match tiles {
            1 => sentence!("1 castle tile"),
            n => sentence!("{} castle tiles", n),
        };
        let sentence = match (segments > tiles, counts_two) {
            (true, _) => {
                sentence!("{} has {} pieces on {}: tiles count, not pieces", place, segments, counted_tiles)
            }
            (false, true) => {
                sentence!("{} counts 2 points a tile, and it has {}", place, counted_tiles)
            }
            (false, false) => sentence!("{} counts 1 point a tile, and it has {}", place, counted_tiles),
        };
        reasons.push(reason(rule_for(feature.kind, "CA-42", "CA-53", "CA-59"), sentence));
        if feature.start_spaces > 0 {
            let sentence = match feature.start_spaces {
                1 => sentence!("{} runs into 1 start space, counted like a castle tile", place),
                n => sentence!("{} runs into {} start spaces, counted like a castle tile", place, n),
            };
            reasons.push(reason(rule_for(feature.kind, "CA-43", "CA-54", "CA-60"), sentence));
        }
        if feature.kind == Kind::PATH && feature.attributes.has(Attribute::FOUNTAIN) {
            let sentence = sentence!(
                "{} has {}: 2 points for every tile of it, and no more for a second one",
                place,
                Sentence::word(&words.fountain)
            );
            reasons.push(reason("CA-46", sentence));
        }
        let score = scores.iter().find(|s| {
            s.category == feature.kind.name() && feature.followers.iter().any(|f| s.followers.contains(f))
        });
        let item = score.and_then(|s| s.items.first());
        if let Some(item) = item.filter(|i| ["CA-83", "CA-85", "CA-87"].contains(&i.rule.as_str())) {
            let number = number_of(self.laid, if feature.kind == Kind::TOWER { 2 } else { 3 });
            let sentence = match item.rule.as_str() {
                "CA-87" => sentence!(
                    "both wall tiles {} on one {} count it three times, not four: {} points a tile",
                    number,
                    &kind,
                    item.each
                ),
                _ => sentence!("wall tile {} doubles {}: {} points a tile", number, place, item.each),
            };
            reasons.push(reason(&item.rule, sentence));
        }
        if !feature.at_corners.is_empty() {
            let touched = cells(&feature.at_corners);
            let sentence =
                sentence!("{} touches the {} in {} only at a corner: they are two", place, kind, touched);
            reasons.push(reason("CA-37", sentence));
        }
    }

    /// The tiles of a scored house that count for a keep on it (CA-65, CA-68).
    fn size_for_keep(&self, score: &Score) -> u32 {
        let with_starts = self.laid.switches().start_space_counts_for_keep;
        let counts = |item: &&Item| with_starts || item.what != "start spaces";
        score.items.iter().filter(counts).map(|item| item.count).sum()
    }

    fn of_keeps(&self, scores: &[Score], brought: &[Consequence], reasons: &mut Vec<Reason>) {
        let words = self.laid.words();
        for player in [Player(0), Player(1)] {
            let sizes = scores
                .iter()
                .filter(|s| s.category == "house" && s.players.contains(&player))
                .map(|s| self.size_for_keep(s));
            let Some(scored) = sizes.max() else { continue };
            let moved = brought.iter().rev().find_map(|k| match k {
                Consequence::Largest(p, keep) if *p == player => Some(keep.size),
                _ => None,
            });
            let name = self.name(player);
            let (keep, house) = (Sentence::word(&words.keep), Sentence::word(&words.house));
            let (rule, sentence) = match (moved, self.laid.keep(player)) {
                (Some(size), None) => (
                    "CA-62",
                    sentence!("{}'s {} goes on the first {} scored, of {}", name, keep, house, size),
                ),
                (Some(size), Some(before)) => (
                    "CA-63",
                    sentence!(
                        "{}'s {} moves: a {} of {} is larger than one of {}",
                        name,
                        keep,
                        house,
                        size,
                        before.size
                    ),
                ),
                (None, Some(before)) if scored <= before.size => (
                    "CA-63",
                    sentence!(
                        "{}'s {} stays: a {} of {} is not larger than one of {}",
                        name,
                        keep,
                        house,
                        scored,
                        before.size
                    ),
                ),
                (None, _) => (
                    "CA-64",
                    sentence!(
                        "{0}'s {1} stays: here it moves only onto a {2} completed by {0}",
                        name,
                        keep,
                        house
                    ),
                ),
            };
            reasons.push(reason(rule, sentence));
        }
    }

    /// Towers that a marker came to or passed.
    fn of_track(&self, brought: &[Consequence], reasons: &mut Vec<Reason>) {
        let mut lying: Vec<u8> = self.laid.wall_tiles_on_wall().into_iter().map(|t| t.0).collect();
        let mut totals = [Player(0), Player(1)].map(|player| self.laid.total(player));
        for (index, event) in brought.iter().enumerate() {
            let Consequence::Moved { player, to: total, .. } = event else { continue };
            let to = (*total % TRACK) as u8;
            let Some(before) = totals.get_mut(player.index()) else { continue };
            let name = self.name(*player);
            let stop = self.laid.tower_at(to);
            for tower in lying.iter().filter(|tower| Some(**tower) != stop) {
                let passed = (*before + 1..*total).any(|space| (space % TRACK) as u8 == tower + 1);
                if passed {
                    let sentence = sentence!(
                        "{}'s marker passes tower {}/{} and stops on {}: no wall tile from it",
                        name,
                        *tower,
                        tower + 1,
                        to
                    );
                    reasons.push(reason("CA-71", sentence));
                }
            }
            *before = *total;
            let Some(tower) = stop else { continue };
            // With a switch on, wall tiles are taken after all the moves.
            let taken = brought[index + 1..].iter().any(|later| {
                matches!(later, Consequence::Taken { player: by, from, .. } if by == player && *from == tower)
            });
            let stops = sentence!(
                "{}'s marker stops on {}, which is tower {}/{}",
                name,
                to,
                tower,
                tower.saturating_add(1)
            );
            reasons.push(match (taken && lying.contains(&tower), tower) {
                (true, _) => {
                    lying.retain(|t| *t != tower);
                    reason("CA-70", stops)
                }
                (_, 0) => reason("CA-07", sentence!("{}: no wall tile lies there from the start", stops)),
                _ if lying.contains(&tower) => reason(
                    "CA-100",
                    sentence!(
                        "{}, but only on the way: here a wall tile is taken where the last move ends",
                        stops
                    ),
                ),
                _ => reason("CA-74", sentence!("{}: its wall tile is gone already", stops)),
            });
        }
    }
}
