"""Every widget of the course at its largest documented input, and keys that move it.

test_standard.py holds each to one standard; `python -m benchmarks widgets` measures how soon each answers.
"""

from __future__ import annotations

from typing import NamedTuple


class Largest(NamedTuple):
    """A widget to be looked at."""

    code: str  # a cell whose value is the widget
    moves: tuple[tuple[str, str], ...]  # (data-testid of a control, key); each changes the picture


WIDGETS = {
    "activation_explorer": Largest(
        """
from course_utils.activations import (
    gelu, gelu_derivative, gelu_tanh, gelu_tanh_derivative, relu, relu_derivative)
from course_utils.widgets import ActivationExplorer

curves = [(gelu, gelu_derivative), (gelu_tanh, gelu_tanh_derivative), (relu, relu_derivative)] * 2
names = ["GELU", "tanh 꼴", "ReLU", "GELU 둘", "tanh 꼴 둘", "ReLU 둘"]
ActivationExplorer(dict(zip(names, curves)), difference_of=("GELU", "tanh 꼴"), x=1.0)
""",
        (
            ("handle", "ArrowLeft"),
            ("handle", "Shift+ArrowRight"),
            ("show-1", "Space"),
            ("difference", "Space"),
        ),
    ),
    "attention_explorer": Largest(
        """
import numpy as np
from course_utils.widgets import AttentionExplorer

def look(sentence):
    draw = np.random.default_rng(len(sentence))
    weights = draw.dirichlet(np.full(64, 0.05), size=(12, 12, 64))
    return ["[CLS]", *(f"단어{place}" for place in range(62)), "[SEP]"], weights

def measures(tokens, weights):
    return {"previous": np.diagonal(weights, -1, 2, 3).mean(-1), "entropy": weights.max(-1).mean(-1)}

AttentionExplorer("가", "나다", look=look, measures=measures)
""",
        (
            ("token-0-0", "ArrowDown"),
            ("token-0-0", "End"),
            ("tile-0-0", "ArrowRight"),
            ("tile-0-0", "ArrowDown"),
            ("threshold", "ArrowRight"),
            ("sort", "ArrowDown"),
        ),
    ),
    "head_grid": Largest(
        """
import numpy as np
from course_utils.widgets import HeadGrid

def attention(words):
    return np.random.default_rng(0).dirichlet(np.full(len(words), 0.3), size=(16, len(words)))

def loss(words, off):
    return np.linspace(0, 0.06 * len(off), len(words))

sentence = "나는 항구에 들러 큰 배를 타고 섬에 가서 사과와 배를 많이 먹었다"
HeadGrid(sentence, heads=[f"헤드 {n}" for n in range(16)], attention=attention, loss=loss)
""",
        (("head-0", "ArrowRight"), ("head-0", "End"), ("word-0", "ArrowDown"), ("on-3", "Space")),
    ),
    "mask_painter": Largest(
        """
import torch
from course_utils.attention import attention_weights
from course_utils.widgets import MaskPainter

def vectors(words):
    points = torch.randn(2, len(words), 8, generator=torch.Generator().manual_seed(0))
    return points[0], points[1]

def weigh(query, key, mask):
    return attention_weights(query, key, mask)

sentence = "나는 항구에 들러 큰 배를 타고 섬에 가서 사과와 배를 많이 먹었다"
MaskPainter(sentence, vectors=vectors, attention_weights=weigh)
""",
        (("causal", "Enter"), ("padding", "ArrowRight"), ("open", "Enter")),
    ),
    "mask_roller": Largest(
        """
from course_utils.datasets.pretraining import choose_tokens, choose_words, corrupt
from course_utils.pretrained import load_pretrained
from course_utils.tokenization.vocab import SPECIAL_TOKENS
from course_utils.widgets import MaskRoller

_, tokenizer = load_pretrained()
given = dict(choose_tokens=choose_tokens, choose_words=choose_words, corrupt=corrupt, special=SPECIAL_TOKENS)
first = "나는 항구에 들러 큰 배를 타고 먼 섬에 가서 사과와 배를 많이 먹고 왔으며 다음 날에도 또 갔다."
second = "배 위에서는 뱃멀미를 했지만 섬에서는 밤을 구워 먹었고 그 밤에 눈이 내려 두 배로 즐거웠다 한다."
MaskRoller(first[:60], second[:60], tokenizer=tokenizer, **given)
""",
        (("roll", "Enter"), ("whole_words", "Space"), ("many", "Enter"), ("again", "Enter")),
    ),
    "merge_stepper": Largest(
        """
from course_utils.tokenization import BPETrainer, WordPieceTrainer
from course_utils.widgets import MergeStepper
from course_utils.widgets.merge_stepper import LONGEST_CORPUS

trainers = {"BPE": BPETrainer(), "WordPiece": WordPieceTrainer(lowercase=False, strip_accents=False)}
text = "나는 항구에 들러 큰 배를 타고 섬에 가서 사과와 배를 먹었다 배에서 내려 배가 아프다 두 배로 아프다 "
MergeStepper((text * 20)[:LONGEST_CORPUS].strip(), trainers=trainers)
""",
        (("next", "Enter"), ("step", "ArrowRight"), ("last", "Enter"), ("first", "Enter")),
    ),
    "neighbour_explorer": Largest(
        """
import numpy as np
from course_utils.widgets import NeighbourExplorer

names = ["배", *(f"단어{n}" for n in range(2999))]
draw = np.random.default_rng(0)
end = draw.normal(size=(3000, 100))
moments = {f"갱신 {n}": end + (100 - n) * draw.normal(size=(3000, 100)) / 30 for n in range(100)}
NeighbourExplorer("배", words=names, moments=moments, groups={"단어1": "탈것", "단어2": "과일"})
""",
        (("moment", "ArrowLeft"), ("moment", "Home"), ("moment", "End")),
    ),
    "parameter_microscope": Largest(
        """
import torch
from course_utils.config import BertConfig
from course_utils.heads import BertForPreTraining
from course_utils.widgets import ParameterMicroscope

def tensors(config):
    with torch.device("meta"):
        model = BertForPreTraining(config)
    return [(name.removeprefix("bert."), tuple(p.shape)) for name, p in model.named_parameters()]

sizes = {name: getattr(BertConfig, name)() for name in ["large", "base", "tiny"]}
ParameterMicroscope(sizes, tensors=tensors)
""",
        (("heads", "Space"), ("part-0", "Enter"), ("crumb-0", "Enter")),
    ),
    "parity_debugger": Largest(
        """
from course_utils.widgets import ParityDebugger

def departures(fault, layer):
    first = 49 if fault == "없음" else layer
    return [(f"층 {n}" if n else "임베딩", 0.25 if n >= first else 1.5e-7) for n in range(49)]

faults = ["없음", *(f"고장 {n}" for n in range(1, 20))]
ParityDebugger(departures, faults=faults, layers=48, fault="고장 1")
""",
        (("layer", "ArrowRight"), ("layer", "End"), ("layer", "Home")),
    ),
    "positional_explorer": Largest(
        """
from course_utils.positional import sinusoidal_encoding
from course_utils.widgets import PositionalExplorer

PositionalExplorer(sinusoidal_encoding, length=512, hidden_size=256)
""",
        (
            ("first", "ArrowDown"),
            ("second", "ArrowDown"),
            ("dimension", "ArrowRight"),
            ("hidden_size", "ArrowLeft"),
        ),
    ),
    "scaled_attention": Largest(
        """
import numpy as np
from course_utils.attention import scaled_dot_product_attention
from course_utils.widgets import ScaledAttention

turn = np.linspace(0, 2 * np.pi, 4, endpoint=False)
keys = np.stack([np.cos(turn), np.sin(turn)], axis=1)
ScaledAttention(
    keys, 1.2 * keys[::-1] + 1, labels=["항구", "사과", "배", "바다"], attention=scaled_dot_product_attention)
""",
        (
            ("query", "ArrowUp"),
            ("query", "Shift+ArrowLeft"),
            ("d_k", "End"),
            ("temperature", "ArrowLeft"),
            ("scaled", "Space"),
        ),
    ),
    "sense_explorer": Largest(
        """
from course_utils.contextual import SENSE_LAYER, encode_words, find_word, influence, occurrences, sense_space
from course_utils.contextual.evaluation import held_out_sentences
from course_utils.contextual.senses import sense_points
from course_utils.pretrained import load_pretrained
from course_utils.widgets import SenseExplorer

model, tokenizer = load_pretrained()
kept = held_out_sentences()
examples = {
    word: [(own, *occurrences(own, word)[0], sense) for sense, rows in kept[word].items() for own in rows]
    for word in ["배", "눈"]
}

def place(word):
    points = encode_words(model, tokenizer, [row[0] for row in examples[word]], word)[:, SENSE_LAYER]
    return points[:, :2].numpy()

def read(sentence, word, occurrence):
    space = sense_space(model, tokenizer, word)
    point = sense_points(model, tokenizer, [sentence], word, occurrence=occurrence)
    scores = sorted(zip(space.senses, space.scores(point)[0].tolist()), key=lambda pair: -pair[1])

    def moved():
        found = influence(model, tokenizer, sentence, word, occurrence=occurrence)
        return [(own.start, own.end, own.drop) for own in found]

    return scores, (0.0, 0.0), moved

sentence = "나는 어제 오후에 먼 항구에 들러 큰 배를 타고 섬에 가서 사과와 밤과 감을 많이 먹고 저녁에 다시 돌아왔으며, "
sentence += "이튿날 아침에는 친구와 함께 바닷가를 걷다가 갈매기 떼를 보고 사진을 여러 장 찍었다."
SenseExplorer(sentence, examples=examples, place=place, read=read, occurrences=occurrences)
""",
        (("sentence", "a"), ("sentence", "Backspace")),
    ),
    "sense_map": Largest(
        """
import numpy as np
from course_utils.contextual import occurrences
from course_utils.contextual.evaluation import held_out_sentences
from course_utils.widgets import SenseMap

kept = held_out_sentences()
examples = {
    word: [(own, *occurrences(own, word)[0], sense) for sense, rows in kept[word].items() for own in rows]
    for word in kept
}

def place(word, layer):
    return np.random.default_rng(layer).normal(size=(len(examples[word]), 2))

SenseMap(examples, place, layers=24)
""",
        (("cursor", "ArrowRight"), ("cursor", "ArrowDown"), ("layer", "ArrowLeft")),
    ),
    "token_inspector": Largest(
        """
from course_utils.tokenization import WordPieceTokenizer
from course_utils.pretrained import load_pretrained
from course_utils.widgets import TokenInspector

_, own = load_pretrained()

def tokenizer(lowercase, strip_accents):
    return WordPieceTokenizer(own.vocab, lowercase=lowercase, strip_accents=strip_accents)

sentence = "나는 Café에 들러 배를 탔고 항구에서 사과와 배를 먹었으며 밤에는 눈이 내렸다 또 두 배로 기뻤다."
TokenInspector(sentence[:60], tokenizer=tokenizer)
""",
        (("lowercase", "Space"), ("strip_accents", "Space"), ("sentence", "a"), ("sentence", "Backspace")),
    ),
    "training_replay": Largest(
        """
import math
from course_utils.widgets import TrainingReplay

def fill(snapshot, sentence):
    return [(word, 0.1 + snapshot / 400) for word in ["배", "차", "말", "눈", "밤"]]

widget = TrainingReplay(steps=20_000, unigram=5.5, fill=fill, sentence="나는 [MASK]를 탔다.")
with widget.hold_trait_notifications():
    for step in range(10, 20_001, 10):
        widget.add_record(step, mlm_loss=3 + 5 * math.exp(-step / 5000), learning_rate=1e-4)
for step in range(0, 20_001, 200):
    accuracies = {"held_out_next_accuracy": 0.8, "held_out_not_next_accuracy": 0.2 + step / 40_000}
    widget.add_snapshot(step, held_out_mlm_loss=3 + 5 * math.exp(-step / 5000), **accuracies)
widget
""",
        (("snapshot", "ArrowLeft"), ("snapshot", "Home"), ("snapshot", "End")),
    ),
}
