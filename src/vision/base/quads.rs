//! Anything in a photo that has the outline of a tile: four straight sides with
//! an edge along each.

use ndarray::{Array2, Zip};
use opencv::core::{
    BORDER_REPLICATE, CV_8U, CV_32F, KMEANS_PP_CENTERS, Mat, Point as Pixel, Scalar, Size, TermCriteria,
    Vec3f, Vector,
};
use opencv::imgproc;
use opencv::prelude::*;

use crate::vision::base::error::VisionError;
use crate::vision::base::geometry::{Homography, Point, Quad, distance};
use crate::vision::base::mat::array_of;

/// Which contours are outlines like a tile's.
struct Outlines {
    /// Largest area, as a share of the photo's.
    most: f64,
    /// Least area of a contour, as a share of that of its convex hull: a tile has no bays,
    hull: f64,
    /// and of the quad that stands for it.
    quad: f64,
    /// Largest distances of the hull from the quad, as shares of the hull's length, one
    /// after the other: the second where corners are rounded off.
    distance: [f64; 2],
    /// Largest ratio of the longest side to the shortest: so a tile looks at a slant of 34
    /// degrees above the table. Longer ones are parts of tiles.
    longest: f64,
    /// Least share of the places of its worst side that lie on an edge.
    supported: f64,
}

const OUTLINES: Outlines =
    Outlines { most: 0.98, hull: 0.8, quad: 0.85, distance: [0.03, 0.06], longest: 1.8, supported: 0.45 };

/// Where there is an edge, and how a side is held against it.
struct Edges {
    /// Slopes from which on there is an edge, levels of 255 a pixel; each gives a mask.
    levels: [f64; 5],
    /// Full slope of a picture, as a share of its ninth decile.
    full: f32,
    /// Places looked at along a side, where the first lies and how far it is to the last,
    /// as shares of the side.
    places: u32,
    from: f64,
    span: f64,
    /// How far to each side of it an edge is sought, as a share of the side, and at least,
    /// pixels.
    reach: (f64, f64),
}

const EDGES: Edges = Edges {
    levels: [6.0, 10.0, 16.0, 26.0, 40.0],
    full: 0.6,
    places: 24,
    from: 0.08,
    span: 0.84,
    reach: (0.02, 1.5),
};

/// Which colours are the table's.
struct Table {
    /// Clusters that the colours of the photo's rim are parted into.
    clusters: i32,
    /// Weights of lightness and of the two hues in distances of colours: lightness less,
    /// because of shadows.
    weights: [f32; 3],
    /// Distance from the table's colours from which on a pixel is not table, as a share of
    /// Otsu's threshold for the whole photo.
    off: f64,
    /// Shares of that threshold at which masks are made in which outlines are sought.
    levels: [f64; 5],
}

const TABLE: Table =
    Table { clusters: 4, weights: [0.5, 1.6, 1.6], off: 0.6, levels: [0.4, 0.6, 0.8, 1.0, 1.3] };

/// What lies beside the tiles that were found.
struct Besides {
    /// Least thickness, as a share of a tile's side, and area, as a share of a tile's, of
    /// what may be a tile.
    least: f64,
    /// How far round a tile, as a factor on its size, its side and its shadow reach.
    around: f64,
    /// What lies beyond a side begins and ends so far from it, sides: beyond most shadows.
    beyond: (f64, f64),
    /// Places looked at along each side of an area for its mean colour.
    steps: u32,
}

const BESIDES: Besides = Besides { least: 0.5, around: 1.12, beyond: (0.2, 0.5), steps: 12 };

/// How brightness or colour changes from pixel to pixel; of the three channels
/// the one that changes most.
pub struct Slopes {
    across: Array2<f32>,
    down: Array2<f32>,
}

