//! The service as a process of its own, on a real MongoDB server, spoken to over HTTP.

mod api;
mod browser;
mod life;
mod pages;
mod support;
