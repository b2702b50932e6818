//! What a photograph shows: the truth beside each picture.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::camera::Camera;
use crate::observation::Figure;
use crate::rules::{Cell, Rotation, Wall, quoted};

/// A place in a picture, px; `[0, 0]` is the middle of the upper left pixel.
pub type Pixel = [f32; 2];

/// What a photograph shows, as JSON beside it. Corners are north-west,
/// north-east, south-east, south-west in the board's orientation, whatever way
/// the camera stands; they may lie outside the picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Truth {
    /// The seed that the photograph was taken with.
    pub seed: u64,
    /// Picture width and height.
    pub size: (u32, u32),
    /// The camera, distortion included.
    pub camera: Camera,
    /// How thick tiles are, in tile sides.
    pub tile_thickness: f32,
    /// The players' figure colours, sRGB.
    pub colours: Vec<[u8; 3]>,
    /// The words that people would say for them; empty where the colours are what their
    /// words usually mean.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// Every interior cell row by row; without a wall, the cells with a tile.
    pub cells: Vec<CellTruth>,
    /// The wall, if there is one.
    pub wall: Option<WallTruth>,
    /// Score markers.
    pub markers: Vec<MarkerTruth>,
    /// Whether a hand is in the picture.
    pub hand: bool,
}

/// Why a text is not the truth of a photograph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TruthError {
    /// Not JSON, or not of the form.
    #[error("this is not the truth of a photo as `castellan render` writes it: {0}")]
    Form(String),
    /// More of something, or a larger number, than a table can have.
    #[error("this cannot be the truth of a photo: {0} are more than a table has")]
    Many(&'static str),
}

impl Truth {
    /// The longest text, bytes.
    pub const MOST_TEXT: u64 = 4 << 20;
    /// The most players with figures.
    const MOST_COLOURS: usize = 6;
    /// Cells lie at most so far from cell (0, 0).
    const REACH: i8 = 60;

    /// Reads the JSON beside a photograph, every count and number in it bounded.
    ///
    /// # Errors
    /// [`TruthError`].
    pub fn from_json(text: &str) -> Result<Truth, TruthError> {
        if text.len() as u64 > Truth::MOST_TEXT {
            return Err(TruthError::Form("it is too long".to_owned()));
        }
        let truth: Truth =
            serde_json::from_str(text).map_err(|e| TruthError::Form(quoted(&e.to_string())))?;
        let figures = truth.cells.iter().map(|c| c.figures.len()).max().unwrap_or(0);
        let wall =
            truth.wall.as_ref().map_or(0, |w| w.corners.len().max(w.track.len()).max(w.wall_tiles.len()));
        for (found, most, what) in [
            (truth.cells.len(), Wall::MAX_SIDE * Wall::MAX_SIDE, "its cells"),
            (truth.colours.len(), Truth::MOST_COLOURS, "its colours"),
            (truth.words.len(), Truth::MOST_COLOURS, "its colours' words"),
            (truth.markers.len(), Truth::MOST_COLOURS, "its markers"),
            (figures, 20, "the figures on a cell"),
            (wall, Wall::MOST_LISTED, "the wall's places"),
        ] {
            if found > most {
                return Err(TruthError::Many(what));
            }
        }
        let far = |cell: Cell| {
            !(-Truth::REACH..=Truth::REACH).contains(&cell.col.max(cell.row))
                || cell.col.min(cell.row) < -Truth::REACH
        };
        if truth.cells.iter().any(|c| far(c.cell)) {
            return Err(TruthError::Many("the rows or columns between its cells"));
        }
        Ok(truth)
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellTruth {
    /// Which.
    pub cell: Cell,
    /// Where the upper face of a perfectly laid tile would have its corners,
    /// whether or not one lies here.
    pub corners: [Pixel; 4],
    /// The share of that area that a hand hides, 0 to 1.
    pub covered: f32,
    /// The share of that area that lies inside the picture, 0 to 1.
    pub inside: f32,
    /// The tile that lies here.
    pub tile: Option<TileTruth>,
    /// What stands here.
    pub figures: Vec<FigureTruth>,
}

/// A tile as it lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TileTruth {
    /// Its id in the deck.
    pub id: String,
    /// Clockwise quarter turns from upright.
    pub rotation: Rotation,
    /// The corners of its upper face as it really lies, in the board's
    /// orientation (not turned with the tile).
    pub corners: [Pixel; 4],
}

/// A figure on a tile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FigureTruth {
    /// Follower or keep.
    pub figure: Figure,
    /// Whose.
    pub player: u8,
    /// The segment of the tile's face.
    pub segment: Option<u8>,
    /// Whether it lies.
    pub lying: bool,
    /// Its foot in the cell as seen, x right, y down, 0 to 1.
    pub x: f32,
    /// See `x`.
    pub y: f32,
    /// Its foot in the picture.
    pub foot: Pixel,
    /// How many pixels of it can be seen.
    pub pixels: u32,
}

/// The wall.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallTruth {
    /// How high it stands, in tile sides.
    pub height: f32,
    /// The corners of the interior, clockwise from the upper left one, at the
    /// wall's upper edge.
    pub corners: Vec<Pixel>,
    /// The middles of track spaces 0 to 99, at the wall's upper edge.
    pub track: Vec<Pixel>,
    /// The lower track spaces of the towers that still have their wall tile.
    pub wall_tiles: Vec<u8>,
}

/// A score marker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarkerTruth {
    /// Whose.
    pub player: u8,
    /// On which track space.
    pub space: u8,
    /// Lying means 100 more.
    pub lying: bool,
    /// Its foot in the picture.
    pub foot: Pixel,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_that_no_table_has_are_refused() {
        let text = |colours: usize, cols: &[i8]| {
            let cells: Vec<String> = cols
                .iter()
                .map(|col| {
                    format!(
                        r#"{{"cell":[{col},0],"corners":[[0,0],[1,0],[1,1],[0,1]],"covered":0,"inside":1,"tile":null,"figures":[]}}"#
                    )
                })
                .collect();
            format!(
                r#"{{"seed":1,"size":[640,480],"camera":{{"size":[640,480],"target":[0,0],"distance":9,"elevation":90,"azimuth":0,"roll":0,"focal":0.7,"k1":0,"k2":0}},"tile_thickness":0.03,"colours":{},"cells":[{}],"wall":null,"markers":[],"hand":false}}"#,
                serde_json::to_string(&vec![[0, 0, 0]; colours]).unwrap(),
                cells.join(",")
            )
        };
        let fault = |text: String| Truth::from_json(&text).unwrap_err();
        assert!(Truth::from_json(&text(2, &[-60, 60])).is_ok());
        assert_eq!(fault(text(7, &[0])), TruthError::Many("its colours"));
        assert_eq!(fault(text(2, &[0; 577])), TruthError::Many("its cells"));
        assert_eq!(fault(text(2, &[-128, 127])), TruthError::Many("the rows or columns between its cells"));
        let long = fault(format!("\"{}\"", "x".repeat(100_000))).to_string();
        assert!(long.starts_with("this is not the truth of a photo") && long.len() < 250, "{long}");
    }
}
