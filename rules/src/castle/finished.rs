//! The final scoring of a table that stands there finished, without the history
//! of its game.
//!
//! | line | means |
//! |---|---|
//! | `lay h07 D5 1` | tile h07 lies in D5, one quarter turn clockwise |
//! | `1: knight D5 2` | a follower of the first player stands there |
//! | `1: keep D5 2` | the first player's keep stands on that house |
//! | `1: holds 4 7 ?` | wall tiles in front of the first player, one unknown |
//! | `1: points 87` | points on the track, the laps in them |
//! | `# …` | for people only |

use thiserror::Error;

use super::position::{Holder, Keep};
use super::turn::points_each;
use super::{Edition, Move, Placement, Position, SegmentAt, SetupError};
use super::{Names, NotationError, Phase, cell_name};
use crate::words::counted;
use crate::{Deck, Kind, Player, Role, Wall};

/// Why a table cannot stand like this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TableError {
    /// The wall and the deck cannot be played with.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A line that is not of the form.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// It cannot lie or stand there.
    #[error("{0}")]
    Impossible(String),
    /// A move that says nothing of how a table stands.
    #[error("a table is described with lay, a follower, keep, holds and points, nothing else")]
    Move,
    /// There are more wall tiles in front of the players than towers.
    #[error("{0} wall tiles are held, and only {1} lie on a wall at the start")]
    WallTiles(usize, usize),
}

/// A finished table as it is described, piece by piece.
#[derive(Clone, Debug)]
pub struct FinishedTable {
    position: Position,
    keeps: [Option<SegmentAt>; 2],
    wall_tiles: [Vec<Option<u8>>; 2],
    totals: [Option<u32>; 2],
    /// What is against the rules, as it was found.
    broken: Vec<String>,
}

/// What a finished table is worth, and what it does not tell.
#[derive(Clone, Debug)]
pub struct TableReading {
    /// The position, the game over: [`Position::final_scores`] scores it.
    pub position: Position,
    /// What is not as a game can leave it, or is needed and was not said; a
    /// sentence each.
    pub doubts: Vec<String>,
    /// What no table can tell, a sentence each.
    pub unknowable: Vec<String>,
}

impl FinishedTable {
    /// An empty table.
    ///
    /// # Errors
    /// [`TableError::Setup`].
    pub fn new(wall: &Wall, deck: &Deck, edition: &Edition) -> Result<FinishedTable, TableError> {
        Ok(FinishedTable {
            position: Position::new(wall, deck)?.in_edition(edition),
            keeps: [None; 2],
            wall_tiles: [Vec::new(), Vec::new()],
            totals: [None; 2],
            broken: Vec::new(),
        })
    }

