//! What the players are asked, and what each answer makes of the record.

use super::asked::{About, Answer, Asked, Question};
use super::doubts::OpenDoubt;
use super::saying::{Asks, Saying};
use super::scribe::Scribe;
use super::session::Session;
use super::show::{cell_view, follower_view};
use super::steady::{Steady, SteadyFigure};
use super::view::{CellView, Status};
use crate::observation::Figure;
use crate::record::{
    Change, CorrectionError, Edit, Event, EventKind, Game, Preview, RecordError, Source, TurnFacts, to_fact,
};
use crate::rules::{
    Cell, FigureKind, GamePosition, Move, Phase, Player, Rotation, SegmentAt, Sentence, sentence,
};

/// How far from a segment a figure is still offered to stand on it, in tile sides: half as far
/// again as the largest error of a foot on tables of another hand.
const REACH: f32 = 0.3;
/// The most that is offered beside the record's own.
const OTHERS: usize = 3;
/// What an answer says, and the facts that it adds to the record.
type Offered = (Vec<Saying>, Vec<EventKind>);
/// Of each number there are so many wall tiles (CA-04).
const OF_EACH: usize = 2;

impl Session {
    /// What the players are asked: doubts, then the numbers of wall tiles
    /// that nobody has named. While tiles are gone that comes first: they may lie there all the
    /// same. What new tiles mean that fit nowhere is no question: [`Session::status`] says what
    /// to do at the table.
    pub fn questions(&self) -> Vec<Question> {
        let (events, doubts, left) = (self.game().events().len(), self.doubts(), self.left_unnamed.len());
        let (gone, status) = (self.missing(), self.status());
        let mut asked = self.asked.borrow_mut();
        let same = (asked.events, asked.left) == (events, left)
            && asked.doubts == doubts
            && asked.gone == gone
            && asked.status == status;
        // What could not be read may be in view by now.
        let by_reading = |about: &About| matches!(about, About::Doubt(d) if d.by_reading && d.cell.is_some());
        let unread = asked.questions.iter().any(|q| q.answers.is_empty() && by_reading(&q.about));
        if !same || unread {
            let open = doubts.iter().rev().filter(|d| d.may_stand);
            let mut questions: Vec<Question> = self.about_gone().into_iter().collect();
            questions.extend(open.map(|d| self.scribe.about(d)));
            questions.extend(self.about_wall_tiles());
            *asked = Asked { events, doubts, left, gone, status, questions };
        }
        asked.questions.clone()
    }

    /// Takes an answer to a question, by its key: all that it says, or nothing.
    ///
    /// # Errors
    /// [`RecordError`] when the question is open no more, has no such answer, or what it says
    /// cannot have happened.
    pub fn answer(&mut self, question: &Question, key: u8) -> Result<Vec<Event>, RecordError> {
        let open = self.still_open(question)?;
        let Some(at) = open.answers.iter().position(|a| a.key == key) else {
            let keys: Vec<String> = open.answers.iter().map(|a| a.key.to_string()).collect();
            let sentence = match keys.as_slice() {
                [] => sentence!("nothing can be chosen here; do at the table what the question says"),
                keys => sentence!("{} is none of the answers; they are {}", key, keys.join(", ")),
            };
            return Err(RecordError::Unknown(sentence));
        };
        let lay = open.cell.and_then(|cell| Some((cell, self.tile_in(cell)?)));
        let events = match &open.about {
            About::Doubt(doubt) if doubt.choices.len() > 1 => self.choose(doubt, at),
            About::Doubt(doubt) => {
                let (doubt, kinds) = (doubt.clone(), open.answers[at].kinds.clone());
                if kinds.is_empty() {
                    self.let_doubt_stand(&doubt);
                    self.keep_unchanged();
                    return Ok(Vec::new());
                }
                let events = self.apply_all(kinds)?;
                self.settle(&doubt);
                Ok(events)
            }
            About::Gone(_) if open.answers[at].kinds.is_empty() => {
                self.go_on();
                self.keep_unchanged();
                Ok(Vec::new())
            }
            About::WallTile(..) | About::Unseen | About::Gone(_) => {
                self.apply_all(open.answers[at].kinds.clone())
            }
        }?;
        self.none.extend(lay.filter(|(cell, _)| self.tile_in(*cell).is_none()));
        Ok(events)
    }

