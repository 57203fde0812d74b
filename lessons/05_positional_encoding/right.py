"""Right answers to the exercises of notebook 05, in forms that learners write."""

import cmath
import math

import numpy as np
import torch

from tests.exercises.audit import forms


def waves_by_loop(hidden_size):
    found = torch.empty(hidden_size // 2)
    for i in range(hidden_size // 2):
        found[i] = 2 * math.pi * 10000 ** (2 * i / hidden_size)
    return found


def waves_by_frequency(hidden_size):
    omega = 1 / 10000 ** (torch.arange(0, hidden_size, 2, dtype=torch.float64) / hidden_size)
    return 2 * torch.pi / omega


def waves_by_logarithm(hidden_size):
    two_i = torch.arange(0, hidden_size, 2).float()
    return 2 * math.pi * torch.exp(two_i * (math.log(10000.0) / hidden_size))


def my_sinusoidal_encoding(length, hidden_size):
    """The notebook's own: columns filled by slices."""
    position = torch.arange(length, dtype=torch.float64)[:, None]
    even = torch.arange(0, hidden_size, 2, dtype=torch.float64)
    angle = position / 10000 ** (even / hidden_size)
    encoding = torch.zeros(length, hidden_size)
    encoding[:, 0::2] = torch.sin(angle)
    encoding[:, 1::2] = torch.cos(angle)
    return encoding


def entry_by_entry(length, hidden_size):
    rows = []
    for t in range(length):
        row = []
        for i in range(hidden_size // 2):
            angle = t / 10000 ** (2 * i / hidden_size)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows)


def numpy_table(length, hidden_size):
    angle = np.arange(length)[:, None] / np.power(10000.0, np.arange(0, hidden_size, 2) / hidden_size)
    table = np.empty((length, hidden_size), dtype=np.float32)
    table[:, ::2], table[:, 1::2] = np.sin(angle), np.cos(angle)
    return torch.from_numpy(table)


def angles_of(length, hidden_size):
    two_i = torch.arange(hidden_size // 2, dtype=torch.float64) * 2
    return torch.outer(torch.arange(length, dtype=torch.float64), 10000.0 ** (-two_i / hidden_size))


def polar(length, hidden_size):
    angle = angles_of(length, hidden_size)
    turned = torch.polar(torch.ones_like(angle), angle)  # cos + i·sin
    return torch.stack([turned.imag, turned.real], dim=-1).reshape(length, hidden_size).float()


def phases(length, hidden_size):
    angle = angles_of(length, hidden_size).repeat_interleave(2, dim=1)
    angle[:, 1::2] += math.pi / 2
    return angle.sin().to(torch.float32)


def column_by_column(length, hidden_size):
    t = torch.arange(length).double()
    columns = []
    for column in range(hidden_size):
        angle = t / 10000 ** ((column - column % 2) / hidden_size)
        columns.append(angle.cos() if column % 2 else angle.sin())
    return torch.stack(columns, dim=1).float()


def block(angle):
    return torch.tensor(
        [[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]], dtype=torch.float64
    )


def by_block_diag(offset, hidden_size):
    return torch.block_diag(*[block(offset * 10000 ** (-i / hidden_size)) for i in range(0, hidden_size, 2)])


def by_exponential(offset, hidden_size):
    generator = torch.zeros(hidden_size, hidden_size, dtype=torch.float64)
    for i in range(0, hidden_size, 2):
        generator[i, i + 1] = 10000.0 ** (-i / hidden_size)
        generator[i + 1, i] = -generator[i, i + 1]
    return torch.linalg.matrix_exp(offset * generator)


def by_power(offset, hidden_size):
    return torch.linalg.matrix_power(by_block_diag(1, hidden_size), offset)


def half_and_half(offset, hidden_size):
    return by_block_diag(offset / 2, hidden_size) @ by_block_diag(offset / 2, hidden_size)


def by_index(offset, hidden_size):
    even = torch.arange(0, hidden_size, 2)
    angle = offset / 10000.0 ** (even.double() / hidden_size)
    matrix = torch.zeros(hidden_size, hidden_size, dtype=torch.float64)
    matrix[even, even] = matrix[even + 1, even + 1] = angle.cos()
    matrix[even, even + 1] = angle.sin()
    matrix[even + 1, even] = -angle.sin()
    return matrix


def numpy_matrix(offset, hidden_size):
    matrix = np.eye(hidden_size)
    for i in range(hidden_size // 2):
        z = cmath.exp(1j * offset / 10000 ** (2 * i / hidden_size))
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[z.real, z.imag], [-z.imag, z.real]]
    return torch.from_numpy(matrix)


RIGHT = {
    "05.1": forms(waves_by_loop, waves_by_frequency, waves_by_logarithm)
    | {
        "logspace": lambda hidden_size: (
            2 * math.pi * torch.logspace(0, 4 * (hidden_size - 2) / hidden_size, hidden_size // 2)
        ),
        "numpy": lambda hidden_size: 2 * np.pi * 10000 ** (np.arange(0, hidden_size, 2) / hidden_size),
        "list": lambda hidden_size: torch.tensor(
            [2 * math.pi * 10000 ** (k / hidden_size) for k in range(0, hidden_size, 2)]
        ),
    },
    "05.2": forms(my_sinusoidal_encoding, entry_by_entry, numpy_table, polar, phases, column_by_column),
    "05.3": forms(by_block_diag, by_exponential, by_power, by_index, numpy_matrix, half_and_half),
}