impl Slopes {
    /// Of an 8-bit picture with three channels.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn new(picture: &Mat) -> Result<Slopes, VisionError> {
        let mut soft = Mat::default();
        imgproc::gaussian_blur_def(picture, &mut soft, Size::new(0, 0), 1.0)?;
        let (mut gx, mut gy) = (Mat::default(), Mat::default());
        imgproc::sobel(&soft, &mut gx, CV_32F, 1, 0, 3, 0.25, 0.0, BORDER_REPLICATE)?;
        imgproc::sobel(&soft, &mut gy, CV_32F, 0, 1, 3, 0.25, 0.0, BORDER_REPLICATE)?;
        let (gx, gy) = (array_of::<Vec3f>(&gx)?, array_of::<Vec3f>(&gy)?);
        let steepest = Zip::from(gx).and(gy).map_collect(|x, y| {
            let size = |c: usize| x[c] * x[c] + y[c] * y[c];
            let most = (1..3).fold(0, |m, c| if size(c) > size(m) { c } else { m });
            (x[most], y[most])
        });
        Ok(Slopes { across: steepest.map(|s| s.0), down: steepest.map(|s| s.1) })
    }

    /// How steep each pixel is, row by row.
    fn steepness(&self) -> Vec<f32> {
        self.across.iter().zip(&self.down).map(|(x, y)| x.hypot(*y)).collect()
    }

    /// What counts as a full edge in this picture.
    pub fn edge_level(&self) -> f32 {
        let mut all = self.steepness();
        let at = all.len() * 9 / 10;
        if at >= all.len() {
            return EDGES.levels[0] as f32;
        }
        let (_, level, _) = all.select_nth_unstable_by(at, f32::total_cmp);
        (*level * EDGES.full).max(EDGES.levels[0] as f32)
    }

    /// For each side of a quad the share of it that lies on an edge.
    pub fn support(&self, quad: &Quad, edge: f32) -> [f64; 4] {
        std::array::from_fn(|i| {
            let (a, b) = (quad.0[i], quad.0[(i + 1) % 4]);
            let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
            let length = dx.hypot(dy).max(1e-9);
            let normal = [-dy / length, dx / length];
            let reach = (EDGES.reach.0 * length).max(EDGES.reach.1);
            let at = |t: f64| {
                (-3..=3)
                    .map(|o| {
                        let off = reach * f64::from(o) / 3.0;
                        self.along([a[0] + t * dx + off * normal[0], a[1] + t * dy + off * normal[1]], normal)
                    })
                    .fold(0.0, f32::max)
            };
            let sum: f32 = (0..EDGES.places)
                .map(|k| at(EDGES.from + EDGES.span * f64::from(k) / f64::from(EDGES.places - 1)))
                .map(|g| (g / edge).min(1.0))
                .sum();
            f64::from(sum) / f64::from(EDGES.places)
        })
    }

    /// How much the picture changes at a place along a direction of length 1, levels a pixel.
    pub fn along(&self, p: Point, normal: Point) -> f32 {
        let at = nearest(p, self.across.dim());
        (self.across[at] * normal[0] as f32 + self.down[at] * normal[1] as f32).abs()
    }
}

/// Row and column of the pixel nearest to a place, in a picture of so many rows and columns.
fn nearest([x, y]: Point, (rows, cols): (usize, usize)) -> [usize; 2] {
    [(y, rows), (x, cols)].map(|(v, count)| (v.round().max(0.0) as usize).min(count.saturating_sub(1)))
}

/// A quad with how much of its worst side lies on an edge, 0 to 1.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Its corners, clockwise.
    pub quad: Quad,
    /// See above.
    pub support: f64,
}

/// How far each pixel's colour is from those of the photo's rim, which is most
/// likely table.
pub struct OffTable {
    far: Mat,
    /// The picture's colours, weighted as for distances of colours, smoothed.
    colours: Array2<[f32; 3]>,
    level: f64,
    /// Pixels of these for one of the picture that places are given in.
    scale: f64,
}

