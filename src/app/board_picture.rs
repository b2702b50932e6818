//! The board as one picture: wall, tiles, figures, markers and what is lit.

use std::collections::{BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use image::imageops::FilterType;
use image::{RgbImage, RgbaImage};
use tiny_skia::{Color, FillRule, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform};

use crate::library::DeckPlace;
use crate::observation::Figure;
use crate::picture::{self, Limits};
use crate::rules::{Cell, Deck, FigureKind, Rotation, Side, Wall};
use crate::studio::{self, Style};
use crate::table::{CellView, FigureView, GameView, PlayerView};
use crate::vision::base::photo::quarter_turned;

/// A board with fewer pixels a tile side is not drawn.
const SMALLEST_TILE_PX: u32 = 8;
/// The pixels a tile side with which tiles and the wall are drawn once, to be
/// made smaller or larger for each size of the window.
const ORIGINAL_PX: u32 = 96;
/// The radius of a follower's token, in tile sides.
const TOKEN_RADIUS: f32 = 0.17;
/// The radius of the token of what counts more than a follower, in tile sides.
const LARGE_TOKEN_RADIUS: f32 = 0.215;
/// The radius of the ring round a place that is lit, in tile sides.
const SPOT_RADIUS: f32 = 0.33;
/// The radius of a marker on the track, in tile sides.
const MARKER_RADIUS: f32 = 0.19;
/// Half the width of a keep, in tile sides.
const KEEP_HALF: f32 = 0.25;
/// The room for the names of columns and rows outside the wall, in tile sides.
const RIM: f32 = 0.5;
/// The room round the tiles of a game without a wall, in tile sides.
const OPEN_MARGIN: f32 = 1.25;

/// What is drawn besides the game itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lighting {
    /// The cells with a bright border.
    pub cells: Vec<Cell>,
    /// Whether all other cells are dimmed.
    pub dim_others: bool,
    /// Empty cells in which something may be laid.
    pub open: Vec<Cell>,
    /// Empty cells in which nothing that is left can be laid.
    pub unfillable: Vec<Cell>,
    /// A tile that is not laid yet, where it would lie.
    pub proposed: Option<CellView>,
    /// A place that is looked at.
    pub spot: Option<Spot>,
}

impl Lighting {
    /// The scores of the newest turn are lit for as long as nobody has ended the next.
    pub fn of_newest(view: &GameView) -> Lighting {
        let newest = view.scores.last().map_or(0, |s| s.turn);
        if view.sheet.is_some() || newest + 1 < view.turn {
            return Lighting::default();
        }
        let cells =
            view.scores.iter().rev().take_while(|s| s.turn == newest).flat_map(|s| s.cells.iter().copied());
        Lighting { cells: cells.collect(), ..Lighting::default() }
    }
}

/// A place with a bright ring, in tile units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    /// To the right.
    pub x: f32,
    /// Downwards.
    pub y: f32,
    /// What would stand there.
    pub figure: Option<FigureView>,
}

/// A rectangle in tile units.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// Its left edge.
    pub left: f32,
    /// Its upper edge.
    pub top: f32,
    /// How wide it is.
    pub width: f32,
    /// How high it is.
    pub height: f32,
}

/// Draws boards with one wall and deck, and keeps the pictures of their parts
/// for the next time.
#[derive(Debug)]
pub struct BoardPainter {
    wall: Option<Wall>,
    deck: Deck,
    references: Option<PathBuf>,
    style: Style,
    originals: HashMap<String, Option<RgbImage>>,
    px: u32,
    tiles: HashMap<(String, u8), RgbImage>,
    wall_original: Option<studio::WallPicture>,
    wall_picture: Option<studio::WallPicture>,
}

impl BoardPainter {
    /// The deck whose tiles it draws.
    pub fn deck(&self) -> &Deck {
        &self.deck
    }

    /// Whether a tile may lie in a cell: all but those outside of the wall.
    pub fn is_inside(&self, cell: Cell) -> bool {
        self.wall.as_ref().is_none_or(|wall| wall.contains(cell))
    }

