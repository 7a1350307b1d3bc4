"""Tables and graphs from files, features from columns, and files written in one step."""

from fairspectral.files import discard_unfinished, replacing
from fairspectral.tables.columns import check_columns, listed, numbers
from fairspectral.tables.encode import Features, encode_features
from fairspectral.tables.graph import Graph, read_graph
from fairspectral.tables.names import MISSING_GROUP, read_labels, read_names, sensitive_columns
from fairspectral.tables.read import Table, read_table
from fairspectral.tables.text import kind_of
from fairspectral.tables.write import (
    LABEL_KINDS,
    TEXT_KINDS,
    check_kind,
    check_output,
    write_table,
)

__all__ = [
    "LABEL_KINDS",
    "MISSING_GROUP",
    "TEXT_KINDS",
    "Features",
    "Graph",
    "Table",
    "check_columns",
    "check_kind",
    "check_output",
    "discard_unfinished",
    "encode_features",
    "kind_of",
    "listed",
    "numbers",
    "read_graph",
    "read_labels",
    "read_names",
    "read_table",
    "replacing",
    "sensitive_columns",
    "write_table",
]
