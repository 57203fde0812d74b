"""Where each public corpus was published: repository, commit, path, size, sha256. Licences: data/README.md.

The sum of `nsmc_raw.tsv.gz` is that of the lines in it, which nsmc.py builds from the thousands of files in raw/ of its
repository. The sentence pairs of klue-sts were published as v1, and v1.1 has the same file.
"""

from __future__ import annotations

import urllib.parse
from typing import NamedTuple

RAW = "https://raw.githubusercontent.com"
ARCHIVES = "https://codeload.github.com"


class Origin(NamedTuple):
    """Where a file was published, and what it must be."""

    repository: str  # owner/name on GitHub
    commit: str
    path: str  # in the repository
    size: int  # bytes
    sha256: str

    @property
    def address(self) -> str:
        return f"{RAW}/{self.repository}/{self.commit}/{urllib.parse.quote(self.path)}"


class Archive(NamedTuple):
    """A repository at one commit, from whose many files one is built, and what that must be."""

    repository: str  # owner/name on GitHub
    commit: str
    size: int  # bytes of what is built, nearly: it depends on the version of zlib
    sha256: str  # of what is built, before it is compressed

    @property
    def address(self) -> str:
        return f"{ARCHIVES}/{self.repository}/tar.gz/{self.commit}"


_KORSTS = "kakaobrain/KorNLUDatasets", "0df0fe7d496eb61b092e022e238c2230b29f1cbc"
_KLUE = "KLUE-benchmark/KLUE", "3efd98708a40ff49251fddde35453f8fbb11f536"
_KLUE_V1 = "KLUE-benchmark/KLUE", "ab22cd5cfdd6b527a9a4e2d177f9dacb85ddde2c"
_CHAT = "songys/Chatbot_data", "4cf20d13fc46f5037fd1c531cd566e2dd9f72974"
_KAIST = "UniversalDependencies/UD_Korean-Kaist", "888f855c7bcf1e39291246744f4e98f6bda6742e"
_NSMC = "e9t/nsmc", "cc0670e872d4ac27bfe36c87456783004b39ef6c"
ORIGINS: dict[str, Origin | Archive] = {
    "korsts-train.tsv": Origin(
        *_KORSTS,
        "KorSTS/sts-train.tsv",
        1_046_952,
        "b5aaa7f957d6ff46f4b6834a8b0f024a9234a6eefe9289aed66746b4533da3b8",
    ),
    "korsts-dev.tsv": Origin(
        *_KORSTS,
        "KorSTS/sts-dev.tsv",
        307_276,
        "d835b65b424401fbcce6be28a78159df8d61f5b19977ea7a0b83b8cb6105f393",
    ),
    "korsts-test.tsv": Origin(
        *_KORSTS,
        "KorSTS/sts-test.tsv",
        249_596,
        "13f83a3440d9db52d134eb40303ce021b03264aa338fbf2871c8786ce04d2105",
    ),
    "klue-nli-v1.1_dev.json": Origin(
        *_KLUE,
        "klue_benchmark/klue-nli-v1.1/klue-nli-v1.1_dev.json",
        1_498_298,
        "0699db82be17766b26e199864e6260443e17ec6e91d1870e876419e388f245b1",
    ),
    "klue-sts-v1.1_dev.json": Origin(
        *_KLUE_V1,
        "klue_benchmark/klue-sts-v1/klue-sts-v1_dev.json",
        454_638,
        "b6a0ae0c370e21687f7eef0fdea872a328bb2ecbdb020c546cb870d28606bf80",
    ),
    "klue-ner-v1.1_dev.tsv": Origin(
        *_KLUE,
        "klue_benchmark/klue-ner-v1.1/klue-ner-v1.1_dev.tsv",
        2_635_045,
        "0f4d5e818f7b82d299c3a87856fc40a706f5943207580ddb252397e387050a54",
    ),
    "ChatbotData.csv": Origin(
        *_CHAT, "ChatbotData.csv", 889_842, "287eb129695b577321c80ad397bb3c2279164d4ca577874d129fd3db5b30afe2"
    ),
    "ko_kaist-ud-dev.conllu": Origin(
        *_KAIST,
        "ko_kaist-ud-dev.conllu",
        3_010_966,
        "a1ce2dceee65683c2df3b0cce96c83d01e5ff67756060b998fe01d8bc8ca4faa",
    ),
    "ko_kaist-ud-test.conllu": Origin(
        *_KAIST,
        "ko_kaist-ud-test.conllu",
        3_324_246,
        "fd94dc89afb01d1f7f340a46d567e0f27ae6903a70d7b6f650b49f7427f83b97",
    ),
    "nsmc_raw.tsv.gz": Archive(
        *_NSMC, 29_034_911, "4b69e119bbd9b0e313fed133cf007fe0edfa953c88c68c1522abb276d58c4101"
    ),
}
