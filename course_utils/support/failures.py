"""What a command says of an error that ends it: one sentence, what was expected and what to do.

Errors that the course raises say so themselves. Those of the operating system come as "[Errno 13] Permission denied:
'x'" and say neither.
"""

from __future__ import annotations

import errno

MOVE_OR_RENAME = "a file stands where a folder must be: move it away, or name another folder"
CHANGE_RIGHTS = "it must be yours to read and write: change its permissions, or name another place"
MAKE_ROOM = "the disk is full: make room, or name a place on another disk"
REMEDIES = {
    errno.ENOENT: "it must be there: is the path spelled right?",
    errno.EEXIST: MOVE_OR_RENAME,
    errno.ENOTDIR: MOVE_OR_RENAME,
    errno.EISDIR: "a folder stands where a file must be: move it away, or name another file",
    errno.EACCES: CHANGE_RIGHTS,
    errno.EPERM: CHANGE_RIGHTS,
    errno.EROFS: CHANGE_RIGHTS,
    errno.ENOSPC: MAKE_ROOM,
    errno.EDQUOT: MAKE_ROOM,
}


FORESEEN = (ValueError, OSError, FloatingPointError)  # what the course raises itself


def sentence_of(error: Exception) -> str:
    """The sentence for an error that ends a command.

    Args:
        error: one of ours, whose words are kept; one of the operating system, which is told by its path, what happened
            to it, and what helps; or one that nobody foresaw, which is told by its kind.
    """
    words = " ".join(str(error).split("\n")).strip()
    if isinstance(error, MemoryError):
        return f"the memory is used up ({words or 'no more could be had'}); take smaller sizes, or close other programs"
    if isinstance(error, OSError) and error.strerror:
        told = error.strerror if error.filename is None else f"{error.filename}: {error.strerror}"
        remedy = REMEDIES.get(error.errno)
        return f"{told}; {remedy}" if remedy else told
    if isinstance(error, FORESEEN) and words:
        return words
    kind = type(error).__name__
    return f"{kind}: {words or 'without words'} (--debug shows where)"
