//! A turn while it is entered by hand: which tile, where, turned how.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use crate::record::Game;
use crate::rules::{Cell, Deck, GamePosition, Move, Phase, Placement, Side};
use crate::table::{Choices, PlaceView};

/// What is chosen by a digit: so many stand on a page.
const A_PAGE: usize = 9;

/// A turn that is entered by hand.
#[derive(Clone, Debug, Default)]
pub struct Pad {
    /// The game as it stands.
    game: Option<Arc<Game>>,
    /// The tiles that may come now.
    due: BTreeSet<usize>,
    /// An id of a tile, or kinds of its sides, by which tiles are sought.
    pub filter: String,
    drawn: Option<Drawn>,
    choices: Choices,
    /// What of them stands on each page.
    pages: Vec<Range<usize>>,
    page: usize,
    /// Which of them is lit on the board.
    looked_at: Option<usize>,
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
    /// What a game waits for. All that is legal is asked of it here, and not again before it
    /// stands otherwise.
    pub fn of(game: Game, choices: Choices) -> Pad {
        let drawn = |played: &Move| match played {
            Move::Lay { placement, .. } => Some(placement.tile),
            Move::Discard { tile, .. } => Some(*tile),
            _ => None,
        };
        let position = game.position();
        let waits = position.phase() == Phase::Tile;
        let moves = if waits { position.legal_moves(&[]) } else { Vec::new() };
        let due = moves.iter().filter_map(drawn).collect();
        let pages = pages(&choices.places);
        Pad { game: Some(Arc::new(game)), due, choices, pages, ..Pad::default() }
    }

    /// Whether it is of a game with so many events: with others the game stands otherwise.
    pub fn is_of(&self, events: usize) -> bool {
        self.game.as_ref().is_some_and(|game| game.events().len() == events)
    }

    /// The game as it stands.
    pub fn game(&self) -> Option<Arc<Game>> {
        self.game.clone()
    }

    /// What may be done after the tile is laid.
    pub fn choices(&self) -> &Choices {
        &self.choices
    }

    /// What digits choose now, from 1.
    pub fn on_page(&self) -> &[PlaceView] {
        let page = self.pages.get(self.page).cloned().unwrap_or_default();
        self.choices.places.get(page).unwrap_or_default()
    }

    /// The page, from 0, and how many there are.
    pub fn page(&self) -> (usize, usize) {
        (self.page, self.pages.len())
    }

    /// Goes to another page; after the last comes the first.
    pub fn turn_page(&mut self, by: i32) {
        self.page = round(self.page, by, self.pages.len());
        self.looked_at = None;
    }

    /// What a digit chooses.
    pub fn chosen(&self, key: &str) -> Option<&PlaceView> {
        self.on_page().get(key.parse::<usize>().ok()?.checked_sub(1)?)
    }

    /// What is lit on the board.
    pub fn looked_at(&self) -> Option<&PlaceView> {
        self.choices.places.get(self.looked_at?)
    }

    /// Where on the page stands what is lit.
    pub fn looked_at_on_page(&self) -> Option<usize> {
        let page = self.pages.get(self.page)?;
        self.looked_at.filter(|at| page.contains(at)).map(|at| at - page.start)
    }

    /// Lights the next of all that may be chosen, or the one before, on whichever page it is.
    pub fn look(&mut self, by: i32) {
        let first = self.pages.get(self.page).map_or(0, |page| page.start);
        let to = match self.looked_at {
            Some(at) => round(at, by, self.choices.places.len()),
            None if by > 0 => first,
            None => self.pages.get(self.page).map_or(0, |page| page.end.saturating_sub(1)),
        };
        self.looked_at = (to < self.choices.places.len()).then_some(to);
        if let Some(page) = self.pages.iter().position(|page| page.contains(&to)) {
            self.page = page;
        }
    }

