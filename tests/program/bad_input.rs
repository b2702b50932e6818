//! Files that lie about what is in them: each is refused in a sentence, and none
//! takes a gigabyte of memory.
#![cfg(all(feature = "studio", feature = "vision", unix))]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use castellan::library;
use castellan::rules::{Deck, Tile, Wall};
use castellan::share::{self, Shared, WallPhoto};
use wait4::Wait4;

const GIGABYTE: u64 = 1 << 30;

/// Runs the program and gives its exit status and stderr; its memory stays under a
/// gigabyte. What this process holds is counted with it, so large files are written in
/// pieces.
fn run(data: &Path, arguments: &[&str]) -> (i32, String) {
    let said = data.join("stderr");
    let child = Command::new(env!("CARGO_BIN_EXE_castellan"))
        .args(arguments)
        .env("CASTELLAN_DATA", data)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(&said).unwrap())
        .spawn();
    let used = child.unwrap().wait4().unwrap();
    let said = std::fs::read_to_string(said).unwrap();
    let peak = used.rusage.maxrss;
    println!("{} MB: {arguments:?}: {said}", peak >> 20);
    assert!(peak < GIGABYTE, "{arguments:?} took {} MB", peak >> 20);
    (used.status.code().unwrap_or(-1), said)
}

/// The program fails with one short line that holds a sentence.
fn fails(data: &Path, arguments: &[&str], sentence: &str) {
    let (code, said) = run(data, arguments);
    assert_eq!(code, 1, "{arguments:?}: {said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains(sentence) && said.len() < 600, "{arguments:?}: {said}");
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn written(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// So many zeros as a zlib stream (RFC 1950, 1951): one zero, then copies of it, 258 at
/// a time.
fn zeros(count: usize) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let (mut held, mut bits) = (0_u32, 0);
    let mut put = |value: u32, width: u32| {
        held |= value << bits;
        bits += width;
        while bits >= 8 {
            out.push(held as u8);
            held >>= 8;
            bits -= 8;
        }
    };
    // A last block of fixed codes; codes stand with their first bit first.
    put(0b011, 3);
    let literal = (count - 1) % 258 + 1;
    (0..literal).for_each(|_| put(0b0000_1100, 8));
    (0..(count - 1) / 258).for_each(|_| {
        put(0b1010_0011, 8);
        put(0, 5);
    });
    put(0, 7);
    put(0, 7);
    let sum = ((count % 65_521) as u32) << 16 | 1;
    out.extend(sum.to_be_bytes());
    out
}

/// A PNG file of these chunks between its head and its end.
fn png(width: u32, height: u32, depth: u8, colour: u8, chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut head = [width.to_be_bytes(), height.to_be_bytes()].concat();
    head.extend([depth, colour, 0, 0, 0]);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let all = [&[(b"IHDR", head.as_slice())], chunks, &[(b"IEND", b"".as_slice())]].concat();
    for (name, content) in all {
        out.extend((content.len() as u32).to_be_bytes());
        let start = out.len();
        out.extend(name);
        out.extend(content);
        let sum = crc(&out[start..]);
        out.extend(sum.to_be_bytes());
    }
    out
}

/// The check sum of a PNG's chunk (ISO 3309).
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| (c >> 1) ^ (0xedb8_8320 & (c & 1).wrapping_neg()))
    })
}

/// A black picture with sixteen bits a channel and alpha.
fn deep_png(side: u32, more: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let pixels = zeros((side as usize * 8 + 1) * side as usize);
    png(side, side, 16, 6, &[more, &[(b"IDAT", &pixels)]].concat())
}

/// A small JPEG file that claims to be so many pixels a side; `progressive` where its
/// frame says so.
fn lying_jpeg(side: u16, progressive: bool) -> Vec<u8> {
    let picture = image::RgbImage::from_fn(64, 64, |x, y| image::Rgb([x as u8, y as u8, 99]));
    let mut bytes = Vec::new();
    image::codecs::jpeg::JpegEncoder::new(&mut bytes).encode_image(&picture).unwrap();
    let find = |bytes: &[u8], marker: u8| bytes.windows(2).position(|w| w == [0xff, marker]).unwrap();
    let frame = find(&bytes, 0xc0);
    let side = side.to_be_bytes();
    bytes[frame + 5..frame + 9].copy_from_slice(&[side[0], side[1], side[0], side[1]]);
    if progressive {
        bytes[frame + 1] = 0xc2;
        let scan = find(&bytes, 0xda);
        let end = scan + 2 + usize::from(bytes[scan + 3]);
        bytes[end - 3..end].copy_from_slice(&[0, 0, 0]);
    }
    bytes
}

