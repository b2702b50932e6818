//! What looks a little like a new tile and may be none is set aside until more tells of it.

use super::evidence::Seen;
use super::line::Turn;
use super::sight::Sight;
use crate::rules::{Cell, GamePosition, Sentence, Side, sentence};
use crate::table::doubts::Problem;
use crate::table::placing::NewTile;
use crate::table::scribe::Scribe;

/// What may be no tile. All is set by hand on two films of other tables (`docs/games-suite.md`).
struct NoTile {
    /// No tile has this share of all readings,
    best: f32,
    /// and those that are told have not this share together, the rest being spread over the whole deck:
    /// 50 of 77 holes between tiles read so, and 3 of 267 tiles.
    together: f32,
    /// Or something was seen there so often and was gone again without a hand,
    vanished: u32,
    /// and no tile has this share now.
    surely: f32,
    /// What looks other than the bare table in this share of the readings lies there all the same.
    lies: f32,
    /// What does in no more than this share, of so many readings that tell, is the bare table.
    bare: f32,
    told: u32,
    /// A tile that was read in so many looks at most, no figure on it, and then seen no more in so many as
    /// `told`, was none, or was taken back. In one film a bare cell was read as a tile three times; at four
    /// looks a second a tile that lies there is read so often in two seconds,
    fleeting: u32,
    /// and in no fewer than so many seconds without a break.
    fleeting_for: f64,
}

const NO_TILE: NoTile = NoTile {
    best: 0.7,
    together: 0.85,
    vanished: 2,
    surely: 0.9,
    lies: 0.75,
    bare: 0.1,
    told: 12,
    fleeting: 8,
    fleeting_for: 3.0,
};

impl Sight<'_> {
    /// Whether what is read in a cell may be no tile.
    fn may_be_none(&self, cell: Cell) -> bool {
        let Some(seen) = self.evidence.of(cell) else { return false };
        let lies = || seen.lies().is_some_and(|share| share >= NO_TILE.lies);
        let best = seen.tiles().first().map_or(0.0, |t| t.2);
        is_spread(seen) && !lies() || best < NO_TILE.surely && seen.vanished >= NO_TILE.vanished
    }

    /// Whether a cell looks like the bare table and its readings like no tile of the deck. On a wall it is
    /// not asked: there the reader knows how bare cells look.
    pub(super) fn is_hole(&self, cell: Cell) -> bool {
        let bare = |seen: &Seen| {
            seen.lies_told() >= NO_TILE.told && seen.lies().is_some_and(|share| share <= NO_TILE.bare)
        };
        self.evidence.of(cell).is_some_and(|seen| bare(seen) && is_spread(seen))
    }

    /// Whether what a turn laid was none: its cell is a hole, or nothing lies there by now where its tile was
    /// read for a moment alone. Any position of the game names the tiles.
    pub(super) fn laid_nothing(&self, turn: &Turn, position: &dyn GamePosition) -> bool {
        let id = || position.tile_id(turn.tile).unwrap_or_default();
        let is_fleeting = |(looks, seconds)| looks <= NO_TILE.fleeting && seconds <= NO_TILE.fleeting_for;
        let was_fleeting = |seen: &Seen| {
            seen.bare_for() >= NO_TILE.told
                && seen.read_before(id(), turn.rotation, &self.patience).is_some_and(is_fleeting)
        };
        self.is_hole(turn.cell)
            || !self.is_stills()
                && turn.claim.is_none()
                && self.evidence.of(turn.cell).is_some_and(was_fleeting)
    }
}

/// Whether what is read in a cell is spread over the deck.
fn is_spread(seen: &Seen) -> bool {
    let all = seen.tiles();
    let best = all.first().map_or(0.0, |t| t.2);
    let together = all.iter().map(|t| t.2).sum::<f32>();
    !all.is_empty() && best < NO_TILE.best && together < NO_TILE.together
}

impl Scribe {
    /// Takes what may be no tile out of what is `new`, and says so: the game goes on without it. What
    /// leads from the record to another new tile stays. On a wall it is known where nothing lies.
    pub(crate) fn set_aside(&self, new: &mut Vec<NewTile>, problems: &mut Vec<(Problem, Sentence)>) {
        if self.game.header().wall.is_some() || new.is_empty() {
            return;
        }
        let sight = self.histories.sight(self.patience, self.now);
        let (doubtful, sure): (Vec<NewTile>, Vec<NewTile>) =
            std::mem::take(new).into_iter().partition(|n| sight.may_be_none(n.cell));
        *new = sure;
        if doubtful.is_empty() {
            return;
        }
        let position = self.position();
        let beside = |cell: Cell| Side::ALL.map(|side| cell.neighbour(side));
        let touches = |cell: Cell| beside(cell).into_iter().any(|c| position.tile_at(c).is_some());
        // What hangs together with the record.
        let mut joined: Vec<Cell> = new.iter().map(|n| n.cell).filter(|cell| touches(*cell)).collect();
        let mut at = 0;
        while let Some(cell) = joined.get(at).copied() {
            at += 1;
            let more = new.iter().map(|n| n.cell).filter(|c| beside(cell).contains(c));
            let more: Vec<Cell> = more.filter(|c| !joined.contains(c)).collect();
            joined.extend(more);
        }
        let apart: Vec<Cell> = new.iter().map(|n| n.cell).filter(|c| !joined.contains(c)).collect();
        for tile in doubtful {
            if beside(tile.cell).iter().any(|c| apart.contains(c)) {
                new.push(tile);
                continue;
            }
            // What looks as bare as it reads unlike any tile is not asked about.
            if sight.is_hole(tile.cell) {
                continue;
            }
            let sentence = sentence!(
                "something in {} may be a tile that cannot be named; say which it is, or leave this if none \
                 lies there",
                tile.cell
            );
            problems.push((Problem::Doubtful(tile.cell), sentence));
        }
    }
}
