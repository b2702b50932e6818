//! Files that come from outside are read with a bound; files of ours are written
//! whole or not at all.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// The system's own; [`io::ErrorKind::InvalidInput`] for what is no regular file
/// (a pipe would be waited for) and [`io::ErrorKind::FileTooLarge`] for a larger
/// one, both in a sentence.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    read_stream(File::open(path)?, most)
}

/// Reads a stream to its end, at most `most` bytes.
///
/// # Errors
/// The stream's own, and [`io::ErrorKind::FileTooLarge`] in a sentence.
pub fn read_stream(stream: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    stream.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let sentence = format!("it is larger than {}", size(most));
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, sentence));
    }
    Ok(bytes)
}

/// Reads a regular file of text of at most `most` bytes, without a byte order
/// mark.
///
/// # Errors
/// As [`read`], and [`io::ErrorKind::InvalidData`] for what is not UTF-8, in a
/// sentence with the line.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    text(read(path, most)?)
}

/// Bytes as text, without a byte order mark.
///
/// # Errors
/// [`io::ErrorKind::InvalidData`] names the line that is not UTF-8.
pub fn text(bytes: Vec<u8>) -> io::Result<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(match text.strip_prefix('\u{feff}') {
            Some(rest) => rest.to_owned(),
            None => text,
        }),
        Err(error) => {
            let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let line = before.iter().filter(|b| **b == b'\n').count() + 1;
            let sentence = format!("line {line} is not UTF-8; save the file as UTF-8");
            Err(io::Error::new(io::ErrorKind::InvalidData, sentence))
        }
    }
}

/// The 64-bit FNV-1a sum of bytes: tells accidents, not forgeries.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, b| (sum ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Writes a file whole: beside it, to the disk, then in its place. Whatever goes
/// wrong, the former file is still there. A link is replaced, not followed; what
/// is there and no regular file, such as `/dev/stdout`, is written to.
///
/// # Errors
/// The system's own.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_all_whole(&[(path, bytes)])
}

/// Writes several files whole, as [`write_whole`]: none takes its place before
/// all are on the disk.
///
/// # Errors
/// The system's own.
pub fn write_all_whole(files: &[(&Path, &[u8])]) -> io::Result<()> {
    let mut drafts = Vec::new();
    for (path, bytes) in files {
        if std::fs::symlink_metadata(path).is_ok_and(|m| !m.is_file() && !m.is_symlink()) {
            File::options().write(true).open(path)?.write_all(bytes)?;
            continue;
        }
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut draft = tempfile::Builder::new().prefix(".castellan-").tempfile_in(folder)?;
        draft.write_all(bytes)?;
        draft.as_file().sync_all()?;
        readable(draft.as_file())?;
        drafts.push((draft, *path));
    }
    for (draft, path) in drafts {
        draft.persist(path).map_err(|e| e.error)?;
    }
    Ok(())
}

/// Drafts are made for the owner's eyes only; what is kept may be read by all, as
/// files usually are.
#[cfg(unix)]
fn readable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_file: &File) -> io::Result<()> {
    Ok(())
}

fn size(bytes: u64) -> String {
    if bytes >= 1 << 20 { format!("{} MB", bytes >> 20) } else { format!("{bytes} bytes") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        std::fs::write(&path, "\u{feff}text").unwrap();
        assert_eq!(read_text(&path, 7).unwrap(), "text");
        assert_eq!(read(&path, 6).unwrap_err().to_string(), "it is larger than 6 bytes");
        assert_eq!(read(dir.path(), 6).unwrap_err().to_string(), "it is no regular file");
        std::fs::write(&path, b"one\ntw\xf6\n").unwrap();
        assert!(read_text(&path, 100).unwrap_err().to_string().starts_with("line 2 is not UTF-8"));
    }

    #[test]
    fn what_cannot_be_written_leaves_the_former_file() {
        let dir = tempfile::tempdir().unwrap();
        let (a, none) = (dir.path().join("a"), dir.path().join("no/b"));
        write_whole(&a, b"old").unwrap();
        assert!(write_all_whole(&[(&a, b"new"), (&none, b"new")]).is_err());
        assert_eq!(std::fs::read(&a).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no draft is left behind");
        write_whole(&a, b"new").unwrap();
        assert_eq!(std::fs::read(&a).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        std::fs::write(&target, "old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        assert!(!std::fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
