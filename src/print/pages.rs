//! What is on which page.

use image::{Rgb, RgbImage, RgbaImage, imageops};
use rayon::prelude::*;

use super::error::PrintError;
use super::pdf::{Document, Paper, PictureId};
use super::wall_pieces::{Piece, pieces};
use super::words;
use crate::rules::classic::{Position, Switches};
use crate::rules::{Attribute, Cell, Deck, Face, Game, Rotation, Token, Wall};
use crate::studio::{Style, WallPicture, draw_tile, draw_token, draw_wall, draw_wall_tile};

/// The side of a tile, as ordinary tiles of the game have been measured, mm.
pub const TILE_MM: f32 = 45.0;
/// What no printer needs for itself, mm.
const MARGIN_MM: f32 = 12.0;
/// Room for the heading and for the scale at the foot, mm.
const HEAD_MM: f32 = 10.0;
const FOOT_MM: f32 = 12.0;
const COLUMNS: usize = 4;
const ROWS: usize = 5;
const MARK_MM: f32 = 4.0;
/// Wall tiles of each number (CA-02).
const OF_EACH: usize = 2;
/// Numbers of wall tiles.
const WALL_TILES: u8 = 9;

/// The side of a token of goods, mm.
const GOODS_MM: f32 = TILE_MM / 2.0;
/// The side of a tile that shows what a sign means, mm.
const SIGN_MM: f32 = 30.0;
/// The side of a tile on the plan of those that lie from the start, mm.
const PLAN_MM: f32 = 20.0;

/// What is put on paper.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// The deck.
    pub deck: &'a Deck,
    /// How many of the deck's kinds of tiles are left out, from the first on: those of the base
    /// game, where its sets alone are wanted.
    pub left_out: usize,
    /// The wall, in games that have one.
    pub wall: Option<&'a Wall>,
}

/// A set as a PDF at true size: how to put it together with a plan, the tiles, the wall's
/// pieces and the wall tiles, or what the signs mean, goods and cards. Pictures have `dpi` dots
/// an inch.
///
/// # Errors
/// [`PrintError`].
pub fn printed_set(
    contents: &Contents<'_>,
    style: &Style,
    paper: Paper,
    dpi: u16,
) -> Result<Vec<u8>, PrintError> {
    let deck = contents.deck;
    let size = paper.size_mm();
    let mut sheets = Sheets { document: Document::new(paper), size, dpi: f32::from(dpi), name: &deck.name };
    let px_per_tile = sheets.px(TILE_MM);
    let Some(wall) = contents.wall else {
        sheets.how_to_classic(contents, style)?;
        sheets.signs(contents, style)?;
        sheets.tiles(contents, style, px_per_tile)?;
        sheets.tokens(contents, style)?;
        return Ok(sheets.document.finish());
    };
    let drawn = draw_wall(wall, style, px_per_tile);
    let room = sheets.room();
    let cut = pieces(wall, &drawn, px_per_tile as f32, (sheets.px(room.0), sheets.px(room.1 - 6.0)))
        .ok_or(PrintError::TooLarge)?;
    sheets.how_to(&drawn)?;
    drop(drawn);
    sheets.tiles(contents, style, px_per_tile)?;
    sheets.wall(&cut)?;
    sheets.wall_tiles(wall, style)?;
    Ok(sheets.document.finish())
}

/// The tiles of a deck that are printed, each with its number in the deck.
fn tiles<'a>(contents: &Contents<'a>) -> Result<Vec<(usize, &'a Face, u32)>, PrintError> {
    let all = contents.deck.tiles.iter().enumerate().skip(contents.left_out);
    all.map(|(i, tile)| {
        let face = tile.face.as_ref().ok_or_else(|| PrintError::NoFace(tile.id.clone()))?;
        Ok((i, face, tile.count))
    })
    .collect()
}

/// The tiles that lie from the start, by their numbers in the deck.
fn laid_from_start(deck: &Deck) -> Vec<(Cell, usize, Rotation)> {
    if deck.game != Game::Classic {
        return Vec::new();
    }
    let Ok(position) = Position::new(deck, 2, Switches::default()) else { return Vec::new() };
    let cells = position.cells().into_iter();
    cells.filter_map(|cell| position.tile_at(cell).map(|(tile, turn)| (cell, tile, turn))).collect()
}

