//! All that was seen so far: of every cell what its tile reads as, and every figure that
//! was seen on it, with when.

use std::collections::{BTreeMap, BTreeSet};

use crate::observation::{CellReading, CellState, Figure, FigureReading, Observation};
use crate::rules::{Cell, Rotation};
use crate::table::steady::Patience;

/// What share of its weight a reading keeps with every later one: about the last 33 count.
const KEPT: f32 = 0.97;
/// The least that a reading counts, however little sure it is.
const LEAST_WEIGHT: f32 = 0.05;
/// After a cell was covered, this many readings tell whether another tile lies there.
const FRESH: u32 = 3;
/// The same of a cell that was not seen covered, in readings of a camera and in stills.
const UNCOVERED: u32 = 20;
const STILLS: u32 = 2;
/// A reading with less than this share is none of the tile's.
const UNLIKE: f32 = 0.1;
/// Readings that say this surely, as a share, that another tile lies there say so: a figure, a
/// shadow or other light makes readings unsure, and takes no tile away.
const ANOTHER: f32 = 0.5;
/// How far a figure may seem to move between two readings, in tile sides.
const SAME_PLACE: f32 = 0.2;
/// So much farther off, in tile sides, a keep counts that was a follower before, and a
/// follower that was a keep: the two are mistaken for one another.
const SAME_KIND: f32 = 0.08;
/// How many readings of a figure's place are averaged.
const PLACES: u32 = 12;
/// Of how many looks at a figure it is told how surely it stands there: where one is put on a sign
/// of the print that was taken for one, it is known after ten seconds of a film.
const SURE_LOOKS: u32 = 40;
/// How surely a figure is expected to be seen, and how many looks that counts as: fewer tell little.
const EXPECTED: f32 = 0.95;
const EXPECTED_LOOKS: u32 = 10;
/// What share of its weight the colour of a figure in one look keeps with every later one: about the last
/// seven count for whose it is by now. Larger notices later that a figure went, smaller takes a few
/// misread looks for it; set by hand, with one film in view.
const COLOUR_KEPT: f32 = 0.85;
/// The most players of a game.
const PLAYERS: usize = 6;
/// The most figures that are remembered in a cell, among them those of a quarter (CO-06); the one seen least
/// is forgotten.
const MOST_PIECES: usize = 12;
/// A figure that stood for so many readings and is then not seen for as many is gone.
const GONE: u32 = 6;
/// So many figures that go within [`PACKED`] seconds are put away: no turn sends as many home.
const PUT_AWAY: usize = 3;
/// See [`PUT_AWAY`].
const PACKED: f64 = 20.0;
/// Two figures of one player whose middles are so near may be read as one, tile sides: a
/// follower is 0.3 to 0.4 wide.
const TOUCHING: f32 = 0.45;
/// So long after the one was seen last the one beside it is first seen, seconds: a hand's way.
const REPLACED: f64 = 4.0;
/// Looks at a cell further apart than this are no run, in seconds.
const APART: f64 = 1.0;
/// A hand that takes a tile away was over it so short a time before, seconds.
const TAKEN: f64 = 1.0;
/// After so many looks a tile that was read with this share lay there, and was no hand or shadow.
const SOLID: u32 = 8;
const SURELY: f32 = 0.9;
/// What is missed in one of so many readings, or more seldom, is seen constantly.
const CONSTANT: u32 = 10;

/// What share of its looks where the figure that is nobody's was seen keeps with every later one:
/// about the last five count.
const NEUTRAL_KEPT: f32 = 0.8;
/// So far it may seem to move between two readings, tile sides: it stands far from where it goes.
const NEUTRAL_APART: f32 = 0.4;

/// What was seen of all cells.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    cells: BTreeMap<Cell, Seen>,
    /// Where the figure that is nobody's was seen.
    neutral: Vec<Neutral>,
}

