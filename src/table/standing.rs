//! On which segment of a tile a figure stands.

use crate::rules::{FaceMap, Rotation};

/// The place on the upright tile of a place on the tile as it lies; x right, y
/// down, 0 to 1.
pub(super) fn upright(x: f32, y: f32, rotation: Rotation) -> (f32, f32) {
    (0..rotation.quarters()).fold((x, y), |(x, y), _| (y, 1.0 - x))
}

/// The place as the tile lies of a place on the upright tile.
pub(super) fn as_it_lies(x: f32, y: f32, rotation: Rotation) -> (f32, f32) {
    (0..rotation.quarters()).fold((x, y), |(x, y), _| (1.0 - y, x))
}

/// Where a follower stands on each segment of a tile.
pub(super) fn anchors(layout: &FaceMap) -> Vec<(f32, f32)> {
    (0..layout.segments()).map(|segment| layout.anchor(segment)).collect()
}

/// How far a place is from each segment of a tile as it lies, nearest first:
/// segments and distances in tile sides.
pub(super) fn nearest_segments(map: &FaceMap, rotation: Rotation, x: f32, y: f32) -> Vec<(u8, f32)> {
    let (x, y) = upright(x, y, rotation);
    let mut distances = vec![f32::INFINITY; map.segments()];
    let centre = |i: usize| (i as f32 + 0.5) / FaceMap::SIZE as f32;
    for row in 0..FaceMap::SIZE {
        for col in 0..FaceMap::SIZE {
            let (px, py) = (centre(col), centre(row));
            if let Some(distance) = map.segment_at(px, py).and_then(|s| distances.get_mut(s)) {
                *distance = distance.min((px - x).hypot(py - y));
            }
        }
    }
    // Within a grid place of the figure's own, the distance is the grid's.
    let own = map.segment_at(x.clamp(0.0, 0.999), y.clamp(0.0, 0.999));
    if let Some(distance) = own.and_then(|s| distances.get_mut(s)) {
        *distance = 0.0;
    }
    let mut order: Vec<(u8, f32)> = distances.into_iter().enumerate().map(|(i, d)| (i as u8, d)).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Face;

    #[test]
    fn a_figure_on_an_anchor_is_read_back_in_every_rotation() {
        let face: Face =
            "tower n-el-wr; path e-s +fountain; court er-sl +market; court sr-wl".parse().unwrap();
        let map = FaceMap::new(&face);
        for rotation in Rotation::ALL {
            for segment in 0..face.segments().len() {
                let (x, y) = map.anchor(segment);
                let (sx, sy) = as_it_lies(x, y, rotation);
                let (bx, by) = upright(sx, sy, rotation);
                assert!((bx - x).abs() < 1e-6 && (by - y).abs() < 1e-6);
                assert_eq!(nearest_segments(&map, rotation, sx, sy)[0], (segment as u8, 0.0));
            }
        }
    }

    #[test]
    fn a_quarter_turn_brings_the_north_to_the_east() {
        let face: Face = "tower n; court e-s-w".parse().unwrap();
        let nearest = nearest_segments(&FaceMap::new(&face), Rotation::new(1), 0.9, 0.5);
        assert_eq!(nearest[0].0, 0);
        assert!(nearest[1].1 > 0.05);
    }
}