struct Sheets<'a> {
    document: Document,
    size: (f32, f32),
    dpi: f32,
    name: &'a str,
}

impl Sheets<'_> {
    /// Pixels for a length.
    fn px(&self, mm: f32) -> u32 {
        (mm / 25.4 * self.dpi).ceil() as u32
    }

    /// How long so many pixels are on paper, mm, when a tile is as many as it is.
    fn mm(&self, pixels: u32) -> f32 {
        pixels as f32 * TILE_MM / self.px(TILE_MM) as f32
    }

    /// The room between heading and scale, mm.
    fn room(&self) -> (f32, f32) {
        (self.size.0 - 2.0 * MARGIN_MM, self.size.1 - 2.0 * MARGIN_MM - HEAD_MM - FOOT_MM)
    }

    fn page(&mut self, heading: &str) {
        self.document.page();
        let heading = format!("Castellan, the {} set: {heading}", self.name);
        self.document.words(&heading, (MARGIN_MM, MARGIN_MM + 3.0), 10.0);
        let y = self.size.1 - MARGIN_MM;
        let (x, end) = (MARGIN_MM, MARGIN_MM + 50.0);
        self.document.line((x, y), (end, y), false);
        for i in 0..=5_u8 {
            let at = x + 10.0 * f32::from(i);
            self.document.line((at, y - if i % 5 == 0 { 3.0 } else { 1.5 }), (at, y), false);
        }
        self.document.words("50 mm when printed at 100 %", (end + 4.0, y), 8.0);
    }

    fn how_to(&mut self, wall: &WallPicture) -> Result<(), PrintError> {
        self.page("how to put it together");
        let y = self.lines(words::CASTLE.iter().copied());
        let plan = imageops::thumbnail(&wall.image, wall.image.width() / 4, wall.image.height() / 4);
        let plan = self.document.pack(&on_white(&plan))?;
        let (w, h) = (wall.image.width() as f32, wall.image.height() as f32);
        let k = (self.room().0 / w).min((self.size.1 - MARGIN_MM - FOOT_MM - y) / h);
        let left = (self.size.0 - k * w) / 2.0;
        self.document.place(plan, (left, y), (k * w, k * h));
        Ok(())
    }

    /// Lines of words from the head of the page on; where they end.
    fn lines<'w>(&mut self, lines: impl Iterator<Item = &'w str>) -> f32 {
        let mut y = MARGIN_MM + HEAD_MM + 4.0;
        for line in lines {
            self.document.words(line, (MARGIN_MM, y), 11.0);
            y += 5.6;
        }
        y
    }

    /// How the tiles of the classic game are made, with a plan of those that lie from the start.
    fn how_to_classic(&mut self, contents: &Contents<'_>, style: &Style) -> Result<(), PrintError> {
        self.page("how to put it together");
        let deck = contents.deck;
        let mut laid = laid_from_start(deck);
        laid.retain(|(_, tile, _)| *tile >= contents.left_out);
        let first_tile = match laid[..] {
            [(_, tile, _)] => deck.tiles.get(tile),
            _ => None,
        };
        let top = self.lines(words::classic(deck, first_tile).iter().map(String::as_str)) + 4.0;
        let pixels = self.px(PLAN_MM);
        let columns = laid.iter().map(|(cell, ..)| cell.col);
        let rows = laid.iter().map(|(cell, ..)| cell.row);
        let (Some(left), Some(right)) = (columns.clone().min(), columns.max()) else { return Ok(()) };
        let first = rows.min().unwrap_or(0);
        let margin = (self.size.0 - PLAN_MM * (f32::from(right) - f32::from(left) + 1.0)) / 2.0;
        for (cell, tile, rotation) in laid {
            let Some(face) = deck.tiles.get(tile).and_then(|t| t.face.as_ref()) else { continue };
            let mut drawn = draw_tile(face, tile as u64, style, pixels);
            for _ in 0..rotation.quarters() {
                drawn = imageops::rotate90(&drawn);
            }
            let picture = self.document.pack(&drawn)?;
            let place = |v: i8, from: i8| PLAN_MM * (f32::from(v) - f32::from(from));
            let at = (margin + place(cell.col, left), top + place(cell.row, first));
            self.document.place(picture, at, (PLAN_MM, PLAN_MM));
        }
        Ok(())
    }

    /// What is printed on the tiles, each sign with a tile that shows it and its meaning.
    fn signs(&mut self, contents: &Contents<'_>, style: &Style) -> Result<(), PrintError> {
        const WORDS_MM: f32 = 58.0;
        let tiles = tiles(contents)?;
        let shows = |face: &Face, sign| face.segments().iter().any(|s| s.attributes.has(sign));
        let found = Attribute::ALL.into_iter().filter_map(|sign| {
            let (i, face, _) = tiles.iter().find(|(_, face, _)| shows(face, sign))?;
            Some((words::meaning(sign)?, *i, *face))
        });
        let pixels = self.px(SIGN_MM);
        let mut page = false;
        for (place, (meaning, i, face)) in found.enumerate() {
            if !page {
                self.page("what the signs mean");
                page = true;
            }
            let picture = self.document.pack(&draw_tile(face, i as u64, style, pixels))?;
            let at = (
                MARGIN_MM + (SIGN_MM + WORDS_MM) * (place % 2) as f32,
                MARGIN_MM + HEAD_MM + (SIGN_MM + 8.0) * (place / 2) as f32,
            );
            self.document.place(picture, at, (SIGN_MM, SIGN_MM));
            for (line, words) in meaning.into_iter().enumerate() {
                let y = at.1 + SIGN_MM / 2.0 + 5.6 * line as f32;
                self.document.words(words, (at.0 + SIGN_MM + 4.0, y), 11.0);
            }
        }
        Ok(())
    }

    fn tiles(&mut self, contents: &Contents<'_>, style: &Style, side: u32) -> Result<(), PrintError> {
        let mut all = Vec::new();
        for (i, face, count) in tiles(contents)? {
            all.extend(std::iter::repeat_n((i, face), count as usize));
        }
        let drawn: Vec<RgbImage> =
            all.par_iter().map(|(i, face)| draw_tile(face, *i as u64, style, side)).collect();
        let packed = drawn.iter().map(|p| self.document.pack(p)).collect::<Result<Vec<PictureId>, _>>()?;
        let pages = packed.len().div_ceil(COLUMNS * ROWS);
        for (number, page) in packed.chunks(COLUMNS * ROWS).enumerate() {
            self.page(&format!("{}, page {} of {pages}", words::tiles(contents.deck.game), number + 1));
            self.grid(page, COLUMNS, TILE_MM, MARGIN_MM + HEAD_MM);
        }
        Ok(())
    }

    /// The goods in the cities, a token for each, and the cards.
    fn tokens(&mut self, contents: &Contents<'_>, style: &Style) -> Result<(), PrintError> {
        let tiles = tiles(contents)?;
        let printed = |sign: Attribute| -> u32 {
            let on = |face: &Face| -> u32 {
                face.segments().iter().map(|s| u32::from(s.attributes.count(sign))).sum()
            };
            tiles.iter().map(|(_, face, count)| count * on(face)).sum()
        };
        let mut goods = Vec::new();
        let mut cards = Vec::new();
        for token in Token::ALL {
            let count = match Attribute::named(token.name()) {
                Some(sign) => printed(sign),
                None => u32::from(contents.deck.sets.iter().any(|set| set == "king")),
            };
            let (side, all) = if token.is_single() { (TILE_MM, &mut cards) } else { (GOODS_MM, &mut goods) };
            if count > 0
                && let Some(drawn) = draw_token(token, style, self.px(side))
            {
                let picture = self.document.pack(&drawn)?;
                all.extend(std::iter::repeat_n(picture, count as usize));
            }
        }
        let mut top = MARGIN_MM + HEAD_MM;
        if !goods.is_empty() || !cards.is_empty() {
            self.page("goods and cards");
        }
        // As many as fit on a page beside the cards.
        for page in goods.chunks(COLUMNS * 2 * (ROWS * 2 - 3)) {
            if top > MARGIN_MM + HEAD_MM {
                self.page("goods and cards");
            }
            top = MARGIN_MM + HEAD_MM;
            top = self.grid(page, COLUMNS * 2, GOODS_MM, top) + 2.0 * MARK_MM + 4.0;
        }
        if !cards.is_empty() {
            self.grid(&cards, COLUMNS, TILE_MM, top);
        }
        Ok(())
    }

    /// Pictures with common edges and marks to cut them by; where their last row ends.
    fn grid(&mut self, pictures: &[PictureId], columns: usize, side: f32, top: f32) -> f32 {
        let left = (self.size.0 - columns as f32 * side) / 2.0;
        for (i, picture) in pictures.iter().enumerate() {
            let at = (left + side * (i % columns) as f32, top + side * (i / columns) as f32);
            self.document.place(*picture, at, (side, side));
        }
        let rows = pictures.len().div_ceil(columns);
        let (right, bottom) = (left + side * columns as f32, top + side * rows as f32);
        for i in 0..=columns {
            let x = left + side * i as f32;
            self.document.line((x, top - 1.0 - MARK_MM), (x, top - 1.0), false);
            self.document.line((x, bottom + 1.0), (x, bottom + 1.0 + MARK_MM), false);
        }
        for i in 0..=rows {
            let y = top + side * i as f32;
            self.document.line((left - 1.0 - MARK_MM, y), (left - 1.0, y), false);
            self.document.line((right + 1.0, y), (right + 1.0 + MARK_MM, y), false);
        }
        bottom
    }

    /// Pieces one below another as long as they fit.
    fn wall(&mut self, cut: &[Piece]) -> Result<(), PrintError> {
        const WORDS_MM: f32 = 6.0;
        let (top, room) = (MARGIN_MM + HEAD_MM, self.room());
        let mut y = f32::MAX;
        for (i, piece) in cut.iter().enumerate() {
            let size = (self.mm(piece.picture.width()), self.mm(piece.picture.height()));
            if y + size.1 + WORDS_MM > top + room.1 {
                self.page("the wall");
                y = top;
            }
            let words =
                format!("Piece {} of {}: spaces {} to {}", i + 1, cut.len(), piece.spaces.0, piece.spaces.1);
            self.document.words(&words, (MARGIN_MM, y + 3.5), 9.0);
            let picture = self.document.pack(&piece.picture)?;
            self.document.place(picture, (MARGIN_MM, y + WORDS_MM), size);
            y += size.1 + WORDS_MM + 4.0;
        }
        Ok(())
    }

    fn wall_tiles(&mut self, wall: &Wall, style: &Style) -> Result<(), PrintError> {
        const PAIRS: usize = 3;
        const GAP_MM: f32 = 7.0;
        let side = wall.thickness * 0.94 * TILE_MM;
        let pixels = self.px(side);
        let draw = |number: Option<u8>| on_white(&draw_wall_tile(number, style, pixels));
        let back = self.document.pack(&draw(None))?;
        self.page("wall tiles, fronts and backs side by side: fold at the dashed line");
        let pair = (2.0 * side, side);
        let step = (pair.0 + GAP_MM, pair.1 + GAP_MM);
        let left = (self.size.0 - PAIRS as f32 * step.0 + GAP_MM) / 2.0;
        let top = MARGIN_MM + HEAD_MM + 2.0;
        for number in 1..=WALL_TILES {
            let front = self.document.pack(&draw(Some(number)))?;
            for copy in 0..OF_EACH {
                let i = usize::from(number - 1) * OF_EACH + copy;
                let at = (left + step.0 * (i % PAIRS) as f32, top + step.1 * (i / PAIRS) as f32);
                self.document.place(front, at, (side, side));
                self.document.place(back, (at.0 + side, at.1), (side, side));
                let fold = at.0 + side;
                self.document.line((fold, at.1 - 1.5), (fold, at.1 + side + 1.5), true);
                for y in [at.1, at.1 + side] {
                    self.document.line((at.0 - 2.5, y), (at.0 - 0.5, y), false);
                    self.document.line((at.0 + pair.0 + 0.5, y), (at.0 + pair.0 + 2.5, y), false);
                }
            }
        }
        Ok(())
    }
}

/// A picture laid on white.
fn on_white(picture: &RgbaImage) -> RgbImage {
    RgbImage::from_fn(picture.width(), picture.height(), |x, y| {
        let [r, g, b, a] = picture.get_pixel(x, y).0;
        let over = |v: u8| ((u32::from(v) * u32::from(a) + 255 * (255 - u32::from(a))) / 255) as u8;
        Rgb([over(r), over(g), over(b)])
    })
}
