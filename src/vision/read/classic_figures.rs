//! The figures on a board without a wall: the tiles as they lie are put together to a
//! picture of the board, and the camera is known by the grid that they form.

use image::{RgbImage, imageops};

use crate::rules::Cell;
use crate::vision::base::camera::Pose;
use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::Quad;
use crate::vision::base::photo::Pyramid;
use crate::vision::figures::{self, BOARD_PX, Board, Ground, Standing, Strangers, Way};
use crate::vision::grid::lattice::Lattice;
use crate::vision::tiles::colour_model::Cast;

/// A board with more cells, occupied or not, is not searched.
const MOST_CELLS: i32 = 2500;

/// A tile of which it is known what it is.
pub(super) struct Lying<'a> {
    /// Its cell.
    pub cell: Cell,
    /// Its corners in the photo, in the order of the grid's.
    pub quad: Quad,
    /// Its upright picture.
    pub reference: &'a RgbImage,
    /// How it is turned on the grid, clockwise quarters.
    pub rotation: u8,
}

/// A photo and the grid in it.
pub(super) struct Sight<'a> {
    pub photo: &'a Pyramid,
    /// Width and height of the photo, pixels.
    pub size: (u32, u32),
    pub lattice: &'a Lattice,
    /// What is added to a cell of the grid to give its name.
    pub offset: (i32, i32),
    /// The cells in which something lies, named or not.
    pub occupied: &'a [Cell],
    /// What the light makes of the prints' colours, where that is known.
    pub cast: Option<&'a Cast>,
    /// How figures are found.
    pub way: &'a Way,
    /// As [`Board::crowded`].
    pub crowded: bool,
}

/// The players' figures, and where things stand that look like figures of other colours.
pub(super) type Figures = (Vec<Standing>, Vec<(Cell, &'static str)>);

/// The figures on the tiles; `colours`, sRGB, are the players' and after them that of the figure that is
/// nobody's, where there is one.
///
/// # Errors
/// [`VisionError::OpenCv`] when an image operation fails.
pub(super) fn find(
    sight: &Sight<'_>,
    tiles: &[Lying<'_>],
    colours: &[[u8; 3]],
    strangers: &mut Strangers,
) -> Result<Figures, VisionError> {
    let Some(pose) = sight.pose() else { return Ok(Figures::default()) };
    let table = sight.table(tiles);
    let cells = || tiles.iter().map(|t| t.cell).chain(table.iter().map(|t| t.0));
    let (cols, rows) = (|| cells().map(|c| i32::from(c.col)), || cells().map(|c| i32::from(c.row)));
    let (Some(left), Some(right), Some(top), Some(bottom)) =
        (cols().min(), cols().max(), rows().min(), rows().max())
    else {
        return Ok(Figures::default());
    };
    let (width, height) = (right - left + 1, bottom - top + 1);
    if tiles.is_empty() || colours.is_empty() || width * height > MOST_CELLS {
        return Ok(Figures::default());
    }
    let mut picture = RgbImage::new(width as u32 * BOARD_PX, height as u32 * BOARD_PX);
    let mut put = |cell: Cell, quad: &Quad| -> Result<(), VisionError> {
        let seen = sight.photo.crop(quad, BOARD_PX, 0)?;
        let at = |v: i8, first: i32| i64::from(i32::from(v) - first) * i64::from(BOARD_PX);
        imageops::replace(&mut picture, &seen, at(cell.col, left), at(cell.row, top));
        Ok(())
    };
    let mut grounds: Vec<(Cell, Ground<'_>)> = Vec::new();
    for tile in tiles {
        put(tile.cell, &tile.quad)?;
        grounds.push((tile.cell, Ground::Tile(tile.reference, tile.rotation, (0.0, 0.0))));
    }
    for (cell, quad) in &table {
        put(*cell, quad)?;
        grounds.push((*cell, Ground::Table));
    }
    let board = Board {
        noted: &[],
        crowded: sight.crowded,
        picture: &picture,
        first: Cell::new(left as i8, top as i8),
        pose: &pose,
        depth: 0.0,
        inside: None,
        cast: sight.cast,
        pieces: &[],
    };
    let found = figures::find(sight.way, &board, &grounds, colours)?;
    let strangers =
        strangers.seek(&found, |colours| figures::find(&Way::Colours, &board, &grounds, colours))?;
    Ok((found, strangers))
}

impl Sight<'_> {
    /// The camera over the named cells; `None` where the grid tells of none.
    fn pose(&self) -> Option<Pose> {
        let h = self.lattice.map().0;
        let (x, y) = (f64::from(-self.offset.0), f64::from(-self.offset.1));
        let row = |i: usize| [h[i], h[i + 1], h[i] * x + h[i + 1] * y + h[i + 2]];
        Pose::from_homography(&[row(0), row(3), row(6)], self.size)
    }

    /// The bare cells beside tiles, as far as they are in the picture: what stands near a
    /// tile's edge reaches over them.
    fn table(&self, tiles: &[Lying<'_>]) -> Vec<(Cell, Quad)> {
        let mut bare: Vec<(Cell, Quad)> = Vec::new();
        for tile in tiles {
            for (right, down) in [(0, -1), (1, 0), (0, 1), (-1, 0)] {
                let name = tile.cell.col.checked_add(right).zip(tile.cell.row.checked_add(down));
                let Some(cell) = name.map(|(col, row)| Cell::new(col, row)) else { continue };
                if self.occupied.contains(&cell) || bare.iter().any(|(other, _)| *other == cell) {
                    continue;
                }
                let on_grid = (i32::from(cell.col) - self.offset.0, i32::from(cell.row) - self.offset.1);
                let (width, height) = (f64::from(self.size.0), f64::from(self.size.1));
                let is_inside = |p: &[f64; 2]| p[0] >= 0.0 && p[1] >= 0.0 && p[0] < width && p[1] < height;
                let quad = self.lattice.quad(on_grid).filter(|quad| quad.0.iter().all(is_inside));
                bare.extend(quad.map(|quad| (cell, quad)));
            }
        }
        bare
    }
}
