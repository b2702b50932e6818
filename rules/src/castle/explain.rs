//! Scores as explanations: what was counted, and the sentence for it.

use super::final_scoring::Part;
use super::position::CastleFeature;
use super::{Names, Outcome, Position};
use crate::castle::board::Places;
use crate::features::Node;
use crate::words::{counted, points};
use crate::{Attribute, Cell, Item, Kind, Player, Role, Score, StandingFollower};

/// `, 2 points each`, where there is more than one.
fn each_of(count: u32, each: u32) -> String {
    if count == 1 { String::new() } else { format!(", {} each", points(each)) }
}

fn item(what: &str, count: u32, each: u32, rule: &str, cells: Vec<Cell>) -> Item {
    Item { what: what.to_owned(), count, each, rule: rule.to_owned(), cells }
}

impl Position {
    fn cells_in(&self, places: &Places) -> Vec<Cell> {
        let mut cells: Vec<Cell> =
            places.iter().filter(|p| !self.board.is_start(*p as u8)).map(|p| self.cell_of(p as u8)).collect();
        cells.sort_unstable_by_key(|c| (c.row, c.col));
        cells
    }

    fn start_cells_in(&self, places: &Places) -> Vec<Cell> {
        places.iter().filter(|p| self.board.is_start(*p as u8)).map(|p| self.cell_of(p as u8)).collect()
    }

    /// The castle tiles and start spaces of a feature as items, each worth the
    /// same.
    fn tile_items(&self, feature: &CastleFeature, each: u32, rules: [&str; 2]) -> Vec<Item> {
        let (tiles, starts) = (self.cells_in(&feature.places), self.start_cells_in(&feature.places));
        let mut items = Vec::new();
        for (what, cells, rule) in [("castle tiles", tiles, rules[0]), ("start spaces", starts, rules[1])] {
            if !cells.is_empty() {
                items.push(item(what, cells.len() as u32, each, rule, cells));
            }
        }
        items
    }

    /// `path of 6 castle tiles and 1 start space with a fountain`.
    fn feature_words(&self, feature: &CastleFeature) -> String {
        self.words_for(feature, feature.places.len())
    }

    /// As [`Position::feature_words`], for so many castle tiles and start spaces
    /// that count.
    fn words_for(&self, feature: &CastleFeature, counting: u32) -> String {
        let tiles = self.cells_in(&feature.places).len() as u32;
        let starts = counting.saturating_sub(tiles);
        let mut words = format!("{} of {}", self.words.kind(feature.kind), counted(tiles, "castle tiles"));
        if starts > 0 {
            words = format!("{words} and {}", counted(starts, "start spaces"));
        }
        if feature.kind == Kind::PATH && feature.attributes.has(Attribute::FOUNTAIN) {
            words = format!("{words} with {}", self.words.fountain);
        }
        words
    }

    fn followers_on(&self, root: Node) -> Vec<StandingFollower> {
        self.standing()
            .iter()
            .filter(|s| self.features.root(s.node) == root)
            .map(|s| self.follower(*s))
            .collect()
    }

    /// Explains one score of a turn that has just ended (the position is the one
    /// after it).
    pub fn explain(&self, outcome: &Outcome, index: usize, names: &Names) -> Option<Score> {
        let scored = outcome.scored.get(index)?;
        let feature = &scored.feature;
        let followers: Vec<StandingFollower> = outcome
            .home
            .iter()
            .filter(|(_, root)| *root == scored.root)
            .map(|(s, _)| self.follower(*s))
            .collect();
        let words = self.feature_words(feature);
        let cells = self.cells_in(&feature.places);
        let category = feature.kind.name().to_owned();
        let Some(player) = scored.player else {
            let role = Role::on(feature.kind).map_or("follower", |role| self.words.role(role));
            let sentence = format!(
                "{words}, {} each: nobody scores",
                counted(u32::from(feature.weights[0]), &format!("{role}s"))
            );
            return Some(Score {
                category,
                players: Vec::new(),
                items: Vec::new(),
                followers,
                cells,
                sentence,
            });
        };
        let rules = match (feature.kind, scored.doubles) {
            (Kind::PATH, _) if feature.attributes.has(Attribute::FOUNTAIN) => ["CA-46", "CA-47"],
            (Kind::PATH, _) => ["CA-42", "CA-43"],
            (Kind::TOWER, 0) => ["CA-53", "CA-54"],
            (Kind::TOWER, 1) => ["CA-83", "CA-83"],
            (_, 0) => ["CA-59", "CA-60"],
            (_, 1) => ["CA-85", "CA-85"],
            _ => ["CA-87", "CA-87"],
        };
        let number = self.words.wall_tile(if feature.kind == Kind::TOWER { 2 } else { 3 });
        let by = match scored.doubles {
            0 => String::new(),
            1 => format!(" with wall tile {number}"),
            _ => format!(" with both wall tiles {number}"),
        };
        let sentence = format!(
            "{words}{}{by}: {} for {}",
            each_of(scored.tiles, scored.each),
            points(scored.points()),
            names.of(player)
        );
        let items = self.tile_items(feature, scored.each, rules);
        Some(Score { category, players: vec![player], items, followers, cells, sentence })
    }

    /// The final scoring as explanations, in the order of CA-113, as if the game
    /// ended here: the largest keep, courts, wall tiles 4 to 9 used as well as
    /// they can be.
    pub fn final_scores(&self, names: &Names) -> Vec<Score> {
        self.final_parts().iter().map(|part| self.explain_part(part, names)).collect()
    }