    /// A painter for a deck and, in games that have one, a wall. Tiles without
    /// a reference picture are drawn from their faces.
    pub fn new(deck: DeckPlace, wall: Option<Wall>) -> BoardPainter {
        BoardPainter::with(deck.deck, deck.references, wall)
    }

    /// Another painter of the same boards, for pictures of another size.
    pub fn another(&self) -> BoardPainter {
        BoardPainter::with(self.deck.clone(), self.references.clone(), self.wall.clone())
    }

    fn with(deck: Deck, references: Option<PathBuf>, wall: Option<Wall>) -> BoardPainter {
        BoardPainter {
            wall,
            deck,
            references,
            style: Style::house(),
            originals: HashMap::new(),
            px: 0,
            tiles: HashMap::new(),
            wall_original: None,
            wall_picture: None,
        }
    }

    /// Whether another painter draws with the same wall and deck.
    pub fn draws_as(&self, other: &BoardPainter) -> bool {
        (&self.wall, &self.deck, &self.references) == (&other.wall, &other.deck, &other.references)
    }

    /// Draws the board as large as it fits into `width` by `height` pixels; the
    /// picture may be smaller than that in one direction. Outside the wall it
    /// is transparent. `dark` chooses the colour of empty cells.
    pub fn paint(
        &mut self,
        view: &GameView,
        lighting: &Lighting,
        width: u32,
        height: u32,
        dark: bool,
    ) -> Option<Pixmap> {
        let area = self.area(view);
        let px = (width as f32 / area.width).min(height as f32 / area.height).floor();
        if !px.is_finite() || px < SMALLEST_TILE_PX as f32 {
            return None;
        }
        self.set_scale(px as u32);
        let mut canvas = Pixmap::new((area.width * px).ceil() as u32, (area.height * px).ceil() as u32)?;
        let to_px = Transform::from_row(px, 0.0, 0.0, px, -area.left * px, -area.top * px);
        let corner = |cell: Cell| {
            let x = (f32::from(cell.col) - area.left) * px;
            let y = (f32::from(cell.row) - area.top) * px;
            (x.round() as i64, y.round() as i64)
        };

        if let (Some(wall), Some(picture)) = (&self.wall, &self.wall_picture) {
            let ground = if dark { [44, 49, 57] } else { [221, 213, 198] };
            let line = if dark { [66, 73, 84] } else { [196, 186, 168] };
            for cell in wall.cells() {
                let cell = square(cell)?;
                canvas.fill_path(&cell, &paint(ground, 1.0), FillRule::Winding, to_px, None);
                let stroke = Stroke { width: 1.5 / px, ..Stroke::default() };
                canvas.stroke_path(&cell, &paint(line, 1.0), &stroke, to_px, None);
            }
            let (x, y) = (-area.left * px - picture.origin_px.0, -area.top * px - picture.origin_px.1);
            lay_over(&mut canvas, &picture.image, x.round() as i64, y.round() as i64);
        }
        for cell in &view.cells {
            let (x, y) = corner(cell.cell);
            if let Some(tile) = self.tile(&cell.tile, cell.rotation) {
                lay(&mut canvas, tile, x, y);
            } else {
                canvas.fill_path(
                    &square(cell.cell)?,
                    &paint([128, 128, 128], 1.0),
                    FillRule::Winding,
                    to_px,
                    None,
                );
            }
        }

        for cell in &lighting.open {
            let open = square(*cell)?;
            canvas.fill_path(&open, &paint([46, 125, 255], 0.3), FillRule::Winding, to_px, None);
            let stroke = Stroke { width: 3.0 / px, ..Stroke::default() };
            canvas.stroke_path(&open, &paint([26, 86, 176], 1.0), &stroke, to_px, None);
        }
        for cell in &lighting.unfillable {
            let cross = cross(*cell)?;
            for (colour, wide) in [([255, 255, 255], 7.0), ([179, 38, 30], 4.0)] {
                let stroke = Stroke { width: wide / px, ..Stroke::default() };
                canvas.stroke_path(&cross, &paint(colour, 1.0), &stroke, to_px, None);
            }
        }
        if let Some(proposed) = &lighting.proposed {
            let (x, y) = corner(proposed.cell);
            if let Some(tile) = self.tile(&proposed.tile, proposed.rotation) {
                lay(&mut canvas, tile, x, y);
            }
            frame(&mut canvas, &square(proposed.cell)?, [255, 255, 255], px, to_px, true);
        }

        let lit: BTreeSet<Cell> = lighting.cells.iter().copied().collect();
        if lighting.dim_others && !lit.is_empty() {
            for cell in view.cells.iter().filter(|c| !lit.contains(&c.cell)) {
                let veil = paint(if dark { [16, 18, 22] } else { [243, 239, 231] }, 0.62);
                canvas.fill_path(&square(cell.cell)?, &veil, FillRule::Winding, to_px, None);
            }
        }
        for cell in view.cells.iter().filter(|c| c.fresh) {
            frame(&mut canvas, &square(cell.cell)?, [255, 255, 255], px, to_px, true);
        }
        if let Some(border) = border(&lit) {
            frame(&mut canvas, &border, [255, 214, 10], px, to_px, false);
        }

        for cell in &view.cells {
            for figure in &cell.figures {
                let x = f32::from(cell.cell.col) + figure.x.clamp(0.0, 1.0);
                let y = f32::from(cell.cell.row) + figure.y.clamp(0.0, 1.0);
                piece(&mut canvas, figure, &view.players, x, y, to_px);
            }
        }
        for figure in view.places.iter().flat_map(|place| &place.figures) {
            piece(&mut canvas, figure, &view.players, figure.x, figure.y, to_px);
        }
        if let Some(spot) = &lighting.spot {
            let ring = PathBuilder::from_circle(spot.x, spot.y, SPOT_RADIUS)?;
            frame(&mut canvas, &ring, [255, 214, 10], px, to_px, false);
            if let Some(figure) = &spot.figure {
                piece(&mut canvas, figure, &view.players, spot.x, spot.y, to_px);
            }
        }
        if let Some(wall) = &self.wall {
            for (i, player) in view.players.iter().enumerate() {
                let Some(point) = wall.track.get(usize::from(player.marker_space)) else { continue };
                let together = view.players.iter().filter(|p| p.marker_space == player.marker_space).count();
                let aside = if together > 1 { (i as f32 - 0.5) * MARKER_RADIUS * 1.6 } else { 0.0 };
                token(&mut canvas, i, player, point.x + aside, point.y + aside, MARKER_RADIUS, to_px);
            }
        }
        Some(canvas)
    }

