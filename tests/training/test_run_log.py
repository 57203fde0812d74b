import json

import pytest

from course_utils.training.log import RunLog, read_log


def test_records_come_back(tmp_path):
    log = RunLog(tmp_path / "deep" / "log.jsonl")
    log.add(5, loss=0.1 + 0.2, what="배")
    log.add(10, loss=1e-300)
    assert read_log(log.path) == [{"step": 5, "loss": 0.1 + 0.2, "what": "배"}, {"step": 10, "loss": 1e-300}]
    assert [json.loads(line)["step"] for line in log.path.read_text(encoding="utf-8").splitlines()] == [5, 10]


def test_a_new_run_begins_anew(tmp_path):
    RunLog(tmp_path / "log.jsonl").add(5, loss=1.0)
    RunLog(tmp_path / "log.jsonl")
    assert read_log(tmp_path / "log.jsonl") == []


def test_a_resumed_run_drops_what_it_will_do_again(tmp_path):
    log = RunLog(tmp_path / "log.jsonl")
    for step in (5, 10, 15):
        log.add(step)
    resumed = RunLog(log.path, after=10)
    assert [record["step"] for record in read_log(log.path)] == [5, 10]
    resumed.add(15)
    assert [record["step"] for record in read_log(log.path)] == [5, 10, 15]


def test_a_line_cut_short_is_dropped_wherever_it_is_cut(tmp_path):
    log = RunLog(tmp_path / "log.jsonl")
    log.add(5, what="배")
    whole = log.path.read_bytes()
    for length in range(len(whole)):
        log.path.write_bytes(whole + whole[:length])  # also in the middle of a Hangul character
        assert len(read_log(log.path)) == (2 if length == len(whole) - 1 else 1)  # only the newline missing
        resumed = RunLog(log.path, after=5)
        resumed.add(10)
        assert read_log(log.path)[-1] == {"step": 10}


def test_a_sign_that_ends_a_line_in_unicode_is_part_of_a_text(tmp_path):
    log = RunLog(tmp_path / "log.jsonl")
    log.add(1, what="a\u2028b\x85c")
    assert read_log(log.path) == [{"step": 1, "what": "a\u2028b\x85c"}]


@pytest.mark.parametrize(
    "line", ['{"loss": 3}', "[5]", "5", '{"step": "5"}', '{"step": true}', "{", "", "\xff"]
)
def test_a_line_that_is_no_record_is_named_and_nothing_is_lost(tmp_path, line):
    log = RunLog(tmp_path / "log.jsonl")
    log.add(5)
    before = log.path.read_bytes() + line.encode("latin-1") + b'\n{"step": 10}\n'
    log.path.write_bytes(before)
    for opened in (read_log, lambda path: RunLog(path, after=10)):
        with pytest.raises(
            ValueError, match=r"log\.jsonl, line 2, must be a record with its step.*delete that line"
        ):
            opened(log.path)
    assert log.path.read_bytes() == before


def test_no_file_no_records_and_nothing_else_is_left(tmp_path):
    assert read_log(tmp_path / "none.jsonl") == []
    RunLog(tmp_path / "log.jsonl", after=3).add(4)
    assert [file.name for file in tmp_path.iterdir()] == ["log.jsonl"]
