//! The players' markers on the score track: what has a player's colour on the wall and is
//! not printed there.

use image::{Rgb, RgbImage, RgbaImage, imageops};
use rayon::prelude::*;

use super::board::{BOARD_PX, Board};
use super::by_network::{OnWall, on_wall};
use super::evidence::Evidence;
use super::expected::{in_light_of, smoothed};
use super::paint::{Paints, from_ground, is_off};
use super::patches::{self, FOLLOWER, Mask, Patch};
use super::way::Way;
use crate::observation::MarkerReading;
use crate::rules::Cell;
use crate::vision::base::camera::Pose;
use crate::vision::base::colour::{lab_of_linear, linear_of_byte};
use crate::vision::base::error::VisionError;
use crate::vision::base::rectify::Rectifier;

/// How a patch of a player's colour tells of the space that the marker stands on.
struct Settings {
    /// Alpha (0 to 255) of the wall's picture from which on a pixel is the wall's.
    opaque: u8,
    /// Pixels from the wall's rim that are left out: the pose is not exact.
    rim: u32,
    /// Least wall in a square of a tile side for its light to be told, in tiles.
    least_wall: f32,
    /// Least area of a marker, of that of a follower: the rest is seen beside the wall.
    least: f32,
    /// Standard deviation of a marker's area, in natural logarithms.
    area: f32,
    /// Heights of the middle of what is seen of a follower that stands and of one that
    /// lies, tile sides.
    heights: [f32; 2],
    /// Standard deviation of where a marker's foot is seen from the middle of its space,
    /// tile sides: people put it down beside the middle, and the foot is guessed.
    place: f32,
    /// How far from its space a marker is seen at most where it is known to stand, tile sides,
    own: f32,
    /// how near feet of two readings are one thing's,
    same: f32,
    /// and how near to where a marker stood what is seen now is no marker that has moved.
    step: f32,
    /// Weight of there being no marker in view.
    none: f32,
    /// Least posterior of a space that is told, and of one beside it.
    told: f32,
    beside: f32,
}

const SETTINGS: Settings = Settings {
    opaque: 200,
    rim: 3,
    least_wall: 0.05,
    least: 0.6,
    area: 0.6,
    heights: [FOLLOWER.middle, 0.06],
    place: 0.12,
    own: 0.5,
    same: 0.12,
    step: 0.3,
    none: 0.05,
    told: 0.3,
    beside: 0.002,
};

/// A wall's score track, made ready to look for markers on it.
pub struct Track {
    /// The wall from straight above, [`BOARD_PX`] a tile side.
    picture: RgbImage,
    /// Which of its pixels are the wall's, row by row.
    on_wall: Vec<bool>,
    /// The cell in its upper left corner.
    first: Cell,
    /// The cells in which there is wall.
    squares: Vec<Cell>,
    /// The middles of the spaces, tile sides.
    spaces: Vec<(f32, f32)>,
    /// The spaces on which the players' markers are known to stand when the wall is read next.
    standing: Option<Vec<u8>>,
    /// What looks like feet and is none: it was there when it was known where the markers
    /// stand, or stayed when its player's marker moved.
    usual: Vec<OnWall>,
    /// The feet of the reading before, once it was known where the markers stand.
    before: Option<Vec<OnWall>>,
}

/// A square of the wall in a frame.
struct Square {
    /// Column and row in the wall's picture.
    at: (u32, u32),
    piece: RgbImage,
    /// The wall's picture in the light of the piece.
    lit: RgbImage,
    /// By colour: how bright the piece is beside the picture.
    ratios: [f32; 3],
}

