//! A live game: what the camera sees, held against the rules, becomes events.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::placing::{self, Choice, NewTile, REACH};
use super::show::anchors;
use super::standing::nearest_segments;
use super::steady::{Candidate, Memory, Patience, Steady, SteadyFigure};
use super::view::Status;
use crate::observation::{Figure, Observation};
use crate::record::{Event, EventKind, Game, Header, RecordError, Source};
use crate::rules::{
    Cell, Consequence, Deck, GamePosition, Illegality, Kind, Move, Phase, Player, Role, Rotation, SegmentAt,
    Wall, cell_name,
};

/// Cells that must be covered at once for a hand.
const HAND_CELLS: usize = 2;
/// How often the table is compared after one observation: more changes than
/// this wait for the next.
const STEPS: usize = 12;
/// An older tile is only corrected by a reading at least this sure.
const REREAD_CONFIDENCE: f32 = 0.5;
/// So many tiles that vanish at once are no turn taken back: the table is being
/// cleared, or the camera sees another one. Of fewer tiles on the table, half.
const MANY_GONE: usize = 3;
/// Followers that were scored may stay this many times the patience before
/// anybody is reminded.
const LINGER: f64 = 15.0;

/// A live game.
///
/// A reading counts when it stays; a hand over the table suspends judging. A
/// turn is one new tile, perhaps one follower, perhaps followers going home
/// after a scoring. It ends when its follower stands, when a completed feature
/// has been calm for [`Patience::settle`], when the next tile is laid, or by
/// hand. What is found out later corrects the record.
#[derive(Debug)]
pub struct Session {
    pub(super) game: Game,
    pub(super) deck: Deck,
    /// For each tile of the deck, where a follower stands on each segment of
    /// the upright tile.
    pub(super) anchors: Vec<Vec<(f32, f32)>>,
    memory: Memory,
    patience: Patience,
    /// Record time at which observations begin.
    base: f64,
    now: f64,
    calm_since: Option<f64>,
    hand: bool,
    no_wall: Option<String>,
    open: BTreeMap<Problem, Open>,
    lasting: Vec<OpenDoubt>,
    out_of_step: Option<String>,
    lingering: Vec<(Player, Cell, f64)>,
    pub(super) colours: Vec<[u8; 3]>,
    pub(super) confidences: BTreeMap<Cell, f32>,
    pub(super) last_change: Vec<Option<String>>,
    /// Found once for every length of the record.
    known_turn: RefCell<(usize, Option<Turn>)>,
    would_score: (usize, bool),
    /// Many tiles are gone: nothing is recorded until they are back.
    cleared: bool,
    /// Tiles that the players go on without: they count as lying there until
    /// they are seen again.
    excused: BTreeSet<Cell>,
    /// The facts of the turn that the camera took back last, until the next tile.
    taken_back: Vec<(u64, EventKind)>,
}

/// A question that waits for the players.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenDoubt {
    /// The question, in a sentence.
    pub sentence: String,
    /// Where, if in one cell.
    pub cell: Option<Cell>,
}

/// What does not fit, while it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Problem {
    /// A new tile that cannot be named or placed.
    Tile(Cell),
    /// A tile of an earlier turn that reads differently.
    Reread(Cell),
    /// A follower where the record has none.
    Follower(Cell, Player),
    /// A scored follower that stays.
    Lingering(Cell, Player),
    /// Table and record differ beyond that.
    Step,
    /// Many tiles of the record are gone.
    Gone,
}

#[derive(Clone, Debug)]
struct Open {
    sentence: String,
    since: f64,
    said: bool,
}

/// The facts of the newest turn that has a tile.
#[derive(Clone, Debug)]
struct Turn {
    lay: u64,
    player: Player,
    tile: String,
    cell: Cell,
    rotation: Rotation,
    claim: Option<(u64, u8)>,
    end: Option<u64>,
    t: f64,
}

/// How the table differs from the record.
#[derive(Debug, Default)]
struct Difference {
    new: Vec<NewTile>,
    gone: Vec<Cell>,
    changed: Vec<(Cell, Vec<Candidate>, f64)>,
}

