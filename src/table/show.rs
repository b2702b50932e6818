//! A session as people are shown it.

use super::asked::Question;
use super::session::Session;
use super::standing::as_it_lies;
use super::view::{
    CellView, CountedView, FigureView, GameView, HoldingView, NamedPlaceView, NeutralView, PlayerView,
    ScoreView, SheetView, ToDoView,
};
use crate::colours::colour;
use crate::observation::Figure;
use crate::record::{EventKind, Game, ToDo};
use crate::rules::plain::{LONGEST_NAME, shown};
use crate::rules::{
    Cell, FigureKind, GamePosition, NamedPlace, Phase, Player, Rotation, Score, SegmentAt, StandingFollower,
};

/// How far those who stand in one place with a name are from one another, in tile sides.
const APART: f32 = 0.34;
/// How many of them stand in a row.
const A_ROW: usize = 4;
/// How far the first row is below the middle of the place, in tile sides.
const BELOW: f32 = 0.02;

impl Session {
    /// Everything that is shown of the game now.
    pub fn view(&self) -> GameView {
        let position = self.game().position();
        let over = position.phase() == Phase::Over;
        let scores: Vec<ScoreView> = self.scores(position.turn());
        let total = |player: Player| {
            if over {
                position.final_totals().get(player.index()).copied().unwrap_or(0)
            } else {
                position.total(player)
            }
        };
        let (header, words) = (self.game().header(), self.colour_words());
        let players = self.game().players().map(|player| {
            let i = player.index();
            let colour_word = words.get(i).map(|word| shown(word, LONGEST_NAME)).unwrap_or_default();
            PlayerView {
                name: self.game().names().of(player).to_owned(),
                colour_rgb: self.colours.get(i).copied().unwrap_or_else(|| colour(&colour_word)),
                colour_word,
                total: total(player),
                marker_space: (total(player) % position.track()) as u8,
                followers_left: u32::from(position.supply(player)),
                keep_size: position.largest(player).map(|k| k.size),
                wall_tiles: position.prizes(player).into_iter().map(|(_, number)| number).collect(),
                holdings: holdings(position, player),
                last_change: self.scribe.last_change.get(i).cloned().unwrap_or_default(),
            }
        });
        GameView {
            players: players.collect(),
            to_move: (!over).then(|| position.to_move().index()),
            walled: header.wall.is_some(),
            turn: position.turn(),
            tiles_left: position.tiles_left() as usize,
            status: self.status(),
            lag: self.lag().filter(|_| !over),
            unread: self.unread_because.clone().filter(|_| !over),
            cells: self.cells(),
            places: places(position),
            neutral: position.neutral().map(|(word, at)| NeutralView {
                word: word.to_owned(),
                place: position.place_name(at).unwrap_or_default().to_owned(),
            }),
            turn_note: position.turn_note().filter(|_| !over),
            missing: self.missing(),
            scores,
            pickups: if over { Vec::new() } else { self.pickups() },
            questions: self.questions().iter().map(Question::view).collect(),
            sheet: over.then(|| self.sheet()),
        }
    }

    fn cells(&self) -> Vec<CellView> {
        let newest = self.scribe.turn().map(|t| t.cell);
        let cells = self.game().position().cells();
        let shown = cells.into_iter().filter_map(|cell| {
            let confidence = self.scribe.confidences.get(&cell).copied().unwrap_or(1.0);
            let mut view = cell_view(self.game(), &self.anchors, cell)?;
            // Who stands in a place with a name is drawn there.
            let position = self.game().position();
            if position.named_places().iter().any(|place| place.at.cell == cell) {
                view.figures =
                    figures(self.game(), &self.anchors, cell, |at| position.place_name(at).is_none());
            }
            Some(CellView { confidence, fresh: newest == Some(cell), ..view })
        });
        let mut shown: Vec<CellView> = shown.collect();
        shown.sort_by_key(|c| (c.cell.row, c.cell.col));
        shown
    }