impl Track {
    /// From the wall's picture, with `px` pixels a tile side and the upper left corner of
    /// cell (0, 0) at `origin`, and the middles of the track's spaces, tile sides.
    pub fn new(picture: &RgbaImage, px: f32, origin: (f32, f32), spaces: Vec<(f32, f32)>) -> Track {
        let scale = BOARD_PX as f32 / px;
        let side = |v: u32| ((v as f32 * scale).round() as u32).max(1);
        let (width, height) = (side(picture.width()), side(picture.height()));
        let scaled = if width < picture.width() {
            imageops::thumbnail(picture, width, height)
        } else {
            imageops::resize(picture, width, height, imageops::FilterType::Triangle)
        };
        let (left, top) = (origin.0 * scale, origin.1 * scale);
        let before = |v: f32| (v / BOARD_PX as f32).ceil() as i8;
        let first = Cell::new(-before(left), -before(top));
        let shift = |v: f32, first: i8| (f32::from(-first) * BOARD_PX as f32 - v).round() as u32;
        let (dx, dy) = (shift(left, first.col), shift(top, first.row));
        let (cols, rows) = ((dx + width).div_ceil(BOARD_PX), (dy + height).div_ceil(BOARD_PX));
        let mut board = RgbImage::new(cols * BOARD_PX, rows * BOARD_PX);
        let mut on_wall = vec![false; board.len() / 3];
        for (x, y, pixel) in scaled.enumerate_pixels() {
            let [r, g, b, alpha] = pixel.0;
            if alpha >= SETTINGS.opaque {
                board.put_pixel(x + dx, y + dy, Rgb([r, g, b]));
                on_wall[((y + dy) * board.width() + x + dx) as usize] = true;
            }
        }
        let on_wall = eroded(&on_wall, board.dimensions(), SETTINGS.rim);
        let least = (SETTINGS.least_wall * (BOARD_PX * BOARD_PX) as f32) as usize;
        let squares = (0..rows)
            .flat_map(|row| (0..cols).map(move |col| (col, row)))
            .filter(|(col, row)| {
                let pixels = square(*col, *row, board.width());
                pixels.filter(|at| on_wall[*at]).count() >= least
            })
            .map(|(col, row)| Cell::new(first.col + col as i8, first.row + row as i8))
            .collect();
        Track {
            picture: board,
            on_wall,
            first,
            squares,
            spaces,
            standing: None,
            usual: Vec::new(),
            before: None,
        }
    }

    /// The cells in which there is wall: where markers can be seen.
    pub fn squares(&self) -> &[Cell] {
        &self.squares
    }

    /// Says on which spaces the players' markers stand, player by player: what looks like a
    /// marker elsewhere in the next reading is taken for none from then on.
    pub fn expect(&mut self, standing: Vec<u8>) {
        self.standing = Some(standing);
    }

    /// Learns what looks like feet and is none, and leaves it out.
    fn without_usual(&mut self, mut feet: Vec<OnWall>) -> Vec<OnWall> {
        if let Some(standing) = self.standing.take() {
            let belongs = |foot: &&OnWall| {
                let own = standing.get(usize::from(foot.player));
                let space = own.and_then(|space| self.spaces.get(usize::from(*space)));
                space.is_some_and(|space| apart(*space, foot.place) < SETTINGS.own)
            };
            self.usual = feet.iter().filter(|foot| !belongs(foot)).copied().collect();
            self.before = Some(Vec::new());
        }
        feet.retain(|foot| !foot.is_in(&self.usual));
        let Some(before) = &mut self.before else { return feet };
        for player in 0..=feet.iter().map(|foot| foot.player).max().unwrap_or(0) {
            let own = |feet: &[OnWall]| -> Vec<OnWall> {
                feet.iter().filter(|foot| foot.player == player).copied().collect()
            };
            let (seen, then) = (own(&feet), own(before));
            let (stayed, new): (Vec<OnWall>, Vec<OnWall>) =
                seen.into_iter().partition(|foot| foot.is_in(&then));
            // A marker moves by a space or more: what is seen now close to where it stood is
            // what it stood on.
            let under = |foot: &OnWall| then.iter().any(|t| apart(t.place, foot.place) < SETTINGS.step);
            if new.iter().any(|foot| !under(foot)) {
                self.usual.extend(stayed.into_iter().chain(new.into_iter().filter(under)));
            }
        }
        feet.retain(|foot| !foot.is_in(&self.usual));
        if !feet.is_empty() {
            before.retain(|old| feet.iter().all(|foot| foot.player != old.player));
            before.extend(feet.iter().copied());
        }
        feet
    }

