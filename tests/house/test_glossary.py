"""The words of the course: one name for one thing."""

from __future__ import annotations

import pytest

from dev.glossary import main, starts_a_word, strange_words, terms, texts


def test_no_text_uses_another_name():
    known = terms()
    assert [
        f"{where}: {word} → {term}" for where, text in texts() for word, term in strange_words(text, known)
    ] == []


def test_every_term_is_there_once_and_in_the_notebook_that_explains_it():
    known, read = terms(), list(texts())
    assert len(known) >= 50 and len({term.korean for term in known}) == len(
        {t.english for t in known}
    ) == len(known)
    for term in known:
        assert any(
            where.startswith(f"{term.notebook}_") and starts_a_word(term.korean, text) for where, text in read
        ), term
        assert term.korean not in {word for other in known for word in other.unused}


def test_a_word_is_found_at_its_start_and_not_in_code():
    known = terms()
    assert strange_words("매개변수를 센다", known) == [("매개변수", "파라미터")]
    assert strange_words("성질의 이름, `질의`, $\\text{질의}$", known) == []


def test_a_row_that_lacks_a_cell_is_told(tmp_path):
    (tmp_path / "g.md").write_text("| a | b | c | d |\n|---|---|---|---|\n| 층 | layer | 레이어 |\n", "utf-8")
    with pytest.raises(ValueError, match="must have four cells, none of them empty, got .*레이어"):
        terms(tmp_path / "g.md")


def test_the_command_ends_with_0_where_all_is_well(capsys):
    assert main() == 0 and "each under one name" in capsys.readouterr().out
