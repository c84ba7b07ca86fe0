"""Topics whose mistakes stand in a table by what speaks of them: name -> mistake -> its words."""

Table = dict[str, dict[str, str]]


def words_of(table: Table) -> dict[str, str]:
    """The words of each mistake."""
    return {case: words for cases in table.values() for case, words in cases.items()}


def speakers_of(*tables: Table) -> dict[str, str]:
    """Who speaks of each mistake."""
    return {case: name for table in tables for name, cases in table.items() for case in cases}