/// A place where the figure that is nobody's was seen.
#[derive(Clone, Copy, Debug)]
struct Neutral {
    /// In tile sides from the upper left corner of cell (0, 0).
    x: f32,
    y: f32,
    /// In how many of the last readings that showed it anywhere it was here.
    looks: f32,
    seen: u32,
    first: f64,
    last: f64,
}

/// What was seen of a cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// When something was first seen to lie there, since it was last bare; record seconds.
    pub since: Option<f64>,
    /// Since when it was covered without a break when something was first seen to lie there, or
    /// is so now: it may have come at any time from then on.
    hidden_from: Option<f64>,
    /// When it was last seen, covered or not.
    pub last_look: f64,
    /// When something last covered it or a cell beside it, and when itself.
    covered: Option<f64>,
    covered_itself: Option<f64>,
    votes: Votes,
    /// The newest readings, and how many of them there must be before they are held
    /// against those before.
    fresh: Votes,
    due: u32,
    bare: u32,
    /// When what lies there was last seen, before it was bare.
    last_seen: f64,
    /// Whether what lies there is not found by now, though no hand is over it.
    is_away: bool,
    /// Whether a hand was over it just before that.
    handled: Handled,
    /// What was seen of it before it was bare.
    was: Option<Box<Seen>>,
    /// How often something that was seen there was gone again without a hand.
    pub vanished: u32,
    /// How often something else was seen there than the bare table, of the readings that tell.
    lies: Mean,
    /// When its tile was seen with nothing over it: runs of looks, oldest first.
    looks: Vec<Looks>,
    pub pieces: Vec<Piece>,
}

/// Whether a hand was over a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Handled {
    /// It was looked at all the time, and none was.
    No,
    /// It was not looked at for a while.
    #[default]
    Unclear,
    Yes,
}

/// Looks at a cell one after another with nothing over it, record seconds.
#[derive(Clone, Copy, Debug)]
struct Looks {
    first: f64,
    last: f64,
    count: u32,
}

/// The mean of readings: how sure each tile and rotation is.
#[derive(Clone, Debug, Default)]
struct Votes {
    sums: BTreeMap<(String, u8), f32>,
    looks: f32,
    count: u32,
}

/// A figure that was seen in a cell.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// In how many readings it was a keep.
    keep: u32,
    /// How likely it lies.
    lying: Mean,
    /// The logarithm of how large it looks beside a follower.
    size: Mean,
    /// How sure the readings were, player by player, added up.
    votes: [f32; PLAYERS],
    /// The same of the last looks alone, see [`COLOUR_KEPT`].
    votes_by_now: [f32; PLAYERS],
    /// How likely the readings say that a figure stands there, whosever it is; of them about the
    /// last [`SURE_LOOKS`] count.
    there: f32,
    pub x: f32,
    pub y: f32,
    /// In how many readings it was seen.
    pub seen: u32,
    /// In how many readings it was not, between those in which it was.
    pub missed: u32,
    /// In how many readings in a row it has not been seen by now.
    pub gone_for: u32,
    run: Run,
    /// When it was first and last seen, record seconds.
    pub first: f64,
    pub last: f64,
    /// Whether a hand was there just before it was first seen, or its tile came with it.
    pub was_put: bool,
}

/// The readings in which a figure was seen since it last was gone.
#[derive(Clone, Copy, Debug)]
struct Run {
    count: u32,
    /// When the first of them was, record seconds.
    first: f64,
    /// How likely they say that a figure stands there, added up.
    there: f32,
}

/// A mean over the readings that could tell, of which about the last [`PLACES`] count.
#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    value: f32,
    readings: u32,
}

impl Mean {
    fn take(&mut self, value: f32) {
        self.readings += 1;
        self.value += (value - self.value) / self.readings.min(PLACES) as f32;
    }

    /// `None` where no reading could tell.
    fn get(&self) -> Option<f32> {
        (self.readings > 0).then_some(self.value)
    }
}

