//! A position: what lies and stands where, whose turn it is, and every move
//! with its undo.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::board::{Board, MAX_TOWERS, NO_SEGMENT, PLAIN_WALL, Place, Places, SetupError};
use super::turn::Outcome;
use super::{Edition, Illegality, Move, Phase, Placement, Refusal, RuleSwitches, SegmentAt, Words};
use crate::features::{Feature, Features, Mark, Node};
use crate::{
    Cell, Deck, FigureKind, Kind, Player, Port, Role, Rotation, Segment, Side, StandingFollower, Wall,
};

/// Followers that a player can put on tiles (CA-06).
pub const FOLLOWERS: u8 = 6;
/// Kinds of wall tiles, numbered from 1 (CA-04).
pub const WALL_TILE_KINDS: u8 = 9;

pub(super) const PLAYERS: usize = 2;
pub(super) const MAX_STANDING: usize = 2 * (FOLLOWERS as usize + 1);
/// Rings that are kept: more than a board of 76 cells has room for.
const MAX_RINGS: usize = 20;
pub(super) const NO_NODE: Node = Node::MAX;

/// A feature of The Castle.
pub(super) type CastleFeature = Feature<PLAYERS, 2>;

/// A follower on a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub player: Player,
    pub place: Place,
    pub segment: u8,
    pub node: Node,
}

/// Where a wall tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// On its tower.
    Wall,
    /// In front of a player.
    Player(Player),
    /// Used by a player, out of the game.
    Used(Player),
}

/// A wall tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WallTile {
    /// 1 to 9; 0 while nobody has said.
    pub number: u8,
    pub holder: Holder,
    /// The turn in which it was taken.
    pub taken: u16,
}

/// A player's keep: the size of the house it stands on, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keep {
    /// The house's castle tiles, a start space counted as one (CA-65, CA-68).
    pub size: u32,
    /// A cell of the house.
    pub cell: Cell,
}

/// All of a position that is copied, not undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub to_move: Player,
    pub phase: Phase,
    pub turn: u16,
    pub laid: u16,
    pub discarded: u16,
    /// Where the tile of this turn lies.
    pub last: Place,
    /// Whether a follower was put this turn.
    pub claimed: bool,
    /// Whether a tile was drawn this turn that fitted nowhere (CA-27).
    pub drawn: bool,
    /// Turns that the player to move has won on top of this one (CA-82).
    pub extra: u8,
    /// Whose turn ended last.
    pub ended: Option<Player>,
    pub totals: [u32; PLAYERS],
    pub keeps: [Option<Keep>; PLAYERS],
    pub standing: [Standing; MAX_STANDING],
    pub standing_len: u8,
    pub wall_tiles: [WallTile; MAX_TOWERS],
    /// Wall tiles 2 and 3 played this turn and the feature meant.
    pub doubles: [(u8, Node); 4],
    /// What wall tiles 4 to 7 were used on, where the players said so: for each
    /// player, by number from 4.
    pub finals: [[Node; 4]; PLAYERS],
    /// The order in which the player wants features scored: no more can be scored
    /// than there are followers.
    pub order: [Node; MAX_STANDING],
    /// Rings round empty spaces that were complete in earlier turns, by the reading
    /// that lets them be.
    pub rings: [Node; MAX_RINGS],
    pub frontier: Places,
    pub occupied: Places,
}

#[derive(Clone, Copy, Debug)]
struct Laid {
    tile: u16,
    rotation: Rotation,
    nodes: Node,
}

#[derive(Clone, Debug)]
struct Step {
    state: State,
    mark: Mark,
    laid: Option<Place>,
    took: Option<u16>,
}

/// A position of Carcassonne: The Castle, with all that led to it undoable.
#[derive(Clone, Debug)]
pub struct Position {
    pub(super) board: Arc<Board>,
    pub(super) switches: RuleSwitches,
    pub(super) words: Arc<Words>,
    pub(super) features: Features<PLAYERS, 2>,
    laid: Vec<Option<Laid>>,
    /// For each cell: bit i of the first, whether side i faces a tile (or a
    /// start space that counts as one); of the second, whether a path does.
    sides: Vec<(u8, u8)>,
    remaining: Vec<u16>,
    pub(super) state: State,
    steps: Vec<Step>,
    pub(super) outcome: Outcome,
}

