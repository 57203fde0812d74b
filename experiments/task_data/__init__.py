"""Make the files of data/tasks/ that are selections from public corpora; data/README.md has their datasheets."""
