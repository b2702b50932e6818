//! From a game that was played to the script of its film: who does what when, and what
//! comes in between.

use std::collections::{BTreeMap, BTreeSet};

use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::arrangement::PrintedSet;
use super::hazard::Hazard;
use super::pieces::PieceKind;
use super::random_scene::{ArrangedFigure, Board};
use super::script::{
    Act, Change, HandPass, Held, Hold, Placed, Said, Script, Spell, Trouble, TurnTimes, Waypoint,
};
use super::suite::Entry;
use crate::record::{EventKind, Game, RecordError, Source};
use crate::rules::{Cell, FigureKind, Move, Phase, Player, Rotation, SegmentAt};

/// Frames a second.
const RATE: f64 = 4.0;
/// From where over the table a hand comes, tile sides from where it goes.
const OUT_OF_SIGHT: f32 = 12.0;
/// Seconds of a hand's way in or out.
const COMES: f64 = 0.55;
/// How far from the middle of a tile it is held, towards the hand, tile sides.
pub(super) const GRIP: f32 = 0.32;
/// How high finger tips are when they let go, tile sides.
const TOUCH: f32 = 0.05;
/// How high a hand is on its way.
const CARRIED: f32 = 0.9;
/// How far off its place a tile is laid: standard deviation, and at most, tile sides.
const LAID_OFF: (f32, f32) = (0.0165, 0.055);
/// How far a tile is nudged at most: 4 mm of 45.
const NUDGE: f32 = 0.09;

/// What stands on the table beyond tiles, by whose it is, its cell, whether it is a keep, and where in
/// the cell in hundredths.
type Standing = BTreeMap<(u8, i8, i8, bool, [i16; 2]), ArrangedFigure>;

/// Writes the script of a game of which the facts are `played`; gives also the record with
/// the film's times. `whole` says whether the game is played to its end, and then packed up.
///
/// # Errors
/// [`RecordError`] when the facts are no game.
pub fn screenplay(
    entry: &Entry,
    start: Game,
    played: &[EventKind],
    set: &PrintedSet,
    colours: &[[u8; 3]],
    whole: bool,
) -> Result<(Script, Game), RecordError> {
    let mut rng = Pcg64Mcg::seed_from_u64(entry.seed);
    let mut turns: Vec<&[EventKind]> =
        played.split_inclusive(|k| matches!(k, EventKind::TurnEnded { .. })).collect();
    // What is done after the last turn is none.
    let is_turn = |facts: &&[EventKind]| facts.iter().any(|k| matches!(k, EventKind::TilePlaced { .. }));
    let after = turns.pop_if(|last| !is_turn(&&**last)).unwrap_or_default();
    let plan = Plan::new(entry, &turns, &mut rng);
    let sides = [0.0, 90.0, 180.0, 270.0];
    let first = rng.random_range(0..4);
    let mut writer = Writer {
        rng,
        t: 0.0,
        set,
        colours,
        game: start,
        board: Board::default(),
        tiles: BTreeMap::new(),
        due: Vec::new(),
        sides: [0, 2, 1, 3, 0, 2].map(|i| sides[(first + i) % 4]),
        blind: None,
        script: Script {
            entry: entry.clone(),
            rate: RATE,
            seconds: 0.0,
            room: Vec::new(),
            acts: Vec::new(),
            hands: Vec::new(),
            spells: Vec::new(),
            said: Vec::new(),
            turns: Vec::new(),
            packed_up: 0.0,
        },
    };
    writer.set_up(entry);
    for (n, facts) in turns.iter().enumerate() {
        writer.turn(n, facts, &plan)?;
    }
    for fact in after {
        writer.step(fact)?;
    }
    writer.close(whole);
    let Writer { mut script, game, .. } = writer;
    script.room = game.position().cells();
    script.acts.sort_by(|a, b| a.t.total_cmp(&b.t));
    Ok((script, game))
}

/// What is to happen in which turn.
struct Plan(Vec<BTreeSet<Hazard>>);

