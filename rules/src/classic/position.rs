//! A position: what lies and stands where, whose turn it is, and every move with
//! its undo.

use std::sync::Arc;

use super::board::{Board, NO_SEGMENT, Place, Places, SetupError};
use super::grid::{EMPTY, Grid, NOWHERE, Square};
use super::module::{Module, Stage};
use super::modules::{MODULES, ModuleStates};
use super::own_deck::in_place_of;
use super::switches::Switches;
use super::turn::Outcome;
use crate::features::{Feature, Features, Mark, Node};
use crate::{
    Cell, Deck, FigureKind, Illegality, Kind, Move, Phase, Placement, Player, Port, Refusal, Role, Rotation,
    SegmentAt, Side, StandingFollower,
};

/// Followers that a player can put on tiles (BA-03).
pub const FOLLOWERS: u8 = 7;
/// The most players, six with the switch that allows them (BA-01).
pub const MOST_PLAYERS: usize = 6;

/// Segments of a tile and moves of a turn for which room is made; more take more room.
const MOST_SEGMENTS: usize = 6;
const MOVES_OF_TURN: usize = 4;

/// The most figures besides followers that a player can have.
pub const MOST_OTHERS: u8 = 3;

/// The follower on the track too, should it be put on a tile by mistake.
const MAX_STANDING: usize = MOST_PLAYERS * (FOLLOWERS + 1 + MOST_OTHERS) as usize;
pub(super) const NO_NODE: Node = Node::MAX;

/// A feature of the classic game.
pub(super) type ClassicFeature = Feature<MOST_PLAYERS, 3>;

/// A figure on a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub player: Player,
    pub place: Place,
    pub segment: u8,
    pub figure: FigureKind,
    pub node: Node,
}

/// All of a position that is copied, not undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub to_move: Player,
    pub phase: Phase,
    pub turn: u16,
    pub discarded: u16,
    /// Whether a follower was put this turn.
    pub claimed: bool,
    /// 1 for the second tile of a turn, else 0.
    pub part: u8,
    /// Who may do something in a step.
    pub actor: Player,
    /// Where the turn stands in a step.
    pub stage: Stage,
    /// The number of the module whose step it is.
    pub stepper: u8,
    /// Who got points in this turn, a bit each.
    pub gained: u8,
    /// The modules that forbid places as things stand, a bit each.
    restricting: u8,
    pub modules: ModuleStates,
    pub totals: [u32; MOST_PLAYERS],
}

/// A tile on the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Laid {
    pub tile: u16,
    pub rotation: Rotation,
    pub nodes: Node,
    pub square: Square,
    /// Its cloister, or [`NO_NODE`].
    pub cloister: Node,
}

/// An empty square beside tiles.
#[derive(Clone, Copy, Debug)]
struct Free {
    square: Square,
    needs: Needs,
}

/// What a tile on a square must show, as in [`Turned::edges`](super::board::Turned), where
/// `known` has bits.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    need: u16,
    known: u16,
}

/// A change of the list of figures on tiles.
#[derive(Clone, Copy, Debug)]
enum Moved {
    /// One came to its end.
    Came,
    /// One left it, from this place in it.
    Left(u8, Standing),
}

/// What undoing a step must put back.
#[derive(Clone, Debug)]
struct Step {
    state: State,
    mark: Mark,
    /// How many changes of the list of figures came before.
    moved: u32,
    took: Option<u16>,
    /// Where the cell of the tile laid stood in the frontier, and how many cells it
    /// added.
    laid: Option<(u16, u16)>,
}

/// A position of the classic game, with all that led to it undoable.
#[derive(Clone, Debug)]
pub struct Position {
    pub(super) board: Arc<Board>,
    pub(super) switches: Switches,
    pub(super) players: usize,
    /// The modules that are played with, a bit each, by [`MODULES`].
    pub(super) active: u8,
    /// Those of them that can open a step, for each [`Stage`].
    stepping: [u8; Stage::ALL.len()],
    /// How many of each kind of figure a player has, by [`FigureKind::ALL`].
    figures: [u8; FigureKind::ALL.len()],
    /// How many of each a player has on tiles.
    on_tiles: [[u8; FigureKind::ALL.len()]; MOST_PLAYERS],
    pub(super) features: Features<MOST_PLAYERS, 3>,
    pub(super) laid: Vec<Laid>,
    grid: Grid,
    /// The empty squares beside tiles.
    frontier: Vec<Free>,
    remaining: Vec<u16>,
    /// Figures on tiles, in the order in which they were put there.
    standing: Vec<Standing>,
    /// How that list changed.
    moved: Vec<Moved>,
    pub(super) state: State,
    steps: Vec<Step>,
    pub(super) outcome: Outcome,
}