impl Piece {
    /// How likely the readings say that it is a player's: 0 to 1.
    pub(crate) fn is_of(&self, player: u8) -> f32 {
        let all: f32 = self.votes.iter().sum();
        self.votes.get(usize::from(player)).map_or(0.0, |v| if all > 0.0 { v / all } else { 0.0 })
    }

    /// As whose it reads most often.
    pub(crate) fn player(&self) -> u8 {
        most(&self.votes)
    }

    /// As whose it reads by now. Where a figure went away from a sign of the print that reads as another's,
    /// or another took its place, this changes long before [`Piece::player`] does.
    pub(crate) fn player_by_now(&self) -> u8 {
        most(&self.votes_by_now)
    }

    /// What it reads as most often.
    pub(crate) fn figure(&self) -> Figure {
        if 2 * self.keep > self.seen { Figure::Keep } else { Figure::Follower }
    }

    /// Whether it read as a follower often enough for a steady one: where a keep is put down in
    /// a follower's place, the two are one figure here.
    pub(crate) fn was_follower(&self, patience: &Patience) -> bool {
        self.seen - self.keep >= patience.readings
    }

    /// How likely the readings say that it lies, 0 to 1; `None` where they can't tell.
    pub(crate) fn lying(&self) -> Option<f32> {
        self.lying.get()
    }

    /// The logarithm of how large it looks beside a follower; `None` where the readings can't
    /// tell.
    pub(crate) fn size(&self) -> Option<f32> {
        self.size.get()
    }

    /// How likely the readings say that a figure stands there, whosever it is, 0 to 1.
    pub(crate) fn there(&self) -> f32 {
        self.there
    }

    /// Takes in a reading of it.
    fn take(&mut self, seen: &FigureReading, t: f64) {
        self.seen += 1;
        // What cannot be told speaks against nothing.
        let there = seen.there.unwrap_or(1.0);
        self.run.count += 1;
        self.run.there += there;
        self.there += (there - self.there) / (self.seen + EXPECTED_LOOKS).min(SURE_LOOKS) as f32;
        let weight = 1.0 / self.seen.min(PLACES) as f32;
        self.x += weight * (seen.x - self.x);
        self.y += weight * (seen.y - self.y);
        self.last = t;
        self.keep += u32::from(seen.figure == Figure::Keep);
        if let Some(lying) = seen.lying {
            self.lying.take(lying);
        }
        if let Some(size) = seen.size {
            self.size.take(size.max(0.01).ln());
        }
        self.votes_by_now.iter_mut().for_each(|vote| *vote *= COLOUR_KEPT);
        for votes in [&mut self.votes, &mut self.votes_by_now] {
            if let Some(vote) = votes.get_mut(usize::from(seen.player)) {
                *vote += seen.confidence;
            }
        }
    }

    /// Whether it was seen so often that it is no flicker.
    pub(crate) fn is_steady(&self, patience: &Patience) -> bool {
        let often = self.seen >= patience.readings && 2 * self.seen > self.missed;
        often && self.last - self.first + 1e-6 >= patience.seconds
    }

    /// Whether it is there, steadily since it last was gone, if ever: a figure may be put where one
    /// of the same player was taken away.
    pub(crate) fn stands(&self, patience: &Patience) -> bool {
        let run = &self.run;
        let steady = run.count >= patience.readings && self.last - run.first + 1e-6 >= patience.seconds;
        steady && !self.is_gone(patience)
    }

    /// How likely the readings since it last was gone say that a figure stands there, 0 to 1.
    pub(crate) fn stands_surely(&self) -> f32 {
        self.run.there / self.run.count.max(1) as f32
    }

    /// In how many readings it was seen since it last was gone.
    pub(crate) fn looks(&self) -> u32 {
        self.run.count
    }

    /// When it was first seen since it last was gone, record seconds.
    pub(crate) fn stands_since(&self) -> f64 {
        self.run.first
    }