    /// Takes a line of the description; see the table above.
    ///
    /// # Errors
    /// [`TableError`] in a sentence; nothing has changed.
    pub fn take(&mut self, line: &str) -> Result<(), TableError> {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            return Ok(());
        }
        if let Some((player, rest)) = line.split_once(':') {
            let number: Option<u8> = player.trim().parse().ok();
            let Some(player) = number.filter(|n| (1..=2).contains(n)).map(|n| Player(n - 1)) else {
                return Err(NotationError::Player(player.trim().to_owned()).into());
            };
            let words: Vec<&str> = rest.split_whitespace().collect();
            match words.as_slice() {
                ["keep", at, segment @ ..] => return self.take_keep(player, at, segment),
                ["holds", numbers @ ..] => {
                    let held = numbers
                        .iter()
                        .map(|n| {
                            if *n == "?" {
                                Ok(None)
                            } else {
                                self.position.words.wall_tile_named(n).map(Some)
                            }
                        })
                        .collect::<Result<_, NotationError>>()?;
                    self.wall_tiles[player.index()] = held;
                    return Ok(());
                }
                ["points", points] => {
                    let points = points.parse::<u32>().ok().filter(|p| *p < 10_000);
                    let error = || NotationError::Number(words[1].to_owned());
                    self.totals[player.index()] = Some(points.ok_or_else(error)?);
                    return Ok(());
                }
                _ => {}
            }
        }
        match self.position.read_move(line)? {
            Move::Lay { placement, .. } => self.lay(placement),
            Move::Claim { player, at, .. } => self.stand(player, at),
            _ => Err(TableError::Move),
        }
    }

    /// A tile lies in a cell.
    ///
    /// # Errors
    /// [`TableError::Impossible`] outside the wall or on another tile.
    pub fn lay(&mut self, placement: Placement) -> Result<(), TableError> {
        // A table has no order: that a tile touches another is looked at in the
        // end, and whose turn it was is not known.
        let of_the_turn = ["CA-17", "CA-18", "CA-19", "CA-20"];
        self.position.state.phase = Phase::Tile;
        let player = self.position.state.to_move;
        let cell = cell_name(placement.cell);
        for illegality in self.position.illegalities(&Move::Lay { player, placement }) {
            if !illegality.waivable {
                return Err(TableError::Impossible(illegality.to_string()));
            }
            if !of_the_turn.contains(&illegality.rule) {
                self.broken.push(format!("{cell}: {illegality}"));
            }
        }
        if let Some(place) = self.position.board.place(placement.cell) {
            self.position.begin();
            self.position.lay(placement.tile, place, placement.rotation);
        }
        Ok(())
    }

    /// A follower stands on a segment.
    ///
    /// # Errors
    /// [`TableError::Impossible`] when there is no such segment or player, or no
    /// such follower is left.
    pub fn stand(&mut self, player: Player, at: SegmentAt) -> Result<(), TableError> {
        let impossible = self.position.illegalities(&Move::follower(player, at));
        if let Some(illegality) = impossible.iter().find(|i| !i.waivable) {
            return Err(TableError::Impossible(illegality.to_string()));
        }
        if self.position.supply(player) == 0 {
            self.broken.push(format!(
                "player {} has a seventh follower on the tiles, and it is the marker (CA-06)",
                u32::from(player.0) + 1
            ));
        }
        if let Some(place) = self.position.board.place(at.cell) {
            self.position.begin();
            self.position.claim(player, place, at.segment);
        }
        Ok(())
    }

    fn take_keep(&mut self, player: Player, at: &str, segment: &[&str]) -> Result<(), TableError> {
        let cell =
            super::cell_from_name(at).ok_or_else(|| TableError::from(NotationError::Cell(at.to_owned())))?;
        let houses: Vec<u8> = (0..32)
            .filter(|s| self.position.role_at(SegmentAt { cell, segment: *s }) == Some(Role::SQUIRE))
            .filter(|s| segment.first().is_none_or(|n| n.parse() == Ok(*s)))
            .collect();
        let house = &self.position.words.house;
        match houses[..] {
            [segment] => {
                self.keeps[player.index()] = Some(SegmentAt { cell, segment });
                Ok(())
            }
            [] => Err(TableError::Impossible(format!("the tile in {at} has no such {house}"))),
            [first, ..] => Err(TableError::Impossible(format!(
                "the tile in {at} has several pieces of {house}; say which, such as `{}: keep {at} {first}`",
                u32::from(player.0) + 1
            ))),
        }
    }

    /// The keep of a player stands on a house.
    pub fn keep(&mut self, player: Player, at: SegmentAt) {
        if let Some(keep) = self.keeps.get_mut(player.index()) {
            *keep = Some(at);
        }
    }

    /// A wall tile lies in front of a player; its number of 2003, where known.
    pub fn hold(&mut self, player: Player, number: Option<u8>) {
        if let Some(held) = self.wall_tiles.get_mut(player.index()) {
            held.push(number);
        }
    }

    /// A player's marker shows so many points, laps of the track in them.
    pub fn points(&mut self, player: Player, total: u32) {
        if let Some(points) = self.totals.get_mut(player.index()) {
            *points = Some(total);
        }
    }

    /// Reads the table as that of a game that is over.
    ///
    /// # Errors
    /// [`TableError::WallTiles`].
    pub fn finish(self, names: &Names) -> Result<TableReading, TableError> {
        let FinishedTable { mut position, keeps, wall_tiles, totals, broken: mut doubts } = self;
        position.state.phase = Phase::Over;
        let towers: Vec<usize> =
            (0..position.board.towers.len()).filter(|t| position.board.towers[*t] != 0).collect();
        let held = wall_tiles.iter().map(Vec::len).sum();
        if held > towers.len() {
            return Err(TableError::WallTiles(held, towers.len()));
        }
        let owners = [Player(0), Player(1)];
        let all = owners.iter().flat_map(|p| wall_tiles[p.index()].iter().map(|n| (*p, *n)));
        for (tower, (player, number)) in towers.into_iter().zip(all) {
            position.state.wall_tiles[tower].holder = Holder::Player(player);
            position.state.wall_tiles[tower].number = number.unwrap_or(0);
        }
        for number in 1..=super::WALL_TILE_KINDS {
            if wall_tiles.iter().flatten().filter(|n| **n == Some(number)).count() > 2 {
                let printed = position.words.wall_tile(number);
                doubts.push(format!("there are only two wall tiles {printed} (CA-04)"));
            }
        }
        for player in owners {
            let name = names.of(player);
            match totals[player.index()] {
                Some(total) => position.state.totals[player.index()] = total,
                None => {
                    doubts.push(format!("nobody said how many points {name} has on the track: 0 is taken"))
                }
            }
            if let Some(at) = keeps[player.index()] {
                match position.size_under_keep(at) {
                    Ok(keep) => position.state.keeps[player.index()] = Some(keep),
                    Err(why) => doubts.push(format!("{name}'s {} in {}", position.words.keep, why)),
                }
            }
            let unknown = wall_tiles[player.index()].iter().filter(|n| n.is_none()).count() as u32;
            if unknown > 0 {
                let tiles = counted(unknown, "wall tiles");
                doubts.push(format!("{name} holds {tiles} whose number nobody has said: not counted"));
            }
        }
        position.loose_tiles(&mut doubts);
        position.unscored(names, &mut doubts);
        let unknowable = position.unknowable(keeps);
        Ok(TableReading { position, doubts, unknowable })
    }
}

