//! An owner's own copy, from an empty data folder to a form that plays with it: the wall is
//! measured, tiles are enrolled, a face is put right, all by keys.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use castellan::app::TableWindow;
use castellan::app::ui::{FacesAdapter, OwnCopyAdapter, StartAdapter, StepStand, SurveyAdapter};
use castellan::calibrate::survey::{outline, starts};
use castellan::library;
use castellan::rules::{Cell, Side, Wall};
use castellan::studio::{
    Board, Mood, Scene, StandingWall, Style, TakenTile, draw_tile, draw_wall, draw_wall_tile, loose_scene,
    photograph, random_wall, set_up,
};
use castellan::table::colour;
use castellan_window_tests::{
    exactly, in_its_own_process, labelled, looks, looks_alike, open, picture, press, resize, settle, take_in,
    the,
};
use slint::platform::{Key, WindowEvent};
use slint::{ComponentHandle, Model};

/// A wall that nobody has seen, empty.
fn empty_wall() -> Board {
    let wall = random_wall(77);
    let drawn = draw_wall(&wall, &Style::random(78), 160);
    let standing = StandingWall {
        wall,
        picture: drawn.image,
        px_per_tile: 160.0,
        origin_px: drawn.origin_px,
        height: 0.06,
    };
    let colours = vec![colour("blue"), colour("red")];
    Board { wall: Some(Arc::new(standing)), colours, ..Board::default() }
}

fn photograph_wall(board: &Board, file: &Path) {
    let mut scene = Scene::random(board, Mood::Calm, (1800, 1350), 78);
    scene.hand = None;
    photograph(&scene, 78).0.save(file).expect("it is written");
}

/// Photographs the nine wall tiles in three rows.
fn photograph_wall_tiles(file: &Path) {
    let board = Board { colours: vec![colour("blue"), colour("red")], ..Board::default() };
    let mut scene = Scene::random(&board, Mood::Calm, (1600, 1200), 5);
    (scene.hand, scene.props) = (None, Vec::new());
    let mut corners = Vec::new();
    for i in 0..9_u8 {
        let place = (3.0 + 0.9 * f32::from(i % 3), 4.0 + 0.9 * f32::from(i / 3));
        let picture = Arc::new(draw_wall_tile(Some(i + 1), &Style::random(78), 256));
        scene.taken.push(TakenTile { picture, side: 0.56, place, turn: 3.0 });
        corners.extend([(place.0 - 0.4, place.1 - 0.4, 0.0), (place.0 + 0.4, place.1 + 0.4, 0.0)]);
    }
    scene.camera = scene.camera.framing(&corners, 0.15);
    photograph(&scene, 5).0.save(file).expect("it is written");
}

/// Photographs some tiles of the house set, laid out loosely.
fn photograph_tiles(file: &Path, from: usize, count: usize, seed: u64) {
    let deck = library::deck("house").expect("it is built in").deck;
    let tiles: Vec<_> = deck.tiles.iter().enumerate().skip(from).take(count).collect();
    let drawn = |(index, tile): &(usize, &castellan::rules::Tile)| {
        let face = tile.face.as_ref().expect("the house set has faces");
        (tile.id.clone(), draw_tile(face, *index as u64, &Style::house(), 160))
    };
    let pictures: BTreeMap<String, image::RgbImage> = tiles.iter().map(drawn).collect();
    let ids: Vec<String> = tiles.iter().map(|(_, tile)| tile.id.clone()).collect();
    let scene = loose_scene(&Arc::new(pictures), &ids, Mood::Calm, (900, 700), seed);
    photograph(&scene, seed).0.save(file).expect("it is written");
}

/// Opens the page for a copy of this name.
fn begin(table: &TableWindow, name: &str) {
    press(table, "c");
    the(table, "Name of your copy").set_accessible_value(name);
    press(table, Key::Return);
}

/// Takes the photo in a file.
fn take(table: &TableWindow, file: &Path) {
    the(table, "Photos come from").set_accessible_value(file.to_string_lossy().into_owned());
    exactly(table, "Look").invoke_accessible_default_action();
    settle();
    press(table, " ");
    done(table);
}

/// A key with Shift held.
fn press_shifted(table: &TableWindow, key: Key) {
    let window = table.window().window();
    window.dispatch_event(WindowEvent::KeyPressed { text: Key::Shift.into() });
    press(table, key);
    window.dispatch_event(WindowEvent::KeyReleased { text: Key::Shift.into() });
}

