//! A correction while it is put together: one turn, and what is otherwise in it.

use crate::record::{Change, Edit, EventKind, Game, TurnFacts};
use crate::rules::{Cell, Deck, FigureKind, Move, Placement, Player, Role, Rotation};

/// The turns of a game, one of them chosen, and what it is taken for.
#[derive(Clone, Debug)]
pub struct Correcting {
    turns: Vec<TurnFacts>,
    at: usize,
    was: Option<Laid>,
    /// What the turn is taken for.
    pub now: Option<Laid>,
    /// The whole turn as moves, where somebody has typed it.
    pub moves: Option<String>,
    /// Whether the turn did not happen.
    pub deleted: bool,
}

/// A turn that laid a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Laid {
    /// Whose it was.
    pub player: Player,
    /// The tile's id.
    pub tile: String,
    /// Where it lies.
    pub cell: Cell,
    /// How it is turned.
    pub rotation: Rotation,
    /// The figure on it, and on which segment.
    pub figure: Option<(FigureKind, u8)>,
}

impl Correcting {
    /// The turns of a game, that of a cell's tile chosen, else the newest; `None` of a game
    /// without turns.
    pub fn of(game: &Game, cell: Option<Cell>) -> Option<Correcting> {
        let turns = game.turns();
        let last = turns.len().checked_sub(1)?;
        let lays =
            |turn: &TurnFacts| cell.is_some() && turn.facts.iter().any(|(_, kind)| laid_in(kind) == cell);
        let at = turns.iter().rposition(lays).unwrap_or(last);
        let mut correcting = Correcting { turns, at, was: None, now: None, moves: None, deleted: false };
        correcting.choose(at);
        Some(correcting)
    }

    /// The turns, as the record has them.
    pub fn turns(&self) -> &[TurnFacts] {
        &self.turns
    }

    /// The index of the turn that is chosen.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether something is otherwise.
    pub fn is_changed(&self) -> bool {
        self.deleted || self.moves.is_some() || self.now != self.was
    }

    /// Chooses a turn by its index; what was begun in another is left.
    pub fn choose(&mut self, at: usize) {
        self.at = at.min(self.turns.len().saturating_sub(1));
        self.was = self.turns.get(self.at).and_then(laid);
        self.now = self.was.clone();
        (self.moves, self.deleted) = (None, false);
    }

    /// Chooses an earlier or later turn.
    pub fn step(&mut self, by: i32) {
        self.choose(stepped(self.at, by, self.turns.len()));
    }

    /// Turns the tile by a quarter, clockwise.
    pub fn turn_tile(&mut self) {
        if let Some(now) = &mut self.now {
            now.rotation = Rotation::new(now.rotation.quarters() + 1);
        }
    }

    /// Takes the next tile of those that may lie there: first all that fit as they may be
    /// turned, then the others.
    pub fn step_tile(&mut self, by: i32, game: &Game, deck: &Deck) {
        let at = self.at;
        let Some(now) = self.now.as_mut() else { return };
        let before = game.position_after(self.turns.get(..at).unwrap_or_default());
        let (cell, player) = (now.cell, now.player);
        let fits = |id: &str| {
            let tile = before.tile_index(id)?;
            Rotation::ALL.into_iter().find(|rotation| {
                let placement = Placement { tile, cell, rotation: *rotation };
                before.illegalities(&Move::Lay { player, placement }).is_empty()
            })
        };
        let ids = deck.tiles.iter().map(|t| t.id.as_str());
        let (mut order, others): (Vec<&str>, Vec<&str>) = ids.partition(|id| fits(id).is_some());
        order.extend(others);
        let from = order.iter().position(|id| *id == now.tile).unwrap_or(0);
        let Some(id) = order.get(stepped_round(from, by, order.len())) else { return };
        now.tile = (*id).to_owned();
        now.figure = None;
        // As it may lie, where it may lie in some way.
        if let Some(rotation) = fits(id) {
            now.rotation = rotation;
        }
        if self.was.as_ref().is_some_and(|was| was.tile == now.tile) {
            *now = self.was.clone().unwrap_or_else(|| now.clone());
        }
    }