impl Plan {
    fn new(entry: &Entry, turns: &[&[EventKind]], rng: &mut Pcg64Mcg) -> Plan {
        let mut at = vec![BTreeSet::new(); turns.len()];
        let with_follower: Vec<usize> = (0..turns.len())
            .filter(|n| turns[*n].iter().any(|k| matches!(k, EventKind::FollowerPlaced { .. })))
            .collect();
        let all: Vec<usize> = (2.min(turns.len())..turns.len()).collect();
        // Those that need the camera or the light to themselves.
        let mut free: Vec<usize> = all.iter().copied().filter(|n| n + 2 < turns.len()).collect();
        free.shuffle(rng);
        let share = |of: usize, share: f32| ((of as f32 * share).round() as usize).max(1);
        for hazard in &entry.hazards {
            let often = match hazard {
                Hazard::Together | Hazard::FollowerLater => {
                    let free = |n: &&usize| !at[**n].contains(&Hazard::Together);
                    let free: Vec<usize> = with_follower.iter().filter(free).copied().collect();
                    let some = free.choose_multiple(rng, share(with_follower.len(), 0.25));
                    some.for_each(|n| _ = at[*n].insert(*hazard));
                    continue;
                }
                Hazard::Nudged
                | Hazard::Turned
                | Hazard::Elsewhere
                | Hazard::Straightened
                | Hazard::Lingering => {
                    let some = all.choose_multiple(rng, share(all.len(), 0.1));
                    some.for_each(|n| _ = at[*n].insert(*hazard));
                    continue;
                }
                // Those that turns decide themselves, and what lasts.
                Hazard::HomeLate | Hazard::Forgotten | Hazard::Drift => {
                    at.iter_mut().for_each(|a| _ = a.insert(*hazard));
                    continue;
                }
                Hazard::Reaimed => 1,
                _ => 2,
            };
            let often = if turns.len() < 24 { 1 } else { often };
            for _ in 0..often {
                let Some(n) = free.pop() else { break };
                at[n].insert(*hazard);
                if *hazard == Hazard::TwoAtOnce {
                    free.retain(|m| *m != n + 1 && m + 1 != n);
                }
            }
        }
        Plan(at)
    }
}

/// Something to be done in a later turn: a scored follower goes home.
struct Due {
    turn: usize,
    figure: ArrangedFigure,
}

struct Writer<'a> {
    rng: Pcg64Mcg,
    /// Up to when the script is written.
    t: f64,
    set: &'a PrintedSet,
    colours: &'a [[u8; 3]],
    game: Game,
    board: Board,
    tiles: BTreeMap<Cell, (String, Rotation)>,
    due: Vec<Due>,
    /// From where each player's hand comes.
    sides: [f32; 6],
    /// Since when and until which turn nothing is seen, and why.
    blind: Option<(f64, usize, Trouble)>,
    script: Script,
}

/// A place where a hand does something.
struct Stop {
    place: (f32, f32),
    /// What it takes away with it.
    takes: Option<Held>,
    /// What changes when it lets go.
    changes: Vec<Change>,
    /// How long it stays there.
    stays: f64,
}