impl Position {
    /// The start of a game: the start tile lies at `A1`, player 0 begins.
    ///
    /// # Errors
    /// [`SetupError`] when a tile has no face or one of another game, when the deck
    /// names no start tile, or when so many cannot play.
    pub fn new(deck: &Deck, players: usize, switches: Switches) -> Result<Position, SetupError> {
        let mut active = 0;
        for set in &deck.sets {
            let number = MODULES.iter().position(|module| module.set() == set);
            active |= 1u8 << number.ok_or_else(|| SetupError::Set(crate::bounds::quoted(set)))?;
        }
        let stepping = Stage::ALL.map(|stage| {
            let opening = modules_in(active).filter(|(_, module)| module.steps().contains(&stage));
            opening.fold(0, |all, (number, _)| all | 1 << number)
        });
        let by_modules = modules_in(active).map(|(_, module)| module.most_players()).max().unwrap_or(0);
        let most = if switches.six_players { MOST_PLAYERS } else { by_modules.max(MOST_PLAYERS - 1) };
        if !(2..=most).contains(&players) {
            return Err(SetupError::Players(players, most));
        }
        let board = Board::new(deck)?;
        let mut position = Position {
            features: Features::with_capacity(6 * deck.len()),
            laid: Vec::with_capacity(deck.len()),
            grid: Grid::default(),
            frontier: Vec::with_capacity(2 * deck.len()),
            remaining: board.counts.clone(),
            state: State {
                to_move: Player(0),
                phase: Phase::Tile,
                turn: 1,
                discarded: 0,
                claimed: false,
                part: 0,
                actor: Player(0),
                stage: Stage::Scoring,
                stepper: 0,
                gained: 0,
                restricting: active,
                modules: ModuleStates::default(),
                totals: [0; MOST_PLAYERS],
            },
            standing: Vec::new(),
            moved: Vec::new(),
            steps: Vec::new(),
            outcome: Outcome::default(),
            switches,
            players,
            active,
            stepping,
            figures: FigureKind::ALL.map(|figure| if figure.is_follower() { FOLLOWERS } else { 0 }),
            on_tiles: Default::default(),
            board: Arc::new(board),
        };
        if let Some(square) = position.square(Cell::new(0, 0)) {
            let start = position.board.start;
            position.lay(start, square, Rotation::new(0));
        }
        for module in position.modules() {
            for (id, cell) in module.block() {
                let lies = |tile: usize| position.remaining(tile) == 0;
                let (tile, rotation) = in_place_of(deck, id, lies).ok_or(SetupError::Block(id))?;
                if let Some(square) = position.square(*cell) {
                    position.lay(tile, square, rotation);
                }
            }
            for (figure, each) in module.figures() {
                position = position.with_figures(*figure, *each);
            }
        }
        position.state.phase = if position.tiles_left() == 0 { Phase::Over } else { Phase::Tile };
        Ok(position)
    }

    /// The same start with another first player (BA-05).
    #[must_use]
    pub fn starting(mut self, player: Player) -> Position {
        self.state.to_move = Player((player.index() % self.players) as u8);
        self
    }

    /// The same start with points already made: a game that goes on from a count kept
    /// elsewhere. Totals of players who do not play are left out.
    #[must_use]
    pub fn with_totals(mut self, totals: &[u32]) -> Position {
        for (ours, total) in self.state.totals.iter_mut().zip(&totals[..totals.len().min(self.players)]) {
            *ours = *total;
        }
        self
    }

    /// The same start where each player has so many of a figure besides the seven
    /// followers; the base game has none. No more than [`MOST_OTHERS`] of all such kinds
    /// are given, and followers stay as they are.
    #[must_use]
    pub fn with_figures(mut self, figure: FigureKind, each: u8) -> Position {
        let has = |other: FigureKind| !other.is_follower() && other != figure;
        let others = FigureKind::ALL.into_iter().zip(self.figures).filter(|(other, _)| has(*other));
        let room = MOST_OTHERS - others.map(|(_, each)| each).sum::<u8>();
        for (kind, ours) in FigureKind::ALL.into_iter().zip(&mut self.figures) {
            if kind == figure && !kind.is_follower() {
                *ours = each.min(room);
            }
        }
        self
    }

