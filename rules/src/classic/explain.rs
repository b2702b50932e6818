//! Scores as explanations: what was counted, and the sentence for it.

use super::board::{Place, Places};
use super::final_scoring::Part;
use super::module::{Extra, Worth};
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
            Kind::CITY if scored.worth.each == 1 && scored.worth.because[0].is_none() => {
                (format!("a {kind} of two tiles"), "BA-17")
            }
            Kind::CITY => (format!("a completed {kind} of {}", counted(scored.tiles(), "tiles")), "BA-16"),
            _ => (format!("a completed {kind} of {}", counted(scored.tiles(), "tiles")), "BA-15"),
        };
        let words =
            if pennants > 0 { format!("{words} with {}", counted(pennants, "pennants")) } else { words };
        let (words, rule) = because(&scored.worth, words, rule);
        let each = if feature.kind == Kind::CITY || scored.worth.because[0].is_some() {
            format!(", {} each", points(scored.each()))
        } else {
            String::new()
        };
        let mut items = vec![item("tiles", scored.tiles(), scored.each(), rule, cells.clone())];
        if pennants > 0 {
            items.push(item("pennants", pennants, scored.each(), rule, Vec::new()));
        }
        let sentence = format!("{words}{each}: {}", paid(scored.points(), &players, names));
        Some(Score { category: kind.to_owned(), players, items, followers, cells, sentence })
    }

    /// The final scoring as explanations, in the order of BA-35, as if the game ended
    /// here.
    pub fn final_scores(&self, names: &Names) -> Vec<Score> {
        let parts = self.final_parts().into_iter().map(|part| self.explain_part(&part, names));
        parts.chain(self.extras().into_iter().map(|extra| explain_extra(extra, names))).collect()
    }

    fn explain_part(&self, part: &Part, names: &Names) -> Score {
        let (feature, kind) = (&part.feature, part.feature.kind);
        let players = part.players();
        let pennants = u32::from(feature.attributes.count(Attribute::PENNANT));
        let mut cells = self.cells_in(&feature.places);
        if kind == Kind::CLOISTER {
            cells = feature.places.iter().next().map_or(cells, |place| self.cells_round(place));
        }
        let words = match kind {
            Kind::FIELD => self.field_words(part),
            Kind::CLOISTER => format!("a cloister with {} of its nine tiles", part.worth.tiles),
            _ => {
                let words = format!("an open {kind} of {}", counted(part.worth.tiles, "tiles"));
                if pennants > 0 { format!("{words} with {}", counted(pennants, "pennants")) } else { words }
            }
        };
        let (words, _) = because(&part.worth, words, "");
        let around = |line: usize| match (kind, line) {
            (Kind::FIELD, 0) => {
                let places = self.cities_of(part.root).into_iter().map(|city| self.features.of(city).places);
                places.flat_map(|places| self.cells_in(&places)).collect()
            }
            (_, 0) => cells.clone(),
            _ => Vec::new(),
        };
        let lines = part.items.iter().enumerate();
        let items =
            lines.map(|(n, line)| item(line.what, line.count, line.each, line.rule, around(n))).collect();
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

    /// What a field is, with all that it is counted for.
    fn field_words(&self, part: &Part) -> String {
        let open = self.switches.open_cities_feed_fields;
        let (one, many) = if open { ("city", "cities") } else { ("completed city", "completed cities") };
        let cities = part.items.iter().next().map_or(0, |line| line.count);
        let mut words = match cities {
            0 => format!("a field beside no {one}"),
            1 => format!("a field beside 1 {one}, 3 points each"),
            n => format!("a field beside {n} {many}, 3 points each"),
        };
        for line in part.items.iter().skip(1) {
            words += &format!(", {} for {}", points(line.count * line.each), line.what);
        }
        words
    }
}

/// What changed the worth of a feature, put behind its words, and the rule that says so.
fn because(worth: &Worth, words: String, rule: &'static str) -> (String, &'static str) {
    let notes = worth.because.iter().flatten();
    notes.fold((words, rule), |(words, _), (note, rule)| (format!("{words} {note}"), *rule))
}

fn explain_extra(extra: Extra, names: &Names) -> Score {
    let total = extra.count * extra.each;
    let sentence = match total {
        0 => format!("{}: no points for {}", extra.words, names.listed(&extra.players)),
        total => format!("{}: {}", extra.words, paid(total, &extra.players, names)),
    };
    Score {
        category: extra.category.to_owned(),
        players: extra.players,
        items: vec![item(extra.what, extra.count, extra.each, extra.rule, Vec::new())],
        followers: Vec::new(),
        cells: Vec::new(),
        sentence,
    }
}
