@HEADING@

#![no_std]
#![allow(non_snake_case, unused_parens, unused_unsafe, unused_variables)]
#![allow(clippy::all)]

@LIBRARY@@HELPERS@@FUNCTIONS@
