//! A folder of stills, in natural order: `shot2.jpg` before `shot10.jpg`.

use std::path::{Path, PathBuf};

use super::error::CaptureError;
use super::frame::{Frame, FrameSource};
use crate::picture::{self, Limits};

/// A folder of pictures played one after another, or a single picture. What is no
/// whole picture in a folder is left out.
#[derive(Debug)]
pub struct Stills {
    path: PathBuf,
    files: Vec<PathBuf>,
    next: usize,
    seconds: f64,
    /// Whether a picture was read.
    any: bool,
}

/// Whether the name is that of a picture that can be decoded.
pub(super) fn is_picture(path: &Path) -> bool {
    path.extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| ["jpg", "jpeg", "png"].iter().any(|known| e.eq_ignore_ascii_case(known)))
}

impl Stills {
    /// The pictures of a folder (not of folders in it), or one picture; each
    /// lasts so many seconds.
    ///
    /// # Errors
    /// [`CaptureError::NoPictures`], or [`CaptureError::Io`].
    pub fn open(path: &Path, seconds: f64) -> Result<Stills, CaptureError> {
        let mut files = Vec::new();
        if path.is_dir() {
            let io = |e| CaptureError::Io(e, path.to_owned());
            for entry in std::fs::read_dir(path).map_err(io)? {
                let file = entry.map_err(io)?.path();
                let hidden = file.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
                if !hidden && is_picture(&file) && file.is_file() {
                    files.push(file);
                }
            }
            files.sort_by_cached_key(|f| natural_key(&f.to_string_lossy()));
        } else {
            files.push(path.to_owned());
        }
        if files.is_empty() {
            return Err(CaptureError::NoPictures(path.to_owned()));
        }
        Ok(Stills { path: path.to_owned(), files, next: 0, seconds, any: false })
    }

    /// The files of the pictures, in their order.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// How many pictures there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is none; never so for an opened folder.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

impl FrameSource for Stills {
    fn next(&mut self) -> Result<Option<Frame>, CaptureError> {
        let Some(path) = self.files.get(self.next) else {
            return if self.any { Ok(None) } else { Err(CaptureError::NoneReadable(self.path.clone())) };
        };
        let t = self.next as f64 * self.seconds;
        self.next += 1;
        let image = picture::open(path, &Limits::PHOTO).map_err(|e| {
            let whole = *path == self.path;
            if whole {
                CaptureError::Picture(e, path.clone())
            } else {
                CaptureError::LeftOut(e, path.clone())
            }
        })?;
        self.any = true;
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Some(Frame { image, t, name }))
    }

    fn is_live(&self) -> bool {
        false
    }
}

/// Splits a name so that numbers in it compare by value.
fn natural_key(name: &str) -> Vec<(u128, String)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, tail) = rest.split_at(digits);
        let words = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (word, tail) = tail.split_at(words);
        key.push((number.parse().unwrap_or(u128::from(digits > 0) * u128::MAX), word.to_lowercase()));
        rest = tail;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(dir: &Path, name: &str, grey: u8) {
        image::RgbImage::from_pixel(40, 30, image::Rgb([grey; 3])).save(dir.join(name)).unwrap();
    }

    #[test]
    fn pictures_come_in_natural_order_with_their_times() {
        let dir = tempfile::tempdir().unwrap();
        for (name, grey) in [("shot10.png", 3), ("shot2.PNG", 2), ("shot1.png", 1)] {
            picture(dir.path(), name, grey);
        }
        std::fs::write(dir.path().join("truth.json"), "{}").unwrap();
        let mut stills = Stills::open(dir.path(), 0.5).unwrap();
        let mut seen = Vec::new();
        while let Some(frame) = stills.next().unwrap() {
            seen.push((frame.name, frame.t, frame.image.get_pixel(0, 0)[0]));
        }
        assert_eq!(
            seen,
            [("shot1.png".into(), 0.0, 1), ("shot2.PNG".into(), 0.5, 2), ("shot10.png".into(), 1.0, 3)]
        );
    }

    #[test]
    fn a_folder_without_pictures_and_a_torn_picture_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let error = Stills::open(dir.path(), 1.0).unwrap_err().to_string();
        assert!(error.starts_with("the folder holds no picture"), "{error}");
        let torn = dir.path().join("a.jpg");
        std::fs::write(&torn, b"\xff\xd8\xff").unwrap();
        let error = Stills::open(&torn, 1.0).unwrap().next().unwrap_err();
        assert!(!error.is_of_one_frame());
        let error = error.to_string();
        assert!(error.starts_with("the picture cannot be read") && error.contains("a.jpg"), "{error}");
    }

    #[test]
    fn what_is_no_whole_picture_is_left_out_of_a_folder() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        picture(dir.path(), "4.jpg", 4);
        let bytes = std::fs::read(path("4.jpg")).unwrap();
        std::fs::write(path("1.jpg"), &bytes[..bytes.len() - 40]).unwrap();
        image::RgbImage::new(1, 1).save(path("2.png")).unwrap();
        std::fs::write(path("3.png"), "no picture").unwrap();
        let all = |stills: &mut Stills| {
            let mut seen = Vec::new();
            loop {
                match stills.next() {
                    Ok(Some(frame)) => seen.push(format!("{} at {}", frame.name, frame.t)),
                    Ok(None) => return (seen, None),
                    Err(e) if e.is_of_one_frame() => seen.push(e.to_string()),
                    Err(e) => return (seen, Some(e)),
                }
            }
        };
        let (seen, error) = all(&mut Stills::open(dir.path(), 1.0).unwrap());
        assert!(error.is_none());
        for (sentence, name) in seen.iter().zip(["1.jpg", "2.png", "3.png"]) {
            assert!(
                sentence.starts_with("this picture is left out (") && sentence.ends_with(name),
                "{sentence}"
            );
        }
        assert_eq!(seen[3..], ["4.jpg at 3"]);
        std::fs::remove_file(path("4.jpg")).unwrap();
        let (seen, error) = all(&mut Stills::open(dir.path(), 1.0).unwrap());
        assert_eq!(seen.len(), 3);
        assert!(matches!(error, Some(CaptureError::NoneReadable(_))));
    }
}