#[test]
fn pictures_that_claim_to_be_huge_take_little() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path();
    let bomb = written(data, "bomb.png", &png(100_000, 100_000, 8, 2, &[(b"IDAT", b"")]));
    let vast = written(data, "vast.jpg", &lying_jpeg(65_500, false));
    let large = written(data, "large.png", &png(20_000, 20_000, 8, 2, &[(b"IDAT", &zeros(1000))]));
    let tiny = written(data, "tiny.png", &png(1, 1, 8, 2, &[(b"IDAT", &zeros(4))]));
    for picture in [&bomb, &vast, &large, &tiny] {
        let picture = text(picture);
        let sentence = "megapixels are possible";
        fails(data, &["read", picture, "--deck", "house"], sentence);
        fails(data, &["survey", picture, "--name", "w"], sentence);
        fails(data, &["enrol", picture, "--game", "classic", "--name", "d"], sentence);
        fails(data, &["enrol", picture, "--game", "classic", "--name", "d", "--one-per-photo"], sentence);
    }
    assert!(!data.join("decks").exists() && !data.join("walls").exists());
}

#[test]
fn half_a_jpeg_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path();
    let whole = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/datasets/house-game/0060.jpg")).unwrap();
    let half = written(data, "half.jpg", &whole[..whole.len() / 2]);
    let half = text(&half);
    let sentence = "its end is missing; copy it again from where it was taken";
    fails(data, &["read", half, "--deck", "house", "--wall", "house"], sentence);
    fails(data, &["survey", half, "--name", "w"], sentence);
    fails(data, &["enrol", half, "--game", "classic", "--name", "d"], sentence);
    fails(data, &["enrol", half, "--game", "classic", "--name", "d", "--one-per-photo"], sentence);
    assert!(!data.join("decks").exists() && !data.join("walls").exists());
}

#[test]
fn the_largest_pictures_stay_under_a_gigabyte() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path();
    // Turned by a quarter, as its Exif says.
    let turned = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let deep = written(data, "deep.png", &deep_png(7200, &[]));
    fails(data, &["read", text(&deep), "--deck", "house"], "save it with eight bits a colour");
    let deep = written(data, "deep.png", &deep_png(6300, &[(b"eXIf", turned)]));
    let deep = text(&deep);
    fails(data, &["enrol", deep, "--game", "classic", "--name", "d", "--one-per-photo"], "one colour");
    fails(data, &["read", deep, "--deck", "house"], "no tiles of deck `house` were found");
    let enrol = |picture: &Path| {
        let how = ["--game", "classic", "--name", "d", "--one-per-photo", "--replace", "--no-faces"];
        run(data, &[&["enrol", text(picture)], how.as_slice()].concat())
    };
    for (name, progressive) in [("plain.jpg", false), ("progressive.jpg", true)] {
        let (code, said) = enrol(&written(data, name, &lying_jpeg(7200, progressive)));
        assert!((0..=3).contains(&code), "{said}");
    }
    let profile = [b"icc\0\0".as_slice(), &zeros(600 << 20)].concat();
    let comment = [b"Comment\0\0".as_slice(), &zeros(600 << 20)].concat();
    let pixels = zeros((64 * 3 + 1) * 64);
    for (name, chunk) in [(b"iCCP", &profile), (b"zTXt", &comment)] {
        let bomb = png(64, 64, 8, 2, &[(name, chunk), (b"IDAT", &pixels)]);
        let (code, said) = enrol(&written(data, "bomb.png", &bomb));
        assert_eq!(code, 1, "{said}");
    }
}

