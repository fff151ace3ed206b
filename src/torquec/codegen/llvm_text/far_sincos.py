"""Payne-Hanek range reduction: sine and cosine of a large angle in LLVM text, for code that can call no library.

Of the product x (2/pi) only the bits of weight 2 and below matter, so only the bits of 2/pi that can affect them are
multiplied. With x = m 2^e, m an integer of 53 bits:

(1)  B = 2/pi from its bit of weight 2^(1-e) on, 224 bits;   bits before it contribute multiples of 4
(2)  G = m B mod 2^224;   its two leading bits are the quadrant, the others the fraction f of a quarter turn
(3)  where f >= 1/2: the next quadrant, and f - 1, so that |f| <= 1/2
(4)  r = f pi/2, the leading 32 bits of f times parts of pi/2 exactly

The 171 bits dropped in (1) would change f by less than 2^-138. No double lies closer than 2^-62 (relative to a quarter
turn) to a multiple of pi/2 (Muller et al., Handbook of Floating-Point Arithmetic, 11.3), so f keeps 76 bits at worst.
"""

from __future__ import annotations

from functools import cache

from torquec.codegen.llvm_text.sincos import emit_sincos
from torquec.codegen.llvm_text.text import DOUBLE, FLOAT, FunctionText, Type, literal
from torquec.codegen.sincos import SINGLE_SINCOS

_LIMBS = 7  # of 32 bits: the 224 bits of (1)
_ZERO_BITS = 64  # before the binary point of the table: the smallest e is 16 - 52, and a window starts at bit e - 2
_TABLE_WORDS = 41  # 64 zero bits, 969 skipped ones for the largest double, a window of 224 and a word to shift in
_HALF_PI_21 = (1.570796012878418, 3.139164164167596e-07, 6.223372171896613e-14)
"""pi/2 in parts of 21 bits and the rest: a number of 32 bits times either of the first two is exact."""


_SINGLE_LIMBS, _SINGLE_TABLE_WORDS = 4, 10  # 128 bits, from bit 51 (4096 rad) to bit 167 (an infinite angle) on
_HALF_PI_24 = (1.5707963705062866, -4.371138828673793e-08)  # pi/2 as a float and the rest


