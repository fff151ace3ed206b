"""Name escaping: from any name to a unique identifier, for all back ends that write source text.

Plain names stay as they are. Everything else is spelled so that two different names never become one identifier:

* a character that identifiers cannot contain becomes `_x<code point in hexadecimal>_` (`-` is `_x2d_`), and so does an
  underscore that would read as the beginning of such a spelling;
* `_x0_` is the mark that no character can produce: it follows a reserved word (`double_x0_`), precedes a name
  that cannot begin an identifier (`x_x0_1st`), and precedes the hash that replaces the end of a name too long for a
  compiler.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING

from torquec.errors import ArgumentError

if TYPE_CHECKING:
    from torquec.expr import Function

_MARK = "_x0_"
_LONGEST = 200  # file names end at 255 bytes, and suffixes follow
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_ODD = re.compile(r"[^A-Za-z0-9_]|_(?=x[0-9a-f])")

_RESERVED_TEXT = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while alignas alignof
    bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual asm and and_eq bitand bitor catch
    char8_t char16_t char32_t class co_await co_return co_yield compl concept const_cast consteval constinit decltype
    delete dynamic_cast explicit export friend mutable namespace new noexcept not not_eq operator or or_eq private
    protected public reinterpret_cast requires static_cast template this throw try typeid typename using virtual wchar_t
    xor xor_eq main errno fortran near far huge linux unix
    acos asin atan atan2 cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp
    gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint
    nextafter nexttoward pow remainder remquo rint round scalbln scalbn signbit sin sincos sinh sqrt tan tanh tgamma
    trunc y0 y1 yn isfinite isinf isnan isnormal
"""

_OWN_FILES = ("selftest", "cmakelists")
_BETWEEN = re.compile(r"[ -/:-@\[-^`{-~]+")  # printable ASCII that is no letter, digit or underscore

RESERVED = frozenset(_RESERVED_TEXT.split())
"""Words that no identifier may be: keywords of C and C++, predefined macros, and the names of <math.h>."""


def c_identifier(name: str, *, reserved: Container[str] = RESERVED) -> str:
    """The C identifier of a name: the name itself where it is one, else a spelling that no other name has.

    Another language with C's identifiers gives its own `reserved` words.

    >>> c_identifier("panda_joint1"), c_identifier("joint-1"), c_identifier("double"), c_identifier("1st")
    ('panda_joint1', 'joint_x2d_1', 'double_x0_', 'x_x0_1st')
    """
    spelled = _ODD.sub(_escape, name)
    if not _PLAIN.fullmatch(spelled[:1]):
        spelled = "x" + _MARK + spelled
    if name in reserved:
        spelled += _MARK
    if len(spelled) > _LONGEST:
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        spelled = spelled[: _LONGEST - len(_MARK) - len(digest)] + _MARK + digest
    return spelled


def prefix_identifier(name: str) -> str:
    """The identifier with which the names of a package begin: spaces and punctuation between words become underscores.

    It need not be unique: nothing else begins with it. Files of every package have no such name, in any case.

    >>> prefix_identifier("my robot-2.0"), prefix_identifier("ur5"), prefix_identifier("-")
    ('my_robot_2_0', 'ur5', 'x_x0__x2d_')
    >>> prefix_identifier("SelfTest")
    'SelfTest_'
    """
    found = c_identifier(_BETWEEN.sub("_", name).strip("_") or name)
    return f"{found}_" if found.lower() in _OWN_FILES else found


def _escape(match: re.Match[str]) -> str:
    # NUL is spelled with two digits, so that no character produces the mark.
    return f"_x{ord(match.group()):x}_" if match.group() != "\0" else "_x00_"


def check_names(functions: Sequence[Function]) -> None:
    """Raise `ArgumentError` unless there are functions, all with different names."""
    if not functions:
        raise ArgumentError("there is no function to write", remedy="name at least one")
    names = [function.name for function in functions]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ArgumentError(f"more than one function is called {', '.join(map(repr, twice))}", remedy="rename one")
