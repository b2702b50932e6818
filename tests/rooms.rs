//! Which room of the library may import which, that no two files of a room import each
//! other, be it round corners, and that what the games share in the rules names nothing of
//! one game. ARCHITECTURE.md draws the same; here it is held.
//!
//! Read off the sources: `use` lines, and paths that begin with `crate`, `super`, `self` or
//! with the name of an imported module. Tests inside the sources may import what they like.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;

/// The rooms with what each may import beside itself and the rules. What is not named here,
/// the commands, is not held to anything but [`MAY_CALIBRATE`].
const ROOMS: &[(&str, &[&str])] = &[
    ("vision::base", &["picture"]),
    ("vision::faces", &["vision::base"]),
    ("vision::wall", &["vision::base", "picture"]),
    ("vision::tiles", &["vision::base", "observation", "files"]),
    ("vision::grid", &["vision::base", "vision::tiles"]),
    ("vision::figures", &["vision::base", "vision::tiles", "observation", "files", "colours", "pieces"]),
    (
        "vision::read",
        &[
            "vision::base",
            "vision::wall",
            "vision::tiles",
            "vision::grid",
            "vision::figures",
            "observation",
            "pieces",
        ],
    ),
    // The names that others use: nothing in the rooms goes by them.
    ("vision", &["vision::base", "vision::wall", "vision::tiles", "vision::read"]),
    ("references", &["vision::base", "library", "picture", "studio"]),
    ("calibrate::faces", &["vision::base", "vision::faces"]),
    ("calibrate::survey", &["vision::base", "library", "references"]),
    (
        "calibrate::enrol",
        &[
            "calibrate::faces",
            "vision::base",
            "vision::tiles",
            "library",
            "references",
            "files",
            "picture",
            "share",
        ],
    ),
    ("calibrate::pieces", &["vision::base", "vision::wall", "vision::figures", "pieces"]),
    (
        "calibrate::wall_tiles",
        &["calibrate::enrol", "vision::base", "vision::wall", "references", "files", "picture"],
    ),
    (
        "calibrate::own_copy",
        &[
            "calibrate::enrol",
            "calibrate::faces",
            "calibrate::pieces",
            "calibrate::survey",
            "calibrate::wall_tiles",
            "vision::base",
            "vision::wall",
            "vision::tiles",
            "colours",
            "library",
            "pieces",
            "references",
            "files",
            "picture",
        ],
    ),
    ("calibrate", &["calibrate::enrol"]),
    ("files", &[]),
    ("picture", &["files"]),
    ("observation", &[]),
    ("colours", &[]),
    ("pieces", &[]),
    ("library", &["files", "pieces"]),
    ("archive", &["record", "library"]),
    ("bg_stats", &["archive"]),
    ("share", &["files"]),
    ("record", &["files"]),
    ("studio", &["record", "observation"]),
    ("print", &["studio"]),
    ("capture", &["picture"]),
    (
        "table",
        &[
            "record",
            "library",
            "observation",
            "colours",
            "pieces",
            "files",
            "picture",
            "vision",
            "references",
            "capture",
            "studio",
        ],
    ),
    ("page", &["table"]),
    (
        "app",
        &[
            "table",
            "page",
            "colours",
            "archive",
            "bg_stats",
            "record",
            "library",
            "files",
            "observation",
            "picture",
            "studio",
            "capture",
            "vision::base",
            "vision::read",
            "calibrate::faces",
            "calibrate::own_copy",
        ],
    ),
];

/// What an owner does once is done by these commands; nothing that reads a frame needs it.
const MAY_CALIBRATE: &[&str] = &[
    "app::adapter_faces",
    "app::adapter_own_copy",
    "app::adapter_survey",
    "app::faces_page",
    "app::own_copy_page",
    "calibrate",
    "cli::enrol",
    "cli::evaluate",
    "cli::evaluate_survey",
    "cli::import",
    "cli::pieces",
    "cli::survey",
    "cli::wall_tiles",
];

/// In these no circle of files is left.
const WITHOUT_CIRCLES: &[&str] = &[
    "app",
    "calibrate",
    "capture",
    "cli",
    "files",
    "library",
    "observation",
    "picture",
    "pieces",
    "print",
    "record",
    "references",
    "share",
    "studio",
    "table",
    "vision",
];