impl Position {
    fn size_under_keep(&self, at: SegmentAt) -> Result<Keep, String> {
        let cell = cell_name(at.cell);
        let house = &self.words.house;
        let Some(node) = self.node_at(at) else {
            return Err(format!("{cell} stands on no tile: not counted"));
        };
        let feature = self.features.of(node);
        if feature.kind != Kind::HOUSE {
            return Err(format!("{cell} stands on no {house}: not counted (CA-62)"));
        }
        if !self.is_closed(self.features.root(node)) {
            return Err(format!("{cell} stands on a {house} that was never completed: not counted (CA-62)"));
        }
        Ok(Keep { size: self.house_size(feature), cell: at.cell })
    }

    /// Tiles from which no way leads over sides of tiles to a start space.
    fn loose_tiles(&self, doubts: &mut Vec<String>) {
        let mut reached = super::board::Places::EMPTY;
        let mut todo: Vec<usize> =
            self.board.start_cells.iter().filter(|p| self.state.occupied.contains(*p)).collect();
        while let Some(place) = todo.pop() {
            if reached.contains(place) {
                continue;
            }
            reached = reached.with(place);
            let next = self.board.neighbours[place].map(usize::from);
            todo.extend(next.into_iter().filter(|p| self.state.occupied.contains(*p)));
        }
        for place in self.state.occupied.iter().filter(|p| !reached.contains(*p)) {
            let cell = cell_name(self.board.cells[place]);
            doubts.push(format!("no way leads from the tile in {cell} to a start space (CA-19)"));
        }
    }

    /// Followers on features that were completed: the turn was never scored.
    fn unscored(&self, names: &Names, doubts: &mut Vec<String>) {
        for (root, feature) in self.features.roots() {
            if !feature.is_claimed() || !self.is_closed(root) || !Position::is_scored_in_play(feature.kind) {
                continue;
            }
            let kind = self.words.kind(feature.kind);
            let cell =
                feature.places.iter().next().map_or(String::new(), |p| cell_name(self.cell_of(p as u8)));
            let points = feature.places.len() * points_each(feature);
            let whose = match feature.majority() {
                Some(player) => format!("{} would get {points} more", names.of(Player(player as u8))),
                None => "nobody would get anything for it".to_owned(),
            };
            doubts.push(format!(
                "the {kind} in {cell} is complete and followers stand on it: it was not scored; {whose}"
            ));
        }
    }

