"""What every part of the course may use: files, text width, network, paths, lecture mode. It uses none of them."""