impl Position {
    /// The start of a game with these parts and the default switches; player 0
    /// begins and no wall tile's number is known.
    ///
    /// # Errors
    /// [`SetupError`] when a tile has no face, or the wall cannot be played in.
    pub fn new(wall: &Wall, deck: &Deck) -> Result<Position, SetupError> {
        let board = Board::new(wall, deck)?;
        let mut position = Position {
            features: Features::with_capacity(8 * board.places()),
            laid: vec![None; board.places()],
            sides: vec![(0, 0); board.cells.len()],
            remaining: board.counts.clone(),
            state: State {
                to_move: Player(0),
                phase: Phase::Tile,
                turn: 1,
                laid: 0,
                discarded: 0,
                last: PLAIN_WALL,
                claimed: false,
                drawn: false,
                extra: 0,
                ended: None,
                totals: [0; PLAYERS],
                keeps: [None; PLAYERS],
                standing: [Standing { player: Player(0), place: 0, segment: 0, node: 0 }; MAX_STANDING],
                standing_len: 0,
                wall_tiles: [WallTile { number: 0, holder: Holder::Wall, taken: 0 }; MAX_TOWERS],
                doubles: [(0, NO_NODE); 4],
                finals: [[NO_NODE; 4]; PLAYERS],
                order: [NO_NODE; MAX_STANDING],
                rings: [NO_NODE; MAX_RINGS],
                frontier: board.start_cells,
                occupied: Places::EMPTY,
            },
            steps: Vec::new(),
            outcome: Outcome::default(),
            switches: RuleSwitches::default(),
            words: Arc::default(),
            board: Arc::new(board),
        };
        let board = Arc::clone(&position.board);
        for (i, &(cell, side)) in board.starts.iter().enumerate() {
            let place = (board.cells.len() + i) as Place;
            let face = board.start_face(place);
            let nodes = position.features.len() as Node;
            for (segment, s) in board.faces[face].segments.iter().enumerate() {
                let open = Port::ALL
                    .iter()
                    .filter(|p| p.side() == side.opposite())
                    .filter(|p| board.faces[face].turned[0].ports[p.index()] as usize == segment)
                    .count();
                position.features.add(CastleFeature {
                    kind: s.kind,
                    open: open as u16,
                    attributes: s.attributes,
                    places: Places::EMPTY.with(place as usize),
                    weights: [0; PLAYERS],
                });
            }
            position.laid[place as usize] =
                Some(Laid { tile: face as u16, rotation: Rotation::new(0), nodes });
            let paths = board.faces[face].turned[0].paths;
            position.note_side(cell, side, paths >> side.opposite().index() & 1);
        }
        Ok(position)
    }

    /// The same start with other readings of the rules.
    #[must_use]
    pub fn with_switches(mut self, switches: RuleSwitches) -> Position {
        self.switches = switches;
        let board = Arc::clone(&self.board);
        for (i, &(cell, side)) in board.starts.iter().enumerate() {
            let face = board.start_face((board.cells.len() + i) as Place);
            let path = board.faces[face].turned[0].paths >> side.opposite().index() & 1;
            let (known, paths) = &mut self.sides[cell as usize];
            *known &= !(1 << side.index());
            *paths &= !(1 << side.index());
            if switches.start_space_is_tile {
                self.note_side(cell, side, path);
            }
        }
        self
    }

    /// The same start in an edition: its readings of the rules and its words.
    #[must_use]
    pub fn in_edition(mut self, edition: &Edition) -> Position {
        self.words = Arc::new(edition.words.clone());
        self.with_switches(edition.switches)
    }

    /// The same start with another first player (CA-10).
    #[must_use]
    pub fn starting(mut self, player: Player) -> Position {
        self.state.to_move = Player(player.0 % PLAYERS as u8);
        self
    }

    /// The same start with these wall tiles on the towers: the lower track
    /// space of a tower to the number of its wall tile. Unknown towers and
    /// numbers are left out.
    #[must_use]
    pub fn with_wall_tiles(mut self, numbers: &BTreeMap<u8, u8>) -> Position {
        for (low, number) in numbers {
            if let Some(tower) = self.board.tower(*low)
                && (1..=WALL_TILE_KINDS).contains(number)
            {
                self.state.wall_tiles[tower].number = *number;
            }
        }
        self
    }

