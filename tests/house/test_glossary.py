"""The words of the course: one name for one thing."""

from __future__ import annotations

from dev.glossary import main, starts_a_word, strange_words, terms, texts


def test_no_text_uses_another_name(capsys):
    assert main() == 0, capsys.readouterr().out


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