    /// What a camera does not see and may have happened now or in the turn just over: wall
    /// tiles used, an order of scoring, a follower. It is never among [`Session::questions`]:
    /// people who want to say something ask for it.
    pub fn unseen(&self) -> Question {
        let game = self.game();
        let mut moves: Vec<(Box<dyn GamePosition>, Move)> = Vec::new();
        // The turn just over, before it ended.
        let turns = game.turns();
        let ended = turns.last().filter(|t| ends(t)).map(|turn| {
            let mut open = turn.clone();
            open.facts.retain(|(_, kind)| !matches!(kind, EventKind::TurnEnded { .. }));
            let before = turns.get(..turns.len() - 1).unwrap_or_default();
            game.position_after(&[before, &[open]].concat())
        });
        for position in ended.into_iter().chain([game.position().boxed()]) {
            let mut all = position.legal_moves(&[]);
            for player in game.players().filter(|p| position.prizes(*p).iter().any(|t| t.1.is_none())) {
                let uses = (1..=3).map(|number| Move::Use { player, number, on: None });
                all.extend(uses.filter(|used| position.illegalities(used).is_empty()));
            }
            for played in all {
                let told = matches!(played, Move::Use { .. } | Move::Order { .. } | Move::Claim { .. });
                if told && !moves.iter().any(|(_, known)| *known == played) {
                    moves.push((position.boxed(), played));
                }
            }
        }
        let rank = |played: &Move| match played {
            Move::Use { .. } => 0,
            Move::Order { .. } => 1,
            _ => 2,
        };
        moves.sort_by_key(|(_, played)| rank(played));
        let answers = moves.iter().filter_map(|(position, played)| {
            let kind = to_fact(&**position, played)?;
            Some((self.scribe.unseen_says(&kind), vec![kind]))
        });
        let answers = (1..=9).zip(answers).map(|(key, offered)| self.scribe.offer(key, offered));
        Question {
            sentence: sentence!("what did the camera not see?"),
            cell: None,
            answers: answers.collect(),
            may_stand: false,
            about: About::Unseen,
        }
    }

    /// Leaves a question as it is: the record stands, a wall tile's number is asked no more.
    ///
    /// # Errors
    /// [`RecordError`] when it is open no more, or something must be done at the table.
    pub fn leave(&mut self, question: &Question) -> Result<(), RecordError> {
        let open = self.still_open(question)?;
        if !open.may_stand {
            let sentence = sentence!("this cannot be left as it is; do at the table what it says");
            return Err(RecordError::Unknown(sentence));
        }
        match open.about {
            About::Doubt(doubt) => self.let_doubt_stand(&doubt),
            About::WallTile(_, tower) => {
                self.left_unnamed.insert(tower);
            }
            About::Gone(_) => self.go_on(),
            About::Unseen => {}
        }
        self.keep_unchanged();
        Ok(())
    }

    /// How the cell of a question lies if an answer is right; `None` where it is about no one
    /// cell.
    pub fn as_answered(&self, question: &Question, answer: &Answer) -> Option<CellView> {
        if matches!(question.about, About::WallTile(..) | About::Unseen) {
            return None;
        }
        let mut game = self.game().clone();
        for kind in &answer.kinds {
            game.apply_anyway(kind.clone(), Source::Hand, 1.0, self.scribe.now).ok()?;
        }
        let cell = question.cell.or_else(|| {
            let mut cells = answer.kinds.iter().flat_map(|kind| game.cells_of(kind));
            let first = cells.next()?;
            cells.all(|cell| cell == first).then_some(first)
        })?;
        as_put(&game, &self.anchors, cell)
    }

    /// What a correction would change, and how the cell that it is about would lie.
    ///
    /// # Errors
    /// [`CorrectionError`] when it cannot be made.
    pub fn preview(&self, change: &Change) -> Result<(Preview, Option<CellView>), CorrectionError> {
        let preview = self.game().preview(change)?;
        let mut after = self.game().clone();
        after.correct(change, self.scribe.now)?;
        let cell = change.cells(&after).first().copied();
        Ok((preview, cell.and_then(|cell| cell_view(&after, &self.anchors, cell))))
    }

    fn still_open(&self, question: &Question) -> Result<Question, RecordError> {
        let same = |q: &Question| {
            q.cell == question.cell
                && match (&q.about, &question.about) {
                    (About::WallTile(_, a), About::WallTile(_, b)) => a == b,
                    (About::Gone(a), About::Gone(b)) => a == b,
                    (About::Doubt(_), About::Doubt(_)) => {
                        q.sentence == question.sentence && q.answers == question.answers
                    }
                    _ => false,
                }
        };
        let open = match question.about {
            About::Unseen => Some(self.unseen()).filter(|now| now.answers == question.answers),
            _ => self.questions().into_iter().find(same),
        };
        open.ok_or_else(|| {
            RecordError::Unknown(sentence!("the question is open no more; look at those that are"))
        })
    }

