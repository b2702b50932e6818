//! What the structure of a video file says of its end, told before FFmpeg is
//! asked: it plays what is left of a cut file and says nothing.

use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};

/// Parts of a file that are looked at, at most; ten hours in fragments or blocks
/// have fewer.
const MOST_PARTS: u32 = 1 << 21;

/// What the structure of a video file says of its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All that it announces is there.
    Whole,
    /// It announces more than there is.
    Cut,
    /// It ends before the index, without which nothing can be played.
    NoIndex,
    /// Nothing: such files need not say how long they are.
    Untold,
}

/// Looks at a file's first bytes and, in MP4, MOV, MKV, WebM and AVI, through its
/// parts; `None` for what is no video. `length` is the file's, in bytes. What is
/// read does not depend on the lengths that the file claims.
///
/// # Errors
/// The reader's own.
pub fn ending(mut file: impl Read + Seek, length: u64) -> io::Result<Option<Ending>> {
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.by_ref().take(64).read_to_end(&mut head)?;
    file.seek(SeekFrom::Start(0))?;
    let at = |i: usize, magic: &[u8]| head.get(i..i + magic.len()) == Some(magic);
    let mut parts = Parts { file: BufReader::new(file), at: 0, length };
    Ok(if at(4, b"ftyp") || at(4, b"moov") || at(4, b"mdat") {
        Some(parts.mp4()?)
    } else if at(0, EBML) {
        Some(parts.matroska()?)
    } else if at(0, b"RIFF") && at(8, b"AVI ") {
        Some(parts.avi()?)
    } else {
        let other = at(0, b"OggS")
            || at(0, b"FLV")
            || at(0, b"\x00\x00\x01\xba")
            || at(0, b"\x00\x00\x01\xb3")
            || at(0, b"\x30\x26\xb2\x75")
            || (at(0, b"\x47") && length > 188);
        other.then_some(Ending::Untold)
    })
}

/// What an MP4 or MOV has at its top.
const BOXES: [&[u8; 4]; 16] = [
    b"ftyp", b"styp", b"moov", b"moof", b"mdat", b"mfra", b"sidx", b"ssix", b"meta", b"uuid", b"free",
    b"skip", b"wide", b"udta", b"emsg", b"prft",
];
const EBML: &[u8] = b"\x1a\x45\xdf\xa3";
const SEGMENT: u64 = 0x1853_8067;

struct Parts<R: Read + Seek> {
    file: BufReader<R>,
    at: u64,
    length: u64,
}