    fn scores(&self, last_turn: u32) -> Vec<ScoreView> {
        let finals = self.game().final_scores();
        let played = self.game().scores().iter().map(|s| (s.turn, &s.score));
        let last = self.game().scores().last().map_or(last_turn, |s| s.turn.max(last_turn.saturating_sub(1)));
        played.chain(finals.iter().map(|s| (last, s))).map(|(turn, score)| score_view(turn, score)).collect()
    }

    /// What someone should do now: what the newest turn has brought, as far as it is not seen
    /// to be done.
    fn pickups(&self) -> Vec<ToDoView> {
        let mut all = Vec::new();
        let wording = self.game().wording();
        for kind in self.game().newest() {
            let mut kind = kind.clone();
            if let EventKind::KeepPlaced { player, cell, .. } = &kind
                && self.has_keep(*player, *cell)
            {
                continue;
            }
            if let EventKind::FollowersReturned { counts } = &mut kind {
                for (player, count) in self.game().players().zip(counts) {
                    *count = if self.are_home(player) { 0 } else { *count };
                }
            }
            all.extend(wording.to_do(&kind));
        }
        for (player, cell) in self.lingering() {
            if self.scribe.is_seen(player, cell) && all.is_empty() {
                all.push(ToDo::Scored { player: player.index(), cell });
            }
        }
        if self.game().position().phase() != Phase::Over {
            all.extend(self.cut_off().map(|cell| ToDo::CutOff { cell }));
        }
        all.into_iter().map(|to_do| ToDoView { sentence: wording.asked(&to_do), to_do }).collect()
    }

    /// Whether all of a player's scored followers are seen to be off the table.
    fn are_home(&self, player: Player) -> bool {
        let mut scored = self.lingering().filter(|(p, _)| *p == player);
        scored.all(|(_, cell)| self.scribe.memory.is_clear_of(cell, player.0, Figure::Follower))
    }

    /// Whether a player's keep is seen in a cell.
    fn has_keep(&self, player: Player, cell: Cell) -> bool {
        let figures = self.scribe.memory.figures(cell);
        figures.iter().any(|f| f.figure == Figure::Keep && f.player == player.0)
    }

    fn sheet(&self) -> SheetView {
        let sheet = self.game().sheet();
        let position = self.game().position();
        let played = sheet.turns.iter().flat_map(|turn| &turn.scores);
        let of: Vec<&str> = played.chain(&sheet.finals).map(|score| position.category(score)).collect();
        let items = sheet.categories.iter();
        let items =
            items.map(|category| (0..of.len()).filter(|score| of[*score] == category.as_str()).collect());
        let points = |category: &str| {
            sheet.tallies.iter().map(|t| t.by_category.get(category).copied().unwrap_or(0)).collect()
        };
        SheetView {
            rows: sheet.categories.iter().map(|c| ((*c).to_owned(), points(c))).collect(),
            items: items.collect(),
            totals: sheet.tallies.iter().map(|t| t.total).collect(),
            winners: sheet.winners.iter().map(|p| p.index()).collect(),
        }
    }
}

/// A cell of a game with the tile in it and what stands there; `anchors` are the places of
/// followers on each segment of each upright tile.
pub(super) fn cell_view(game: &Game, anchors: &[Vec<(f32, f32)>], cell: Cell) -> Option<CellView> {
    let position = game.position();
    let (tile, rotation) = position.tile_at(cell)?;
    Some(CellView {
        cell,
        tile: position.tile_id(tile).unwrap_or_default().to_owned(),
        rotation,
        figures: figures(game, anchors, cell, |_| true),
        confidence: 1.0,
        fresh: false,
    })
}

