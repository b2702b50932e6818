//! Games that play themselves.
