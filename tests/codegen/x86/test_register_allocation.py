import functools

import numpy as np
import pytest

from torquec.codegen.x86.register_allocation import Registers, uses_of


def loads_by_belady(reads, count):
    """Loads for instructions that read one value each, which memory holds all the time."""
    registers = Registers(uses_of([(value,) for value in reads]), count, store=never, in_memory=set(reads))
    loads = []
    for value in reads:
        last = registers.read((value,))
        if value not in registers.held:
            registers.hold(value, registers.take())
            loads.append(value)
        registers.leave(last)
    return loads


def never(register, slot):
    pytest.fail(f"register {register} was stored in slot {slot}")


def loads_by_lru(reads, count):
    """The same where the value that was used longest ago makes room."""
    held, loads = [], 0
    for value in reads:
        if value in held:
            held.remove(value)
        else:
            loads += 1
            held = held[-count + 1 :] if count > 1 else []
        held.append(value)
    return loads


def fewest_loads(reads, count):
    """By trying every value that can make room."""

    @functools.cache
    def from_here(k, held):
        if k == len(reads):
            return 0
        if reads[k] in held:
            return from_here(k + 1, held)
        room = [held] if len(held) < count else [held - {value} for value in held]
        return 1 + min(from_here(k + 1, rest | {reads[k]}) for rest in room)

    return from_here(0, frozenset())


def test_textbook_sequence():
    """Silberschatz, Galvin, Gagne, Operating System Concepts, section on page replacement: 9 faults, 12 by LRU."""
    reads = [7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1]
    assert loads_by_belady(reads, 3) == [7, 0, 1, 2, 3, 4, 0, 1, 7]
    assert loads_by_lru(reads, 3) == 12


@pytest.mark.parametrize("seed", range(40))
def test_no_choice_makes_fewer_loads(seed):
    rng = np.random.default_rng(seed)
    reads, count = rng.integers(0, 6, 14).tolist(), int(rng.integers(1, 5))
    assert len(loads_by_belady(reads, count)) == fewest_loads(reads, count)


@pytest.mark.parametrize("seed", range(20))
def test_never_more_loads_than_lru(seed):
    rng = np.random.default_rng(seed)
    for count in (1, 3, 8, 16):
        reads = np.minimum(rng.geometric(0.05, 400), 40).tolist()
        assert len(loads_by_belady(reads, count)) <= loads_by_lru(reads, count)


def test_a_value_is_stored_once_and_its_slot_is_used_again():
    """With two registers: 2 and 4 take that of 0, which is stored the first time alone; 7 takes that of 5."""
    made = [0, 1, 2, None, None, 3, 4, None, None, 5, 6, 7, None, None]
    reads = [(), (), (), (1, 2), (0,), (), (), (3, 4), (0,), (), (), (), (6, 7), (5,)]
    stores, loads = [], []
    registers = Registers(uses_of(reads), 2, store=lambda *place: stores.append(place))
    for result, values in zip(made, reads, strict=True):
        last = registers.read(values)
        for value in values:
            if value not in registers.held:
                loads.append((value, registers.slot_of[value]))
                registers.hold(value, registers.take(keep=values))
        registers.leave(last)
        if result is not None:
            registers.hold(result, registers.take())
        registers.leave_slots(last)
    assert loads == [(0, 0), (0, 0), (5, 0)]
    assert [slot for _, slot in stores] == [0, 0]
    assert registers.slots == 1


@pytest.mark.parametrize("seed", range(20))
def test_every_value_is_found_where_it_was_put(seed):
    """A machine of few registers that runs what is written. Each instruction reads one value in a register and one in
    its register or in memory, and makes one, perhaps in a register that it reads.
    """
    rng = np.random.default_rng(seed)
    reads = [tuple(rng.integers(max(0, k - 12), 7 + k, 2).tolist()) for k in range(200)]
    count, uses = int(rng.integers(2, 7)), uses_of(reads)
    held, stored = ([value for value in group if value in uses] for group in ((0, 1), (2, 3, 4)))
    places = {("memory", value): value for value in (5, 6)}
    places |= {("register", k): value for k, value in enumerate(held)}
    places |= {("slot", k): value for k, value in enumerate(stored)}

    def store(register, slot):
        places["slot", slot] = places["register", register]

    registers = Registers(uses, count, store=store, in_memory=(5, 6), held=held, stored=stored)

    def place(value):
        if value in registers.held:
            return "register", registers.held[value]
        return ("slot", registers.slot_of[value]) if value in registers.slot_of else ("memory", value)

    for k, (a, b) in enumerate(reads):
        last = registers.read((a, b))
        if a not in registers.held:
            at = registers.take(keep=(a, b))
            places["register", at] = places[place(a)]
            registers.hold(a, at)
        operands = {place(a): a, place(b): b}
        registers.leave(last)
        result = registers.take()
        assert all(places[operand] == value for operand, value in operands.items())
        places["register", result] = 7 + k
        registers.hold(7 + k, result)
        registers.leave_slots(last)
        assert sorted([*registers.held.values(), *registers.free]) == list(range(count))
    assert not registers.held
    assert not registers.slot_of
    assert {number for kind, number in places if kind == "slot"} == set(range(registers.slots))


def test_what_is_kept_and_how_far_the_next_use_is():
    registers = Registers(uses_of([(0, 1), (2,), (2, 0), (1,)]), 2, store=lambda *place: None, held=[0, 1])
    assert registers.read((0, 1)) == []
    assert (registers.distance(0), registers.distance(1)) == (2, 3)
    assert registers.take(keep=(1,)) == 0
    assert registers.read((2,)) == []
    assert registers.read((2, 0)) == [2, 0]


def test_a_result_that_nobody_reads_gives_its_register_back():
    registers = Registers(uses_of([(), ()]), 1, store=never)
    for result in (0, 1):
        registers.read(())
        registers.hold(result, registers.take())
        assert registers.free == [0]