#[test]
fn texts_without_end_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path();
    let deck = data.join("deck.toml");
    let mut file = File::create(&deck).unwrap();
    let tiles = b"[[tile]]\nid = \"t\"\n".repeat(1 << 16);
    (0..80).for_each(|_| file.write_all(&tiles).unwrap());
    let nested = written(data, "nested.toml", &[b"outline = ".as_slice(), &b"[".repeat(900_000)].concat());
    let line = written(data, "line.toml", &[b"outline = ".as_slice(), &b"x".repeat(900_000)].concat());
    let still = written(data, "still.png", &png(64, 64, 8, 2, &[(b"IDAT", &zeros((64 * 3 + 1) * 64))]));
    let still = text(&still);
    fails(data, &["read", still, "--deck", text(&deck)], "larger than 1 MB");
    fails(data, &["check", text(&deck)], "larger than 16 MB");
    let long = written(data, "long.toml", &[b"name = \"d\"\n".as_slice(), &tiles].concat());
    fails(data, &["check", text(&long)], "longer than 1 MB");
    fails(data, &["watch", still, "--game", text(&deck)], "larger than 1 MB");
    for file in [&nested, &line] {
        fails(data, &["read", still, "--deck", "house", "--wall", text(file)], "the wall cannot be read");
        fails(data, &["check", text(file)], "the wall cannot be read");
        fails(data, &["watch", still, "--game", text(file)], "not of the form");
    }
    let truth = written(data, "truth.json", &[b"{\"cells\":".as_slice(), &b"[".repeat(900_000)].concat());
    fails(data, &["evaluate", text(data)], "this is not the truth of a photo");
    std::fs::write(truth, vec![b' '; 5 << 20]).unwrap();
    fails(data, &["evaluate", text(data)], "larger than 4 MB");
}

/// A head of CBOR (RFC 8949): a major type and a number.
fn head(major: u8, number: u64) -> Vec<u8> {
    [&[major << 5 | 27], number.to_be_bytes().as_slice()].concat()
}

fn words(text: &str) -> Vec<u8> {
    [head(3, text.len() as u64), text.as_bytes().to_vec()].concat()
}

/// Writes a shared file with a body of these pieces and a sum that is right.
fn shared(folder: &Path, body: &[&[u8]]) -> PathBuf {
    let sum = body.iter().flat_map(|piece| piece.iter()).fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    let length = body.iter().map(|piece| piece.len() as u64).sum();
    let before = [
        head(5, 4),
        words("format"),
        words("castellan share"),
        words("version"),
        head(0, 1),
        words("sum"),
        head(0, sum),
        words("body"),
        head(2, length),
    ];
    let path = folder.join("file.castellan");
    let mut file = File::create(&path).unwrap();
    file.write_all(&before.concat()).unwrap();
    body.iter().for_each(|piece| file.write_all(piece).unwrap());
    path
}

/// What stands before and after a deck's text, and before its maps, in a shared file.
fn deck_heads(length: usize) -> [Vec<u8>; 3] {
    [
        [head(5, 1), words("Deck"), head(5, 4), words("deck"), head(3, length as u64)].concat(),
        words("pictures"),
        [words("model"), head(0, 0), words("maps"), head(4, 0)].concat(),
    ]
}

fn deck_of(tiles: usize) -> Deck {
    let tile = |i: usize| Tile { id: format!("t{i}"), face: None, doubts: Vec::new(), count: 1 };
    let house = library::deck("house").unwrap().deck;
    Deck { name: "d".to_owned(), tiles: (0..tiles).map(tile).collect(), ..house }
}