    /// The same start with points on the track already: a game that goes on from
    /// a count kept elsewhere.
    #[must_use]
    pub fn with_totals(mut self, totals: [u32; 2]) -> Position {
        self.state.totals = totals;
        self
    }

    /// The readings of the rules that hold.
    pub fn switches(&self) -> RuleSwitches {
        self.switches
    }

    /// What things are called.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// Whose turn it is.
    pub fn to_move(&self) -> Player {
        self.state.to_move
    }

    /// What is to be done next.
    pub fn phase(&self) -> Phase {
        self.state.phase
    }

    /// The number of the turn, from 1.
    pub fn turn(&self) -> u32 {
        u32::from(self.state.turn)
    }

    /// Points on the track, final scoring not in it.
    pub fn total(&self, player: Player) -> u32 {
        self.state.totals.get(player.index()).copied().unwrap_or(0)
    }

    /// Followers in a player's supply (CA-06).
    pub fn supply(&self, player: Player) -> u8 {
        let standing = self.standing().iter().filter(|s| s.player == player).count();
        FOLLOWERS.saturating_sub(standing as u8)
    }

    /// A player's keep, if it stands on a house.
    pub fn keep(&self, player: Player) -> Option<Keep> {
        self.state.keeps.get(player.index()).copied().flatten()
    }

    /// Wall tiles in front of a player: the lower track space of the tower and
    /// the number, `None` while nobody has said.
    pub fn wall_tiles(&self, player: Player) -> Vec<(u8, Option<u8>)> {
        self.wall_tiles_where(|holder| holder == Holder::Player(player))
    }

    /// Wall tiles still on their towers, as in [`Position::wall_tiles`].
    pub fn wall_tiles_on_wall(&self) -> Vec<(u8, Option<u8>)> {
        self.wall_tiles_where(|holder| holder == Holder::Wall).into_iter().filter(|t| t.0 != 0).collect()
    }

    fn wall_tiles_where(&self, wanted: impl Fn(Holder) -> bool) -> Vec<(u8, Option<u8>)> {
        self.board
            .towers
            .iter()
            .zip(&self.state.wall_tiles)
            .filter(|(_, tile)| wanted(tile.holder))
            .map(|(low, tile)| (*low, (tile.number > 0).then_some(tile.number)))
            .collect()
    }

    /// The lower space of the tower that a track space belongs to (CA-09).
    pub fn tower_at(&self, space: u8) -> Option<u8> {
        let tower = usize::from(*self.board.tower_at.get(usize::from(space))?);
        self.board.towers.get(tower).copied()
    }

    /// Tiles neither laid nor discarded.
    pub fn tiles_left(&self) -> u32 {
        let all: u32 = self.board.counts.iter().map(|c| u32::from(*c)).sum();
        all.saturating_sub(u32::from(self.state.laid) + u32::from(self.state.discarded))
    }

    /// How many of a tile are left, by its index in the deck.
    pub fn remaining(&self, tile: usize) -> u32 {
        self.remaining.get(tile).map_or(0, |n| u32::from(*n))
    }

    /// How many different tiles the deck has.
    pub fn tiles(&self) -> usize {
        self.board.ids.len()
    }

    /// The id of a tile, by its index in the deck.
    pub fn tile_id(&self, tile: usize) -> Option<&str> {
        self.board.ids.get(tile).map(String::as_str)
    }

    /// The index of the tile with this id.
    pub fn tile_index(&self, id: &str) -> Option<usize> {
        self.board.ids.iter().position(|i| i == id)
    }

    /// What lies in a cell: the tile's index in the deck and how it is turned.
    pub fn tile_at(&self, cell: Cell) -> Option<(usize, Rotation)> {
        let laid = self.laid[self.board.place(cell)? as usize]?;
        Some((laid.tile as usize, laid.rotation))
    }

    /// The interior cells, row by row.
    pub fn cells(&self) -> &[Cell] {
        &self.board.cells
    }

    /// Where the tile of this turn lies.
    pub fn last_cell(&self) -> Option<Cell> {
        self.board.cells.get(self.state.last as usize).copied()
    }

