//! Colours as the eye tells them apart, and the shades of a figure's paint.

use std::sync::LazyLock;

/// How brightly a figure's sides may be lit, as shares of the light on tiles.
const SHADES: [f32; 8] = [0.12, 0.2, 0.32, 0.48, 0.68, 0.9, 1.15, 1.5];
/// The share at which most of a figure is lit.
const USUAL_SHADE: f32 = 0.6;

/// CIE L*a*b* (D65) of an sRGB colour with parts of 0 to 255.
pub(crate) fn lab(rgb: [f32; 3]) -> [f32; 3] {
    let [r, g, b] = rgb.map(|v| linear(v / 255.0));
    lab_of_linear([r, g, b])
}

/// CIE L*a*b* of linear light.
pub(crate) fn lab_of_linear([r, g, b]: [f32; 3]) -> [f32; 3] {
    let x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505;
    let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
    let z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089;
    let f = |t: f32| if t > 0.008_856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 };
    [116.0 * f(y) - 16.0, 500.0 * (f(x) - f(y)), 200.0 * (f(y) - f(z))]
}

/// Linear light of an sRGB value, both 0 to 1.
pub(crate) fn linear(v: f32) -> f32 {
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}

/// Linear light, 0 to 1, of an sRGB value of 0 to 255.
pub(crate) fn linear_of_byte(v: u8) -> f32 {
    static LIGHT: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|v| linear(v as f32 / 255.0)));
    LIGHT[usize::from(v)]
}

/// How far a shade is from the usual light on a figure, in natural logarithms.
pub(crate) fn strangeness(shade: usize) -> f32 {
    (SHADES[shade] / USUAL_SHADE).ln().abs()
}

/// A player's colour in all shades under a light, CIE L*a*b*.
pub(crate) fn shades(colour: [u8; 3], light: [f32; 3]) -> Vec<[f32; 3]> {
    let base: [f32; 3] = std::array::from_fn(|i| linear_of_byte(colour[i]) * light[i]);
    SHADES.iter().map(|s| lab_of_linear(base.map(|v| (v * s).min(1.0)))).collect()
}

/// Distance of two colours in L*a*b*, the squared difference of lightness times 0.6: not
/// CIE76, since the shades that are tried lie apart in lightness.
pub(crate) fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    let (l, x, y) = (a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    (0.6 * l * l + x * x + y * y).sqrt()
}