#[test]
fn shared_files_are_bounded_before_anything_is_made_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path();
    let import = |file: &Path, sentence: &str| fails(data, &["import", text(file)], sentence);
    let with = |deck: &[&[u8]], pictures: &[&[u8]], sentence: &str| {
        let [first, second, third] = deck_heads(deck.iter().map(|piece| piece.len()).sum());
        let body = [&[first.as_slice()], deck, &[&second], pictures, &[&third]].concat();
        import(&shared(data, &body), sentence);
    };
    let small = deck_of(1).to_toml();
    let empty = vec![0x40; 10_000_000];
    with(&[small.as_bytes()], &[&head(4, 10_000_000), &empty], "more than 400 pictures");
    with(&[small.as_bytes()], &[&[0x9f], &empty, &[0xff]], "more than 400 pictures");
    let deep = [0x81].repeat(1_000_000);
    with(&[small.as_bytes()], &[&deep], "it is damaged");
    import(&written(data, "deep", &deep), "it is no deck or wall");
    let tiles = "[[tile]]\nid = \"t\"\n".repeat(76 << 20 >> 5);
    with(&[small.as_bytes(), tiles.as_bytes(), tiles.as_bytes()], &[&head(4, 0)], "longer than 1 MB");
    drop(tiles);
    let long = data.join("long");
    File::create(&long).unwrap().set_len(share::MOST_BYTES + 1).unwrap();
    import(&long, "larger than 96 MB");

    let side = 1024;
    let picture = png(side, side, 8, 6, &[(b"IDAT", &zeros((side as usize * 4 + 1) * side as usize))]);
    let many = |tiles: usize| {
        let pictures = vec![picture.clone(); tiles];
        share::pack(&Shared::Deck { deck: deck_of(tiles), pictures, maps: None }).unwrap()
    };
    import(&written(data, "many", &many(400)), "400 megapixels together, at most 64 are possible");
    let bomb = vec![png(100_000, 100_000, 8, 2, &[(b"IDAT", b"")])];
    let bomb = Shared::Deck { deck: deck_of(1), pictures: bomb, maps: None };
    import(
        &written(data, "bomb", &share::pack(&bomb).unwrap()),
        "the picture of tile `t0` cannot be taken in, it is 100000x100000",
    );
    assert!(!data.join("decks").exists());
}

fn wall_file(wall: &Wall, png: Vec<u8>, scale: &str) -> Vec<u8> {
    let picture = Some(WallPhoto { png, scale: scale.to_owned() });
    share::pack(&Shared::Wall { wall: wall.clone(), picture }).unwrap()
}

#[test]
fn a_wall_that_cannot_be_is_neither_imported_nor_loaded_nor_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path();
    let good = Wall { name: "w".to_owned(), ..library::wall("house").unwrap() };
    let still = written(data, "still.png", &png(64, 64, 8, 2, &[(b"IDAT", &zeros((64 * 3 + 1) * 64))]));
    let mut far = good.clone();
    (far.track[5].x, far.track[5].y) = (1e9, 1e9);
    let thick = Wall { thickness: 1e9, ..good.clone() };
    for (wall, sentence) in [(&far, "track space 5 lies far"), (&thick, "1000000000 tile sides thick")] {
        let shared = Shared::Wall { wall: wall.clone(), picture: None };
        let file = written(data, "w.castellan", &share::pack(&shared).unwrap());
        fails(data, &["import", text(&file)], sentence);
        let file = written(data, "w.toml", wall.to_toml().as_bytes());
        fails(data, &["check", text(&file)], sentence);
        fails(data, &["read", text(&still), "--deck", "house", "--wall", text(&file)], sentence);
        fails(data, &["watch", text(&still), "--wall", text(&file)], sentence);
    }

    let wall = written(data, "w.toml", good.to_toml().as_bytes());
    let picture = png(1024, 1024, 8, 6, &[(b"IDAT", &zeros((1024 * 4 + 1) * 1024))]);
    std::fs::write(data.join("w.png"), &picture).unwrap();
    for scale in [
        r#"{"px_per_tile":1,"origin_px":[0,0]}"#,
        r#"{"px_per_tile":1e-30,"origin_px":[0,0]}"#,
        r#"{"px_per_tile":1e30,"origin_px":[0,0]}"#,
        r#"{"px_per_tile":64,"origin_px":[1e30,-1e30]}"#,
        r#"{"px_per_tile":"#,
        &"[".repeat(4000),
    ] {
        let file = written(data, "w.castellan", &wall_file(&good, picture.clone(), scale));
        fails(data, &["import", text(&file)], "scale");
        std::fs::write(data.join("w.json"), scale).unwrap();
        fails(data, &["read", text(&still), "--deck", "house", "--wall", text(&wall)], "scale");
    }
    let (toml, spaces) = (words(&good.to_toml()), " ".repeat(90 << 20));
    let first = [head(5, 1), words("Wall"), head(5, 3), words("wall"), toml, words("png")].concat();
    let second = [vec![0xf6], words("scale"), head(3, spaces.len() as u64)].concat();
    let file = shared(data, &[&first, &second, spaces.as_bytes()]);
    drop(spaces);
    fails(data, &["import", text(&file)], "letters, more than a game can have");
    // The largest picture there can be, with a scale that does not fit it.
    let scale = r#"{"px_per_tile":64,"origin_px":[32,32]}"#;
    let file = written(data, "w.castellan", &wall_file(&good, deep_png(5000, &[]), scale));
    fails(data, &["import", text(&file)], "does not fit a picture of 5000x5000 pixels");
    assert!(!data.join("walls").exists());
    let scale = r#"{"px_per_tile":280,"origin_px":[280,280]}"#;
    let file = written(data, "w.castellan", &wall_file(&good, deep_png(5000, &[]), scale));
    assert_eq!(run(data, &["import", text(&file)]).0, 0);
    fails(data, &["read", text(&still), "--deck", "house", "--wall", "w"], "too plain or too small");
}

