"""The course's own corpus: short documents, and what sense a homonym has in each.

One sentence a line, a blank line between documents. A file's name gives its homonym and the sense that every
free-standing occurrence of it has there: bae_ship.txt, nun_snow.txt, … `general.txt` and `mixed_*.txt` name none.

data/corpus is what the notebooks train on while you wait; data/corpus_more and data/corpus_more/stories, files of the
same names, are as much again each, and pre-training reads all three.
"""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from pathlib import Path

from course_utils.support.given import composed, one_line, shown
from course_utils.support.paths import DATA

CORPUS = DATA / "corpus"
MORE = DATA / "corpus_more"
STORIES = MORE / "stories"
WHOLE_CORPUS = (CORPUS, MORE, STORIES)  # what the checkpoints have read

Folders = str | Path | Sequence[str | Path]

# The homonym as it is written, its name in the files, its senses.
HOMONYMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "배": ("bae", ("ship", "pear", "belly", "times")),
    "눈": ("nun", ("eye", "snow")),
    "밤": ("bam", ("night", "chestnut")),
    "다리": ("dari", ("leg", "bridge")),
    "차": ("cha", ("car", "tea")),
    "사과": ("sagwa", ("apple", "apology")),
    "말": ("mal", ("horse", "speech")),
    "은행": ("eunhaeng", ("bank", "ginkgo")),
}


def read_documents(path: Folders = CORPUS) -> list[list[str]]:
    """The documents of a text file, or of all .txt files of a folder in the order of their names.

    Args:
        path: a UTF-8 file or a folder of such files; or several of them, then files of the same name stand one behind
            the other.

    Returns:
        documents, each a list of sentences, none empty; their Hangul composed.
    """
    files = [file for one in _paths(path) for file in _files(one)]
    return [document for file in sorted(files, key=lambda file: file.name) for document in _read_file(file)]


def _paths(given: Folders) -> list[Path]:
    """One path or several, at least one."""
    if not isinstance(given, list | tuple):
        return [Path(given)]
    if not given:
        raise ValueError("path must name at least one file or folder, got none")
    return [Path(one) for one in given]


def _files(path: Path) -> list[Path]:
    files = sorted(path.glob("*.txt")) if path.is_dir() else [path]
    if not files:
        raise FileNotFoundError(f"{one_line(str(path), 200)} must hold at least one .txt file")
    return files


def _read_file(file: Path) -> list[list[str]]:
    if not file.is_file():
        raise FileNotFoundError(f"there is no text file {one_line(str(file), 200)}")
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        was = "UTF-16" if error.object.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "CP949"
        raise ValueError(
            f"{file} must be UTF-8, and byte {error.start} is not: save it again as UTF-8, or, if it is {was}, "
            f"iconv -f {was} -t UTF-8 OLD >NEW"
        ) from None
    documents: list[list[str]] = [[]]
    for line in composed(text).splitlines():
        if line.strip():
            documents[-1].append(line.strip())
        elif documents[-1]:
            documents.append([])
    documents = [document for document in documents if document]
    if not documents:
        raise ValueError(f"{file} must hold at least one sentence, and is empty")
    return documents


def sense_documents(word: str, sense: str, folder: Folders = CORPUS) -> list[list[str]]:
    """The documents in which a homonym has one sense.

    Args:
        word: one of HOMONYMS.
        sense: one of its senses.
        folder: where the files are, or several such.
    """
    name, senses = homonym(word)
    if sense not in senses:
        raise ValueError(f"the senses of {word} are {', '.join(senses)}; got {shown(sense)}")
    return [document for one in _paths(folder) for document in _read_file(one / f"{name}_{sense}.txt")]


def homonym(word: str) -> tuple[str, tuple[str, ...]]:
    """The name of a homonym in the files, and its senses; ValueError if the word is not one of HOMONYMS."""
    if composed(word) not in HOMONYMS:
        raise ValueError(f"the course knows the senses of {' '.join(HOMONYMS)}; got {shown(word)}")
    return HOMONYMS[composed(word)]
