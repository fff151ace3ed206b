"""C back end: a `Function` becomes C99 that needs nothing but <math.h>."""