impl Writer<'_> {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.rng.random_range(low..high)
    }

    fn act(&mut self, t: f64, change: Change) {
        self.script.acts.push(Act { t, change });
    }

    fn note(&mut self, n: usize, hazard: Hazard) {
        if let Some(turn) = self.script.turns.get_mut(n)
            && !turn.hazards.contains(&hazard)
        {
            turn.hazards.push(hazard);
        }
    }

    /// The table before the first turn.
    fn set_up(&mut self, entry: &Entry) {
        self.board = self.arranged();
        for (cell, tile, rotation) in self.board.tiles.clone() {
            let change = self.laid(cell, &tile, rotation);
            self.act(0.0, change);
        }
        for (player, total) in self.board.totals.clone() {
            let change = self.marker(player, total);
            self.act(0.0, change);
        }
        for figure in self.board.figures.clone() {
            let figure = self.stand(figure);
            self.act(0.0, Change::Figure(figure));
        }
        if entry.hazards.contains(&Hazard::Drift) {
            let what = Trouble::Drift { stops: 0.35, period: 70.0 };
            self.script.spells.push(Spell { from: 0.0, to: f64::MAX, what });
        }
        self.t = 3.0;
    }

    fn arranged(&self) -> Board {
        self.set.board(self.game.position(), self.colours, self.script.entry.seed)
    }

    fn laid(&mut self, cell: Cell, tile: &str, rotation: Rotation) -> Change {
        let mut off = || {
            let bell = (0..6).map(|_| self.rng.random::<f32>()).sum::<f32>() * 1.414 - 4.243;
            (bell * LAID_OFF.0).clamp(-LAID_OFF.1, LAID_OFF.1)
        };
        let (shift, turn) = ((off(), off()), off() * 60.0);
        self.tiles.insert(cell, (tile.to_owned(), rotation));
        Change::Tile { cell, tile: tile.to_owned(), rotation, shift, turn }
    }

    fn marker(&mut self, player: u8, total: u32) -> Change {
        let mut off = || self.rng.random_range(-0.06..0.06);
        let shift = (off(), off());
        Change::Marker { player, total, shift, turn: self.rng.random_range(-180.0..180.0) }
    }

    /// Where a player's marker stands; where the track is unknown, beside the board.
    fn track_place(&self, total: u32) -> Option<(f32, f32)> {
        let wall = &self.set.wall.as_ref()?.wall;
        wall.track.get(total as usize % 100).map(|p| (p.x, p.y))
    }

    /// A hand comes, does something at each stop, and goes.
    fn pass(&mut self, player: u8, brings: Option<Held>, stops: Vec<Stop>) {
        let from = self.sides[player as usize % 6] + self.rng.random_range(-25.0..25.0_f32);
        let (s, c) = from.to_radians().sin_cos();
        let away = |p: (f32, f32), by: f32| (p.0 + s * by, p.1 + c * by);
        let (Some(first), Some(last)) = (stops.first(), stops.last()) else { return };
        let (start, end) = (away(first.place, OUT_OF_SIGHT), away(last.place, OUT_OF_SIGHT));
        let mut path = vec![Waypoint { t: self.t, tip: start, height: 1.6 }];
        let mut holds: Vec<Hold> =
            brings.map(|what| Hold { from: self.t, to: self.t, what }).into_iter().collect();
        let mut t = self.t;
        let mut at = start;
        for stop in stops {
            let tip = away(stop.place, GRIP);
            let way = f64::from((tip.0 - at.0).hypot(tip.1 - at.1));
            t += (way / 22.0).max(0.35);
            path.push(Waypoint { t, tip, height: CARRIED });
            t += 0.2;
            path.push(Waypoint { t, tip, height: TOUCH });
            t += stop.stays;
            path.push(Waypoint { t, tip, height: TOUCH });
            let lets_go = !stop.changes.is_empty();
            if let Some(hold) = holds.last_mut().filter(|h| lets_go && h.to <= h.from) {
                hold.to = t;
            }
            holds.extend(stop.takes.map(|what| Hold { from: t, to: t, what }));
            stop.changes.into_iter().for_each(|change| self.act(t, change));
            path.push(Waypoint { t: t + 0.2, tip, height: CARRIED });
            t += 0.2;
            at = tip;
        }
        t += COMES;
        path.push(Waypoint { t, tip: end, height: 1.6 });
        if let Some(hold) = holds.last_mut().filter(|h| h.to <= h.from) {
            hold.to = t;
        }
        self.script.hands.push(HandPass { player, from, path, holds });
        self.t = t;
    }

    fn stop(&mut self, place: (f32, f32), changes: Vec<Change>) -> Stop {
        Stop { place, takes: None, changes, stays: self.rng.random_range(0.15..0.4) }
    }

    fn turn(&mut self, n: usize, facts: &[EventKind], plan: &Plan) -> Result<(), RecordError> {
        let wanted = plan.0[n].clone();
        let mut hazards: Vec<Hazard> = wanted
            .iter()
            .copied()
            .filter(|h| !matches!(h, Hazard::HomeLate | Hazard::Forgotten | Hazard::TwoAtOnce | Hazard::Gone))
            .collect();
        // What is taken home late, or seen only afterwards, is hard in every turn until then.
        if self.due.iter().any(|d| d.turn > n) {
            hazards.push(Hazard::Forgotten);
        }
        if self.due.iter().any(|d| d.turn == n) {
            hazards.push(Hazard::HomeLate);
        }
        self.script.turns.push(TurnTimes { hazards, tile: None, follower: None, over: f64::MAX });
        self.t += self.between(0.6, 2.2);
        self.disturb(n, &wanted);
        let together = wanted.contains(&Hazard::Together);
        let mut follower: Option<Placed> = None;
        let mut laid = None;
        let laid_at = facts.iter().position(|k| matches!(k, EventKind::TilePlaced { .. })).unwrap_or(0);
        for fact in facts {
            match fact {
                step if self.game.position().phase() == Phase::Step => self.step(step)?,
                EventKind::TilePlaced { player, tile, cell, rotation } => {
                    self.settle(fact.clone())?;
                    let figure = facts[laid_at..].iter().find_map(|k| match k {
                        EventKind::FollowerPlaced { player, cell, segment, figure, .. } => {
                            Some((player.0, *cell, *segment, *figure))
                        }
                        _ => None,
                    });
                    let figure = figure.filter(|_| together).and_then(|f| self.placed(f));
                    let t = self.lay(n, (player.0, tile, *cell, *rotation), &wanted, figure);
                    laid = Some((player.0, *cell, t));
                    self.home(n);
                }
                EventKind::FollowerPlaced { player, cell, segment, figure, .. } => {
                    self.settle(fact.clone())?;
                    let before: BTreeSet<_> = standing(&self.board).into_keys().collect();
                    let board = self.arranged();
                    let now = standing(&board).into_iter().find(|(k, _)| !before.contains(k) && !k.3);
                    let placed = now.map(|(_, f)| self.stand(f));
                    follower = placed.or_else(|| self.placed((player.0, *cell, *segment, *figure)));
                    if let (Some(figure), false) = (follower.clone(), together) {
                        let wait =
                            if wanted.contains(&Hazard::FollowerLater) { (12.0, 20.0) } else { (0.5, 1.6) };
                        self.t += self.between(wait.0, wait.1);
                        self.put(figure);
                    }
                    self.board = board;
                }
                EventKind::TurnEnded { .. } => {
                    let t = self.t;
                    self.see(n, laid, follower.is_some());
                    self.game.apply_anyway(fact.clone(), Source::Hand, 1.0, t)?;
                    self.end(n, &wanted);
                }
                said => {
                    let t = self.t + 0.3;
                    self.script.said.push(Said { t, fact: said.clone() });
                    self.t += self.between(2.0, 3.0);
                    self.settle(said.clone())?;
                }
            }
        }
        Ok(())
    }

    fn settle(&mut self, fact: EventKind) -> Result<(), RecordError> {
        self.game.apply_anyway(fact, Source::Hand, 1.0, self.t).map(drop)
    }

    /// Camera and light, before a turn.
    fn disturb(&mut self, n: usize, wanted: &BTreeSet<Hazard>) {
        let mut spell = |from: f64, to: f64, what: Trouble| self.script.spells.push(Spell { from, to, what });
        let rng = &mut self.rng;
        let sign = |rng: &mut Pcg64Mcg| if rng.random_bool(0.5) { 1.0 } else { -1.0 };
        for hazard in wanted {
            match hazard {
                Hazard::Bumped => {
                    let what = Trouble::Moved {
                        azimuth: sign(rng) * rng.random_range(2.0..5.0),
                        target: (rng.random_range(-0.3..0.3), rng.random_range(-0.3..0.3)),
                        roll: rng.random_range(-1.5..1.5),
                        distance: 1.0,
                        during: 0.5,
                    };
                    spell(self.t, f64::MAX, what);
                    self.t += 1.0;
                }
                Hazard::Reaimed => {
                    let what = Trouble::Moved {
                        azimuth: sign(rng) * rng.random_range(15.0..40.0),
                        target: (rng.random_range(-0.4..0.4), rng.random_range(-0.4..0.4)),
                        roll: rng.random_range(-3.0..3.0),
                        distance: rng.random_range(1.05..1.15),
                        during: 2.0,
                    };
                    spell(self.t, f64::MAX, what);
                    self.t += 3.0;
                }
                Hazard::LightSwitched => {
                    let (s, c) = rng.random_range(0.0..std::f32::consts::TAU).sin_cos();
                    let away = rng.random_range(4.0..16.0);
                    let what = Trouble::Lamp {
                        place: (4.5 + away * c, 5.0 + away * s, rng.random_range(16.0..30.0)),
                        kelvin: rng.random_range(2700.0..6500.0),
                        ambient: rng.random_range(0.3..0.6),
                    };
                    spell(self.t, f64::MAX, what);
                    self.t += 0.5;
                }
                Hazard::Dimmed => {
                    let to = self.t + rng.random_range(20.0..40.0);
                    spell(self.t, to, Trouble::Dim { stops: -1.1, noise: 1.7 });
                }
                Hazard::CoveredLens => {
                    let to = self.t + rng.random_range(3.0..7.0);
                    spell(self.t, to, Trouble::Covered);
                    self.t = to + 0.7;
                }
                Hazard::TwoAtOnce => {
                    self.blind = Some((self.t, n + 1, Trouble::Away(rng.random_range(0.0..360.0))));
                }
                Hazard::Gone => self.blind = Some((self.t, n, Trouble::Black)),
                _ => {}
            }
        }
        if wanted.contains(&Hazard::Straightened) {
            self.straighten();
        }
    }

    /// Somebody sets a marker straight that was right.
    fn straighten(&mut self) {
        let Some((player, total)) = self.board.totals.clone().choose(&mut self.rng).copied() else { return };
        let Some(place) = self.track_place(total) else { return };
        let Change::Marker { shift, .. } = self.marker(player, total) else { return };
        let change = Change::Marker { player, total, shift, turn: 0.0 };
        let stop = self.stop(place, vec![change]);
        self.pass(player, None, vec![stop]);
        self.t += self.between(0.5, 1.2);
    }

    /// Lays the tile of a turn; gives when it lies as it stays.
    fn lay(
        &mut self,
        n: usize,
        (player, tile, cell, rotation): (u8, &str, Cell, Rotation),
        wanted: &BTreeSet<Hazard>,
        with: Option<Placed>,
    ) -> f64 {
        let held = |rotation: Rotation| Held::Tile(tile.to_owned(), 90.0 * f32::from(rotation.quarters()));
        let mut stops = Vec::new();
        if wanted.contains(&Hazard::Lingering) {
            let place = self.near(cell);
            stops.push(Stop {
                place,
                takes: None,
                changes: Vec::new(),
                stays: self.rng.random_range(1.5..4.0),
            });
        }
        let elsewhere = wanted.contains(&Hazard::Elsewhere).then(|| self.other_place(cell)).flatten();
        if let Some((other, turned)) = elsewhere {
            let change = self.laid(other, tile, turned);
            stops.push(self.stop(middle(other), vec![change]));
            self.pass(player, Some(held(turned)), stops);
            self.t += self.between(1.5, 3.5);
            self.tiles.remove(&other);
            let mut lift = self.stop(middle(other), vec![Change::NoTile(other)]);
            lift.takes = Some(held(rotation));
            let change = self.laid(cell, tile, rotation);
            let put = self.stop(middle(cell), vec![change]);
            self.pass(player, None, vec![lift, put]);
            if let Some(figure) = with {
                self.put(figure);
            }
            return self.t;
        }
        let first = if wanted.contains(&Hazard::Turned) {
            Rotation::new((rotation.quarters() + self.rng.random_range(1..4)) % 4)
        } else {
            rotation
        };
        let change = self.laid(cell, tile, first);
        stops.push(self.stop(middle(cell), vec![change]));
        if let (Some(figure), true) = (&with, first == rotation) {
            let place = at_foot(figure);
            let change = Change::Figure(figure.clone());
            stops.push(self.stop(place, vec![change]));
        }
        self.pass(player, Some(held(first)), stops);
        if first != rotation {
            self.t += self.between(1.0, 2.5);
            let change = self.laid(cell, tile, rotation);
            let stop = self.stop(middle(cell), vec![change]);
            self.pass(player, None, vec![stop]);
            if let Some(figure) = with {
                self.put(figure);
            }
        }
        if wanted.contains(&Hazard::Nudged) {
            self.nudge(n, player, cell);
        }
        self.t
    }

    /// A hand pushes a tile that lies beside a cell.
    fn nudge(&mut self, n: usize, player: u8, cell: Cell) {
        let others: Vec<Cell> = self.tiles.keys().copied().filter(|c| *c != cell).collect();
        let far = |c: &Cell| (c.col - cell.col).unsigned_abs().max((c.row - cell.row).unsigned_abs());
        let Some(pushed) = others.iter().copied().min_by_key(far) else { return };
        let Some((tile, rotation)) = self.tiles.get(&pushed).cloned() else { return };
        let mut off = || self.rng.random_range(-NUDGE..NUDGE);
        let (shift, turn) = ((off(), off()), off() * 40.0);
        let change = Change::Tile { cell: pushed, tile, rotation, shift, turn };
        let stop = self.stop(middle(pushed), vec![change]);
        self.pass(player, None, vec![stop]);
        self.note(n, Hazard::Nudged);
    }

    /// Another cell where the tile might go.
    fn other_place(&mut self, cell: Cell) -> Option<(Cell, Rotation)> {
        // The tile is laid in the record by now: what is free beside the others is as good.
        let inside: Option<BTreeSet<Cell>> =
            self.set.wall.as_ref().map(|w| w.wall.cells().into_iter().collect());
        let beside = |c: &Cell| crate::rules::Side::ALL.map(|s| c.neighbour(s));
        let free: BTreeSet<Cell> = self
            .tiles
            .keys()
            .flat_map(beside)
            .filter(|c| *c != cell && !self.tiles.contains_key(c))
            .filter(|c| inside.as_ref().is_none_or(|i| i.contains(c)))
            .collect();
        let free: Vec<Cell> = free.into_iter().collect();
        let at = free.choose(&mut self.rng).copied()?;
        Some((at, Rotation::new(self.rng.random_range(0..4))))
    }

    /// A place near a cell, over the board.
    fn near(&mut self, cell: Cell) -> (f32, f32) {
        let (x, y) = middle(cell);
        (x + self.rng.random_range(-1.5..1.5), y + self.rng.random_range(-1.5..1.5))
    }

    /// The figure that is going to stand on a tile just laid.
    fn placed(&mut self, (player, cell, segment, figure): (u8, Cell, u8, FigureKind)) -> Option<Placed> {
        let mut position = self.game.position().boxed();
        let at = SegmentAt { cell, segment };
        position.play(&Move::Claim { player: Player(player), at, figure }).ok()?;
        let board = self.set.board(&*position, self.colours, self.script.entry.seed);
        let own = |f: &ArrangedFigure| (f.1, f.2) == (player, cell) && f.0 != PieceKind::Keep;
        let figure = board.figures.iter().copied().find(own)?;
        Some(self.stand(figure))
    }

    fn stand(&mut self, (figure, player, cell, segment, place, lying): ArrangedFigure) -> Placed {
        let turn = self.rng.random_range(-180.0..180.0);
        Placed { figure, player, cell, segment, place, lying, turn }
    }

    fn put(&mut self, figure: Placed) {
        let (player, place) = (figure.player, at_foot(&figure));
        let stop = self.stop(place, vec![Change::Figure(figure)]);
        self.pass(player, Some(Held::Follower(player)), vec![stop]);
    }

    /// Notes from when on a turn's tile and follower can be seen, and ends what blinds.
    fn see(&mut self, n: usize, laid: Option<(u8, Cell, f64)>, follower: bool) {
        let mut tile = laid.map(|(_, _, t)| t);
        let mut stands = follower.then_some(self.t);
        if let Some((from, last, what)) = self.blind.take() {
            if last > n {
                self.blind = Some((from, last, what));
            } else {
                let to = self.t + 0.5;
                let hazard = if what == Trouble::Black { Hazard::Gone } else { Hazard::TwoAtOnce };
                self.script.spells.push(Spell { from, to, what });
                self.t = to;
                (tile, stands) = (tile.map(|_| to), stands.map(|_| to));
                if hazard == Hazard::TwoAtOnce
                    && let Some(before) = n.checked_sub(1).and_then(|m| self.script.turns.get_mut(m))
                {
                    before.tile = before.tile.map(|_| to);
                    before.follower = before.follower.map(|_| to);
                    before.hazards.push(hazard);
                }
                self.note(n, hazard);
            }
        }
        let seen = tile.unwrap_or(self.t);
        if let Some(before) = n.checked_sub(1).and_then(|m| self.script.turns.get_mut(m)) {
            before.over = before.over.min(seen);
        }
        if let Some(turn) = self.script.turns.get_mut(n) {
            (turn.tile, turn.follower) = (tile, stands);
        }
    }

    /// What is done in a step between two turns: a follower comes from a place with a name or is put into
    /// one, the figure that is nobody's moves, a follower is taken back, or nothing. Then what has been
    /// scored goes home.
    fn step(&mut self, fact: &EventKind) -> Result<(), RecordError> {
        let (before, seed) = (standing(&self.board), self.script.entry.seed);
        self.settle(fact.clone())?;
        let after = standing(&self.arranged());
        let came = |f: &ArrangedFigure, player: u8| f.1 == player && f.3.is_none();
        let new = |player: u8| after.iter().find(|(k, f)| came(f, player) && !before.contains_key(k));
        let gone = |player: u8| before.iter().find(|(k, f)| came(f, player) && !after.contains_key(k));
        let neutral = self.game.position().players() as u8;
        let (from, to) = match fact {
            EventKind::FollowerPlaced { player, .. } => (None, new(player.0).map(|n| *n.1)),
            EventKind::NeutralMoved { .. } => (gone(neutral).map(|g| *g.1), new(neutral).map(|n| *n.1)),
            EventKind::FigureMoved { player, to, figure, .. } => {
                let spot = self.set.spot(self.game.position(), *to, *player, seed);
                let kind = PieceKind::of(*figure);
                let to = spot.map(|(place, role)| {
                    (kind, player.0, to.cell, Some(to.segment), place, role.lies() && figure.weight() > 0)
                });
                (gone(player.0).map(|g| *g.1), to)
            }
            _ => (None, None),
        };
        self.t += self.between(0.8, 2.0);
        match (from, to) {
            (Some(from), Some(to)) => self.put_elsewhere(from, to),
            (None, Some(to)) => {
                let figure = self.stand(to);
                self.put(figure);
            }
            _ => {}
        }
        self.board.figures.retain(|f| Some(*f) != from);
        self.board.figures.extend(to);
        // Nobody is forgotten: what is hard about that is in the turns.
        let n = self.script.turns.len().saturating_sub(1);
        self.tidy(n, &BTreeSet::new());
        Ok(())
    }

    /// What a turn's end brings.
    fn end(&mut self, n: usize, wanted: &BTreeSet<Hazard>) {
        self.tidy(n, wanted);
        if wanted.contains(&Hazard::Sorted) {
            self.sort();
        }
    }

    /// What scoring brings: followers go home, keeps and markers move, wall tiles are taken.
    fn tidy(&mut self, n: usize, wanted: &BTreeSet<Hazard>) {
        let board = self.arranged();
        let (before, after) = (standing(&self.board), standing(&board));
        let gone: Vec<ArrangedFigure> =
            before.iter().filter(|(k, _)| !after.contains_key(k)).map(|(_, f)| *f).collect();
        let come: Vec<ArrangedFigure> =
            after.iter().filter(|(k, _)| k.3 && !before.contains_key(k)).map(|(_, f)| *f).collect();
        let scored = !gone.is_empty() || board.totals != self.board.totals;
        if scored {
            self.t += self.between(1.8, 3.2);
        }
        for figure in gone {
            let late = wanted.contains(&Hazard::Forgotten) && self.rng.random_bool(0.25);
            let next = wanted.contains(&Hazard::HomeLate) && self.rng.random_bool(0.5);
            if figure.0 != PieceKind::Keep && (late || next) {
                let turn = n + if late { self.rng.random_range(3..=5) } else { 1 };
                self.note(n, if late { Hazard::Forgotten } else { Hazard::HomeLate });
                self.due.push(Due { turn, figure });
            } else if let Some(keep) = come.iter().find(|c| figure.0 == PieceKind::Keep && c.1 == figure.1) {
                self.put_elsewhere(figure, *keep);
            } else {
                self.take(figure);
            }
        }
        let moved: BTreeSet<u8> =
            before.iter().filter(|(k, _)| k.3 && !after.contains_key(k)).map(|(k, _)| k.0).collect();
        for keep in come.into_iter().filter(|c| !moved.contains(&c.1)) {
            let figure = self.stand(keep);
            let (player, place) = (figure.player, at_foot(&figure));
            let stop = self.stop(place, vec![Change::Figure(figure)]);
            self.pass(player, None, vec![stop]);
        }
        let old: BTreeMap<u8, u32> = self.board.totals.iter().copied().collect();
        for (player, total) in board.totals.clone() {
            let Some(was) = old.get(&player).copied().filter(|was| *was != total) else { continue };
            let change = self.marker(player, total);
            match (self.track_place(was), self.track_place(total)) {
                (Some(from), Some(to)) => {
                    let stops = vec![self.stop(from, Vec::new()), self.stop(to, vec![change])];
                    self.pass(player, None, stops);
                }
                _ => self.act(self.t, change),
            }
        }
        let left: BTreeSet<u8> = board.wall_tiles.iter().map(|t| t.0).collect();
        let taken: Vec<u8> =
            self.board.wall_tiles.iter().map(|t| t.0).filter(|t| !left.contains(t)).collect();
        for space in taken {
            let place = self.track_place(u32::from(space)).unwrap_or_default();
            let stop = self.stop(place, vec![Change::NoWallTile(space)]);
            self.pass(0, None, vec![stop]);
        }
        self.board = board;
    }

    fn take(&mut self, figure: ArrangedFigure) {
        let (figure, player, cell, _, place, _) = figure;
        let at = (f32::from(cell.col) + place.0, f32::from(cell.row) + place.1);
        let mut stop = self.stop(at, vec![Change::NoFigure { player, cell, figure, place }]);
        stop.takes = (figure != PieceKind::Keep).then_some(Held::Follower(player));
        self.pass(player, None, vec![stop]);
        self.t += self.between(0.1, 0.5);
    }

    fn put_elsewhere(&mut self, from: ArrangedFigure, to: ArrangedFigure) {
        let (figure, player, cell, _, place, _) = from;
        let at = (f32::from(cell.col) + place.0, f32::from(cell.row) + place.1);
        let lift = self.stop(at, vec![Change::NoFigure { player, cell, figure, place }]);
        let put = self.stand(to);
        let put = self.stop(at_foot(&put), vec![Change::Figure(put)]);
        self.pass(player, None, vec![lift, put]);
    }

    /// Takes home what is due in a turn.
    fn home(&mut self, n: usize) {
        let (now, later) = std::mem::take(&mut self.due).into_iter().partition(|d| d.turn <= n);
        self.due = later;
        let now: Vec<Due> = now;
        for due in now {
            self.t += self.between(0.5, 1.2);
            self.take(due.figure);
        }
    }

    /// Somebody looks through the tiles that are left, beside the board, and puts them back.
    fn sort(&mut self) {
        let ids: Vec<String> = self.set.deck.tiles.iter().map(|t| t.id.clone()).collect();
        let on_board: BTreeSet<&String> = self.tiles.values().map(|t| &t.0).collect();
        let mut free: Vec<String> = ids.into_iter().filter(|id| !on_board.contains(id)).collect();
        free.shuffle(&mut self.rng);
        free.truncate(4);
        let cells = self.tiles.keys().copied().chain(self.set.wall.iter().flat_map(|w| w.wall.cells()));
        let low = cells.map(|c| c.row).max().map_or(10.0, |r| f32::from(r) + 1.0);
        let edge = self.set.wall.as_ref().map_or(0.8, |w| w.wall.thickness + 0.6);
        for (i, id) in free.iter().enumerate() {
            let place = (1.0 + 1.3 * i as f32 + self.rng.random_range(-0.1..0.1), low + edge + 0.3);
            let turn = self.rng.random_range(-30.0..30.0);
            let stop = self.stop(place, vec![Change::Beside { tile: id.clone(), place, turn }]);
            self.pass(0, Some(Held::Tile(id.clone(), turn)), vec![stop]);
        }
        self.t += self.between(2.0, 4.0);
        for (i, id) in free.iter().enumerate() {
            let place = (1.0 + 1.3 * i as f32, low + edge + 0.3);
            let stop = self.stop(place, vec![Change::NotBeside(id.clone())]);
            self.pass(0, None, vec![stop]);
        }
    }

    /// The end: what is still due goes home, and when the game is over all is packed up.
    fn close(&mut self, whole: bool) {
        self.home(usize::MAX);
        if let Some((from, last, what)) = self.blind.take() {
            self.script.spells.push(Spell { from, to: self.t, what });
            self.note(last.saturating_sub(1), Hazard::TwoAtOnce);
        }
        self.t += 1.0;
        let over = self.t;
        self.script.turns.iter_mut().for_each(|turn| turn.over = turn.over.min(over));
        self.t += 10.0;
        self.script.packed_up = self.t;
        if whole {
            self.pack_up();
        }
        self.script.seconds = self.t + 1.0;
    }

    fn pack_up(&mut self) {
        const A_SWEEP: usize = 8;
        let mut figures = standing(&self.board);
        let laid: Vec<Cell> = {
            let tiles = self.script.acts.iter().filter_map(|a| match &a.change {
                Change::Tile { cell, .. } => Some(*cell),
                _ => None,
            });
            let mut seen = BTreeSet::new();
            let mut order: Vec<Cell> = tiles.collect();
            order.reverse();
            order.retain(|c| self.tiles.contains_key(c) && seen.insert(*c));
            order
        };
        for (i, cells) in laid.chunks(A_SWEEP).enumerate() {
            let mut stops = Vec::new();
            for cell in cells {
                let on_it: Vec<_> =
                    figures.keys().copied().filter(|k| (k.1, k.2) == (cell.col, cell.row)).collect();
                let mut changes: Vec<Change> = on_it
                    .into_iter()
                    .filter_map(|key| figures.remove(&key))
                    .map(|(figure, player, cell, _, place, _)| Change::NoFigure {
                        player,
                        cell,
                        figure,
                        place,
                    })
                    .collect();
                changes.push(Change::NoTile(*cell));
                let mut stop = self.stop(middle(*cell), changes);
                stop.stays = 0.05;
                stops.push(stop);
            }
            self.pass((i % 2) as u8, None, stops);
        }
    }
}

/// The figures of a board by what tells them apart.
fn standing(board: &Board) -> Standing {
    let hundredths = |v: f32| (v * 100.0).round() as i16;
    let key = |f: &ArrangedFigure| {
        let place = [f.4.0, f.4.1].map(hundredths);
        (f.1, f.2.col, f.2.row, f.0 == PieceKind::Keep, place)
    };
    board.figures.iter().map(|f| (key(f), *f)).collect()
}

fn middle(cell: Cell) -> (f32, f32) {
    (f32::from(cell.col) + 0.5, f32::from(cell.row) + 0.5)
}

fn at_foot(figure: &Placed) -> (f32, f32) {
    (f32::from(figure.cell.col) + figure.place.0, f32::from(figure.cell.row) + figure.place.1)
}