    /// Takes the next place for a figure on the tile, no figure among them.
    pub fn step_figure(&mut self, by: i32, deck: &Deck) {
        let Some(now) = self.now.as_mut() else { return };
        let kind = self.was.as_ref().and_then(|w| w.figure).map_or(FigureKind::FOLLOWER, |f| f.0);
        let tile = deck.tiles.iter().find(|t| t.id == now.tile);
        let segments = tile.and_then(|t| t.face.as_ref()).map_or(&[][..], |f| f.segments());
        let places = (0..).zip(segments).filter(|(_, s)| Role::on(s.kind).is_some()).map(|(i, _)| i);
        let mut order: Vec<Option<(FigureKind, u8)>> = vec![None];
        order.extend(places.map(|segment| Some((kind, segment))));
        let from = order.iter().position(|f| *f == now.figure).unwrap_or(0);
        if let Some(figure) = order.get(stepped_round(from, by, order.len())) {
            now.figure = *figure;
        }
    }

    /// Gives the turn to the next player.
    pub fn step_player(&mut self, game: &Game) {
        let players: Vec<Player> = game.players().collect();
        let Some(now) = self.now.as_mut() else { return };
        let from = players.iter().position(|p| *p == now.player).unwrap_or(0);
        if let Some(player) = players.get(stepped_round(from, 1, players.len())) {
            now.player = *player;
        }
    }

    /// Lays the tile in a cell beside.
    pub fn move_tile(&mut self, right: i8, down: i8) {
        if let Some(now) = &mut self.now {
            let (col, row) = (now.cell.col.saturating_add(right), now.cell.row.saturating_add(down));
            now.cell = Cell::new(col, row);
        }
    }

    /// The correction as it is put together; `None` while nothing is otherwise.
    pub fn change(&self) -> Option<Change> {
        let turn = self.turns.get(self.at)?.turn;
        if self.deleted {
            return Some(Change::Delete(turn));
        }
        if let Some(moves) = &self.moves {
            return Some(Change::Turn(turn, vec![Edit::Moves(moves.clone())]));
        }
        let (was, now) = (self.was.as_ref()?, self.now.as_ref()?);
        let mut edits = Vec::new();
        if was.player != now.player {
            edits.push(Edit::Player(now.player));
        }
        if was.tile != now.tile {
            edits.push(Edit::Tile(now.tile.clone()));
        }
        if was.cell != now.cell {
            edits.push(Edit::Cell(now.cell));
        }
        if was.rotation != now.rotation {
            edits.push(Edit::Rotation(now.rotation));
        }
        if was.figure != now.figure {
            edits.push(Edit::Figure(now.figure));
        }
        (!edits.is_empty()).then_some(Change::Turn(turn, edits))
    }
}

/// The cell of a laid tile.
fn laid_in(kind: &EventKind) -> Option<Cell> {
    if let EventKind::TilePlaced { cell, .. } = kind { Some(*cell) } else { None }
}

/// The tile and the figure of a turn.
fn laid(turn: &TurnFacts) -> Option<Laid> {
    let facts = || turn.facts.iter().map(|(_, kind)| kind);
    let mut laid = facts().find_map(|kind| match kind {
        EventKind::TilePlaced { player, tile, cell, rotation } => {
            Some(Laid { player: *player, tile: tile.clone(), cell: *cell, rotation: *rotation, figure: None })
        }
        _ => None,
    })?;
    laid.figure = facts().find_map(|kind| match kind {
        EventKind::FollowerPlaced { cell, segment, figure, .. } if *cell == laid.cell => {
            Some((*figure, *segment))
        }
        _ => None,
    });
    Some(laid)
}

fn stepped(from: usize, by: i32, len: usize) -> usize {
    let last = i64::try_from(len).unwrap_or(i64::MAX) - 1;
    usize::try_from((from as i64 + i64::from(by)).clamp(0, last.max(0))).unwrap_or(0)
}

fn stepped_round(from: usize, by: i32, len: usize) -> usize {
    let len = i64::try_from(len).unwrap_or(i64::MAX).max(1);
    usize::try_from((from as i64 + i64::from(by)).rem_euclid(len)).unwrap_or(0)
}
