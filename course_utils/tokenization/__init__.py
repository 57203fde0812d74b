"""Text to tokens: normalisation, BPE, byte-level BPE and WordPiece, from scratch. No torch here.

`fast` is the same in the `tokenizers` library; it is imported only by those who ask for it.
"""

from course_utils.tokenization.bpe import PlainBPETrainer
from course_utils.tokenization.bpe_tokenizer import BPETokenizer, BPETrainer
from course_utils.tokenization.byte_bpe import ByteBPETokenizer, ByteBPETrainer
from course_utils.tokenization.encoding import Encoding
from course_utils.tokenization.merging import Candidate, MergeStep
from course_utils.tokenization.wordpiece import WordPieceTokenizer
from course_utils.tokenization.wordpiece_training import WordPieceTrainer

__all__ = [
    "BPETokenizer",
    "BPETrainer",
    "ByteBPETokenizer",
    "ByteBPETrainer",
    "Candidate",
    "Encoding",
    "MergeStep",
    "PlainBPETrainer",
    "WordPieceTokenizer",
    "WordPieceTrainer",
]
