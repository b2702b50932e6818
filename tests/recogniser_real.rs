//! Reads photographs of real tiles with the shipped recogniser and with the
//! baselines. The photographs are not ours to give: without them the tests say
//! that they were skipped.

#![cfg(feature = "vision")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use castellan::vision::recogniser::{CELL_PX, CROP_PX, HogMatcher, Matcher, OnnxMatcher};
use image::{Rgb, RgbImage, imageops};
use serde::Deserialize;

#[derive(Deserialize)]
struct Board {
    tiles: Vec<BoardTile>,
}

#[derive(Deserialize)]
struct BoardTile {
    r#type: String,
    edges: String,
    corners_px: [[f64; 2]; 4],
}

#[derive(Deserialize)]
struct Scan {
    r#type: String,
    #[serde(rename = "edges_NESW")]
    sides: String,
}

#[derive(Deserialize)]
struct SingleTile {
    r#type: String,
    #[serde(rename = "edges_NESW")]
    sides: String,
    corners_px: Option<[[f64; 2]; 4]>,
}

struct Seen {
    crop: RgbImage,
    kind: String,
    edges: String,
}

struct Reference {
    picture: RgbImage,
    kind: String,
    edges: String,
}

fn photos() -> Option<PathBuf> {
    let shared = std::env::var_os("CASTELLAN_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"));
    let photos = shared.join("photos");
    if photos.is_dir() {
        Some(photos)
    } else {
        println!("skipped: ../shared is not there");
        None
    }
}

fn json<T: for<'a> Deserialize<'a>>(path: &Path) -> T {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn picture(path: &Path) -> RgbImage {
    image::open(path).unwrap().to_rgb8()
}

/// Cuts a crop out of a photograph by the tile's corners (NW, NE, SE, SW).
fn cut(photo: &RgbImage, corners: [[f64; 2]; 4]) -> RgbImage {
    let [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = corners;
    let (dx1, dx2, dx3) = (x1 - x2, x3 - x2, x0 - x1 + x2 - x3);
    let (dy1, dy2, dy3) = (y1 - y2, y3 - y2, y0 - y1 + y2 - y3);
    let det = dx1 * dy2 - dx2 * dy1;
    let g = (dx3 * dy2 - dx2 * dy3) / det;
    let h = (dx1 * dy3 - dx3 * dy1) / det;
    let (a, b) = (x1 - x0 + g * x1, x3 - x0 + h * x3);
    let (d, e) = (y1 - y0 + g * y1, y3 - y0 + h * y3);
    let fine = ((x1 - x0).hypot(y1 - y0) / f64::from(CELL_PX)).ceil().max(1.0) as u32;
    let margin = f64::from(CROP_PX - CELL_PX) / 2.0;
    RgbImage::from_fn(CROP_PX, CROP_PX, |px, py| {
        let mut sum = [0.0; 3];
        for i in 0..fine * fine {
            let inside = |p: u32, s: u32| {
                (f64::from(p) + (f64::from(s) + 0.5) / f64::from(fine) - margin) / f64::from(CELL_PX)
            };
            let (u, v) = (inside(px, i % fine), inside(py, i / fine));
            let w = g * u + h * v + 1.0;
            let x = ((a * u + b * v + x0) / w).clamp(0.0, f64::from(photo.width() - 1)) as f32;
            let y = ((d * u + e * v + y0) / w).clamp(0.0, f64::from(photo.height() - 1)) as f32;
            if let Some(p) = imageops::interpolate_bilinear(photo, x, y) {
                (0..3).for_each(|c| sum[c] += f64::from(p.0[c]));
            }
        }
        Rgb(sum.map(|s| (s / f64::from(fine * fine)).round() as u8))
    })
}

fn board(photos: &Path) -> (Vec<Seen>, Vec<Reference>) {
    let photo = picture(&photos.join("board/board.jpg"));
    let truth: Board = json(&photos.join("board/truth.json"));
    let seen = truth
        .tiles
        .into_iter()
        .map(|t| Seen { crop: cut(&photo, t.corners_px), kind: t.r#type, edges: t.edges })
        .collect();
    let scans: BTreeMap<String, Scan> = json(&photos.join("board/scans.json"));
    let references = scans
        .into_iter()
        .map(|(id, s)| Reference {
            picture: small(&picture(&photos.join(format!("board/scans/{id}.jpg")))),
            kind: s.r#type,
            edges: s.sides,
        })
        .collect();
    (seen, references)
}

fn single_tiles(photos: &Path) -> (Vec<Seen>, Vec<Reference>) {
    let truth: BTreeMap<String, SingleTile> = json(&photos.join("tiles/truth.json"));
    let seen = truth
        .into_iter()
        .map(|(file, t)| {
            let photo = picture(&photos.join("tiles").join(file));
            let (w, h) = (f64::from(photo.width()), f64::from(photo.height()));
            let corners = t.corners_px.unwrap_or([[0.0, 0.0], [w, 0.0], [w, h], [0.0, h]]);
            Seen { crop: cut(&photo, corners), kind: t.r#type, edges: t.sides }
        })
        .collect();
    let edges: BTreeMap<String, String> = json(&photos.join("tiles/references.json"));
    let references = edges
        .into_iter()
        .map(|(kind, edges)| Reference {
            picture: small(&picture(&photos.join(format!("tiles/references/{kind}.jpg")))),
            kind,
            edges,
        })
        .collect();
    (seen, references)
}

fn small(reference: &RgbImage) -> RgbImage {
    imageops::resize(reference, CELL_PX, CELL_PX, imageops::FilterType::Triangle)
}

fn turned(edges: &str, quarter_turns: usize) -> String {
    let (front, back) = edges.split_at(4 - quarter_turns);
    format!("{back}{front}")
}

/// How many crops get the right type and edges.
fn right(matcher: &dyn Matcher, seen: &[Seen], references: &[Reference]) -> usize {
    let pictures: Vec<RgbImage> = references.iter().map(|r| r.picture.clone()).collect();
    let crops: Vec<RgbImage> = seen.iter().map(|s| s.crop.clone()).collect();
    let gallery = matcher.enrol(&pictures).unwrap();
    let answers = gallery.compare(&crops).unwrap();
    let right = answers
        .iter()
        .zip(seen)
        .filter(|(answer, seen)| {
            let all = answer.scores.iter().enumerate();
            let (_, tile, turns) = all
                .flat_map(|(tile, turns)| turns.iter().enumerate().map(move |(t, s)| (*s, tile, t)))
                .max_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap();
            let reference = &references[tile];
            reference.kind == seen.kind && turned(&reference.edges, turns) == seen.edges
        })
        .count();
    println!("{:>14}: {right} of {}", matcher.name(), seen.len());
    right
}

#[test]
fn names_a_whole_board_of_real_tiles() {
    let Some(photos) = photos() else { return };
    let (seen, references) = board(&photos);
    assert_eq!((seen.len(), references.len()), (72, 72));
    assert!(right(&OnnxMatcher::built_in().unwrap(), &seen, &references) >= 70);
    assert!(right(&HogMatcher, &seen, &references) >= 69);
}

#[test]
fn names_real_tiles_of_an_older_edition() {
    let Some(photos) = photos() else { return };
    let (seen, references) = single_tiles(&photos);
    assert_eq!((seen.len(), references.len()), (16, 24));
    assert!(right(&OnnxMatcher::built_in().unwrap(), &seen, &references) >= 14);
    right(&HogMatcher, &seen, &references);
}
