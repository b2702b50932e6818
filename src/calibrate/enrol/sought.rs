//! Seeks a tile where something lies on the table whose outline is not closed, as a side
//! of it has the table's colours.

use super::tile_plane::{Frame, TilePlane};
use crate::vision::base::geometry::{Point, Quad};
use crate::vision::base::quads::Slopes;

/// Least share of the places of each side of a square that lie on an edge: tiles have all,
/// other things half.
const OUTLINED: f64 = 0.75;

/// Places and turns that are tried round the best so far: steps to each side, and their
/// lengths in tile sides and degrees.
struct Round {
    reach: i32,
    step: f64,
    turns: i32,
    degrees: f64,
}

const ROUNDS: [Round; 4] = [
    Round { reach: 6, step: 0.08, turns: 9, degrees: 5.0 },
    Round { reach: 1, step: 0.04, turns: 1, degrees: 2.5 },
    Round { reach: 1, step: 0.02, turns: 1, degrees: 1.25 },
    Round { reach: 1, step: 0.01, turns: 1, degrees: 0.6 },
];

/// The tile near a place of the frame that lies in the plane of the others, in pixels: the
/// square along whose four sides an edge runs best, if one runs along each.
pub(super) fn square(
    near: Point,
    plane: &TilePlane,
    frame: &Frame,
    slopes: &Slopes,
    edge: f32,
) -> Option<Quad> {
    let on_table = plane.map();
    let view = on_table.inverse()?;
    let [x, y] = on_table.apply(near);
    let at = |[x, y, turn]: [f64; 3]| {
        let (s, c) = turn.to_radians().sin_cos();
        let corner = |[u, v]: Point| [x + c * u - s * v, y + s * u + c * v];
        frame.seen(&Quad([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(corner)).through(&view))
    };
    let value = |place: [f64; 3]| {
        let sides = slopes.support(&at(place), edge);
        sides.iter().sum::<f64>() / 4.0 + sides.into_iter().fold(1.0, f64::min)
    };
    let mut best = ([x, y, 0.0], f64::MIN);
    for Round { reach, step, turns, degrees } in ROUNDS {
        let [x, y, turn] = best.0;
        let steps = |reach: i32| (-reach..=reach).map(f64::from);
        for (i, j) in steps(reach).flat_map(|i| steps(reach).map(move |j| (i, j))) {
            for k in steps(turns) {
                let place = [x + i * step, y + j * step, turn + k * degrees];
                let value = value(place);
                if value > best.1 {
                    best = (place, value);
                }
            }
        }
    }
    let found = at(best.0);
    (slopes.support(&found, edge).into_iter().fold(1.0, f64::min) > OUTLINED).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vision::base::quads::square_on_a_table;

    #[test]
    fn a_tile_is_sought_where_something_is_left() {
        let tile = Quad([[170.0, 110.0], [260.0, 140.0], [230.0, 230.0], [140.0, 200.0]]);
        let slopes = Slopes::new(&square_on_a_table((400, 300), &tile).unwrap()).unwrap();
        let frame = Frame::of(400, 300);
        let plane = TilePlane::of_quad(&Quad(tile.0.map(|p| frame.place(p))));
        let seek = |p: Point| square(frame.place(p), &plane, &frame, &slopes, 20.0);
        let found = seek([215.0, 160.0]).unwrap();
        let off = (0..4).map(|k| found.starting_at(k).corner_distance(&tile)).fold(f64::MAX, f64::min);
        assert!(off < 4.0, "{found:?} should be {tile:?}");
        assert_eq!(seek([60.0, 250.0]), None);
    }
}
