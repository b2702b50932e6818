//! What people are shown of the classic game's modules, by the position itself.

use castellan_rules::classic::{Position, Switches, deck_with};
use castellan_rules::{GamePosition, Names, Phase, Player, sentence};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

const NAMES: [&str; 3] = ["Ada", "Ben", "Cleo"];

/// Positions of a game that played itself.
fn each(sets: &[&str], seed: u64, mut see: impl FnMut(&Position)) {
    let deck = deck_with(sets).unwrap();
    let mut position = Position::new(&deck, NAMES.len(), Switches::default()).unwrap();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    castellan_rules::classic::play_out(&mut position, &mut rng, |position, _| see(position));
}

#[test]
fn every_figure_is_in_the_supply_or_on_the_board_and_every_token_is_held() {
    let mut seen: Vec<&str> = Vec::new();
    for seed in 0..4 {
        each(&["inns", "traders", "king"], seed, |position| {
            for player in Player::first(NAMES.len()) {
                let held = GamePosition::holdings(position, player);
                let names: Vec<&str> = held.iter().map(|h| h.name).collect();
                assert_eq!(names[..3], ["big_follower", "builder", "pig"]);
                assert!(held[..3].iter().all(|h| h.count as usize + h.on_board.len() == 1), "{held:?}");
                assert!(held[3..].iter().all(|h| h.count > 0 && h.on_board.is_empty()), "{held:?}");
                assert!(held.iter().all(|h| h.single == ["king", "robber"].contains(&h.name)));
                seen.extend(names.into_iter().filter(|name| !seen.contains(name)).collect::<Vec<_>>());
            }
        });
    }
    seen.sort_unstable();
    assert_eq!(seen, ["big_follower", "builder", "cloth", "grain", "king", "pig", "robber", "wine"]);
}

#[test]
fn every_step_asks_something_and_the_quarters_have_names() {
    let names = Names::new(&NAMES.map(str::to_owned));
    let mut asked: Vec<String> = Vec::new();
    let mut second = false;
    for seed in 0..60 {
        each(&["traders", "cathars", "count"], seed, |position| {
            let places: Vec<&str> =
                GamePosition::named_places(position).iter().map(|place| place.name).collect();
            assert_eq!(places, ["castle", "market", "blacksmith", "cathedral"]);
            second |= GamePosition::turn_note(position) == Some(sentence!("the builder's second tile"));
            let question = GamePosition::step_question(position, &names);
            assert_eq!(question.is_some(), position.phase() == Phase::Step);
            let Some(question) = question.map(|q| q.to_string()) else { return };
            let actor = names.of(position.actor());
            assert!(question.contains(actor), "{question}");
            let question = question.replace(actor, "X");
            if !asked.contains(&question) {
                asked.push(question);
            }
        });
    }
    asked.sort();
    assert_eq!(
        asked,
        [
            "Does X let a knight escape from the siege?",
            "Does X move a follower from the city to what is completed?",
            "Does X move a follower out of the city before the end is scored?",
            "Does X send a follower into the city?",
            "Where does X move the count?",
        ]
    );
    assert!(second, "no builder brought a second tile");
}
