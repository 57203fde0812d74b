"""A word's vectors in its sentence, and what they say about its sense."""

from course_utils.contextual.influence import influence
from course_utils.contextual.measures import neighbour_accuracy, separation
from course_utils.contextual.senses import nearest_sense, sense_layer, sense_space
from course_utils.contextual.vectors import encode_words, word_vectors
from course_utils.contextual.words import WordNotFound, find_word, occurrences
