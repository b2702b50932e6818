//! A wall and a deck, compiled: cells by number, neighbours, turned tiles.

use thiserror::Error;

use crate::features::PlaceSet;
use crate::{Cell, Deck, Face, Game, Port, Rotation, Segment, Sentence, Side, Wall, sentence};

/// Cells and start spaces by number, up to 128.
pub(super) type Places = PlaceSet<2>;
/// The number of a cell or start space: cells first, row by row, then start
/// spaces in the wall's order.
pub(super) type Place = u8;

/// No segment at this port.
pub(super) const NO_SEGMENT: u8 = u8::MAX;
/// Plain wall beyond this side.
pub(super) const PLAIN_WALL: Place = Place::MAX;
/// No tower at this track space.
pub(super) const NO_TOWER: u8 = u8::MAX;
/// Track spaces (CA-02).
pub(super) const TRACK: u32 = 100;
/// The most towers a wall can have here.
pub(super) const MAX_TOWERS: usize = 32;

/// Why a wall and a deck cannot be played with.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", Sentence::from(self))]
pub enum SetupError {
    /// The deck is of another game.
    Game(String),
    /// A tile without a face.
    NoFace(String),
    /// A tile with a kind of the classic game.
    Kind(String, crate::Kind),
    /// No tile at all, or too many.
    Tiles(usize),
    /// No cell at all, or too many.
    Cells(usize),
    /// A start space that touches no cell, or one already taken.
    Start(usize),
    /// Towers past the end of the track, twice on a space, or too many.
    Tower(u8, u8),
    /// No start space: the first tile could not be laid.
    NoStart,
}

impl From<&SetupError> for Sentence {
    fn from(error: &SetupError) -> Sentence {
        match error {
            SetupError::Game(deck) => sentence!(
                "the deck `{}` is not one of Carcassonne: The Castle; choose one whose game is `castle`",
                deck
            ),
            SetupError::NoFace(tile) => sentence!(
                "tile `{}` has no face; write what is printed on it into the deck, or enrol the deck again",
                tile
            ),
            SetupError::Kind(tile, kind) => sentence!(
                "tile `{}` has a {}, which The Castle has not; correct its face in the deck",
                tile,
                Sentence::word(kind.name())
            ),
            SetupError::Tiles(tiles) => {
                sentence!("the deck has {} tiles; a deck of 1 to 1000 can be played with", *tiles)
            }
            SetupError::Cells(cells) => {
                sentence!("the wall has {} cells and start spaces; 1 to 128 are possible", *cells)
            }
            SetupError::Start(start) => sentence!(
                "start space {} lies on no inner side of the wall of its own; correct its cell and side",
                *start
            ),
            SetupError::Tower(low, high) => sentence!(
                "tower {}/{} is not on the track of 0 to 99, or lies on another; correct the wall's towers",
                *low,
                *high
            ),
            SetupError::NoStart => {
                sentence!("the wall has no start space; the first tile is laid at one")
            }
        }
    }
}

/// A face in one of its four turns.
#[derive(Clone, Debug)]
pub(super) struct Turned {
    /// The segment at each port, or [`NO_SEGMENT`].
    pub ports: [u8; 12],
    /// Bit i: a path at side i.
    pub paths: u8,
}

/// A face with its four turns.
#[derive(Clone, Debug)]
pub(super) struct CompiledFace {
    pub segments: Vec<Segment>,
    pub turned: [Turned; 4],
}

impl CompiledFace {
    fn new(face: &Face) -> CompiledFace {
        let turned = Rotation::ALL.map(|rotation| {
            let face = face.turned(rotation);
            let mut turned = Turned { ports: [NO_SEGMENT; 12], paths: 0 };
            for port in Port::ALL {
                if let Some(segment) = face.at(port) {
                    turned.ports[port.index()] = segment as u8;
                    if port.is_middle() {
                        turned.paths |= 1 << port.side().index();
                    }
                }
            }
            turned
        });
        CompiledFace { segments: face.segments().to_vec(), turned }
    }
}

/// All that stays the same through a game.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub cells: Vec<Cell>,
    width: usize,
    index: Vec<Place>,
    /// For each cell, what lies beyond each side: a place, or [`PLAIN_WALL`].
    pub neighbours: Vec<[Place; 4]>,
    /// For each start space: its cell and the side of that cell.
    pub starts: Vec<(Place, Side)>,
    /// The start spaces themselves.
    pub start_places: Places,
    /// Cells that touch a start space.
    pub start_cells: Places,
    /// Faces: the deck's tiles, then the start spaces.
    pub faces: Vec<CompiledFace>,
    pub ids: Vec<String>,
    pub counts: Vec<u16>,
    /// The tower at each track space, by its number in the wall's order.
    pub tower_at: [u8; TRACK as usize],
    /// The lower track space of each tower.
    pub towers: Vec<u8>,
}