    /// For how many seconds it was seen in nearly all readings: 0 where it came and went, as what is
    /// no figure does.
    pub(crate) fn constant_for(&self) -> f64 {
        if CONSTANT * self.missed <= self.seen { self.last - self.first } else { 0.0 }
    }

    /// Whether it is not there any more.
    pub(crate) fn is_gone(&self, patience: &Patience) -> bool {
        self.gone_for >= Piece::gone_after(patience)
    }

    /// In how many readings in a row it is not seen when it is not there any more.
    pub(crate) fn gone_after(patience: &Patience) -> u32 {
        if patience.readings == 1 { 1 } else { GONE }
    }
}

/// The player with the most votes.
fn most(votes: &[f32; PLAYERS]) -> u8 {
    let most = votes.iter().copied().fold(0.0, f32::max);
    votes.iter().position(|v| *v >= most).unwrap_or(0) as u8
}

impl Votes {
    fn add(&mut self, reading: &CellReading) {
        // A reading that is in doubt itself tells little: it counts as much as it is sure, and
        // lets as much of what was read before be forgotten.
        let own = (reading.state == CellState::Tile).then_some(reading.confidence);
        let others = reading.alternatives.iter().map(|other| other.confidence);
        let weight = others.chain(own).fold(0.0, f32::max).clamp(LEAST_WEIGHT, 1.0);
        let kept = KEPT.powf(weight);
        for sum in self.sums.values_mut() {
            *sum *= kept;
        }
        self.looks = self.looks * kept + weight;
        self.count += 1;
        if let (CellState::Tile, Some(tile)) = (reading.state, &reading.tile) {
            *self.sums.entry((tile.clone(), reading.rotation)).or_default() += weight * reading.confidence;
        }
        for other in &reading.alternatives {
            let own = reading.state == CellState::Tile
                && reading.tile.as_ref() == Some(&other.tile)
                && reading.rotation == other.rotation;
            if !own {
                *self.sums.entry((other.tile.clone(), other.rotation)).or_default() +=
                    weight * other.confidence;
            }
        }
        self.sums.retain(|_, sum| *sum > 0.001);
    }

    fn share(&self, key: &(String, u8)) -> f32 {
        self.sums.get(key).map_or(0.0, |sum| sum / self.looks.max(1e-6))
    }

    fn top(&self) -> Option<&(String, u8)> {
        self.sums.iter().max_by(|a, b| a.1.total_cmp(b.1)).map(|(key, _)| key)
    }
}

impl Evidence {
    /// Takes in an observation. Cells that are not in it but were before count as bare; in those
    /// that are `unseen` nothing was found, which tells no more than that.
    pub(crate) fn take(
        &mut self,
        observation: &Observation,
        unseen: &BTreeSet<Cell>,
        t: f64,
        patience: &Patience,
    ) {
        let mut seen: BTreeMap<Cell, &CellReading> =
            observation.cells.iter().map(|c| (Cell::new(c.col, c.row), c)).collect();
        let covered: Vec<Cell> = observation
            .cells
            .iter()
            .filter(|c| c.state == CellState::Covered)
            .map(|c| Cell::new(c.col, c.row))
            .filter(|cell| !unseen.contains(cell))
            .collect();
        // Of what runs out of the picture nothing is known but that it lies there.
        let cut_off = observation.cut_off.iter().map(|(col, row)| CellReading::covered(*col, *row));
        let cut_off: Vec<CellReading> = cut_off.collect();
        for reading in &cut_off {
            seen.entry(Cell::new(reading.col, reading.row)).or_insert(reading);
        }
        self.take_neutral(observation, t, patience);
        for (cell, own) in &mut self.cells {
            match seen.remove(cell) {
                Some(_) if unseen.contains(cell) => own.take_unseen(t, patience),
                reading => own.take(reading, t, patience),
            }
        }
        for (cell, reading) in seen {
            if reading.state != CellState::Empty {
                let mut own = Seen::default();
                own.take(Some(reading), t, patience);
                self.cells.insert(cell, own);
            }
        }
        for cell in covered {
            for (other, seen) in &mut self.cells {
                if other.col.abs_diff(cell.col) <= 1 && other.row.abs_diff(cell.row) <= 1 {
                    seen.covered = Some(t);
                }
            }
        }
    }

