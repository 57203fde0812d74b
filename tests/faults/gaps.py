GAPS: dict[str, str] = {}
SELDOM: dict[str, str] = {}
LATER = ""
