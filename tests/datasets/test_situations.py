"""data/situations.tsv: nothing in an ending tells whether it is the right one."""

from collections import Counter, defaultdict

from course_utils.datasets.corpus import DATA

HEAD, *ROWS = [line.split("\t") for line in (DATA / "situations.tsv").read_text("utf-8").splitlines()]


def test_each_ending_is_right_once_and_wrong_for_the_three_others_of_its_subject():
    assert HEAD == ["subject", "part", "situation", "right", "wrong1", "wrong2", "wrong3"]
    subjects = defaultdict(list)
    for row in ROWS:
        assert len(row) == len(HEAD) and all(field == field.strip() != "" for field in row)
        subjects[row[0]].append(row)
    for rows in subjects.values():
        assert len(rows) == 4 and len({part for _, part, *_ in rows}) == 1
        endings = {right for _, _, _, right, *_ in rows}
        assert len(endings) == 4 and all(set(row[3:]) == endings for row in rows)
    assert Counter(Counter(row[3] for row in ROWS).values()) == {1: 276}
    assert len({row[2] for row in ROWS}) == 276
