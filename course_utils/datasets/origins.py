"""Where each public corpus was published: repository, commit, path, size, sha256. Licences: data/README.md.

Other public projects list the same address and sum, for every file but one.
`nsmc_sample.tsv` is 40,000 reviews, drawn from the thousands of files in raw/ of its repository. That sample is
published nowhere, so it comes from a mirror only; `ratings_train.txt` is what the repository itself offers. The
sentence pairs of klue-sts were published as v1, and v1.1 has the same file.
"""

from __future__ import annotations

import urllib.parse
from typing import NamedTuple

RAW = "https://raw.githubusercontent.com"


class Origin(NamedTuple):
    """Where a file was published, and what it must be."""

    repository: str  # owner/name on GitHub
    commit: str
    path: str  # in the repository; "" if it is not in there
    size: int  # bytes
    sha256: str

    @property
    def address(self) -> str:
        return f"{RAW}/{self.repository}/{self.commit}/{urllib.parse.quote(self.path)}"


_KORSTS = "kakaobrain/KorNLUDatasets", "0df0fe7d496eb61b092e022e238c2230b29f1cbc"
_KLUE = "KLUE-benchmark/KLUE", "3efd98708a40ff49251fddde35453f8fbb11f536"
_KLUE_V1 = "KLUE-benchmark/KLUE", "ab22cd5cfdd6b527a9a4e2d177f9dacb85ddde2c"
_CHAT = "songys/Chatbot_data", "4cf20d13fc46f5037fd1c531cd566e2dd9f72974"
_NSMC = "e9t/nsmc", "cc0670e872d4ac27bfe36c87456783004b39ef6c"
ORIGINS = {
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
        *_CHAT,
        "ChatbotData.csv",
        889_842,
        "287eb129695b577321c80ad397bb3c2279164d4ca577874d129fd3db5b30afe2",
    ),
    "nsmc_sample.tsv": Origin(
        *_NSMC,
        "",
        4_247_702,
        "971c865ce1440079366ef9d49f41cd1448e6b012457a810c556257178c2521fa",
    ),
    "ratings_train.txt": Origin(
        *_NSMC,
        "ratings_train.txt",
        14_628_807,
        "e03b7d14e9e41be8d464a28057cd25d7396c53e67aa7fd5f7e552c59b0ee2940",
    ),
}
PUBLISHED = tuple(name for name, origin in ORIGINS.items() if origin.path)