    /// The tile that the record has in a cell, by its name, and how it is turned.
    fn tile_in(&self, cell: Cell) -> Option<(String, Rotation)> {
        let (tile, rotation) = self.game().position().tile_at(cell)?;
        Some((self.game().position().tile_id(tile)?.to_owned(), rotation))
    }

    fn let_doubt_stand(&mut self, doubt: &OpenDoubt) {
        self.scribe.doubts.let_stand(&doubt.sentence);
        if let Some(cell) = doubt.cell {
            self.scribe.histories.settle(cell);
        }
    }

    /// Whether the tiles lie there that the record has and that are not seen.
    fn about_gone(&self) -> Option<Question> {
        let gone = self.missing();
        let sentence = match self.status() {
            Status::OutOfStep(sentence) | Status::TilesGone(sentence) => sentence,
            _ => return None,
        };
        let lies = match gone.as_slice() {
            [] => return None,
            [cell] => Saying::Lies(self.scribe.tile_id(*cell).to_owned(), *cell),
            all => Saying::AllLie(all.len()),
        };
        let mut answers = vec![(vec![lies], Vec::new())];
        if let [cell] = gone.as_slice()
            && let Some((turn, _)) = turn_of(self.game(), *cell)
            && let Ok(kinds) = self.game().corrections(&Change::Delete(turn))
        {
            answers.push((vec![Saying::NotHappened(turn)], kinds));
        }
        let answers = (1..).zip(answers).map(|(key, offered)| self.scribe.offer(key, offered));
        Some(Question {
            sentence,
            cell: if let [cell] = gone.as_slice() { Some(*cell) } else { None },
            answers: answers.collect(),
            may_stand: false,
            about: About::Gone(gone),
        })
    }

    /// Which numbers the wall tiles have that were taken and that nobody has named (CA-70).
    fn about_wall_tiles(&self) -> Vec<Question> {
        let game = self.game();
        let position = game.position();
        let all: Vec<(Player, u8, Option<u8>)> =
            game.players().flat_map(|p| position.prizes(p).into_iter().map(move |t| (p, t.0, t.1))).collect();
        let known = |number: u8| {
            let on_wall = position.prizes_on_track();
            all.iter().map(|t| t.2).chain(on_wall.iter().map(|t| t.1)).filter(|n| *n == Some(number)).count()
        };
        let free: Vec<(u8, u8, String)> = keyed((1..=9).map(|n| (n, position.prize_word(n))))
            .filter(|(_, number, _)| known(*number) < OF_EACH)
            .collect();
        let open = all.iter().filter(|t| t.2.is_none() && !self.left_unnamed.contains(&t.1));
        open.map(|&(player, tower, _)| {
            let taken = EventKind::WallTileTaken { player, tower, number: None };
            let answers = free.iter().map(|(key, number, words)| Answer {
                key: *key,
                words: Sentence::word(words),
                kinds: vec![EventKind::WallTileShown { tower, number: *number }],
            });
            Question {
                sentence: sentence!("{}; say which number it has", game.wording().sentence(&taken)),
                cell: None,
                answers: answers.collect(),
                may_stand: true,
                about: About::WallTile(player, tower),
            }
        })
        .collect()
    }
}

/// Numbers of wall tiles with the digits that give them: those printed on them, where each has
/// one of its own, else their numbers of 2003.
fn keyed(words: impl Iterator<Item = (u8, String)>) -> impl Iterator<Item = (u8, u8, String)> {
    let all: Vec<(u8, String)> = words.collect();
    let printed: Vec<Option<u8>> =
        all.iter().map(|(_, word)| word.parse().ok().filter(|n| (1..=9).contains(n))).collect();
    let mut sorted: Vec<u8> = printed.iter().copied().flatten().collect();
    sorted.sort_unstable();
    sorted.dedup();
    let by_print = sorted.len() == all.len();
    all.into_iter().zip(printed).map(move |((number, word), printed)| {
        (if by_print { printed.unwrap_or(number) } else { number }, number, word)
    })
}

impl Scribe {
    /// What is offered, as an answer.
    fn offer(&self, key: u8, (says, kinds): Offered) -> Answer {
        Answer { key, words: self.words(&says), kinds }
    }

