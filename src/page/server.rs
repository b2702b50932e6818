//! What answers the browsers that look at the page.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{Html, IntoResponse, Sse};
use axum::routing::get;
use futures_util::future::{Either, select};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::{oneshot, watch};

use super::told::Told;

/// The page itself: it fetches nothing from elsewhere.
const PAGE: &str = include_str!("index.html");
/// What it may do: run what stands in it, and ask this server.
const POLICY: &str = "default-src 'none'; img-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; script-src \
                      'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Gives the picture of the board.
type Board = Box<dyn Fn() -> Vec<u8> + Send + Sync>;

/// What is shown at a moment.
#[derive(Default)]
pub struct Now {
    /// Counts what was shown: each has a picture of its own.
    number: u64,
    /// What the page is told, as JSON.
    told: String,
    board: Option<Board>,
    drawn: OnceLock<Vec<u8>>,
}

impl std::fmt::Debug for Now {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Now").field("number", &self.number).finish_non_exhaustive()
    }
}

#[derive(Serialize)]
struct Numbered<'a> {
    number: u64,
    told: &'a Told,
}

impl Now {
    /// What is shown after this.
    pub fn next(&self, told: &Told, board: Board) -> Now {
        let number = self.number + 1;
        let told = serde_json::to_string(&Numbered { number, told }).unwrap_or_default();
        Now { number, told, board: Some(board), drawn: OnceLock::new() }
    }

    /// The picture of the board, drawn when it is looked at first.
    fn picture(&self) -> Vec<u8> {
        self.drawn.get_or_init(|| self.board.as_ref().map_or_else(Vec::new, |board| board())).clone()
    }
}

/// What is shown, for those who look.
type Shown = watch::Receiver<Arc<Now>>;

/// Answers until `stopped` is told or dropped, whoever still looks.
///
/// # Errors
/// [`std::io::Error`] where the port is lost.
pub async fn serve(
    listener: std::net::TcpListener,
    shown: Shown,
    stopped: oneshot::Receiver<()>,
) -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let pages = Router::new()
        .route("/", get(page))
        .route("/now", get(now))
        .route("/changes", get(changes))
        .route("/board.png", get(board))
        .with_state(shown);
    match select(Box::pin(axum::serve(listener, pages).into_future()), stopped).await {
        Either::Left((ended, _)) => ended,
        Either::Right(_) => Ok(()),
    }
}

async fn page() -> impl IntoResponse {
    ([(CONTENT_SECURITY_POLICY, POLICY), (X_CONTENT_TYPE_OPTIONS, "nosniff")], Html(PAGE))
}

async fn now(State(shown): State<Shown>) -> impl IntoResponse {
    let now = Arc::clone(&shown.borrow());
    ([(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")], now.told.clone())
}

async fn board(State(shown): State<Shown>) -> impl IntoResponse {
    let now = Arc::clone(&shown.borrow());
    ([(CONTENT_TYPE, "image/png"), (CACHE_CONTROL, "no-store")], now.picture())
}

/// What is shown now, and each change of it.
async fn changes(State(mut shown): State<Shown>) -> impl IntoResponse {
    shown.mark_changed();
    let told = stream::unfold(shown, |mut shown| async move {
        shown.changed().await.ok()?;
        let event = Event::default().data(&shown.borrow_and_update().told);
        Some((Ok::<Event, Infallible>(event), shown))
    });
    Sse::new(told).keep_alive(KeepAlive::default())
}
