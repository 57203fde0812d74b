"""Where the reference's idea of Unicode is older than Python's: a few tables, and nothing else.

The `tokenizers` library (0.23) sorts characters into punctuation, marks and control characters by tables of Unicode 8,
and decomposes and orders marks by Unicode 9; only its lower case is newer (Unicode 17). Python 3.11 knows Unicode 14,
3.14 knows 16. A character that came later has no class for the reference, so that it stays in its word, whatever
Python says about it. With these tables the tokens are the same on every Python, and the same as the reference's.
No character of Korean, and none that a Korean or English keyboard types, is among them.

Made by asking `tokenizers` 0.23.3 about all 1,112,064 code points and comparing with Unicode 14 and 18:
525 marks, 145 punctuation signs and 20 format characters that it does not know; 4 that have changed class since;
21 characters that it does not decompose; 188 whose combining class it takes to be 0; 55 lower-case letters.
"""

from __future__ import annotations

_LATER_MARKS = """
5C8-5C9 7FD 897-89F 8CA-8E1 9FE AFA-AFF B53-B55 C04 C3C D00 D3B-D3C D81 EBA ECE 180F 1885-1886 1ABF-1AF0 1DF6-1DFB A82C
A8C5 A8FF A9BD 10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF 10EF0-10EFF 10F46-10F50 10F82-10F85 11070 11073-11074
110C2 111C9 111CF 1123E 11241 1133B 113BB-113C0 113CE 113D0 113D2 113E1-113E2 11438-1143F 11442-11444 11446 1145E
1182F-11837 11839-1183A 1193B-1193C 1193E 11943 119D4-119D7 119DA-119DB 119E0 11A01-11A0A 11A33-11A38 11A3B-11A3E 11A47
11A51-11A56 11A59-11A5B 11A8A-11A96 11A98-11A99 11B60 11B62-11B64 11B66 11C30-11C36 11C38-11C3D 11C3F 11C92-11CA7
11CAA-11CB0 11CB2-11CB3 11CB5-11CB6 11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45 11D47 11D90-11D91 11D95 11D97 11DF0
11EF3-11EF4 11F00-11F01 11F36-11F3A 11F40 11F42 11F5A 13440 13447-13455 1611E-16129 1612D-1612F 16F4F 16FE4 1CF00-1CF2D
1CF30-1CF46 1D127-1D128 1D25B-1D25C 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024 1E026-1E02A 1E08F 1E130-1E136 1E2AE
1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1E944-1E94A
"""
_LATER_PUNCTUATION = """
61D 9FD A76 C77 C84 1B4E-1B4F 1B7D-1B7F 2E43-2E4F 2E52-2E5D 2E60-2E63 10D6E 10EAD 10ED0 10F55-10F59 10F86-10F89
113D4-113D5 113D7-113D8 1144B-1144F 1145A-1145B 1145D 11660-1166C 116B9 1183B 11944-11946 119E2 11A3F-11A46 11A9A-11A9C
11A9E-11AA2 11B00-11B09 11BE1 11C41-11C45 11C70-11C71 11EF7-11EF8 11F43-11F4F 11FFF 12FF1-12FF2 16D6D-16D6F 16E97-16E9A
16FE2 1E5FF 1E95E-1E95F
"""
_LATER_FORMAT = "890-891 8E2 110CD 13430-1343F"
_LATER_DECOMPOSITION = "105C9 105E4 11383 11385 1138E 11391 113C5 113C7-113C8 11938 16121-16128 16D68-16D6A"
_LATER_COMBINING = """
5C8-5C9 7FD 897-89F 8CA-8D3 9FE C3C D3B-D3C EBA 1715 1ABF-1AF0 1DF6-1DFA A82C 10D24-10D27 10D69-10D6D 10EAB-10EAC
10ECB-10ECF 10EF0-10EFB 10EFD-10EFF 10F46-10F50 10F82-10F85 11070 1133B 113CE-113D0 1145E 11839-1183A 1193D-1193E 11943
119E0 11A34 11A47 11A99 11D42 11D44-11D45 11D97 11F41-11F42 1612F 16FF0-16FF1 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F
1D280-1D281 1E08F 1E130-1E136 1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5
"""


def _characters(ranges: str) -> frozenset[str]:
    """ "61D 2E43-2E4F" -> the characters U+061D and U+2E43 … U+2E4F."""
    found = set()
    for piece in ranges.split():
        first, _, last = piece.partition("-")
        found.update(map(chr, range(int(first, 16), int(last or first, 16) + 1)))
    return frozenset(found)


# Neither mark, punctuation nor control.
CLASSLESS = _characters(_LATER_MARKS + _LATER_PUNCTUATION + _LATER_FORMAT)
EARLIER_PUNCTUATION = _characters("166D 111C9")  # punctuation in Unicode 8, no longer
EARLIER_MARKS = _characters("1734 1171E")  # nonspacing marks in Unicode 8, no longer
# What has a canonical decomposition, and what a combining class, that the reference does not know.
STAYS_WHOLE = _characters(_LATER_DECOMPOSITION)
STARTERS = _characters(_LATER_COMBINING)

# Upper-case letters of Unicode 15 to 17 -> lower case, for a Python that does not know them yet.
LOWERCASE = {"\u1c89": "\u1c8a", "\ua7cb": "\u0264", "\ua7dc": "\u019b"}
LOWERCASE |= {chr(upper): chr(upper + 1) for upper in (0xA7CC, 0xA7CE, 0xA7D2, 0xA7D4, 0xA7DA)}
LOWERCASE |= {chr(upper): chr(upper + 0x20) for upper in range(0x10D50, 0x10D66)}
LOWERCASE |= {chr(upper): chr(upper + 0x1B) for upper in range(0x16EA0, 0x16EB9)}
