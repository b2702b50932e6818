//! A page for other screens in the same network: who has how many points, what was scored last, and
//! the board. It can only be looked at, and shows no picture of a camera.

mod server;
mod told;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::thread::JoinHandle;

use thiserror::Error;
use tokio::sync::{oneshot, watch};

use self::server::Now;
use crate::rules::{Sentence, Term, sentence};

pub use self::told::{English, Told, ToldPlayer, ToldSheet, Words};

/// The port that is asked for first, and how many after it: a game that is already shown has it.
const PORT: u16 = 7676;
const PORTS: u16 = 10;

/// Why there is no page.
#[derive(Debug, Error)]
#[error("{}", Sentence::from(self))]
pub enum PageError {
    /// No port is free, or none may be opened.
    Port(std::io::Error),
    /// The system gives no thread or no events.
    Runtime(std::io::Error),
}

impl From<&PageError> for Sentence {
    fn from(error: &PageError) -> Sentence {
        match error {
            PageError::Port(error) => sentence!(
                "no page can be shown in the network, {}; close other programs that show one",
                Term::same(error)
            ),
            PageError::Runtime(error) => {
                sentence!("no page can be shown in the network, {}; try again", Term::same(error))
            }
        }
    }
}

/// A page that is being shown; dropping it closes it.
#[derive(Debug)]
pub struct Page {
    now: watch::Sender<Arc<Now>>,
    port: u16,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Page {
    /// Shows a page, with nothing on it yet, to everybody in the network.
    ///
    /// # Errors
    /// [`PageError`].
    pub fn open() -> Result<Page, PageError> {
        Page::within(Ipv4Addr::UNSPECIFIED, PORT..PORT + PORTS)
    }

    /// The same at one of these ports of an address of this machine.
    fn within(address: Ipv4Addr, ports: impl IntoIterator<Item = u16>) -> Result<Page, PageError> {
        let mut bound = Err(std::io::Error::other("there is no port"));
        for port in ports {
            bound = std::net::TcpListener::bind((address, port));
            if bound.is_ok() {
                break;
            }
        }
        let listener = bound.map_err(PageError::Port)?;
        listener.set_nonblocking(true).map_err(PageError::Port)?;
        let port = listener.local_addr().map_err(PageError::Port)?.port();
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(PageError::Runtime)?;
        let (now, shown) = watch::channel(Arc::default());
        let (stop, stopped) = oneshot::channel();
        let serve = move || {
            if let Err(error) = runtime.block_on(server::serve(listener, shown, stopped)) {
                tracing::warn!("the page for other screens is closed: {error}");
            }
            runtime.shutdown_background();
        };
        let thread = std::thread::Builder::new().name("page".to_owned()).spawn(serve);
        let thread = thread.map_err(PageError::Runtime)?;
        Ok(Page { now, port, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it is seen: an address for each network that this machine is in; without a network
    /// the one that works on this machine alone.
    pub fn addresses(&self) -> Vec<String> {
        let found = if_addrs::get_if_addrs().unwrap_or_default();
        let mut own: Vec<Ipv4Addr> = found
            .into_iter()
            .filter(|interface| !interface.is_loopback() && !interface.is_link_local())
            .filter_map(|interface| match interface.ip() {
                IpAddr::V4(address) => Some(address),
                IpAddr::V6(_) => None,
            })
            .collect();
        // At home addresses are private.
        own.sort_by_key(|address| !address.is_private());
        if own.is_empty() {
            own.push(Ipv4Addr::LOCALHOST);
        }
        own.into_iter().map(|address| format!("http://{address}:{}/", self.port)).collect()
    }

    /// Shows this from now on; `board` gives its picture, a PNG file, when somebody looks.
    pub fn show(&self, told: &Told, board: impl Fn() -> Vec<u8> + Send + Sync + 'static) {
        self.now.send_modify(|now| *now = Arc::new(now.next(told, Box::new(board))));
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // It only fails where the page is closed already.
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpStream;
    use std::time::Duration;

    use super::*;

    fn told(total: u32) -> Told {
        let player = ToldPlayer { name: "Ada <b>".to_owned(), total, ..ToldPlayer::default() };
        Told { players: vec![player], ..Told::default() }
    }

    fn page() -> Page {
        Page::within(Ipv4Addr::LOCALHOST, [0]).unwrap()
    }

    fn asked(page: &Page, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, page.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// The head and the body of an answer.
    fn got(page: &Page, what: &str) -> (String, Vec<u8>) {
        let mut all = Vec::new();
        let request = format!("{what} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n");
        asked(page, &request).read_to_end(&mut all).unwrap();
        let end = all.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
        (String::from_utf8(all[..end].to_vec()).unwrap(), all[end + 4..].to_vec())
    }

    #[test]
    fn the_page_its_game_and_its_board_are_given_and_nothing_is_taken() {
        let page = page();
        page.show(&told(12), || b"PNG".to_vec());
        let (head, body) = got(&page, "GET /");
        assert!(head.starts_with("HTTP/1.1 200") && head.contains("text/html"), "{head}");
        assert!(head.contains("content-security-policy"), "{head}");
        assert!(String::from_utf8(body).unwrap().contains("<main"));
        let (_, body) = got(&page, "GET /now");
        let now: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((&now["number"], &now["told"]["players"][0]["total"]), (&1.into(), &12.into()));
        let (head, body) = got(&page, "GET /board.png?1");
        assert!(head.contains("image/png") && body == b"PNG", "{head}");
        assert!(got(&page, "GET /../Cargo.toml").0.starts_with("HTTP/1.1 404"));
        assert!(got(&page, "POST /now").0.starts_with("HTTP/1.1 405"));
        assert!(page.addresses().iter().all(|a| a.starts_with("http://") && a.ends_with('/')));
    }

    #[test]
    fn who_looks_is_told_each_change_at_once() {
        let page = page();
        page.show(&told(12), Vec::new);
        let stream = asked(&page, "GET /changes HTTP/1.1\r\nHost: here\r\n\r\n");
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let mut total = || {
            let data = lines.find_map(|line| Some(line.strip_prefix("data:")?.trim().to_owned())).unwrap();
            serde_json::from_str::<serde_json::Value>(&data).unwrap()["told"]["players"][0]["total"].clone()
        };
        assert_eq!(total(), 12);
        page.show(&told(15), Vec::new);
        assert_eq!(total(), 15);
        page.show(&told(20), Vec::new);
        assert_eq!(total(), 20);
        // It closes though somebody is still looking.
        drop(page);
    }

    #[test]
    fn garbage_is_no_reason_to_close() {
        let page = page();
        page.show(&told(3), Vec::new);
        for garbage in ["\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", &"x".repeat(200_000)] {
            // The answer may be that the connection is closed while it is still written.
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, page.port)).unwrap();
            let _ = stream.write_all(garbage.as_bytes());
        }
        assert!(got(&page, "GET /now").0.starts_with("HTTP/1.1 200"));
    }

    #[test]
    fn two_pages_have_two_ports() {
        let first = page();
        let second = Page::within(Ipv4Addr::LOCALHOST, [first.port, 0]).unwrap();
        assert_ne!(first.port, second.port);
        assert!(Page::within(Ipv4Addr::LOCALHOST, [first.port]).is_err());
    }
}
