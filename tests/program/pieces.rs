//! `castellan pieces`: paints and sizes of pieces that were made up, from one photo of the
//! empty wall, and what it says to bad input.

#![cfg(all(feature = "vision", feature = "studio"))]

use castellan::calibrate::pieces::{Kind, measure};
use castellan::library;
use castellan::pieces::OwnPieces;
use castellan::studio::{
    Board, Mood, PieceKind, PrintedSet, Scene, Style, photograph, random_set_up, set_up, survey_picture,
};
use castellan::table::colour;
use castellan::vision::SurveyedWall;
use image::RgbImage;

use crate::command::{castellan, fails_with};

fn taken(board: &Board, mood: Mood, seed: u64) -> RgbImage {
    let mut scene = Scene::random(board, mood, (1280, 720), seed);
    scene.hand = None;
    photograph(&scene, seed).0
}

/// How far apart two lengths are, as a share.
fn off(found: f32, truth: f32) -> f32 {
    (found / truth).ln().abs()
}

/// Tolerances are a little beyond the worst of 30 other photos (`examples/measure_pieces.rs`).
#[test]
fn paints_and_sizes_of_unseen_pieces_are_found() {
    let words = ["red", "yellow"];
    let mut measured = 0;
    for seed in 301..305 {
        let colours = words.map(colour);
        let board = random_set_up(&colours, seed);
        let survey = survey_picture(board.wall.as_ref().unwrap(), seed);
        let survey = SurveyedWall {
            wall: survey.wall,
            picture: survey.picture,
            px_per_tile: survey.px_per_tile,
            origin_px: survey.origin_px,
        };
        let named: Vec<(String, [u8; 3])> =
            words.iter().zip(colours).map(|(word, rgb)| ((*word).to_owned(), rgb)).collect();
        let photo = taken(&board, Mood::Usual, seed);
        let found = match measure(&[photo], &survey, &named) {
            Ok(found) => found,
            Err(error) => {
                println!("{seed}: {error}");
                continue;
            }
        };
        measured += 1;
        assert_eq!(found.found[0].len(), 6);
        assert_eq!(found.found[0].iter().filter(|f| f.kind == Kind::Keep).count(), 2);
        for (player, truth) in found.pieces.players.iter().zip(colours) {
            let sum = |rgb: [u8; 3]| rgb.iter().map(|v| f32::from(*v)).sum::<f32>();
            assert!(off(sum(player.rgb), sum(truth)) < 0.5, "{seed}: {player:?}");
            for (seen, truth_part) in player.rgb.iter().zip(truth) {
                let share = f32::from(*seen) / sum(player.rgb) - f32::from(truth_part) / sum(truth);
                assert!(share.abs() < 0.12, "{seed}: {player:?} for {truth:?}");
            }
            let keep = board.pieces.reach(PieceKind::Keep, false);
            assert!(off(player.keep.length, keep[0]) < 0.35, "{seed}: {player:?} for {keep:?}");
            assert!(off(player.keep.height, keep[2]) < 0.5, "{seed}: {player:?} for {keep:?}");
            let lying = board.pieces.reach(PieceKind::Follower, true);
            assert!(off(player.lying.length, lying[0]) < 0.4, "{seed}: {player:?} for {lying:?}");
            let bulk = |s: [f32; 3]| s.iter().product::<f32>();
            let [standing, keep] =
                [player.standing, player.keep].map(|s| bulk([s.length, s.width, s.height]));
            assert!(keep > 2.0 * standing, "{seed}: {player:?}");
        }
    }
    assert!(measured >= 3, "{measured} of 4");
}

/// The house wall with a set-up in it.
fn house_set_up(words: [&str; 2]) -> Board {
    let (wall, deck) = (library::wall("house").unwrap(), library::deck("house").unwrap().deck);
    let set = PrintedSet::draw(&wall, &deck, &Style::house(), 0.06);
    let board = Board { wall: set.wall.clone(), colours: words.map(colour).to_vec(), ..Board::default() };
    set_up(&board, 7)
}

#[test]
fn pieces_are_measured_kept_and_played_with() {
    let data = tempfile::tempdir().unwrap();
    let photo = data.path().join("pieces.png");
    taken(&house_set_up(["blue", "yellow"]), Mood::Calm, 3).save(&photo).unwrap();
    let photo = photo.to_str().unwrap();
    let drawn = data.path().join("drawn.png");
    let arguments = ["pieces", photo, "--wall", "house", "--colours", "blue,yellow", "--name", "ours"];
    let output = castellan(data.path(), &[&arguments[..], &["--drawn", drawn.to_str().unwrap()]].concat())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("blue: paint ") && text.contains("keep "), "{text}");
    assert!(drawn.is_file());
    let file = data.path().join("pieces/ours.toml");
    let own = OwnPieces::from_toml(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(own.words(), ["blue", "yellow"]);
    let [r, _, b] = own.players[0].rgb;
    assert!(b > 2 * r, "{own:?}");
    fails_with(data.path(), &arguments, "pieces of this name are there; give --replace");

    // The same photo, read with them: no tile lies there, and nothing is made up.
    let read = ["read", photo, "--deck", "house", "--wall", "house", "--pieces", "ours"];
    let output = castellan(data.path(), &read).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let green = [&read[..], &["--colours", "green,blue"]].concat();
    fails_with(data.path(), &green, "no pieces of the colour `green` were measured, only blue and yellow");
}

#[test]
fn what_is_no_set_up_is_refused_with_a_sentence() {
    let data = tempfile::tempdir().unwrap();
    let whole = house_set_up(["blue", "yellow"]);
    let save = |board: &Board, name: &str| {
        let path = data.path().join(name);
        taken(board, Mood::Calm, 3).save(&path).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let empty = save(&Board { figures: Vec::new(), ..whole.clone() }, "empty.png");
    let mut figures = whole.figures.clone();
    figures.remove(1);
    let less = save(&Board { figures, ..whole.clone() }, "less.png");
    let of = |photo: &str, colours: &str, sentence: &str| {
        let arguments = ["pieces", photo, "--wall", "house", "--colours", colours, "--name", "ours"];
        fails_with(data.path(), &arguments, sentence);
        assert!(!data.path().join("pieces/ours.toml").exists());
    };
    of(
        &empty,
        "blue,yellow",
        "pieces of the colour `blue` that are seen inside the wall: 0, not 3; lay a follower",
    );
    of(&less, "blue,yellow", "pieces of the colour `blue` that are seen inside the wall: 2, not 3");
    of(&less, "blue,blue", "the players' pieces need different colours; `blue` stands twice");
    of(&less, "blue,ultraviolent", "`ultraviolent` is no colour that is known");
    let nothing = data.path().join("nothing.png");
    RgbImage::from_pixel(800, 600, image::Rgb([120, 110, 100])).save(&nothing).unwrap();
    of(nothing.to_str().unwrap(), "blue,yellow", "the castle wall was not found in this picture");
    let without = ["pieces", empty.as_str(), "--colours", "blue,yellow", "--name", "ours"];
    fails_with(
        data.path(),
        &without,
        "pieces are measured inside a surveyed castle wall; name it with --wall",
    );
    let name = ["pieces", empty.as_str(), "--wall", "house", "--colours", "blue,yellow", "--name", "a/b"];
    fails_with(data.path(), &name, "the name of pieces is of letters, digits, - and _");
    let read = ["read", empty.as_str(), "--deck", "house", "--wall", "house", "--pieces", "none"];
    fails_with(data.path(), &read, "no pieces are named `none`; they are measured with `castellan pieces`");
}
