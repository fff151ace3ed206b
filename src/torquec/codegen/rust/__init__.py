"""Rust back end: a `Function` becomes a `no_std` crate that needs nothing but a math library's functions."""