/// What stands in a cell, followers only where they are wanted.
fn figures(
    game: &Game,
    anchors: &[Vec<(f32, f32)>],
    cell: Cell,
    wanted: impl Fn(SegmentAt) -> bool,
) -> Vec<FigureView> {
    let position = game.position();
    let Some(lies) = position.tile_at(cell) else { return Vec::new() };
    let here = position.followers().into_iter().filter(|f| f.cell == cell && wanted(at(f)));
    let mut figures: Vec<FigureView> = here
        .map(|f| FigureView { kind: f.figure, ..follower_view(anchors, lies, f.player, f.segment) })
        .collect();
    for player in game.players() {
        if position.largest(player).is_some_and(|k| k.cell == cell) {
            let kind = FigureKind::FOLLOWER;
            figures.push(FigureView { player: player.index(), figure: Figure::Keep, kind, x: 0.5, y: 0.5 });
        }
    }
    figures
}

fn at(follower: &StandingFollower) -> SegmentAt {
    SegmentAt { cell: follower.cell, segment: follower.segment }
}

/// The places with names, and who is in them.
fn places(position: &dyn GamePosition) -> Vec<NamedPlaceView> {
    let view = |place: NamedPlace| {
        let here = position.followers().into_iter().filter(|f| at(f) == place.at);
        let mut figures: Vec<FigureView> = here.map(|f| in_place(&place, f.player, f.figure)).collect();
        let rows = figures.len().div_ceil(A_ROW);
        let count = figures.len();
        for (i, figure) in figures.iter_mut().enumerate() {
            let (row, column) = (i / A_ROW, i % A_ROW);
            let across = if row + 1 < rows { A_ROW } else { count - row * A_ROW };
            figure.x += (column as f32 - (across as f32 - 1.0) / 2.0) * APART;
            figure.y += row as f32 * APART;
        }
        NamedPlaceView { name: place.name.to_owned(), x: place.x, y: place.y, figures }
    };
    position.named_places().into_iter().map(view).collect()
}

/// A figure alone in a place with a name, in tile units.
pub(super) fn in_place(place: &NamedPlace, player: Player, kind: FigureKind) -> FigureView {
    let (x, y) = (place.x, place.y + BELOW);
    FigureView { player: player.index(), figure: Figure::Follower, kind, x, y }
}

/// What a player has besides followers.
fn holdings(position: &dyn GamePosition, player: Player) -> Vec<HoldingView> {
    let held = position.holdings(player).into_iter();
    let view = held.map(|held| HoldingView {
        kind: held.name.to_owned(),
        word: held.word.to_owned(),
        count: held.count,
        single: held.single,
        on_board: held.on_board.iter().map(|at| at.cell).collect(),
    });
    view.collect()
}

/// A follower on a segment of a tile as it is turned.
pub(super) fn follower_view(
    anchors: &[Vec<(f32, f32)>],
    (tile, rotation): (usize, Rotation),
    player: Player,
    segment: u8,
) -> FigureView {
    let anchor = anchors.get(tile).and_then(|a| a.get(usize::from(segment))).unwrap_or(&(0.5, 0.5));
    let (x, y) = as_it_lies(anchor.0, anchor.1, rotation);
    FigureView { player: player.index(), figure: Figure::Follower, kind: FigureKind::FOLLOWER, x, y }
}

