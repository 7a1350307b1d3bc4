"""Clustering on a Dask cluster: the connection, and tables that only its workers read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fairspectral.cli.inputs import Prepared, make_groups, prepare, sensitive_names
from fairspectral.cli.options import InputOptions, MethodOptions
from fairspectral.cli.tables import Table, check_columns

# Seconds to wait for a scheduler: one that runs answers in less than one.
_TIMEOUT = 8
# How the names of files in a folder must end for Dask to read them.
_ENDINGS = (".parquet", ".parq", ".pq")


def connect(address: str) -> Any:
    """A client of the scheduler at an address; it is in use, and Dask closes it, when we end."""
    from fairspectral.affinity.dask_workers import import_distributed

    distributed = import_distributed()
    try:
        client = distributed.Client(address, timeout=_TIMEOUT)
    except (OSError, TimeoutError, ValueError, TypeError):
        raise ValueError(
            f"--dask {address}: there is no Dask scheduler; check the address, for example "
            "tcp://127.0.0.1:8786, and that 'dask scheduler' runs there."
        ) from None
    if not client.scheduler_info()["workers"]:
        client.close()
        raise ValueError(
            f"--dask {address}: the scheduler has no worker; start some with 'dask worker "
            f"{address}'."
        )
    return client


def prepare_on_dask(source: InputOptions, method: MethodOptions, *, plain: bool) -> Prepared:
    """As `prepare`, but Parquet is read by the workers; the client has the groups only."""
    if source.graph or not (source.input.is_dir() or source.input.suffix == ".parquet"):
        if source.graph or method.affinity != "auto":
            return prepare(source, method, plain=plain)
        # On workers "auto" is this one, which takes numbers: categories become indicators.
        numbers = prepare(source, replace(method, affinity="nearest_neighbors"), plain=plain)
        return replace(numbers, affinity="auto")
    method.check()
    for option in ("keep", "categorical", "groups"):
        if getattr(source, option):
            raise ValueError(
                f"--{option} is not for Parquet that workers read; prepare the files so that all "
                "columns are numbers, or groups."
            )
    return _read_parquet(source, method, plain)


def on_workers(X: Any, affinity: str) -> Any:
    """What `FairSpectralClustering.fit` takes: rows or a graph that were read here are sent."""
    import dask.array as da

    from fairspectral.affinity import distribute_graph
    from fairspectral.affinity.dask_table import is_dask

    if is_dask(X):
        return X
    return distribute_graph(X) if affinity == "precomputed" else da.from_array(X)


def _read_parquet(source: InputOptions, method: MethodOptions, plain: bool) -> Prepared:
    import dask.dataframe as dd
    import pandas as pd

    folder = source.input
    if folder.is_dir() and not any(file.suffix in _ENDINGS for file in folder.rglob("*")):
        raise ValueError(
            f"the folder {folder} has no Parquet file; its files must end with "
            f"{' or '.join(_ENDINGS)}."
        )
    try:
        frame = dd.read_parquet(str(source.input))
    except (OSError, ValueError) as error:
        # Before what is wrong, Dask says in a line of its own where in Dask that was found.
        words = str(error).rpartition("Original Message: ")[2].strip().rstrip(".")
        raise ValueError(f"{source.input} cannot be read as Parquet: {words}.") from None
    empty = frame._meta
    names = sensitive_names(source, Table(source.input, empty), plain)
    dropped = check_columns(empty, source.drop or (), source.input, "--drop")
    groups = frame[names].compute() if names else pd.DataFrame(index=range(len(frame)))
    table = Table(source.input, groups.reset_index(drop=True))
    unused = set(dropped) | (set() if source.use_sensitive else set(names))
    X = frame[[name for name in frame.columns if str(name) not in unused]]
    _refuse_words(X, source)
    spread = X.std(ddof=0).compute()
    constant = [str(name) for name in X.columns if not spread[name] > 0]
    notes = [f"Dropped {name!r}: it is the same in every row." for name in constant]
    X = X[[name for name in X.columns if str(name) not in constant]].astype("float64")
    # As arrays: Dask would match a Series with the rows.
    means, spread = X.mean().compute().to_numpy(), spread[X.columns].to_numpy()
    X = X.map_partitions(_standardised, means, spread, meta=X._meta)
    return Prepared(
        table=table,
        X=X,
        affinity=method.affinity,
        sensitive=make_groups(source, table, names),
        columns={"numeric": [str(c) for c in X.columns], "categorical": [], "sensitive": names},
        inputs=(source.input,),
        notes=(*notes, "The workers read the table; the labels are written beside the groups."),
    )


def _standardised(part: Any, means: Any, spread: Any) -> Any:
    """Rows of a worker, each column with mean 0 and standard deviation 1 over all rows."""
    return (part - means) / spread


def _refuse_words(X: Any, source: InputOptions) -> None:
    for name, dtype in X.dtypes.items():
        if getattr(dtype, "kind", "O") not in "fiub":
            raise ValueError(
                f"the column {str(name)!r} of {source.input} has values of type {dtype}; workers "
                f"compare rows by numbers only, so encode it as numbers or pass --drop {name}."
            )
    if not len(X.columns):
        raise ValueError(
            f"{source.input} has no column to compare rows by besides the sensitive ones."
        )