/// Waits until the program has done what it is busy with.
fn done(table: &TableWindow) {
    for _ in 0..6000 {
        take_in();
        settle();
        if table.window().global::<OwnCopyAdapter>().get_busy().is_empty() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("it is busy for two minutes");
}

#[test]
fn a_copy_is_photographed_and_looked_over_by_keys() {
    if in_its_own_process("own_copy::a_copy_is_photographed_and_looked_over_by_keys") {
        return;
    }
    let photos = tempfile::tempdir().expect("a folder can be made");
    let wall = photos.path().join("empty.png");
    let tiles = photos.path().join("tiles");
    std::fs::create_dir(&tiles).expect("a folder can be made");
    photograph_wall(&empty_wall(), &wall);
    photograph_tiles(&tiles.join("1.png"), 0, 5, 3);
    photograph_tiles(&tiles.join("2.png"), 5, 4, 5);

    let table = open();
    let copy = || table.window().global::<OwnCopyAdapter>();
    let faces = || table.window().global::<FacesAdapter>();
    press(&table, "c");
    the(&table, "Your own copy");
    looks(&table, "own-copy-name");
    the(&table, "Name of your copy").set_accessible_value("no name/");
    press(&table, Key::Return);
    the(&table, "call it by letters");
    the(&table, "Name of your copy").set_accessible_value("ours");
    press(&table, Key::Return);
    the(&table, "no picture yet");

    // A source that is not there is told; with the right one the photo is taken.
    let look_at = |path: &Path| {
        the(&table, "Photos come from").set_accessible_value(path.to_string_lossy().into_owned());
        exactly(&table, "Look").invoke_accessible_default_action();
        settle();
    };
    the(&table, "Photos come from").set_accessible_value("nothing-here.png");
    press(&table, " ");
    the(&table, "there is no picture yet");
    look_at(&wall);
    the(&table, "What the camera sees");
    press(&table, " ");
    done(&table);
    the(&table, "The photo, and what was found in it");
    the(&table, "76 spaces; corner towers");
    the(&table, "Wall: measured");
    // Where the photos lie is another folder each time.
    let looks = |name: &str, path: &Path| {
        the(&table, "Photos come from").set_accessible_value("photos");
        looks_alike(&table, name);
        the(&table, "Photos come from").set_accessible_value(path.to_string_lossy().into_owned());
    };
    looks("own-copy-wall", &wall);
    assert!(library::wall("ours").is_ok(), "the wall is in the library");
    let before = library::wall("ours").expect("it is there").towers;
    press(&table, "r");
    done(&table);
    assert_ne!(library::wall("ours").expect("it is there").towers, before, "the numbers grow the other way");
    press(&table, "r");
    done(&table);
    assert_eq!(library::wall("ours").expect("it is there").towers, before);

    press(&table, Key::Return);
    the(&table, "The tiles");
    look_at(&tiles);
    the(&table, "Take all 2 photos");
    press(&table, " ");
    done(&table);
    the(&table, "9 tiles in 2 photos");
    the(&table, "2 photos are kept, not enrolled yet");
    looks("own-copy-tiles", &tiles);
    // The photos are dropped and taken once more.
    press(&table, Key::Backspace);
    the(&table, "1 photo is kept, not enrolled yet");
    press(&table, " ");
    done(&table);
    the(&table, "2 photos are kept, not enrolled yet");
    press(&table, Key::Return);
    done(&table);
    the(&table, "Tiles: 9 of 60");
    the(&table, "the deck `ours` has 9 tiles");
    assert_eq!(faces().get_items().row_count(), 9 + 7, "tiles and start spaces");
    looks_alike(&table, "own-copy-faces");

    // A half of the first tile that is not doubted becomes a tower, and is undone.
    let first = faces().get_items().iter().position(|item| !item.open).expect("one is sure");
    faces().invoke_select(first as i32);
    settle();
    let face = || faces().get_face().to_string();
    let proposed = face();
    assert_eq!(faces().get_spot(), "above, left");
    let tower = faces().get_choices().iter().position(|c| c.text == "tower").expect("it may be a tower");
    let other = if faces().get_choices().row_data(tower).is_some_and(|c| c.chosen) { 1 } else { tower + 1 };
    press(&table, other.to_string());
    assert_ne!(face(), proposed);
    let written = || library::deck("ours").expect("it is there").deck.tiles[first].face.clone();
    assert_eq!(written().map(|f| f.to_string()), Some(face()), "it is written at once");
    press(&table, "u");
    assert_eq!(face(), proposed);
    assert_eq!(written().map(|f| f.to_string()), Some(face()));

    // Two kinds are exchanged on all tiles at once, and that is undone at once.
    let all = || {
        let deck = library::deck("ours").expect("it is there").deck;
        deck.tiles.iter().filter_map(|tile| Some(tile.face.as_ref()?.to_string())).collect::<Vec<_>>()
    };
    let before = all();
    let kind = faces().get_choices().iter().find(|c| c.chosen).expect("it has a kind").text;
    press(&table, "x");
    assert_eq!(faces().get_choices().row_count(), 2, "two other kinds");
    let choice = faces().get_choices().row_data(0).expect("the first").text;
    let other = choice.split(" ↔ ").last().expect("it has two kinds").to_owned();
    looks_alike(&table, "own-copy-exchange");
    press(&table, "1");
    let bare = |face: &String| face.replace(" +market", "");
    let turned = |face: &String| {
        let marked = bare(face).replace(kind.as_str(), "#");
        marked.replace(&other, &kind).replace('#', &other)
    };
    let sorted = |face: &str| {
        let mut parts: Vec<String> = face.split("; ").map(str::to_owned).collect();
        parts.sort();
        parts
    };
    for (is, was) in all().iter().zip(&before) {
        assert_eq!(sorted(&bare(is)), sorted(&turned(was)));
    }
    assert_ne!(all(), before);
    press(&table, "u");
    assert_eq!(all(), before);

    // What is looked at is marked so, and the next one is shown.
    let open_ones = faces().get_open_ones();
    assert!(open_ones >= 7, "the start spaces at least are to look at");
    for _ in 0..open_ones {
        press(&table, Key::Return);
    }
    assert_eq!(faces().get_open_ones(), 1, "the first was not open, so that one is left");
    press(&table, Key::Return);
    // Nine tiles are no deck.
    the(&table, "the deck has 9 tiles; 60 are needed");
    assert_eq!(copy().get_faces_state().stand, StepStand::AgainstRules);
    the(&table, "All have been looked at");

    // A tile that is none of the set is left out and taken back.
    faces().invoke_select(2);
    settle();
    press(&table, Key::Delete);
    the(&table, "Tiles: 8 of 60");
    let last = faces().get_items().row_count() - 1;
    faces().invoke_select(last as i32);
    settle();
    the(&table, "t03, left out");
    press(&table, Key::Delete);
    the(&table, "Tiles: 9 of 60");
    resize(&table, 800, 480);
    picture(&table, "own-copy-faces-small");
    resize(&table, 1280, 800);
    press(&table, "t");
    the(&table, "9 tiles are enrolled");
    // What the owner wrote into the wall's text stays when the wall is looked at.
    let file = library::data_dir().expect("it is said").join("walls/ours.toml");
    let text = std::fs::read_to_string(&file).expect("the wall is there");
    let written = text.replace("note = \"Surveyed from a photo.\"", "note = \"As we corrected it.\"");
    assert_ne!(written, text);
    std::fs::write(&file, &written).expect("it is written");
    press(&table, "w");
    done(&table);
    the(&table, "76 spaces");
    assert_eq!(std::fs::read_to_string(&file).expect("the wall is there"), written);

    // The form plays with it; under its name it is gone on with.
    press(&table, Key::Escape);
    assert!(labelled(&table, "Your own copy: ours").is_empty());
    let start = table.window().global::<StartAdapter>();
    assert_eq!((start.get_deck().as_str(), start.get_wall().as_str()), ("ours", "ours"));
    press(&table, "c");
    assert_eq!(copy().get_name(), "ours");
    press(&table, Key::Return);
    the(&table, "All have been looked at");
}

#[test]
fn the_drawing_of_a_wall_is_put_right() {
    if in_its_own_process("own_copy::the_drawing_of_a_wall_is_put_right") {
        return;
    }
    let photos = tempfile::tempdir().expect("a folder can be made");
    let photo = photos.path().join("empty.png");
    photograph_wall(&empty_wall(), &photo);
    let table = open();
    let survey = || table.window().global::<SurveyAdapter>();
    let wall = || library::wall("ours").expect("it is there");
    begin(&table, "ours");
    take(&table, &photo);
    the(&table, "Is something wrong?");
    let first = wall();

    // By keys: a corner, the first start space, the first number, and back.
    press(&table, Key::RightArrow);
    the(&table, "Corner A, tower ");
    the(&table, "Photos come from").set_accessible_value("photos");
    looks_alike(&table, "own-copy-wall-held");
    press(&table, Key::DownArrow);
    the(&table, "Start space at ");
    press(&table, Key::DownArrow);
    the(&table, "Space 0 of the track");
    press(&table, Key::RightArrow);
    the(&table, "Space 1 of the track");
    press(&table, Key::UpArrow);
    the(&table, "Start space at ");
    press(&table, Key::UpArrow);

    // A corner that is put a little off is measured where it is: what is printed tells.
    for _ in 0..4 {
        press_shifted(&table, Key::RightArrow);
        press_shifted(&table, Key::DownArrow);
    }
    assert!(survey().get_moved());
    press(&table, Key::Return);
    done(&table);
    assert!(!survey().get_moved());
    let again = wall();
    assert_eq!(again.outline, first.outline);
    let far = first.track.iter().zip(&again.track).map(|(a, b)| (a.x - b.x).hypot(a.y - b.y));
    assert!(far.fold(0.0, f32::max) < 0.03, "the track lies where it lay");
    // One that is put far off is no corner of any wall: nothing changes.
    let at = survey().get_at();
    survey().invoke_drag(at.x + 0.2, at.y + 0.13);
    survey().invoke_put();
    done(&table);
    the(&table, "these are not the 14 corners of a wall");
    assert_eq!(wall(), again);
    assert!(!survey().get_moved());

    // A start space goes to another side of the inner edge, by pointer.
    press(&table, Key::DownArrow);
    let taken = wall().starts[0].clone();
    let from = survey().get_at();
    let free = starts::places(&wall().ring());
    let is_start = |place: &(_, _)| wall().starts.iter().any(|s| (s.cell, s.side) == *place);
    assert!(free.len() > 7 && free.contains(&(taken.cell, taken.side)));
    let next = *free.iter().find(|place| !is_start(place)).expect("there is room");
    let to = place_of(&photo, next);
    survey().invoke_hold(from.x, from.y);
    survey().invoke_drag(to.0, to.1);
    survey().invoke_put();
    done(&table);
    assert!(wall().starts.iter().any(|s| (s.cell, s.side) == next), "{next:?} {:?}", wall().starts);
    assert!(!wall().starts.iter().any(|s| (s.cell, s.side) == (taken.cell, taken.side)));
    assert_eq!(wall().starts.len(), 7);

    // A number lies on the wall and nowhere else.
    survey().invoke_step_kind(1);
    for _ in 0..6 {
        press(&table, Key::RightArrow);
    }
    let number = survey().get_name();
    let at = survey().get_at();
    press_shifted(&table, Key::LeftArrow);
    press(&table, Key::Return);
    done(&table);
    let space: usize = number.parse().expect("it is a number");
    let moved = |a: &Wall, b: &Wall| -> Vec<usize> {
        (0..100)
            .filter(|n| (a.track[*n].x - b.track[*n].x).hypot(a.track[*n].y - b.track[*n].y) > 1e-4)
            .collect()
    };
    assert_eq!(moved(&wall(), &again), [space]);
    survey().invoke_hold(at.x, at.y);
    survey().invoke_drag(0.5, 0.5);
    survey().invoke_put();
    done(&table);
    the(&table, &format!("space {number} of the track lies on the wall"));

    // A tower has the next higher numbers: one space more before it and one less behind it.
    let tower = wall().towers[3];
    while !survey().get_tower().starts_with(&format!("{}/", tower.0)) {
        press(&table, Key::RightArrow);
    }
    press(&table, "+");
    done(&table);
    assert!(wall().towers.contains(&(tower.0 + 1, tower.1 + 1)), "{:?}", wall().towers);
    assert_eq!(wall().starts.len(), 7);
    press(&table, "u");
    done(&table);
    assert!(wall().towers.contains(&tower));
    assert_eq!(moved(&wall(), &again), [space], "what was said before stays");
    // All the rest is taken back one by one.
    while survey().get_may_undo() {
        press(&table, "u");
        done(&table);
    }
    assert_eq!(wall().track, first.track);
    assert_eq!(wall().starts, first.starts);
}

/// Where the middle of a tile side of the inner edge is seen in a photo of the wall, as shares.
fn place_of(photo: &Path, (cell, side): (Cell, Side)) -> (f32, f32) {
    let photo = image::open(photo).expect("it is there").into_rgb8();
    let pose = outline::find(&photo).expect("it shows a wall").fit.pose;
    let (right, down) = side.step();
    let middle = |cell: i8, by: i8| f32::from(cell) + 0.5 + 0.5 * f32::from(by);
    let (u, v) = pose.project(middle(cell.col, right), middle(cell.row, down), 0.0);
    (u / photo.width() as f32, v / photo.height() as f32)
}

#[test]
fn corners_are_pointed_at_where_no_wall_is_found() {
    if in_its_own_process("own_copy::corners_are_pointed_at_where_no_wall_is_found") {
        return;
    }
    let photos = tempfile::tempdir().expect("a folder can be made");
    let clear = photos.path().join("clear.png");
    photograph_wall(&empty_wall(), &clear);
    // A cable lies across the wall and the table inside it.
    let mut photo = image::open(&clear).expect("it is there").into_rgb8();
    let truth = outline::find(&photo).expect("it shows a wall").fit;
    let (width, height) = photo.dimensions();
    for x in 0..width {
        for y in 0..height {
            let off = y as f32 - (0.35 * height as f32 + 0.25 * x as f32);
            if off.abs() < 0.02 * height as f32 {
                photo.put_pixel(x, y, image::Rgb([20, 18, 22]));
            }
        }
    }
    let cable = photos.path().join("cable.png");
    photo.save(&cable).expect("it is written");
    assert!(outline::find(&photo).is_err(), "it is no closed wall");

    let table = open();
    let survey = || table.window().global::<SurveyAdapter>();
    begin(&table, "ours");
    take(&table, &cable);
    assert!(survey().get_pointing());
    let corners: Vec<(f32, f32)> = truth
        .corners
        .iter()
        .map(|(x, y)| {
            let (u, v) = truth.pose.project(*x as f32, *y as f32, 0.0);
            (u / width as f32, v / height as f32)
        })
        .collect();
    // As exactly as somebody points: a few pixels off, to this side and that.
    let off = |i: usize| 0.0012 * [1.0, -1.0, 0.5][i % 3];
    survey().invoke_point(0.5, 0.5);
    press(&table, "u");
    assert_eq!(survey().get_pointed().row_count(), 0);
    for (i, (x, y)) in corners.iter().enumerate() {
        if i == 8 {
            the(&table, "Photos come from").set_accessible_value("photos");
            looks_alike(&table, "own-copy-wall-corners");
        }
        survey().invoke_point(x + off(i), y - off(i + 1));
        settle();
    }
    done(&table);
    the(&table, "76 spaces; corner towers");
    let wall = library::wall("ours").expect("it is there");
    assert_eq!(wall.outline, truth.outline);
    let place = |n: usize| truth.pose.project(wall.track[n].x, wall.track[n].y, 0.0);
    let inside = (0..100).all(|n| place(n).0 > 0.0 && place(n).1 > 0.0);
    assert!(inside && wall.track.len() == 100);
}

#[test]
fn pieces_and_wall_tiles_are_photographed_too() {
    if in_its_own_process("own_copy::pieces_and_wall_tiles_are_photographed_too") {
        return;
    }
    let photos = tempfile::tempdir().expect("a folder can be made");
    let [wall, pieces, nine] = ["wall.png", "pieces.png", "nine.png"].map(|name| photos.path().join(name));
    photograph_wall(&empty_wall(), &wall);
    photograph_wall(&set_up(&empty_wall(), 7), &pieces);
    photograph_wall_tiles(&nine);

    let table = open();
    let copy = || table.window().global::<OwnCopyAdapter>();
    begin(&table, "ours");
    press(&table, "i");
    the(&table, "photograph the empty wall first");
    press(&table, "w");
    take(&table, &wall);
    press(&table, "i");
    the(&table, "Pieces: –");
    // The empty wall has no pieces in it.
    take(&table, &wall);
    the(&table, "pieces of the colour `blue` that are seen inside the wall: 0, not 3");
    take(&table, &pieces);
    the(&table, "blue: a follower stands ");
    the(&table, "Pieces: blue, red");
    the(&table, "Photos come from").set_accessible_value("photos");
    looks_alike(&table, "own-copy-pieces");
    assert_eq!(library::pieces("ours").expect("they are there").words(), ["blue", "red"]);

    press(&table, Key::Return);
    take(&table, &pieces);
    assert!(copy().get_problem().contains("wall tiles are seen in this photo, not 9"));
    take(&table, &nine);
    the(&table, "each wall tile stands above its number");
    the(&table, "Wall tiles: known");
    the(&table, "Photos come from").set_accessible_value("photos");
    looks_alike(&table, "own-copy-wall-tiles");
    let file = library::wall_file("ours").expect("it has a name");
    assert!(library::wall_tiles_folder(&file).join("9.png").is_file());

    // The form plays with them, as long as the colours are theirs.
    press(&table, Key::Return);
    assert!(labelled(&table, "Your own copy: ours").is_empty());
    let start = || table.window().global::<StartAdapter>();
    assert_eq!((start().get_wall().as_str(), start().get_pieces().as_str()), ("ours", "ours"));
    the(&table, "Pieces");
    looks_alike(&table, "start-own-pieces");
    start().set_pieces("–".into());
    start().invoke_pieces_chosen();
    assert_eq!(start().get_pieces(), "–");
}
