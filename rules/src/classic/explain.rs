//! Scores as explanations: what was counted, and the sentence for it.

use super::board::{Place, Places};
use super::final_scoring::Part;
use super::position::{ClassicFeature, Position};
use super::turn::Outcome;
use crate::features::Node;
use crate::words::{counted, points};
use crate::{Attribute, Cell, Item, Kind, Names, Player, Role, Score, StandingFollower};

fn item(what: &str, count: u32, each: u32, rule: &str, cells: Vec<Cell>) -> Item {
    Item { what: what.to_owned(), count, each, rule: rule.to_owned(), cells }
}

/// `6 points for Ada`, `4 points each for Ada and Ben, tied`.
fn paid(total: u32, players: &[Player], names: &Names) -> String {
    match players.len() {
        1 => format!("{} for {}", points(total), names.listed(players)),
        _ => format!("{} each for {}, tied", points(total), names.listed(players)),
    }
}

fn leaders(feature: &ClassicFeature) -> Vec<Player> {
    feature.leaders().map(|p| Player(p as u8)).collect()
}

impl Position {
    fn cells_in(&self, places: &Places) -> Vec<Cell> {
        let mut cells: Vec<Cell> = places.iter().map(|p| self.cell_of(p as Place)).collect();
        cells.sort_unstable_by_key(|c| (c.row, c.col));
        cells
    }

    fn cells_round(&self, place: usize) -> Vec<Cell> {
        let middle = self.cell_of(place as Place);
        let steps = (-1..=1).flat_map(|row| (-1..=1).map(move |col| (col, row)));
        let round =
            steps.map(|(col, row)| Cell::new(middle.col.saturating_add(col), middle.row.saturating_add(row)));
        round.filter(|cell| self.tile_at(*cell).is_some()).collect()
    }

    fn followers_on(&self, root: Node) -> Vec<StandingFollower> {
        let on = self.standing().iter().filter(|s| self.features.root(s.node) == root);
        on.map(|s| self.follower(*s)).collect()
    }

    /// Explains one score of a turn that has just ended (the position is the one after
    /// it); `None` when the outcome has no such score.
    pub fn explain(&self, outcome: &Outcome, index: usize, names: &Names) -> Option<Score> {
        let scored = outcome.scored.get(index)?;
        let feature = &scored.feature;
        let on = outcome.home.iter().filter(|(_, root)| *root == scored.root);
        let followers = on.map(|(s, _)| self.follower(*s)).collect();
        let players = leaders(feature);
        let kind = feature.kind.name();
        let pennants = u32::from(feature.attributes.count(Attribute::PENNANT));
        let mut cells = self.cells_in(&feature.places);
        let (words, rule) = match feature.kind {
            Kind::CLOISTER => {
                cells = feature.places.iter().next().map_or(cells, |place| self.cells_round(place));
                ("a cloister with all eight tiles round it".to_owned(), "BA-18")
            }
            Kind::CITY if scored.each == 1 => (format!("a {kind} of two tiles"), "BA-17"),
            Kind::CITY => (format!("a completed {kind} of {}", counted(scored.tiles, "tiles")), "BA-16"),
            _ => (format!("a completed {kind} of {}", counted(scored.tiles, "tiles")), "BA-15"),
        };
        let words =
            if pennants > 0 { format!("{words} with {}", counted(pennants, "pennants")) } else { words };
        let each = if feature.kind == Kind::CITY {
            format!(", {} each", points(scored.each))
        } else {
            String::new()
        };
        let mut items = vec![item("tiles", scored.tiles, scored.each, rule, cells.clone())];
        if pennants > 0 {
            items.push(item("pennants", pennants, scored.each, rule, Vec::new()));
        }
        let sentence = format!("{words}{each}: {}", paid(scored.points(), &players, names));
        Some(Score { category: kind.to_owned(), players, items, followers, cells, sentence })
    }

    /// The final scoring as explanations, in the order of BA-35, as if the game ended
    /// here.
    pub fn final_scores(&self, names: &Names) -> Vec<Score> {
        self.final_parts().iter().map(|part| self.explain_part(part, names)).collect()
    }

    fn explain_part(&self, part: &Part, names: &Names) -> Score {
        let (feature, kind) = (&part.feature, part.feature.kind);
        let players = leaders(feature);
        let pennants = u32::from(feature.attributes.count(Attribute::PENNANT));
        let mut cells = self.cells_in(&feature.places);
        let mut items = Vec::new();
        let words = match kind {
            Kind::FIELD => {
                let what = if self.switches.open_cities_feed_fields { "cities" } else { "completed cities" };
                let places = self.cities_of(part.root).into_iter().map(|city| self.features.of(city).places);
                let around = places.flat_map(|places| self.cells_in(&places)).collect();
                items.push(item(what, part.count, 3, "BA-28", around));
                let one = if self.switches.open_cities_feed_fields { "city" } else { "completed city" };
                match part.count {
                    0 => format!("a field beside no {one}"),
                    1 => format!("a field beside 1 {one}, 3 points each"),
                    n => format!("a field beside {n} {what}, 3 points each"),
                }
            }
            Kind::CLOISTER => {
                cells = feature.places.iter().next().map_or(cells, |place| self.cells_round(place));
                items.push(item("tiles", part.count, 1, "BA-27", cells.clone()));
                format!("a cloister with {} of its nine tiles", part.count)
            }
            _ => {
                let rule = if kind == Kind::CITY { "BA-26" } else { "BA-25" };
                items.push(item("tiles", part.count, 1, rule, cells.clone()));
                if pennants > 0 {
                    items.push(item("pennants", pennants, 1, rule, Vec::new()));
                }
                let words = format!("an open {kind} of {}", counted(part.count, "tiles"));
                if pennants > 0 { format!("{words} with {}", counted(pennants, "pennants")) } else { words }
            }
        };
        let sentence = match part.points() {
            0 => {
                let role = Role::on(kind).map_or("follower", Role::name);
                format!("{words}: no points for the {role} of {}", names.listed(&players))
            }
            total => format!("{words}: {}", paid(total, &players, names)),
        };
        Score {
            category: kind.name().to_owned(),
            players,
            items,
            followers: self.followers_on(part.root),
            cells,
            sentence,
        }
    }
}