impl OffTable {
    /// Of an 8-bit picture, channels red, green, blue.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn new(picture: &Mat) -> Result<OffTable, VisionError> {
        let mut lab = Mat::default();
        imgproc::cvt_color_def(picture, &mut lab, imgproc::COLOR_RGB2Lab)?;
        let (colours, far) = off_the_table(&lab)?;
        let mut mask = Mat::default();
        let level = imgproc::threshold(&far, &mut mask, 0.0, 255.0, imgproc::THRESH_OTSU)?;
        Ok(OffTable { far, colours, level, scale: 1.0 })
    }

    /// Of a picture that is larger: places in it are given in pixels of that one, one of which is
    /// `scale` pixels of this.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn of_smaller(picture: &Mat, scale: f64) -> Result<OffTable, VisionError> {
        Ok(OffTable { scale, ..OffTable::new(picture)? })
    }

    /// The middles of areas that are not of the table's colours, could hold a square of
    /// `side` pixels nearly, and lie outside all `quads`.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn areas_besides(&self, quads: &[Quad], side: f64) -> Result<Vec<Point>, VisionError> {
        let mut mask = Mat::default();
        imgproc::threshold(&self.far, &mut mask, TABLE.off * self.level, 255.0, imgproc::THRESH_BINARY)?;
        for quad in quads {
            let wide = quad.grown(BESIDES.around);
            let corners: Vector<Pixel> =
                wide.0.iter().map(|p| Pixel::new(p[0].round() as i32, p[1].round() as i32)).collect();
            imgproc::fill_convex_poly_def(&mut mask, &corners, Scalar::all(0.0))?;
        }
        let across = ((BESIDES.least * side) as i32).max(3);
        let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_ELLIPSE, Size::new(across, across))?;
        let mut opened = Mat::default();
        imgproc::morphology_ex_def(&mask, &mut opened, imgproc::MORPH_OPEN, &kernel)?;
        let (mut labels, mut stats, mut middles) = (Mat::default(), Mat::default(), Mat::default());
        let count =
            imgproc::connected_components_with_stats_def(&opened, &mut labels, &mut stats, &mut middles)?;
        let mut found = Vec::new();
        // The first is what lies between them.
        for i in 1..count {
            let area = *stats.at_2d::<i32>(i, imgproc::CC_STAT_AREA)?;
            if f64::from(area) > BESIDES.least * side * side {
                found.push([*middles.at_2d::<f64>(i, 0)?, *middles.at_2d::<f64>(i, 1)?]);
            }
        }
        Ok(found)
    }

    /// Whether a place is not of the table's colours.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn is_off(&self, [x, y]: Point) -> Result<bool, VisionError> {
        let far = array_of::<u8>(&self.far)?;
        let at = nearest([x * self.scale, y * self.scale], far.dim());
        Ok(self.is_far(far[at]))
    }

    /// Whether a distance from the table's colours is that of something else.
    fn is_far(&self, distance: u8) -> bool {
        f64::from(distance) > TABLE.off * self.level
    }

    /// The share of a quad's inside that is not of the table's colours.
    ///
    /// # Errors
    /// [`VisionError::OpenCv`].
    pub fn share(&self, quad: &Quad) -> Result<f64, VisionError> {
        const STEPS: u32 = 16;
        let place = Homography::from_unit_square(&quad.scaled(self.scale));
        let far = array_of::<u8>(&self.far)?;
        let mut off = 0;
        for i in 0..STEPS * STEPS {
            let part = |k: u32| 0.1 + 0.8 * (f64::from(k) + 0.5) / f64::from(STEPS);
            let [x, y] = place.apply([part(i % STEPS), part(i / STEPS)]);
            off += u32::from(self.is_far(far[nearest([x, y], far.dim())]));
        }
        Ok(f64::from(off) / f64::from(STEPS * STEPS))
    }

    /// How far the mean colour of a quad's inside is from that of what lies beyond those of its
    /// sides that are `free`, the median over these: in weighted Lab, 0 where all is one table,
    /// however it is lit. `None` where no side is free.
    pub fn contrast(&self, quad: &Quad, free: [bool; 4]) -> Option<f32> {
        let apart = self.contrasts(quad, free);
        let (low, high) = (apart.get(apart.len().checked_sub(1)? / 2)?, apart.get(apart.len() / 2)?);
        Some((low + high) / 2.0)
    }

    /// The same for that of the free sides on which it is least: what lies in the quad ends there, and
    /// does not run on beyond any.
    pub fn least_contrast(&self, quad: &Quad, free: [bool; 4]) -> Option<f32> {
        self.contrasts(quad, free).first().copied()
    }

    /// The same for each of the free sides, the least first.
    fn contrasts(&self, quad: &Quad, free: [bool; 4]) -> Vec<f32> {
        let place = Homography::from_unit_square(&quad.scaled(self.scale));
        let mean = |(left, right): (f64, f64), (top, bottom): (f64, f64)| {
            let part = |k: u32, from: f64, to: f64| {
                from + (to - from) * (f64::from(k) + 0.5) / f64::from(BESIDES.steps)
            };
            let places = (0..BESIDES.steps)
                .flat_map(|i| (0..BESIDES.steps).map(move |k| (i, k)))
                .map(|(i, k)| place.apply([part(i, left, right), part(k, top, bottom)]));
            mean_of(places.map(|p| self.colours[nearest(p, self.colours.dim())]))
        };
        let ((near, far), along) = (BESIDES.beyond, (0.15, 0.85));
        let beyond = [
            (along, (-far, -near)),
            ((1.0 + near, 1.0 + far), along),
            (along, (1.0 + near, 1.0 + far)),
            ((-far, -near), along),
        ];
        let inside = mean(along, along);
        let mut apart: Vec<f32> = (beyond.into_iter().zip(free))
            .filter(|(_, free)| *free)
            .map(|((x, y), _)| squared(inside, mean(x, y)).sqrt())
            .collect();
        apart.sort_by(f32::total_cmp);
        apart
    }
}