impl Session {
    /// A new game.
    ///
    /// # Errors
    /// [`RecordError`] when the header, wall and deck make no game.
    pub fn new<'a>(
        header: Header,
        wall: impl Into<Option<&'a Wall>>,
        deck: Deck,
    ) -> Result<Session, RecordError> {
        Ok(Session::resume(Game::new(header, wall, &deck)?, deck))
    }

    /// Goes on with a game that was recorded before.
    pub fn resume(game: Game, deck: Deck) -> Session {
        let base = game.events().last().map_or(0.0, |e| e.t);
        let patience = Patience::live();
        let players = game.header().players.len();
        let anchors = deck.tiles.iter().map(|t| t.face.as_ref().map_or_else(Vec::new, anchors)).collect();
        Session {
            game,
            deck,
            anchors,
            memory: Memory::new(patience),
            patience,
            base,
            now: base,
            calm_since: None,
            hand: false,
            no_wall: None,
            open: BTreeMap::new(),
            lasting: Vec::new(),
            out_of_step: None,
            lingering: Vec::new(),
            colours: Vec::new(),
            confidences: BTreeMap::new(),
            last_change: vec![None; players],
            known_turn: RefCell::new((usize::MAX, None)),
            would_score: (usize::MAX, false),
            cleared: false,
            excused: BTreeSet::new(),
            taken_back: Vec::new(),
        }
    }

    /// The same game with another patience.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Session {
        self.patience = patience;
        self.memory = Memory::new(patience);
        self
    }

    /// The same game with the players' colours as they look here, sRGB, not as
    /// their words say.
    #[must_use]
    pub fn with_colours(mut self, colours: &[[u8; 3]]) -> Session {
        self.colours = colours.to_vec();
        self
    }

    /// The game so far.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Takes in what a frame shows and gives the events that it decided; `t` is
    /// in seconds since the source began.
    pub fn observe(&mut self, observation: &Observation, t: f64) -> Vec<Event> {
        self.now = self.now.max(self.base + t);
        self.no_wall = None;
        let position = self.game.position();
        self.memory.expect(position.cells().iter().copied().filter(|c| position.tile_at(*c).is_some()));
        self.memory.take(observation, self.now);
        let first = self.game.events().len();
        self.judge();
        self.since(first)
    }

    /// Says that the wall is not in the frame, and why.
    pub fn lost_sight(&mut self, sentence: String) {
        self.no_wall = Some(sentence);
        self.calm_since = None;
    }

    /// Records a fact that a person entered, also one that is against the rules.
    /// A follower, a wall tile or an order of scoring that belongs to the turn
    /// just ended is put into it.
    ///
    /// # Errors
    /// [`RecordError`] when it cannot have happened.
    pub fn apply_by_hand(&mut self, kind: EventKind) -> Result<Vec<Event>, RecordError> {
        let first = self.game.events().len();
        let cells = touched(&self.game, &kind);
        let into_turn = match (&kind, self.turn()) {
            (
                EventKind::FollowerPlaced { player, .. }
                | EventKind::WallTileUsed { player, number: 2 | 3, .. }
                | EventKind::OrderChosen { player, .. },
                Some(turn),
            ) if *player == turn.player => turn.end,
            _ => None,
        };
        let kind = match into_turn {
            Some(before) => EventKind::Inserted { before, fact: Box::new(kind) },
            None => kind,
        };
        self.game.apply_anyway(kind, Source::Hand, 1.0, self.now)?;
        self.taken_back.clear();
        self.take_notice(first);
        self.lasting.retain(|d| d.cell.is_none_or(|c| !cells.contains(&c)));
        self.open.retain(|p, _| p.cell().is_none_or(|c| !cells.contains(&c)));
        for cell in cells {
            self.confidences.insert(cell, 1.0);
        }
        Ok(self.since(first))
    }

    /// The players have looked at the open doubts and let the record stand.
    pub fn accept_doubts(&mut self) {
        self.lasting.clear();
    }

    /// The players go on although tiles are gone from the table: the record has
    /// them, and they count as lying there until they are seen again.
    pub fn go_on(&mut self) {
        self.excused.extend(self.compare().gone);
        self.cleared = false;
        self.out_of_step = None;
        self.open.retain(|p, _| !matches!(p, Problem::Gone | Problem::Step));
    }

    /// The tiles of the record that are not on the table, while the players are
    /// asked about them.
    pub fn missing(&self) -> Vec<Cell> {
        let asked = self.open.iter().any(|(p, o)| o.said && matches!(p, Problem::Gone | Problem::Step));
        if asked { self.compare().gone } else { Vec::new() }
    }

    /// The doubts that wait for the players.
    pub fn doubts(&self) -> Vec<OpenDoubt> {
        let now = self.open.iter().filter(|(_, o)| o.said);
        let now = now.map(|(p, o)| OpenDoubt { sentence: o.sentence.clone(), cell: p.cell() });
        self.lasting.iter().cloned().chain(now).collect()
    }

    /// Ends the running turn: the source is at its end. A game whose last tile
    /// lies is then over.
    pub fn finish(&mut self) -> Vec<Event> {
        let first = self.game.events().len();
        self.end_turn();
        let said: Vec<_> = self.open.iter().filter(|(_, o)| !o.said).map(|(p, _)| *p).collect();
        for problem in said {
            if !matches!(problem, Problem::Lingering(..)) {
                self.say(problem);
            }
        }
        self.since(first)
    }

    /// What the table is doing.
    pub fn status(&self) -> Status {
        if self.game.position().phase() == Phase::Over {
            return Status::Finished;
        }
        if let Some(sentence) = &self.no_wall {
            return Status::NoWall(sentence.clone());
        }
        if let Some(gone) = self.open.get(&Problem::Gone).filter(|o| o.said) {
            return Status::TilesGone(gone.sentence.clone());
        }
        if let Some(sentence) = &self.out_of_step {
            return Status::OutOfStep(sentence.clone());
        }
        if self.hand {
            return Status::HandOverTable;
        }
        match self.doubts().pop() {
            Some(doubt) => Status::Doubt(doubt.sentence),
            None => Status::Playing,
        }
    }

    /// Scored followers that are still seen on the table: whose, and where.
    pub(super) fn lingering(&self) -> impl Iterator<Item = (Player, Cell)> + '_ {
        self.lingering.iter().map(|(p, c, _)| (*p, *c))
    }

    /// Whether a follower of the player is seen in a cell.
    pub(super) fn is_seen(&self, player: Player, cell: Cell) -> bool {
        self.memory.figures(cell).iter().any(|f| f.figure == Figure::Follower && f.player == player.0)
    }

    /// The cell of the newest tile.
    pub(super) fn newest(&self) -> Option<Cell> {
        self.turn().map(|t| t.cell)
    }

    fn position(&self) -> &dyn GamePosition {
        self.game.position()
    }

    fn since(&self, first: usize) -> Vec<Event> {
        self.game.events().get(first..).unwrap_or_default().to_vec()
    }

    fn judge(&mut self) {
        if self.position().phase() == Phase::Over {
            self.hand = false;
            return;
        }
        self.hand = self.memory.freshly_covered() >= HAND_CELLS;
        if self.memory.freshly_covered() > 0 {
            self.calm_since = None;
        } else {
            self.calm_since.get_or_insert(self.now);
        }
        if self.hand {
            return;
        }
        let mut problems = Vec::new();
        for _ in 0..STEPS {
            problems.clear();
            if !self.step(&mut problems) || self.position().phase() == Phase::Over {
                break;
            }
        }
        self.note(problems);
    }

    /// Looks for one thing to record; `true` when it was found, and the table
    /// must be compared anew.
    fn step(&mut self, problems: &mut Vec<(Problem, String)>) -> bool {
        let turn = self.turn();
        let difference = self.compare();
        let newest = turn.as_ref().map(|t| t.cell);
        self.excused.retain(|cell| !self.memory.is_occupied(*cell));
        let laid = self.position().cells().iter().filter(|c| self.position().tile_at(**c).is_some()).count();
        let half = difference.gone.len() >= 2 && 2 * difference.gone.len() >= laid;
        let many = difference.gone.len() >= MANY_GONE || half;
        self.cleared = many || (self.cleared && !difference.gone.is_empty());
        if self.cleared {
            self.restore();
            problems.push((Problem::Gone, gone_words(&difference.gone, laid)));
            return false;
        }
        // One turn may be taken back. When the tile before it goes too, the
        // players are asked.
        let newest = newest.filter(|_| self.taken_back.is_empty());
        let gone: Vec<Cell> = difference.gone.iter().copied().filter(|c| Some(*c) != newest).collect();
        if let Some(cell) = gone.first() {
            let tile = self.tile_id(*cell);
            let sentence = format!(
                "tile {tile} is in the record in {}, but not on the table; put it back",
                cell_name(*cell)
            );
            problems.push((Problem::Step, sentence));
        }
        if self.out_of_step.is_some() {
            if gone.is_empty() && difference.new.len() < 2 {
                self.out_of_step = None;
                self.open.remove(&Problem::Step);
                return true;
            }
            if gone.is_empty() {
                self.place_many(&difference, problems);
            }
            return false;
        }
        if let Some(turn) = &turn {
            let lies = !difference.gone.contains(&turn.cell) && !self.excused.contains(&turn.cell);
            if (lies || gone.is_empty()) && self.revise(turn, &difference) {
                return true;
            }
            if lies && self.follow(turn, problems) {
                return true;
            }
            // Where the newest tile can't be seen it may be on its way elsewhere.
            if self.memory.cell(turn.cell).is_none() {
                return false;
            }
        }
        match difference.new.len() {
            0 => {}
            1 => {
                if self.place_one(&difference.new[0], problems) {
                    return true;
                }
            }
            _ => {
                if self.place_many(&difference, problems) {
                    return true;
                }
            }
        }
        for (cell, candidates, since) in &difference.changed {
            if Some(*cell) != newest && self.reread(*cell, candidates, *since, problems) {
                return true;
            }
        }
        if self.stray_followers(newest, problems) {
            return true;
        }
        turn.is_some_and(|turn| difference.new.is_empty() && self.settle(&turn))
    }

    /// Compares what stays on the table with the record.
    fn compare(&self) -> Difference {
        let mut difference = Difference::default();
        let position = self.position();
        let mut cells: Vec<Cell> = position.cells().to_vec();
        cells.extend(self.memory.cells().filter(|c| !cells.contains(c)).collect::<Vec<_>>());
        for cell in cells {
            let recorded = position.tile_at(cell);
            let known = recorded.and_then(|(tile, rotation)| Some((position.tile_id(tile)?, rotation)));
            if known.is_some_and(|(id, rotation)| self.memory.holds(cell, id, rotation)) {
                continue;
            }
            let Some((steady, since)) = self.memory.cell(cell) else { continue };
            match (recorded, steady) {
                (None, Steady::Empty) => {}
                (None, Steady::Tile(candidates)) => {
                    if !self.memory.is_covered_near(cell) {
                        let figures = self.memory.figures(cell);
                        difference.new.push(NewTile { cell, candidates, figures, since });
                    }
                }
                (Some(_), Steady::Empty) => {
                    if !self.excused.contains(&cell) {
                        difference.gone.push(cell);
                    }
                }
                (Some((tile, rotation)), Steady::Tile(candidates)) => {
                    let id = position.tile_id(tile).unwrap_or_default();
                    let recorded = candidates.iter().find(|c| c.tile == id && c.rotation == rotation);
                    let agrees = match (candidates.first(), recorded) {
                        (None, _) => true,
                        (Some(top), Some(recorded)) => recorded.confidence >= 0.5 * top.confidence,
                        (Some(top), None) => top.confidence < 0.2,
                    };
                    if !agrees {
                        difference.changed.push((cell, candidates, since));
                    }
                }
            }
        }
        difference
    }

    /// The newest tile was moved, turned, taken back or misread.
    fn revise(&mut self, turn: &Turn, difference: &Difference) -> bool {
        let gone = difference.gone.contains(&turn.cell);
        let changed = difference.changed.iter().find(|(c, ..)| *c == turn.cell);
        if !gone && changed.is_none() {
            return false;
        }
        let mut without = self.game.clone();
        if take_back(&mut without, turn, self.now).is_err() {
            return false;
        }
        let (cell, candidates) = match (changed, &difference.new[..]) {
            (Some((cell, candidates, _)), _) => (*cell, candidates),
            (None, [new]) => (new.cell, &new.candidates),
            (None, []) => {
                let first = self.game.events().len();
                let facts = [Some(turn.lay), turn.claim.map(|c| c.0), turn.end];
                let before = self.game.facts();
                let done = take_back(&mut self.game, turn, self.now).is_ok();
                if done {
                    let taken =
                        facts.into_iter().flatten().filter_map(|seq| before.iter().find(|f| f.0 == seq));
                    self.taken_back = taken.cloned().collect();
                }
                self.take_notice(first);
                return done;
            }
            (None, _) => return false,
        };
        let Choice::Clear(candidate) = placing::choose(without.position(), cell, candidates) else {
            return false;
        };
        if cell == turn.cell && candidate.tile == turn.tile && candidate.rotation == turn.rotation {
            return false;
        }
        let instead = EventKind::TilePlaced {
            player: turn.player,
            tile: candidate.tile.clone(),
            cell,
            rotation: candidate.rotation,
        };
        let first = self.game.events().len();
        let mut shorter = turn.clone();
        shorter.lay = 0;
        let done = take_back(&mut self.game, &shorter, self.now).is_ok()
            && self
                .game
                .apply_anyway(
                    EventKind::Correction { replaces: turn.lay, instead: Some(Box::new(instead)) },
                    Source::Camera,
                    candidate.confidence,
                    self.now,
                )
                .is_ok();
        self.confidences.remove(&turn.cell);
        self.confidences.insert(cell, candidate.confidence);
        self.take_notice(first);
        done
    }

    /// Puts the turn that was taken back into the record again: its tile was only
    /// the first of many to go.
    fn restore(&mut self) {
        for (seq, kind) in std::mem::take(&mut self.taken_back) {
            self.correct(seq, Some(kind), 0.8);
        }
    }

    /// Looks for a follower on the newest tile.
    fn follow(&mut self, turn: &Turn, problems: &mut Vec<(Problem, String)>) -> bool {
        let seen: Vec<SteadyFigure> =
            self.memory.figures(turn.cell).into_iter().filter(|f| f.figure == Figure::Follower).collect();
        let own = seen.iter().find(|f| f.player == turn.player.0);
        match (own, turn.claim) {
            (Some(figure), None)
                if !self.is_lingering(turn.player, turn.cell) && self.claim(turn, figure, problems) =>
            {
                return true;
            }
            (Some(figure), Some((seq, segment))) if self.move_claim(turn, figure, seq, segment) => {
                return true;
            }
            (None, Some((seq, _))) => {
                let stands = self.position().followers().iter().any(|f| f.cell == turn.cell);
                if stands && self.memory.is_clear_of(turn.cell, turn.player.0, Figure::Follower) {
                    return self.correct(seq, None, 0.8);
                }
            }
            _ => {}
        }
        match seen.iter().find(|f| f.player != turn.player.0) {
            Some(figure) if own.is_none() && turn.claim.is_none() => self.extra_turn(turn, figure, problems),
            _ => false,
        }
    }

    fn claim(&mut self, turn: &Turn, figure: &SteadyFigure, problems: &mut Vec<(Problem, String)>) -> bool {
        let mut before = self.game.clone();
        if let Some(end) = turn.end
            && apply(&mut before, EventKind::Correction { replaces: end, instead: None }, 1.0, self.now)
                .is_err()
        {
            return false;
        }
        let position = before.position();
        if let Some((at, confidence)) = placing::claim(position, &self.deck, turn.cell, figure)
            && let Some(role) = position.role_at(at)
        {
            let fact =
                EventKind::follower(turn.player, SegmentAt { cell: turn.cell, segment: at.segment }, role);
            let kind = match turn.end {
                Some(end) => EventKind::Inserted { before: end, fact: Box::new(fact) },
                None => fact,
            };
            return self.record(kind, confidence);
        }
        let sentence = self.against_follower(position, turn, figure);
        problems.push((Problem::Follower(turn.cell, turn.player), sentence));
        false
    }

    fn against_follower(&self, position: &dyn GamePosition, turn: &Turn, figure: &SteadyFigure) -> String {
        let name = self.name(turn.player);
        let segment = self.nearest(turn.cell, figure).into_iter().next();
        let at = segment.map(|s| SegmentAt { cell: turn.cell, segment: s.0 });
        let why: Vec<Illegality> =
            at.map(|at| position.illegalities(&Move::Claim { player: turn.player, at })).unwrap_or_default();
        let kind = at.and_then(|at| position.role_at(at)).map_or("tile", place_of);
        match why.first() {
            Some(why) => format!(
                "a follower of {name} stands on the {kind} in {}, but {why}; say where it is meant",
                cell_name(turn.cell)
            ),
            None => format!("a follower of {name} stands in {}, where it has no place", cell_name(turn.cell)),
        }
    }

    /// The follower of the newest tile stands elsewhere than recorded.
    fn move_claim(&mut self, turn: &Turn, figure: &SteadyFigure, seq: u64, segment: u8) -> bool {
        let nearest = self.nearest(turn.cell, figure);
        let away = nearest.iter().find(|n| n.0 == segment).map_or(f32::INFINITY, |n| n.1);
        let Some(&(now, _)) = nearest.first() else { return false };
        if now == segment || away <= REACH || figure.age < self.patience.seconds {
            return false;
        }
        let Some(role) = self.position().role_at(SegmentAt { cell: turn.cell, segment: now }) else {
            return false;
        };
        let at = SegmentAt { cell: turn.cell, segment: now };
        let instead = EventKind::follower(turn.player, at, role);
        let kind = EventKind::Correction { replaces: seq, instead: Some(Box::new(instead)) };
        self.record_if_better(&[kind], figure.confidence)
    }

    /// The follower on the newest tile is the other player's: who laid the tile
    /// had used wall tile 1 (CA-82).
    fn extra_turn(
        &mut self,
        turn: &Turn,
        figure: &SteadyFigure,
        problems: &mut Vec<(Problem, String)>,
    ) -> bool {
        let other = Player(figure.player);
        if other.index() > 1 || self.is_lingering(other, turn.cell) {
            return false;
        }
        let held = self.position().prizes(other);
        let known = held.iter().any(|t| t.1 == Some(1));
        if known || held.iter().any(|t| t.1.is_none()) {
            let used = EventKind::WallTileUsed { player: other, number: 1, on: None };
            let lay = EventKind::TilePlaced {
                player: other,
                tile: turn.tile.clone(),
                cell: turn.cell,
                rotation: turn.rotation,
            };
            let mut kinds = Vec::new();
            if let Some(end) = turn.end {
                kinds.push(EventKind::Correction { replaces: end, instead: None });
            }
            kinds.push(EventKind::Inserted { before: turn.lay, fact: Box::new(used) });
            kinds.push(EventKind::Correction { replaces: turn.lay, instead: Some(Box::new(lay)) });
            if self.record_if_better(&kinds, 0.5) {
                if !known {
                    self.doubt_now(
                        format!(
                            "{} put a follower in {} on {}'s turn and is taken to have used a wall tile 1; correct it if not",
                            self.name(other),
                            cell_name(turn.cell),
                            self.name(turn.player)
                        ),
                        turn.cell,
                    );
                }
                return true;
            }
        }
        let sentence = format!(
            "a follower of {} stands in {} on {}'s tile; say whose turn it was",
            self.name(other),
            cell_name(turn.cell),
            self.name(turn.player)
        );
        problems.push((Problem::Follower(turn.cell, other), sentence));
        false
    }

    /// The game as it is before the next tile: the running turn ended.
    fn waiting_for_tile(&self) -> Option<Box<dyn GamePosition>> {
        let mut position = self.position().boxed();
        if position.phase() == Phase::Follower {
            position.play(&Move::End { player: position.to_move() }).ok()?;
        }
        (position.phase() == Phase::Tile).then_some(position)
    }

    fn place_one(&mut self, new: &NewTile, problems: &mut Vec<(Problem, String)>) -> bool {
        let Some(position) = self.waiting_for_tile() else { return false };
        let patient = self.now - new.since < self.patience.before_doubt;
        match placing::choose(&*position, new.cell, &new.candidates) {
            Choice::Clear(candidate) => self.lay(position.to_move(), new.cell, &candidate),
            Choice::Against(candidate, why) => {
                if patient {
                    return false;
                }
                let sentence = format!(
                    "tile {} was laid in {}, but {}; correct it if it was misread",
                    candidate.tile,
                    cell_name(new.cell),
                    why.iter().map(ToString::to_string).collect::<Vec<_>>().join(", and ")
                );
                let laid = self.lay(position.to_move(), new.cell, &candidate);
                if laid {
                    self.doubt_now(sentence, new.cell);
                }
                laid
            }
            Choice::Unclear(candidates) => {
                let Some(best) = candidates.first() else { return false };
                if patient {
                    return false;
                }
                let sentence = format!(
                    "the tile in {} is taken for {}; it may be {}",
                    cell_name(new.cell),
                    turned(best),
                    either(candidates.iter().skip(1).take(2).map(turned))
                );
                let laid = self.lay(position.to_move(), new.cell, best);
                if laid {
                    self.doubt_now(sentence, new.cell);
                }
                laid
            }
            Choice::Nothing(why) => {
                let sentence = match (new.candidates.first(), why.first()) {
                    (Some(top), Some(why)) => format!(
                        "the tile in {} reads as {}, but {why}; say what it is, or move it",
                        cell_name(new.cell),
                        turned(top)
                    ),
                    _ => format!("the tile in {} cannot be named; say which it is", cell_name(new.cell)),
                };
                problems.push((Problem::Tile(new.cell), sentence));
                false
            }
        }
    }

    fn lay(&mut self, player: Player, cell: Cell, candidate: &Candidate) -> bool {
        let kind = EventKind::TilePlaced {
            player,
            tile: candidate.tile.clone(),
            cell,
            rotation: candidate.rotation,
        };
        let first = self.game.events().len();
        let done = self.game.apply_anyway(kind, Source::Camera, candidate.confidence, self.now).is_ok();
        if done {
            self.taken_back.clear();
            self.confidences.insert(cell, candidate.confidence);
            self.calm_since = Some(self.now);
        }
        self.take_notice(first);
        done
    }

    /// Several new tiles at once: frames were missed.
    fn place_many(&mut self, difference: &Difference, problems: &mut Vec<(Problem, String)>) -> bool {
        let new = &difference.new;
        let Some(position) = self.waiting_for_tile() else { return false };
        let cells: Vec<String> = new.iter().map(|n| cell_name(n.cell)).collect();
        let youngest = new.iter().map(|n| n.since).fold(f64::NEG_INFINITY, f64::max);
        match placing::order(&*position, &self.deck, new) {
            Some(order) if order.certain || self.now - youngest >= self.patience.before_doubt => {
                self.out_of_step = None;
                let mut done = false;
                for (i, candidate) in &order.tiles {
                    let player = self.waiting_for_tile().map(|p| p.to_move());
                    let Some((player, new)) = player.zip(new.get(*i)) else { break };
                    if !self.lay(player, new.cell, candidate) {
                        break;
                    }
                    done = true;
                    if let Some(turn) = self.turn() {
                        self.follow(&turn, problems);
                    }
                }
                if done && !order.certain {
                    let sentence = format!(
                        "several tiles came at once, in {}; they are taken to be laid in this order",
                        listed(&cells)
                    );
                    self.doubt_now(sentence, new[order.tiles[0].0].cell);
                }
                done
            }
            Some(_) => false,
            None => {
                let sentence = format!(
                    "tiles in {} are not in the record and fit no order of turns; enter them by hand or take them away",
                    listed(&cells)
                );
                problems.push((Problem::Step, sentence));
                false
            }
        }
    }

    /// A tile of an earlier turn reads differently for some time.
    fn reread(
        &mut self,
        cell: Cell,
        candidates: &[Candidate],
        since: f64,
        problems: &mut Vec<(Problem, String)>,
    ) -> bool {
        if self.now - since < self.patience.before_doubt {
            return false;
        }
        let Some(top) = candidates.first() else { return false };
        let recorded = self.tile_id(cell);
        let facts = self.game.facts();
        let lay = facts.iter().find_map(|(seq, kind)| match kind {
            EventKind::TilePlaced { player, cell: c, .. } if *c == cell => Some((*seq, *player)),
            _ => None,
        });
        let follower = facts.iter().find_map(|(seq, kind)| match kind {
            EventKind::FollowerPlaced { cell: c, segment, .. } if *c == cell => Some((*seq, *segment)),
            _ => None,
        });
        if let Some((seq, player)) = lay
            && top.confidence >= REREAD_CONFIDENCE
            && follower.is_none_or(|(_, segment)| self.same_segment(cell, top, segment))
        {
            let instead =
                EventKind::TilePlaced { player, tile: top.tile.clone(), cell, rotation: top.rotation };
            let kind = EventKind::Correction { replaces: seq, instead: Some(Box::new(instead)) };
            if self.record_if_better(&[kind], top.confidence) {
                self.confidences.insert(cell, top.confidence);
                return true;
            }
        }
        let sentence = format!(
            "the tile in {} is {recorded} in the record, but reads as {}; correct it if the record is wrong",
            cell_name(cell),
            turned(top)
        );
        problems.push((Problem::Reread(cell), sentence));
        false
    }

    /// Whether a segment of the recorded tile is of the same kind on another.
    fn same_segment(&self, cell: Cell, other: &Candidate, segment: u8) -> bool {
        let kind = |tile: Option<usize>| -> Option<Kind> {
            let face = self.deck.tiles.get(tile?)?.face.as_ref()?;
            Some(face.segments().get(segment as usize)?.kind)
        };
        let recorded = kind(self.position().tile_at(cell).map(|t| t.0));
        recorded.is_some() && recorded == kind(self.deck.index(&other.tile))
    }

    /// Followers on tiles of earlier turns that the record has not.
    fn stray_followers(&mut self, newest: Option<Cell>, problems: &mut Vec<(Problem, String)>) -> bool {
        let expected = self.position().followers();
        let cells: Vec<Cell> = self.position().cells();
        for cell in cells {
            if Some(cell) == newest || self.position().tile_at(cell).is_none() {
                continue;
            }
            for figure in self.memory.figures(cell) {
                let player = Player(figure.player);
                let known = expected.iter().any(|f| f.cell == cell && f.player == player);
                if figure.figure != Figure::Follower || known || player.index() > 1 {
                    continue;
                }
                if let Some((.., since)) = self.lingering.iter().find(|(p, c, _)| *p == player && *c == cell)
                {
                    if self.now - since >= LINGER * self.patience.before_doubt {
                        let sentence = format!(
                            "{}'s follower in {} has been scored; take it home",
                            self.name(player),
                            cell_name(cell)
                        );
                        problems.push((Problem::Lingering(cell, player), sentence));
                    }
                    continue;
                }
                if figure.age < self.patience.before_doubt && self.patience.readings > 1 {
                    continue;
                }
                if self.insert_follower(cell, &figure) {
                    return true;
                }
                if !self.may_be_keep(cell, &figure) {
                    let sentence = format!(
                        "a follower of {} stands in {}, where the record has none",
                        self.name(player),
                        cell_name(cell)
                    );
                    problems.push((Problem::Follower(cell, player), sentence));
                }
            }
        }
        false
    }

    /// Puts a follower that was missed into the turn of its tile.
    fn insert_follower(&mut self, cell: Cell, figure: &SteadyFigure) -> bool {
        let facts = self.game.facts();
        let lay = facts.iter().position(
            |(_, k)| matches!(k, EventKind::TilePlaced { cell: c, player, .. } if *c == cell && player.0 == figure.player),
        );
        let Some(lay) = lay else { return false };
        let Some((next, kind)) = facts.get(lay + 1) else { return false };
        if !matches!(kind, EventKind::TurnEnded { .. }) {
            return false;
        }
        let player = Player(figure.player);
        for (segment, distance) in self.nearest(cell, figure) {
            if distance > REACH {
                return false;
            }
            let at = SegmentAt { cell, segment };
            let Some(role) = self.position().role_at(at) else { continue };
            let fact = EventKind::follower(player, at, role);
            let kind = EventKind::Inserted { before: *next, fact: Box::new(fact) };
            let mut tried = self.game.clone();
            if apply(&mut tried, kind.clone(), figure.confidence, self.now).is_ok()
                && is_no_worse(&tried, &self.game)
                && tried.position().followers().iter().any(|f| f.cell == cell && f.player == player)
            {
                return self.record(kind, figure.confidence * (1.0 - 0.5 * distance / REACH));
            }
        }
        false
    }

    /// Whether a figure taken for a follower may be its player's keep.
    fn may_be_keep(&self, cell: Cell, figure: &SteadyFigure) -> bool {
        let on_house = self
            .nearest(cell, figure)
            .first()
            .and_then(|(segment, _)| self.position().role_at(SegmentAt { cell, segment: *segment }))
            .is_some_and(|role| role == Role::Squire);
        on_house && self.position().largest(Player(figure.player)).is_some()
    }

    /// Ends the turn once nothing more can come, or what it completed has been
    /// calm for long enough.
    fn settle(&mut self, turn: &Turn) -> bool {
        if turn.end.is_some() || self.position().phase() != Phase::Follower {
            return false;
        }
        let Some(calm) = self.calm_since else { return false };
        let calm = self.now - calm.max(turn.t);
        let waited = turn.claim.is_some()
            || (calm >= self.patience.settle && self.would_score())
            || (calm >= 2.0 * self.patience.before_doubt && self.position().tiles_left() == 0);
        waited && self.end_turn()
    }

    fn would_score(&mut self) -> bool {
        let events = self.game.events().len();
        if self.would_score.0 != events {
            let mut position = self.position().boxed();
            let end = Move::End { player: position.to_move() };
            let brought = position.happen(&end, self.game.names());
            let is_score = |c: &Consequence| matches!(c, Consequence::Scored(_));
            let scores = brought.is_ok_and(|(brought, _)| brought.iter().any(is_score));
            self.would_score = (events, scores);
        }
        self.would_score.1
    }

    fn end_turn(&mut self) -> bool {
        let position = self.position();
        if position.phase() != Phase::Follower {
            return false;
        }
        let kind = EventKind::TurnEnded { player: position.to_move(), turn: position.turn() };
        let first = self.game.events().len();
        let done = self.game.apply_anyway(kind, Source::Table, 1.0, self.now).is_ok();
        self.take_notice(first);
        done
    }

    /// Keeps the problems that are new or still there, and says those that have
    /// stayed.
    fn note(&mut self, problems: Vec<(Problem, String)>) {
        let mut kept = BTreeMap::new();
        for (problem, sentence) in problems {
            let open = self.open.remove(&problem).unwrap_or(Open {
                sentence: sentence.clone(),
                since: self.now,
                said: false,
            });
            kept.insert(problem, Open { sentence, ..open });
        }
        self.open = kept;
        if !self.open.contains_key(&Problem::Step) {
            self.out_of_step = None;
        }
        let due: Vec<Problem> = self
            .open
            .iter()
            .filter(|(_, o)| !o.said && self.now - o.since >= self.patience.before_doubt)
            .map(|(p, _)| *p)
            .collect();
        for problem in due {
            self.say(problem);
        }
    }

    fn say(&mut self, problem: Problem) {
        let Some(open) = self.open.get_mut(&problem) else { return };
        open.said = true;
        let sentence = open.sentence.clone();
        if problem == Problem::Step {
            self.out_of_step = Some(sentence.clone());
        }
        self.game.doubt(sentence, problem.cell(), self.now);
    }

    /// Says a doubt that stays until a person has looked at it.
    fn doubt_now(&mut self, sentence: String, cell: Cell) {
        self.game.doubt(sentence.clone(), Some(cell), self.now);
        self.lasting.retain(|d| d.cell != Some(cell));
        self.lasting.push(OpenDoubt { sentence, cell: Some(cell) });
    }

    fn record(&mut self, kind: EventKind, confidence: f32) -> bool {
        let first = self.game.events().len();
        let done = apply(&mut self.game, kind, confidence, self.now).is_ok();
        self.take_notice(first);
        done
    }

    fn correct(&mut self, replaces: u64, instead: Option<EventKind>, confidence: f32) -> bool {
        self.record(EventKind::Correction { replaces, instead: instead.map(Box::new) }, confidence)
    }

    /// Records facts if no more of the record is against the rules with them.
    fn record_if_better(&mut self, kinds: &[EventKind], confidence: f32) -> bool {
        let mut tried = self.game.clone();
        for kind in kinds {
            if apply(&mut tried, kind.clone(), confidence, self.now).is_err() {
                return false;
            }
        }
        if !is_no_worse(&tried, &self.game) {
            return false;
        }
        let first = self.game.events().len();
        self.game = tried;
        self.take_notice(first);
        true
    }

    /// Looks through the events just recorded for what is shown and remembered.
    fn take_notice(&mut self, first: usize) {
        let events = self.since(first);
        for event in &events {
            match &event.kind {
                EventKind::FeatureScored { score, points } => {
                    for follower in &score.followers {
                        self.lingering.retain(|(p, c, _)| (*p, *c) != (follower.player, follower.cell));
                        self.lingering.push((follower.player, follower.cell, self.now));
                    }
                    for player in &score.players {
                        if let Some(slot) = self.last_change.get_mut(player.index()) {
                            *slot = Some(format!("+{points} {}", score.category));
                        }
                    }
                }
                EventKind::Doubt { sentence, cell } => {
                    self.lasting.push(OpenDoubt { sentence: sentence.clone(), cell: *cell });
                }
                EventKind::Correction { .. } | EventKind::Inserted { .. } => {
                    let last_of = |p: Player| {
                        let last = self.game.scores().iter().rev().find(|s| s.score.players.contains(&p))?;
                        Some(format!("+{} {}", last.score.points(), last.score.category))
                    };
                    self.last_change = self.game.players().map(last_of).collect();
                    let standing = self.game.position().followers();
                    self.lingering
                        .retain(|(p, c, _)| !standing.iter().any(|f| f.player == *p && f.cell == *c));
                }
                _ => {}
            }
        }
    }

    fn is_lingering(&self, player: Player, cell: Cell) -> bool {
        self.lingering.iter().any(|(p, c, _)| *p == player && *c == cell)
    }

    fn turn(&self) -> Option<Turn> {
        let events = self.game.events().len();
        let mut known = self.known_turn.borrow_mut();
        if known.0 != events {
            *known = (events, self.find_turn());
        }
        known.1.clone()
    }

    fn find_turn(&self) -> Option<Turn> {
        let mut turn: Option<Turn> = None;
        for (seq, kind) in self.game.facts() {
            match kind {
                EventKind::TilePlaced { player, tile, cell, rotation } => {
                    let t = self.game.events().iter().rev().find(|e| e.seq == seq).map_or(self.now, |e| e.t);
                    turn = Some(Turn { lay: seq, player, tile, cell, rotation, claim: None, end: None, t });
                }
                EventKind::FollowerPlaced { cell, segment, .. } => {
                    if let Some(turn) = turn.as_mut().filter(|t| t.cell == cell) {
                        turn.claim = Some((seq, segment));
                    }
                }
                EventKind::TurnEnded { .. } => {
                    if let Some(turn) = &mut turn {
                        turn.end = Some(seq);
                    }
                }
                _ => {}
            }
        }
        turn
    }

    fn nearest(&self, cell: Cell, figure: &SteadyFigure) -> Vec<(u8, f32)> {
        let Some((tile, rotation)) = self.position().tile_at(cell) else { return Vec::new() };
        match self.deck.tiles.get(tile).and_then(|t| t.face.as_ref()) {
            Some(face) => nearest_segments(face, rotation, figure.x, figure.y),
            None => Vec::new(),
        }
    }

    fn name(&self, player: Player) -> String {
        self.game.names().of(player).to_owned()
    }

    fn tile_id(&self, cell: Cell) -> String {
        let tile = self.position().tile_at(cell).and_then(|t| self.position().tile_id(t.0));
        tile.unwrap_or("?").to_owned()
    }
}