/// What only one game has, in the words of its rules; but for fields, which data have too.
const WORDS_OF_ONE_GAME: &[&str] = &[
    "castle",
    "court",
    "fountain",
    "herald",
    "house",
    "keep",
    "market",
    "merchant",
    "path",
    "pickup",
    "square",
    "squire",
    "tower",
    "builder",
    "city",
    "classic",
    "cloister",
    "farmer",
    "highwayman",
    "monk",
    "pennant",
    "pig",
    "river",
    "road",
];

/// Where the rules may name a game: its own folder, the list of the games, and the crate's
/// root, which hands out what is in the folders.
const MAY_NAME_A_GAME: &[&str] = &["castle", "classic", "games", ""];

/// The library's files: the path of each module (`vision::base::photo`; nothing for the
/// root) with its text.
type Sources = BTreeMap<String, String>;

/// Which modules each module imports.
type Imports = BTreeMap<String, BTreeSet<String>>;

fn sources(folder: &str) -> Sources {
    fn walk(folder: &Path, module: &str, all: &mut Sources) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
            let child = |name: &str| join(module, name);
            if path.is_dir() {
                walk(&path, &child(&name), all);
            } else if let Some(stem) = name.strip_suffix(".rs") {
                let module = match stem {
                    "main" => continue,
                    "lib" | "mod" => module.to_owned(),
                    _ => child(stem),
                };
                all.insert(module, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut all = Sources::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), "", &mut all);
    all
}

fn join(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

/// Whether a module is a room or lies in it.
fn lies_in(module: &str, room: &str) -> bool {
    module.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// The text without comments, literals and what is built for tests only.
fn code(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |i| i + 2)
        } else if let Some(hashes) = raw_string(rest) {
            let end = format!("\"{}", "#".repeat(hashes));
            let body = 2 + hashes;
            rest[body..].find(&end).map_or(rest.len(), |i| body + i + end.len())
        } else if c == '"' {
            let mut escaped = false;
            let end = rest.char_indices().skip(1).find(|(_, c)| {
                let ends = *c == '"' && !escaped;
                escaped = *c == '\\' && !escaped;
                ends
            });
            end.map_or(rest.len(), |(i, _)| i + 1)
        } else {
            char_literal(rest).unwrap_or(0)
        };
        if skipped == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            out.push(' ');
            rest = &rest[skipped..];
        }
    }
    without_tests(&out)
}

/// The number of `#` of a raw string that begins here.
fn raw_string(rest: &str) -> Option<usize> {
    let hashes = rest.strip_prefix('r')?.chars().take_while(|c| *c == '#').count();
    rest[1 + hashes..].starts_with('"').then_some(hashes)
}

/// The length of a character's literal that begins here; a lifetime is none.
fn char_literal(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('\'')?;
    let length = if let Some(escape) = inner.strip_prefix('\\') {
        1 + escape.char_indices().skip(1).find(|(_, c)| *c == '\'')?.0
    } else {
        inner.chars().next()?.len_utf8()
    };
    inner[length..].starts_with('\'').then_some(length + 2)
}

fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::new();
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        rest = &rest[at + MARK.len()..];
        let mut depth = 0;
        let end = rest.char_indices().find(|(_, c)| {
            depth += i32::from(*c == '{') - i32::from(*c == '}');
            depth == 0 && (*c == '}' || *c == ';')
        });
        rest = &rest[end.map_or(rest.len(), |(i, _)| i + 1)..];
    }
    out + rest
}

/// The paths that a `use` brings in, each with the name that it is then known by.
fn expanded(tree: &str, before: &str, all: &mut Vec<(String, String)>) {
    let tree = tree.trim();
    let Some(brace) = tree.find('{') else {
        let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
        let mut path = before.to_owned() + &path.replace(char::is_whitespace, "");
        if let Some(module) = path.strip_suffix("::self") {
            path = module.to_owned();
        }
        let name = if name.is_empty() { path.rsplit("::").next().unwrap_or("") } else { name.trim() };
        all.push((path.clone(), name.to_owned()));
        return;
    };
    let head = before.to_owned() + &tree[..brace].replace(char::is_whitespace, "");
    let inner = &tree[brace + 1..tree.rfind('}').unwrap_or(tree.len())];
    let (mut depth, mut from) = (0, 0);
    for (i, c) in inner.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if c == ',' && depth == 0 {
            expanded(&inner[from..i], &head, all);
            from = i + 1;
        }
    }
    if !inner[from..].trim().is_empty() {
        expanded(&inner[from..], &head, all);
    }
}