/// The squared distance of two colours.
fn squared(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// The mean of colours.
fn mean_of(colours: impl Iterator<Item = [f32; 3]>) -> [f32; 3] {
    let (mut sum, mut count) = ([0.0; 3], 0.0_f32);
    for colour in colours {
        sum.iter_mut().zip(colour).for_each(|(s, c)| *s += c);
        count += 1.0;
    }
    sum.map(|s| s / count.max(1.0))
}

/// Every outline like a tile's of at least the area `least`, as a share of the photo's, best
/// supported first. The same tile may come many times, and parts of tiles come too.
///
/// # Errors
/// [`VisionError::OpenCv`].
pub fn candidates(
    picture: &Mat,
    table: &OffTable,
    slopes: &Slopes,
    edge: f32,
    least: f64,
) -> Result<Vec<Candidate>, VisionError> {
    let photo = f64::from(picture.rows()) * f64::from(picture.cols());
    let mut found = Vec::new();
    for mask in masks(picture, table, slopes)? {
        let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_RECT, Size::new(5, 5))?;
        let mut opened = Mat::default();
        imgproc::morphology_ex_def(&mask, &mut opened, imgproc::MORPH_OPEN, &kernel)?;
        for mask in [mask, opened] {
            let mut contours = Vector::<Vector<Pixel>>::new();
            imgproc::find_contours_def(
                &mask,
                &mut contours,
                imgproc::RETR_LIST,
                imgproc::CHAIN_APPROX_SIMPLE,
            )?;
            for contour in &contours {
                if let Some(quad) = four_sided(&contour, (least * photo, OUTLINES.most * photo))? {
                    let support = slopes.support(&quad, edge).into_iter().fold(1.0, f64::min);
                    if support >= OUTLINES.supported {
                        found.push(Candidate { quad, support });
                    }
                }
            }
        }
    }
    found.sort_by(|a, b| b.support.total_cmp(&a.support));
    Ok(found)
}

/// The quad that a contour is, if it is one; `least` and `most` are its area, pixels.
fn four_sided(contour: &Vector<Pixel>, (least, most): (f64, f64)) -> Result<Option<Quad>, VisionError> {
    let area = imgproc::contour_area_def(contour)?.abs();
    if area < least || area > most {
        return Ok(None);
    }
    let mut hull = Vector::<Pixel>::new();
    imgproc::convex_hull_def(contour, &mut hull)?;
    if area < OUTLINES.hull * imgproc::contour_area_def(&hull)? {
        return Ok(None);
    }
    let around = imgproc::arc_length(&hull, true)?;
    for share in OUTLINES.distance {
        let mut corners = Vector::<Pixel>::new();
        imgproc::approx_poly_dp(&hull, &mut corners, share * around, true)?;
        if corners.len() != 4 {
            continue;
        }
        let mut points = [[0.0; 2]; 4];
        for (point, corner) in points.iter_mut().zip(&corners) {
            *point = [f64::from(corner.x), f64::from(corner.y)];
        }
        let mut quad = Quad(points);
        if quad.area() < 0.0 {
            quad.0.reverse();
        }
        if quad.is_tile_like() && longest(&quad) < OUTLINES.longest && area > OUTLINES.quad * quad.area() {
            return Ok(Some(quad));
        }
    }
    Ok(None)
}

