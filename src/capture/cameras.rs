//! Which webcams there are, by which names, and what each can give.

use std::sync::mpsc;
use std::time::Duration;

use nokhwa::utils::{
    ApiBackend, CameraFormat, CameraIndex, FrameFormat, RequestedFormat, RequestedFormatType,
};
use nokhwa::{Camera, NokhwaError};

use super::error::CaptureError;
use crate::rules::{Sentence, Term, sentence};

/// The formats of pictures that can be decoded. Of equal ones the first is taken: what a
/// camera has compressed comes at more pictures a second.
pub(super) const FORMATS: [FrameFormat; 6] = [
    FrameFormat::MJPEG,
    FrameFormat::YUYV,
    FrameFormat::NV12,
    FrameFormat::RAWRGB,
    FrameFormat::RAWBGR,
    FrameFormat::GRAY,
];

/// Pictures a second that are enough; more only cost.
const ENOUGH: u32 = 30;

/// How long a camera may take to say what it can give.
const ANSWER: Duration = Duration::from_secs(8);

/// A camera that the system lists.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct CameraInfo {
    /// Its number: `camera:0`.
    pub index: u32,
    /// Its name.
    pub name: String,
}

/// A format and size of pictures that a camera can give.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct CameraMode {
    /// The format, such as `MJPEG`.
    pub format: String,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Pictures a second.
    pub frame_rate: u32,
}

/// The cameras that the system lists, by number. Some may be no cameras: a
/// webcam often has a second node for its metadata.
///
/// # Errors
/// [`CaptureError::Camera`] when the system cannot be asked.
pub fn cameras() -> Result<Vec<CameraInfo>, CaptureError> {
    let found = nokhwa::query(ApiBackend::Auto).map_err(|e| CaptureError::Camera {
        index: 0,
        what: sentence!("and others cannot be listed ({})", Term::same(e)),
        advice: sentence!("check that a camera is plugged in"),
    })?;
    let mut list: Vec<CameraInfo> = found
        .into_iter()
        .filter_map(|c| Some(CameraInfo { index: c.index().as_index().ok()?, name: c.human_name() }))
        .collect();
    list.sort_by_key(|c| c.index);
    list.dedup();
    Ok(list)
}

/// What a camera can give of what can be decoded here: the largest first. It is opened for
/// that, and closed again.
///
/// # Errors
/// [`CaptureError::Camera`]: another program uses it, or it gives no pictures, as the second
/// node of a webcam.
pub fn camera_modes(index: u32) -> Result<Vec<CameraMode>, CaptureError> {
    let (told, answer) = mpsc::channel();
    // A driver may never answer.
    std::thread::spawn(move || {
        let formats = Camera::new(CameraIndex::Index(index), any())
            .and_then(|mut camera| camera.compatible_camera_formats());
        told.send(formats)
    });
    let formats = match answer.recv_timeout(ANSWER) {
        Ok(formats) => formats.map_err(|e| cannot_be_opened(index, &e))?,
        Err(_) => {
            let (what, advice) = (sentence!("does not answer"), sentence!("unplug it and plug it in again"));
            return Err(CaptureError::Camera { index, what, advice });
        }
    };
    let mode = |f: &CameraFormat| CameraMode {
        format: f.format().to_string(),
        width: f.width(),
        height: f.height(),
        frame_rate: f.frame_rate(),
    };
    let mut modes: Vec<CameraMode> =
        formats.iter().filter(|f| FORMATS.contains(&f.format())).map(mode).collect();
    modes.sort_by(|a, b| {
        let key = |m: &CameraMode| (m.width * m.height, m.width, m.format.clone(), m.frame_rate);
        key(b).cmp(&key(a))
    });
    modes.dedup();
    Ok(modes)
}

/// Any picture that can be decoded.
pub(super) fn any() -> RequestedFormat<'static> {
    RequestedFormat::with_formats(RequestedFormatType::None, &FORMATS)
}

