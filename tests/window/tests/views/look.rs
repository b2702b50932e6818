//! What the camera sees is judged before a game: the recorded house game, and a picture that is
//! too dark.

use std::path::Path;

use castellan::app::ui::{CameraItem, LookAdapter, StartAdapter};
use castellan_window_tests::{
    comes, exactly, in_its_own_process, labelled, looks_alike, open, picture, press, settle, the, until,
};
use slint::platform::Key;
use slint::{ComponentHandle, Model, ModelRc, VecModel};

/// So often, 20 ms apart, the window is looked at for what is read in another thread.
const LOOKS: u32 = 6000;

#[test]
fn the_table_is_judged_before_a_game() {
    if in_its_own_process("look::the_table_is_judged_before_a_game") {
        return;
    }
    let table = open();
    press(&table, "l");
    the(&table, "Look at the table");
    the(&table, "no picture yet");
    assert_eq!(the(&table, "Start (Enter)").accessible_enabled(), Some(false), "there is nothing to open");

    let game = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/house-game");
    let last = std::fs::read_dir(&game).expect("the recorded game is there");
    let is_still = |file: &std::path::PathBuf| file.extension().is_some_and(|e| e == "jpg" || e == "png");
    let last = last.flatten().map(|entry| entry.path()).filter(is_still).max().expect("it has stills");
    let look_at = |file: &Path| {
        the(&table, "Looked through").set_accessible_value(file.to_string_lossy().into_owned());
        exactly(&table, "Look").invoke_accessible_default_action();
    };
    look_at(&last);
    comes(&table, "good: the wall is found", LOOKS);
    the(&table, "good: the picture is sharp");
    the(&table, "good: the light is good");
    the(&table, "Looked through").set_accessible_value("photos");
    looks_alike(&table, "look");
    the(&table, "Looked through").set_accessible_value(last.to_string_lossy().into_owned());
    // The form says blue and red, and yellow pieces lie there.
    the(&table, "open: no red piece is seen");
    the(&table, "poor: yellow pieces lie on the board");
    press(&table, "p");
    comes(&table, "good: 7 yellow pieces are seen", LOOKS);
    assert!(labelled(&table, "poor: yellow pieces").is_empty());

    let folder = tempfile::tempdir().expect("a folder can be made");
    let dark = folder.path().join("dark.png");
    let mut shown = image::open(&last).expect("it is a picture").into_rgb8();
    shown.pixels_mut().for_each(|pixel| pixel.0 = pixel.0.map(|v| v / 12));
    shown.save(&dark).expect("it is written");
    look_at(&dark);
    settle();
    assert!(labelled(&table, "good: the light").is_empty(), "what was said before is gone");
    comes(&table, "bad: it is dark", LOOKS);
    picture(&table, "look-dark");

    // What each camera sees is shown beside, and a digit chooses it.
    let camera = |file: &Path, name: &str| CameraItem {
        source: file.to_string_lossy().as_ref().into(),
        name: name.into(),
    };
    let gone = Path::new("nothing-here.png");
    let cameras = [camera(&last, "Webcam"), camera(&dark, "Phone"), camera(gone, "Film")];
    let form = || table.window().global::<StartAdapter>();
    form().set_cameras(ModelRc::new(VecModel::from(cameras.to_vec())));
    look_at(&last);
    let stand = || -> Vec<(bool, bool)> {
        let sources = table.window().global::<LookAdapter>().get_sources();
        sources.iter().map(|s| (s.has_picture, s.failed)).collect()
    };
    let wanted = [(true, false), (true, false), (false, true)];
    until("a picture of each camera", LOOKS, || stand() == wanted);
    comes(&table, "good: the wall is found", LOOKS);
    the(&table, "Looked through").set_accessible_value("camera:0");
    looks_alike(&table, "look-choose");
    press(&table, "2");
    assert_eq!(form().get_source(), dark.to_string_lossy().as_ref());
    comes(&table, "bad: it is dark", LOOKS);
    assert!(table.window().global::<LookAdapter>().get_sources().row_data(0).is_some_and(|s| !s.failed));

    look_at(gone);
    comes(&table, "nothing is there; name a folder", LOOKS);
    press(&table, Key::Escape);
    assert!(labelled(&table, "What the camera sees").is_empty(), "the form is there again");
    assert_eq!(table.window().global::<LookAdapter>().get_busy(), "");
}