    /// The modules that are played with.
    pub(super) fn modules(&self) -> impl Iterator<Item = &'static dyn Module> + use<> {
        modules_in(self.active).map(|(_, module)| module)
    }

    /// The same with their numbers.
    pub(super) fn numbered_modules(&self) -> impl Iterator<Item = (u8, &'static dyn Module)> + use<> {
        modules_in(self.active)
    }

    /// The modules that can open a step at a stage, with their numbers.
    pub(super) fn stepping_modules(
        &self,
        stage: Stage,
    ) -> impl Iterator<Item = (u8, &'static dyn Module)> + use<> {
        modules_in(self.stepping[stage as usize])
    }

    /// The sets that are played with besides the base game, by their names.
    pub fn sets(&self) -> Vec<&'static str> {
        self.modules().map(|module| module.set()).collect()
    }

    /// The kinds of figures that players have, followers first.
    pub fn figures(&self) -> Vec<FigureKind> {
        FigureKind::ALL.into_iter().filter(|figure| self.each_has(*figure) > 0).collect()
    }

    /// How many of a figure each player has, on tiles or not.
    pub(super) fn each_has(&self, figure: FigureKind) -> u8 {
        self.figures[figure.index()]
    }

    /// How many play.
    pub fn players(&self) -> usize {
        self.players
    }

    /// The readings of the rules that hold.
    pub fn switches(&self) -> Switches {
        self.switches
    }

    /// Whose turn it is.
    pub fn to_move(&self) -> Player {
        self.state.to_move
    }

    /// Who may do something now; in a step others than the one whose turn it is, too.
    pub fn actor(&self) -> Player {
        if self.state.phase == Phase::Step { self.state.actor } else { self.state.to_move }
    }

    /// The rule by which something more may be done now, in a step.
    pub fn step_rule(&self) -> Option<&'static str> {
        self.stepping().map(|module| module.step_rule(self))
    }

    /// The module whose step is open.
    pub(super) fn stepping(&self) -> Option<&'static dyn Module> {
        let mut all = self.numbered_modules().filter(|_| self.state.phase == Phase::Step);
        all.find(|(number, _)| *number == self.state.stepper).map(|(_, module)| module)
    }

    /// What is to be done next.
    pub fn phase(&self) -> Phase {
        self.state.phase
    }

    /// The number of the turn, from 1.
    pub fn turn(&self) -> u32 {
        u32::from(self.state.turn)
    }

    /// Points made in play, final scoring not in it.
    pub fn total(&self, player: Player) -> u32 {
        self.state.totals.get(player.index()).copied().unwrap_or(0)
    }

    /// Followers in a player's supply (BA-03).
    pub fn supply(&self, player: Player) -> u8 {
        if player.index() >= self.players {
            return 0;
        }
        FOLLOWERS.saturating_sub(self.standing_of(player, FigureKind::FOLLOWER))
    }

    /// How many of a figure are in a player's supply.
    pub fn supply_of(&self, player: Player, figure: FigureKind) -> u8 {
        if player.index() >= self.players {
            return 0;
        }
        self.each_has(figure).saturating_sub(self.standing_of(player, figure))
    }

    /// How many of a player's figures of a kind stand on tiles.
    pub(super) fn standing_of(&self, player: Player, figure: FigureKind) -> u8 {
        self.on_tiles.get(player.index()).map_or(0, |each| each[figure.index()])
    }

    /// Tiles neither laid nor discarded.
    pub fn tiles_left(&self) -> u32 {
        self.board.total.saturating_sub(self.laid.len() as u32 + u32::from(self.state.discarded))
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
        let laid = self.laid[self.place(cell)? as usize];
        Some((laid.tile as usize, laid.rotation))
    }

    /// The cells with tiles, in the order in which they were laid.
    pub fn cells(&self) -> Vec<Cell> {
        self.laid.iter().map(|l| self.cell(l.square)).collect()
    }

    /// Where the tile of this turn lies.
    pub fn last_cell(&self) -> Option<Cell> {
        let lies = matches!(self.state.phase, Phase::Follower | Phase::Step);
        lies.then(|| self.laid.last().map(|l| self.cell(l.square))).flatten()
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
            figure: s.figure,
        }
    }

    /// Where a figure stands.
    pub(super) fn at(&self, standing: &Standing) -> SegmentAt {
        SegmentAt { cell: self.cell_of(standing.place), segment: standing.segment }
    }

    pub(super) fn standing(&self) -> &[Standing] {
        &self.standing
    }

    /// The cell of a laid tile.
    pub(super) fn cell_of(&self, place: Place) -> Cell {
        self.cell(self.laid[place as usize].square)
    }

    pub(super) fn cell(&self, square: Square) -> Cell {
        square.cell()
    }

    /// The square of a cell; none where no tile can come to lie.
    pub(super) fn square(&self, cell: Cell) -> Option<Square> {
        let reach = self.board.reach;
        let inside = |at: i8| at.unsigned_abs() <= reach;
        (inside(cell.col) && inside(cell.row)).then(|| Square::of(cell))
    }

    /// The place of the tile in a cell.
    pub(super) fn place(&self, cell: Cell) -> Option<Place> {
        self.place_on(self.square(cell)?)
    }

    /// Whether a tile may be laid in a cell as far as its neighbours' being there goes.
    pub(super) fn is_in_frontier(&self, square: Square) -> bool {
        self.grid.at(square).free != NOWHERE
    }

    /// The place of the tile on a square.
    pub(super) fn place_on(&self, square: Square) -> Option<Place> {
        self.grid.at(square).place.checked_sub(1)
    }

    /// Whether a tile lies on a square.
    pub(super) fn is_laid(&self, square: Square) -> bool {
        self.grid.at(square).place != EMPTY
    }

    /// The cell of a feature's first tile.
    pub(super) fn first_cell(&self, root: Node) -> Cell {
        let first = self.features.of(root).places.iter().next().unwrap_or(0);
        self.cell_of(first as Place)
    }

    /// The nodes of the cloisters round a laid tile.
    pub(super) fn cloisters_around(&self, place: Place) -> impl Iterator<Item = Node> + '_ {
        let squares = self.laid[place as usize].square.around();
        squares.into_iter().filter_map(|square| {
            let place = self.place_on(square)?;
            Some(self.laid[place as usize].cloister).filter(|node| *node != NO_NODE)
        })
    }

    /// The nodes of a laid tile's segments.
    pub(super) fn nodes(&self, place: Place) -> std::ops::Range<Node> {
        let laid = self.laid[place as usize];
        laid.nodes..laid.nodes + self.board.faces[laid.tile as usize].segments.len() as Node
    }

    /// The node of a segment.
    pub(super) fn node_at(&self, at: SegmentAt) -> Option<Node> {
        self.nodes(self.place(at.cell)?).nth(at.segment as usize)
    }

    /// What a segment shows.
    pub(super) fn kind_at(&self, at: SegmentAt) -> Option<Kind> {
        Some(self.features.of(self.node_at(at)?).kind)
    }

    /// The role of a follower on a segment of the tile in a cell (BA-12).
    pub fn role_at(&self, at: SegmentAt) -> Option<Role> {
        Role::on(self.kind_at(at)?)
    }

    /// Whether a tile may be drawn now (PL-05).
    pub fn may_draw(&self, tile: usize) -> bool {
        self.remaining(tile) > 0
            && modules_in(self.state.restricting).all(|(_, module)| module.may_draw(self, tile))
    }

    /// What a tile on a square must show.
    fn needs(&self, square: Square) -> Needs {
        let mut needs = Needs::default();
        for (side, next) in Side::ALL.into_iter().zip(square.beside()) {
            if let Some(other) = self.place_on(next) {
                needs.add(side, self.shows(other, side.opposite()));
            }
        }
        needs
    }

    /// What a laid tile shows on a side, four bits.
    fn shows(&self, place: Place, side: Side) -> u16 {
        let laid = self.laid[place as usize];
        let turned = &self.board.faces[laid.tile as usize].turned[laid.rotation.quarters() as usize];
        turned.edges >> (4 * side.index()) & 0xf
    }

    /// The sides on which a tile would meet something else than its neighbour shows.
    pub(super) fn clashes(&self, tile: usize, square: Square, rotation: Rotation) -> Vec<Side> {
        let edges = self.board.faces[tile].turned[rotation.quarters() as usize].edges;
        let Needs { need, known } = self.needs(square);
        let clash = (edges ^ need) & known;
        Side::ALL.into_iter().filter(|s| clash >> (4 * s.index()) & 0xf != 0).collect()
    }

    /// What a tile's side and the side that it meets there show, as words.
    pub(super) fn edges_at(&self, p: Placement, square: Square, side: Side) -> [&'static str; 2] {
        let edges = self.board.faces[p.tile].turned[p.rotation.quarters() as usize].edges;
        [edges, self.needs(square).need].map(|edges| match edges >> (4 * side.index()) & 0xf {
            1 => "field",
            2 => "road",
            3 => "city",
            4 => "river",
            _ => "wall",
        })
    }

    /// In which rotations a tile may be laid on each free square, in their order; gives in
    /// how many ways in all (BA-08, BA-09).
    pub(super) fn fitting(&self, tile: usize, fitting: &mut Vec<Fitting>) -> u32 {
        fitting.clear();
        fitting.extend(self.fits(tile));
        fitting.iter().map(|fits| fits.len()).sum()
    }

    /// In which rotations a tile may be laid on each free square, in their order.
    fn fits(&self, tile: usize) -> impl Iterator<Item = Fitting> + '_ {
        let edges = Quarters::of(self.board.faces[tile].turned.each_ref().map(|turned| turned.edges));
        let restricted = self.state.restricting != 0;
        self.frontier.iter().map(move |free| {
            let fits = edges.that_fit(free.needs);
            if restricted { self.allowed(tile, free.square, fits) } else { fits }
        })
    }

    /// Those rotations in which no module forbids to lay a tile.
    #[cold]
    fn allowed(&self, tile: usize, square: Square, fits: Fitting) -> Fitting {
        let allowed = |rotation: &Rotation| {
            modules_in(self.state.restricting).all(|(_, module)| module.allows(self, tile, square, *rotation))
        };
        fits.rotations().filter(allowed).fold(Fitting::NONE, Fitting::with)
    }

    /// One of the ways that [`Position::fitting`] found, by its number.
    pub(super) fn nth_fitting(&self, fitting: &[Fitting], mut n: u32) -> Option<(Square, Rotation)> {
        for (free, fits) in self.frontier.iter().zip(fitting) {
            if n < fits.len() {
                return Some((free.square, fits.rotations().nth(n as usize)?));
            }
            n -= fits.len();
        }
        None
    }

    /// Every way in which a tile may be laid, row by row (BA-08, BA-09); `tile` is its
    /// index in the deck.
    pub fn placements(&self, tile: usize) -> Vec<Placement> {
        let mut fitting = Vec::new();
        let count = if tile < self.tiles() { self.fitting(tile, &mut fitting) } else { 0 };
        let mut all = Vec::with_capacity(count as usize);
        for (free, fits) in self.frontier.iter().zip(&fitting) {
            let cell = self.cell(free.square);
            all.extend(fits.rotations().map(|rotation| Placement { tile, cell, rotation }));
        }
        all.sort_unstable_by_key(|p| (p.cell.row, p.cell.col, p.rotation));
        all
    }

    /// Whether a tile has any legal place (BA-10).
    pub fn has_placement(&self, tile: usize) -> bool {
        tile < self.tiles() && self.fits(tile).any(|fits| fits.len() > 0)
    }

    /// The segments of the tile just laid that the player to move may put a follower
    /// on, and what it would be there (BA-12, BA-13).
    pub fn claims(&self) -> Vec<(u8, Role)> {
        if self.supply(self.state.to_move) == 0 { Vec::new() } else { self.free_segments().collect() }
    }

    /// The segments of the tile just laid that nobody's figure claims, as long as none was
    /// put in this turn, and what a follower would be there.
    fn free_segments(&self) -> impl Iterator<Item = (u8, Role)> + '_ {
        let mut last = self.laid.len().checked_sub(1);
        if self.state.phase != Phase::Follower || self.state.claimed {
            last = None;
        }
        let nodes = last.map_or(0..0, |last| self.nodes(last as Place));
        nodes
            .enumerate()
            .filter(|(_, node)| !self.features.of(*node).is_claimed())
            .filter_map(|(i, node)| Some((i as u8, Role::on(self.features.of(node).kind)?)))
    }

    /// Every legal move with these tiles drawn, by index in the deck: one, or the hand
    /// of three where that is played (BA-33). With no tile drawn, every tile left may
    /// be. Moves that end the game early are not among them.
    pub fn legal_moves(&self, drawn: &[usize]) -> Vec<Move> {
        let player = self.state.to_move;
        match self.state.phase {
            Phase::Over => Vec::new(),
            Phase::Tile => {
                let every: Vec<usize> = (0..self.tiles()).collect();
                let mut drawn = if drawn.is_empty() { every } else { drawn.to_vec() };
                drawn.sort_unstable();
                drawn.dedup();
                drawn.retain(|tile| self.may_draw(*tile));
                let lays = drawn.iter().flat_map(|tile| self.placements(*tile));
                let mut moves: Vec<Move> = lays.map(|placement| Move::Lay { player, placement }).collect();
                let dead = drawn.iter().filter(|tile| !self.has_placement(**tile));
                let discards = dead.map(|tile| Move::Discard { player, tile: *tile });
                if moves.is_empty() || !self.switches.hand_of_three {
                    moves.extend(discards);
                }
                moves
            }
            Phase::Follower => {
                let mut moves = Vec::new();
                self.add_claims(&mut moves);
                moves.push(Move::End { player });
                moves
            }
            Phase::Step => {
                let mut moves = Vec::new();
                if let Some((_, module)) = self.numbered_modules().find(|(n, _)| *n == self.state.stepper) {
                    module.step_moves(self, &mut moves);
                }
                moves.push(Move::Pass { player: self.state.actor });
                moves
            }
        }
    }

    /// Adds every figure that the player to move may put on the tile just laid, and where
    /// (BA-12, BA-13).
    pub(super) fn add_claims(&self, moves: &mut Vec<Move>) {
        let Some(cell) = self.last_cell() else { return };
        let player = self.state.to_move;
        for figure in FigureKind::ALL {
            if figure.weight() > 0 && self.supply_of(player, figure) > 0 {
                let free = self.free_segments();
                moves.extend(free.map(|(segment, _)| Move::Claim {
                    player,
                    at: SegmentAt { cell, segment },
                    figure,
                }));
            }
        }
        if !self.state.claimed {
            for module in self.modules() {
                module.claims(self, moves);
            }
        }
    }

    /// Plays a move by the rules.
    ///
    /// # Errors
    /// [`Refusal`] with every reason why it is not legal; nothing has changed.
    pub fn play(&mut self, played: &Move) -> Result<Vec<Outcome>, Refusal> {
        let illegalities = self.illegalities(played);
        if illegalities.is_empty() { Ok(self.happen(played)) } else { Err(Refusal { illegalities }) }
    }

    /// Plays a move that happened at the table, legal or not, and says what was
    /// against the rules.
    ///
    /// # Errors
    /// [`Refusal`] when it cannot have happened: the cell is taken, there is no such
    /// tile, player or segment.
    pub fn play_anyway(&mut self, played: &Move) -> Result<(Vec<Outcome>, Vec<Illegality>), Refusal> {
        let illegalities = self.illegalities(played);
        if illegalities.iter().any(|i| !i.waivable) {
            let illegalities = illegalities.into_iter().filter(|i| !i.waivable).collect();
            return Err(Refusal { illegalities });
        }
        Ok((self.happen(played), illegalities))
    }

    /// Plays a move, whether or not it is legal.
    pub(super) fn happen(&mut self, played: &Move) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        self.begin();
        match *played {
            Move::Lay { player, placement } => {
                self.end_what_is_open(&mut outcomes);
                if let Some(square) = self.square(placement.cell) {
                    self.state.to_move = player;
                    self.lay(placement.tile, square, placement.rotation);
                }
            }
            Move::Claim { player, at, figure } => {
                if let Some(place) = self.place(at.cell) {
                    self.claim(player, place, at.segment, figure);
                }
                if self.state.phase == Phase::Step {
                    self.step_on(played, &mut outcomes);
                }
            }
            Move::Return { player, at, figure } => {
                self.take_back(player, at, figure);
                self.step_on(played, &mut outcomes);
            }
            Move::Redeploy { player, from, to, figure } => {
                self.redeploy(player, from, to, figure);
                self.step_on(played, &mut outcomes);
            }
            Move::MoveNeutral { .. } | Move::Pass { .. } => self.step_on(played, &mut outcomes),
            Move::Discard { player, tile } => {
                self.state.to_move = player;
                self.discard(tile);
            }
            Move::End { .. } if self.state.phase == Phase::Step => self.end_what_is_open(&mut outcomes),
            Move::End { player } => {
                self.state.to_move = player;
                self.finish_turn();
                self.tell_outcome(&mut outcomes);
            }
            Move::Stop => {
                self.end_what_is_open(&mut outcomes);
                self.state.phase = Phase::Over;
            }
            Move::Use { .. } | Move::Show { .. } | Move::Order { .. } => {}
        }
        outcomes
    }

    fn tell_outcome(&self, outcomes: &mut Vec<Outcome>) {
        if self.outcome.new {
            outcomes.push(self.outcome.clone());
        }
    }

    /// Ends the turn that has not ended, and its steps without doing anything in them.
    fn end_what_is_open(&mut self, outcomes: &mut Vec<Outcome>) {
        match self.state.phase {
            Phase::Follower => self.finish_turn(),
            Phase::Step => self.outcome.clear(),
            Phase::Tile | Phase::Over => return,
        }
        self.pass_all();
        self.tell_outcome(outcomes);
    }

    /// A move of a step has been made.
    fn step_on(&mut self, played: &Move, outcomes: &mut Vec<Outcome>) {
        if self.state.phase == Phase::Step {
            self.outcome.clear();
            self.step(played);
            self.tell_outcome(outcomes);
        }
    }

    /// Takes a figure off the table, and with the last follower of a player on a feature
    /// what only stands beside followers.
    fn take_back(&mut self, player: Player, at: SegmentAt, figure: FigureKind) {
        let Some(index) = self.find_standing(player, at, figure) else { return };
        let root = self.features.root(self.standing[index].node);
        self.lift(index);
        if self.features.of(root).weights[player.index()] == 0 {
            let lonely = |game: &Position| {
                let theirs = |s: &Standing| s.player == player && game.features.root(s.node) == root;
                game.standing().iter().position(theirs)
            };
            while let Some(index) = lonely(self) {
                self.lift(index);
            }
        }
    }

    /// The figure of a player on a segment, by its number in the list.
    pub(super) fn find_standing(&self, player: Player, at: SegmentAt, figure: FigureKind) -> Option<usize> {
        let is = |s: &Standing| s.player == player && s.figure == figure && self.at(s) == at;
        self.standing().iter().position(is)
    }

    /// Takes a figure off its tile.
    fn lift(&mut self, index: usize) {
        let standing = self.standing[index];
        let mut weights = self.features.of(standing.node).weights;
        weights[standing.player.index()] -= standing.figure.weight();
        self.features.set_weights(standing.node, weights);
        self.standing.remove(index);
        self.left(index, standing);
    }

    /// A figure has left the list of those on tiles.
    fn left(&mut self, index: usize, standing: Standing) {
        self.on_tiles[standing.player.index()][standing.figure.index()] -= 1;
        self.moved.push(Moved::Left(index as u8, standing));
    }

    /// Moves a figure to another segment.
    fn redeploy(&mut self, player: Player, from: SegmentAt, to: SegmentAt, figure: FigureKind) {
        let Some(index) = self.find_standing(player, from, figure) else { return };
        let Some(place) = self.place(to.cell) else { return };
        let claimed = self.state.claimed;
        self.lift(index);
        self.claim(player, place, to.segment, figure);
        self.state.claimed = claimed;
    }

    /// Marks where [`Position::undo`] goes back to.
    pub(super) fn begin(&mut self) {
        let (mark, moved) = (self.features.mark(), self.moved.len() as u32);
        self.steps.push(Step { state: self.state, mark, moved, took: None, laid: None });
    }

    /// Takes back the last move.
    ///
    /// Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let Some(step) = self.steps.pop() else { return false };
        if let Some((at, added)) = step.laid
            && let Some(laid) = self.laid.pop()
        {
            for _ in 0..added {
                if let Some(free) = self.frontier.pop() {
                    self.grid.at_mut(free.square).free = NOWHERE;
                }
            }
            for (side, square) in Side::ALL.into_iter().zip(laid.square.beside()) {
                if let Some(free) = self.frontier.get_mut(self.grid.at(square).free as usize) {
                    free.needs.forget(side.opposite());
                }
            }
            self.grid.at_mut(laid.square).place = EMPTY;
            if at != NOWHERE {
                self.put_in_frontier(laid.square, at);
            }
        }
        if let Some(tile) = step.took {
            self.remaining[tile as usize] += 1;
        }
        self.features.undo(step.mark);
        while self.moved.len() > step.moved as usize {
            match self.moved.pop() {
                Some(Moved::Came) => {
                    if let Some(standing) = self.standing.pop() {
                        self.on_tiles[standing.player.index()][standing.figure.index()] -= 1;
                    }
                }
                Some(Moved::Left(index, standing)) => {
                    self.standing.insert(index as usize, standing);
                    self.on_tiles[standing.player.index()][standing.figure.index()] += 1;
                }
                None => {}
            }
        }
        self.state = step.state;
        true
    }

    /// Takes a square out of the frontier; gives where it stood, or [`NOWHERE`].
    fn take_from_frontier(&mut self, square: Square) -> u16 {
        let at = self.grid.at(square).free;
        if at != NOWHERE {
            self.frontier.swap_remove(at as usize);
            if let Some(moved) = self.frontier.get(at as usize) {
                self.grid.at_mut(moved.square).free = at;
            }
            self.grid.at_mut(square).free = NOWHERE;
        }
        at
    }

    /// Undoes [`Position::take_from_frontier`].
    fn put_in_frontier(&mut self, square: Square, at: u16) {
        self.frontier.push(Free { square, needs: self.needs(square) });
        let last = self.frontier.len() - 1;
        self.frontier.swap(at as usize, last);
        for i in [at as usize, last] {
            self.grid.at_mut(self.frontier[i].square).free = i as u16;
        }
    }

    /// A tile leaves the game (BA-10); the last one ends it.
    pub(super) fn discard(&mut self, tile: usize) {
        self.state.discarded = self.state.discarded.saturating_add(1);
        self.take(tile);
        if self.state.phase != Phase::Tile {
            return;
        }
        if self.tiles_left() == 0 {
            self.outcome.clear();
            self.state.stage = Stage::Final;
            self.go_on();
        } else if self.switches.unplaceable_loses_turn {
            self.pass_on();
        }
    }

    /// The next player's turn begins.
    pub(super) fn pass_on(&mut self) {
        self.state.part = 0;
        let next = (self.state.to_move.index() + 1) % self.players;
        self.state.to_move = Player(next as u8);
        self.state.turn = self.state.turn.saturating_add(1);
        self.state.claimed = false;
    }

    fn take(&mut self, tile: usize) {
        if self.remaining[tile] > 0 {
            self.remaining[tile] -= 1;
            if let Some(step) = self.steps.last_mut() {
                step.took = Some(tile as u16);
            }
        }
        if self.state.restricting != 0 {
            for (number, module) in modules_in(self.state.restricting) {
                if !module.restricts(self) {
                    self.state.restricting &= !(1 << number);
                }
            }
        }
    }

    /// Lays a tile on an empty square and grows the features together.
    pub(super) fn lay(&mut self, tile: usize, square: Square, rotation: Rotation) {
        let board = Arc::clone(&self.board);
        let face = &board.faces[tile];
        let turned = &face.turned[rotation.quarters() as usize];
        let place = self.laid.len() as Place;
        let first = self.features.len() as Node;
        let beside = square.beside();
        let others = beside.map(|next| self.place_on(next));
        let mut open = [0u16; 32];
        for (side, other) in Side::ALL.into_iter().zip(others) {
            if other.is_none() {
                for port in [Port::left(side), Port::middle(side), Port::right(side)] {
                    if let Some(open) = open.get_mut(turned.ports[port.index()] as usize) {
                        *open += 1;
                    }
                }
            }
        }
        let mut cloister = NO_NODE;
        let around = square.around();
        if face.cloister != NO_SEGMENT {
            cloister = first + Node::from(face.cloister);
            let empty = around.iter().filter(|s| !self.is_laid(**s)).count();
            open[face.cloister as usize] = empty as u16;
        }
        for (segment, open) in face.segments.iter().zip(open) {
            self.features.add(ClassicFeature {
                kind: segment.kind,
                open,
                attributes: segment.attributes,
                places: Places::EMPTY.with(place as usize),
                weights: [0; MOST_PLAYERS],
            });
        }
        for (side, other) in Side::ALL.into_iter().zip(others) {
            let Some(other) = other else { continue };
            let theirs = self.laid[other as usize];
            let other = &board.faces[theirs.tile as usize].turned[theirs.rotation.quarters() as usize];
            for port in [Port::left(side), Port::middle(side), Port::right(side)] {
                let (segment, facing) = (turned.ports[port.index()], other.ports[port.facing().index()]);
                if facing == NO_SEGMENT {
                    continue;
                }
                let theirs = theirs.nodes + Node::from(facing);
                self.features.close_port(theirs);
                if segment != NO_SEGMENT
                    && face.segments[segment as usize].kind == self.features.of(theirs).kind
                {
                    self.features.join(first + Node::from(segment), theirs);
                }
            }
        }
        for next in around {
            if let Some(other) = self.place_on(next) {
                let theirs = self.laid[other as usize].cloister;
                if theirs != NO_NODE {
                    self.features.close_port(theirs);
                }
            }
        }
        let at = self.take_from_frontier(square);
        self.grid.at_mut(square).place = place + 1;
        self.laid.push(Laid { tile: tile as u16, rotation, nodes: first, square, cloister });
        if self.switches.ring_roads_stay_open {
            self.keep_rings_open(place);
        }
        let mut added = 0;
        for (side, next) in Side::ALL.into_iter().zip(beside) {
            if self.is_laid(next) || self.square(self.cell(next)).is_none() {
                continue;
            }
            let mut at = self.grid.at(next).free;
            if at == NOWHERE {
                at = self.frontier.len() as u16;
                self.grid.at_mut(next).free = at;
                self.frontier.push(Free { square: next, needs: Needs::default() });
                added += 1;
            }
            let shown = turned.edges >> (4 * side.index()) & 0xf;
            self.frontier[at as usize].needs.add(side.opposite(), shown);
        }
        self.state.claimed = false;
        self.state.phase = Phase::Follower;
        if let Some(step) = self.steps.last_mut() {
            step.laid = Some((at, added));
        }
        self.take(tile);
        if self.active != 0 {
            for module in self.modules() {
                module.laid(self);
            }
        }
    }

    /// Has the roads of a tile that now run in a ring count as open for good (BA-15).
    fn keep_rings_open(&mut self, place: Place) {
        for node in self.nodes(place) {
            let root = self.features.root(node);
            if self.features.of(root).open == 0 && self.is_ring(root) {
                self.features.open_port(root);
            }
        }
    }

    /// Whether a feature is a road without an end: one that nothing is left to add to runs in
    /// a ring.
    pub(super) fn is_ring(&self, root: Node) -> bool {
        let feature = self.features.of(root);
        feature.kind == Kind::ROAD
            && feature.places.iter().all(|place| {
                let segments = &self.board.faces[self.laid[place].tile as usize].segments;
                let mut ours = self.nodes(place as Place).zip(segments);
                ours.all(|(node, s)| self.features.root(node) != root || s.ports.iter().count() == 2)
            })
    }

    /// Puts a figure on a segment.
    pub(super) fn claim(&mut self, player: Player, place: Place, segment: u8, figure: FigureKind) {
        let Some(node) = self.nodes(place).nth(segment as usize) else { return };
        if self.standing.len() >= MAX_STANDING {
            return;
        }
        self.standing.push(Standing { player, place, segment, figure, node });
        self.on_tiles[player.index()][figure.index()] += 1;
        self.moved.push(Moved::Came);
        let mut weights = self.features.of(node).weights;
        weights[player.index()] += figure.weight();
        self.features.set_weights(node, weights);
        if place as usize + 1 == self.laid.len() && player == self.state.to_move {
            self.state.claimed = true;
        }
    }

    /// Sends home all followers on these features and adds them to `home`.
    pub(super) fn send_home(&mut self, roots: &[Node], home: &mut Vec<(Standing, Node)>) {
        let mut kept = 0;
        for i in 0..self.standing.len() {
            let standing = self.standing[i];
            let root = self.features.root(standing.node);
            if roots.contains(&root) {
                home.push((standing, root));
                self.left(kept, standing);
            } else {
                self.standing[kept] = standing;
                kept += 1;
            }
        }
        self.standing.truncate(kept);
        for root in roots {
            if self.features.of(*root).is_claimed() {
                self.features.set_weights(*root, [0; MOST_PLAYERS]);
            }
        }
    }

    /// Makes room for a game that is played to its end.
    pub(super) fn make_room(&mut self) {
        let left = self.tiles_left() as usize;
        self.features.reserve(MOST_SEGMENTS * left);
        self.laid.reserve(left);
        self.steps.reserve(MOVES_OF_TURN * left);
        self.moved.reserve(MOVES_OF_TURN * left);
        self.standing.reserve(MAX_STANDING - self.standing.len());
        self.frontier.reserve(2 * left);
    }
}

