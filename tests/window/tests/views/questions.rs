//! What the table asks, answered, left, corrected and undone by keys alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use castellan::app::ui::{
    AnswerItem, CorrectAdapter, EnterAdapter, LiveAdapter, QuestionAdapter, QuestionKind, StartAdapter,
};
use castellan::app::{Desk, TableWindow};
use castellan::library;
use castellan::record::{EventKind, Game, Header, VERSION, play_eventful};
use castellan::rules::{Game as Which, Player};
use castellan::table::sim::{Noise, Rehearsal, Tempo};
use castellan::table::{Patience, Session};
use castellan_window_tests::{
    in_its_own_process, labelled, looks, open, picture, press, rest, settle, the, watched,
};
use slint::ComponentHandle;
use slint::platform::Key;

fn facts(desk: &Desk) -> Vec<EventKind> {
    desk.game().facts().into_iter().map(|f| f.1).collect()
}

#[test]
fn questions_are_answered_left_corrected_and_undone_by_keys() {
    if in_its_own_process("questions::questions_are_answered_left_corrected_and_undone_by_keys") {
        return;
    }
    let table = open();
    let asked = || table.window().global::<QuestionAdapter>();
    let form = || table.window().global::<CorrectAdapter>();
    let noise = Noise { mistaken: 0.3, phantom: 0.2, ..Noise::default() };
    let desk = watched(&table, 14, noise, None);
    assert!(asked().get_there());
    let count = asked().get_count();
    assert!(count >= 2, "{count}");
    the(&table, &format!("Question 1 of {count}: "));
    the(&table, "Doubt");
    let first = asked().get_sentence();
    assert!(asked().get_is_seen(), "the place is shown");
    looks(&table, "question");

    press(&table, Key::RightArrow);
    the(&table, &format!("Question 2 of {count}: "));
    press(&table, Key::LeftArrow);
    assert_eq!(asked().get_sentence(), first);

    // One that offers something else than the record has.
    let with_answers = || {
        let found = (0..count).any(|_| {
            let can_be_answered = slint::Model::row_count(&asked().get_answers()) > 1;
            if !can_be_answered {
                press(&table, Key::RightArrow);
            }
            can_be_answered
        });
        assert!(found, "a question has answers");
    };
    with_answers();
    let sentence = asked().get_sentence();
    let before = facts(&desk);
    press(&table, "2");
    rest(&table);
    assert_ne!(facts(&desk), before, "the answer is in the record");
    assert_ne!(asked().get_sentence(), sentence);
    assert!(table.window().global::<LiveAdapter>().get_undoable());
    press(&table, "u");
    rest(&table);
    assert_eq!(facts(&desk), before);
    the(&table, "taken back");

    // What cannot be answered so is refused in words.
    if asked().get_there() && slint::Model::row_count(&asked().get_answers()) < 9 {
        press(&table, "9");
        assert!(
            !labelled(&table, "9 is none of the answers").is_empty()
                || !labelled(&table, "nothing can be chosen").is_empty()
        );
        assert_eq!(facts(&desk), before);
    }

    press(&table, "k");
    the(&table, "Correct a turn");
    looks(&table, "correct");
    let turned = form().get_turned();
    press(&table, "r");
    assert_eq!(form().get_turned(), (turned + 90) % 360);
    picture(&table, "correct-changed");
    press(&table, Key::Escape);
    assert!(labelled(&table, "Correct a turn").is_empty());
    assert_eq!(facts(&desk), before, "nothing is taken unasked");

    press(&table, "k");
    let laid = |kind: &EventKind| matches!(kind, EventKind::FollowerPlaced { .. });
    let followers = before.iter().filter(|k| laid(k)).count();
    // To a turn with a follower, and back from its place to none.
    for _ in 0..14 {
        if form().get_figure() != "no follower" {
            break;
        }
        press(&table, Key::DownArrow);
    }
    for _ in 0..12 {
        if form().get_figure() == "no follower" && form().get_changed() {
            break;
        }
        press(&table, "f");
    }
    assert!(form().get_changed(), "{}", form().get_problem());
    the(&table, "- ");
    looks(&table, "correct-preview");
    press(&table, Key::Return);
    rest(&table);
    assert!(labelled(&table, "Correct a turn").is_empty());
    assert_eq!(facts(&desk).iter().filter(|k| laid(k)).count(), followers - 1);
    press(&table, "u");
    rest(&table);
    assert_eq!(facts(&desk), before);

    // A turn is deleted only after a second word.
    press(&table, "k");
    press(&table, Key::Delete);
    the(&table, "Did this turn not happen?");
    press(&table, Key::Escape);
    assert_eq!(facts(&desk), before);
    press(&table, "k");
    press(&table, Key::Delete);
    press(&table, Key::Return);
    rest(&table);
    assert!(facts(&desk).len() < before.len(), "the turn is deleted");
    press(&table, "u");
    rest(&table);
    assert_eq!(facts(&desk), before);

    // What a camera does not see is told by keys, or as moves.
    let free = before.len();
    press(&table, "i");
    the(&table, "What did the camera not see?");
    looks(&table, "enter");
    let answers = table.window().global::<EnterAdapter>().get_answers();
    assert!(slint::Model::row_count(&answers) > 0);
    press(&table, "1");
    rest(&table);
    assert!(labelled(&table, "What did the camera not see?").is_empty());
    assert_eq!(facts(&desk).len(), free + 1);
    press(&table, "u");
    rest(&table);
    assert_eq!(facts(&desk), before);
    press(&table, "i");
    assert!(!table.window().global::<EnterAdapter>().invoke_write("lay nothing".into()));
    assert!(!table.window().global::<EnterAdapter>().get_problem().is_empty());
    press(&table, Key::Escape);

    wall_tiles_are_named(&table);
}

