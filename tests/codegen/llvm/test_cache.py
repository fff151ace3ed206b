import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.codegen.llvm.programs import arm, inputs_of, same_bits

from torquec.codegen.llvm import cache as cache_file
from torquec.codegen.llvm import load_or_compile
from torquec.codegen.llvm.cache import CacheEntry, ObjectCache, open_cache

POSIX = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX")
ROOT = Path(__file__).resolve().parents[3]
ARRAYS = inputs_of(arm(), np.random.default_rng(0), 20)


class Maker:
    """Makes the arm and counts how often."""

    def __init__(self):
        self.count = 0

    def __call__(self):
        self.count += 1
        return arm()


@pytest.fixture
def folder():
    return Path(os.environ["TORQUEC_CACHE_DIR"])


def entries(folder):
    return sorted(folder.glob("*.object"))


def test_a_hit_neither_traces_nor_compiles():
    make = Maker()
    first = load_or_compile("arm", make)
    assert make.count == 1
    expected = first.call(*ARRAYS)
    second = load_or_compile("arm", make)
    assert (second.name, second.inputs, second.outputs) == ("arm", arm().inputs, arm().outputs)
    assert same_bits(second.call(*ARRAYS), expected)
    assert same_bits(second.call(ARRAYS[0][3], ARRAYS[1][3]), expected[3])
    assert make.count == 1
    assert (first.function, second.function) == (arm(), None)


def test_another_key_is_another_function():
    make = Maker()
    load_or_compile("a", make)
    load_or_compile("b", make)
    assert make.count == 2


def test_a_missing_batch_is_made_again(folder):
    make = Maker()
    load_or_compile("arm", make).call(*ARRAYS)
    for path in entries(folder):
        if b'"scalar' not in path.read_bytes():
            path.unlink()
    assert len(entries(folder)) == 1
    load_or_compile("arm", make).call(*ARRAYS)
    assert (make.count, len(entries(folder))) == (2, 2)


@POSIX
def test_only_the_owner_can_read_it(folder):
    load_or_compile("arm", Maker())
    assert folder.stat().st_mode & 0o777 == 0o700
    assert [path.stat().st_mode & 0o777 for path in entries(folder)] == [0o600]


def damage_end(content):
    return content[:-1] + bytes([content[-1] ^ 1])


def damage_header(content):
    return content[:50] + bytes([content[50] ^ 1]) + content[51:]


@pytest.mark.parametrize(
    "damage",
    [damage_end, damage_header, lambda c: c[:100], lambda c: b"", lambda c: b"x" + c, lambda c: c + b"\0"],
    ids=["last byte", "header", "cut", "empty", "shifted", "longer"],
)
def test_a_damaged_entry_is_discarded(folder, damage):
    make = Maker()
    load_or_compile("arm", make)
    (path,) = entries(folder)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    native = load_or_compile("arm", make)
    assert make.count == 2
    assert native.call(*ARRAYS).shape == (20, 5)
    assert path.read_bytes() == whole


def test_an_entry_of_another_key_is_not_taken(folder):
    folder.mkdir(mode=0o700)
    cache = ObjectCache(folder)
    cache.write("one", CacheEntry({}, b"code"))
    entries(folder)[0].rename(cache._path("two"))
    assert cache.read("two") is None


@POSIX
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o707])
def test_a_folder_that_others_may_write_is_not_used(folder, mode):
    folder.mkdir()
    folder.chmod(mode)
    assert open_cache() is None
    make = Maker()
    load_or_compile("arm", make)
    assert (make.count, entries(folder)) == (1, [])


@POSIX
def test_a_folder_of_someone_else_is_not_used(folder, monkeypatch):
    folder.mkdir(mode=0o700)
    assert open_cache() is not None
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert open_cache() is None


@POSIX
def test_an_entry_that_others_may_write_is_not_loaded(folder):
    make = Maker()
    load_or_compile("arm", make)
    entries(folder)[0].chmod(0o666)
    load_or_compile("arm", make)
    assert make.count == 2


@POSIX
def test_a_link_is_not_followed(folder, tmp_path):
    make = Maker()
    load_or_compile("arm", make)
    (path,) = entries(folder)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    load_or_compile("arm", make)
    assert make.count == 2


def test_it_can_be_switched_off(monkeypatch, folder):
    monkeypatch.setenv("TORQUEC_CACHE", "0")
    load_or_compile("arm", Maker())
    assert not folder.exists()