    /// Something that the camera did not see.
    fn unseen_says(&self, kind: &EventKind) -> Vec<Saying> {
        let on = |at: SegmentAt| {
            let lies = self.position().tile_at(at.cell);
            lies.map(|(t, r)| self.segment_view(t, r, at.segment)).unwrap_or_default()
        };
        match kind {
            EventKind::OrderChosen { features, .. } => {
                vec![Saying::Scored(features.iter().map(|at| (on(*at), at.cell)).collect())]
            }
            EventKind::FollowerPlaced { player, cell, segment, figure, .. } => {
                let at = SegmentAt { cell: *cell, segment: *segment };
                vec![Saying::Figure(*figure, player.index(), on(at)), Saying::In(*cell)]
            }
            EventKind::WallTileUsed { player, number, .. } => {
                vec![Saying::Uses(player.index(), self.position().prize_word(*number))]
            }
            kind => vec![Saying::Told(self.game.wording().told(kind))],
        }
    }

    /// A doubt as a question: what the tracker offers, else what its cell reads as.
    fn about(&self, doubt: &OpenDoubt) -> Question {
        let offered = match doubt.choices.as_slice() {
            [] if !doubt.by_reading => Vec::new(),
            [] => doubt.cell.map_or_else(
                || self.scoring_orders(&doubt.sentence.to_string()),
                |cell| self.readings_of(cell, doubt.asks == Asks::Against),
            ),
            // The record as it is alone is no choice.
            [_] => Vec::new(),
            choices => choices.iter().map(|c| (c.says.clone(), c.kinds.clone())).collect(),
        };
        let answers = (1..).zip(offered).map(|(key, offered)| self.offer(key, offered));
        Question {
            sentence: doubt.sentence.clone(),
            cell: doubt.cell,
            answers: answers.collect(),
            may_stand: doubt.may_stand,
            about: About::Doubt(doubt.clone()),
        }
    }

    /// The orders in which the features of a turn may have been scored, of which a sentence says
    /// that they matter (CA-72, CA-73): the record's first, of others that come to the same one.
    fn scoring_orders(&self, sentence: &str) -> Vec<Offered> {
        let turns = self.game.turns();
        let is_it = |turn: &&TurnFacts| sentence.contains(&format!("features of turn {} ", turn.turn));
        let Some(turn) = turns.iter().find(is_it) else { return Vec::new() };
        let ends = |kind: &EventKind| matches!(kind, EventKind::TurnEnded { .. });
        let Some((end, _)) = turn.facts.iter().find(|(_, kind)| ends(kind)).cloned() else {
            return Vec::new();
        };
        let mut open = turn.clone();
        open.facts.retain(|(_, kind)| !ends(kind));
        let before: Vec<TurnFacts> = turns.iter().take_while(|t| t.turn != turn.turn).cloned().collect();
        let position = self.game.position_after(&[before.as_slice(), &[open]].concat());
        let came = |game: &Game| -> Vec<_> {
            game.players().map(|p| (game.position().total(p), game.position().prizes(p))).collect()
        };
        let (own, mut known) = (came(&self.game), Vec::new());
        let mut all = Vec::new();
        for played in position.legal_moves(&[]).iter().filter(|m| matches!(m, Move::Order { .. })) {
            let Some(fact) = to_fact(&*position, played) else { continue };
            let mut says = self.unseen_says(&fact);
            let kind = EventKind::Inserted { before: end, fact: Box::new(fact) };
            let mut after = self.game.clone();
            if after.apply_anyway(kind.clone(), Source::Hand, 1.0, self.now).is_err() {
                continue;
            }
            let comes = came(&after);
            if known.contains(&comes) {
                continue;
            }
            if comes == own {
                says.push(Saying::AsRecorded);
                all.insert(0, (says, Vec::new()));
            } else {
                all.push((says, vec![kind]));
            }
            known.push(comes);
        }
        // The record's own alone is no choice.
        if all.len() < 2 { Vec::new() } else { all.into_iter().take(9).collect() }
    }

    /// What a cell may hold by what is seen there: the record's own first, where it has a tile. One that is
    /// recorded `against` the rules may be none.
    fn readings_of(&self, cell: Cell, against: bool) -> Vec<Offered> {
        let own = self
            .position()
            .tile_at(cell)
            .and_then(|(tile, rotation)| Some((self.position().tile_id(tile)?.to_owned(), rotation)));
        let others: Vec<Offered> = match &own {
            Some((tile, rotation)) => {
                let mut all = self.other_figures(cell);
                all.extend(self.other_tiles(cell, tile, *rotation));
                all.extend(self.gone_figures(cell));
                all
            }
            None => self.new_tiles(cell),
        };
        let can_be = |(_, kinds): &Offered| {
            let mut game = self.game.clone();
            let conflicts = game.conflicts().len();
            kinds.iter().all(|k| game.apply_anyway(k.clone(), Source::Hand, 1.0, self.now).is_ok())
                && game.conflicts().len() <= conflicts
        };
        let none = if against { self.not_laid(cell) } else { None };
        let most = OTHERS - usize::from(none.is_some());
        let others: Vec<_> = others.into_iter().filter(can_be).take(most).chain(none).collect();
        if others.is_empty() {
            return others;
        }
        let as_recorded = own.map(|(tile, rotation)| {
            let standing = self.position().followers().into_iter().filter(|f| f.cell == cell);
            let mut says = vec![Saying::Tile(tile, rotation)];
            says.extend(standing.map(|f| Saying::FollowerOnIt(f.player.index())));
            says.push(Saying::AsRecorded);
            (says, Vec::new())
        });
        as_recorded.into_iter().chain(others).collect()
    }

