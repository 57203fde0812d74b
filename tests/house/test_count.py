"""dev/count.py: which lines of a file are code, and which of these check."""

from dev.count import main, share

CODE = '''"""Words
on two lines."""

# a comment
LIMIT = 3


def half(size):
    """Words."""
    size = whole_number("size", size)
    check_ids(
        size,
    )
    if size % 2:
        raise ValueError(
            "odd"
        )
    if size > LIMIT:
        print(size)
    return size // 2
'''


def test_lines_of_code_and_those_that_check():
    assert share(CODE, {"whole_number", "check_ids"}) == (13, 8)


def test_the_command_tells_the_three_goals(capsys):
    assert main() == 0
    said = capsys.readouterr().out
    assert "course_utils/viz" in said and " in all, of which tests " in said and "check arguments" in said
    assert "data/" not in said and "notebooks/ko" not in said