/// The longest side beside the shortest.
fn longest(quad: &Quad) -> f64 {
    let sides: [f64; 4] = std::array::from_fn(|i| distance(quad.0[i], quad.0[(i + 1) % 4]));
    let (least, most) = sides.iter().fold((f64::MAX, 0.0_f64), |(a, b), s| (a.min(*s), b.max(*s)));
    most / least.max(1e-9)
}

/// Black and white pictures in which tiles may stand out: by how far colours
/// are from the table's, by brightness and colour, by edges.
fn masks(picture: &Mat, table: &OffTable, slopes: &Slopes) -> Result<Vec<Mat>, VisionError> {
    let mut out = Vec::new();
    let (mut lab, mut hsv) = (Mat::default(), Mat::default());
    imgproc::cvt_color_def(picture, &mut lab, imgproc::COLOR_RGB2Lab)?;
    imgproc::cvt_color_def(picture, &mut hsv, imgproc::COLOR_RGB2HSV)?;
    for share in TABLE.levels {
        let mut mask = Mat::default();
        let level = table.level * share;
        imgproc::threshold(&table.far, &mut mask, level, 255.0, imgproc::THRESH_BINARY)?;
        out.push(mask);
    }
    for (source, channel) in [(&lab, 0), (&lab, 1), (&lab, 2), (&hsv, 1)] {
        let mut plane = Mat::default();
        opencv::core::extract_channel(source, &mut plane, channel)?;
        for (otsu, near) in [
            (imgproc::THRESH_OTSU, imgproc::THRESH_BINARY),
            (imgproc::THRESH_OTSU | imgproc::THRESH_BINARY_INV, imgproc::THRESH_BINARY_INV),
        ] {
            let mut mask = Mat::default();
            imgproc::threshold(&plane, &mut mask, 0.0, 255.0, otsu)?;
            out.push(mask);
            let lift = if near == imgproc::THRESH_BINARY { -6.0 } else { 6.0 };
            let block = (picture.cols() / 8).max(3) | 1;
            let mut mask = Mat::default();
            let way = imgproc::ADAPTIVE_THRESH_MEAN_C;
            imgproc::adaptive_threshold(&plane, &mut mask, 255.0, way, near, block, lift)?;
            out.push(mask);
        }
    }
    let steep = slopes.steepness();
    let steep = Mat::new_rows_cols_with_data(picture.rows(), picture.cols(), &steep)?;
    for level in EDGES.levels {
        let (mut edges, mut bytes, mut mask) = (Mat::default(), Mat::default(), Mat::default());
        imgproc::threshold(&steep, &mut edges, level, 255.0, imgproc::THRESH_BINARY)?;
        edges.convert_to(&mut bytes, CV_8U, 1.0, 0.0)?;
        let kernel = imgproc::get_structuring_element_def(imgproc::MORPH_RECT, Size::new(3, 3))?;
        imgproc::dilate_def(&bytes, &mut mask, &kernel)?;
        out.push(mask);
    }
    Ok(out)
}

/// How far each colour is from those of the photo's rim, brightness counting
/// less because of shadows; 8 bits. Before that the colours, weighted alike.
fn off_the_table(lab: &Mat) -> Result<(Array2<[f32; 3]>, Mat), VisionError> {
    let (width, height) = (lab.cols() as usize, lab.rows() as usize);
    let mut soft = Mat::default();
    imgproc::gaussian_blur_def(lab, &mut soft, Size::new(0, 0), 1.2)?;
    let colours: Vec<[f32; 3]> = soft
        .data_bytes()?
        .chunks_exact(3)
        .map(|p| std::array::from_fn(|c| f32::from(p[c]) * TABLE.weights[c]))
        .collect();
    let rim = (height / 25).max(4);
    let on_rim = |i: usize| {
        let (x, y) = (i % width, i / width);
        x < rim || y < rim || x + rim >= width || y + rim >= height
    };
    let rim: Vec<[f32; 3]> =
        colours.iter().enumerate().filter(|(i, _)| on_rim(*i)).map(|(_, c)| *c).collect();
    let sample: Vec<f32> = rim.iter().step_by((rim.len() / 4000).max(1)).flatten().copied().collect();
    let sample = Mat::new_rows_cols_with_data(sample.len() as i32 / 3, 3, &sample)?;
    // Without a seed the colours would depend on what ran before.
    opencv::core::set_rng_seed(7)?;
    let (mut labels, mut centres) = (Mat::default(), Mat::default());
    let enough = TermCriteria { typ: 3, max_count: 20, epsilon: 0.5 };
    opencv::core::kmeans(&sample, TABLE.clusters, &mut labels, enough, 2, KMEANS_PP_CENTERS, &mut centres)?;
    let centres: Vec<[f32; 3]> =
        centres.data_typed::<f32>()?.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect();
    let far: Vec<u8> = colours
        .iter()
        .map(|c| {
            (3.0 * centres.iter().map(|t| squared(*c, *t)).fold(f32::MAX, f32::min).sqrt()).min(255.0) as u8
        })
        .collect();
    let far = Mat::new_rows_cols_with_data(height as i32, width as i32, &far)?.try_clone()?;
    Ok((Array2::from_shape_fn((height, width), |(y, x)| colours[y * width + x]), far))
}