    /// Draws one cell, `px` pixels wide, with what stands on it in the players' colours.
    pub fn paint_cell(&mut self, cell: &CellView, players: &[PlayerView], px: u32) -> Option<Pixmap> {
        let mut canvas = Pixmap::new(px, px)?;
        let upright = image::imageops::resize(self.original(&cell.tile)?, px, px, FilterType::Triangle);
        lay(&mut canvas, &quarter_turned(&upright, cell.rotation.quarters()), 0, 0);
        let to_px = Transform::from_scale(px as f32, px as f32);
        for figure in &cell.figures {
            piece(&mut canvas, figure, players, figure.x.clamp(0.0, 1.0), figure.y.clamp(0.0, 1.0), to_px);
        }
        Some(canvas)
    }

    /// The columns and rows in the picture.
    pub fn span(&self, view: &GameView) -> (RangeInclusive<i8>, RangeInclusive<i8>) {
        let cells: Vec<Cell> = match &self.wall {
            Some(wall) => wall.cells(),
            None => view.cells.iter().map(|c| c.cell).collect(),
        };
        let span = |of: fn(&Cell) -> i8| {
            let all = || cells.iter().map(of);
            all().min().unwrap_or(0)..=all().max().unwrap_or(0)
        };
        (span(|c| c.col), span(|c| c.row))
    }