impl Needs {
    /// A neighbour on this side shows this.
    fn add(&mut self, side: Side, shown: u16) {
        let to = 4 * side.index();
        self.known |= 0xf << to;
        self.need |= shown << to;
    }

    /// The neighbour on this side is gone.
    fn forget(&mut self, side: Side) {
        let bits = 0xf << (4 * side.index());
        self.known &= !bits;
        self.need &= !bits;
    }
}

/// The lowest and the highest bit of sixteen, four times.
const LOWEST: u64 = 0x0001_0001_0001_0001;
const HIGHEST: u64 = LOWEST << 15;

/// What a tile shows in its four rotations, sixteen bits each, so that all are compared at
/// once.
#[derive(Clone, Copy)]
struct Quarters(u64);

impl Quarters {
    fn of(edges: [u16; 4]) -> Quarters {
        Quarters(edges.into_iter().rev().fold(0, |all, edges| all << 16 | u64::from(edges)))
    }

    /// The rotations in which nothing is against what is needed.
    #[inline]
    fn that_fit(self, Needs { need, known }: Needs) -> Fitting {
        let clash = (self.0 ^ (u64::from(need) * LOWEST)) & (u64::from(known) * LOWEST);
        // Where any of sixteen bits is set, their highest becomes set; nothing is carried on.
        let clashing = ((clash & !HIGHEST) + !HIGHEST) | clash;
        Fitting(!clashing & HIGHEST)
    }
}

/// Rotations that fit: for each the highest of sixteen bits.
#[derive(Clone, Copy)]
pub(super) struct Fitting(u64);

impl Fitting {
    const NONE: Fitting = Fitting(0);

    fn with(self, rotation: Rotation) -> Fitting {
        Fitting(self.0 | 1 << (16 * u32::from(rotation.quarters()) + 15))
    }

    fn len(self) -> u32 {
        self.0.count_ones()
    }

    fn rotations(self) -> impl Iterator<Item = Rotation> {
        let has = move |rotation: &Rotation| self.0 >> (16 * u32::from(rotation.quarters())) & 0x8000 != 0;
        Rotation::ALL.into_iter().filter(has)
    }
}

/// The modules of a set of bits, with their numbers in [`MODULES`].
fn modules_in(mut bits: u8) -> impl Iterator<Item = (u8, &'static dyn Module)> {
    std::iter::from_fn(move || {
        let number = bits.trailing_zeros() as usize;
        let module = *MODULES.get(number)?;
        bits &= bits - 1;
        Some((number as u8, module))
    })
}
