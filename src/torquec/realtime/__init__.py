"""Two rates: a synchronous task of a few products per joint, and background tasks that keep its coefficients fresh."""
