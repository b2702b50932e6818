//! Pictures that come from outside: their size is judged before they are decoded,
//! and half a picture is none.

use std::io::Cursor;
use std::path::Path;

use image::{
    DynamicImage, ImageBuffer, ImageDecoder, ImageFormat, ImageReader, PixelWithColorType, RgbImage,
};
use thiserror::Error;

use crate::files;
use crate::rules::{Sentence, Term, sentence};

/// How large a picture may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The file, bytes.
    pub bytes: u64,
    /// The shorter side at least, pixels.
    pub least_side: u32,
    /// The longer side at most, pixels.
    pub most_side: u32,
    /// Width times height at most.
    pub most_pixels: u64,
}

impl Limits {
    /// A photo of a table or of tiles. Phones give 12 to 50 megapixels as
    /// they come; the limit keeps what decoding takes (up to
    /// six bytes a pixel, and four more for the result) under a gigabyte.
    pub const PHOTO: Limits =
        Limits { bytes: 100 << 20, least_side: 16, most_side: 16_384, most_pixels: 52 << 20 };
    /// A tile of a deck.
    pub const TILE: Limits = Limits { bytes: 4 << 20, least_side: 16, most_side: 1024, most_pixels: 1 << 20 };
    /// All tiles of a deck together, pixels.
    pub const MOST_OF_DECK: u64 = 64 << 20;
    /// The rectified picture of a wall.
    pub const WALL: Limits =
        Limits { bytes: 90 << 20, least_side: 16, most_side: 8192, most_pixels: 32 << 20 };
}

/// Why a picture is not taken, as the middle of a sentence: "it …".
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum PictureError {
    /// The file cannot be read.
    Io(std::io::Error),
    /// Neither JPEG nor PNG.
    Format,
    /// Too small to show anything, or larger than its kind can be.
    Size(u32, u32, Limits),
    /// Sixteen bits a colour and more pixels than there is memory for then.
    Deep,
    /// A part of it is missing.
    Torn,
    /// The decoder's own words.
    Decode(String),
}

impl From<&PictureError> for Sentence {
    fn from(error: &PictureError) -> Sentence {
        match error {
            PictureError::Io(error) => sentence!("{}", Term::same(error)),
            PictureError::Format => {
                sentence!("it is in no format that is known here; give a JPEG or PNG file")
            }
            PictureError::Size(width, height, limits) => sentence!(
                "it is {}x{} pixels large; {} to {} a side and {} megapixels are possible",
                *width,
                *height,
                limits.least_side,
                limits.most_side,
                limits.most_pixels >> 20
            ),
            PictureError::Deep => {
                sentence!("it has too many bits a pixel for its size; save it with eight bits a colour")
            }
            PictureError::Torn => {
                sentence!("its end is missing; copy it again from where it was taken")
            }
            PictureError::Decode(why) => sentence!("{}", why),
        }
    }
}

/// Opens a JPEG or PNG file, turned the way its camera was held.
///
/// # Errors
/// [`PictureError`].
pub fn open(path: &Path, limits: &Limits) -> Result<RgbImage, PictureError> {
    decode(&files::read(path, limits.bytes).map_err(PictureError::Io)?, limits).map(DynamicImage::into_rgb8)
}

/// The picture of a JPEG or PNG file's bytes, turned the way its camera was held.
///
/// # Errors
/// [`PictureError`].
pub fn decode(bytes: &[u8], limits: &Limits) -> Result<DynamicImage, PictureError> {
    let mut decoder = decoder(bytes, limits)?;
    if bytes.starts_with(JPEG) && !is_whole_jpeg(bytes) {
        return Err(PictureError::Torn);
    }
    let orientation = decoder.orientation().map_err(failed)?;
    let mut picture = DynamicImage::from_decoder(decoder).map_err(failed)?;
    let colour = picture.color();
    // Sixteen bits are more than anything here looks at, and turning takes a copy.
    if colour.bytes_per_pixel() > colour.channel_count() {
        picture = if colour.has_alpha() { picture.into_rgba8().into() } else { picture.into_rgb8().into() };
    }
    picture.apply_orientation(orientation);
    Ok(picture)
}

/// Width and height of a picture as it is stored, without decoding it.
///
/// # Errors
/// [`PictureError`], also where they are beyond the limits.
pub fn size(bytes: &[u8], limits: &Limits) -> Result<(u32, u32), PictureError> {
    decoder(bytes, limits).map(|d| d.dimensions())
}

fn decoder<'a>(bytes: &'a [u8], limits: &Limits) -> Result<impl ImageDecoder + 'a, PictureError> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().map_err(PictureError::Io)?;
    if reader.format().is_none() {
        return Err(PictureError::Format);
    }
    let mut own = image::Limits::default();
    own.max_alloc = Some(DECODER);
    reader.limits(own);
    let decoder = reader.into_decoder().map_err(failed)?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let fits = width.min(height) >= limits.least_side
        && width.max(height) <= limits.most_side
        && pixels <= limits.most_pixels;
    if !fits {
        return Err(PictureError::Size(width, height, *limits));
    }
    if decoder.total_bytes() > limits.most_pixels * MOST_DEPTH {
        return Err(PictureError::Deep);
    }
    Ok(decoder)
}

/// Some decoders give several lines.
fn failed(error: image::ImageError) -> PictureError {
    match error {
        image::ImageError::Unsupported(_) => PictureError::Format,
        error => {
            let words = error.to_string();
            PictureError::Decode(words.lines().next().unwrap_or_default().to_owned())
        }
    }
}

