//! What is on which page.

use image::{Rgb, RgbImage, RgbaImage, imageops};
use rayon::prelude::*;

use super::error::PrintError;
use super::pdf::{Document, Paper, PictureId};
use super::wall_pieces::{Piece, pieces};
use crate::rules::{Deck, Wall};
use crate::studio::{Style, WallPicture, draw_tile, draw_wall, draw_wall_tile};

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

const HOW_TO: [&str; 17] = [
    "1. Print all pages at 100 % (\"actual size\"), not \"fit to page\", on one side.",
    "    Then measure the line at the foot of a page: it must be 50 mm long. If it isn't,",
    "    tiles and wall would not fit together and the camera would read them badly.",
    "2. Glue the tile pages onto card of 1 to 2 mm. Leave the backs bare: all tiles must",
    "    look the same from behind.",
    "3. Cut along the marks in the margins, from mark to mark, with a knife and a ruler.",
    "    The tiles of a page share their edges. A tile is 45 mm on each side.",
    "4. Glue the wall pieces onto card of 2 to 3 mm, or onto one layer of corrugated card,",
    "    and cut along the edge of the picture.",
    "5. Lay the pieces out by their track numbers, 0 to 99 clockwise, as on the plan below.",
    "    Each piece butts against the next; hold the joints with tape underneath, so that",
    "    the wall can be folded up. Where a start space runs over a joint, its halves meet.",
    "6. Wall tiles: cut out the pair of front and back, fold it at the dashed line and glue",
    "    it together. There are two of each number.",
    "",
    "Followers, keeps and score markers come from any copy of the game you own, or take",
    "pawns of two strong colours, 7 each, and a larger one.",
];

/// A set as a PDF at true size: how to put it together with a plan of the wall,
/// the tiles, the wall's pieces, and the wall tiles. Pictures have `dpi` dots an
/// inch.
///
/// # Errors
/// [`PrintError`].
pub fn printed_set(
    deck: &Deck,
    wall: &Wall,
    style: &Style,
    paper: Paper,
    dpi: u16,
) -> Result<Vec<u8>, PrintError> {
    let size = paper.size_mm();
    let mut sheets = Sheets { document: Document::new(paper), size, dpi: f32::from(dpi), name: &deck.name };
    let px_per_tile = sheets.px(TILE_MM);
    let drawn = draw_wall(wall, style, px_per_tile);
    let room = sheets.room();
    let cut = pieces(wall, &drawn, px_per_tile as f32, (sheets.px(room.0), sheets.px(room.1 - 6.0)))
        .ok_or(PrintError::TooLarge)?;
    sheets.how_to(&drawn)?;
    drop(drawn);
    sheets.tiles(deck, style, px_per_tile)?;
    sheets.wall(&cut)?;
    sheets.wall_tiles(wall, style)?;
    Ok(sheets.document.finish())
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
        let mut y = MARGIN_MM + HEAD_MM + 4.0;
        for line in HOW_TO {
            self.document.words(line, (MARGIN_MM, y), 11.0);
            y += 5.6;
        }
        let plan = imageops::thumbnail(&wall.image, wall.image.width() / 4, wall.image.height() / 4);
        let plan = self.document.pack(&on_white(&plan))?;
        let (w, h) = (wall.image.width() as f32, wall.image.height() as f32);
        let k = (self.room().0 / w).min((self.size.1 - MARGIN_MM - FOOT_MM - y) / h);
        let left = (self.size.0 - k * w) / 2.0;
        self.document.place(plan, (left, y), (k * w, k * h));
        Ok(())
    }

    fn tiles(&mut self, deck: &Deck, style: &Style, side: u32) -> Result<(), PrintError> {
        let mut all = Vec::new();
        for (i, tile) in deck.tiles.iter().enumerate() {
            let face = tile.face.as_ref().ok_or_else(|| PrintError::NoFace(tile.id.clone()))?;
            all.extend(std::iter::repeat_n((i, face), tile.count as usize));
        }
        let drawn: Vec<RgbImage> =
            all.par_iter().map(|(i, face)| draw_tile(face, *i as u64, style, side)).collect();
        let packed = drawn.iter().map(|p| self.document.pack(p)).collect::<Result<Vec<PictureId>, _>>()?;
        let pages = packed.len().div_ceil(COLUMNS * ROWS);
        for (number, page) in packed.chunks(COLUMNS * ROWS).enumerate() {
            self.page(&format!("castle tiles, page {} of {pages}", number + 1));
            let left = (self.size.0 - COLUMNS as f32 * TILE_MM) / 2.0;
            let top = MARGIN_MM + HEAD_MM;
            for (i, picture) in page.iter().enumerate() {
                let at = (left + TILE_MM * (i % COLUMNS) as f32, top + TILE_MM * (i / COLUMNS) as f32);
                self.document.place(*picture, at, (TILE_MM, TILE_MM));
            }
            let rows = page.len().div_ceil(COLUMNS);
            let (right, bottom) = (left + TILE_MM * COLUMNS as f32, top + TILE_MM * rows as f32);
            for i in 0..=COLUMNS {
                let x = left + TILE_MM * i as f32;
                self.document.line((x, top - 1.0 - MARK_MM), (x, top - 1.0), false);
                self.document.line((x, bottom + 1.0), (x, bottom + 1.0 + MARK_MM), false);
            }
            for i in 0..=rows {
                let y = top + TILE_MM * i as f32;
                self.document.line((left - 1.0 - MARK_MM, y), (left - 1.0, y), false);
                self.document.line((right + 1.0, y), (right + 1.0 + MARK_MM, y), false);
            }
        }
        Ok(())
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
