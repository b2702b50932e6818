//! Texts as codes that a phone's camera reads.

use qrcode::{EcLevel, QrCode};
use slint::{Image, Rgb8Pixel, SharedPixelBuffer};

/// A text as a code that phones scan (ISO/IEC 18004), a pixel a module with the white border that
/// it must have; nothing where it is too long for one.
pub fn code(text: &str) -> Image {
    const BORDER: usize = 4;
    let Ok(code) = QrCode::with_error_correction_level(text, EcLevel::L) else { return Image::default() };
    let (side, modules) = (code.width(), code.to_colors());
    let wide = side + 2 * BORDER;
    let mut pixels = SharedPixelBuffer::<Rgb8Pixel>::new(wide as u32, wide as u32);
    for (i, pixel) in pixels.make_mut_slice().iter_mut().enumerate() {
        let at = |v: usize| v.checked_sub(BORDER).filter(|v| *v < side);
        let module = at(i % wide).zip(at(i / wide)).and_then(|(x, y)| modules.get(y * side + x));
        let grey = if module == Some(&qrcode::Color::Dark) { 0 } else { 255 };
        *pixel = Rgb8Pixel { r: grey, g: grey, b: grey };
    }
    Image::from_rgb8(pixels)
}
