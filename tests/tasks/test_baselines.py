"""Baselines: by hand, against scikit-learn, and that each learns from its examples alone and beats saying the same."""

from __future__ import annotations

import numpy
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.naive_bayes import MultinomialNB

from course_utils.tasks.baselines import (
    baseline,
    content_words,
    majority,
    most_frequent_tag,
    naive_bayes,
    name_dictionary,
    nearest,
    nearest_sentence,
    ngram_cosine,
    ngrams,
    sentences_of,
    tag_by_ending,
    tfidf_cosine,
    without_particle,
)
from course_utils.tasks.data import BAD, GOOD, DialectSentence, LabelledReview, Question, SentencePair
from course_utils.tasks.load import load_task
from course_utils.tasks.words import TaggedSentence
from tests.tasks.korean import by_syllables

PASSAGE = "배는 부산에서 떠났다. 그는 서울에 있다. 나는 배를 부산에서 왔다고 떠났다."


def task(name, train, validation=None, test=None):
    parts = {"train": train, "validation": validation or train, "test": test or train}
    return load_task(name, by_syllables(), parts=parts)


def reviews(texts, labels):
    return [LabelledReview(text, label) for text, label in zip(texts, labels)]


def tagged(text, tags):
    words = text.split(" ")
    starts = [sum(len(word) + 1 for word in words[:place]) for place in range(len(words))]
    return TaggedSentence(text, tuple(words), tuple(starts), tuple(tags.split(" ")))


def questions(*pairs):
    return [
        Question("1", "배", PASSAGE, question, answer, PASSAGE.find(answer) if answer else None)
        for question, answer in pairs
    ]


TASKS = {
    "reviews": reviews(["배 배 배", "부산 가", "배 나", "가 나", "부산 배"], [GOOD, BAD, GOOD, GOOD, BAD]),
    "dialect": [DialectSentence("배를", "제주", 1, ()), DialectSentence("부산", "경상", 2, ("부산",))],
    "pairs": [
        SentencePair("배를 타", "배를 타", 5.0),
        SentencePair("배를", "부산", 0.0),
        SentencePair("부산에", "부산은", 2.5),
    ],
    "names": [tagged("서울 배를 부산", "B-LC O B-LC"), tagged("부산에서 배를", "B-LC O")],
    "parts_of_speech": [
        tagged("배를 떠났다 배를", "NOUN VERB NOUN"),
        tagged("왔다 나는 배를", "VERB PRON ADV"),
    ],
    "questions": questions(
        ("배는 어디에서 떠났다?", "부산"), ("나는 언제 왔다?", None), ("값은 얼마?", None)
    ),
}


@pytest.mark.parametrize("name", TASKS)
def test_the_test_part_is_not_looked_at(name):
    made = [task(name, TASKS[name], test=test) for test in (TASKS[name], TASKS[name][:1])]
    one, other = (baseline(one, one.parts["train"]) for one in made)
    assert one.settings == other.settings
    assert one.predict(made[0].parts["train"]) == other.predict(made[1].parts["train"])


# --- majority


def test_majority_by_hand():
    expected = {
        "reviews": ["good"] * 5,
        "dialect": ["경상"] * 2,  # one of each: the first by letters
        "pairs": [2.5] * 3,
        "names": [["B-LC"] * 3, ["B-LC"] * 2],  # 3 of 5 words
        "parts_of_speech": [["NOUN"] * 3] * 2,
        "questions": [""] * 3,
    }
    for name, said in expected.items():
        made = task(name, TASKS[name])
        assert majority(made, made.parts["train"]).predict(made.parts["test"]) == said, name
    made = task("pairs", TASKS["pairs"])
    assert majority(made, made.parts["train"]).measure(made.parts["test"])["spearman"] == 0.0
    made = task("questions", TASKS["questions"])
    assert majority(made, made.parts["train"]).measure(made.parts["test"])["f1"] == pytest.approx(2 / 3)


# --- naive Bayes


