//! The record of a live game while it is written: what is seen, the facts of the newest
//! turn, and what came of each fact.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::doubts::{DoubtChoice, Doubts, Problem};
use super::histories::state::Histories;
use super::saying::{Asks, Saying, said};
use super::standing::nearest_segments;
use super::steady::{Memory, Patience, SteadyFigure};
use crate::observation::Figure;
use crate::record::{Event, EventKind, Game, RecordError, ScoreAt, Source};
use crate::rules::{
    Cell, Consequence, Deck, FaceMap, GamePosition, Kind, Move, Phase, Player, Rotation, SegmentAt, Sentence,
    sentence,
};

/// Writes the record of a game by what is seen of it.
#[derive(Debug)]
pub(super) struct Scribe {
    pub game: Game,
    pub deck: Deck,
    /// Where on each tile of the deck its segments lie; none of a tile without a face.
    pub layouts: Vec<Option<FaceMap>>,
    pub memory: Memory,
    pub histories: Histories,
    pub patience: Patience,
    /// Record time, seconds.
    pub now: f64,
    /// Since when nothing has come to cover the table.
    pub calm_since: Option<f64>,
    pub doubts: Doubts,
    /// Followers that were scored and may still stand, and since when.
    pub lingering: Vec<(Player, Cell, f64)>,
    /// How sure the camera was of the tile in each cell.
    pub confidences: BTreeMap<Cell, f32>,
    /// The newest change of each player's total, such as `+8 path`.
    pub last_change: Vec<Option<String>>,
    /// The facts of the turn that the camera took back last, until the next tile.
    pub taken_back: Vec<(u64, EventKind)>,
    /// Found once for every length of the record.
    known_turn: RefCell<(usize, Option<Turn>)>,
    would_score: (usize, bool),
    /// What the final scoring asked when something was recorded last.
    asked: Vec<String>,
}

/// All that entering a fact may change, as it was.
#[derive(Debug)]
pub(super) struct Snapshot {
    game: Game,
    doubts: Doubts,
    told: (BTreeSet<Cell>, BTreeSet<Cell>),
    confidences: BTreeMap<Cell, f32>,
    taken_back: Vec<(u64, EventKind)>,
    lingering: Vec<(Player, Cell, f64)>,
    last_change: Vec<Option<String>>,
    asked: Vec<String>,
}

/// The facts of the newest turn that has a tile.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    /// The number of the event that laid the tile.
    pub lay: u64,
    pub player: Player,
    pub tile: String,
    pub cell: Cell,
    pub rotation: Rotation,
    /// The number of the event that put a follower on the tile, and on which segment.
    pub claim: Option<(u64, u8)>,
    /// The number of the event that ended the turn.
    pub end: Option<u64>,
    /// When the tile was laid.
    pub t: f64,
}

impl Scribe {
    /// Goes on with a game.
    pub(super) fn new(game: Game, deck: Deck) -> Scribe {
        let patience = Patience::live();
        let players = game.header().players.len();
        let layouts: Vec<Option<FaceMap>> =
            deck.tiles.iter().map(|t| t.face.as_ref().map(FaceMap::new)).collect();
        Scribe {
            now: game.events().last().map_or(0.0, |e| e.t),
            histories: Histories::new(&deck, &layouts, game.position().figures()),
            game,
            deck,
            layouts,
            memory: Memory::new(patience),
            patience,
            calm_since: None,
            doubts: Doubts::default(),
            lingering: Vec::new(),
            confidences: BTreeMap::new(),
            last_change: vec![None; players],
            taken_back: Vec::new(),
            known_turn: RefCell::new((usize::MAX, None)),
            would_score: (usize::MAX, false),
            asked: Vec::new(),
        }
    }

    pub(super) fn position(&self) -> &dyn GamePosition {
        self.game.position()
    }

    /// The events from an index on.
    pub(super) fn since(&self, first: usize) -> Vec<Event> {
        self.game.events().get(first..).unwrap_or_default().to_vec()
    }

    /// The game as it is before the next tile: the running turn ended.
    pub(super) fn waiting_for_tile(&self) -> Option<Box<dyn GamePosition>> {
        self.after_turn().filter(|position| position.phase() == Phase::Tile)
    }

    /// The game with the running turn ended.
    pub(super) fn after_turn(&self) -> Option<Box<dyn GamePosition>> {
        let mut position = self.position().boxed();
        if position.phase() == Phase::Follower {
            position.play(&Move::End { player: position.to_move() }).ok()?;
        }
        Some(position)
    }

    /// Whether the end of the running turn would score something.
    pub(super) fn would_score(&mut self) -> bool {
        let events = self.game.events().len();
        if self.would_score.0 != events {
            let mut position = self.position().boxed();
            let end = Move::End { player: position.to_move() };
            let brought = position.happen(&end, self.game.names());
            let is_score = |c: &Consequence| matches!(c, Consequence::Scored(_));
            let scores = brought.is_ok_and(|(brought, _)| brought.iter().any(is_score));
            // What is scored then waits for what the players do first.
            let scores = scores || position.phase() == Phase::Step;
            self.would_score = (events, scores);
        }
        self.would_score.1
    }