/// A picture of one colour and a square on it, for tests.
#[cfg(test)]
pub(crate) fn square_on_a_table(size: (i32, i32), quad: &Quad) -> Result<Mat, VisionError> {
    let mut picture = Mat::new_rows_cols_with_default(
        size.1,
        size.0,
        opencv::core::CV_8UC3,
        Scalar::new(180.0, 150.0, 110.0, 0.0),
    )?;
    let corners: Vector<Pixel> =
        quad.0.iter().map(|p| Pixel::new(p[0].round() as i32, p[1].round() as i32)).collect();
    imgproc::fill_convex_poly_def(&mut picture, &corners, Scalar::new(40.0, 90.0, 60.0, 0.0))?;
    Ok(picture)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_on_a_table_is_a_candidate() {
        let quad = Quad([[100.0, 80.0], [190.0, 100.0], [170.0, 190.0], [80.0, 170.0]]);
        let picture = square_on_a_table((400, 300), &quad).unwrap();
        let slopes = Slopes::new(&picture).unwrap();
        let edge = slopes.edge_level();
        let table = OffTable::new(&picture).unwrap();
        let found = candidates(&picture, &table, &slopes, edge, 0.002).unwrap();
        let best = found.first().unwrap();
        assert!(best.support > 0.9, "{best:?}");
        assert!(found.iter().any(|c| (0..4).any(|k| c.quad.starting_at(k).corner_distance(&quad) < 3.0)));
        let beside = quad.shifted([150.0, 60.0]);
        assert!(slopes.support(&beside, edge).iter().all(|s| *s < 0.2));
        assert!(table.share(&quad).unwrap() > 0.95 && table.share(&beside).unwrap() < 0.05);
    }

    #[test]
    fn a_table_in_a_lamps_light_has_no_contrast_and_a_tile_on_it_has() {
        let quad = Quad([[180.0, 130.0], [210.0, 133.0], [207.0, 163.0], [177.0, 160.0]]);
        let mut picture = square_on_a_table((400, 300), &quad).unwrap();
        let rows = picture.rows();
        for (i, pixel) in picture.data_typed_mut::<opencv::core::Vec3b>().unwrap().iter_mut().enumerate() {
            let (x, y) = (i % 400, i / 400);
            let off = ((x as f32 - 200.0) / 90.0).powi(2) + ((y as f32 - rows as f32 / 2.0) / 90.0).powi(2);
            let light = 0.35 + 0.9 * (-off).exp();
            pixel.0 = pixel.0.map(|v| (f32::from(v) * light).min(255.0) as u8);
        }
        let table = OffTable::new(&picture).unwrap();
        let all = [true; 4];
        let beside = quad.shifted([-33.0, -3.0]);
        assert!(table.share(&beside).unwrap() > 0.8, "the lamp's spot is off the colours of the rim");
        let (tile, bare) = (
            table.contrast(&quad, all).unwrap(),
            table.contrast(&beside, [true, false, true, true]).unwrap(),
        );
        assert!(tile > 20.0 && bare < 6.0, "{tile}, {bare}");
        assert_eq!(table.contrast(&quad, [false; 4]), None);
    }
}
