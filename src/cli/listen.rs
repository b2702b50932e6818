//! What people type while a table is watched: answers, moves, corrections.

use std::io::BufRead;
use std::sync::mpsc::{Receiver, channel};

use clap::Parser;

use super::correct::ChangeOptions;
use super::out::talk;
use crate::table::{Question, Session};

/// The lines of stdin, as they come, and the question that was told last.
pub(super) struct Listener {
    lines: Receiver<String>,
    told: Option<Question>,
}

/// A line that corrects a turn.
#[derive(Debug, Parser)]
#[command(name = "correct", no_binary_name = true, disable_help_flag = true)]
struct CorrectLine {
    #[command(flatten)]
    change: ChangeOptions,
}

impl Listener {
    /// Listens to stdin from now on.
    pub(super) fn start() -> Listener {
        let (sends, lines) = channel();
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                if sends.send(line).is_err() {
                    break;
                }
            }
        });
        talk!(
            "write the number of an answer, `ok` to leave it as it is, moves such as `end`, `correct 12 --follower \
             none`, or `undo`"
        );
        Listener { lines, told: None }
    }

    /// Does what was typed since, and tells the question that is up when it is a new one.
    pub(super) fn hear(&mut self, session: &mut Session) {
        while let Ok(line) = self.lines.try_recv() {
            self.take(&line, session);
            self.tell(session);
        }
        self.tell(session);
    }

    /// Does what is typed until the input ends; `done` is called after each line.
    pub(super) fn hear_out(&mut self, session: &mut Session, mut done: impl FnMut(&Session)) {
        self.tell(session);
        while let Ok(line) = self.lines.recv() {
            self.take(&line, session);
            done(session);
            self.tell(session);
        }
    }

    fn take(&mut self, line: &str, session: &mut Session) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return;
        }
        if let Err(why) = self.done(line, session) {
            talk!("`{line}`: {why}");
        }
    }

    fn done(&mut self, line: &str, session: &mut Session) -> Result<(), String> {
        // What was typed is about what was told.
        let up = || self.told.clone().ok_or("nothing is asked now".to_owned());
        if let Ok(key) = line.parse::<u8>() {
            let up = up()?;
            return session.answer(&up, key).map(drop).map_err(|e| e.to_string());
        }
        if line == "ok" {
            let up = up()?;
            return session.leave(&up).map_err(|e| e.to_string());
        }
        let Some(rest) = line.strip_prefix("correct") else {
            return session.enter_text(line).map(drop).map_err(|e| e.to_string());
        };
        let words = words(rest);
        let typed = CorrectLine::try_parse_from(words).map_err(|error| first_line(&error.to_string()))?;
        let change = typed.change.of(session.game()).map_err(|e| e.to_string())?;
        let change = change.ok_or("say which turn, and what was otherwise in it")?;
        let (preview, _) = session.preview(&change).map_err(|e| e.to_string())?;
        session.correct(&change).map_err(|e| e.to_string())?;
        for line in preview.to_lines(session.game().names().all()) {
            talk!("{line}");
        }
        Ok(())
    }

    fn tell(&mut self, session: &Session) {
        let questions = session.questions();
        let up = questions.first();
        if self.told.as_ref() == up {
            return;
        }
        if let Some(up) = up {
            match questions.len() {
                1 => talk!("asked: {}", up.sentence),
                n => talk!("asked, 1 of {n}: {}", up.sentence),
            }
            for answer in &up.answers {
                talk!("  {}  {}", answer.key, answer.words);
            }
        }
        self.told = up.cloned();
    }
}

/// The words of a line; what stands between quotation marks is one.
fn words(line: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (i, part) in line.split('"').enumerate() {
        if i % 2 == 1 {
            all.push(part.to_owned());
        } else {
            all.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    all
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_are_one() {
        assert_eq!(
            words(" 12 --moves \"lay h07 D5 1; end\" -y"),
            ["12", "--moves", "lay h07 D5 1; end", "-y"]
        );
    }
}
