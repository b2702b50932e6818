//! Pictures of the window that are kept, and held against what is drawn now.

use std::path::PathBuf;

use castellan::app::TableWindow;
use castellan::app::ui::{StartAdapter, StateAdapter, Theme};
use image::RgbImage;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use slint::ComponentHandle;

use super::{drawn, resize, settle};

/// The environment variable that has pictures kept anew instead of compared.
const KEEP: &str = "CASTELLAN_GOLDEN";
/// A kept colour has so many steps from dark to light: the files are a fifth as large.
const STEPS: u32 = 11;
/// Levels of 255 by which a kept colour may differ, a step and more: processors round differently.
const LEVELS: u8 = 40;
/// So many pixels of a kept picture may differ by more,
const PIXELS: usize = 12;
/// and this share of one that shows what was seen in photos: other processors find a corner a pixel
/// beside.
const SEEN: f32 = 0.02;

/// A way of showing the window: size in pixels, dark or light, language.
struct Way {
    name: &'static str,
    size: (u32, u32),
    dark: bool,
    language: &'static str,
}

const WAYS: [Way; 5] = [
    Way { name: "light", size: (1280, 800), dark: false, language: "English" },
    Way { name: "dark", size: (1280, 800), dark: true, language: "English" },
    Way { name: "big", size: (1920, 1080), dark: true, language: "English" },
    Way { name: "small", size: (800, 480), dark: false, language: "English" },
    Way { name: "german", size: (1280, 800), dark: false, language: "Deutsch" },
];

/// Draws what the window shows in five ways (light, dark, on a big screen, on a small one, in
/// German) and holds each against `golden/NAME-WAY.png`, half as large. With `CASTELLAN_GOLDEN=keep`
/// in the environment the pictures are kept instead; look at them before they are committed.
///
/// # Panics
/// Where a picture differs or none is kept; what is drawn now lies in the folder that is said.
pub fn looks(table: &TableWindow, name: &str) {
    hold(table, name, PIXELS);
}

/// The same of a page that shows what was seen in photos: it may differ a little.
///
/// # Panics
/// As [`looks`].
pub fn looks_alike(table: &TableWindow, name: &str) {
    let pixels = WAYS[0].size.0 * WAYS[0].size.1 / 4;
    hold(table, name, (SEEN * pixels as f32) as usize);
}

fn hold(table: &TableWindow, name: &str, pixels: usize) {
    let theme = table.window().global::<Theme>();
    let (dark, size) = (theme.get_dark(), table.window().window().size());
    let mut wrong = Vec::new();
    for way in &WAYS {
        theme.invoke_set_dark(way.dark);
        speak(table, way.language);
        resize(table, way.size.0, way.size.1);
        let name = format!("{name}-{}", way.name);
        if let Err(why) = compare(&name, &halved(table, &name), pixels) {
            wrong.push(why);
        }
    }
    theme.invoke_set_dark(dark);
    speak(table, "English");
    resize(table, size.width, size.height);
    settle();
    assert!(
        wrong.is_empty(),
        "{}\nlook at them; if that is how they should look, {KEEP}=keep keeps them (fonts-dejavu-core must be \
         the usual font)",
        wrong.join("\n")
    );
}

/// Has the window speak a language, by its own name.
fn speak(table: &TableWindow, language: &str) {
    table.window().global::<StartAdapter>().invoke_language_chosen(language.into());
}

/// The window as it is drawn now, half as large, in few colours: the mean of every four pixels.
fn halved(table: &TableWindow, name: &str) -> RgbImage {
    settle();
    // By the clock it may be a second more or less.
    table.window().global::<StateAdapter>().set_last_read(1);
    let whole = drawn(table, name);
    RgbImage::from_fn(whole.width() / 2, whole.height() / 2, |x, y| {
        let of = |channel: usize| {
            let sum: u32 = [(0, 0), (1, 0), (0, 1), (1, 1)]
                .iter()
                .map(|(dx, dy)| u32::from(whole.get_pixel(2 * x + dx, 2 * y + dy).0[channel]))
                .sum();
            ((sum / 4 * STEPS + 127) / 255 * 255 / STEPS) as u8
        };
        image::Rgb([of(0), of(1), of(2)])
    })
}

fn compare(name: &str, now: &RgbImage, pixels: usize) -> Result<(), String> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(format!("{name}.png"));
    if std::env::var(KEEP).is_ok_and(|v| v == "keep") {
        std::fs::create_dir_all(file.parent().expect("it lies in a folder")).expect("the folder can be made");
        let written = std::fs::File::create(&file).expect("the folder can be written");
        let encoder = PngEncoder::new_with_quality(written, CompressionType::Best, FilterType::NoFilter);
        now.write_with_encoder(encoder).expect("the file can be written");
        return Ok(());
    }
    let drawn = std::env::temp_dir().join("castellan-golden").join(format!("{name}.png"));
    let keep_now = || {
        std::fs::create_dir_all(drawn.parent().expect("it lies in a folder"))
            .expect("the folder can be made");
        now.save(&drawn).expect("the folder can be written");
    };
    let Ok(kept) = image::open(&file) else {
        keep_now();
        return Err(format!("{name}: no picture is kept; {} is how it looks", drawn.display()));
    };
    let kept = kept.to_rgb8();
    let differs =
        |(a, b): (&image::Rgb<u8>, &image::Rgb<u8>)| a.0.iter().zip(b.0).any(|(a, b)| a.abs_diff(b) > LEVELS);
    let off = match kept.dimensions() == now.dimensions() {
        true => kept.pixels().zip(now.pixels()).filter(|pair| differs(*pair)).count(),
        false => usize::MAX,
    };
    if off <= pixels {
        return Ok(());
    }
    keep_now();
    Err(format!("{name}: {off} pixels differ; {} is how it looks now", drawn.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_picture_is_told() {
        let kept = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/start-light.png");
        let mut now = image::open(kept).expect("it is kept").to_rgb8();
        compare("start-light", &now, PIXELS).expect("it is the same");
        for x in 0..=PIXELS as u32 {
            let pixel = now.get_pixel_mut(100 + x, 100);
            pixel.0 = pixel.0.map(|v| v.wrapping_add(128));
        }
        let why = compare("start-light", &now, PIXELS).expect_err("it is another");
        assert!(why.starts_with("start-light: 13 pixels differ"), "{why}");
        assert!(compare("no-such-view", &now, PIXELS).is_err());
    }
}