    /// Followers on tiles, in the order in which they were put there.
    pub fn followers(&self) -> Vec<StandingFollower> {
        self.standing().iter().map(|s| self.follower(*s)).collect()
    }

    pub(super) fn follower(&self, s: Standing) -> StandingFollower {
        StandingFollower {
            player: s.player,
            cell: self.cell_of(s.place),
            segment: s.segment,
            figure: FigureKind::FOLLOWER,
        }
    }

    pub(super) fn standing(&self) -> &[Standing] {
        &self.state.standing[..self.state.standing_len as usize]
    }

    /// The cell of a place; a start space has the cell that it touches.
    pub(super) fn cell_of(&self, place: Place) -> Cell {
        let place = place as usize;
        let place = match place.checked_sub(self.board.cells.len()) {
            Some(start) => self.board.starts[start].0 as usize,
            None => place,
        };
        self.board.cells[place]
    }

    /// The node of a segment of the tile in a place.
    pub(super) fn node(&self, place: Place, segment: u8) -> Option<Node> {
        let laid = self.laid.get(place as usize).copied().flatten()?;
        let segments = self.board.faces[laid.tile as usize].segments.len();
        ((segment as usize) < segments).then_some(laid.nodes + Node::from(segment))
    }

    /// The feature of a segment of the tile in a cell.
    pub(super) fn node_at(&self, at: SegmentAt) -> Option<Node> {
        self.node(self.board.place(at.cell)?, at.segment)
    }

    /// A segment of a feature on a castle tile, for naming it: the first one in
    /// reading order of the cells.
    pub(super) fn name_of(&self, node: Node) -> Option<SegmentAt> {
        let root = self.features.root(node);
        self.features.of(root).places.iter().find_map(|place| {
            let place = place as Place;
            if self.board.is_start(place) {
                return None;
            }
            let segment =
                (0..32).map_while(|s| self.node(place, s)).position(|n| self.features.root(n) == root)?;
            Some(SegmentAt { cell: self.cell_of(place), segment: segment as u8 })
        })
    }

    /// The segments of the tile in a place, with their nodes.
    pub(super) fn nodes(&self, place: Place) -> std::ops::Range<Node> {
        match self.laid.get(place as usize).copied().flatten() {
            Some(laid) => {
                laid.nodes..laid.nodes + self.board.faces[laid.tile as usize].segments.len() as Node
            }
            None => 0..0,
        }
    }

    /// The segments of the tile in a place.
    pub(super) fn segments_of(&self, place: Place) -> &[Segment] {
        let laid = self.laid.get(place as usize).copied().flatten();
        laid.map_or(&[], |laid| &self.board.faces[laid.tile as usize].segments)
    }

    /// Goes through the nodes of the tile in a place, then those that meet it
    /// beyond its sides; a node may come twice.
    pub(super) fn each_node_around(&self, place: Place, mut visit: impl FnMut(Node)) {
        self.nodes(place).for_each(&mut visit);
        for side in Side::ALL {
            let next = self.board.neighbours[place as usize][side.index()];
            if next == PLAIN_WALL {
                continue;
            }
            for port in [Port::left(side), Port::middle(side), Port::right(side)] {
                if let Some(node) = self.node_at_port(next, port.facing()) {
                    visit(node);
                }
            }
        }
    }

    /// The node at a port of the tile in a place.
    pub(super) fn node_at_port(&self, place: Place, port: Port) -> Option<Node> {
        let laid = self.laid[place as usize]?;
        let face = &self.board.faces[laid.tile as usize];
        let segment = face.turned[laid.rotation.quarters() as usize].ports[port.index()];
        (segment != NO_SEGMENT).then(|| laid.nodes + Node::from(segment))
    }

    /// Whether a tile fits a cell's sides (CA-21 to CA-25).
    #[inline]
    fn fits(&self, tile: usize, place: Place, rotation: Rotation) -> bool {
        let paths = self.board.faces[tile].turned[rotation.quarters() as usize].paths;
        let (known, need) = self.sides[place as usize];
        (paths ^ need) & known == 0
    }

