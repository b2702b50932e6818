//! Pictures of a live source as they come: decoded at most once, and only for who looks at them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use image::RgbImage;

/// The least time between two frames of a live source. Nothing on a table is quicker than what 15 frames a
/// second show; each more is decoded and compared with the one before.
const BETWEEN: Duration = Duration::from_millis(60);

/// Somebody who is shown the pictures of a source as they come, while frames are read.
pub trait Viewer: Send + Sync {
    /// Whether the next picture is worth being decoded for.
    fn wants(&self) -> bool;

    /// Looks at a picture, sRGB, in the thread of the source.
    fn show(&self, picture: &RgbImage);
}

/// Who is shown the pictures of a source, also after it was opened anew.
#[derive(Clone, Default)]
pub(super) struct Audience(Arc<Mutex<Option<Arc<dyn Viewer>>>>);

impl Audience {
    /// Has a viewer be shown the pictures from now on.
    pub(super) fn seat(&self, viewer: &Arc<dyn Viewer>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(viewer));
    }

    /// Shows a picture to who wants to see it.
    pub(super) fn show<C: Coded>(&self, shot: &mut Shot<C>) {
        let viewer = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(viewer) = viewer.filter(|viewer| viewer.wants())
            && let Ok(picture) = shot.look()
        {
            viewer.show(picture);
        }
    }
}

/// A picture as a source gives it.
pub(super) trait Coded {
    /// The picture, sRGB; a sentence where it is broken.
    fn decode(&self) -> Result<RgbImage, String>;
}

/// A picture that is decoded when it is looked at first.
#[derive(Debug)]
pub(super) struct Shot<C> {
    coded: C,
    decoded: Option<Result<RgbImage, String>>,
}

impl<C: Coded> Shot<C> {
    /// A picture as it came.
    pub(super) fn new(coded: C) -> Shot<C> {
        Shot { coded, decoded: None }
    }

    fn look(&mut self) -> Result<&RgbImage, String> {
        let decoded = self.decoded.get_or_insert_with(|| self.coded.decode());
        decoded.as_ref().map_err(Clone::clone)
    }

    /// The picture, sRGB; a sentence where it is broken.
    pub(super) fn into_image(self) -> Result<RgbImage, String> {
        self.decoded.unwrap_or_else(|| self.coded.decode())
    }
}

/// Keeps the frames of a live source apart.
#[derive(Debug, Default)]
pub(super) struct Pace(Option<Instant>);

impl Pace {
    /// Waits until the next frame may be given, and counts it as given.
    pub(super) fn keep(&mut self) {
        if let Some(last) = self.0 {
            std::thread::sleep(BETWEEN.saturating_sub(last.elapsed()));
        }
        self.0 = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;

    /// A picture of one pixel, or a broken one, that counts how often it is decoded.
    struct Counted<'a>(&'a AtomicUsize, bool);

    impl Coded for Counted<'_> {
        fn decode(&self) -> Result<RgbImage, String> {
            self.0.fetch_add(1, Ordering::Relaxed);
            if self.1 { Ok(RgbImage::new(1, 1)) } else { Err("torn".to_owned()) }
        }
    }

    #[derive(Default)]
    struct Somebody {
        looks: AtomicBool,
        seen: AtomicUsize,
    }

    impl Viewer for Somebody {
        fn wants(&self) -> bool {
            self.looks.load(Ordering::Relaxed)
        }

        fn show(&self, _: &RgbImage) {
            self.seen.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_picture_is_decoded_once_and_only_for_who_looks() {
        let (decoded, somebody) = (AtomicUsize::new(0), Arc::new(Somebody::default()));
        let decodings = || decoded.swap(0, Ordering::Relaxed);
        let audience = Audience::default();
        let mut shot = Shot::new(Counted(&decoded, true));
        audience.show(&mut shot);
        audience.seat(&(Arc::clone(&somebody) as Arc<dyn Viewer>));
        audience.show(&mut shot);
        assert_eq!((decodings(), somebody.seen.load(Ordering::Relaxed)), (0, 0), "nobody looks");
        somebody.looks.store(true, Ordering::Relaxed);
        audience.show(&mut shot);
        assert_eq!(shot.into_image().unwrap().dimensions(), (1, 1));
        assert_eq!((decodings(), somebody.seen.load(Ordering::Relaxed)), (1, 1));
        let mut torn = Shot::new(Counted(&decoded, false));
        audience.show(&mut torn);
        assert_eq!(torn.into_image().unwrap_err(), "torn");
        assert_eq!((decodings(), somebody.seen.load(Ordering::Relaxed)), (1, 1), "nothing is shown of it");
        assert!(Shot::new(Counted(&decoded, true)).into_image().is_ok(), "it need not be shown before");
    }
}