def test_an_impossible_folder_is_no_cache(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TORQUEC_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert open_cache() is None
    assert load_or_compile("arm", Maker()).call(*ARRAYS).shape == (20, 5)


def test_a_folder_that_vanishes_is_no_cache(folder):
    cache = open_cache()
    folder.rmdir()
    cache.write("key", CacheEntry({}, b"code"))
    assert cache.read("key") is None


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "torquec"),
        ("win32", "LOCALAPPDATA", "torquec"),
        ("darwin", "HOME", "Library/Caches/torquec"),
    ],
)
def test_the_users_cache_directory(monkeypatch, tmp_path, platform, variable, expected):
    if platform == "darwin" and os.name != "posix":
        pytest.skip("home directories are told otherwise here")
    monkeypatch.delenv("TORQUEC_CACHE_DIR")
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert cache_file._folder() == tmp_path / expected


def test_the_oldest_entries_go_first(folder, monkeypatch):
    folder.mkdir(mode=0o700)
    cache = ObjectCache(folder)
    monkeypatch.setattr(cache_file, "_CACHE_BYTES", 3000)
    for age, key in enumerate(["new", "middle", "old"]):
        cache.write(key, CacheEntry({}, b"x" * 900))
        os.utime(cache._path(key), (1e9 - age, 1e9 - age))
    cache.write("last", CacheEntry({}, b"x" * 900))
    assert [cache.read(key) is not None for key in ("old", "middle", "new", "last")] == [False, True, True, True]


def test_many_threads_may_write_one_key(folder):
    folder.mkdir(mode=0o700)
    cache = ObjectCache(folder)
    failures = []

    def work(k):
        for _ in range(40):
            cache.write("key", CacheEntry({"k": k}, bytes([k]) * 5000))
            entry = cache.read("key")
            if entry is None or entry.code != bytes([entry.facts["k"]]) * 5000:
                failures.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(list(folder.iterdir())) == 1


def test_another_process_finds_it():
    """Two processes, so that both know the same source even while somebody edits it."""
    script = (
        "from tests.codegen.llvm.programs import arm\n"
        "from torquec.codegen.llvm import load_or_compile, module\n"
        "module.source_identity = lambda: 'one version'\n"
        "def make(): print('made'); return arm()\n"
        f"print(load_or_compile('arm', make).call({ARRAYS[0][0].tolist()}, {ARRAYS[1][0].tolist()}).tolist())"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout.splitlines()
        for _ in range(2)
    ]
    assert outputs[0][0] == "made"
    assert outputs[1] == outputs[0][1:]


def rewritten(path, change):
    """An entry with other content and the right checksum."""
    rest = path.read_bytes()[len(cache_file._MAGIC) + 32 :]
    length = int.from_bytes(rest[:4], "little")
    header, code = change(json.loads(rest[4 : 4 + length]), rest[4 + length :])
    rest = len(header).to_bytes(4, "little") + header + code
    path.write_bytes(cache_file._MAGIC + hashlib.sha256(rest).digest() + rest)


def with_facts(facts):
    return lambda header, code: (json.dumps(header | {"facts": facts}).encode(), code)


def with_code(change):
    return lambda header, code: (json.dumps(header).encode(), change(code))


BAD = {
    "no header": lambda _, code: (b"", code),
    "no JSON": lambda _, code: (b"{{{{", code),
    "no UTF-8": lambda _, code: (b"\xff\xfe", code),
    "a list": lambda _, code: (b"[]", code),
    "no facts": lambda header, code: (json.dumps({"key": header["key"]}).encode(), code),
    "other facts": with_facts(7),
    "few facts": with_facts({"name": "x"}),
    "other ports": with_facts({"name": "x", "inputs": [[1]], "outputs": 3}),
    "no code": with_code(lambda code: b""),
    "garbage": with_code(lambda code: b"garbage" * 100),
    "garbage that begins well": with_code(lambda code: code[:4] + bytes(range(256)) * 16),
    "half of the code": with_code(lambda code: code[: len(code) // 2]),
    "zeros": with_code(lambda code: code[:64] + bytes(len(code) - 64)),
}

LOAD = """
import numpy as np
import torquec
arm = torquec.compile(torquec.classics.planar2r())
print(arm.inverse_dynamics(*np.ones((3, 2))).tolist(), arm.mass_matrix(np.ones((5, 2))).sum())
"""


def said(folder):
    environment = os.environ | {"TORQUEC_CACHE_DIR": str(folder)}
    words = [sys.executable, "-c", LOAD]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A cache with kernels and trampoline, and what a program says that uses them."""
    folder = tmp_path_factory.mktemp("good")
    folder.chmod(0o700)
    answer = said(folder)
    assert len(entries(folder)) >= 3
    return folder, answer


@pytest.mark.parametrize("bad", BAD)
def test_bad_content_with_the_right_checksum_is_compiled_again(tmp_path, good, bad):
    """LLVM ends the process for some of it, so another process tries."""
    shutil.copytree(good[0], tmp_path / "bad")
    for path in entries(tmp_path / "bad"):
        rewritten(path, BAD[bad])
    assert said(tmp_path / "bad") == good[1]