    /// Whether figures are being put away: within a short time so many went that as many or
    /// fewer stand.
    pub(crate) fn is_packed_up(&self, patience: &Patience, now: f64) -> bool {
        let steady = self.cells.values().flat_map(|seen| &seen.pieces).filter(|p| p.is_steady(patience));
        let (gone, stand): (Vec<&Piece>, Vec<&Piece>) = steady.partition(|p| p.is_gone(patience));
        let went = gone.iter().filter(|p| now - p.last <= PACKED).count();
        went >= PUT_AWAY && went >= stand.len()
    }

    /// Whether a figure that is not seen any more may stand where it stood, taken for one with
    /// another of the same player that was put down beside it.
    pub(crate) fn is_merged(&self, cell: Cell, piece: &Piece, patience: &Patience) -> bool {
        let place = |cell: Cell, p: &Piece| (f32::from(cell.col) + p.x, f32::from(cell.row) + p.y);
        let own = place(cell, piece);
        let beside = |(other, seen): (&Cell, &Seen)| {
            let near = other.col.abs_diff(cell.col) <= 1 && other.row.abs_diff(cell.row) <= 1;
            near && seen.pieces.iter().any(|p| {
                let (x, y) = place(*other, p);
                p.player() == piece.player()
                    && p.first > piece.last
                    && p.first - piece.last <= REPLACED
                    && (x - own.0).hypot(y - own.1) <= TOUCHING
                    && p.is_steady(patience)
                    && !p.is_gone(patience)
            })
        };
        self.cells.iter().any(beside)
    }

    fn take_neutral(&mut self, observation: &Observation, t: f64, patience: &Patience) {
        let figures = observation.cells.iter().flat_map(|c| c.figures.iter().map(move |f| (c, f)));
        let neutral = figures.filter(|(_, f)| f.figure == Figure::Neutral);
        let surest = neutral.max_by(|a, b| a.1.confidence.total_cmp(&b.1.confidence));
        let Some((cell, figure)) = surest else { return };
        let (x, y) = (f32::from(cell.col) + figure.x, f32::from(cell.row) + figure.y);
        let kept = if patience.readings <= 1 { 0.0 } else { NEUTRAL_KEPT };
        for place in &mut self.neutral {
            place.looks *= kept;
        }
        let here = self.neutral.iter_mut().find(|p| (p.x - x).hypot(p.y - y) < NEUTRAL_APART);
        match here {
            Some(place) => {
                place.looks += 1.0;
                place.seen += 1;
                place.last = t;
            }
            None => self.neutral.push(Neutral { x, y, looks: 1.0, seen: 1, first: t, last: t }),
        }
        self.neutral.retain(|p| p.looks > 0.05);
    }

    /// Where the figure that is nobody's stands, in tile sides from the upper left corner of cell
    /// (0, 0), and when it was last seen there, record seconds; `None` where it is not seen steadily,
    /// and while it seems to have moved.
    pub(crate) fn neutral(&self, patience: &Patience) -> Option<((f32, f32), f64)> {
        let place = self.neutral.iter().max_by(|a, b| a.looks.total_cmp(&b.looks))?;
        let steady = place.seen >= patience.readings && place.last - place.first + 1e-6 >= patience.seconds;
        let newest = self.neutral.iter().all(|other| other.last <= place.last);
        (steady && newest).then_some(((place.x, place.y), place.last))
    }