    /// Where the players' markers stand. `colours` are the players', sRGB. A marker that is
    /// not seen, or not told from other things, is left out. With a network its feet tell, and the
    /// patches of the players' colours of those of which there are none.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`] when an image operation fails, [`VisionError::Recogniser`] when
    /// the network does not run.
    pub fn read(
        &mut self,
        frame: &RgbImage,
        pose: &Pose,
        colours: &[[u8; 3]],
        way: &Way,
    ) -> Result<Vec<MarkerReading>, VisionError> {
        let rectifier = Rectifier::new(frame, pose, 0.0, BOARD_PX)?;
        let (width, height) = self.picture.dimensions();
        let mut seen = RgbImage::new(width, height);
        let mut expected = RgbImage::new(width, height);
        let mut known = vec![false; self.on_wall.len()];
        let mut ratios: [Vec<f32>; 3] = Default::default();
        let squares: Vec<Square> = self
            .squares
            .par_iter()
            .filter_map(|cell| self.square(&rectifier, *cell).transpose())
            .collect::<Result<_, _>>()?;
        for Square { at: (col, row), piece, lit, ratios: own } in squares {
            for (ratios, own) in ratios.iter_mut().zip(own) {
                ratios.push(own);
            }
            let (left, top) = (i64::from(col * BOARD_PX), i64::from(row * BOARD_PX));
            imageops::replace(&mut seen, &piece, left, top);
            imageops::replace(&mut expected, &lit, left, top);
            for at in square(col, row, width) {
                known[at] = self.on_wall[at];
            }
        }
        let light = ratios.map(|mut r| {
            r.sort_by(f32::total_cmp);
            r.get(r.len() / 2).copied().unwrap_or(1.0)
        });
        let board = Board {
            picture: &seen,
            first: self.first,
            pose,
            depth: 0.0,
            inside: None,
            cast: None,
            noted: &[],
            crowded: false,
            pieces: &[],
        };
        let soft = smoothed(&seen)?;
        let evidence = Evidence::of_wall(&board, soft, expected, known, colours, light)?;
        let mut told: Vec<Option<MarkerReading>> = vec![None; colours.len()];
        if let Way::Network(network) = way {
            let feet = self.without_usual(on_wall(network, &evidence, &self.squares)?);
            for (player, told) in (0..).zip(&mut told) {
                let own = feet.iter().filter(|foot| foot.player == player);
                *told = self.told(player, &self.by_feet(own));
            }
        }
        if told.iter().any(Option::is_none) {
            let by_colours = self.by_colours(&evidence, colours, light)?;
            for (told, other) in told.iter_mut().zip(by_colours) {
                *told = told.take().or(other);
            }
        }
        Ok(told.into_iter().flatten().collect())
    }

    /// The spaces that patches of the players' colours tell that are not printed on the wall,
    /// player by player.
    fn by_colours(
        &self,
        wall: &Evidence<'_>,
        colours: &[[u8; 3]],
        light: [f32; 3],
    ) -> Result<Vec<Option<MarkerReading>>, VisionError> {
        let Evidence { board, soft, expected, low, high, known, .. } = wall;
        let paints = Paints::new(colours, light);
        let owner = |at: usize| {
            if !known[at] {
                return None;
            }
            let pixel =
                |picture: &RgbImage| -> [u8; 3] { std::array::from_fn(|c| picture.as_raw()[at * 3 + c]) };
            let colour = pixel(soft);
            if !is_off(colour, &low[at * 3..], &high[at * 3..]) {
                return None;
            }
            let lab = lab_of_linear(colour.map(linear_of_byte));
            paints.owner(lab, || from_ground(lab, pixel(expected).map(linear_of_byte)))
        };
        let owners: Vec<Option<usize>> = (0..known.len()).into_par_iter().map(owner).collect();
        let mut markers = Vec::new();
        for player in 0..colours.len() {
            let of_colour: Vec<u8> =
                owners.iter().map(|o| if *o == Some(player) { 255 } else { 0 }).collect();
            let mask = Mask { of_colour: &of_colour, known, size: soft.dimensions() };
            let patches = patches::joined(patches::patches(&mask)?, board);
            markers.push(self.told(player as u8, &self.by_patches(&patches, board)));
        }
        Ok(markers)
    }

