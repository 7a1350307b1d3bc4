"""Models that the command keeps in files: with the recipes of the columns, for later rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairspectral.cli.inputs import Prepared
    from fairspectral.cli.options import InputOptions
    from fairspectral.cli.tables.recipe import Recipe
    from fairspectral.clustering import FairSpectralClustering


@dataclass(frozen=True)
class SavedModel:
    """A model from a file: how rows become its features, and the names of its sensitive columns."""

    model: FairSpectralClustering
    recipes: list[Recipe]
    sensitive: list[str]


def check_save(path: Path, source: InputOptions) -> None:
    """Refuse what cannot be kept, before anything is read."""
    from fairspectral.cli.tables import check_kind, check_output

    check_kind(path, ("npz",))
    inputs = [file for file in (source.input, source.groups) if file is not None]
    check_output(path, tuple(inputs))
    if source.graph:
        raise ValueError(
            "--save is for tables; keep a model of a graph in Python, with model.save."
        )
    if source.bin:
        raise ValueError(
            "--save cannot keep the groups that --bin makes; put the groups into a column of the "
            "table first."
        )


def save_prepared(model: FairSpectralClustering, path: Path, prepared: Prepared) -> None:
    """Write the model with the recipes of its columns."""
    from fairspectral.cli.tables.recipe import recipes_to_json

    for name in prepared.columns["numeric"]:
        if prepared.table.frame[name].dtype.kind in "mM":
            raise ValueError(
                f"--save cannot keep the dates of {name!r}, which count from the first one; turn "
                "them into numbers first, or pass --drop."
            )
    encoding = {
        "recipes": recipes_to_json(prepared.recipes),
        "sensitive": prepared.columns["sensitive"],
    }
    save(model, path, encoding)


def save(model: Any, path: Path, encoding: dict[str, Any]) -> None:
    """Write a model with an encoding."""
    from fairspectral.later.saving import save_model

    save_model(model, path, **encoding)


def load_saved(path: Path) -> tuple[SavedModel, dict[str, Any]]:
    """The model of a file that ``cluster --save`` wrote, and its encoding as it is there."""
    from fairspectral.cli.tables.recipe import recipes_from_json
    from fairspectral.clustering import FairSpectralClustering
    from fairspectral.later.saving import load_model

    model, encoding = load_model(FairSpectralClustering, path)
    if "recipes" not in encoding:
        raise ValueError(
            f"{path} was saved in Python, without the way from columns to features; use "
            "fairspectral.load there, or save it with fairspectral cluster --save."
        )
    recipes = recipes_from_json(encoding["recipes"])
    return SavedModel(model, recipes, list(encoding["sensitive"])), encoding