    fn unknowable(&self, keeps: [Option<SegmentAt>; 2]) -> Vec<String> {
        let mut unknowable = vec![
            "whether the points on the track were counted right in every turn".to_owned(),
            "whether every follower was put down by the rules: which came first on a feature".to_owned(),
        ];
        let left = self.tiles_left();
        if left > 0 {
            let tiles = counted(left, "castle tiles");
            unknowable.push(format!("whether the {tiles} that are not on the table fitted nowhere (CA-27)"));
        }
        let (keep, house) = (&self.words.keep, &self.words.house);
        match keeps.iter().flatten().count() {
            0 => unknowable.push(format!("who scored the largest {house}: no {keep} stands on one")),
            _ => unknowable
                .push(format!("whether each {keep} stands on the largest {house} that its player scored")),
        }
        unknowable
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::castle::{Policy, house_set, play_out, random_wall_tiles};
    use rand::SeedableRng;

    /// Takes a finished game's table apart and reads it again.
    fn described(seed: u64) -> (Position, FinishedTable) {
        let (wall, deck) = house_set();
        let mut rng = rand_pcg::Pcg64::seed_from_u64(seed);
        let tiles = random_wall_tiles(&wall.towers, &mut rng);
        let mut over = Position::new(&wall, &deck).unwrap().with_wall_tiles(&tiles);
        play_out(&mut over, Policy::Greedy, &mut rng, |_, _| ());
        let edition = Edition::named("hig-2003").unwrap();
        let mut table = FinishedTable::new(&wall, &deck, &edition).unwrap();
        for cell in over.cells().to_vec() {
            if let Some((tile, rotation)) = over.tile_at(cell) {
                let id = over.tile_id(tile).unwrap();
                table.take(&format!("lay {id} {} {}", cell_name(cell), rotation.quarters())).unwrap();
            }
        }
        for f in over.followers() {
            let at = SegmentAt { cell: f.cell, segment: f.segment };
            let role = over.role_at(at).unwrap().name();
            let line = format!("{}: {role} {} {}", f.player.0 + 1, cell_name(f.cell), f.segment);
            table.take(&line).unwrap();
        }
        for player in [Player(0), Player(1)] {
            let who = player.0 + 1;
            table.take(&format!("{who}: points {}", over.total(player))).unwrap();
            let held: Vec<String> = over
                .wall_tiles(player)
                .iter()
                .map(|t| t.1.map_or("?".to_owned(), |n| n.to_string()))
                .collect();
            table.take(&format!("{who}: holds {}", held.join(" "))).unwrap();
            if let Some(keep) = over.keep(player) {
                // The keep's cell may have several houses: the one of its size.
                let at = (0..32).map(|segment| SegmentAt { cell: keep.cell, segment }).find(|at| {
                    over.feature_at(*at).is_some_and(|f| {
                        f.kind == Kind::HOUSE
                            && f.open.is_empty()
                            && f.cells.len() as u32 + f.start_spaces == keep.size
                    })
                });
                table.keep(player, at.unwrap());
            }
        }
        (over, table)
    }

    #[test]
    fn a_finished_table_scores_as_its_game_did() {
        for seed in 0..40 {
            let (over, table) = described(seed);
            let reading = table.finish(&Names::default()).unwrap();
            assert_eq!(reading.doubts, Vec::<String>::new());
            assert!(reading.unknowable.len() >= 3);
            assert_eq!(reading.position.final_totals(), over.final_totals());
            let names = Names::default();
            let sentences = |p: &Position| {
                let mut all: Vec<String> = p.final_scores(&names).into_iter().map(|s| s.sentence).collect();
                all.sort();
                all
            };
            assert_eq!(sentences(&reading.position), sentences(&over));
        }
    }

    #[test]
    fn what_a_game_cannot_leave_is_said() {
        let (wall, deck) = house_set();
        let edition = Edition::named("hig-2003").unwrap();
        let mut table = FinishedTable::new(&wall, &deck, &edition).unwrap();
        let id = &deck.tiles[0].id;
        table.take(&format!("lay {id} E6")).unwrap();
        assert!(table.take(&format!("lay {id} E6")).unwrap_err().to_string().contains("CA-19"));
        assert!(table.take("lay nothing E7").is_err() && table.take("end").is_err());
        assert!(table.take("3: points 5").is_err() && table.take("1: points -5").is_err());
        table.take("1: holds 9 9 9 ?").unwrap();
        table.keep(Player(1), SegmentAt { cell: crate::Cell::new(0, 4), segment: 0 });
        let reading = table.finish(&Names::default()).unwrap();
        let doubts = reading.doubts.join("\n");
        for words in [
            "CA-19",
            "only two wall tiles 9",
            "1 wall tile whose number",
            "stands on no tile",
            "on the track",
        ] {
            assert!(doubts.contains(words), "{words}: {doubts}");
        }
        assert!(reading.unknowable.iter().any(|u| u.contains("59 castle tiles")));
    }
}