    /// All that entering a fact may change.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            game: self.game.clone(),
            doubts: self.doubts.clone(),
            told: self.histories.all_told(),
            confidences: self.confidences.clone(),
            taken_back: self.taken_back.clone(),
            lingering: self.lingering.clone(),
            last_change: self.last_change.clone(),
            asked: self.asked.clone(),
        }
    }

    /// Makes all as it was.
    pub(super) fn go_back(&mut self, to: Snapshot) {
        self.game = to.game;
        self.doubts = to.doubts;
        self.histories.tell_again(to.told);
        self.confidences = to.confidences;
        self.taken_back = to.taken_back;
        self.lingering = to.lingering;
        self.last_change = to.last_change;
        self.asked = to.asked;
        // As many events may be others.
        self.known_turn = RefCell::new((usize::MAX, None));
        self.would_score = (usize::MAX, false);
    }

    /// Records what the camera saw happen; whether it can have happened.
    pub(super) fn record(&mut self, kind: EventKind, confidence: f32) -> bool {
        let first = self.game.events().len();
        let done = apply(&mut self.game, kind, confidence, self.now).is_ok();
        self.take_notice(first);
        done
    }

    pub(super) fn correct(&mut self, replaces: u64, instead: Option<EventKind>, confidence: f32) -> bool {
        self.record(EventKind::Correction { replaces, instead: instead.map(Box::new) }, confidence)
    }

    /// Records facts if no more of the record is against the rules with them.
    pub(super) fn record_if_better(&mut self, kinds: &[EventKind], confidence: f32) -> bool {
        let Ok(tried) = self.game.with_together(kinds, Source::Camera, confidence, self.now) else {
            return false;
        };
        if !is_no_worse(&tried, &self.game) {
            return false;
        }
        let first = self.game.events().len();
        self.game = tried;
        self.take_notice(first);
        true
    }

    /// Ends the running turn.
    pub(super) fn end_turn(&mut self) -> bool {
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

    /// Looks through the events just recorded for what is shown and remembered.
    pub(super) fn take_notice(&mut self, first: usize) {
        let events = self.since(first);
        for event in &events {
            match &event.kind {
                EventKind::FeatureScored { score, points } => {
                    for follower in &score.followers {
                        self.lingering.retain(|(p, c, _)| (*p, *c) != (follower.player, follower.cell));
                        self.lingering.push((follower.player, follower.cell, self.now));
                    }
                    for player in score.players.iter().filter(|_| *points > 0) {
                        if let Some(slot) = self.last_change.get_mut(player.index()) {
                            *slot = Some(format!("+{points} {}", score.category));
                        }
                    }
                }
                EventKind::Doubt { sentence, cell } => {
                    self.doubts.lasts(Sentence::from(sentence.clone()), *cell)
                }
                EventKind::Correction { .. } | EventKind::Inserted { .. } => {
                    let last_of = |p: Player| {
                        let pays = |s: &&ScoreAt| s.score.players.contains(&p) && s.score.points() > 0;
                        let last = self.game.scores().iter().rev().find(pays)?;
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
        // What the game asks, and what does not fit in it, as long as that is so.
        let mut asked = self.position().open_questions(self.game.names());
        asked.extend(self.game.unfit());
        // What a correction leaves without a place is told right after what it changes.
        let mut recomputed = false;
        let halfway = events.into_iter().filter_map(|event| {
            recomputed = matches!(event.kind, EventKind::Recomputed { .. })
                || recomputed && matches!(event.kind, EventKind::Doubt { .. });
            match event.kind {
                EventKind::Doubt { sentence, cell: None } if recomputed => Some(sentence),
                _ => None,
            }
        });
        let answered: Vec<String> =
            self.asked.drain(..).chain(halfway).filter(|a| !asked.contains(a)).collect();
        self.doubts.unsay(&answered);
        self.asked = asked;
    }

    /// People have said what the events from `first` on have: nothing is in doubt about these
    /// cells.
    pub(super) fn said_by_people(&mut self, first: usize, cells: &[Cell]) {
        self.taken_back.clear();
        self.take_notice(first);
        self.doubts.forget(cells);
        self.confidences.extend(cells.iter().map(|cell| (*cell, 1.0)));
    }

    /// Keeps the problems that are new or still there, and says those that have stayed.
    pub(super) fn note(&mut self, problems: Vec<(Problem, Sentence)>) {
        for problem in self.doubts.note(problems, self.now, self.patience.before_doubt) {
            self.say(problem);
        }
    }

    /// Says an open problem, whether or not it has stayed for long.
    pub(super) fn say(&mut self, problem: Problem) {
        if let Some(sentence) = self.doubts.say(problem) {
            self.game.doubt(sentence.to_string(), problem.cell(), self.now);
        }
    }

    /// Says a doubt that stays until a person has looked at it.
    pub(super) fn doubt_now(&mut self, sentence: Sentence, cell: Cell, asks: Asks) {
        self.doubt_with(sentence, cell, asks, Vec::new());
    }

    /// Says a doubt that stays until a person has looked at it, with what it may be.
    pub(super) fn doubt_with(
        &mut self,
        sentence: Sentence,
        cell: Cell,
        asks: Asks,
        choices: Vec<DoubtChoice>,
    ) {
        self.game.doubt(sentence.to_string(), Some(cell), self.now);
        self.doubts.settle(&[cell]);
        self.doubts.lasts_with(sentence, Some(cell), asks, choices);
    }

    /// Says a doubt about the whole table, which shows in a cell, beside those about that cell.
    pub(super) fn doubt_once(&mut self, sentence: Sentence, cell: Option<Cell>) {
        self.game.doubt(sentence.to_string(), cell, self.now);
        self.doubts.lasts(sentence, cell);
    }

    pub(super) fn is_lingering(&self, player: Player, cell: Cell) -> bool {
        self.lingering.iter().any(|(p, c, _)| *p == player && *c == cell)
    }

    /// Whether a follower of the player is seen in a cell.
    pub(super) fn is_seen(&self, player: Player, cell: Cell) -> bool {
        self.memory.figures(cell).iter().any(|f| f.figure == Figure::Follower && f.player == player.0)
    }

    /// The facts of the newest turn.
    pub(super) fn turn(&self) -> Option<Turn> {
        let events = self.game.events().len();
        let mut known = self.known_turn.borrow_mut();
        if known.0 != events {
            *known = (events, Turn::newest(&self.game, self.now));
        }
        known.1.clone()
    }

    /// How far a figure is from the segments of the tile under it, nearest first, in
    /// tile sides.
    pub(super) fn nearest(&self, cell: Cell, figure: &SteadyFigure) -> Vec<(u8, f32)> {
        let Some((tile, rotation)) = self.position().tile_at(cell) else { return Vec::new() };
        match self.layouts.get(tile) {
            Some(Some(layout)) => nearest_segments(layout, rotation, figure.x, figure.y),
            _ => Vec::new(),
        }
    }

    /// Has figures' places read by the layouts of the tiles as they are printed, in the deck's
    /// order, where there are such.
    pub(super) fn lay_out(&mut self, printed: Vec<Option<FaceMap>>) {
        for (own, printed) in self.layouts.iter_mut().zip(printed) {
            if printed.is_some() && own.is_some() {
                *own = printed;
            }
        }
        self.histories.lay_out(&self.deck, &self.layouts);
    }

    /// What a segment of a tile is, by the tile's index in the deck.
    pub(super) fn kind(&self, tile: usize, segment: u8) -> Option<Kind> {
        let face = self.deck.tiles.get(tile)?.face.as_ref()?;
        Some(face.segments().get(usize::from(segment))?.kind)
    }

    /// What lies under a segment of a tile on the table, in the edition's words.
    pub(super) fn kind_word(&self, at: SegmentAt) -> Option<String> {
        let (tile, _) = self.position().tile_at(at.cell)?;
        Some(self.position().kind_word(self.kind(tile, at.segment)?))
    }

    pub(super) fn name(&self, player: Player) -> &str {
        self.game.names().of(player)
    }

    /// What is said, in a sentence.
    pub(super) fn words(&self, says: &[Saying]) -> Sentence {
        said(says, &|player| self.name(player))
    }

    /// A follower where it is seen: `a follower of Ada stands in D5`.
    pub(super) fn stands(&self, player: Player, cell: Cell) -> Sentence {
        sentence!("a follower of {} stands in {}", self.name(player), cell)
    }

    pub(super) fn tile_id(&self, cell: Cell) -> String {
        let tile = self.position().tile_at(cell).and_then(|t| self.position().tile_id(t.0));
        tile.unwrap_or("?").to_owned()
    }
}

impl Turn {
    /// The newest turn of a game; a tile whose event cannot be found was laid at `now`.
    fn newest(game: &Game, now: f64) -> Option<Turn> {
        let mut turn: Option<Turn> = None;
        for (seq, kind) in game.facts() {
            match kind {
                EventKind::TilePlaced { player, tile, cell, rotation } => {
                    let t = game.events().iter().rev().find(|e| e.seq == seq).map_or(now, |e| e.t);
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
}

/// Records what the camera saw in a game.
pub(super) fn apply(
    game: &mut Game,
    kind: EventKind,
    confidence: f32,
    t: f64,
) -> Result<Vec<Event>, RecordError> {
    game.apply_anyway(kind, Source::Camera, confidence, t)
}

/// Whether no more facts are against the rules or impossible than before.
pub(super) fn is_no_worse(now: &Game, before: &Game) -> bool {
    now.conflicts().len() <= before.conflicts().len() && now.broken().len() <= before.broken().len()
}
