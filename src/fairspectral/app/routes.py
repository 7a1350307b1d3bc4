"""The addresses of the page, and what each answers."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from fairspectral.app import pages
from fairspectral.app.choices import read_choices
from fairspectral.app.sentences import Refused, sentence_of
from fairspectral.app.session import Session
from fairspectral.app.sheet import DEMO_NAME, demo_file, open_demo, open_upload

Endpoint = Callable[[Request], Awaitable[Response]]


def make_routes(session: Session) -> Starlette:
    """The page as an ASGI application; `Guard` must stand before it."""
    here = _Endpoints(session)
    routes = [
        Route("/", _spoken(here.page)),
        Route("/static/{name}", _spoken(here.static)),
        Route("/table", _spoken(here.upload), methods=["POST"]),
        Route("/demo", _spoken(here.demo), methods=["POST"]),
        Route(f"/{DEMO_NAME}", _spoken(here.demo_table)),
        Route("/run", _spoken(here.run), methods=["POST"]),
        Route("/progress", _spoken(here.progress)),
        Route("/stop", _spoken(here.stop), methods=["POST"]),
        Route("/give-up", _spoken(here.give_up), methods=["POST"]),
        Route("/view", _spoken(here.view)),
        Route("/cluster", _spoken(here.cluster)),
        Route("/labels", _spoken(here.labels)),
        Route("/moved", _spoken(here.moved)),
        Route("/report", _spoken(here.report)),
    ]
    return Starlette(routes=routes)


class _Endpoints:
    """One method for each address; slow work runs in a thread."""

    def __init__(self, session: Session) -> None:
        self.session = session

    async def page(self, request: Request) -> Response:
        return HTMLResponse(await run_in_threadpool(pages.render_page, self.session))

    async def static(self, request: Request) -> Response:
        found = pages.static_file(request.path_params["name"])
        if found is None:
            raise Refused("there is no such file.", 404)
        return Response(found[0], media_type=found[1])

    async def upload(self, request: Request) -> Response:
        async with request.form(max_files=1, max_fields=4) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile) or not file.filename:
                raise Refused("no file came with the request; choose a CSV file.")
            name, content = file.filename, await file.read()
        limits = self.session.limits
        return await self._open(lambda: open_upload(name, content, limits))

    async def demo(self, request: Request) -> Response:
        return await self._open(lambda: open_demo(self.session.limits))

    async def _open(self, make: Callable[[], Any]) -> Response:
        def work() -> str:
            self.session.open(make())
            return pages.render_workspace(self.session)

        return HTMLResponse(await run_in_threadpool(work))

    async def demo_table(self, request: Request) -> Response:
        return _download(await run_in_threadpool(demo_file), DEMO_NAME, "text/csv")

    async def run(self, request: Request) -> Response:
        sheet = self.session.sheet
        if sheet is None:
            raise Refused("there is no table yet; open one first.", 409)
        async with request.form(max_files=0, max_fields=3 * len(sheet.columns) + 20) as form:
            choices = read_choices(form, form.getlist, sheet, self.session.limits)
        self.session.start(sheet, choices)
        return HTMLResponse(pages.render_run(self.session))

    async def progress(self, request: Request) -> Response:
        bar = pages.render_progress(self.session)
        if bar is not None:
            return HTMLResponse(bar)
        # It has ended: what it found takes the place of the bar and of the buttons beside it.
        instead = {"HX-Retarget": "#run", "HX-Reswap": "outerHTML"}
        page = await run_in_threadpool(pages.render_run, self.session)
        return HTMLResponse(page, headers=instead)

    async def stop(self, request: Request) -> Response:
        if self.session.job is not None:
            self.session.job.stop()
        return HTMLResponse(await run_in_threadpool(pages.render_run, self.session))

    async def give_up(self, request: Request) -> Response:
        if self.session.job is not None:
            self.session.job.give_up()
        return HTMLResponse(await run_in_threadpool(pages.render_run, self.session))

    async def view(self, request: Request) -> Response:
        def work() -> str:
            result, step = self._asked(request)
            return pages.render_view(self.session, result, step)

        return HTMLResponse(await run_in_threadpool(work))

    async def cluster(self, request: Request) -> Response:
        def work() -> str:
            result, step = self._asked(request)
            return pages.render_cluster(self.session, result, step, _whole(request, "cluster"))

        return HTMLResponse(await run_in_threadpool(work))

    async def labels(self, request: Request) -> Response:
        result, step = self._asked(request)
        content = await run_in_threadpool(result.labels_file, step)
        return _download(content, result.choices.labels_name, "text/csv")

    async def moved(self, request: Request) -> Response:
        result, step = self._asked(request)
        content = await run_in_threadpool(result.moved_file, step)
        return _download(content, "moved.csv", "text/csv")

    async def report(self, request: Request) -> Response:
        result, step = self._asked(request)
        content = await run_in_threadpool(result.report, step)
        return _download(content, "report.html", "text/html")

    def _asked(self, request: Request) -> tuple[Any, int]:
        """The result and the step of the slider that a request is about."""
        return self.session.result(_whole(request, "run")), _whole(request, "step")


def _spoken(endpoint: Endpoint) -> Endpoint:
    """Answer errors with a sentence."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except Refused as refused:
            sentence, status = str(refused), refused.status
        except Exception as error:
            # Starlette's own refusals of a bad form have a status.
            status = getattr(error, "status_code", 422)
            detail = getattr(error, "detail", None)
            sentence = detail or sentence_of(error, traceback.format_exc())
        return HTMLResponse(pages.render_error(sentence), status)

    return answer


def _whole(request: Request, name: str) -> int:
    text = request.query_params.get(name, "")
    if not text.isdecimal() or len(text) > 9:
        raise Refused(f"the address lacks a whole number for {name}; reload the page.", 400)
    return int(text)


def _download(content: bytes, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
