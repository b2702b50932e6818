//! A turn while it is entered by hand: which tile, where, turned how.

use std::collections::BTreeSet;

use crate::record::Game;
use crate::rules::{Cell, Deck, GamePosition, Move, Phase, Placement, Side};

/// A turn that is entered by hand.
#[derive(Clone, Debug, Default)]
pub struct Pad {
    /// How many events the game had: with others the turn is another.
    events: usize,
    /// An id of a tile, or kinds of its sides, by which tiles are sought.
    pub filter: String,
    drawn: Option<Drawn>,
}

/// A tile that was drawn and is not laid yet.
#[derive(Clone, Debug)]
struct Drawn {
    tile: usize,
    /// Where it may lie, cell by cell in reading order.
    placements: Vec<Placement>,
    at: usize,
}

/// A tile that may be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its index in the deck.
    pub tile: usize,
    /// How many of it are left.
    pub count: u32,
}

impl Pad {
    /// Goes on from how the game stands: a tile that was drawn in another turn is let go.
    pub fn follow(&mut self, game: &Game) {
        let events = game.events().len();
        if events != self.events || game.position().phase() != Phase::Tile {
            *self = Pad { events, ..Pad::default() };
        }
    }

    /// The index of the tile that is drawn.
    pub fn drawn(&self) -> Option<usize> {
        self.drawn.as_ref().map(|d| d.tile)
    }

    /// Draws a tile, by its index in the deck; it is put where it may lie first.
    pub fn draw(&mut self, position: &dyn GamePosition, tile: usize) {
        let mut placements = position.placements(tile);
        placements.sort_by_key(|p| (p.cell.row, p.cell.col, p.rotation.quarters()));
        self.drawn = Some(Drawn { tile, placements, at: 0 });
    }

    /// Puts the drawn tile back.
    pub fn put_back(&mut self) {
        self.drawn = None;
    }

    /// How the drawn tile would lie; `None` where it fits nowhere.
    pub fn placement(&self) -> Option<Placement> {
        let drawn = self.drawn.as_ref()?;
        drawn.placements.get(drawn.at).copied()
    }

    /// The cells in which the drawn tile fits.
    pub fn cells(&self) -> Vec<Cell> {
        let all = self.drawn.iter().flat_map(|d| &d.placements);
        let cells: BTreeSet<Cell> = all.map(|p| p.cell).collect();
        cells.into_iter().collect()
    }

    /// The move that lays the tile, or puts it out of the game where it fits nowhere.
    pub fn played(&self, position: &dyn GamePosition) -> Option<Move> {
        let (player, tile) = (position.to_move(), self.drawn()?);
        Some(match self.placement() {
            Some(placement) => Move::Lay { player, placement },
            None => Move::Discard { player, tile },
        })
    }

    /// Turns the tile to the next way in which it fits where it is.
    pub fn turn(&mut self, by: i32) {
        let Some(drawn) = &mut self.drawn else { return };
        let Some(now) = drawn.placements.get(drawn.at) else { return };
        let here: Vec<usize> =
            (0..drawn.placements.len()).filter(|i| drawn.placements[*i].cell == now.cell).collect();
        let from = here.iter().position(|i| *i == drawn.at).unwrap_or(0) as i64;
        let to = (from + i64::from(by)).rem_euclid(here.len().max(1) as i64);
        drawn.at = here[to as usize];
    }

    /// Puts the tile into a cell in which it fits; a touch of the one where it is turns it.
    pub fn touch(&mut self, cell: Cell) {
        if self.placement().is_some_and(|p| p.cell == cell) {
            self.turn(1);
        } else {
            self.put(cell);
        }
    }

    /// Puts the tile into the next cell in a direction, columns to the right and rows down.
    pub fn step(&mut self, right: i32, down: i32) {
        let Some(now) = self.placement() else { return };
        let ahead = |cell: &Cell| {
            let (x, y) = (
                i32::from(cell.col) - i32::from(now.cell.col),
                i32::from(cell.row) - i32::from(now.cell.row),
            );
            let (along, across) = (x * right + y * down, (x * down).abs() + (y * right).abs());
            (along > 0).then_some((along + 2 * across, across))
        };
        let next = self.cells().into_iter().filter_map(|c| Some((ahead(&c)?, c))).min();
        if let Some((_, cell)) = next {
            self.put(cell);
        }
    }