    /// Lights what a digit chooses; nothing with none.
    pub fn look_at(&mut self, key: &str) {
        let first = self.pages.get(self.page).map_or(0, |page| page.start);
        let at = key.parse::<usize>().ok().and_then(|key| key.checked_sub(1));
        self.looked_at = at.filter(|at| *at < self.on_page().len()).map(|at| first + at);
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
        (0..position.tiles())
            .filter(|tile| self.due.is_empty() || self.due.contains(tile))
            .map(|tile| Left { tile, count: position.remaining(tile) })
            .filter(|left| left.count > 0 && wanted.fits(deck, position, left.tile))
            .collect()
    }
}

/// So many steps on from a place in a list, which is gone round.
fn round(at: usize, by: i32, count: usize) -> usize {
    (at as i64 + i64::from(by)).rem_euclid(count.max(1) as i64) as usize
}

/// Pages of what may be chosen: a group stands on one page where it fits on one.
fn pages(places: &[PlaceView]) -> Vec<Range<usize>> {
    let mut pages: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for group in places.chunk_by(|a, b| a.group == b.group) {
        let end = at + group.len();
        match pages.last_mut() {
            Some(page) if end - page.start <= A_PAGE => page.end = end,
            _ => pages.extend((at..end).step_by(A_PAGE).map(|from| from..end.min(from + A_PAGE))),
        }
        at = end;
    }
    pages
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
    use crate::observation::Figure;
    use crate::record::Header;
    use crate::rules::{FigureKind, Rotation};
    use crate::table::{CellView, FigureView, GameFile};

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
            let pad = Pad { filter: filter.to_owned(), ..Pad::of(game.clone(), Choices::default()) };
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
        let due = Pad::of(game.clone(), Choices::default()).tiles(game.position(), &deck);
        let with_water = |left: &Left| {
            sides(&deck, game.position(), left.tile).iter().any(|side| side.contains(&"river".to_owned()))
        };
        assert!(due.len() > 3 && due.iter().all(with_water), "{due:?}");
    }

    #[test]
    fn a_drawn_tile_goes_from_cell_to_cell_and_lies_only_where_it_fits() {
        let (game, deck) = game();
        let mut pad = Pad::of(game.clone(), Choices::default());
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
    #[test]
    fn more_than_nine_choices_are_paged_and_groups_stand_together() {
        let place = |group: &str| PlaceView {
            played: Move::Stop,
            group: group.to_owned().into(),
            place: String::new().into(),
            words: String::new().into(),
            foot: FigureView {
                player: 0,
                figure: Figure::Follower,
                kind: FigureKind::FOLLOWER,
                x: 0.5,
                y: 0.5,
            },
            cell: CellView {
                cell: Cell::new(0, 0),
                tile: String::new(),
                rotation: Rotation::default(),
                figures: Vec::new(),
                confidence: 1.0,
                fresh: false,
            },
            on_tile: true,
            from: None,
        };
        let of = |groups: &[(&str, usize)]| -> Vec<PlaceView> {
            groups.iter().flat_map(|(group, count)| std::iter::repeat_n(place(group), *count)).collect()
        };
        assert!(pages(&of(&[])).is_empty());
        assert_eq!(pages(&of(&[("a", 4), ("b", 5)])), std::slice::from_ref(&(0..9)));
        assert_eq!(pages(&of(&[("a", 4), ("b", 4), ("c", 2)])), [0..8, 8..10]);
        assert_eq!(pages(&of(&[("a", 20), ("b", 3)])), [0..9, 9..18, 18..23]);

        let choices = Choices { places: of(&[("a", 4), ("b", 4), ("c", 2)]), ..Choices::default() };
        let mut pad = Pad::of(game().0, choices);
        assert_eq!((pad.page(), pad.on_page().len()), ((0, 2), 8));
        pad.look(-1);
        assert_eq!(pad.looked_at_on_page(), Some(7));
        pad.look(1);
        assert_eq!((pad.page(), pad.looked_at_on_page()), ((1, 2), Some(0)));
        pad.turn_page(1);
        assert_eq!((pad.page(), pad.looked_at_on_page()), ((0, 2), None));
        assert!(pad.chosen("8").is_some() && pad.chosen("9").is_none() && pad.chosen("0").is_none());
        pad.look_at("3");
        assert_eq!(pad.looked_at_on_page(), Some(2));
        pad.look_at("");
        assert!(pad.looked_at().is_none());
    }
}