/// The words and the paths of words of a text, white space left out.
fn paths(code: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut all: Vec<String> = Vec::new();
    let (mut path, mut goes_on) = (String::new(), false);
    let mut rest = code.trim_start();
    while let Some(c) = rest.chars().next() {
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let taken = if word > 0 {
            if !goes_on && !path.is_empty() {
                all.push(std::mem::take(&mut path));
            }
            path.push_str(&rest[..word]);
            goes_on = false;
            word
        } else if rest.starts_with("::") && !path.is_empty() {
            path.push_str("::");
            goes_on = true;
            2
        } else {
            all.push(std::mem::take(&mut path));
            goes_on = false;
            c.len_utf8()
        };
        rest = rest[taken..].trim_start();
    }
    all.push(path);
    all.retain(|p| p.contains("::"));
    all
}

/// The path from the root that a path means in a module, where it means one of ours.
fn from_root(path: &str, module: &str, known: &BTreeMap<String, String>) -> Option<String> {
    let mut place: Vec<&str> = module.split("::").filter(|s| !s.is_empty()).collect();
    let mut segments = path.split("::").filter(|s| !s.is_empty()).peekable();
    match *segments.peek()? {
        "crate" => {
            segments.next();
            place.clear();
        }
        "self" => {
            segments.next();
        }
        "super" => {}
        first => {
            place = known.get(first)?.split("::").collect();
            segments.next();
        }
    }
    while segments.next_if_eq(&"super").is_some() {
        place.pop();
    }
    place.extend(segments);
    Some(place.join("::"))
}

/// The module of ours that a path from the root names, or that holds what it names.
fn holder<'a>(path: &'a str, sources: &Sources) -> Option<&'a str> {
    let mut path = path;
    while !sources.contains_key(path) {
        path = &path[..path.rfind("::")?];
    }
    Some(path)
}

fn imports(sources: &Sources) -> Imports {
    let of = |(module, text): (&String, &String)| {
        let code = code(text);
        // What modules are called here: those that are declared, then those that are imported.
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        let mut named: BTreeSet<String> = BTreeSet::new();
        let mut plain = String::new();
        let mut used: Vec<(String, String)> = Vec::new();
        for statement in code.split_inclusive([';', '{', '}']) {
            let words: Vec<&str> = statement.split_whitespace().collect();
            if let [.., "mod", name] = words[..]
                && let Some(name) = name.strip_suffix(';')
            {
                known.insert(name.to_owned(), join(module, name));
            }
            plain.push_str(statement);
        }
        let mut rest = plain.as_str();
        let mut body = String::new();
        while let Some(at) = use_at(rest) {
            let end = rest[at..].find(';').map_or(rest.len(), |i| at + i);
            body.push_str(&rest[..at]);
            expanded(&rest[at + "use ".len()..end], "", &mut used);
            rest = &rest[end..];
        }
        body.push_str(rest);
        for (path, name) in used {
            let Some(path) = from_root(&path, module, &known) else { continue };
            named.insert(path.clone());
            if sources.contains_key(&path) {
                known.insert(name, path);
            }
        }
        named.extend(paths(&body).iter().filter_map(|p| from_root(p, module, &known)));
        let found: BTreeSet<String> = named
            .iter()
            .filter_map(|path| holder(path, sources))
            .filter(|holder| !holder.is_empty() && holder != module)
            .map(str::to_owned)
            .collect();
        (module.clone(), found)
    };
    sources.iter().map(of).collect()
}

/// The words that the identifiers of a text are made of, in the singular and in small
/// letters: `tower` and `at` of `tower_at`, `pick` and `up` of `PickUps`.
fn words(code: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for name in code.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        let mut small = false;
        for c in name.chars() {
            if c.is_uppercase() && small {
                all.insert(singular(&std::mem::take(&mut word)));
            }
            small = c.is_lowercase();
            word.extend(c.to_lowercase());
        }
        all.insert(singular(&word));
    }
    all
}