    /// That the turn that laid the tile in a cell was none, as where a hole between tiles read as one; with
    /// it the turns after it are those of the players before, where that breaks fewer rules.
    fn not_laid(&self, cell: Cell) -> Option<Offered> {
        let (turn, _) = turn_of(&self.game, cell)?;
        let without = self.game.corrections(&Change::Delete(turn)).ok()?;
        let tried = |kinds: &[EventKind]| {
            let mut game = self.game.clone();
            let all = kinds
                .iter()
                .try_for_each(|kind| game.apply_anyway(kind.clone(), Source::Hand, 1.0, self.now).map(drop));
            all.ok().map(|()| game)
        };
        let bare = tried(&without)?;
        let players: Vec<Player> = bare.players().collect();
        let (mut in_turn, mut game) = (without.clone(), bare.clone());
        for later in bare.turns().iter().filter(|later| later.turn >= turn) {
            let laid = later.facts.iter().find_map(|(_, kind)| match kind {
                EventKind::TilePlaced { player, .. } => Some(player.index()),
                _ => None,
            });
            let Some(laid) = laid else { continue };
            let before = players[(laid + players.len() - 1) % players.len()];
            let kinds = game.corrections(&Change::Turn(later.turn, vec![Edit::Player(before)])).ok()?;
            for kind in &kinds {
                game.apply_anyway(kind.clone(), Source::Hand, 1.0, self.now).ok()?;
            }
            in_turn.extend(kinds);
        }
        let wrong = |game: &Game| game.conflicts().len() + game.broken().len();
        Some(if wrong(&game) < wrong(&bare) {
            (vec![Saying::NotHappened(turn), Saying::InTurn], in_turn)
        } else {
            (vec![Saying::NotHappened(turn)], without)
        })
    }

    /// The tiles that one of the record reads as besides.
    fn other_tiles(&self, cell: Cell, tile: &str, rotation: Rotation) -> Vec<Offered> {
        let Some((Steady::Tile(read), _)) = self.memory.cell(cell) else { return Vec::new() };
        let Some(turn) = turn_of(&self.game, cell) else { return Vec::new() };
        let other = read.iter().filter(|c| (c.tile.as_str(), c.rotation) != (tile, rotation));
        let answers = other.filter_map(|c| {
            let mut edits = Vec::new();
            if c.tile != tile {
                edits.push(Edit::Tile(c.tile.clone()));
            }
            if c.rotation != rotation {
                edits.push(Edit::Rotation(c.rotation));
            }
            let kinds = self.game.corrections(&Change::Turn(turn.0, edits)).ok()?;
            Some((vec![Saying::Tile(c.tile.clone(), c.rotation)], kinds))
        });
        answers.take(OTHERS).collect()
    }

    /// The followers that are seen on a tile of the record and that it has not.
    fn other_figures(&self, cell: Cell) -> Vec<Offered> {
        let Some((turn, laid_by)) = turn_of(&self.game, cell) else { return Vec::new() };
        let Some((tile, rotation)) = self.position().tile_at(cell) else { return Vec::new() };
        let standing = self.position().followers();
        let known = |f: &SteadyFigure| standing.iter().any(|s| s.cell == cell && s.player.0 == f.player);
        let mut answers = Vec::new();
        for figure in self.memory.figures(cell) {
            let player = Player(figure.player);
            if figure.figure != Figure::Follower
                || known(&figure)
                || player.index() >= self.position().players()
            {
                continue;
            }
            for (segment, distance) in self.nearest(cell, &figure).into_iter().take(2) {
                if distance > REACH {
                    break;
                }
                let kind = self.kind(tile, segment);
                let may = |figure: &FigureKind| kind.is_none_or(|kind| figure.may_stand_on(kind));
                for figure in self.position().figures().into_iter().filter(may) {
                    let mut edits = vec![Edit::Figure(Some((figure, segment)))];
                    if player != laid_by {
                        edits.insert(0, Edit::Player(player));
                    }
                    let Ok(kinds) = self.game.corrections(&Change::Turn(turn, edits)) else { continue };
                    let on = self.segment_view(tile, rotation, segment);
                    answers.push((vec![Saying::Figure(figure, player.index(), on)], kinds));
                }
            }
        }
        answers
    }