impl Problem {
    fn cell(self) -> Option<Cell> {
        match self {
            Problem::Tile(cell)
            | Problem::Reread(cell)
            | Problem::Follower(cell, _)
            | Problem::Lingering(cell, _) => Some(cell),
            Problem::Step | Problem::Gone => None,
        }
    }
}

fn apply(game: &mut Game, kind: EventKind, confidence: f32, t: f64) -> Result<Vec<Event>, RecordError> {
    game.apply_anyway(kind, Source::Camera, confidence, t)
}

/// Takes a turn back, the last fact first; a `lay` of 0 leaves its tile.
fn take_back(game: &mut Game, turn: &Turn, t: f64) -> Result<(), RecordError> {
    let lay = (turn.lay > 0).then_some(turn.lay);
    for seq in [turn.end, turn.claim.map(|c| c.0), lay].into_iter().flatten() {
        apply(game, EventKind::Correction { replaces: seq, instead: None }, 0.8, t)?;
    }
    Ok(())
}

/// Whether no more facts are against the rules or impossible than before.
fn is_no_worse(now: &Game, before: &Game) -> bool {
    now.conflicts().len() <= before.conflicts().len() && now.broken().len() <= before.broken().len()
}

/// The cells that a person's entry is about.
fn touched(game: &Game, kind: &EventKind) -> Vec<Cell> {
    match kind {
        EventKind::TilePlaced { cell, .. } | EventKind::FollowerPlaced { cell, .. } => vec![*cell],
        EventKind::Inserted { fact, .. } => touched(game, fact),
        EventKind::Correction { replaces, instead } => {
            let old = game.facts().into_iter().find(|(seq, _)| seq == replaces);
            let mut cells = old.map(|(_, kind)| touched(game, &kind)).unwrap_or_default();
            cells.extend(instead.iter().flat_map(|kind| touched(game, kind)));
            cells
        }
        _ => Vec::new(),
    }
}