pub(super) fn score_view(turn: u32, score: &Score) -> ScoreView {
    let mut rules: Vec<&str> = Vec::new();
    let mut cells: Vec<Cell> = score.cells.clone();
    for item in &score.items {
        if !rules.contains(&item.rule.as_str()) {
            rules.push(&item.rule);
        }
        cells.extend(item.cells.iter().filter(|c| !score.cells.contains(c)));
    }
    cells.sort_by_key(|c| (c.row, c.col));
    cells.dedup();
    ScoreView {
        turn,
        players: score.players.iter().map(|p| p.index()).collect(),
        category: score.category.clone(),
        points: score.points(),
        sentence: score.sentence.clone(),
        rule: rules.join(", "),
        cells,
        items: score
            .items
            .iter()
            .map(|item| CountedView { what: item.what.clone(), count: item.count, each: item.each })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::observation::{CellReading, CellState, FigureReading, Observation};
    use crate::record::{Change, Edit, play_random};
    use crate::rules::castle::Policy;

    /// What lies on the table as the record has it, with the keeps or without them.
    fn lying(view: &GameView, keeps: bool) -> Observation {
        let reading = |cell: &CellView| CellReading {
            col: cell.cell.col,
            row: cell.cell.row,
            state: CellState::Tile,
            tile: Some(cell.tile.clone()),
            rotation: cell.rotation.quarters(),
            confidence: 0.95,
            figures: cell
                .figures
                .iter()
                .filter(|f| keeps || f.figure == Figure::Follower)
                .map(|f| FigureReading {
                    figure: f.figure,
                    player: f.player as u8,
                    x: f.x,
                    y: f.y,
                    confidence: 0.9,
                    lying: None,
                    size: None,
                    there: None,
                })
                .collect(),
            ..CellReading::default()
        };
        Observation { cells: view.cells.iter().map(reading).collect(), ..Observation::default() }
    }

    #[test]
    fn a_keep_is_asked_for_until_it_is_seen_in_its_place() {
        let deck = library::deck("house").unwrap().deck;
        let wall = library::wall("house").unwrap();
        let game = play_random(&wall, &deck, 5, Policy::Greedy).unwrap();
        let mut session = Session::new(game.header().clone(), &wall, deck).unwrap();
        let goes = |p: &ToDoView| p.sentence.to_string().contains("'s keep goes to the ");
        let asks = |session: &Session| session.view().pickups.iter().any(goes);
        for (_, fact) in game.facts() {
            session.apply_by_hand(fact).unwrap();
            if asks(&session) {
                break;
            }
        }
        let mut t = 0.0;
        for keeps in [false, true] {
            let table = lying(&session.view(), keeps);
            for _ in 0..4 {
                t += 0.3;
                session.observe(&table, t);
            }
            assert_eq!(asks(&session), !keeps, "{:?}", session.view().pickups);
        }
    }

    #[test]
    fn a_to_do_goes_with_the_turn_that_brought_it() {
        let deck = library::deck("house").unwrap().deck;
        let wall = library::wall("house").unwrap();
        let game = play_random(&wall, &deck, 5, Policy::Greedy).unwrap();
        let mut session = Session::new(game.header().clone(), &wall, deck).unwrap();
        let (mut asked, mut unmade) = (0, 0);
        for (_, fact) in game.facts().into_iter().take(90) {
            let lays = matches!(fact, EventKind::TilePlaced { .. } | EventKind::TileDiscarded { .. });
            let ends = matches!(fact, EventKind::TurnEnded { .. });
            session.apply_by_hand(fact).unwrap();
            let to_do = session.view().pickups;
            assert!(!lays || to_do.is_empty(), "{to_do:?} outlives its turn");
            if !ends || to_do.is_empty() {
                continue;
            }
            asked += 1;
            // Without its scores the turn asks for nothing.
            let turn = session.game().position().turn() - 1;
            let scored = session.game().scores().iter().filter(|s| s.turn == turn);
            let own_only = scored.flat_map(|s| &s.score.followers).count() == 1;
            let mut other = Session::resume(session.game().clone(), library::deck("house").unwrap().deck);
            let change = Change::Turn(turn, vec![Edit::Figure(None)]);
            if own_only && other.correct(&change).is_ok() {
                let left = other.game().scores().iter().any(|s| s.turn == turn);
                let to_do = other.view().pickups;
                assert!(left || to_do.is_empty(), "{to_do:?} outlives its score");
                unmade += usize::from(!left);
            }
        }
        assert!(asked >= 4 && unmade >= 1, "{asked} {unmade}");
    }
}