    /// Puts the tile into a cell, turned as it is where it may be.
    fn put(&mut self, cell: Cell) {
        let Some(drawn) = &mut self.drawn else { return };
        let now = drawn.placements.get(drawn.at).map(|p| p.rotation);
        let same = drawn.placements.iter().position(|p| p.cell == cell && Some(p.rotation) == now);
        let any = || drawn.placements.iter().position(|p| p.cell == cell);
        if let Some(at) = same.or_else(any) {
            drawn.at = at;
        }
    }

    /// The tiles that may come now and are sought, in the deck's order: those that are left, of
    /// the river first.
    pub fn tiles(&self, position: &dyn GamePosition, deck: &Deck) -> Vec<Left> {
        let wanted = Wanted::of(&self.filter);
        let drawn = |played: &Move| match played {
            Move::Lay { placement, .. } => Some(placement.tile),
            Move::Discard { tile, .. } => Some(*tile),
            _ => None,
        };
        let due: BTreeSet<usize> = position.legal_moves(&[]).iter().filter_map(drawn).collect();
        (0..position.tiles())
            .filter(|tile| due.is_empty() || due.contains(tile))
            .map(|tile| Left { tile, count: position.remaining(tile) })
            .filter(|left| left.count > 0 && wanted.fits(deck, position, left.tile))
            .collect()
    }
}

/// What may be typed to find a tile, by an example of this deck.
pub fn example(deck: &Deck, position: &dyn GamePosition) -> Option<String> {
    let left = (0..position.tiles()).find(|tile| position.remaining(*tile) > 0)?;
    let id = position.tile_id(left)?;
    match kinds(deck, position).as_slice() {
        [one, other, ..] => Some(format!("{id}, or {one} {one} {other}")),
        _ => Some(id.to_owned()),
    }
}

/// The kinds on each side of a tile, as the edition says them, clockwise from the north; a side
/// may show several.
pub fn sides(deck: &Deck, position: &dyn GamePosition, tile: usize) -> [Vec<String>; 4] {
    let face = deck.tiles.get(tile).and_then(|t| t.face.as_ref());
    Side::ALL.map(|side| {
        let segments = face.map_or(&[][..], |f| f.segments());
        let on = segments.iter().filter(|s| s.ports.iter().any(|p| p.side() == side));
        let kinds: BTreeSet<String> = on.map(|s| position.kind_word(s.kind)).collect();
        kinds.into_iter().collect()
    })
}

/// The kinds of sides that a deck has, the most frequent first.
pub fn kinds(deck: &Deck, position: &dyn GamePosition) -> Vec<String> {
    let mut counts: Vec<(usize, String)> = Vec::new();
    for kind in (0..deck.len()).flat_map(|tile| sides(deck, position, tile)).flatten() {
        match counts.iter_mut().find(|c| c.1 == kind) {
            Some(known) => known.0 += 1,
            None => counts.push((1, kind)),
        }
    }
    counts.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    counts.into_iter().map(|c| c.1).collect()
}

/// What is asked of a tile: a part of its id, and kinds with how many sides show each.
struct Wanted {
    words: Vec<(String, usize)>,
}

impl Wanted {
    fn of(filter: &str) -> Wanted {
        let mut words: Vec<(String, usize)> = Vec::new();
        for word in filter.split_whitespace().map(str::to_lowercase) {
            match words.iter_mut().find(|w| w.0 == word) {
                Some(known) => known.1 += 1,
                None => words.push((word, 1)),
            }
        }
        Wanted { words }
    }

