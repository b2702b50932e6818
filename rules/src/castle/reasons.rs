//! Why a turn scored as it did: each feature that was touched, the keeps, and where
//! the markers came to.

use std::cmp::Ordering;

use super::Position;
use super::board::TRACK;
use crate::words::{cells, listed, so_many};
use crate::{Attribute, Boundary, Consequence, FeatureView, Item, Kind, Names, Player, Reason, Role, Score};

pub(super) fn reason(rule: &str, sentence: String) -> Reason {
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
pub(super) fn place_of(position: &Position, feature: &FeatureView) -> String {
    let kind = position.words().kind(feature.kind);
    match feature.cells.is_empty() {
        true => format!("the {kind} of a start space"),
        false => format!("the {kind} in {}", cells(&feature.cells)),
    }
}

/// `2 knights`.
pub(super) fn followers_of(position: &Position, feature: &FeatureView, player: Player) -> String {
    let role = Role::on(feature.kind).map_or("follower", |role| position.words().role(role));
    match feature.count(player) {
        0 => format!("no {role}"),
        n => so_many(n, role),
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

    fn role(&self, feature: &FeatureView) -> &str {
        Role::on(feature.kind).map_or("follower", |role| self.laid.words().role(role))
    }

    fn of_feature(&self, feature: &FeatureView, scores: &[Score], reasons: &mut Vec<Reason>) {
        let place = place_of(self.laid, feature);
        let claimed = !feature.followers.is_empty();
        if feature.kind == Kind::COURT {
            if claimed {
                let sentence = format!("{place} scores at the end of the game, not when it is enclosed");
                reasons.push(reason("CA-104", sentence));
            }
        } else if !feature.open.is_empty() {
            if claimed {
                let open = cells(&feature.open);
                let sentence = format!("{place} is still open towards {open}: it scores nothing yet");
                reasons.push(reason(rule_for(feature.kind, "CA-36", "CA-52", "CA-58"), sentence));
            }
        } else if claimed {
            reasons.push(self.why_complete(feature, &place));
            if self.of_majority(feature, &place, reasons) {
                self.of_points(feature, &place, scores, reasons);
            }
        } else if !feature.cells.is_empty() {
            let role = self.role(feature);
            let sentence =
                format!("{place} is complete, and nobody has a {role} on it: nobody scores, now or later");
            reasons.push(reason("CA-51", sentence));
        }
    }

    /// Why a feature is complete: what it ends at.
    fn why_complete(&self, feature: &FeatureView, place: &str) -> Reason {
        let words = self.laid.words();
        let bounds: Vec<String> = feature
            .bounds
            .iter()
            .map(|bound| match bound {
                Boundary::Wall => "the castle wall".to_owned(),
                Boundary::Printed(what) => format!("a {}", words.attribute(*what)),
                Boundary::Within if feature.kind == Kind::PATH => "a building within its tile".to_owned(),
                Boundary::Within => "its own tile".to_owned(),
                Boundary::Beside(kind) => format!("a {}", words.kind(*kind)),
                Boundary::Ring => "an empty space that it surrounds, which is closed here".to_owned(),
                Boundary::Bare => "a side of a tile where nothing goes on".to_owned(),
                Boundary::Endless => "nothing, since it runs in a ring".to_owned(),
            })
            .collect();
        let listed = listed(&bounds);
        let sentence = match (feature.kind, bounds.is_empty()) {
            _ if feature.bounds.contains(&Boundary::Ring) => {
                format!("{place} is complete: it borders on {listed}")
            }
            (Kind::PATH, true) => format!("{place} is complete: it closes in a loop"),
            (Kind::PATH, false) => format!("{place} is complete: all its ends have come to {listed}"),
            (_, true) => format!("{place} is complete: it is closed all round, with no empty space inside"),
            (_, false) => {
                format!("{place} is complete: it borders on {listed} and has no empty space inside")
            }
        };
        reason(rule_for(feature.kind, "CA-41", "CA-52", "CA-58"), sentence)
    }

    /// Who has most followers on a completed feature; says whether anyone has.
    fn of_majority(&self, feature: &FeatureView, place: &str, reasons: &mut Vec<Reason>) -> bool {
        let on = |player| followers_of(self.laid, feature, player);
        let most = match feature.count(Player(0)).cmp(&feature.count(Player(1))) {
            Ordering::Greater => Player(0),
            Ordering::Less => Player(1),
            Ordering::Equal => {
                let each = on(Player(0));
                let sentence = format!("{place} has {each} of each player: equal numbers score for nobody");
                reasons.push(reason(rule_for(feature.kind, "CA-49", "CA-57", "CA-66"), sentence));
                return false;
            }
        };
        let (name, other) = (self.name(most), self.name(most.opponent()));
        let sentence = match feature.count(most.opponent()) {
            0 => format!("{name} has {} on {place}, {other} none: {name} scores it", on(most)),
            theirs => format!(
                "{name} has {} on {place}, {other} {theirs}: the points go to {name} alone, they are not shared",
                on(most)
            ),
        };
        reasons.push(reason("CA-49", sentence));
        let mover = self.laid.to_move();
        if most != mover {
            let role = self.role(feature);
            let sentence = format!(
                "{} completed {place}, but {name} has the {role}: the majority scores, not who completes",
                self.name(mover)
            );
            reasons.push(reason("CA-50", sentence));
        }
        true
    }

    /// What a completed feature counts.
    fn of_points(&self, feature: &FeatureView, place: &str, scores: &[Score], reasons: &mut Vec<Reason>) {
        let words = self.laid.words();
        let kind = words.kind(feature.kind);
        let (segments, tiles) = (feature.segments.len() as u32, feature.cells.len() as u32);
        let each = match feature.kind {
            Kind::TOWER => "2 points",
            Kind::PATH if feature.attributes.has(Attribute::FOUNTAIN) => "2 points",
            _ => "1 point",
        };
        let rule = rule_for(feature.kind, "CA-42", "CA-53", "CA-59");
        let counted_tiles = so_many(tiles, "castle tile");
        reasons.push(match segments > tiles {
            true => reason(
                rule,
                format!("{place} has {segments} pieces on {counted_tiles}: tiles count, not pieces"),
            ),
            false => reason(rule, format!("{place} counts {each} a tile, and it has {counted_tiles}")),
        });
        if feature.start_spaces > 0 {
            let spaces = so_many(feature.start_spaces, "start space");
            let sentence = format!("{place} runs into {spaces}, counted like a castle tile");
            reasons.push(reason(rule_for(feature.kind, "CA-43", "CA-54", "CA-60"), sentence));
        }
        if feature.kind == Kind::PATH && feature.attributes.has(Attribute::FOUNTAIN) {
            let sentence = format!(
                "{place} has {}: 2 points for every tile of it, and no more for a second one",
                words.fountain
            );
            reasons.push(reason("CA-46", sentence));
        }
        let score = scores.iter().find(|s| {
            s.category == feature.kind.name() && feature.followers.iter().any(|f| s.followers.contains(f))
        });
        let item = score.and_then(|s| s.items.first());
        if let Some(item) = item.filter(|i| ["CA-83", "CA-85", "CA-87"].contains(&i.rule.as_str())) {
            let number = words.wall_tile(if feature.kind == Kind::TOWER { 2 } else { 3 });
            let sentence = match item.rule.as_str() {
                "CA-87" => format!(
                    "both wall tiles {number} on one {kind} count it three times, not four: {} points a tile",
                    item.each
                ),
                _ => format!("wall tile {number} doubles {place}: {} points a tile", item.each),
            };
            reasons.push(reason(&item.rule, sentence));
        }
        if !feature.at_corners.is_empty() {
            let touched = cells(&feature.at_corners);
            let sentence = format!("{place} touches the {kind} in {touched} only at a corner: they are two");
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
            let (name, keep, house) = (self.name(player), &words.keep, &words.house);
            let (rule, sentence) = match (moved, self.laid.keep(player)) {
                (Some(size), None) => {
                    ("CA-62", format!("{name}'s {keep} goes on the first {house} scored, of {size}"))
                }
                (Some(size), Some(before)) => (
                    "CA-63",
                    format!(
                        "{name}'s {keep} moves: a {house} of {size} is larger than one of {}",
                        before.size
                    ),
                ),
                (None, Some(before)) if scored <= before.size => (
                    "CA-63",
                    format!(
                        "{name}'s {keep} stays: a {house} of {scored} is not larger than one of {}",
                        before.size
                    ),
                ),
                (None, _) => (
                    "CA-64",
                    format!("{name}'s {keep} stays: here it moves only onto a {house} completed by {name}"),
                ),
            };
            reasons.push(Reason { rule: rule.to_owned(), sentence });
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
                    let sentence = format!(
                        "{name}'s marker passes tower {tower}/{} and stops on {to}: no wall tile from it",
                        tower + 1
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
            let stops =
                format!("{name}'s marker stops on {to}, which is tower {tower}/{}", tower.saturating_add(1));
            reasons.push(match (taken && lying.contains(&tower), tower) {
                (true, _) => {
                    lying.retain(|t| *t != tower);
                    reason("CA-70", stops)
                }
                (_, 0) => reason("CA-07", format!("{stops}: no wall tile lies there from the start")),
                _ if lying.contains(&tower) => reason(
                    "CA-100",
                    format!(
                        "{stops}, but only on the way: here a wall tile is taken where the last move ends"
                    ),
                ),
                _ => reason("CA-74", format!("{stops}: its wall tile is gone already")),
            });
        }
    }
}