#[test]
fn texts_in_other_letters_and_pipes_are_said() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path();
    let deck = deck_of(3).to_toml();
    let marked = written(data, "marked.toml", &[b"\xef\xbb\xbf".as_slice(), deck.as_bytes()].concat());
    assert_eq!(library::deck(text(&marked)).unwrap().deck, deck_of(3));
    fails(data, &["watch", ".", "--game", text(&marked)], "unknown field");
    let wall = library::wall("house").unwrap();
    let marked =
        written(data, "wall.toml", &[b"\xef\xbb\xbf".as_slice(), wall.to_toml().as_bytes()].concat());
    assert_eq!(run(data, &["check", text(&marked)]).0, 0);
    assert_eq!(library::wall(text(&marked)).unwrap(), wall);

    let latin = written(data, "latin.toml", &[deck.as_bytes(), b"\n# Stra\xdfe\n"].concat());
    let still = written(data, "still.png", &png(64, 64, 8, 2, &[(b"IDAT", &zeros((64 * 3 + 1) * 64))]));
    fails(data, &["check", text(&latin)], "is not UTF-8; save the file as UTF-8");
    fails(data, &["read", text(&still), "--deck", text(&latin)], "is not UTF-8; save the file as UTF-8");

    let pipe = data.join("pipe.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fails(data, &["read", text(&still), "--deck", text(&pipe)], "it is no regular file");
    fails(data, &["check", text(&pipe)], "it is no regular file");
    fails(data, &["read", text(&pipe), "--deck", "house"], "it is no regular file");
    fails(data, &["import", text(&pipe)], "it is no regular file");
    let out = data.join("out");
    let (code, said) = run(data, &["render", "--random-game", "--hands", "nan", "--out", text(&out)]);
    assert!(code == 2 && said.contains("write a number from 0 to 1"), "{said}");
}

#[test]
fn a_tile_cannot_name_a_file_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path();
    let secret = data.join("secret.png");
    castellan::studio::draw_tile(&"path n-s".parse().unwrap(), 1, &castellan::studio::Style::house(), 256)
        .save(&secret)
        .unwrap();
    let before = std::fs::read(&secret).unwrap();
    let folder = data.join("decks/d");
    std::fs::create_dir_all(folder.join("references")).unwrap();
    let absolute = secret.with_extension("");
    for id in ["../../../secret", text(&absolute)] {
        let deck = format!("name = \"d\"\ngame = \"classic\"\n[[tile]]\nid = \"{id}\"\n");
        std::fs::write(folder.join("deck.toml"), deck).unwrap();
        let file = data.join("d.castellan");
        let sentence = "can't be a tile's id; use letters, digits, `-` and `_`";
        fails(data, &["export", "deck:d", "--to", text(&file), "--pictures"], sentence);
        fails(data, &["enrol", "--correct", "d", "--drop", id], sentence);
        fails(data, &["enrol", "--correct", "d", text(&secret)], sentence);
        assert!(!file.exists());
    }
    assert_eq!(std::fs::read(&secret).unwrap(), before);
}
