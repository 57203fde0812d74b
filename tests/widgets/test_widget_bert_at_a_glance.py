"""BertAtAGlance without a browser: what is hidden, and what is said of it."""

from course_utils.widgets import BertAtAGlance


def read(sentence, piece):
    tokens = ["[CLS]", *sentence.split(), "[SEP]"]
    piece = piece if 0 < piece < len(tokens) - 1 else 0
    if piece:
        tokens[piece] = "[MASK]"
    turned = [[1.0] * len(tokens), [0.25] * len(tokens), [-0.5] * len(tokens)]
    return tokens, [*range(len(tokens))], turned, piece, [("밥을", 0.6), ("<b>", 0.25)] if piece else []


def test_a_piece_is_hidden_and_shown_again():
    widget = BertAtAGlance("나는 밥을 먹었다", read=read)
    assert widget.picture["asked"] == 0 and widget.picture["fills"] == []
    assert "조각 3개로 나뉘어 층 2개를" in widget.summary and "가린 조각이 없습니다" in widget.summary
    widget.piece = 2
    assert [piece["text"] for piece in widget.picture["pieces"]][2] == "[MASK]"
    assert "2번째 조각이 [MASK]" in widget.summary and "'밥을' 60 %, '<b>' 25 %" in widget.summary
    widget.sentence = "먹었다"  # no second piece any more
    assert widget.picture["asked"] == 0 and [len(row) for row in widget.picture["layers"]] == [3, 3, 3]


def test_every_door_is_a_notebook():
    widget = BertAtAGlance("나는", read=read)
    doors = [number for stage in widget.constants["doors"].values() for number in stage]
    files = [widget.picture["files"][number] for number in doors]
    assert ["09_subword_tokenization", "하위 단어"] in files and len(files) == len(set(doors)) == 7
