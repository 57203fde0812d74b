"""LayerMixer without a browser: shares, neighbours by hand and by torch, accuracies, its line, and what it refuses."""

import numpy as np
import torch

from course_utils.widgets import LayerMixer
from course_utils.widgets.layer_mixer.mixing import MOST_NEIGHBOURS, Words, shares_of

SENTENCES = [["가", "나", "다"], ["라", "마"]]
# Layer 0 has 가 and 라 in one direction, layer 1 가 and 마, layer 2 everything alike.
VECTORS = [
    np.array([[[1, 0], [0, 1], [-1, 0]], [[0, 1], [1, 0], [0, -1]], [[2, 0]] * 3], dtype=float),
    np.array([[[3, 0], [0, 1]], [[1, 0], [0, 5]], [[2, 0]] * 2], dtype=float),
]
MIXES = {"first": [1, 0, 0], "all": [1, 1, 1], "learned": [0.2, 0.5, 0.3]}


def make(sentences=SENTENCES, vectors=VECTORS, mixes=MIXES, accuracy=lambda shares: shares[1], **start):
    return LayerMixer(sentences, vectors, mixes=mixes, accuracy=accuracy, **start)


def names(mixer: LayerMixer) -> list[str]:
    return [one["name"] for one in mixer.picture["neighbours"]]


def test_weights_become_shares():
    mixer = make()
    assert mixer.weights == [1, 0, 0] and [one["share"] for one in mixer.picture["shares"]] == [1, 0, 0]
    mixer.weights = [0.5, 0.25, 0.25]
    assert mixer.picture["shares"] == [
        {"share": 0.5, "shown": "50 %"},
        {"share": 0.25, "shown": "25 %"},
        {"share": 0.25, "shown": "25 %"},
    ]
    mixer.weights = [0.2, 0.1, 0.1]  # the same mix
    assert [one["share"] for one in mixer.picture["shares"]] == [0.5, 0.25, 0.25]
    np.testing.assert_allclose(shares_of([3, 1]), [0.75, 0.25])


def test_neighbours_by_hand():
    mixer = make()
    assert names(mixer) == ["라", "나", "마", "다"]  # cosines 1, 0, 0, −1; of those alike the earlier
    assert [one["shown"] for one in mixer.picture["neighbours"]] == ["1.00", "0.00", "0.00", "−1.00"]
    mixer.weights = [0, 1, 0]
    assert names(mixer)[0] == "마" and names(mixer)[-1] == "다"
    mixer.weights = [1, 1, 0]  # 가 is (1, 1), 나 (1, 1), 라 (4, 0), 마 (0, 6), 다 (−1, −1)
    assert [one["shown"] for one in mixer.picture["neighbours"]] == ["1.00", "0.71", "0.71", "−1.00"]
    mixer.sentence, mixer.word = 1, 1
    assert [(one["name"], one["sentence"], one["word"]) for one in mixer.picture["neighbours"]][:2] == [
        ("가", 0, 0),
        ("나", 0, 1),
    ]


def test_neighbours_are_those_of_torch():
    draw = np.random.default_rng(7)
    vectors = [draw.normal(size=(5, count, 11)) for count in (3, 7, 2, 13)]
    sentences = [[f"{row}.{place}" for place in range(array.shape[1])] for row, array in enumerate(vectors)]
    weights = draw.uniform(size=5)
    words = Words.of(sentences, vectors)
    found = words.neighbours(1, 4, shares_of(weights))
    mix = torch.einsum(
        "l,lnc->nc", torch.tensor(weights / weights.sum()), torch.tensor(np.concatenate(vectors, 1))
    )
    cosines = torch.nn.functional.cosine_similarity(mix, mix[3 + 4], dim=-1)
    cosines[3 + 4] = -2
    best = cosines.topk(MOST_NEIGHBOURS)
    flat = [name for row in sentences for name in row]
    assert [one["name"] for one in found] == [flat[place] for place in best.indices]
    shown = [f"{value:.2f}".replace("-", "−") for value in best.values.tolist()]
    assert [one["shown"] for one in found] == shown


def test_a_neighbour_comes_with_the_words_around_it():
    words = [f"w{place}" for place in range(11)]
    vectors = np.ones((2, 11, 3)) + np.eye(11)[:, :3]
    mixer = make([words], [vectors], {"a": [1, 0]}, lambda shares: 0.5, word=10)
    by_name = {one["name"]: one for one in mixer.picture["neighbours"]}
    assert by_name["w5"]["before"] == "… w1 w2 w3 w4" and by_name["w5"]["after"] == "w6 w7 w8 w9 …"
    assert by_name["w3"]["before"] == "w0 w1 w2"


def test_a_mix_without_a_direction_is_near_to_nothing():
    mixer = make(vectors=[np.zeros((3, 3, 2)), np.zeros((3, 2, 2))])
    assert {one["shown"] for one in mixer.picture["neighbours"]} == {"0.00"}


def test_accuracies_of_all_mixes_and_which_is_chosen():
    mixer = make()
    assert [
        (mix["name"], mix["accuracy"], mix["shown"], mix["chosen"]) for mix in mixer.picture["mixes"]
    ] == [
        ("first", 0.0, "0.0 %", True),
        ("all", 0.3333, "33.3 %", False),
        ("learned", 0.5, "50.0 %", False),
    ]
    mixer.weights = [0.7, 0.7, 0.7]
    assert [mix["chosen"] for mix in mixer.picture["mixes"]] == [False, True, False]
    mixer.weights = [0.2, 0.5, 0.31]
    assert mixer.picture["now"]["shown"] == "49.5 %"
    assert not any(mix["chosen"] for mix in mixer.picture["mixes"])


def test_each_mix_is_measured_once():
    asked = []

    def accuracy(shares):
        asked.append(shares.round(3).tolist())
        return 0.5

    mixer = make(accuracy=accuracy)
    assert asked == [[1, 0, 0], [0.333] * 3, [0.2, 0.5, 0.3]]
    mixer.word, mixer.sentence = 1, 1
    mixer.weights = [0.5, 0.5, 0.5]  # "all" again
    mixer.weights = [0, 0, 1]
    mixer.weights = [1, 0, 0]
    assert asked[3:] == [[0, 0, 1]]


def test_summary():
    mixer = make()
    assert mixer.summary == (
        "몫이 가장 큰 층: 임베딩(100 %). 정확도 0.0 %. 이름 있는 섞기 가운데 가장 나은 것은 'learned'입니다(50.0 %). "
        "이 문장의 '가'에 가장 가까운 단어: '라' 1.00, '나' 0.00, '마' 0.00."
    )
    mixer.weights = [0, 1, 1]
    assert mixer.summary.startswith("몫이 가장 큰 층: 층 1, 층 2(50 %). 정확도 50.0 %. 이 문장의")
    mixer.weights = [1, 1, 1]
    assert mixer.summary.startswith("모든 층의 몫이 같습니다(33 %).")
    many = make([["a", "b"]], [np.ones((8, 2, 2))], {"seven": [0, *[1] * 7]}, lambda shares: 1.0)
    assert many.summary.startswith("몫이 가장 큰 층: 층 1, 층 2, 층 3, 층 4 외 3개(14 %).")
