"""Figures: plot_*(data, *, ax=None) draws on the given Axes, or on those of a new figure, and returns them.

They take arrays and lists of tokens, no model.
"""

from course_utils.viz.attention import plot_attention, plot_mask
from course_utils.viz.beam_tree import plot_beam_tree
from course_utils.viz.bert_model import plot_bert_model
from course_utils.viz.change_grid import plot_change_grid
from course_utils.viz.comparisons import plot_comparisons
from course_utils.viz.curves import plot_curves
from course_utils.viz.descent import plot_descent_paths
from course_utils.viz.encoder_block import plot_encoder_block
from course_utils.viz.fates import plot_fates
from course_utils.viz.figure import show
from course_utils.viz.gains import plot_gains
from course_utils.viz.head_patterns import plot_head_grid
from course_utils.viz.input_embeddings import plot_input_embeddings
from course_utils.viz.label_bars import plot_label_bars
from course_utils.viz.layer_map import plot_layer_map
from course_utils.viz.layer_rates import plot_layer_rates
from course_utils.viz.number_table import plot_number_table
from course_utils.viz.parity import plot_departures
from course_utils.viz.pieces import plot_pieces
from course_utils.viz.plane import label_beside, plot_arrows, plot_hull
from course_utils.viz.positions import plot_encoding
from course_utils.viz.reach import plot_reach
from course_utils.viz.runs import plot_runs
from course_utils.viz.senses import plot_intervals, plot_scores, plot_sense_map
from course_utils.viz.shares import plot_shares
from course_utils.viz.similarity import plot_similarity
from course_utils.viz.span_scores import plot_span_scores
from course_utils.viz.tagged_words import plot_tagged_words
from course_utils.viz.task_form import plot_task_form
from course_utils.viz.theme import CYCLE, KEY, MUTED, QUERY, SIGNED, VALUE, WEIGHTS, use_theme
