"""Tables and graphs from files, features from columns; messages name the command's options."""

from fairspectral.cli.tables.columns import check_columns, listed, numbers
from fairspectral.cli.tables.encode import Features, encode_features, why_unused
from fairspectral.cli.tables.graph import Graph, read_graph
from fairspectral.cli.tables.names import MISSING_GROUP, read_labels, read_names, sensitive_columns
from fairspectral.cli.tables.original import original_columns
from fairspectral.cli.tables.read import Table, read_table
from fairspectral.cli.tables.standard import input_name, is_standard
from fairspectral.cli.tables.text import kind_of
from fairspectral.cli.tables.write import (
    LABEL_KINDS,
    TEXT_KINDS,
    check_kind,
    check_output,
    labelled_text,
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
    "encode_features",
    "input_name",
    "is_standard",
    "kind_of",
    "labelled_text",
    "listed",
    "numbers",
    "original_columns",
    "read_graph",
    "read_labels",
    "read_names",
    "read_table",
    "sensitive_columns",
    "why_unused",
    "write_table",
]