def test_naive_bayes_equals_scikit_learn():
    drawn = numpy.random.default_rng(0)
    signs = [*"가나배를은는이다"]
    texts = [" ".join(drawn.choice(signs, size=1 + number % 7)) for number in range(71)]
    labels = [int(text.count("가") + drawn.random() > 1) for text in texts]
    made = task("reviews", reviews(texts[:53], labels[:53]), reviews(texts[53:], labels[53:]))
    bag = naive_bayes(made, made.parts["train"])
    rows = numpy.array([[sign in text for sign in signs] for text in texts], dtype=float)
    count = numpy.bincount(labels[:53]) + 1.0
    oracle = MultinomialNB(alpha=bag.settings["smoothing"], class_prior=count / count.sum())
    oracle.fit(rows[:53], labels[:53])
    said = [["bad", "good"][label] for label in oracle.predict(rows[53:])]
    assert bag.predict(made.parts["validation"]) == said
    scores = []
    for smoothing in (1.0, 0.1, 0.3, 3.0):
        other = MultinomialNB(alpha=smoothing, class_prior=count / count.sum()).fit(rows[:53], labels[:53])
        scores.append(other.score(rows[53:], labels[53:]))
    assert bag.measure(made.parts["validation"])["accuracy"] == max(scores)
    assert bag.settings["smoothing"] == (1.0, 0.1, 0.3, 3.0)[scores.index(max(scores))]


def test_a_piece_that_was_never_seen_says_nothing():
    made = task("reviews", TASKS["reviews"], test=reviews(["배", "배 왔 힣", "왔"], [GOOD] * 3))
    bag = naive_bayes(made, made.parts["train"])
    said = bag.predict(made.parts["test"])
    assert said[0] == said[1] and said[2] == "good"  # three of five


def test_naive_bayes_by_hand():
    # V = 9. 나 배: of good (1/10)² = 0.0100, of bad ((1 + 1)/(8 + 9))² = 0.0138; the priors are equal, and s = 1.
    train = reviews(["가", "나 배 를 은 는 이 다 서"], [GOOD, BAD])
    made = task("reviews", train, reviews(["나 배"], [BAD]))
    bag = naive_bayes(made, made.parts["train"])
    assert bag.settings == {"smoothing": 1.0}
    assert bag.predict(made.parts["validation"]) == ["bad"]


# --- pairs


def test_ngrams_by_hand():
    assert ngrams("배를 \t타") == ["배를", "를 ", " 타", "배를 ", "를 타", "배를 타"]
    assert ngrams("배") == ngrams("") == []


def test_the_cosine_equals_scikit_learn():
    texts = [f"{one.first} {one.second}" for one in TASKS["pairs"]] + [
        "그 배는 부산에서 떠났다.",
        "배 배 배를",
    ]
    others = ["배를 타고 떠났다.", "서울에 왔다", "배를  타고"]
    vectors = TfidfVectorizer(analyzer="char", ngram_range=(2, 4), lowercase=False)
    vectors.set_params(vocabulary=sorted({gram for text in texts + others for gram in ngrams(text)}))
    vectors.fit(texts)
    expected = cosine_similarity(vectors.transform(texts), vectors.transform(others))
    cosine = tfidf_cosine(texts)
    for row, text in enumerate(texts):
        for column, other in enumerate(others):
            assert cosine(text, other) == pytest.approx(expected[row, column], abs=1e-12)


def test_a_pair_that_is_the_same_has_five():
    made = task("pairs", TASKS["pairs"])
    said = ngram_cosine(made, made.parts["train"]).predict(made.parts["test"])
    assert said[0] == pytest.approx(5.0) and said[1] == 0.0 and 0 < said[2] < 5
    assert ngram_cosine(made, made.parts["train"]).measure(made.parts["test"])["spearman"] == pytest.approx(1)


# --- tags


def test_particles_by_hand():
    cut = {"부산에서": "부산", "부산에서는": "부산", "부산은": "부산", "나이": "나이", "배를": "배를"}
    assert {word: without_particle(word) for word in cut} == cut