@cache
def _two_over_pi_words() -> tuple[int, ...]:
    """The bits of 2/pi in words of 32, after `_ZERO_BITS` zeros.

    Machin's formula in whole numbers, with a word to spare for its roundings.
    """
    bits = 32 * (_TABLE_WORDS + 2)
    one = 1 << (bits + 32)
    pi = 4 * (4 * _arctangent_of_inverse(5, one) - _arctangent_of_inverse(239, one))
    fraction = ((2 * one << bits) // pi) >> _ZERO_BITS
    return tuple(fraction >> (bits - 32 * (k + 1)) & 0xFFFFFFFF for k in range(_TABLE_WORDS))


def _arctangent_of_inverse(n: int, one: int) -> int:
    """atan(1/n) in units of 1/one, by its series."""
    term = total = one // n
    k, sign = 1, 1
    while term:
        term //= n * n
        k, sign = k + 2, -sign
        total += sign * (term // k)
    return total


def emit_far_one(module: FunctionText) -> str:
    """The text of `@far_one(double x, ptr sine, ptr cosine)`, for one large or infinite angle, with its table."""
    text = FunctionText(fma=False, declarations=module.declarations)
    bits = text.define("bitcast double %x to i64")
    biased = text.define(f"and i64 {text.define(f'lshr i64 {bits}, 52')}, 2047")
    mantissa = text.define(f"or i64 {text.define(f'and i64 {bits}, {2**52 - 1}')}, {2**52}")
    start = text.define(f"sub i64 {biased}, {1023 + 52 + 2 - _ZERO_BITS}")
    # An infinite or NaN angle has a valid table position too; its result is replaced at the end.
    inside = text.define(f"call i64 @llvm.umin.i64(i64 {start}, i64 {32 * (_TABLE_WORDS - _LIMBS - 1) - 1})")
    parts = [text.define(f"and i64 {mantissa}, 4294967295"), text.define(f"lshr i64 {mantissa}, 32")]
    product = _product(text, parts, _window(text, inside, _LIMBS, _TABLE_WORDS))
    high, middle, low = (_joined(text, product[2 * k + 1], product[2 * k]) for k in (2, 1, 0))
    quadrant, r = _fraction(text, high, middle, low)
    sine, cosine = emit_sincos(text, r, DOUBLE)
    _store_pair(text, DOUBLE, bits, quadrant, sine, cosine)
    text.append("ret void")
    text.declare("declare i64 @llvm.umin.i64(i64, i64)")
    text.declare("declare i32 @llvm.fshl.i32(i32, i32, i32)")
    text.declare("declare i64 @llvm.fshl.i64(i64, i64, i64)")
    text.declare("declare i64 @llvm.ctlz.i64(i64, i1)")
    return _table(_TABLE_WORDS) + text.finish(
        "define internal void @far_one(double %x, ptr %sine, ptr %cosine) cold noinline #0"
    )


def emit_single_far_one(module: FunctionText) -> str:
    """The text of `@far_one(float x, ptr sine, ptr cosine)`: the same in floats, m of 24 bits and B of 128."""
    text = FunctionText(fma=False, declarations=module.declarations)
    bits = text.define("bitcast float %x to i32")
    biased = text.define(f"and i32 {text.define(f'lshr i32 {bits}, 23')}, 255")
    mantissa = text.define(f"or i32 {text.define(f'and i32 {bits}, {2**23 - 1}')}, {2**23}")
    start = text.define(f"sub i32 {biased}, {127 + 23 + 2 - _ZERO_BITS}")
    window = _window(text, text.define(f"zext i32 {start} to i64"), _SINGLE_LIMBS, _SINGLE_TABLE_WORDS)
    product = _product(text, [text.define(f"zext i32 {mantissa} to i64")], window)
    high, low = _joined(text, product[2], product[1]), _joined(text, product[0], "0")
    quadrant, r = _single_fraction(text, high, low)
    sine, cosine = _near_single(text, r)
    _store_pair(text, FLOAT, bits, quadrant, sine, cosine)
    text.append("ret void")
    for declaration in (
        "declare i32 @llvm.fshl.i32(i32, i32, i32)",
        "declare i64 @llvm.fshl.i64(i64, i64, i64)",
        "declare i64 @llvm.ctlz.i64(i64, i1)",
    ):
        text.declare(declaration)
    signature = "define internal void @far_one(float %x, ptr %sine, ptr %cosine) cold noinline #0"
    return _table(_SINGLE_TABLE_WORDS) + text.finish(signature)


def _store_pair(text: FunctionText, shape: Type, bits: str, quadrant: str, sine: str, cosine: str) -> None:
    """Append the storing of the results from (sin r, cos r), the quadrant and the bits of x, all of `shape`'s size."""
    whole, last = shape.integers, 8 * shape.bytes - 1
    odd = text.define(f"trunc {whole} {quadrant} to i1")
    pair = text.select(shape, odd, cosine, sine), text.select(shape, odd, sine, cosine)
    is_negative = text.define(f"and {whole} {bits}, {-(2**last)}")
    following = text.define(f"add {whole} {quadrant}, 1")
    for value, place, number, extra in (
        (pair[0], "%sine", quadrant, is_negative),
        (pair[1], "%cosine", following, "0"),
    ):
        flip = text.define(f"and {whole} {text.define(f'shl {whole} {number}, {last - 1}')}, {-(2**last)}")
        flip = text.define(f"xor {whole} {flip}, {extra}")
        turned = text.define(f"xor {whole} {text.define(f'bitcast {shape} {value} to {whole}')}, {flip}")
        undefined = text.define(f"fsub {shape} %x, %x")  # 0, or NaN for an infinite x
        result = text.binary("fadd", shape, text.define(f"bitcast {whole} {turned} to {shape}"), undefined)
        text.append(f"store {shape} {result}, ptr {place}")


def _single_fraction(text: FunctionText, high: str, low: str) -> tuple[str, str]:
    """(quadrant, r) by (3) and (4), r as a float, from the two leading words of G, 64 bits each."""
    quadrant = text.define(f"trunc i64 {text.define(f'lshr i64 {high}, 62')} to i32")
    first = text.define(f"call i64 @llvm.fshl.i64(i64 {high}, i64 {low}, i64 2)")
    past = text.define(f"lshr i64 {first}, 63")
    past_word = text.define(f"trunc i64 {past} to i32")
    quadrant = text.define(f"add i32 {quadrant}, {past_word}")
    first = text.define(f"xor i64 {first}, {text.define(f'sub i64 0, {past}')}")
    zeros = text.define(f"call i64 @llvm.ctlz.i64(i64 {first}, i1 false)")
    first = text.define(f"shl i64 {first}, {text.define(f'and i64 {zeros}, 63')}")

    def part(shift: int) -> str:
        word = text.define(f"trunc i64 {text.define(f'lshr i64 {first}, {shift}')} to i32")
        return text.define(f"uitofp i32 {text.define(f'and i32 {word}, {2**24 - 1}')} to float")

    leading = part(40)
    trailing = text.binary("fmul", FLOAT, part(16), literal(2.0**-24, FLOAT))
    high_part, low_part = (literal(value, FLOAT) for value in _HALF_PI_24)
    small = text.binary(
        "fadd", FLOAT, text.binary("fmul", FLOAT, leading, low_part), text.binary("fmul", FLOAT, trailing, high_part)
    )
    r = text.binary("fadd", FLOAT, text.binary("fmul", FLOAT, leading, high_part), small)
    zeros_word = text.define(f"trunc i64 {zeros} to i32")
    exponent = text.define(f"sub i32 {127 - 24}, {zeros_word}")
    sign = text.define(f"shl i32 {past_word}, 31")
    scale = text.define(f"or i32 {text.define(f'shl i32 {exponent}, 23')}, {sign}")
    return quadrant, text.binary("fmul", FLOAT, r, text.define(f"bitcast i32 {scale} to float"))


def _near_single(text: FunctionText, r: str) -> tuple[str, str]:
    """(sin, cos) of |r| <= pi/4 by the polynomials of `SINGLE_SINCOS`."""
    z = text.binary("fmul", FLOAT, r, r)

    def polynomial(c: tuple[float, ...]) -> str:
        total = literal(c[-1], FLOAT)
        for value in reversed(c[:-1]):
            total = text.multiply_add(FLOAT, total, z, literal(value, FLOAT))
        return total

    sine = text.multiply_add(FLOAT, text.binary("fmul", FLOAT, r, z), polynomial(SINGLE_SINCOS.sine), r)
    inner = text.multiply_add(FLOAT, z, polynomial(SINGLE_SINCOS.cosine), literal(-0.5, FLOAT))
    return sine, text.multiply_add(FLOAT, z, inner, literal(1.0, FLOAT))


def _table(words: int) -> str:
    """The first words of 2/pi as a constant of the module."""
    listed = ", ".join(f"i32 {word}" for word in _two_over_pi_words()[:words])
    return f"@two_over_pi = internal constant [{words} x i32] [{listed}]\n"


def _window(text: FunctionText, start: str, limbs: int, words_in_table: int) -> list[str]:
    """B of (1), the word of least weight first, each as an i64 below 2^32."""
    first = text.define(f"lshr i64 {start}, 5")
    shift = text.define(f"trunc i64 {text.define(f'and i64 {start}, 31')} to i32")
    words = []
    for k in range(limbs + 1):
        index = text.define(f"add i64 {first}, {k}")
        at = text.define(f"getelementptr [{words_in_table} x i32], ptr @two_over_pi, i64 0, i64 {index}")
        words.append(text.define(f"load i32, ptr {at}"))
    shifted = [
        text.define(f"call i32 @llvm.fshl.i32(i32 {words[k]}, i32 {words[k + 1]}, i32 {shift})") for k in range(limbs)
    ]
    return [text.define(f"zext i32 {limb} to i64") for limb in reversed(shifted)]


def _product(text: FunctionText, parts: list[str], window: list[str]) -> list[str]:
    """The words of m B mod 2^224 without the last (2), least weight first, each an i64 below 2^32.

    `parts` are the words of m, `window` those of B.
    """
    limbs = len(window)
    # Column k gathers words below 2^32: at most four of them and a carry below 2^34 never leave 64 bits.
    columns: list[list[str]] = [[] for _ in range(limbs + 2)]
    for i, part in enumerate(parts):
        for k in range(limbs - i):
            both = text.define(f"mul i64 {part}, {window[k]}")
            columns[k + i].append(text.define(f"and i64 {both}, 4294967295"))
            columns[k + i + 1].append(text.define(f"lshr i64 {both}, 32"))
    words, carry = [], "0"
    for column in columns[:limbs]:
        total = carry
        for word in column:
            total = text.define(f"add i64 {total}, {word}")
        words.append(text.define(f"and i64 {total}, 4294967295"))
        carry = text.define(f"lshr i64 {total}, 32")
    return words[1:]


def _joined(text: FunctionText, high: str, low: str) -> str:
    """Two words of 32 bits as one of 64."""
    return text.define(f"or i64 {text.define(f'shl i64 {high}, 32')}, {low}")


def _fraction(text: FunctionText, high: str, middle: str, low: str) -> tuple[str, str]:
    """(quadrant, r) by (3) and (4) from the three leading words of G, 64 bits each."""
    quadrant = text.define(f"lshr i64 {high}, 62")
    first = text.define(f"call i64 @llvm.fshl.i64(i64 {high}, i64 {middle}, i64 2)")
    second = text.define(f"call i64 @llvm.fshl.i64(i64 {middle}, i64 {low}, i64 2)")
    past = text.define(f"lshr i64 {first}, 63")
    quadrant = text.define(f"add i64 {quadrant}, {past}")
    # All bits inverted where f >= 1/2: 1 - f up to one unit in the last place of `second`, below 2^-127.
    mask = text.define(f"sub i64 0, {past}")
    first, second = (text.define(f"xor i64 {word}, {mask}") for word in (first, second))
    zeros = text.define(f"call i64 @llvm.ctlz.i64(i64 {first}, i1 false)")
    first = text.define(f"call i64 @llvm.fshl.i64(i64 {first}, i64 {second}, i64 {zeros})")
    # Converted from 32-bit integers: 32-bit processors need a library to convert 64-bit ones.
    leading = text.define(f"trunc i64 {text.define(f'lshr i64 {first}, 32')} to i32")
    leading = text.define(f"uitofp i32 {leading} to double")
    trailing = text.define(f"uitofp i32 {text.define(f'trunc i64 {first} to i32')} to double")
    trailing = text.binary("fmul", DOUBLE, trailing, literal(2.0**-32))
    parts = [text.binary("fmul", DOUBLE, leading, literal(part)) for part in _HALF_PI_21]
    small = text.binary("fadd", DOUBLE, parts[2], text.binary("fmul", DOUBLE, trailing, literal(sum(_HALF_PI_21))))
    r = text.binary("fadd", DOUBLE, parts[0], text.binary("fadd", DOUBLE, parts[1], small))
    # 2^-(32 + zeros) with the sign of (3), by its bits.
    exponent = text.define(f"sub i64 {1023 - 32}, {zeros}")
    scale = text.define(f"or i64 {text.define(f'shl i64 {exponent}, 52')}, {text.define(f'shl i64 {past}, 63')}")
    return quadrant, text.binary("fmul", DOUBLE, r, text.define(f"bitcast i64 {scale} to double"))