    fn fits(&self, deck: &Deck, position: &dyn GamePosition, tile: usize) -> bool {
        let id = position.tile_id(tile).unwrap_or_default().to_lowercase();
        let sides = sides(deck, position, tile);
        self.words.iter().all(|(word, count)| {
            let shows = |kinds: &&Vec<String>| kinds.iter().any(|k| k.to_lowercase().starts_with(word));
            id.contains(word.as_str()) || sides.iter().filter(shows).count() >= *count
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::record::Header;
    use crate::table::GameFile;

    fn game() -> (Game, Deck) {
        let deck = library::deck("house").unwrap().deck;
        let header: Header = GameFile::default().header().unwrap();
        (Game::new(header, &library::wall("house").unwrap(), &deck).unwrap(), deck)
    }

    #[test]
    fn tiles_are_found_by_id_and_by_how_many_sides_show_a_kind() {
        let (game, deck) = game();
        let position = game.position();
        let found = |filter: &str| {
            let pad = Pad { filter: filter.to_owned(), ..Pad::default() };
            pad.tiles(position, &deck)
        };
        assert_eq!(found("").len(), 60);
        assert_eq!(found("h07"), [Left { tile: deck.index("h07").unwrap(), count: 1 }]);
        assert!(found("no such thing").is_empty());
        let [one, two] = ["path", "PATH path"].map(|f| found(f).len());
        assert!(two > 0 && two < one && one < 60, "{one} {two}");
        let many = |left: &Left| {
            sides(&deck, position, left.tile).iter().filter(|s| s.contains(&"path".to_owned())).count()
        };
        assert!(found("path path").iter().all(|t| many(t) >= 2));
        assert!(kinds(&deck, position).contains(&"tower".to_owned()));
    }

    #[test]
    fn the_river_comes_before_other_tiles() {
        let deck = library::deck("classic+river").unwrap().deck;
        let names = ["Ada", "Ben"].map(str::to_owned).to_vec();
        let header = Header { wall: None, players: names, ..GameFile::default().header().unwrap() };
        let header = Header { game: crate::rules::Game::Classic, deck: deck.name.clone(), ..header };
        let game = Game::new(header, None, &deck).unwrap();
        let due = Pad::default().tiles(game.position(), &deck);
        let with_water = |left: &Left| {
            sides(&deck, game.position(), left.tile).iter().any(|side| side.contains(&"river".to_owned()))
        };
        assert!(due.len() > 3 && due.iter().all(with_water), "{due:?}");
    }

    #[test]
    fn a_drawn_tile_goes_from_cell_to_cell_and_lies_only_where_it_fits() {
        let (game, deck) = game();
        let mut pad = Pad::default();
        pad.follow(&game);
        pad.draw(game.position(), deck.index("h07").unwrap());
        let cells = pad.cells();
        assert!(cells.len() > 3);
        let legal = game.position().placements(deck.index("h07").unwrap());
        for (right, down) in [(1, 0), (0, 1), (1, 0), (-1, 0), (0, -1), (0, 1)] {
            let before = pad.placement().unwrap().cell;
            pad.step(right, down);
            let now = pad.placement().unwrap();
            assert!(legal.contains(&now));
            let moved = (i32::from(now.cell.col) - i32::from(before.col)) * right
                + (i32::from(now.cell.row) - i32::from(before.row)) * down;
            assert!(moved >= 0);
            pad.turn(1);
            assert!(legal.contains(&pad.placement().unwrap()));
        }
        // Every cell is reached by touch, and a second touch turns.
        for cell in cells {
            if pad.placement().unwrap().cell != cell {
                pad.touch(cell);
            }
            assert_eq!(pad.placement().unwrap().cell, cell);
        }
        let there = pad.placement().unwrap();
        let ways = legal.iter().filter(|p| p.cell == there.cell).count();
        (0..ways).for_each(|_| pad.touch(there.cell));
        assert_eq!(pad.placement(), Some(there));
        assert!(
            matches!(pad.played(game.position()), Some(Move::Lay { placement, .. }) if placement == there)
        );
        pad.put_back();
        assert_eq!((pad.placement(), pad.drawn()), (None, None));
    }
}