fn singular(word: &str) -> String {
    match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

/// A sentence for each word of one game that a module of the rules has in an identifier and
/// may not have there.
fn names_of_one_game(sources: &Sources) -> Vec<String> {
    let room = |module: &str| module.split("::").next().unwrap_or_default().to_owned();
    let shared = sources.iter().filter(|(module, _)| !MAY_NAME_A_GAME.contains(&room(module).as_str()));
    let found = shared.flat_map(|(module, text)| {
        let words = words(&code(text));
        let theirs: Vec<&str> =
            WORDS_OF_ONE_GAME.iter().copied().filter(|word| words.contains(&singular(word))).collect();
        theirs.into_iter().map(move |word| format!("rules/src/{module}.rs names a {word}"))
    });
    found.collect()
}

/// Where the next `use` begins.
fn use_at(code: &str) -> Option<usize> {
    let begins = |at: &usize| {
        let before = code[..*at].chars().next_back();
        before.is_none_or(|c| c.is_whitespace() || c == ';' || c == '}' || c == ')')
    };
    code.match_indices("use ").map(|(at, _)| at).find(begins)
}

/// The shortest way from a module of these rooms back to itself, if there is any.
fn circle(imports: &Imports, rooms: &[&str]) -> Option<Vec<String>> {
    let back = |module: &String| {
        let mut from: BTreeMap<&String, &String> = BTreeMap::new();
        let mut open = VecDeque::from([module]);
        while let Some(at) = open.pop_front() {
            for next in imports.get(at).into_iter().flatten() {
                if next == module {
                    let way = std::iter::successors(Some(at), |m| from.get(m).copied());
                    let mut way: Vec<String> = [next].into_iter().chain(way).cloned().collect();
                    way.reverse();
                    return Some(way);
                }
                if !from.contains_key(next) {
                    from.insert(next, at);
                    open.push_back(next);
                }
            }
        }
        None
    };
    imports.keys().filter(|m| rooms.iter().any(|room| lies_in(m, room))).find_map(back)
}

/// A sentence for each import that no room allows.
fn forbidden(imports: &Imports) -> Vec<String> {
    // The innermost room counts.
    let room = |module: &str| {
        let rooms = ROOMS.iter().filter(|(room, _)| lies_in(module, room));
        rooms.max_by_key(|(room, _)| room.len())
    };
    let mut found = Vec::new();
    for (module, imported) in imports {
        for other in imported {
            let calibrates =
                lies_in(other, "calibrate") && !MAY_CALIBRATE.iter().any(|may| lies_in(module, may));
            let strange = room(module).is_some_and(|(own, may)| {
                let other = room(other).map_or(other.as_str(), |(name, _)| name);
                other != *own && !may.iter().any(|may| lies_in(other, may))
            });
            if calibrates || strange {
                found.push(format!("{module} imports {other}"));
            }
        }
    }
    found
}

#[test]
fn every_room_imports_only_what_it_may() {
    let found = forbidden(&imports(&sources("src")));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_files_import_one_another_in_a_circle() {
    let imports = imports(&sources("src"));
    if let Some(circle) = circle(&imports, WITHOUT_CIRCLES) {
        panic!("{}", circle.join(" -> "));
    }
}

#[test]
fn every_room_that_is_named_is_there_and_is_used() {
    let imports = imports(&sources("src"));
    let named = ROOMS.iter().flat_map(|(room, may)| may.iter().map(move |may| (*room, *may)));
    for (room, may) in named {
        let uses = |(module, imported): (&String, &BTreeSet<String>)| {
            lies_in(module, room) && imported.iter().any(|other| lies_in(other, may))
        };
        assert!(imports.iter().any(uses), "{room} does not import {may}; it need not be allowed to");
    }
    for room in MAY_CALIBRATE.iter().chain(WITHOUT_CIRCLES) {
        assert!(imports.contains_key(*room), "there is no {room}");
    }
}

#[test]
fn what_the_games_share_names_nothing_of_one_game() {
    let sources = sources("rules/src");
    let found = names_of_one_game(&sources);
    assert!(found.is_empty(), "{}", found.join("\n"));
    for room in MAY_NAME_A_GAME {
        assert!(sources.contains_key(*room), "the rules have no module {room}");
    }
    let by_the_games: BTreeSet<String> =
        sources.iter().filter(|(m, _)| m.contains("::")).flat_map(|(_, text)| words(&code(text))).collect();
    for word in WORDS_OF_ONE_GAME {
        assert!(by_the_games.contains(&singular(word)), "no game names a {word}; it need not be listed");
    }
}

#[test]
fn a_word_of_one_game_is_told_wherever_it_stands_in_a_name() {
    let told =
        |module: &str, text: &str| names_of_one_game(&Sources::from([(module.to_owned(), text.to_owned())]));
    for form in [
        "fn tower_at() {}",
        "struct CornerTowers;",
        "const MOST_TOWERS: u8 = 4;",
        "match kind { Kind::TOWER => 2, _ => 1 }",
        "enum Kind { First, Tower }",
    ] {
        assert_eq!(told("face", form)[..1], ["rules/src/face.rs names a tower"], "{form}");
    }
    assert_eq!(told("moves", "struct Cities { farmers: u8 }").len(), 2);
    for form in [
        "/// Such as a tower of The Castle.\nfn f() {}",
        "const SENTENCE: &str = \"no tower stands there\";",
        "fn towering(kept: u8) {}",
        "#[cfg(test)]\nmod tests { fn tower() {} }",
    ] {
        assert_eq!(told("face", form), [""; 0], "{form}");
    }
    for own in ["castle::position", "classic", "games", ""] {
        assert_eq!(told(own, "fn tower_at() {}"), [""; 0], "{own}");
    }
}

fn made_up(files: &[(&str, &str)]) -> Imports {
    let root = ("", "pub mod vision; pub mod calibrate; pub mod studio; pub mod library;");
    let all = files.iter().chain([&root]);
    imports(&all.map(|(module, text)| ((*module).to_owned(), (*text).to_owned())).collect())
}

#[test]
fn imports_are_found_in_all_their_forms() {
    let forms = [
        "use crate::vision::base::photo::open;",
        "use super::base::photo::{self, open};",
        "pub(crate) use crate::{rules::Cell, vision::base::{photo::Pyramid as P}};",
        "fn f() { super::base::photo::open() }",
        "use super::base; fn f() { base::photo::open() }",
        "use crate::vision::base as ground; fn f() -> ground :: photo :: P {}",
        "#[cfg(feature = \"x\")]\nuse crate::vision::base::photo;",
        "struct A<'a>(&'a str); fn f(c: char) { if c == '\"' { super::base::photo::open() } }",
    ];
    for form in forms {
        let files = [
            ("vision", "pub mod base; pub mod read;"),
            ("vision::base", "pub mod photo;"),
            ("vision::base::photo", ""),
            ("vision::read", form),
        ];
        let found = &made_up(&files)["vision::read"];
        assert!(found.contains("vision::base::photo"), "{form}: {found:?}");
    }
}

#[test]
fn what_is_no_import_is_none() {
    let forms = [
        "// use crate::calibrate::survey;",
        "/// See [`survey`](crate::calibrate::survey).\nfn f() {}",
        "/* use crate::calibrate::survey; */",
        "const A: &str = \"use crate::calibrate::survey; \\\" crate::calibrate::survey\";",
        "const A: &str = r#\"crate::calibrate::survey \" \"#;",
        "#[cfg(test)]\nmod tests { use crate::calibrate::survey; fn f() {} }",
        "#[cfg(test)]\nuse crate::calibrate::survey;",
        "use std::calibrate::survey; use other::calibrate::survey;",
    ];
    for form in forms {
        let files = [("calibrate", "pub mod survey;"), ("calibrate::survey", ""), ("vision", form)];
        let found = &made_up(&files)["vision"];
        assert!(found.is_empty(), "{form}: {found:?}");
    }
}

#[test]
fn a_circle_and_a_wrong_direction_are_told() {
    let files = [
        ("vision", "pub mod base; pub mod tiles;"),
        ("vision::base", "pub mod a; pub mod b; pub mod c;"),
        ("vision::base::a", "use super::b::B;"),
        ("vision::base::b", "fn f() { crate::vision::base::c::f() }"),
        ("vision::base::c", "use crate::{vision::base::a::{A, self}};"),
        ("vision::tiles", "use super::base::a::A; use crate::studio::Style; use crate::calibrate::survey;"),
        ("calibrate", "pub mod survey; use crate::vision::base::a::A;"),
        ("calibrate::survey", "use crate::library::deck;"),
        ("studio", ""),
        ("library", ""),
    ];
    let mut imports = made_up(&files);
    let told = circle(&imports, &["vision"]).unwrap();
    assert_eq!(told.len(), 4);
    assert_eq!(told.first(), told.last());
    assert_eq!(
        forbidden(&imports),
        [
            "calibrate imports vision::base::a",
            "vision::tiles imports calibrate::survey",
            "vision::tiles imports studio",
        ]
    );
    imports.get_mut("vision::base::c").unwrap().clear();
    assert_eq!(circle(&imports, &["vision"]), None);
}
