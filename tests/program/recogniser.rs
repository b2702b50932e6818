//! The matchers on made-up pictures: what each must do whatever it has learned.

#![cfg(feature = "vision")]

use castellan::vision::VisionError;
use castellan::vision::base::crop::{CELL_PX, CROP_PX, MARGIN_PX};
use castellan::vision::tiles::recogniser::{
    Comparison, HogMatcher, LocalFeatureMatcher, Matcher, NccMatcher, OnnxMatcher,
};
use image::{Rgb, RgbImage, imageops};

const TILES: u32 = 6;

/// A picture of coloured discs, the same for a seed.
fn tile(seed: u32) -> RgbImage {
    let mut state = u64::from(seed) * 0x9e37_79b9 + 12345;
    let mut dice = move |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % below
    };
    let mut picture = RgbImage::from_pixel(CELL_PX, CELL_PX, Rgb([120, 150, 90]));
    for _ in 0..14 {
        let (x, y, r) = (dice(CELL_PX) as f32, dice(CELL_PX) as f32, 3.0 + dice(9) as f32);
        let colour = Rgb([dice(256) as u8, dice(256) as u8, dice(256) as u8]);
        disc(&mut picture, x, y, r, colour);
    }
    picture
}

fn disc(picture: &mut RgbImage, x: f32, y: f32, radius: f32, colour: Rgb<u8>) {
    for (px, py, pixel) in picture.enumerate_pixels_mut() {
        if (px as f32 - x).hypot(py as f32 - y) < radius {
            *pixel = colour;
        }
    }
}

/// A tile on a grey table, `right` and `down` pixels off its cell's middle.
fn laid(tile: &RgbImage, right: i64, down: i64) -> RgbImage {
    let mut crop = RgbImage::from_pixel(CROP_PX, CROP_PX, Rgb([128, 126, 122]));
    imageops::replace(&mut crop, tile, i64::from(MARGIN_PX) + right, i64::from(MARGIN_PX) + down);
    crop
}

fn turned(picture: &RgbImage, quarter_turns: usize) -> RgbImage {
    match quarter_turns {
        0 => picture.clone(),
        1 => imageops::rotate90(picture),
        2 => imageops::rotate180(picture),
        _ => imageops::rotate270(picture),
    }
}

fn matchers() -> Vec<Box<dyn Matcher>> {
    vec![
        Box::new(OnnxMatcher::built_in().unwrap()),
        Box::new(HogMatcher),
        Box::new(NccMatcher),
        Box::new(LocalFeatureMatcher),
    ]
}

#[test]
fn every_matcher_names_tile_and_rotation() {
    let references: Vec<RgbImage> = (0..TILES).map(tile).collect();
    let mut crops = Vec::new();
    let mut truth = Vec::new();
    for (i, reference) in references.iter().enumerate() {
        for turns in 0..4 {
            crops.push(laid(&turned(reference, turns), 2, -3));
            truth.push((i, turns as u8));
        }
    }
    for matcher in matchers() {
        let answers = matcher.enrol(&references).unwrap().compare(&crops).unwrap();
        let named: Vec<(usize, u8)> = answers.iter().filter_map(Comparison::best).collect();
        assert_eq!(named, truth, "{}", matcher.name());
        assert!(answers.iter().all(|a| a.scores.len() == references.len()));
    }
}

#[test]
fn the_pose_says_where_the_tile_lies() {
    let references = [tile(1), tile(2)];
    for matcher in matchers() {
        let gallery = matcher.enrol(&references).unwrap();
        for (right, down) in [(0, 0), (6, 0), (0, 6), (-6, 5)] {
            let answer = gallery.compare(&[laid(&references[1], right, down)]).unwrap().remove(0);
            let Some(&(x, y)) = answer.shift.get(1) else { continue };
            let side = CELL_PX as f32;
            let off = (x - right as f32 / side).hypot(y - down as f32 / side);
            assert!(off < 0.06, "{}: {right}, {down} read as {x}, {y}", matcher.name());
        }
    }
}

#[test]
fn twins_are_told_apart_by_the_one_thing_that_differs_though_a_hand_hides_a_quarter() {
    let plain = tile(3);
    let mut marked = plain.clone();
    disc(&mut marked, 46.0, 18.0, 6.0, Rgb([240, 240, 250]));
    disc(&mut marked, 46.0, 18.0, 3.0, Rgb([20, 40, 160]));
    let references = [plain.clone(), marked.clone(), tile(4)];
    for matcher in [Box::new(OnnxMatcher::built_in().unwrap()) as Box<dyn Matcher>, Box::new(HogMatcher)] {
        let gallery = matcher.enrol(&references).unwrap();
        for (truth, picture) in [(0, &plain), (1, &marked)] {
            let mut crop = laid(picture, 1, 1);
            for y in CROP_PX * 3 / 4..CROP_PX {
                for x in 0..CROP_PX {
                    crop.put_pixel(x, y, Rgb([200, 160, 130]));
                }
            }
            let answer = gallery.compare(&[crop]).unwrap().remove(0);
            assert_eq!(answer.best(), Some((truth, 0)), "{}", matcher.name());
        }
    }
}

#[test]
fn the_network_tells_a_bare_table_from_a_tile() {
    let gallery = OnnxMatcher::built_in().unwrap().enrol(&[tile(1)]).unwrap();
    let bare = RgbImage::from_fn(CROP_PX, CROP_PX, |x, _| {
        let v = 120 + (x % 7) as u8;
        Rgb([v, v - 20, v - 50])
    });
    let answers = gallery.compare(&[bare, laid(&tile(1), 0, 0)]).unwrap();
    assert!(answers[0].occupied < answers[1].occupied);
    assert!(answers.iter().all(|a| (0.0..=1.0).contains(&a.occupied) && (0.0..=1.0).contains(&a.covered)));
}

#[test]
fn a_crop_of_another_size_is_refused() {
    for matcher in matchers() {
        let gallery = matcher.enrol(&[tile(1)]).unwrap();
        let error = gallery.compare(&[RgbImage::new(CELL_PX, CELL_PX)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the recogniser failed: a crop has 64 x 64 px, cut it to 80 x 80",
            "{}",
            matcher.name()
        );
    }
}

#[test]
fn no_references_and_no_crops_are_no_trouble() {
    for matcher in matchers() {
        let none = matcher.enrol(&[]).unwrap();
        assert!(none.compare(&[laid(&tile(1), 0, 0)]).unwrap()[0].scores.is_empty());
        assert!(matcher.enrol(&[tile(1)]).unwrap().compare(&[]).unwrap().is_empty());
    }
}

#[test]
fn a_model_that_is_none_is_refused_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.onnx");
    let error = OnnxMatcher::from_path(&missing).err().unwrap();
    assert!(matches!(error, VisionError::Model(..)));
    assert!(error.to_string().ends_with("missing.onnx"), "{error}");

    let picture = folder.path().join("picture.onnx");
    tile(1).save_with_format(&picture, image::ImageFormat::Png).unwrap();
    let error = OnnxMatcher::from_path(&picture).err().unwrap();
    assert!(error.to_string().contains("it is not an ONNX file of a recogniser"), "{error}");

    let whole = include_bytes!("../../models/recogniser/model.onnx");
    let cut_short = folder.path().join("short.onnx");
    std::fs::write(&cut_short, &whole[..whole.len() / 2]).unwrap();
    assert!(OnnxMatcher::from_path(&cut_short).is_err());

    let good = folder.path().join("good.onnx");
    std::fs::write(&good, whole).unwrap();
    assert!(OnnxMatcher::from_path(&good).is_ok());
}