fn wall_tiles_are_named(table: &TableWindow) {
    let asked = || table.window().global::<QuestionAdapter>();
    let desk = watched(table, 60, Noise::default(), None);
    assert!(asked().get_there());
    for _ in 0..asked().get_count() {
        if asked().get_sentence().contains("say which number it has") {
            break;
        }
        press(table, Key::RightArrow);
    }
    the(table, "Question");
    looks(table, "wall-tile");
    let sentence = asked().get_sentence();
    assert!(sentence.contains("say which number it has"), "{sentence}");
    let shown = |desk: &Desk| {
        facts(desk).into_iter().filter(|k| matches!(k, EventKind::WallTileShown { number: 5, .. })).count()
    };
    press(table, "5");
    rest(table);
    assert_eq!(shown(&desk), 1);
    assert_ne!(asked().get_sentence(), sentence);
}

/// No word of an answer is English.
fn is_german(answers: &slint::ModelRc<AnswerItem>) {
    for answer in slint::Model::iter(answers) {
        let words = format!(" {} ", answer.words);
        let english = [" of ", " the ", " a ", "follower", "recorded", " with ", " path ", "north"];
        assert!(english.iter().all(|e| !words.contains(e)), "{words}");
    }
}

#[test]
fn questions_are_asked_in_the_language_of_the_window() {
    if in_its_own_process("questions::questions_are_asked_in_the_language_of_the_window") {
        return;
    }
    let table = open();
    let asked = || table.window().global::<QuestionAdapter>();
    let noise = Noise { mistaken: 0.3, phantom: 0.2, ..Noise::default() };
    watched(&table, 14, noise, None);
    table.window().global::<StartAdapter>().invoke_language_chosen("Deutsch".into());
    settle();
    let (mut answers, mut headlines) = (0, 0);
    for _ in 0..asked().get_count() {
        is_german(&asked().get_answers());
        answers += slint::Model::row_count(&asked().get_answers());
        if asked().get_kind() != QuestionKind::Said {
            headlines += 1;
            assert_ne!(asked().get_headline(), asked().get_sentence());
        }
        press(&table, Key::RightArrow);
    }
    assert!(answers >= 2 && headlines >= 2, "{answers} answers, {headlines} headlines");

    press(&table, "i");
    let unseen = table.window().global::<EnterAdapter>().get_answers();
    assert!(slint::Model::row_count(&unseen) > 0);
    is_german(&unseen);
    press(&table, Key::Escape);
    press(&table, "k");
    let form = table.window().global::<CorrectAdapter>();
    assert!(!form.get_figure().contains("follower"), "{}", form.get_figure());
    let turns: Vec<String> = slint::Model::iter(&form.get_turns()).map(|t| t.words.to_string()).collect();
    assert!(turns.iter().all(|words| !words.contains(" lays ") && !words.contains(" puts ")), "{turns:?}");
}

