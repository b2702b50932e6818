//! What each source that can be chosen sees, small, beside the one that is looked through.

use std::time::Duration;

use image::RgbImage;
use slint::{ComponentHandle, Model, ModelRc, VecModel};

use super::adapter_live::photo;
use super::desk::at_most;
use super::looking::Looking;
use super::ui;

/// Between two small pictures of one source.
const BETWEEN: Duration = Duration::from_millis(250);
/// No side of a small picture is longer, in pixels.
const LONGEST_PX: u32 = 320;
/// No more sources are shown: each is read in a thread of its own, and the page has no room.
const MOST: usize = 6;

/// The sources that are read for their small pictures; dropping it lets them go.
#[derive(Debug, Default)]
pub struct Previews(Vec<Looking>);

/// All are told before the first is waited for.
impl Drop for Previews {
    fn drop(&mut self) {
        self.0.iter().for_each(Looking::stop);
    }
}

/// Lists the sources of the form in the page, each without a picture yet.
pub fn list(window: &ui::AppWindow) {
    let cameras = window.global::<ui::StartAdapter>().get_cameras();
    let item = |camera: ui::CameraItem| ui::SourceItem {
        source: camera.source,
        name: camera.name,
        ..ui::SourceItem::default()
    };
    let items: Vec<ui::SourceItem> = cameras.iter().take(MOST).map(item).collect();
    window.global::<ui::LookAdapter>().set_sources(ModelRc::new(VecModel::from(items)));
}

/// Reads all listed sources but the one that is looked through: a camera can be opened once at
/// a time. `is_open` says, in the window's thread, whether the pictures are still wanted.
pub fn start(
    window: &ui::AppWindow,
    looked_through: &str,
    is_open: impl Fn() -> bool + Clone + Send + 'static,
) -> Previews {
    let sources = window.global::<ui::LookAdapter>().get_sources();
    let others = sources.iter().filter(|item| item.source != looked_through);
    let reading = others.map(|item| {
        let source = item.source.to_string();
        let (weak, of, open) = (window.as_weak(), source.clone(), is_open.clone());
        // It only fails when the window is gone.
        let tell = move |picture: Option<RgbImage>| {
            let (of, open) = (of.clone(), open.clone());
            let _ = weak.upgrade_in_event_loop(move |window| {
                if open() {
                    show(&window, &of, picture.as_ref());
                }
            });
        };
        let failed = tell.clone();
        Looking::every(
            &source,
            BETWEEN,
            move |frame| tell(Some(at_most(frame, LONGEST_PX))),
            move |_| failed(None),
        )
    });
    Previews(reading.collect())
}

/// Shows what a source sees, or that it gives no picture.
pub fn show(window: &ui::AppWindow, source: &str, picture: Option<&RgbImage>) {
    let sources = window.global::<ui::LookAdapter>().get_sources();
    let Some((row, mut item)) = sources.iter().enumerate().find(|(_, item)| item.source == source) else {
        return;
    };
    match picture {
        Some(picture) => (item.picture, item.has_picture, item.failed) = (photo(picture), true, false),
        None => item.failed = true,
    }
    sources.set_row_data(row, item);
}