    pub(crate) fn of(&self, cell: Cell) -> Option<&Seen> {
        self.cells.get(&cell)
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (Cell, &Seen)> {
        self.cells.iter().map(|(cell, seen)| (*cell, seen))
    }
}

impl Seen {
    /// How likely the readings say that it is this tile, turned so: 0 to 1.
    pub(crate) fn tile(&self, id: &str, rotation: Rotation) -> f32 {
        let own =
            self.votes.sums.iter().find(|((tile, turned), _)| *turned == rotation.quarters() && tile == id);
        own.map_or(0.0, |(_, sum)| sum / self.votes.looks.max(1e-6))
    }

    /// All that the tile reads as, likeliest first.
    pub(crate) fn tiles(&self) -> Vec<(&str, Rotation, f32)> {
        let mut all: Vec<(&str, Rotation, f32)> = self
            .votes
            .sums
            .iter()
            .map(|((id, turned), sum)| (id.as_str(), Rotation::new(*turned), sum / self.votes.looks))
            .collect();
        all.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(b.0)));
        all
    }

    /// In which share of the readings something else is seen there than the bare table; `None` where
    /// none can tell.
    pub(crate) fn lies(&self) -> Option<f32> {
        self.lies.get()
    }

    /// In how many readings one could tell.
    pub(crate) fn lies_told(&self) -> u32 {
        self.lies.readings
    }

    fn take(&mut self, reading: Option<&CellReading>, t: f64, patience: &Patience) {
        self.last_look = t;
        match reading {
            Some(reading) if reading.state == CellState::Covered => {
                (self.covered, self.covered_itself, self.is_away) = (Some(t), Some(t), false);
                if self.since.is_none() {
                    self.bare = 0;
                    self.hidden_from.get_or_insert(t);
                }
                (self.fresh, self.due) = (Votes::default(), FRESH);
            }
            Some(reading) if reading.state != CellState::Empty => self.take_tile(reading, t, patience),
            _ => self.take_bare(t, patience),
        }
    }

    /// Nothing was found there.
    fn take_unseen(&mut self, t: f64, patience: &Patience) {
        self.last_look = t;
        (self.fresh, self.due) = (Votes::default(), FRESH);
        self.go_away(t, patience);
    }

    /// What lies there was not seen, for the first time since it last was.
    fn go_away(&mut self, t: f64, patience: &Patience) {
        if self.since.is_none() || std::mem::replace(&mut self.is_away, true) {
            return;
        }
        self.handled = match self.covered_itself {
            Some(covered) if covered + TAKEN >= self.last_seen => Handled::Yes,
            _ if t - self.last_seen > APART || patience.readings == 1 => Handled::Unclear,
            _ => Handled::No,
        };
    }

    fn take_bare(&mut self, t: f64, patience: &Patience) {
        self.bare += 1;
        if self.since.is_none() {
            self.hidden_from = None;
        }
        self.go_away(t, patience);
        if self.bare >= patience.readings {
            let (bare, covered, covered_itself) = (self.bare, self.covered, self.covered_itself);
            let mut own = std::mem::take(self);
            let before = own.was.take();
            let vanished = own.vanished + u32::from(own.since.is_some() && own.handled != Handled::Yes);
            let was = if own.since.is_some() { Some(Box::new(own)) } else { before };
            *self = Seen { last_look: t, covered, covered_itself, bare, was, vanished, ..Seen::default() };
        }
    }

    /// Whether what lay there is seen no more although no hand took it away: surely so, or only
    /// where it `moved` nowhere, as a hand may have come while nobody looked.
    pub(crate) fn is_lost(&self, moved: bool) -> bool {
        let Some(was) = self.was.as_deref().filter(|_| self.since.is_none()) else { return false };
        match was.handled {
            Handled::No => true,
            Handled::Unclear => !moved && was.is_solid(),
            Handled::Yes => false,
        }
    }

    /// Whether what lay there is seen no more and a hand may have taken it: in stills nobody knows.
    pub(crate) fn is_taken(&self, patience: &Patience) -> bool {
        let handled = self.was.as_deref().filter(|_| self.since.is_none()).map(|was| was.handled);
        handled == Some(Handled::Yes) || patience.readings == 1 && handled == Some(Handled::Unclear)
    }

    /// In how many looks in a row nothing has lain there.
    pub(crate) fn bare_for(&self) -> u32 {
        if self.since.is_none() { self.bare } else { 0 }
    }

    /// Where a cell was read as this tile before it was bare, and no figure stood on it: in how many looks,
    /// and for how many seconds without a break until the last of them.
    pub(crate) fn read_before(
        &self,
        id: &str,
        rotation: Rotation,
        patience: &Patience,
    ) -> Option<(u32, f64)> {
        let was = self.was.as_deref().filter(|_| self.since.is_none())?;
        let is_it = was.votes.top().is_some_and(|top| (top.0.as_str(), top.1) == (id, rotation.quarters()));
        let stood = was.pieces.iter().any(|piece| piece.is_steady(patience));
        let last = was.looks.last()?;
        (is_it && !stood).then_some((was.votes.count, last.last - last.first))
    }

    /// Whether it was read so surely and for so long that a tile lay there.
    fn is_solid(&self) -> bool {
        let looks: u32 = self.looks.iter().map(|run| run.count).sum();
        looks >= SOLID && self.votes.top().is_some_and(|top| self.votes.share(top) >= SURELY)
    }

    /// The earliest that what lies there can have come, record seconds.
    pub(crate) fn earliest(&self) -> Option<f64> {
        self.since.map(|since| self.hidden_from.map_or(since, |hidden| hidden.min(since)))
    }

    /// The earliest that what lies there can have come, and when it was first seen to lie there.
    pub(crate) fn came(&self) -> Option<(f64, f64)> {
        self.earliest().zip(self.since)
    }

    /// About how many looks there were at its tile from a moment on and before another, with
    /// nothing over it, and for how many seconds in a row there was none.
    pub(crate) fn looked(&self, from: f64, to: f64) -> (u32, f64) {
        let (mut count, mut until, mut blind) = (0, from, 0.0_f64);
        for run in self.looks.iter().filter(|r| r.last + 1e-6 >= from && r.first + 1e-6 < to) {
            blind = blind.max(run.first - until);
            until = until.max(run.last);
            let step = (run.last - run.first) / f64::from(run.count.max(2) - 1);
            let (first, last) = (run.first.max(from), run.last.min(to - 1e-6));
            count += if step > 0.0 { ((last - first + 1e-6) / step) as u32 + 1 } else { 1 };
        }
        (count, blind.max(to - until))
    }

    /// How many looks there were at its tile without a break up to now, with nothing over it.
    pub(crate) fn in_view_for(&self) -> u32 {
        self.looks.last().filter(|run| run.last + 1e-6 >= self.last_look).map_or(0, |run| run.count)
    }

    fn take_look(&mut self, t: f64, covered: bool) {
        match self.looks.last_mut() {
            Some(run) if !covered && t - run.last <= APART => {
                run.last = t;
                run.count += 1;
            }
            _ => self.looks.push(Looks { first: t, last: t, count: 1 }),
        }
    }

    fn take_tile(&mut self, reading: &CellReading, t: f64, patience: &Patience) {
        let is_back = |was: &Seen| {
            let (id, turned) = (reading.tile.as_ref(), reading.rotation);
            reading.state == CellState::Tile
                && was.votes.top().is_some_and(|t| (Some(&t.0), t.1) == (id, turned))
        };
        if self.since.is_none()
            && let Some(was) = self.was.take_if(|was| was.handled != Handled::Yes && is_back(was))
        {
            let (covered, covered_itself, vanished) = (self.covered, self.covered_itself, self.vanished);
            *self = Seen { covered, covered_itself, last_look: t, vanished, ..*was };
        }
        (self.bare, self.is_away) = (0, false);
        self.last_seen = t;
        if let Some(lies) = reading.lies {
            self.lies.take(f32::from(u8::from(lies)));
        }
        // What cannot be named is not seen well enough to tell whether a figure stands on it.
        if reading.state == CellState::Tile {
            self.take_look(t, self.due == FRESH && self.fresh.count == 0);
        }
        let came = self.since.is_none();
        self.since.get_or_insert(t);
        self.votes.add(reading);
        self.fresh.add(reading);
        let due = if patience.readings == 1 { STILLS } else { self.due };
        if self.fresh.count >= due.max(1) {
            let fresh = std::mem::take(&mut self.fresh);
            if self.is_other(&fresh) {
                self.votes = fresh;
            }
            self.due = UNCOVERED;
        }
        let handled = self.covered.is_some_and(|c| t - c < 1.0 + 1e-6);
        let mut left: Vec<_> = reading.figures.iter().filter(|f| f.figure != Figure::Neutral).collect();
        let mut order: Vec<usize> = (0..self.pieces.len()).collect();
        order.sort_by_key(|i| std::cmp::Reverse(self.pieces[*i].seen));
        for i in order {
            let piece = &mut self.pieces[i];
            let away = |f: &FigureReading| {
                let far = (f.x - piece.x).hypot(f.y - piece.y);
                // The one was taken, and another put there.
                if piece.gone_for >= 2 * GONE && f.player != piece.player() {
                    return f32::INFINITY;
                }
                match (f.figure == piece.figure(), f.player == piece.player()) {
                    (true, _) => far,
                    (false, true) => far + SAME_KIND,
                    // A keep that stands where another player's follower stood.
                    (false, false) => f32::INFINITY,
                }
            };
            let near = left
                .iter()
                .enumerate()
                .filter(|(_, f)| away(f) < SAME_PLACE)
                .min_by(|a, b| away(a.1).total_cmp(&away(b.1)))
                .map(|(i, _)| i);
            match near {
                Some(at) => {
                    let seen = left.swap_remove(at);
                    if piece.gone_for > 0 {
                        piece.missed += piece.gone_for;
                    }
                    if piece.gone_for >= GONE {
                        piece.run = Run { count: 0, first: t, there: 0.0 };
                    }
                    piece.gone_for = 0;
                    piece.take(seen, t);
                }
                None => piece.gone_for += 1,
            }
        }
        // What flickered once and never again is no piece.
        self.pieces.retain(|p| p.seen > 2 || p.gone_for < 3 * GONE);
        for seen in left {
            let mut piece = Piece {
                keep: 0,
                lying: Mean::default(),
                size: Mean::default(),
                votes: [0.0; PLAYERS],
                votes_by_now: [0.0; PLAYERS],
                there: EXPECTED,
                x: seen.x,
                y: seen.y,
                seen: 0,
                missed: 0,
                gone_for: 0,
                run: Run { count: 0, first: t, there: 0.0 },
                first: t,
                last: t,
                was_put: came || handled,
            };
            piece.take(seen, t);
            self.pieces.push(piece);
        }
        if self.pieces.len() > MOST_PIECES {
            self.pieces.sort_by_key(|p| std::cmp::Reverse(p.seen));
            self.pieces.truncate(MOST_PIECES);
        }
    }

    /// Whether the readings since a hand was here say another tile than those before, which
    /// are much the greater part of all.
    fn is_other(&self, fresh: &Votes) -> bool {
        let (Some(now), Some(before)) = (fresh.top(), self.votes.top()) else { return false };
        let was = |key: &(String, u8)| {
            let old = self.votes.sums.get(key).copied().unwrap_or(0.0)
                - fresh.sums.get(key).copied().unwrap_or(0.0);
            old / (self.votes.looks - fresh.looks).max(1.0)
        };
        fresh.share(now) >= ANOTHER && was(now) < UNLIKE && fresh.share(before) < UNLIKE
    }
}