def predicted(make, name, train, text):
    made = task(name, train, test=[tagged(text, " ".join([train[0].tags[0]] * len(text.split(" "))))])
    return " ".join(make(made, made.parts["train"]).predict(made.parts["test"])[0])


def test_the_most_frequent_tag_by_hand():
    train = TASKS["parts_of_speech"]
    assert (
        predicted(most_frequent_tag, "parts_of_speech", train, "배를 왔다 나는 갔다") == "NOUN VERB PRON NOUN"
    )


def test_the_tag_by_ending_by_hand():
    train = [*TASKS["parts_of_speech"], tagged("났다 크다 났다", "X ADJ X")]
    said = predicted(tag_by_ending, "parts_of_speech", train, "배를 왔다 갔다 일어났다 너는 책")
    # 배를 and 왔다 are known; 다 is VERB and X twice each, so VERB by letters; 났다 is X twice, VERB once.
    assert said == "NOUN VERB VERB X PRON NOUN"


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("서울 부산 배를", "B-LC B-LC O"),
        ("서울에서 왔다", "B-LC O"),  # another particle
        ("부산은 서울의", "B-LC B-LC"),
        ("서울역 배", "O O"),  # part of another word
        ("나는 세종 대왕 왔다", "O B-PS I-PS O"),  # the longest
        ("세종 왔다", "B-OG O"),
        ("대왕 왔다", "O O"),
        ("17명이 왔다", "B-QT O"),  # by its shape
        ("나이 왔다", "O O"),  # a name once, and none twice
        ("중앙 왔다", "O O"),  # none twice, both times with a particle
    ],
)
def test_the_name_dictionary_by_hand(text, tags):
    train = [
        tagged("서울 배를 부산에서", "B-LC O B-LC"),
        tagged("세종 대왕이 세종 왔다", "B-PS I-PS B-OG O"),
        tagged("3명 왔다", "B-QT O"),
        tagged("나이 왔다", "B-PS O"),
        tagged("나이 나이 배", "O O O"),
        tagged("중앙 중앙에서 중앙에서", "B-LC O O"),
    ]
    assert predicted(name_dictionary, "names", train, text) == tags


# --- questions


def test_sentences_and_content_words_by_hand():
    assert sentences_of(PASSAGE) == [
        "배는 부산에서 떠났다.",
        "그는 서울에 있다.",
        "나는 배를 부산에서 왔다고 떠났다.",
    ]
    assert sentences_of("3.5도이다. 왔다!  배") == ["3.5도이다.", "왔다!", "배"]
    assert content_words("배는 어디에서 부산으로 떠났다?") == {"배는", "부산", "떠났"}


def test_the_nearest_sentence_by_hand():
    best = nearest(questions(("부산에서 왔다고?", "부산"))[0])
    assert best == ("나는 배를 부산에서 왔다고 떠났다.", 1.0)
    tied = nearest(questions(("부산은 누구?", None))[0])
    assert tied == ("배는 부산에서 떠났다.", 1.0)  # the first of both
    assert nearest(questions(("값은 얼마?", None))[0]).share == 0.0


def test_silence_is_chosen_on_validation():
    asked = questions(
        ("부산에서 왔다고?", PASSAGE[22:]), ("서울 물건 값이 얼마?", None), ("산이 높은가?", None)
    )
    made = task("questions", asked, test=questions(("부산으로 떠났다?", None)))
    best = nearest_sentence(made, made.parts["train"])
    assert 1 / 3 <= best.settings["threshold"] < 1
    assert best.measure(made.parts["validation"])["f1"] == 1.0
    assert best.predict(made.parts["validation"]) == ["나는 배를 부산에서 왔다고 떠났다.", "", ""]
    all_silent = task("questions", asked, questions(("부산에서 왔다고?", None)))
    assert nearest_sentence(all_silent, all_silent.parts["train"]).predict(made.parts["train"]) == [""] * 3
