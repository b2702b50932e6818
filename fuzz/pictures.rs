//! One function for every reader of pictures, videos and what belongs to them:
//! whatever the bytes, it must not panic, nor reach a native library with numbers
//! that it can't bear. The fuzz targets and a test call them.

#![allow(dead_code, reason = "every fuzz target calls one of them")]

use std::io::Cursor;
use std::sync::OnceLock;

use castellan::picture::{self, Limits};
use castellan::print::{Contents, Paper, printed_set};
use castellan::rules::{Deck, Wall};
use castellan::studio::{Style, Truth, draw_wall};
use castellan::vision::wall::registration::WallFinder;
use castellan::vision::{SurveyedWall, WallScale};

/// Small enough that a picture at the limit is decoded in a moment.
const LIMITS: Limits = Limits { bytes: 1 << 20, least_side: 16, most_side: 2048, most_pixels: 1 << 20 };

/// Where one text ends and the next begins.
const SEAM: &str = "\n---\n";

/// The head and the body of a JPEG or PNG file.
pub fn pictures(data: &[u8]) {
    if let Ok(size) = picture::size(data, &LIMITS) {
        assert!(u64::from(size.0) * u64::from(size.1) <= LIMITS.most_pixels);
    }
    if let Ok(picture) = picture::decode(data, &LIMITS) {
        assert!(picture.width().min(picture.height()) >= LIMITS.least_side);
    }
}

/// The boxes and elements of a video file.
pub fn video(data: &[u8]) {
    let _ = castellan::capture::ending(Cursor::new(data), data.len() as u64);
}

/// A wall's file and the scale of its picture, up to what finds it in a photo.
pub fn finder(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (wall, scale) = text.split_once(SEAM).unwrap_or((&text, ""));
    let Ok(wall) = Wall::from_toml(wall) else { return };
    let picture = wall_picture();
    if let Ok(survey) = SurveyedWall::from_files(&wall, picture, scale) {
        let _ = WallFinder::new(&survey);
    }
    if let Ok(scale) = WallScale::from_json(scale)
        && scale.check(&wall, (640, 640)).is_ok()
    {
        assert!(scale.px_per_tile.is_finite() && scale.origin_px.0.is_finite());
    }
}

/// The house wall, drawn small.
fn wall_picture() -> &'static [u8] {
    static PICTURE: OnceLock<Vec<u8>> = OnceLock::new();
    PICTURE.get_or_init(|| {
        let wall = castellan::library::wall("house").expect("the house wall is built in");
        let mut png = Cursor::new(Vec::new());
        let drawn = draw_wall(&wall, &Style::house(), 16).image;
        drawn.write_to(&mut png, image::ImageFormat::Png).expect("a picture can be packed");
        png.into_inner()
    })
}

/// The truth beside a photo.
pub fn truth(data: &[u8]) {
    let Ok(truth) = Truth::from_json(&String::from_utf8_lossy(data)) else { return };
    for cell in &truth.cells {
        truth.camera.project((f32::from(cell.cell.col), f32::from(cell.cell.row), 0.0));
    }
    let written = serde_json::to_string(&truth).expect("a truth can be written");
    assert!(Truth::from_json(&written).is_ok());
}

/// A deck and a wall on paper.
pub fn printing(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (deck, wall) = text.split_once(SEAM).unwrap_or((&text, ""));
    let Ok(mut deck) = Deck::from_toml(deck) else { return };
    let wall = Wall::from_toml(wall).or_else(|_| castellan::library::wall("house")).expect("one of them");
    // A page shows as much as fifty do.
    deck.tiles.truncate(3);
    deck.tiles.iter_mut().for_each(|t| t.count = t.count.min(2));
    for wall in [Some(&wall), None] {
        let contents = Contents { deck: &deck, left_out: 0, wall };
        if let Ok(pdf) = printed_set(&contents, &Style::house(), Paper::A4, 36) {
            assert!(pdf.starts_with(b"%PDF-"));
        }
    }
}