    /// A square of the wall as it is seen; `None` where it is not in the frame.
    fn square(&self, rectifier: &Rectifier, cell: Cell) -> Result<Option<Square>, VisionError> {
        let corner = (f32::from(cell.col), f32::from(cell.row));
        if !rectifier.sees(corner, 1.0) {
            return Ok(None);
        }
        let (col, row) = ((cell.col - self.first.col) as u32, (cell.row - self.first.row) as u32);
        let piece = rectifier.piece(corner, 1.0, BOARD_PX)?;
        let (left, top) = (col * BOARD_PX, row * BOARD_PX);
        let print = imageops::crop_imm(&self.picture, left, top, BOARD_PX, BOARD_PX).to_image();
        let here: Vec<bool> = square(col, row, self.picture.width()).map(|at| self.on_wall[at]).collect();
        let ratios = std::array::from_fn(|c| {
            let sum = |picture: &RgbImage| -> f32 {
                let pixels = picture.pixels().zip(&here).filter(|(_, here)| **here);
                pixels.map(|(p, _)| linear_of_byte(p.0[c])).sum()
            };
            sum(&piece) / sum(&print).max(1.0)
        });
        let lit = in_light_of(&print, &piece, |at| here[at]);
        Ok(Some(Square { at: (col, row), piece, lit, ratios }))
    }

    /// How much a player's patches tell of each space.
    fn by_patches(&self, patches: &[Patch], board: &Board<'_>) -> Vec<f32> {
        let mut weights = vec![0.0_f32; self.spaces.len()];
        for patch in patches {
            let (x, y) = patch.middle();
            let usual = FOLLOWER.usual * board.widened(board.place(x, y));
            if patch.area() < SETTINGS.least * FOLLOWER.least {
                continue;
            }
            let off = (patch.area() / usual).ln() / SETTINGS.area;
            let as_large = (-0.5 * off * off).exp();
            for height in SETTINGS.heights {
                let (_, place) = patch.foot(board, height);
                for (weight, space) in weights.iter_mut().zip(&self.spaces) {
                    *weight += as_large * near(place, *space) / SETTINGS.heights.len() as f32;
                }
            }
        }
        weights
    }

    /// How much a player's feet tell of each space.
    fn by_feet<'f>(&self, feet: impl Iterator<Item = &'f OnWall>) -> Vec<f32> {
        let mut weights = vec![0.0_f32; self.spaces.len()];
        for foot in feet {
            for (weight, space) in weights.iter_mut().zip(&self.spaces) {
                *weight += foot.sure * near(foot.place, *space);
            }
        }
        weights
    }

    /// The space on which the weights of all say that a player's marker stands.
    fn told(&self, player: u8, weights: &[f32]) -> Option<MarkerReading> {
        let total = SETTINGS.none + weights.iter().sum::<f32>();
        let mut spaces: Vec<(u8, f32)> = (0..).zip(weights.iter().map(|w| w / total)).collect();
        spaces.sort_by(|a, b| b.1.total_cmp(&a.1));
        spaces.retain(|(_, p)| *p >= SETTINGS.beside);
        let (space, confidence) = *spaces.first()?;
        let others = spaces.split_off(1);
        (confidence >= SETTINGS.told).then_some(MarkerReading { player, space, confidence, others })
    }
}

impl OnWall {
    /// Whether it is one of these.
    fn is_in(&self, others: &[OnWall]) -> bool {
        others
            .iter()
            .any(|other| other.player == self.player && apart(other.place, self.place) < SETTINGS.same)
    }
}

/// How likely a foot at a place is that of a marker on a space, beside right in its middle.
fn near(place: (f32, f32), space: (f32, f32)) -> f32 {
    (-0.5 * (apart(place, space) / SETTINGS.place).powi(2)).exp()
}

/// How far two places are apart, tile sides.
fn apart(a: (f32, f32), b: (f32, f32)) -> f32 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// The pixels of a square, row by row, in a picture of a width.
fn square(col: u32, row: u32, width: u32) -> impl Iterator<Item = usize> {
    let at = move |x: u32, y: u32| ((row * BOARD_PX + y) * width + col * BOARD_PX + x) as usize;
    (0..BOARD_PX).flat_map(move |y| (0..BOARD_PX).map(move |x| at(x, y)))
}