/// What is asked when many tiles of the record are gone.
fn gone_words(gone: &[Cell], laid: usize) -> String {
    let first = gone.first().map_or_else(String::new, |cell| cell_name(*cell));
    let what = match gone.len() {
        1 => format!("1 of {laid} tiles is gone from the table, in {first}"),
        n => format!("{n} of {laid} tiles are gone from the table, the first in {first}"),
    };
    format!("{what}; the record stays: put back what is missing, end the game or go on without")
}

/// A few cells by their words, and how many more there are.
fn listed(cells: &[String]) -> String {
    match cells {
        [first, second, rest @ ..] if rest.len() > 1 => {
            format!("{first}, {second} and {} more places", rest.len())
        }
        _ => cells.join(" and "),
    }
}

fn turned(candidate: &Candidate) -> String {
    match candidate.rotation.quarters() {
        0 => candidate.tile.clone(),
        1 => format!("{} turned once", candidate.tile),
        2 => format!("{} turned twice", candidate.tile),
        _ => format!("{} turned three times", candidate.tile),
    }
}

fn either(words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    if words.is_empty() { "another".to_owned() } else { words.join(" or ") }
}

fn place_of(role: Role) -> &'static str {
    match role {
        Role::Herald => "path",
        Role::Knight => "tower",
        Role::Squire => "house",
        _ => "court",
    }
}