pub(super) fn cannot_be_opened(index: u32, why: &NokhwaError) -> CaptureError {
    let said = why.to_string();
    let (what, advice) = match why {
        // A node of a camera that takes pictures in, or tells about them.
        NokhwaError::GetPropertyError { property, .. } if property == "CameraFormat" => (
            sentence!("gives no pictures that can be read"),
            sentence!("name another camera; `castellan cameras` lists them"),
        ),
        _ if said.contains("(os error 2)") => {
            (sentence!("is not there"), sentence!("plug it in, or name one that `castellan cameras` lists"))
        }
        _ if said.contains("(os error 16)") => {
            (sentence!("is in use"), sentence!("close the other programs that use it"))
        }
        _ if said.contains("not whole number") => (
            sentence!("is set to a rate that cannot be read ({})", said),
            sentence!("unplug it and plug it in again, or set another rate in the program that set this one"),
        ),
        _ => (
            sentence!("cannot be opened ({})", said),
            sentence!("see `castellan cameras`, and close other programs that use it"),
        ),
    };
    CaptureError::Camera { index, what, advice }
}

/// The camera that a person means, by its number or by a part of its name; in a list of
/// those that there are.
///
/// # Errors
/// [`CaptureError::CameraName`] where none has such a name, or several have.
pub(super) fn meant(wanted: &str, list: &[CameraInfo]) -> Result<CameraInfo, CaptureError> {
    if let Ok(index) = wanted.parse() {
        let known = list.iter().find(|c| c.index == index).cloned();
        return Ok(known.unwrap_or(CameraInfo { index, name: String::new() }));
    }
    let lower = wanted.trim().to_lowercase();
    let all = |cameras: &[&CameraInfo]| {
        let words: Vec<String> = cameras.iter().map(|c| format!("camera:{} ({})", c.index, c.name)).collect();
        Sentence::either(words.into_iter().map(|one| sentence!("{}", one)))
    };
    let with = |fits: &dyn Fn(&str) -> bool| -> Vec<&CameraInfo> {
        list.iter().filter(|c| fits(&c.name.to_lowercase())).collect()
    };
    let none = |advice: Sentence| Err(CaptureError::CameraName(format!("camera:{wanted}"), advice));
    let mut found = with(&|name| name == lower);
    if found.is_empty() && !lower.is_empty() {
        found = with(&|name| name.contains(&lower));
    }
    // The nodes of one camera have one name; pictures come from the first.
    match found[..] {
        [one] => Ok(one.clone()),
        [first, ref others @ ..] if others.iter().all(|c| c.name == first.name) => Ok(first.clone()),
        [_, ..] => none(sentence!("it may be {}; write one of these", all(&found))),
        [] if list.is_empty() => none(sentence!("none is plugged in, plug it in or name another source")),
        [] => none(sentence!("write {}", all(&list.iter().collect::<Vec<_>>()))),
    }
}

/// The number under which a camera is found again: unplugged and plugged in again it may get
/// another.
pub(super) fn again(known: &CameraInfo, list: &[CameraInfo]) -> u32 {
    let is_it = |c: &&CameraInfo| c.name == known.name;
    let same = list.iter().filter(is_it).find(|c| c.index == known.index);
    same.or_else(|| list.iter().find(is_it)).map_or(known.index, |c| c.index)
}