impl<R: Read + Seek> Parts<R> {
    /// The next bytes; `None` where the file has no more.
    fn bytes<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let mut bytes = [0; N];
        match self.file.read_exact(&mut bytes) {
            Ok(()) => {
                self.at += N as u64;
                Ok(Some(bytes))
            }
            Err(e) if e.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Goes to a place at or before the end.
    fn go(&mut self, to: u64) -> io::Result<()> {
        // Short ways stay in what has been read already.
        self.file.seek_relative((to as i64).wrapping_sub(self.at as i64))?;
        self.at = to;
        Ok(())
    }

    /// The boxes of an MP4 (ISO/IEC 14496-12, 4.2): a length, which counts its
    /// own bytes, and a name.
    fn mp4(&mut self) -> io::Result<Ending> {
        let mut index = false;
        let without = |index: bool, ending| if index { ending } else { Ending::NoIndex };
        for _ in 0..MOST_PARTS {
            let begin = self.at;
            let Some(size) = self.bytes::<4>()? else { return Ok(without(index, Ending::Whole)) };
            let Some(name) = self.bytes::<4>()? else { return Ok(without(index, Ending::Cut)) };
            let size = match u32::from_be_bytes(size) {
                0 => return Ok(without(index, Ending::Untold)),
                1 => match self.bytes::<8>()? {
                    Some(size) => u64::from_be_bytes(size),
                    None => return Ok(without(index, Ending::Cut)),
                },
                size => u64::from(size),
            };
            let end = begin.saturating_add(size);
            if end < self.at {
                return Ok(without(index, Ending::Untold));
            }
            if end > self.length {
                // What phones append is no box.
                let cut = BOXES.contains(&&name);
                return Ok(without(index, if cut { Ending::Cut } else { Ending::Whole }));
            }
            index |= &name == b"moov";
            self.go(end)?;
        }
        Ok(without(index, Ending::Untold))
    }

    /// The elements of a Matroska file (RFC 8794 and 9559): a name and a length.
    /// A file that was written while it was recorded has a segment and perhaps
    /// clusters of unknown length: what is in them is looked at.
    fn matroska(&mut self) -> io::Result<Ending> {
        for _ in 0..MOST_PARTS {
            if self.at == self.length {
                return Ok(Ending::Untold);
            }
            let (Some((_, name)), Some((bytes, size))) = (self.number()?, self.number()?) else {
                return Ok(Ending::Cut);
            };
            let size = size & !(1 << (7 * bytes));
            if size == (1 << (7 * bytes)) - 1 {
                continue;
            }
            let end = self.at.saturating_add(size);
            if end > self.length {
                return Ok(Ending::Cut);
            }
            if name == SEGMENT {
                return Ok(Ending::Whole);
            }
            self.go(end)?;
        }
        Ok(Ending::Untold)
    }

    /// How many bytes a number has, and the number with the bit that tells so;
    /// `None` where the file ends in it or goes on with what is no number.
    fn number(&mut self) -> io::Result<Option<(u32, u64)>> {
        let Some([first]) = self.bytes()? else { return Ok(None) };
        if first == 0 {
            return Ok(None);
        }
        let bytes = first.leading_zeros() + 1;
        let mut number = u64::from(first);
        for _ in 1..bytes {
            let Some([next]) = self.bytes()? else { return Ok(None) };
            number = number << 8 | u64::from(next);
        }
        Ok(Some((bytes, number)))
    }

    /// The lists of an AVI; a long one has several. A length of 0 stands in one
    /// that was not brought to its end.
    fn avi(&mut self) -> io::Result<Ending> {
        for _ in 0..MOST_PARTS {
            let Some(name) = self.bytes::<4>()? else { return Ok(Ending::Whole) };
            if &name != b"RIFF" {
                return Ok(Ending::Whole);
            }
            let Some(size) = self.bytes::<4>()? else { return Ok(Ending::Cut) };
            let size = u64::from(u32::from_le_bytes(size));
            let end = self.at + size;
            if size == 0 {
                return Ok(Ending::Untold);
            }
            if end > self.length {
                return Ok(Ending::Cut);
            }
            self.go((end + size % 2).min(self.length))?;
        }
        Ok(Ending::Untold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn end_of(bytes: &[u8]) -> Option<Ending> {
        ending(Cursor::new(bytes), bytes.len() as u64).unwrap()
    }

    fn mp4_box(name: &[u8; 4], body: usize) -> Vec<u8> {
        let mut bytes = (8 + body as u32).to_be_bytes().to_vec();
        bytes.extend_from_slice(name);
        bytes.resize(8 + body, 7);
        bytes
    }

    /// Cuts a file everywhere and tells from where on the cut is known.
    fn cuts(bytes: &[u8], known: impl Fn(usize) -> Option<Ending>) {
        for end in 12..bytes.len() {
            assert_eq!(end_of(&bytes[..end]), known(end), "cut at {end} of {}", bytes.len());
        }
    }

    #[test]
    fn an_mp4_is_whole_when_all_its_boxes_are() {
        let index_first = [mp4_box(b"ftyp", 8), mp4_box(b"moov", 20), mp4_box(b"mdat", 50)].concat();
        assert_eq!(end_of(&index_first), Some(Ending::Whole));
        cuts(&index_first, |end| {
            Some(match end {
                ..44 => Ending::NoIndex,
                // Fewer than four bytes are no beginning of a box.
                44..48 => Ending::Whole,
                _ => Ending::Cut,
            })
        });
        let index_last = [mp4_box(b"ftyp", 8), mp4_box(b"mdat", 50), mp4_box(b"moov", 20)].concat();
        assert_eq!(end_of(&index_last), Some(Ending::Whole));
        cuts(&index_last, |_| Some(Ending::NoIndex));
        let appended = [&index_first[..], b"what a phone adds behind it\0\0"].concat();
        assert_eq!(end_of(&appended), Some(Ending::Whole));
        let appended = [&index_first[..], &[0; 40]].concat();
        assert_eq!(end_of(&appended), Some(Ending::Untold));
        let large = [mp4_box(b"moov", 8), b"\0\0\0\x01mdat\0\0\0\0\0\0\0\x14data".to_vec()].concat();
        assert_eq!(end_of(&large), Some(Ending::Whole));
        assert_eq!(end_of(&large[..large.len() - 1]), Some(Ending::Cut));
        let open = [mp4_box(b"moov", 8), b"\0\0\0\0mdatdata".to_vec()].concat();
        assert_eq!(end_of(&open), Some(Ending::Untold));
    }

    #[test]
    fn a_matroska_file_is_whole_when_its_segment_is() {
        let mut bytes = [EBML, b"\x84abcd\x18\x53\x80\x67\x40\x20"].concat();
        bytes.resize(bytes.len() + 32, 9);
        assert_eq!(end_of(&bytes), Some(Ending::Whole));
        cuts(&bytes, |_| Some(Ending::Cut));
        // As it is written while it is recorded: cluster and segment have no length.
        let live = [
            EBML,
            b"\x84abcd\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff",
            b"\x1f\x43\xb6\x75\x01\xff\xff\xff\xff\xff\xff\xff\xe7\x81\x05\xa3\x88blockone",
            b"\x1f\x43\xb6\x75\x8d\xe7\x81\x05\xa3\x88blocktwo",
        ]
        .concat();
        assert_eq!(end_of(&live), Some(Ending::Untold));
        let borders = [9, 21, 33, 36, 46];
        cuts(&live, |end| Some(if borders.contains(&end) { Ending::Untold } else { Ending::Cut }));
    }

    #[test]
    fn an_avi_is_whole_when_all_its_lists_are() {
        let list = |body: usize| {
            let mut bytes = [&b"RIFF"[..], &(body as u32).to_le_bytes(), b"AVI "].concat();
            bytes.resize(8 + body, 3);
            bytes
        };
        let long = [list(20), list(16)].concat();
        assert_eq!(end_of(&long), Some(Ending::Whole));
        cuts(&long, |end| Some(if (28..32).contains(&end) { Ending::Whole } else { Ending::Cut }));
        assert_eq!(end_of(b"RIFF\0\0\0\0AVI LIST"), Some(Ending::Untold));
    }

    #[test]
    fn what_claims_anything_is_walked_in_bounded_time() {
        let endless =
            [mp4_box(b"moov", 0), b"\0\0\0\x01mdat\xff\xff\xff\xff\xff\xff\xff\xff".to_vec()].concat();
        assert_eq!(end_of(&endless), Some(Ending::Cut));
        let backwards = [mp4_box(b"moov", 0), b"\0\0\0\x03mdat".to_vec()].concat();
        assert_eq!(end_of(&backwards), Some(Ending::Untold));
        let names = [EBML, &[0xff; 4000]].concat();
        assert!(end_of(&names).is_some());
        assert_eq!(end_of(b"not a video at all"), None);
        assert_eq!(end_of(b""), None);
        let mut rng = rand_pcg::Pcg64::new(15, 4);
        for _ in 0..20_000 {
            use rand::Rng;
            let magic = [&b"\0\0\0\x08moov"[..], EBML, b"RIFF\x20\0\0\0AVI "][rng.random_range(0..3)];
            let mut bytes = magic.to_vec();
            bytes.extend((0..rng.random_range(0..80)).map(|_| rng.random::<u8>() & rng.random::<u8>()));
            assert!(end_of(&bytes).is_some());
        }
    }
}