    /// What is in the picture, in tile units; columns and rows have their names at its upper
    /// and left edge.
    pub fn area(&self, view: &GameView) -> Area {
        if let Some(wall) = &self.wall {
            let (cols, rows) = wall.size();
            let edge = wall.thickness.clamp(0.0, 4.0) + 0.05;
            return Area {
                left: -edge - RIM,
                top: -edge - RIM,
                width: cols as f32 + 2.0 * edge + RIM,
                height: rows as f32 + 2.0 * edge + RIM,
            };
        }
        let cols = view.cells.iter().map(|c| f32::from(c.cell.col));
        let rows = view.cells.iter().map(|c| f32::from(c.cell.row));
        let left = cols.clone().fold(0.0, f32::min) - OPEN_MARGIN;
        let top = rows.clone().fold(0.0, f32::min) - OPEN_MARGIN;
        let right = cols.fold(0.0, f32::max) + 1.0 + OPEN_MARGIN;
        let bottom = rows.fold(0.0, f32::max) + 1.0 + OPEN_MARGIN;
        Area { left, top, width: right - left, height: bottom - top }
    }

    /// Makes the pictures for another size of the board.
    fn set_scale(&mut self, px: u32) {
        if self.px == px {
            return;
        }
        self.px = px;
        self.tiles.clear();
        let Some(wall) = &self.wall else { return };
        let original =
            self.wall_original.get_or_insert_with(|| studio::draw_wall(wall, &self.style, ORIGINAL_PX));
        let scale = px as f32 / ORIGINAL_PX as f32;
        let side = |n: u32| (n as f32 * scale).round().max(1.0) as u32;
        let (width, height) = (side(original.image.width()), side(original.image.height()));
        self.wall_picture = Some(studio::WallPicture {
            image: image::imageops::resize(&original.image, width, height, FilterType::Triangle),
            origin_px: (original.origin_px.0 * scale, original.origin_px.1 * scale),
        });
    }

    /// The picture of a turned tile; `None` for a tile that is not in the deck
    /// or has neither picture nor face.
    fn tile(&mut self, id: &str, rotation: Rotation) -> Option<&RgbImage> {
        let key = (id.to_owned(), rotation.quarters());
        if !self.tiles.contains_key(&key) {
            let upright = self.upright(id)?;
            self.tiles.insert(key.clone(), quarter_turned(&upright, rotation.quarters()));
        }
        self.tiles.get(&key)
    }

    /// A tile as it is enrolled, in the size of the board.
    fn upright(&mut self, id: &str) -> Option<RgbImage> {
        let px = self.px;
        Some(image::imageops::resize(self.original(id)?, px, px, FilterType::Triangle))
    }

    /// A tile as it is enrolled, or as its face is drawn.
    fn original(&mut self, id: &str) -> Option<&RgbImage> {
        if !self.originals.contains_key(id) {
            let original = self.enrolled(id).or_else(|| {
                let index = self.deck.index(id)?;
                let face = self.deck.tiles.get(index)?.face.as_ref()?;
                Some(studio::draw_tile(face, index as u64, &self.style, ORIGINAL_PX))
            });
            self.originals.insert(id.to_owned(), original);
        }
        self.originals.get(id)?.as_ref()
    }

    /// The picture that a tile was enrolled with.
    fn enrolled(&self, id: &str) -> Option<RgbImage> {
        let file = self.references.as_ref()?.join(format!("{id}.png"));
        match picture::open(&file, &Limits::TILE) {
            Ok(picture) => Some(picture),
            Err(error) => {
                tracing::warn!(
                    "a tile is drawn from its face, its picture cannot be read: {error}: {}",
                    file.display()
                );
                None
            }
        }
    }
}