    /// The sides of a cell on which paths would clash: known neighbours whose
    /// path meets none, or the other way round.
    pub(super) fn clashes(&self, tile: usize, place: Place, rotation: Rotation) -> Vec<Side> {
        let paths = self.board.faces[tile].turned[rotation.quarters() as usize].paths;
        let (known, need) = self.sides[place as usize];
        let clash = (paths ^ need) & known;
        Side::ALL.into_iter().filter(|s| clash >> s.index() & 1 == 1).collect()
    }

    /// Calls a function with every place and rotation in which a tile may be
    /// laid (CA-18 to CA-31).
    pub(super) fn each_placement(&self, tile: usize, mut each: impl FnMut(Place, Rotation)) {
        for place in self.state.frontier.iter() {
            for rotation in Rotation::ALL {
                if self.fits(tile, place as Place, rotation) {
                    each(place as Place, rotation);
                }
            }
        }
    }

    /// Every way in which a tile may be laid, cell by cell (CA-18 to CA-31);
    /// `tile` is its index in the deck.
    pub fn placements(&self, tile: usize) -> Vec<Placement> {
        let mut all = Vec::new();
        if tile < self.tiles() {
            self.each_placement(tile, |place, rotation| {
                all.push(Placement { tile, cell: self.cell_of(place), rotation });
            });
        }
        all
    }

    /// Whether a tile has any legal place (CA-27).
    pub fn has_placement(&self, tile: usize) -> bool {
        tile < self.tiles()
            && self.state.frontier.iter().any(|place| {
                Rotation::ALL.into_iter().any(|rotation| self.fits(tile, place as Place, rotation))
            })
    }

    /// The segments of the tile just laid that the player to move may put a
    /// follower on, and what it would be there (CA-38 to CA-40).
    pub fn claims(&self) -> Vec<(u8, Role)> {
        if self.state.phase != Phase::Follower || self.state.claimed || self.supply(self.state.to_move) == 0 {
            return Vec::new();
        }
        self.nodes(self.state.last)
            .enumerate()
            .filter(|(_, node)| !self.features.of(*node).is_claimed())
            .filter(|(_, node)| !self.is_old_ring(self.features.root(*node)))
            .filter_map(|(i, node)| Some((i as u8, Role::on(self.features.of(node).kind)?)))
            .collect()
    }

    /// The role of a follower on a segment of the tile in a cell.
    pub fn role_at(&self, at: SegmentAt) -> Option<Role> {
        Role::on(self.features.of(self.node_at(at)?).kind)
    }

    /// Plays a move by the rules.
    ///
    /// # Errors
    /// [`Refusal`] with every reason why it is not legal; nothing has changed.
    pub fn play(&mut self, played: &Move) -> Result<Vec<Outcome>, Refusal> {
        let illegalities = self.illegalities(played);
        if illegalities.is_empty() { self.happen(played) } else { Err(Refusal { illegalities }) }
    }

    /// Plays a move that happened at the table, legal or not, and says what was
    /// against the rules.
    ///
    /// # Errors
    /// [`Refusal`] when it cannot have happened: the cell is outside the wall or
    /// taken, there is no such tile, player or segment.
    pub fn play_anyway(&mut self, played: &Move) -> Result<(Vec<Outcome>, Vec<Illegality>), Refusal> {
        let illegalities = self.illegalities(played);
        if illegalities.iter().any(|i| !i.waivable) {
            let illegalities = illegalities.into_iter().filter(|i| !i.waivable).collect();
            return Err(Refusal { illegalities });
        }
        Ok((self.happen(played)?, illegalities))
    }