/// Writes a picture whole ([`files::write_whole`]), in the format that the file's name
/// says.
///
/// # Errors
/// The system's own; [`std::io::ErrorKind::InvalidInput`] where the name says no format
/// that can be written.
pub fn save<P>(path: &Path, picture: &ImageBuffer<P, Vec<u8>>) -> std::io::Result<()>
where
    P: PixelWithColorType<Subpixel = u8>,
{
    let format = ImageFormat::from_path(path).map_err(cannot_pack)?;
    files::write_whole(path, &packed(picture, format)?)
}

/// The bytes of a PNG file of a picture.
///
/// # Errors
/// [`std::io::ErrorKind::InvalidInput`] for a picture without pixels.
pub fn to_png<P>(picture: &ImageBuffer<P, Vec<u8>>) -> std::io::Result<Vec<u8>>
where
    P: PixelWithColorType<Subpixel = u8>,
{
    packed(picture, ImageFormat::Png)
}

fn packed<P>(picture: &ImageBuffer<P, Vec<u8>>, format: ImageFormat) -> std::io::Result<Vec<u8>>
where
    P: PixelWithColorType<Subpixel = u8>,
{
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).map_err(cannot_pack)?;
    Ok(bytes.into_inner())
}

fn cannot_pack(error: image::ImageError) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidInput, error.to_string())
}

/// The largest pictures may have so many bytes a pixel: three colours of sixteen bits.
const MOST_DEPTH: u64 = 6;
/// What a decoder may take for itself, bytes: a PNG's texts and colour profile.
const DECODER: u64 = 32 << 20;

const JPEG: &[u8] = b"\xff\xd8";

/// Whether a JPEG reaches its end marker. Decoders fill what is missing with grey
/// and say nothing. The markers are walked (ITU-T T.81, B.1), since a thumbnail
/// inside has an end of its own, and bytes may follow the end.
fn is_whole_jpeg(bytes: &[u8]) -> bool {
    let mut at = JPEG.len();
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.windows(2).position(is_marker)) {
        at += found;
        match bytes[at + 1] {
            END => return true,
            // Restarts and the like stand alone.
            0x01 | 0xd0..=0xd8 => at += 2,
            _ => match bytes.get(at + 2..at + 4) {
                Some(length) => at += 2 + usize::from(u16::from_be_bytes([length[0], length[1]])),
                None => return false,
            },
        }
    }
    false
}

const END: u8 = 0xd9;

/// `ff 00` is a byte of data, `ff ff` is filling.
fn is_marker(pair: &[u8]) -> bool {
    pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn photo(width: u32, height: u32) -> RgbImage {
        RgbImage::from_fn(width, height, |x, y| image::Rgb([(x * 7 % 256) as u8, (y * 5 % 256) as u8, 9]))
    }

    fn packed(picture: &RgbImage, format: image::ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn a_picture_cut_anywhere_is_refused() {
        for format in [image::ImageFormat::Jpeg, image::ImageFormat::Png] {
            let bytes = packed(&photo(64, 48), format);
            assert_eq!(decode(&bytes, &Limits::PHOTO).unwrap().width(), 64);
            let mut longer = bytes.clone();
            longer.extend_from_slice(b"what a phone adds");
            assert!(decode(&longer, &Limits::PHOTO).is_ok());
            // A PNG ends with a chunk of twelve bytes that shows nothing.
            let shown = if format == image::ImageFormat::Png { bytes.len() - 12 } else { bytes.len() };
            for end in 0..shown {
                assert!(decode(&bytes[..end], &Limits::PHOTO).is_err(), "{format:?} cut at {end}");
                let mut zeros = bytes.clone();
                zeros[end..].fill(0);
                assert!(decode(&zeros, &Limits::PHOTO).is_err(), "{format:?} zeros from {end}");
            }
        }
    }

    #[test]
    fn the_end_of_a_thumbnail_is_not_the_end() {
        let mut bytes = packed(&photo(64, 48), image::ImageFormat::Jpeg);
        let thumbnail = packed(&photo(16, 16), image::ImageFormat::Jpeg);
        let mut segment = vec![0xff, 0xe5];
        segment.extend_from_slice(&(thumbnail.len() as u16 + 2).to_be_bytes());
        segment.extend_from_slice(&thumbnail);
        bytes.splice(2..2, segment);
        assert!(decode(&bytes, &Limits::PHOTO).is_ok());
        let half = bytes.len() - 200;
        assert!(matches!(decode(&bytes[..half], &Limits::PHOTO), Err(PictureError::Torn)));
    }

    #[test]
    fn sizes_are_judged_before_anything_is_decoded() {
        let mut png = packed(&photo(16, 16), image::ImageFormat::Png);
        png[16..24].copy_from_slice(&[0, 1, 0x86, 0xa0, 0, 1, 0x86, 0xa0]);
        let crc = crc_of(&png[12..29]);
        png[29..33].copy_from_slice(&crc.to_be_bytes());
        let error = decode(&png, &Limits::PHOTO).unwrap_err();
        assert!(matches!(error, PictureError::Size(100_000, 100_000, _)), "{error}");
        assert!(error.to_string().starts_with("it is 100000x100000 pixels large; 16 to 16384 a side"));

        let mut jpeg = packed(&photo(16, 16), image::ImageFormat::Jpeg);
        let frame = jpeg.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
        jpeg[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xdc, 0xff, 0xdc]);
        assert!(matches!(size(&jpeg, &Limits::PHOTO), Err(PictureError::Size(65_500, 65_500, _))));
        let one = packed(&photo(1, 1), image::ImageFormat::Png);
        assert!(matches!(decode(&one, &Limits::PHOTO), Err(PictureError::Size(1, 1, _))));
    }

    /// The check sum of a PNG's chunk (ISO 3309).
    fn crc_of(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0_u32, |crc, byte| {
            (0..8).fold(crc ^ u32::from(*byte), |c, _| (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg()))
        })
    }
}