/// Black or white, whichever has more contrast with a colour (WCAG 2.2,
/// relative luminance).
pub fn ink_on(colour: [u8; 3]) -> [u8; 3] {
    let linear = colour.map(|c| {
        let c = f32::from(c) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) { [0, 0, 0] } else { [255, 255, 255] }
}

fn paint(rgb: [u8; 3], alpha: f32) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    let [r, g, b] = rgb.map(|c| f32::from(c) / 255.0);
    paint.set_color(Color::from_rgba(r, g, b, alpha).unwrap_or(Color::BLACK));
    paint
}

/// A tile that lies nowhere yet.
pub fn lying(id: &str, rotation: Rotation) -> CellView {
    let cell = Cell::new(0, 0);
    CellView { cell, tile: id.to_owned(), rotation, figures: Vec::new(), confidence: 1.0, fresh: false }
}

/// A cross in the middle of a cell.
fn cross(cell: Cell) -> Option<Path> {
    let (x, y) = (f32::from(cell.col), f32::from(cell.row));
    let (low, high) = (0.32, 0.68);
    let mut path = PathBuilder::new();
    path.move_to(x + low, y + low);
    path.line_to(x + high, y + high);
    path.move_to(x + high, y + low);
    path.line_to(x + low, y + high);
    path.finish()
}

fn square(cell: Cell) -> Option<Path> {
    Some(PathBuilder::from_rect(Rect::from_xywh(f32::from(cell.col), f32::from(cell.row), 1.0, 1.0)?))
}

/// The outer border of a set of cells.
fn border(cells: &BTreeSet<Cell>) -> Option<Path> {
    let mut path = PathBuilder::new();
    for cell in cells {
        let (left, top) = (f32::from(cell.col), f32::from(cell.row));
        for side in Side::ALL.into_iter().filter(|s| !cells.contains(&cell.neighbour(*s))) {
            let ((ax, ay), (bx, by)) = match side {
                Side::North => ((0.0, 0.0), (1.0, 0.0)),
                Side::East => ((1.0, 0.0), (1.0, 1.0)),
                Side::South => ((1.0, 1.0), (0.0, 1.0)),
                Side::West => ((0.0, 1.0), (0.0, 0.0)),
            };
            path.move_to(left + ax, top + ay);
            path.line_to(left + bx, top + by);
        }
    }
    path.finish()
}

/// Strokes a line that is seen on any ground: bright on dark.
fn frame(canvas: &mut Pixmap, path: &Path, colour: [u8; 3], px: f32, to_px: Transform, dashed: bool) {
    let width = (px * 0.07).max(3.0) / px;
    let cap = tiny_skia::LineCap::Square;
    let under = Stroke { width: width * 1.7, line_cap: cap, ..Stroke::default() };
    let dash = dashed.then(|| StrokeDash::new(vec![0.16, 0.12], 0.0)).flatten();
    let line_cap = if dashed { tiny_skia::LineCap::Butt } else { cap };
    let over = Stroke { width, line_cap, dash, ..Stroke::default() };
    canvas.stroke_path(path, &paint([20, 20, 24], 1.0), &under, to_px, None);
    canvas.stroke_path(path, &paint(colour, 1.0), &over, to_px, None);
}

