"""SenseExplorer at its largest documented input, and keys that move it, for the tests and the benchmark."""

from course_utils.contextual import encode_words, influence, occurrences, sense_layer, sense_space
from course_utils.contextual.evaluation import held_out_sentences
from course_utils.contextual.senses import sense_points
from course_utils.pretrained import load_pretrained
from course_utils.widgets import SenseExplorer

MOVES = (
    ("sentence", "a"),
    ("sentence", "Backspace"),
)


def largest() -> SenseExplorer:
    model, tokenizer = load_pretrained("course-bert-senses")
    kept = held_out_sentences()
    examples = {
        word: [(own, *occurrences(own, word)[0], sense) for sense, rows in kept[word].items() for own in rows]
        for word in ["배", "눈"]
    }

    def place(word):
        points = encode_words(model, tokenizer, [row[0] for row in examples[word]], word)[
            :, sense_layer(model)
        ]
        return points[:, :2].numpy()

    def read(sentence, word, occurrence):
        space = sense_space(model, tokenizer, word)
        point = sense_points(model, tokenizer, [sentence], word, occurrence=occurrence)
        scores = sorted(zip(space.senses, space.scores(point)[0].tolist()), key=lambda pair: -pair[1])

        def moved():
            found = influence(model, tokenizer, sentence, word, occurrence=occurrence)
            return [(own.start, own.end, own.drop) for own in found]

        return scores, (0.0, 0.0), moved

    sentence = "나는 어제 오후에 먼 항구에 들러 큰 배를 타고 섬에 가서 사과와 밤과 감을 많이 먹고 "
    sentence += "저녁에 다시 돌아왔으며, 이튿날 아침에는 친구와 함께 바닷가를 걷다가 "
    sentence += "갈매기 떼를 보고 사진을 여러 장 찍었다."
    return SenseExplorer(sentence, examples=examples, place=place, read=read, occurrences=occurrences)
