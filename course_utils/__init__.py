"""어텐션에서 BERT까지 (From Attention to BERT): the package behind the notebooks.

Importing it loads nothing else, neither torch nor ipywidgets: each part is imported by its own name,
as in ``from course_utils.attention import scaled_dot_product_attention``.
"""

__version__ = "0.1.0"