    /// The followers that may have been put on a tile of the record that has none, scored, and
    /// taken home.
    fn gone_figures(&self, cell: Cell) -> Vec<Offered> {
        let Some((turn, laid_by)) = turn_of(&self.game, cell) else { return Vec::new() };
        let Some((tile, rotation)) = self.position().tile_at(cell) else { return Vec::new() };
        if put_on(&self.game, cell).is_some() {
            return Vec::new();
        }
        let face = self.deck.tiles.get(tile).and_then(|t| t.face.as_ref());
        let segments = face.map_or(0, |face| face.segments().len());
        let broken = self.game.broken().len();
        let answers = (0..segments).filter_map(|segment| {
            let segment = u8::try_from(segment).ok()?;
            let figure = Edit::Figure(Some((FigureKind::FOLLOWER, segment)));
            let change = Change::Turn(turn, vec![figure]);
            let mut after = self.game.clone();
            after.correct(&change, self.now).ok()?;
            let home = after.position().followers().iter().all(|f| f.cell != cell);
            if !home || after.broken().len() > broken {
                return None;
            }
            let on = self.segment_view(tile, rotation, segment);
            let says = vec![Saying::Figure(FigureKind::FOLLOWER, laid_by.index(), on), Saying::Home];
            Some((says, self.game.corrections(&change).ok()?))
        });
        answers.collect()
    }

    /// The tiles that lie where the record has none, by what the cell reads as.
    fn new_tiles(&self, cell: Cell) -> Vec<Offered> {
        let Some((Steady::Tile(read), _)) = self.memory.cell(cell) else { return Vec::new() };
        let Some(position) = self.waiting_for_tile().filter(|p| p.phase() == Phase::Tile) else {
            return Vec::new();
        };
        let player = position.to_move();
        let answers = read.iter().take(OTHERS).map(|c| {
            let laid = EventKind::TilePlaced { player, tile: c.tile.clone(), cell, rotation: c.rotation };
            (vec![Saying::Tile(c.tile.clone(), c.rotation), Saying::Laid(player.index())], vec![laid])
        });
        answers.collect()
    }
}

/// A cell as it lay when a follower was put on it, though that has gone home since.
pub(super) fn as_put(game: &Game, anchors: &[Vec<(f32, f32)>], cell: Cell) -> Option<CellView> {
    let mut view = cell_view(game, anchors, cell)?;
    let lies = game.position().tile_at(cell)?;
    let stands = view.figures.iter().any(|f| f.figure == Figure::Follower);
    if let Some((player, segment)) = put_on(game, cell).filter(|_| !stands) {
        view.figures.retain(|f| f.figure != Figure::Keep);
        view.figures.push(follower_view(anchors, lies, player, segment));
    }
    Some(view)
}

/// Whose follower was put on the tile in a cell, and on which segment.
fn put_on(game: &Game, cell: Cell) -> Option<(Player, u8)> {
    game.facts().into_iter().find_map(|(_, kind)| match kind {
        EventKind::FollowerPlaced { player, cell: c, segment, .. } if c == cell => Some((player, segment)),
        _ => None,
    })
}

/// Whether a turn is over.
fn ends(turn: &TurnFacts) -> bool {
    turn.facts.iter().any(|(_, kind)| matches!(kind, EventKind::TurnEnded { .. }))
}