/// The shape of a player, with radius 1 about the origin: the same as in the
/// window's `PlayerSign`.
fn sign(player: usize) -> Option<Path> {
    let mut path = PathBuilder::new();
    let corners: &[(f32, f32)] = match player {
        0 => {
            path.push_circle(0.0, 0.0, 0.92);
            return path.finish();
        }
        1 => &[(0.0, -1.1), (1.1, 0.0), (0.0, 1.1), (-1.1, 0.0)],
        2 => &[(0.0, -0.95), (1.0, 0.8), (-1.0, 0.8)],
        3 => &[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
        5 => &[
            (-0.35, -1.0),
            (0.35, -1.0),
            (0.35, -0.35),
            (1.0, -0.35),
            (1.0, 0.35),
            (0.35, 0.35),
            (0.35, 1.0),
            (-0.35, 1.0),
            (-0.35, 0.35),
            (-1.0, 0.35),
            (-1.0, -0.35),
            (-0.35, -0.35),
        ],
        _ => &[(-0.48, -0.9), (0.48, -0.9), (1.0, 0.0), (0.48, 0.9), (-0.48, 0.9), (-1.0, 0.0)],
    };
    for (i, (x, y)) in corners.iter().enumerate() {
        if i == 0 { path.move_to(*x, *y) } else { path.line_to(*x, *y) }
    }
    path.close();
    path.finish()
}

/// How large the mark on a token is, in its radius.
const MARK_SCALE: f32 = 0.62;

/// What the token of a figure shows besides the player's shape: nothing for a follower; the signs
/// are those of the players' panels.
fn mark(kind: FigureKind) -> Option<Path> {
    let corners: &[(f32, f32)] = match kind.name() {
        "follower" => return None,
        "builder" => &HAMMER,
        "pig" => &PIG,
        _ => &PAWN,
    };
    let mut path = PathBuilder::new();
    for (i, (x, y)) in corners.iter().enumerate() {
        if i == 0 { path.move_to(*x, *y) } else { path.line_to(*x, *y) }
    }
    path.close();
    path.finish()
}

const HAMMER: [(f32, f32); 10] = [
    (-0.85, -0.9),
    (0.45, -0.9),
    (0.95, -0.5),
    (0.7, -0.2),
    (0.3, -0.35),
    (0.3, 1.0),
    (-0.2, 1.0),
    (-0.2, -0.3),
    (-0.85, -0.3),
    (-0.85, -0.6),
];

const PIG: [(f32, f32); 18] = [
    (-0.95, -0.1),
    (-0.6, -0.55),
    (0.2, -0.6),
    (0.45, -0.95),
    (0.6, -0.5),
    (0.75, -0.2),
    (1.05, -0.1),
    (1.05, 0.25),
    (0.7, 0.35),
    (0.55, 0.5),
    (0.55, 0.9),
    (0.2, 0.9),
    (0.2, 0.55),
    (-0.3, 0.55),
    (-0.3, 0.9),
    (-0.65, 0.9),
    (-0.65, 0.5),
    (-0.9, 0.3),
];

const PAWN: [(f32, f32); 18] = [
    (0.0, -1.0),
    (0.32, -0.85),
    (0.38, -0.55),
    (0.24, -0.3),
    (0.95, -0.05),
    (0.95, 0.25),
    (0.4, 0.25),
    (0.7, 1.0),
    (0.14, 1.0),
    (0.0, 0.65),
    (-0.14, 1.0),
    (-0.7, 1.0),
    (-0.4, 0.25),
    (-0.95, 0.25),
    (-0.95, -0.05),
    (-0.24, -0.3),
    (-0.38, -0.55),
    (-0.32, -0.85),
];

/// A figure, with its foot at a place.
fn piece(canvas: &mut Pixmap, figure: &FigureView, players: &[PlayerView], x: f32, y: f32, to_px: Transform) {
    let Some(player) = players.get(figure.player) else { return };
    match figure.figure {
        Figure::Follower => {
            let large = figure.kind.weight() > 1;
            let radius = if large { LARGE_TOKEN_RADIUS } else { TOKEN_RADIUS };
            token(canvas, figure.player, player, x, y, radius, to_px);
            if let Some(mark) = mark(figure.kind) {
                let scale = radius * MARK_SCALE;
                let at = to_px.pre_concat(Transform::from_row(scale, 0.0, 0.0, scale, x, y + radius * 0.08));
                canvas.fill_path(&mark, &paint(ink_on(player.colour_rgb), 1.0), FillRule::Winding, at, None);
            }
        }
        Figure::Keep => keep(canvas, figure.player, player, x, y, to_px),
        // It is drawn where it is, and belongs to no tile.
        Figure::Neutral => {}
    }
}

/// A player's shape in the player's colour, with a light and a dark rim.
fn token(
    canvas: &mut Pixmap,
    index: usize,
    player: &PlayerView,
    x: f32,
    y: f32,
    radius: f32,
    to_px: Transform,
) {
    let Some(path) = sign(index) else { return };
    let at = to_px.pre_concat(Transform::from_row(radius, 0.0, 0.0, radius, x, y));
    rimmed(canvas, &path, player.colour_rgb, at);
}

/// A keep: battlements in the player's colour with the player's shape on them.
fn keep(canvas: &mut Pixmap, index: usize, player: &PlayerView, x: f32, y: f32, to_px: Transform) {
    const OUTLINE: [(f32, f32); 12] = [
        (-1.0, -1.0),
        (-0.5, -1.0),
        (-0.5, -0.65),
        (-0.25, -0.65),
        (-0.25, -1.0),
        (0.25, -1.0),
        (0.25, -0.65),
        (0.5, -0.65),
        (0.5, -1.0),
        (1.0, -1.0),
        (1.0, 1.0),
        (-1.0, 1.0),
    ];
    let mut path = PathBuilder::new();
    for (i, (px, py)) in OUTLINE.into_iter().enumerate() {
        if i == 0 { path.move_to(px, py) } else { path.line_to(px, py) }
    }
    path.close();
    let Some(path) = path.finish() else { return };
    let at = to_px.pre_concat(Transform::from_row(KEEP_HALF, 0.0, 0.0, KEEP_HALF, x, y));
    rimmed(canvas, &path, player.colour_rgb, at);
    if let Some(sign) = sign(index) {
        let inside = at.pre_concat(Transform::from_row(0.42, 0.0, 0.0, 0.42, 0.0, 0.2));
        canvas.fill_path(&sign, &paint(ink_on(player.colour_rgb), 1.0), FillRule::Winding, inside, None);
    }
}

fn rimmed(canvas: &mut Pixmap, path: &Path, colour: [u8; 3], at: Transform) {
    let join = tiny_skia::LineJoin::Round;
    let dark = Stroke { width: 0.62, line_join: join, ..Stroke::default() };
    let light = Stroke { width: 0.38, line_join: join, ..Stroke::default() };
    canvas.stroke_path(path, &paint([16, 16, 20], 1.0), &dark, at, None);
    canvas.stroke_path(path, &paint([255, 255, 255], 1.0), &light, at, None);
    canvas.fill_path(path, &paint(colour, 1.0), FillRule::Winding, at, None);
}

/// Copies an opaque picture; what lies outside the canvas is cut.
fn lay(canvas: &mut Pixmap, picture: &RgbImage, left: i64, top: i64) {
    blend(
        canvas,
        picture.enumerate_pixels().map(|(x, y, p)| (x, y, [p.0[0], p.0[1], p.0[2], 255])),
        left,
        top,
    );
}

/// Lays a picture over the canvas by its alpha.
fn lay_over(canvas: &mut Pixmap, picture: &RgbaImage, left: i64, top: i64) {
    blend(canvas, picture.enumerate_pixels().map(|(x, y, p)| (x, y, p.0)), left, top);
}

fn blend(canvas: &mut Pixmap, pixels: impl Iterator<Item = (u32, u32, [u8; 4])>, left: i64, top: i64) {
    let (width, height) = (i64::from(canvas.width()), i64::from(canvas.height()));
    let data = canvas.data_mut();
    for (x, y, [r, g, b, a]) in pixels {
        let (x, y) = (left + i64::from(x), top + i64::from(y));
        if a == 0 || x < 0 || y < 0 || x >= width || y >= height {
            continue;
        }
        let at = ((y * width + x) * 4) as usize;
        let Some(below) = data.get_mut(at..at + 4) else { continue };
        let alpha = u32::from(a);
        for (c, below) in [r, g, b, 255].into_iter().zip(below) {
            *below = ((u32::from(c) * alpha + u32::from(*below) * (255 - alpha) + 127) / 255) as u8;
        }
    }
}
