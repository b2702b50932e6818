//! Aids that players may agree on: which tiles are left, where they fit, and how the game would
//! end if it ended now.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::{Cell, GamePosition, Side};

/// What a position shows to players who want to be helped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aids {
    /// Each player's total if the game ended now, the final scoring included.
    pub projected: Vec<u32>,
    /// The tiles that are neither on the table nor out of the game, by their index in the deck,
    /// and how many of each.
    pub left: Vec<(usize, u32)>,
    /// The empty cells beside a tile, with which of [`Aids::left`] fit there; none where no tile
    /// does that is left.
    pub fits: BTreeMap<Cell, Vec<usize>>,
}

impl Aids {
    /// The aids of a position. Cells outside of `inside` are no places for tiles.
    pub fn of(position: &dyn GamePosition, inside: impl Fn(Cell) -> bool) -> Aids {
        let left: Vec<(usize, u32)> = (0..position.tiles())
            .map(|tile| (tile, position.remaining(tile)))
            .filter(|(_, count)| *count > 0)
            .collect();
        let laid: BTreeSet<Cell> = position.cells().into_iter().collect();
        let beside = laid.iter().flat_map(|cell| Side::ALL.map(|side| cell.neighbour(side)));
        let open = beside.filter(|cell| !laid.contains(cell) && inside(*cell));
        let mut fits: BTreeMap<Cell, Vec<usize>> = open.map(|cell| (cell, Vec::new())).collect();
        for (index, (tile, _)) in left.iter().enumerate() {
            for placement in position.placements(*tile) {
                let there = fits.entry(placement.cell).or_default();
                if there.last() != Some(&index) {
                    there.push(index);
                }
            }
        }
        Aids { projected: position.final_totals(), left, fits }
    }

    /// The cells in which no tile fits that is left.
    pub fn unfillable(&self) -> Vec<Cell> {
        self.fits.iter().filter(|(_, tiles)| tiles.is_empty()).map(|(cell, _)| *cell).collect()
    }

    /// The cells in which one of [`Aids::left`] fits.
    pub fn cells_of(&self, index: usize) -> Vec<Cell> {
        self.fits.iter().filter(|(_, tiles)| tiles.contains(&index)).map(|(cell, _)| *cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::record::{Game, play_random};
    use crate::rules::castle::Policy;

    /// A game of the house set that played itself for so many facts.
    fn game(facts: usize) -> Game {
        let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
        let played = play_random(&wall, &deck, 7, Policy::Greedy).unwrap();
        let mut game = Game::new(played.header().clone(), &wall, &deck).unwrap();
        for (_, fact) in played.facts().into_iter().take(facts) {
            game.apply(fact, crate::record::Source::Hand, 1.0, 0.0).unwrap();
        }
        game
    }

    #[test]
    fn what_is_left_and_where_it_fits_is_what_the_rules_say() {
        let wall = library::wall("house").unwrap();
        for facts in [0, 20, 60, 120] {
            let game = game(facts);
            let position = game.position();
            let aids = Aids::of(position, |cell| wall.cells().contains(&cell));
            let count: u32 = aids.left.iter().map(|(_, count)| count).sum();
            assert_eq!(count, position.tiles_left());
            for (cell, tiles) in &aids.fits {
                assert!(position.tile_at(*cell).is_none() && wall.cells().contains(cell));
                for (index, (tile, _)) in aids.left.iter().enumerate() {
                    let fits = position.placements(*tile).iter().any(|p| p.cell == *cell);
                    assert_eq!(fits, tiles.contains(&index), "{tile} in {cell:?}");
                }
            }
            assert!(aids.unfillable().iter().all(|cell| aids.fits[cell].is_empty()));
            let all = (0..aids.left.len()).map(|index| aids.cells_of(index).len()).sum::<usize>();
            assert_eq!(all, aids.fits.values().map(Vec::len).sum::<usize>());
        }
    }

    #[test]
    fn what_is_projected_is_what_the_end_would_give() {
        let game = game(60);
        let aids = Aids::of(game.position(), |_| true);
        let names = game.names();
        let mut totals: Vec<u32> = game.players().map(|p| game.position().total(p)).collect();
        for score in game.position().final_scores(names) {
            score.players.iter().for_each(|player| totals[player.index()] += score.points());
        }
        assert_eq!(aids.projected, totals);
    }
}