/// The turn that laid the tile in a cell, and whose it was.
pub(crate) fn turn_of(game: &Game, cell: Cell) -> Option<(u32, Player)> {
    game.turns().iter().rev().find_map(|turn| {
        turn.facts.iter().find_map(|(_, kind)| match kind {
            EventKind::TilePlaced { player, cell: c, .. } if *c == cell => Some((turn.turn, *player)),
            _ => None,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::sim::{Noise, Rehearsal, Tempo};
    use super::super::steady::Patience;
    use super::super::tests::{facts, random_game, session, watch, watch_face_up};
    use super::*;
    use crate::library;
    use crate::record::{Header, play_random_with};
    use crate::rules::castle;
    use rand::SeedableRng;
    use rand_pcg::Pcg64Mcg;

    /// The cell as a game has it, figures by their players and places.
    fn lies(game: &Game, session: &Session, cell: Cell) -> Option<CellView> {
        as_put(game, &session.anchors, cell)
    }

    /// Answers each question as it was played, where an answer has it so; how many.
    fn answer_as_played(session: &mut Session, truth: &Game) -> usize {
        let mut answered = 0;
        for _ in 0..40 {
            let right = session.questions().into_iter().find_map(|question| {
                let cell = question.cell?;
                let as_played = lies(truth, session, cell);
                let right = question
                    .answers
                    .iter()
                    .find(|a| as_played.is_some() && session.as_answered(&question, a) == as_played);
                right.map(|a| a.key).map(|key| (question, key))
            });
            let Some((question, key)) = right else { break };
            session.answer(&question, key).unwrap();
            answered += 1;
        }
        answered
    }

    #[test]
    fn answers_bring_the_table_back_to_what_was_played() {
        let mistaken = Noise { mistaken: 0.25, biased: 0.3, bias: 0.55, ..Noise::default() };
        let (mut before, mut after, mut answered) = (0, 0, 0);
        for seed in 300..306 {
            let game = random_game(seed, 24);
            let mut session = watch(&game, Tempo::live(), Patience::live(), mistaken, seed);
            let differing = |session: &Session| {
                let cells: BTreeSet<Cell> = game.position().cells().into_iter().collect();
                cells
                    .into_iter()
                    .filter(|c| lies(&game, session, *c) != lies(session.game(), session, *c))
                    .count()
            };
            before += differing(&session);
            answered += answer_as_played(&mut session, &game);
            after += differing(&session);
            assert!(session.game().conflicts().is_empty());
        }
        assert!(answered >= 4, "{answered}");
        assert!(after < before, "{after} cells differ, {before} before");
    }

    #[test]
    fn what_was_answered_is_undone_and_asked_no_more_when_it_is_left() {
        let noise = Noise { phantom: 0.2, ..Noise::default() };
        let mut tried = 0;
        for seed in 320..326 {
            let mut session = watch(&random_game(seed, 20), Tempo::live(), Patience::live(), noise, seed);
            let open = session.questions().into_iter().filter(|q| q.answers.len() > 1);
            let Some(question) = open.into_iter().next() else { continue };
            let before = facts(session.game());
            let other = question.answers.iter().find(|a| !a.kinds.is_empty()).unwrap().key;
            session.answer(&question, other).unwrap();
            assert_ne!(facts(session.game()), before);
            assert!(session.questions().iter().all(|q| q.sentence != question.sentence));
            assert!(session.answer(&question, other).is_err(), "it is open no more");
            session.undo().unwrap();
            assert_eq!(facts(session.game()), before);
            tried += 1;
            while let Some(question) = session.questions().into_iter().find(|q| q.may_stand) {
                let count = session.questions().len();
                session.leave(&question).unwrap();
                assert_eq!(session.questions().len(), count - 1, "{}", question.sentence);
            }
            assert_eq!(facts(session.game()), before);
        }
        assert!(tried >= 3, "{tried}");
    }

    #[test]
    fn numbers_of_wall_tiles_are_asked_until_they_are_said_or_left() {
        // Nothing lies face up in view.
        let mut session = watch_face_up(&[(12, 8)], 0, 5);
        let asked = |session: &Session| -> Vec<Question> {
            let all = session.questions();
            all.into_iter().filter(|q| matches!(q.about, About::WallTile(..))).collect()
        };
        let open = asked(&session);
        assert!(open.len() >= 2, "{open:?}");
        assert_eq!(open[0].answers.iter().map(|a| a.key).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let About::WallTile(_, tower) = open[0].about else { panic!() };
        session.answer(&open[0], 8).unwrap();
        assert!(facts(session.game()).contains(&EventKind::WallTileShown { tower, number: 8 }));
        let left = asked(&session);
        assert_eq!(left.len(), open.len() - 1);
        // The other 8 lies on tower 12/13.
        assert!(left[0].answers.iter().all(|a| a.key != 8), "{left:?}");
        assert!(session.answer(&left[0], 8).is_err());
        session.leave(&left[0]).unwrap();
        assert_eq!(asked(&session).len(), left.len() - 1);
    }

    #[test]
    fn an_order_of_scoring_that_decides_is_asked_with_its_answers() {
        let is_it = |sentence: &str| sentence.starts_with("the order in which the features");
        let mut asked = 0;
        let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
        for seed in 1..60 {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let wall_tiles = castle::random_wall_tiles(&wall.towers, &mut rng);
            let header = Header { wall_tiles, ..session(Patience::live()).game().header().clone() };
            let start = Game::new(header.clone(), Some(&wall), &deck).unwrap();
            let played = play_random_with(header, Some(&wall), &deck, seed, castle::Policy::Greedy).unwrap();
            let mut unordered = start.clone();
            let left_out = |kind: &EventKind| {
                matches!(kind, EventKind::OrderChosen { .. } | EventKind::WallTileUsed { .. })
            };
            let apply = |kind| unordered.apply_anyway(kind, Source::Hand, 1.0, 0.0).map(drop);
            if facts(&played).into_iter().filter(|kind| !left_out(kind)).try_for_each(apply).is_err() {
                continue;
            }
            let said = |e: &Event| matches!(&e.kind, EventKind::Doubt { sentence, .. } if is_it(sentence));
            if !unordered.events().iter().any(said) {
                continue;
            }
            let seen = Rehearsal::of(&unordered, start.clone(), &deck, Tempo::live(), Noise::default(), seed);
            let mut session = Session::resume(start, deck.clone()).with_patience(Patience::live());
            for (t, seen) in &seen.observations {
                session.observe(seen, *t);
            }
            let Some(question) = session.questions().into_iter().find(|q| is_it(&q.sentence.to_string()))
            else {
                continue;
            };
            let took = |session: &Session| {
                let position = session.game().position();
                let of = |p| (position.total(p), position.prizes(p));
                session.game().players().map(of).collect::<Vec<_>>()
            };
            let before = took(&session);
            assert!(question.answers[0].kinds.is_empty(), "the record's own comes first: {question:?}");
            session.answer(&question, 2).unwrap();
            assert_ne!(took(&session), before);
            assert!(!session.questions().iter().any(|q| q.sentence == question.sentence));
            session.undo().unwrap();
            assert_eq!(took(&session), before);
            asked += 1;
            if asked == 2 {
                break;
            }
        }
        assert_eq!(asked, 2);
    }

    #[test]
    fn a_wall_tile_that_was_used_is_told_after_its_turn() {
        let mut told = 0;
        for seed in 1..60 {
            let mut session = session(Patience::live());
            let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let wall_tiles = castle::random_wall_tiles(&wall.towers, &mut rng);
            let header = Header { wall_tiles, ..session.game().header().clone() };
            let played = play_random_with(header.clone(), Some(&wall), &deck, seed, castle::Policy::Greedy);
            session = Session::new(header, &wall, deck).unwrap();
            let mut used = None;
            for kind in facts(&played.unwrap()) {
                if matches!(kind, EventKind::WallTileUsed { number: 2 | 3, .. }) {
                    used = Some(kind);
                    continue;
                }
                let ends = matches!(kind, EventKind::TurnEnded { .. });
                session.apply_by_hand(kind).unwrap();
                if ends && used.is_some() {
                    break;
                }
            }
            let Some(EventKind::WallTileUsed { player, number, .. }) = used else { continue };
            let unseen = session.unseen();
            let is_that = |a: &&Answer| {
                let used = EventKind::WallTileUsed { player, number, on: None };
                a.kinds == [used]
            };
            let answer = unseen.answers.iter().find(is_that).unwrap_or_else(|| panic!("{unseen:?}"));
            let (before, total) = (facts(session.game()), session.game().position().total(player));
            session.answer(&unseen, answer.key).unwrap();
            assert!(session.game().broken().is_empty(), "{:?}", session.game().broken());
            assert!(session.game().position().total(player) > total);
            session.undo().unwrap();
            assert_eq!(facts(session.game()), before);
            told += 1;
            if told == 4 {
                return;
            }
        }
        panic!("only {told} were told");
    }

    #[test]
    fn what_people_enter_is_undone_step_by_step() {
        let game = random_game(9, 12);
        let mut session = watch(&game, Tempo::live(), Patience::live(), Noise::default(), 9);
        let mut was = vec![facts(session.game())];
        let turns = session.game().turns();
        let with_tile = |turn: &&crate::record::TurnFacts| {
            turn.facts.iter().any(|f| matches!(f.1, EventKind::TilePlaced { .. }))
        };
        let numbers: Vec<u32> = turns.iter().filter(with_tile).map(|t| t.turn).collect();
        let changes = [
            Change::Turn(numbers[3], vec![Edit::Rotation(Rotation::new(1))]),
            Change::Turn(numbers[5], vec![Edit::Figure(None)]),
            Change::Delete(numbers[11]),
            Change::Turn(numbers[2], vec![Edit::Figure(Some((FigureKind::FOLLOWER, 0)))]),
        ];
        for change in &changes {
            if session.correct(change).is_ok() {
                was.push(facts(session.game()));
            }
        }
        assert!(was.len() >= 4, "{}", was.len());
        while let Some(now) = was.pop() {
            assert_eq!(facts(session.game()), now);
            if was.is_empty() {
                break;
            }
            session.undo().unwrap();
        }
        assert!(session.undo().is_err());
        assert_eq!(session.game().position().total(Player(0)), game.position().total(Player(0)));
    }
}
