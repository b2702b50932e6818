//! What fuzzing has found worth keeping of pictures, videos and what belongs to
//! them, and good ones spoilt at random.
#![cfg(all(feature = "studio", feature = "vision"))]

#[path = "../../fuzz/pictures.rs"]
mod targets;

use std::io::Cursor;
use std::path::Path;

use castellan::library;
use castellan::studio::{Style, draw_wall};
use image::{ImageFormat, RgbImage};
use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

type Target = fn(&[u8]);

fn packed(picture: &RgbImage, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Every target, with its name and something good for it.
fn good() -> Vec<(Target, &'static str, Vec<u8>)> {
    let picture = RgbImage::from_fn(24, 17, |x, y| image::Rgb([(x * 9) as u8, (y * 13) as u8, 80]));
    let (wall, mut deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
    deck.tiles.truncate(2);
    let origin = draw_wall(&wall, &Style::house(), 16).origin_px;
    let scale = format!("{{\"px_per_tile\":16.0,\"origin_px\":[{},{}]}}", origin.0, origin.1);
    let truth = r#"{"seed":1,"size":[640,480],"camera":{"size":[640,480],"target":[4.0,4.0],"distance":20.0,
        "elevation":70.0,"azimuth":5.0,"roll":0.0,"focal":0.72,"k1":0.0,"k2":0.0},"tile_thickness":0.04,
        "colours":[[1,2,3],[4,5,6]],"cells":[{"cell":[1,2],"corners":[[0.0,0.0],[9.0,0.0],[9.0,9.0],[0.0,9.0]],
        "covered":0.0,"inside":1.0,"tile":{"id":"h01","rotation":1,"corners":[[0.0,0.0],[9.0,0.0],[9.0,9.0],[0.0,9.0]]},
        "figures":[]}],"wall":null,"markers":[],"hand":false}"#;
    let box_of = |name: &[u8], body: &[u8]| {
        let mut bytes = (body.len() as u32 + 8).to_be_bytes().to_vec();
        bytes.extend_from_slice(name);
        bytes.extend_from_slice(body);
        bytes
    };
    let mp4 =
        [box_of(b"ftyp", b"isom\0\0\0\0"), box_of(b"moov", &[0; 24]), box_of(b"mdat", &[1; 40])].concat();
    let ebml =
        b"\x1a\x45\xdf\xa3\x84\x42\x86\x81\x01\x18\x53\x80\x67\x88\x1f\x43\xb6\x75\x83\xe7\x81\x00".to_vec();
    let avi = [b"RIFF".as_slice(), &24_u32.to_le_bytes(), b"AVI LIST\x04\0\0\0movi", &[0; 4]].concat();
    vec![
        (targets::pictures, "pictures", packed(&picture, ImageFormat::Jpeg)),
        (targets::pictures, "pictures", packed(&picture, ImageFormat::Png)),
        (targets::video, "video", mp4),
        (targets::video, "video", ebml),
        (targets::video, "video", avi),
        (targets::finder, "finder", format!("{}\n---\n{scale}", wall.to_toml()).into_bytes()),
        (targets::truth, "truth", truth.as_bytes().to_vec()),
        (targets::printing, "printing", format!("{}\n---\n{}", deck.to_toml(), wall.to_toml()).into_bytes()),
    ]
}

/// With `CASTELLAN_CORPUS=1` what is good is put beside the cases, to begin from.
#[test]
fn the_corpus_is_read() {
    for (i, (target, name, bytes)) in good().into_iter().enumerate() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        if std::env::var_os("CASTELLAN_CORPUS").is_some() {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join(format!("good-{i}")), &bytes).unwrap();
        }
        target(&bytes);
        let cases: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().collect();
        assert!(!cases.is_empty(), "{name} has no cases");
        cases.iter().for_each(|case| target(&std::fs::read(case.path()).unwrap()));
    }
}

#[test]
fn spoilt_files_break_nothing() {
    let mut rng = Pcg64Mcg::seed_from_u64(1517);
    for (target, name, good) in good() {
        // A wall is made ready to be found, and a page drawn, in a tenth of a second.
        let rounds = if ["finder", "printing"].contains(&name) { 20 } else { 300 };
        for _ in 0..rounds {
            let mut bytes = good.clone();
            for _ in 0..rng.random_range(1..4) {
                let at = rng.random_range(0..bytes.len());
                match rng.random_range(0..3) {
                    0 => bytes[at] = rng.random(),
                    1 => bytes[at] ^= 1 << rng.random_range(0..8),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            target(&bytes);
        }
    }
}