    fn happen(&mut self, played: &Move) -> Result<Vec<Outcome>, Refusal> {
        let mut outcomes = Vec::new();
        self.begin();
        match *played {
            Move::Lay { player, placement } => {
                if self.state.phase == Phase::Follower {
                    self.finish_turn();
                    outcomes.push(self.outcome.clone());
                }
                if let Some(place) = self.board.place(placement.cell) {
                    self.state.to_move = player;
                    self.lay(placement.tile, place, placement.rotation);
                }
            }
            Move::Claim { player, at, .. } => {
                if let Some(place) = self.board.place(at.cell) {
                    self.claim(player, place, at.segment);
                }
            }
            Move::Discard { player, tile } => {
                self.state.to_move = player;
                self.discard(tile);
            }
            Move::Use { player, number, on } => self.use_wall_tile(player, number, on),
            Move::Show { space: tower, number } => {
                if let Some(tower) = self.board.tower(tower) {
                    self.state.wall_tiles[tower].number = number;
                }
            }
            Move::Order { ref features, .. } => {
                self.state.order = [NO_NODE; MAX_STANDING];
                let nodes: Vec<Node> = features.iter().filter_map(|at| self.node_at(*at)).collect();
                for (slot, node) in self.state.order.iter_mut().zip(nodes) {
                    *slot = node;
                }
            }
            Move::End { player } => {
                self.state.to_move = player;
                self.finish_turn();
                outcomes.push(self.outcome.clone());
            }
            Move::Stop => {
                if self.state.phase == Phase::Follower {
                    self.finish_turn();
                    outcomes.push(self.outcome.clone());
                }
                self.state.phase = Phase::Over;
            }
            Move::Return { .. } | Move::Redeploy { .. } | Move::MoveNeutral { .. } | Move::Pass { .. } => {}
        }
        Ok(outcomes)
    }

