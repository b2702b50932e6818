//! Pages of pictures, lines and words, in millimetres from the upper left
//! corner, as a PDF.

use image::RgbImage;
use image::codecs::jpeg::JpegEncoder;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str};

use super::error::PrintError;

const POINTS_PER_MM: f32 = 72.0 / 25.4;
const JPEG_QUALITY: u8 = 88;

/// A paper size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Paper {
    /// 210 x 297 mm.
    A4,
    /// 8.5 x 11 inches.
    Letter,
}

impl Paper {
    /// Width and height, mm.
    pub const fn size_mm(self) -> (f32, f32) {
        match self {
            Paper::A4 => (210.0, 297.0),
            Paper::Letter => (215.9, 279.4),
        }
    }
}

/// A document that is being laid out.
pub struct Document {
    size: (f32, f32),
    pages: Vec<Page>,
    pictures: Vec<(Vec<u8>, u32, u32)>,
}

struct Page {
    content: Content,
    pictures: Vec<usize>,
}

/// A picture of a document.
#[derive(Clone, Copy, Debug)]
pub struct PictureId(usize);

impl Document {
    /// Without pages.
    pub fn new(paper: Paper) -> Document {
        Document { size: paper.size_mm(), pages: Vec::new(), pictures: Vec::new() }
    }

    /// Begins a page; what follows is put on it.
    pub fn page(&mut self) {
        self.pages.push(Page { content: Content::new(), pictures: Vec::new() });
    }

    /// Packs a picture, to be placed once or more.
    ///
    /// # Errors
    /// [`PrintError::Picture`].
    pub fn pack(&mut self, picture: &RgbImage) -> Result<PictureId, PrintError> {
        let mut bytes = Vec::new();
        JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY).encode_image(picture)?;
        self.pictures.push((bytes, picture.width(), picture.height()));
        Ok(PictureId(self.pictures.len() - 1))
    }

    /// Places a picture with its upper left corner at a place, mm.
    pub fn place(&mut self, picture: PictureId, at: (f32, f32), size: (f32, f32)) {
        let height = self.size.1;
        let Some(page) = self.pages.last_mut() else { return };
        page.pictures.push(picture.0);
        let name = format!("P{}", picture.0);
        page.content.save_state();
        page.content.transform([
            points(size.0),
            0.0,
            0.0,
            points(size.1),
            points(at.0),
            points(height - at.1 - size.1),
        ]);
        page.content.x_object(Name(name.as_bytes()));
        page.content.restore_state();
    }

    /// A thin line between two places, mm; `dashed` for a fold.
    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), dashed: bool) {
        let height = self.size.1;
        let Some(page) = self.pages.last_mut() else { return };
        page.content.save_state();
        page.content.set_line_width(0.4);
        if dashed {
            page.content.set_dash_pattern([3.0, 3.0], 0.0);
        }
        page.content.move_to(points(from.0), points(height - from.1));
        page.content.line_to(points(to.0), points(height - to.1));
        page.content.stroke();
        page.content.restore_state();
    }

    /// A line of words whose base line begins at a place, mm; a question mark
    /// stands for what is not ASCII or a control character.
    pub fn words(&mut self, words: &str, at: (f32, f32), points_high: f32) {
        let height = self.size.1;
        let Some(page) = self.pages.last_mut() else { return };
        page.content.begin_text();
        page.content.set_font(Name(b"F"), points_high);
        page.content.next_line(points(at.0), points(height - at.1));
        let letter = |c: char| u8::try_from(c).ok().filter(|b| matches!(b, b' '..=b'~')).unwrap_or(b'?');
        page.content.show(Str(&words.chars().map(letter).collect::<Vec<u8>>()));
        page.content.end_text();
    }

    /// The PDF.
    pub fn finish(self) -> Vec<u8> {
        let mut next = 0;
        let mut new = || {
            next += 1;
            Ref::new(next)
        };
        let (catalog, tree, font) = (new(), new(), new());
        let pictures: Vec<Ref> = self.pictures.iter().map(|_| new()).collect();
        let pages: Vec<(Ref, Ref)> = self.pages.iter().map(|_| (new(), new())).collect();
        let mut pdf = Pdf::new();
        pdf.catalog(catalog).pages(tree);
        pdf.pages(tree).kids(pages.iter().map(|p| p.0)).count(pages.len() as i32);
        pdf.type1_font(font).base_font(Name(b"Helvetica"));
        for (id, (bytes, width, height)) in pictures.iter().zip(&self.pictures) {
            let mut picture = pdf.image_xobject(*id, bytes);
            picture.filter(Filter::DctDecode);
            picture.width(*width as i32);
            picture.height(*height as i32);
            picture.color_space().device_rgb();
            picture.bits_per_component(8);
        }
        for ((id, content), page) in pages.into_iter().zip(self.pages) {
            let mut sheet = pdf.page(id);
            sheet.media_box(Rect::new(0.0, 0.0, points(self.size.0), points(self.size.1)));
            sheet.parent(tree);
            sheet.contents(content);
            let mut resources = sheet.resources();
            resources.fonts().pair(Name(b"F"), font);
            let mut used = page.pictures;
            used.sort_unstable();
            used.dedup();
            let mut named = resources.x_objects();
            for i in used {
                named.pair(Name(format!("P{i}").as_bytes()), pictures[i]);
            }
            named.finish();
            resources.finish();
            sheet.finish();
            pdf.stream(content, &page.content.finish());
        }
        pdf.finish()
    }
}

fn points(mm: f32) -> f32 {
    mm * POINTS_PER_MM
}
