from tests.codegen.llvm.programs import arm, every_op, random_program

from torquec.codegen.llvm_text.arrange import AngleGroup, Write, arrange, defines, needs
from torquec.codegen.llvm_text.program import make_program


def test_joint_angles_are_one_group_at_the_beginning():
    items = arrange(make_program(arm(6), fuse=True), columns=1)
    assert isinstance(items[0], AngleGroup)
    assert len(items[0].angles) == 6
    assert sum(isinstance(item, AngleGroup) for item in items) == 1


def test_angles_that_need_angles_are_a_later_group():
    items = arrange(make_program(every_op(), fuse=True), columns=1)
    assert [len(item.angles) for item in items if isinstance(item, AngleGroup)] == [2, 1]


def test_everything_is_defined_once_and_before_it_is_needed():
    for seed in range(20):
        program = make_program(random_program(seed, steps=80), fuse=True)
        for columns in (1, 4, 8):
            known = {k for k, step in enumerate(program.steps) if step.is_leaf}
            for item in arrange(program, columns=columns):
                assert set(needs(program, item)) <= known
                assert not set(defines(item)) & known
                known |= set(defines(item))
            assert known == set(range(len(program.steps)))


def test_every_output_element_is_written_once():
    for seed in range(20):
        program = make_program(random_program(seed), fuse=True)
        for columns in (1, 4, 8):
            written = {}
            for item in arrange(program, columns=columns):
                if isinstance(item, Write):
                    assert len(item.steps) <= columns
                    assert item.first % columns == 0
                    for k, step in enumerate(item.steps):
                        assert (item.output, item.first + k) not in written
                        written[item.output, item.first + k] = step
            assert written == {(i, k): step for i, row in enumerate(program.results) for k, step in enumerate(row)}