    /// Takes back the last move.
    ///
    /// Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(step) = self.steps.pop() else { return false };
        if let Some(place) = step.laid {
            self.laid[place as usize] = None;
            for side in Side::ALL {
                let next = self.board.neighbours[place as usize][side.index()];
                if next != PLAIN_WALL && !self.board.is_start(next) {
                    let bit = 1 << side.opposite().index();
                    let (known, paths) = &mut self.sides[next as usize];
                    *known &= !bit;
                    *paths &= !bit;
                }
            }
        }
        if let Some(tile) = step.took {
            self.remaining[tile as usize] += 1;
        }
        self.features.undo(step.mark);
        self.state = step.state;
        true
    }

    /// Marks where [`Position::undo`] goes back to.
    pub(super) fn begin(&mut self) {
        self.steps.push(Step { state: self.state, mark: self.features.mark(), laid: None, took: None });
    }

    /// A tile leaves the game; the last one ends it (CA-29).
    pub(super) fn discard(&mut self, tile: usize) {
        self.state.discarded = self.state.discarded.saturating_add(1);
        self.state.drawn = true;
        self.take(tile);
        if self.tiles_left() == 0 && self.state.phase == Phase::Tile {
            self.state.phase = Phase::Over;
        }
    }

    /// Whether a player holds a wall tile of this number.
    pub(super) fn holds(&self, player: Player, number: u8) -> bool {
        self.held(player, number).is_some()
    }

    fn held(&self, player: Player, number: u8) -> Option<usize> {
        self.state.wall_tiles[..self.board.towers.len()]
            .iter()
            .position(|t| t.holder == Holder::Player(player) && t.number == number)
    }

    /// Whether a player holds wall tile 2 or 3 from an earlier turn and would
    /// score a completed tower or house with it now.
    pub(super) fn can_double(&self, player: Player, number: u8) -> bool {
        self.held(player, number).is_some_and(|tower| self.state.wall_tiles[tower].taken < self.state.turn)
            && self.illegalities(&Move::Use { player, number, on: None }).is_empty()
    }

    fn take(&mut self, tile: usize) {
        if self.remaining[tile] > 0 {
            self.remaining[tile] -= 1;
            if let Some(step) = self.steps.last_mut() {
                step.took = Some(tile as u16);
            }
        }
    }

    fn note_side(&mut self, place: Place, side: Side, path: u8) {
        let (known, paths) = &mut self.sides[place as usize];
        *known |= 1 << side.index();
        *paths |= path << side.index();
    }

    /// Lays a tile in an empty cell and grows the features together.
    pub(super) fn lay(&mut self, tile: usize, place: Place, rotation: Rotation) {
        let board = Arc::clone(&self.board);
        let face = &board.faces[tile];
        let turned = &face.turned[rotation.quarters() as usize];
        let first = self.features.len() as Node;
        for segment in &face.segments {
            self.features.add(CastleFeature {
                kind: segment.kind,
                open: 0,
                attributes: segment.attributes,
                places: Places::EMPTY.with(place as usize),
                weights: [0; PLAYERS],
            });
        }
        self.laid[place as usize] = Some(Laid { tile: tile as u16, rotation, nodes: first });
        for side in Side::ALL {
            let next = board.neighbours[place as usize][side.index()];
            if next == PLAIN_WALL {
                continue;
            }
            let ports = [Port::left(side), Port::middle(side), Port::right(side)];
            if self.laid[next as usize].is_none() {
                for port in ports {
                    let segment = turned.ports[port.index()];
                    if segment != NO_SEGMENT {
                        self.features.open_port(first + Node::from(segment));
                    }
                }
                self.note_side(next, side.opposite(), turned.paths >> side.index() & 1);
                if !self.state.occupied.contains(next as usize) {
                    self.state.frontier = self.state.frontier.with(next as usize);
                }
                continue;
            }
            for port in ports {
                let Some(theirs) = self.node_at_port(next, port.facing()) else { continue };
                self.features.close_port(theirs);
                let segment = turned.ports[port.index()];
                if segment != NO_SEGMENT
                    && face.segments[segment as usize].kind == self.features.of(theirs).kind
                {
                    self.features.join(first + Node::from(segment), theirs);
                }
            }
        }
        self.state.occupied = self.state.occupied.with(place as usize);
        self.state.frontier = self.state.frontier.without(place as usize);
        self.state.last = place;
        self.state.claimed = false;
        self.state.laid += 1;
        self.state.phase = Phase::Follower;
        if let Some(step) = self.steps.last_mut() {
            step.laid = Some(place);
        }
        self.take(tile);
    }

    /// Puts a follower on a segment.
    pub(super) fn claim(&mut self, player: Player, place: Place, segment: u8) {
        let Some(node) = self.node(place, segment) else { return };
        let Some(slot) = self.state.standing.get_mut(self.state.standing_len as usize) else { return };
        *slot = Standing { player, place, segment, node };
        self.state.standing_len += 1;
        let mut weights = self.features.of(node).weights;
        weights[player.index()] += FigureKind::FOLLOWER.weight();
        self.features.set_weights(node, weights);
        if place == self.state.last && player == self.state.to_move {
            self.state.claimed = true;
        }
    }

    /// Sends home all followers on these features and returns them.
    pub(super) fn send_home(&mut self, roots: &[Node], returned: &mut Vec<(Standing, Node)>) {
        let mut kept = 0;
        for i in 0..self.state.standing_len as usize {
            let standing = self.state.standing[i];
            let root = self.features.root(standing.node);
            if roots.contains(&root) {
                returned.push((standing, root));
            } else {
                self.state.standing[kept] = standing;
                kept += 1;
            }
        }
        self.state.standing_len = kept as u8;
        for root in roots {
            if self.features.of(*root).is_claimed() {
                self.features.set_weights(*root, [0; PLAYERS]);
            }
        }
    }

    /// Plays a wall tile: 1 gives a turn, 2 and 3 are kept for the scoring of
    /// this turn, 4 to 9 speak at the end (CA-81).
    pub(super) fn use_wall_tile(&mut self, player: Player, number: u8, on: Option<SegmentAt>) {
        if let Some(tower) = self.held(player, number).or_else(|| self.held(player, 0)) {
            self.state.wall_tiles[tower].number = number;
            if number <= 3 {
                self.state.wall_tiles[tower].holder = Holder::Used(player);
            }
        }
        match number {
            1 if player == self.state.to_move => self.state.extra = self.state.extra.saturating_add(1),
            1 => self.state.to_move = player,
            2 | 3 => {
                let node = on.and_then(|at| self.node_at(at)).unwrap_or(NO_NODE);
                if let Some(slot) = self.state.doubles.iter_mut().find(|d| d.0 == 0) {
                    *slot = (number, node);
                }
            }
            4..=7 => {
                let node = on.and_then(|at| self.node_at(at)).unwrap_or(NO_NODE);
                self.state.finals[player.index()][usize::from(number - 4)] = node;
            }
            _ => {}
        }
    }

    /// Whether the kind of a feature is scored when it is complete (CA-104).
    pub(super) fn is_scored_in_play(kind: Kind) -> bool {
        matches!(kind, Kind::PATH | Kind::TOWER | Kind::HOUSE)
    }
}