    fn explain_part(&self, part: &Part, names: &Names) -> Score {
        match *part {
            Part::Keep { player, sizes, cells, free_starts } => {
                self.explain_keep(player, sizes, &cells, free_starts, names)
            }
            Part::Court { player, root, markets } => self.explain_court(player, root, markets, names),
            Part::Incomplete { player, number, copies, root, tiles, each } => {
                let feature = self.features.of(root);
                let rule = match number {
                    _ if copies > 1 => "CA-91",
                    4 => "CA-88",
                    5 => "CA-89",
                    _ => "CA-90",
                };
                let printed = self.words.wall_tile(number);
                let tiles_words = match copies {
                    1 => format!("wall tile {printed}"),
                    _ => format!("both wall tiles {printed}"),
                };
                let total = copies * tiles * each;
                let mut items = self.tile_items(feature, copies * each, [rule, "CA-101"]);
                if !self.switches.start_space_counts_when_open {
                    items.retain(|item| item.rule != "CA-101");
                }
                Score {
                    category: format!("wall tile {number}"),
                    players: vec![player],
                    items,
                    followers: self.followers_on(root),
                    cells: self.cells_in(&feature.places),
                    sentence: format!(
                        "{tiles_words}: open {}{}: {} for {}",
                        self.words_for(feature, tiles),
                        each_of(tiles, copies * each),
                        points(total),
                        names.of(player)
                    ),
                }
            }
            Part::Markets { player, copies, root, markets, more } => {
                let printed = self.words.wall_tile(7);
                let (tiles_words, rule) = if copies == 1 {
                    (format!("wall tile {printed}"), "CA-92")
                } else {
                    (format!("both wall tiles {printed}"), "CA-93")
                };
                let market = format!("{}s", self.words.market);
                Score {
                    category: "wall tile 7".to_owned(),
                    players: vec![player],
                    items: vec![item(&market, markets, more, rule, Vec::new())],
                    followers: self.followers_on(root),
                    cells: self.cells_in(&self.features.of(root).places),
                    sentence: format!(
                        "{tiles_words}: {} at {} points instead of 3: {} more for {}",
                        counted(markets, &market),
                        3 + more,
                        points(markets * more),
                        names.of(player)
                    ),
                }
            }
            Part::Nine { player, copies } => {
                let printed = self.words.wall_tile(9);
                let words = match copies {
                    1 => format!("wall tile {printed}"),
                    _ => format!("both wall tiles {printed}"),
                };
                Score {
                    category: "wall tile 9".to_owned(),
                    players: vec![player],
                    items: vec![item("wall tiles 9", copies, 5, "CA-96", Vec::new())],
                    followers: Vec::new(),
                    cells: Vec::new(),
                    sentence: format!(
                        "{words}{}: {} for {}",
                        each_of(copies, 5),
                        points(5 * copies),
                        names.of(player)
                    ),
                }
            }
        }
    }

    fn explain_keep(
        &self,
        player: Option<Player>,
        sizes: [u32; 2],
        cells: &Places,
        free_starts: u32,
        names: &Names,
    ) -> Score {
        let category = "keep".to_owned();
        let Some(player) = player else {
            let sentence =
                format!("both {}s count {}: nobody scores", self.words.keep, counted(sizes[0], "tiles"));
            return Score {
                category,
                players: Vec::new(),
                items: Vec::new(),
                followers: Vec::new(),
                cells: Vec::new(),
                sentence,
            };
        };
        let area = self.cells_in(cells);
        let mut words = counted(cells.len(), "empty spaces");
        let mut items = vec![item("empty spaces", cells.len(), 1, "CA-115", area.clone())];
        if free_starts > 0 {
            words = format!("{words} and {}", counted(free_starts, "free start spaces"));
            items.push(item("free start spaces", free_starts, 1, "CA-118", Vec::new()));
        }
        let (own, other) = (sizes[player.index()], sizes[player.opponent().index()]);
        let sentence = format!(
            "largest {} ({} to {other}): {words}{}: {} for {}",
            self.words.keep,
            counted(own, "tiles"),
            each_of(cells.len() + free_starts, 1),
            points(cells.len() + free_starts),
            names.of(player)
        );
        Score { category, players: vec![player], items, followers: Vec::new(), cells: area, sentence }
    }

    fn explain_court(&self, player: Option<Player>, root: Node, markets: u32, names: &Names) -> Score {
        let feature = self.features.of(root);
        let (court, market) = (&self.words.court, format!("{}s", self.words.market));
        let mut score = Score {
            category: "court".to_owned(),
            players: player.into_iter().collect(),
            items: Vec::new(),
            followers: self.followers_on(root),
            cells: self.cells_in(&feature.places),
            sentence: String::new(),
        };
        score.sentence = match player {
            _ if markets == 0 => format!("a {court} without a {}: no points", self.words.market),
            Some(player) => {
                score.items.push(item(&market, markets, 3, "CA-105", Vec::new()));
                let total = points(3 * markets);
                format!(
                    "{} on a {court}{}: {total} for {}",
                    counted(markets, &market),
                    each_of(markets, 3),
                    names.of(player)
                )
            }
            None => format!(
                "{} on a {court}, {} each: nobody scores",
                counted(markets, &market),
                counted(u32::from(feature.weights[0]), &format!("{}s", self.words.merchant))
            ),
        };
        if markets == 0 {
            score.players.clear();
        }
        score
    }
}
