"""From a specification to the cheapest program that provably meets it."""