/// What a camera can give, what comes nearest to a size, in pixels, first; of equal sizes what
/// has enough pictures a second.
pub(super) fn by_nearness(formats: &[CameraFormat], (width, height): (u32, u32)) -> Vec<CameraFormat> {
    let rank = |f: &CameraFormat| {
        let off = f.width().abs_diff(width) + f.height().abs_diff(height);
        let place = FORMATS.iter().position(|known| *known == f.format())?;
        Some((off, f.frame_rate().abs_diff(ENOUGH), place))
    };
    let mut ranked: Vec<_> = formats.iter().filter_map(|f| Some((rank(f)?, *f))).collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, format)| format).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(names: &[(u32, &str)]) -> Vec<CameraInfo> {
        names.iter().map(|(index, name)| CameraInfo { index: *index, name: (*name).to_owned() }).collect()
    }

    #[test]
    fn a_camera_is_named_by_its_number_or_a_part_of_its_name() {
        let plugged = list(&[
            (0, "Integrated Camera"),
            (2, "HD Pro Webcam C920"),
            (3, "HD Pro Webcam C920"),
            (4, "Cam"),
        ]);
        let index = |wanted: &str| meant(wanted, &plugged).map(|c| c.index).map_err(|e| e.to_string());
        assert_eq!(index("2"), Ok(2));
        assert_eq!(index("7"), Ok(7), "it may come to be there");
        assert_eq!(index("c920"), Ok(2), "the first of its nodes");
        assert_eq!(index("integrated camera"), Ok(0));
        assert_eq!(index("cam"), Ok(4), "a whole name goes before a part");
        let several = index("pro webcam").unwrap();
        assert_eq!(several, 2);
        let doubtful = index("ca").unwrap_err();
        assert!(
            doubtful.starts_with("`camera:ca` is not a camera; it may be camera:0 (Integrated Camera) or"),
            "{doubtful}"
        );
        let strange = index("front").unwrap_err();
        assert!(strange.contains("; write camera:0 (Integrated Camera) or camera:2"), "{strange}");
        let none = meant("front", &[]).unwrap_err().to_string();
        assert!(none.starts_with("`camera:front` is not a camera; none is plugged in"), "{none}");
        assert!(index("").is_err());
    }

    #[test]
    fn a_camera_that_was_plugged_in_again_is_found_under_its_name() {
        let known = &list(&[(1, "C920")])[0];
        assert_eq!(again(known, &list(&[(0, "Other"), (1, "C920"), (2, "C920")])), 1);
        assert_eq!(again(known, &list(&[(0, "Other"), (1, "Other"), (2, "C920")])), 2);
        assert_eq!(again(known, &list(&[(0, "Other")])), 1, "it is not there yet");
    }

    #[test]
    fn the_nearest_size_is_taken_and_then_enough_pictures_a_second() {
        let formats = [
            CameraFormat::new_from(1920, 1080, FrameFormat::YUYV, 5),
            CameraFormat::new_from(1920, 1080, FrameFormat::MJPEG, 30),
            CameraFormat::new_from(1280, 800, FrameFormat::YUYV, 10),
            CameraFormat::new_from(1280, 800, FrameFormat::YUYV, 30),
            CameraFormat::new_from(1280, 800, FrameFormat::MJPEG, 30),
            CameraFormat::new_from(1280, 800, FrameFormat::MJPEG, 60),
            CameraFormat::new_from(640, 480, FrameFormat::MJPEG, 30),
        ];
        let of = |size| {
            let all = by_nearness(&formats, size);
            assert_eq!(all.len(), formats.len(), "what the driver refuses is followed by the next");
            all.first().map(|f| (f.width(), f.format(), f.frame_rate()))
        };
        assert_eq!(of((1280, 720)), Some((1280, FrameFormat::MJPEG, 30)));
        assert_eq!(of((4000, 3000)), Some((1920, FrameFormat::MJPEG, 30)));
        assert_eq!(of((320, 240)), Some((640, FrameFormat::MJPEG, 30)));
        assert_eq!(by_nearness(&[], (1280, 720)), []);
    }

    #[test]
    fn why_a_camera_cannot_be_opened_says_what_to_do() {
        let told = |why: NokhwaError| cannot_be_opened(3, &why).to_string();
        let device = |what: &str| NokhwaError::OpenDeviceError("3".to_owned(), what.to_owned());
        let none = told(device("V4L2 Error: No such file or directory (os error 2)"));
        assert!(none.contains("is not there; plug it in"), "{none}");
        let busy = told(NokhwaError::OpenStreamError("Device or resource busy (os error 16)".to_owned()));
        assert!(busy.contains("is in use; close the other programs"), "{busy}");
        let property = |property: &str, error: &str| NokhwaError::GetPropertyError {
            property: property.to_owned(),
            error: error.to_owned(),
        };
        let output = told(property("CameraFormat", "Failed to Fufill"));
        assert!(output.contains("gives no pictures that can be read; name another"), "{output}");
        let rate = told(property("V4L2 FrameRate", "Framerate not whole number: 25 / 2"));
        assert!(rate.contains("a rate that cannot be read") && rate.contains("25 / 2"), "{rate}");
        assert!(told(device("Input/output error (os error 5)")).contains("cannot be opened"));
        assert!(told(device("No route (os error 25)")).contains("cannot be opened"));
    }
}
