"""Looking at attention: maps of every head, their patterns as numbers, heads switched off, controls, rollout."""

from course_utils.interpretation.ablation import HeadEffects, Measured, head_effects, heads_off, measure_heads
from course_utils.interpretation.controls import random_model, shuffled_words
from course_utils.interpretation.flow import rollout
from course_utils.interpretation.glance import Glance, at_a_glance
from course_utils.interpretation.maps import AttentionMaps, attention_maps
from course_utils.interpretation.patterns import PATTERNS, head_patterns, mean_patterns
