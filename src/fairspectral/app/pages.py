"""The HTML of the page and of its parts, with the report's own style, colours and charts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from fairspectral import __version__
from fairspectral.app.job import Progress
from fairspectral.app.result import Result
from fairspectral.app.sentences import capitalised
from fairspectral.app.session import Session
from fairspectral.cli.options import AttributeMode, Effort, MethodOptions, affinity_names
from fairspectral.report.page import asset, make_environment

_TYPES = {"css": "text/css", "js": "text/javascript"}


@dataclass(frozen=True)
class Run:
    """The run at one moment, since it may end while the page is made."""

    progress: Progress | None = None
    error: str = ""
    result: Result | None = None
    searches: int = 0

    @classmethod
    def of(cls, session: Session) -> Run:
        """The session's run; empty where there is none."""
        job = session.job
        if job is None:
            return cls()
        if job.running:
            return cls(job.progress(), searches=job.searches)
        return cls(error=job.error, result=job.result)


def render_page(session: Session) -> str:
    """The whole page, in whatever state the session is."""
    return _render(
        "app.html.jinja", session=session, version=__version__, run=Run.of(session), **_choices()
    )


def render_workspace(session: Session) -> str:
    """The columns of the table and what can be chosen, and the run if there is one."""
    return _render("workspace.html.jinja", session=session, run=Run.of(session), **_choices())


def render_run(session: Session) -> str:
    """The progress of the run, or what it found."""
    return _render("run.html.jinja", session=session, run=Run.of(session))


def render_progress(session: Session) -> str | None:
    """Only the bar of a run that is under way; None where it has ended."""
    run = Run.of(session)
    return None if run.progress is None else _render("progress.html.jinja", run=run)


def render_view(session: Session, result: Result, step: int) -> str:
    """The clustering at one tolerance."""
    return _render("view.html.jinja", session=session, result=result, view=result.view(step))


def render_cluster(session: Session, result: Result, step: int, number: int) -> str:
    """One cluster in words, and its people who moved."""
    return _render(
        "cluster.html.jinja",
        session=session,
        step=step,
        attributes=[attribute.name for attribute in result.attributes],
        cluster=result.cluster(step, number),
    )


def render_error(sentence: str) -> str:
    """A sentence about what went wrong."""
    return _render("error.html.jinja", sentence=capitalised(sentence))


@cache
def static_file(name: str) -> tuple[bytes, str] | None:
    """The content and type of a file of the page; None where there is no such file."""
    if name in ("style.css", "base.js"):
        content = asset(name)
    elif name in ("app.css", "app.js", "htmx.min.js"):
        folder = files("fairspectral.app").joinpath("static")
        content = folder.joinpath(name).read_text(encoding="utf-8")
    else:
        return None
    return content.encode(), _TYPES[name.rsplit(".", 1)[1]]


@cache
def _environment() -> Any:
    return make_environment("app/template")


def _render(name: str, **values: Any) -> str:
    return _environment().get_template(name).render(**values)


def _choices() -> dict[str, Any]:
    return {
        "affinities": affinity_names(),
        "efforts": [str(effort) for effort in Effort],
        "modes": [str(mode) for mode in AttributeMode],
        "defaults": MethodOptions(),
    }