/// A mask without what is within `rim` pixels of its edge.
fn eroded(mask: &[bool], (width, height): (u32, u32), rim: u32) -> Vec<bool> {
    let reach = rim as i32;
    let holds = |x: i32, y: i32| {
        (0..width as i32).contains(&x)
            && (0..height as i32).contains(&y)
            && mask[(y as u32 * width + x as u32) as usize]
    };
    (0..height as i32)
        .flat_map(|y| (0..width as i32).map(move |x| (x, y)))
        .map(|(x, y)| {
            holds(x, y)
                && [(-reach, 0), (reach, 0), (0, -reach), (0, reach)].iter().all(|d| holds(x + d.0, y + d.1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colours::colour;

    const PX: u32 = 60;

    /// A wall round 6 x 4 cells, 0.6 tile sides wide, from straight above with a tile side of
    /// margin, and the spaces along its upper edge.
    fn wall() -> (RgbaImage, Vec<(f32, f32)>) {
        let picture = RgbaImage::from_fn(8 * PX, 6 * PX, |x, y| {
            let at = |v: u32| v as f32 / PX as f32 - 1.0;
            let (x, y, grain) = (at(x), at(y), ((x / 7 + y / 5) % 3) as u8 * 9);
            let inside = (0.0..6.0).contains(&x) && (0.0..4.0).contains(&y);
            let near = (-0.6..6.6).contains(&x) && (-0.6..4.6).contains(&y);
            image::Rgba([150 + grain, 140 + grain, 120, if near && !inside { 255 } else { 0 }])
        });
        (picture, (0..12).map(|i| (0.25 + 0.5 * i as f32, -0.3)).collect())
    }

    /// What is read on a table on which the wall stands in such a light, with squares of
    /// colours on it: the middle of each, tile sides.
    fn read(light: f32, squares: &[((f32, f32), [u8; 3])]) -> Vec<MarkerReading> {
        let (picture, spaces) = wall();
        let pose = Pose::looking((1280, 720), 0.0, (0.0, 0.0), (3.0, 2.0), (640.0, 360.0), 18.0);
        let (left, top) = pose.project(0.0, 0.0, 0.0);
        let side = (pose.project(1.0, 0.0, 0.0).0 - left).abs();
        let frame = RgbImage::from_fn(1280, 720, |u, v| {
            let (x, y) = ((u as f32 - left) / side, (v as f32 - top) / side);
            let near = |p: &(f32, f32)| (x - p.0).abs().max((y - p.1).abs()) < 0.12;
            let on_wall = || {
                let at = |v: f32| ((v + 1.0) * PX as f32).max(0.0) as u32;
                let pixel = picture.get_pixel_checked(at(x), at(y)).filter(|p| p.0[3] > 0)?;
                Some([pixel.0[0], pixel.0[1], pixel.0[2]])
            };
            let shown = squares.iter().find(|(p, _)| near(p)).map(|(_, c)| *c).or_else(on_wall);
            Rgb(shown.unwrap_or([90, 70, 50]).map(|v| (f32::from(v) * light) as u8))
        });
        let mut track = Track::new(&picture, PX as f32, (PX as f32, PX as f32), spaces);
        track.read(&frame, &pose, &[colour("blue"), colour("red")], &Way::usual().unwrap()).unwrap()
    }

    #[test]
    fn markers_are_read_where_they_stand_in_any_light() {
        for light in [1.0, 0.6] {
            let seen = read(light, &[((1.75, -0.3), colour("blue")), ((4.3, -0.35), colour("red"))]);
            let spaces: Vec<(u8, u8)> = seen.iter().map(|m| (m.player, m.space)).collect();
            assert_eq!(spaces, [(0, 3), (1, 8)], "{seen:?}");
            assert!(seen.iter().all(|m| m.confidence > 0.8 && m.posterior(0) == 0.0), "{seen:?}");
        }
    }

    #[test]
    fn a_marker_between_two_spaces_may_be_on_either() {
        let seen = read(1.0, &[((2.0, -0.3), colour("blue"))]);
        let [marker] = seen.as_slice() else { panic!("{seen:?}") };
        assert!(marker.posterior(3) > 0.2 && marker.posterior(4) > 0.2, "{marker:?}");
    }

    #[test]
    fn what_is_no_marker_is_read_as_none() {
        assert_eq!(read(1.0, &[]), []);
        let specks_and_strangers =
            [((1.75, -0.3), colour("green")), ((3.0, 2.0), colour("blue")), ((-0.95, -0.95), colour("red"))];
        assert_eq!(read(1.0, &specks_and_strangers), []);
    }
}
