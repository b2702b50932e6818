//! Digits as pen strokes.

use tiny_skia::{Path, PathBuilder};

/// The width of a digit, where its height is 1.
const WIDTH: f32 = 0.56;
/// The gap between two digits, where their height is 1.
const GAP: f32 = 0.2;

/// The pen path of a number centred on a place; `height` is the height of a
/// digit. To be stroked with a width of about a seventh of the height.
pub(super) fn number(value: u32, x: f32, y: f32, height: f32) -> Option<Path> {
    let text = value.to_string();
    let width = text.len() as f32 * (WIDTH + GAP) - GAP;
    let mut builder = PathBuilder::new();
    for (i, digit) in text.bytes().enumerate() {
        let left = x + height * (i as f32 * (WIDTH + GAP) - width / 2.0);
        let top = y - height / 2.0;
        digit_strokes(&mut builder, digit, |u, v| (left + u * WIDTH * height, top + v * height));
    }
    builder.finish()
}

/// One digit in the unit square.
fn digit_strokes(path: &mut PathBuilder, digit: u8, at: impl Fn(f32, f32) -> (f32, f32)) {
    // Each stroke: a start, then cubic curves (two handles and an end).
    type Curve = [(f32, f32); 3];
    fn straight(from: (f32, f32), to: (f32, f32)) -> Curve {
        [from, to, to]
    }
    let round = |cx: f32, cy: f32, rx: f32, ry: f32| -> ((f32, f32), Vec<Curve>) {
        let k = 0.552;
        (
            (cx, cy - ry),
            vec![
                [(cx + k * rx, cy - ry), (cx + rx, cy - k * ry), (cx + rx, cy)],
                [(cx + rx, cy + k * ry), (cx + k * rx, cy + ry), (cx, cy + ry)],
                [(cx - k * rx, cy + ry), (cx - rx, cy + k * ry), (cx - rx, cy)],
                [(cx - rx, cy - k * ry), (cx - k * rx, cy - ry), (cx, cy - ry)],
            ],
        )
    };
    let strokes: Vec<((f32, f32), Vec<Curve>)> = match digit {
        b'0' => vec![round(0.5, 0.5, 0.5, 0.5)],
        b'1' => vec![(
            (0.15, 0.25),
            vec![straight((0.15, 0.25), (0.55, 0.0)), straight((0.55, 0.0), (0.55, 1.0))],
        )],
        b'2' => vec![(
            (0.02, 0.28),
            vec![
                [(0.02, -0.1), (0.98, -0.1), (0.98, 0.28)],
                [(0.98, 0.52), (0.4, 0.66), (0.0, 1.0)],
                straight((0.0, 1.0), (1.0, 1.0)),
            ],
        )],
        b'3' => vec![(
            (0.05, 0.0),
            vec![
                straight((0.05, 0.0), (0.92, 0.0)),
                straight((0.92, 0.0), (0.42, 0.4)),
                [(1.15, 0.36), (1.15, 1.0), (0.45, 1.0)],
                [(0.25, 1.0), (0.08, 0.94), (0.0, 0.8)],
            ],
        )],
        b'4' => vec![(
            (0.7, 1.0),
            vec![
                straight((0.7, 1.0), (0.7, 0.0)),
                straight((0.7, 0.0), (0.0, 0.7)),
                straight((0.0, 0.7), (1.0, 0.7)),
            ],
        )],
        b'5' => vec![(
            (0.92, 0.0),
            vec![
                straight((0.92, 0.0), (0.16, 0.0)),
                straight((0.16, 0.0), (0.08, 0.45)),
                [(0.3, 0.3), (1.0, 0.3), (1.0, 0.68)],
                [(1.0, 1.1), (0.2, 1.1), (0.0, 0.82)],
            ],
        )],
        b'6' => vec![((0.8, 0.0), vec![[(0.4, 0.12), (0.0, 0.4), (0.0, 0.7)]]), round(0.5, 0.7, 0.5, 0.3)],
        b'7' => vec![((0.0, 0.0), vec![straight((0.0, 0.0), (1.0, 0.0)), straight((1.0, 0.0), (0.35, 1.0))])],
        b'8' => vec![round(0.5, 0.24, 0.4, 0.24), round(0.5, 0.74, 0.5, 0.26)],
        _ => vec![round(0.5, 0.3, 0.5, 0.3), ((1.0, 0.3), vec![[(1.0, 0.6), (0.6, 0.88), (0.2, 1.0)]])],
    };
    for (start, curves) in strokes {
        let (x, y) = at(start.0, start.1);
        path.move_to(x, y);
        for [a, b, c] in curves {
            let ((ax, ay), (bx, by), (cx, cy)) = (at(a.0, a.1), at(b.0, b.1), at(c.0, c.1));
            path.cubic_to(ax, ay, bx, by, cx, cy);
        }
    }
}