/// Whether a question asks whether a follower leaves the city of the Count.
const LEAVES: &str = "move a follower from the city";

/// A table with the Count at which the camera has not seen where a follower of the city went.
fn asked_who_left_the_city(table: &TableWindow) -> Arc<Desk> {
    let deck = library::deck("classic+count").expect("it is built in");
    let header = Header {
        format: "castellan".to_owned(),
        version: VERSION,
        game: Which::Classic,
        deck: "classic+count".to_owned(),
        wall: None,
        edition: None,
        players: vec!["Ada".to_owned(), "Ben".to_owned()],
        colours: vec!["red".to_owned(), "blue".to_owned()],
        neutral: None,
        starts: Player(0),
        wall_tiles: [].into(),
    };
    let noise = Noise { unseen: 0.9, unseen_for: 60.0, ..Noise::default() };
    let session = (0..30).find_map(|seed| {
        let game = play_eventful(header.clone(), None, &deck.deck, seed, 40).ok()?;
        let start = || Game::new(header.clone(), None, &deck.deck).expect("the deck makes a game");
        let mut session = Session::resume(start(), deck.deck.clone()).with_patience(Patience::live());
        let tempo = Tempo { calm: 20.0, ..Tempo::live() };
        Rehearsal::of(&game, start(), &deck.deck, tempo, noise, seed).observations.iter().find_map(
            |(t, seen)| {
                session.observe(seen, *t);
                let asked = session.questions();
                asked
                    .iter()
                    .any(|q| q.sentence.to_string().contains(LEAVES) && q.answers.len() > 1)
                    .then_some(())
            },
        )?;
        Some(session)
    });
    let session = session.expect("a game comes to it");
    let desk = table.open_live(deck, None, session, None, "camera:0");
    rest(table);
    desk
}

#[test]
fn who_left_the_city_and_where_to_is_answered_by_a_key() {
    if in_its_own_process("questions::who_left_the_city_and_where_to_is_answered_by_a_key") {
        return;
    }
    let table = open();
    let desk = asked_who_left_the_city(&table);
    let asked = || table.window().global::<QuestionAdapter>();
    for _ in 0..asked().get_count() {
        if asked().get_sentence().contains(LEAVES) {
            break;
        }
        press(&table, Key::RightArrow);
    }
    let answers: Vec<AnswerItem> = slint::Model::iter(&asked().get_answers()).collect();
    assert!(answers.iter().all(|answer| !answer.words.contains("segment")), "{answers:?}");
    let words: BTreeSet<&str> = answers.iter().map(|answer| answer.words.as_str()).collect();
    assert_eq!(words.len(), answers.len(), "{answers:?}");
    looks(&table, "question-step");
    let leaves = |answer: &&AnswerItem| answer.words.contains("a follower from the ");
    let leaves = answers.iter().find(leaves).unwrap_or_else(|| panic!("{answers:?}"));
    let left = || facts(&desk).iter().filter(|kind| matches!(kind, EventKind::FigureMoved { .. })).count();
    let before = left();
    press(&table, leaves.key.clone());
    rest(&table);
    assert_eq!(left(), before + 1, "the answer is in the record");
}