impl Board {
    pub fn new(wall: &Wall, deck: &Deck) -> Result<Board, SetupError> {
        if deck.game != Game::Castle {
            return Err(SetupError::Game(deck.name.clone()));
        }
        if !(1..=1000).contains(&deck.len()) {
            return Err(SetupError::Tiles(deck.len()));
        }
        let cells = wall.cells();
        let places = cells.len() + wall.starts.len();
        if cells.is_empty() || places > Places::CAPACITY {
            return Err(SetupError::Cells(places));
        }
        if wall.starts.is_empty() {
            return Err(SetupError::NoStart);
        }
        let (width, height) = wall.size();
        let mut index = vec![PLAIN_WALL; width * height];
        for (i, cell) in cells.iter().enumerate() {
            index[cell.row as usize * width + cell.col as usize] = i as Place;
        }
        let mut board = Board {
            neighbours: vec![[PLAIN_WALL; 4]; cells.len()],
            cells,
            width,
            index,
            starts: Vec::new(),
            start_places: Places::EMPTY,
            start_cells: Places::EMPTY,
            faces: Vec::new(),
            ids: deck.tiles.iter().map(|t| t.id.clone()).collect(),
            counts: deck.tiles.iter().map(|t| t.count as u16).collect(),
            tower_at: [NO_TOWER; TRACK as usize],
            towers: Vec::new(),
        };
        for (i, cell) in board.cells.iter().enumerate() {
            for side in Side::ALL {
                if let Some(place) = board.place(cell.neighbour(side)) {
                    board.neighbours[i][side.index()] = place;
                }
            }
        }
        for tile in &deck.tiles {
            let face = tile.face.as_ref().ok_or_else(|| SetupError::NoFace(tile.id.clone()))?;
            board.faces.push(compile(face, &tile.id)?);
        }
        for (i, start) in wall.starts.iter().enumerate() {
            let cell = board.place(start.cell).ok_or(SetupError::Start(i + 1))?;
            let beyond = &mut board.neighbours[cell as usize][start.side.index()];
            if *beyond != PLAIN_WALL {
                return Err(SetupError::Start(i + 1));
            }
            *beyond = (board.cells.len() + i) as Place;
            board.start_places = board.start_places.with(board.cells.len() + i);
            board.starts.push((cell, start.side));
            board.start_cells = board.start_cells.with(cell as usize);
            board.faces.push(compile(&start.face, &format!("start space {}", i + 1))?);
        }
        for (i, &(low, high)) in wall.towers.iter().enumerate() {
            let error = SetupError::Tower(low, high);
            if i >= MAX_TOWERS {
                return Err(error);
            }
            for space in [low, high] {
                match board.tower_at.get_mut(space as usize) {
                    Some(at) if *at == NO_TOWER => *at = i as u8,
                    _ => return Err(error),
                }
            }
            board.towers.push(low);
        }
        Ok(board)
    }

    /// The number of an interior cell.
    pub fn place(&self, cell: Cell) -> Option<Place> {
        let (col, row) = (usize::try_from(cell.col).ok()?, usize::try_from(cell.row).ok()?);
        if col >= self.width {
            return None;
        }
        self.index.get(row * self.width + col).copied().filter(|p| *p != PLAIN_WALL)
    }

    /// How many places there are: cells and start spaces.
    pub fn places(&self) -> usize {
        self.cells.len() + self.starts.len()
    }

    /// The face number of a start space, by its place.
    pub fn start_face(&self, place: Place) -> usize {
        self.ids.len() + place as usize - self.cells.len()
    }

    /// Whether a place is a start space.
    pub fn is_start(&self, place: Place) -> bool {
        place as usize >= self.cells.len()
    }

    /// The tower with this lower track space.
    pub fn tower(&self, low: u8) -> Option<usize> {
        self.towers.iter().position(|t| *t == low)
    }
}

fn compile(face: &Face, id: &str) -> Result<CompiledFace, SetupError> {
    use crate::Kind;
    if let Some(segment) = face
        .segments()
        .iter()
        .find(|s| !matches!(s.kind, Kind::PATH | Kind::HOUSE | Kind::TOWER | Kind::COURT))
    {
        return Err(SetupError::Kind(id.to_owned(), segment.kind));
    }
    Ok(CompiledFace::new(face))
}
