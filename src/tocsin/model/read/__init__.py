"""Read rows from files and tables; what cannot be read becomes a dead letter, row by row.

Rows are numbered from 0 in the order of the input. Blank lines of JSONL and CSV files and the
header of a CSV file are no rows; a row that becomes a dead letter keeps its number.
"""

from tocsin.model.read.commands import may_subscribe
from tocsin.model.read.files import read_events
from tocsin.model.read.formats import FORMATS, Format, sniff_format
from tocsin.model.read.memory import rows_of
from tocsin.model.read.source import Progress, Row

__all__ = [
    "FORMATS",
    "Format",
    "Progress",
    "Row",
    "may_subscribe",
    "read_events",
    "rows_of",
    "sniff_format",
]
