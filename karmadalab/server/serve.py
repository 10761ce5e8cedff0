"""A lab with a server in front: started, told about, and ended.

The server runs in a thread of its own. In a live lab a second thread keeps the clock going; a virtual lab moves only
when somebody calls `lab.run`, and requests in between see it standing still.
"""

from __future__ import annotations

import asyncio
import atexit
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.member import SimulatedMember
from karmadalab.lab import Lab
from karmadalab.server.api import Api
from karmadalab.server.apis import LabApis, OneApi
from karmadalab.server.app import Apis, App
from karmadalab.server.credentials import kept, kubeconfig, make_certificate, write_kubeconfig, write_private
from karmadalab.server.discovery import KUBERNETES
from karmadalab.server.listening import check_alone, listen

KARMADA = "karmada-apiserver"
LOOPBACK = "127.0.0.1"
_STOP_S = 10.0
# Turns of the event loop until who was just let in has a transport. asyncio can't give one once its server is closed,
# and then leaves the connection open.
_TURNS_TO_BEGIN = 3
_GOODBYE_S = 1.0  # how long a request that is being answered may keep the server from ending

MakeApis = Callable[[asyncio.AbstractEventLoop], Apis]


class Served:
    """A running server. Use it as a context manager, or call `close`.

    Attributes:
        kubeconfig: the file to use: `KUBECONFIG=... kubectl get clusters`.
        address: where the control plane's API server is.
        token: what a request must bring.
        contexts: the names of the API servers in the kubeconfig, the current one first.
        error: what ended the server, if it was not `close`.
    """

    def __init__(
        self,
        clock: VirtualClock,
        make_apis: MakeApis,
        contexts: Mapping[str, str],
        *,
        port: int = 0,
        host: str = LOOPBACK,
        known_as: str = "",
        folder: str | Path | None = None,
        token: str | None = None,
    ) -> None:
        self._clock, self._make_apis = clock, make_apis
        self._own_folder = folder is None
        self.folder = Path(tempfile.mkdtemp(prefix="karmadalab-") if folder is None else folder).absolute()
        if self._own_folder:  # the token and the key in it shall not outlive the process of who forgets to close
            atexit.register(self._remove_own_folder)
        real = self.folder.resolve()  # as the folder to keep out of is: homes are often links
        if (Path.home() / ".kube").resolve() in (real, *real.parents):
            raise BadRequest(f"{self.folder}: ~/.kube is kubectl's own, and is left alone; choose another folder")
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.error: BaseException | None = None
        self._ready, self._stopping = threading.Event(), threading.Event()
        self.kubeconfig = self.folder / "kubeconfig"
        before = kept(self.folder, known_as or host)
        if before:
            check_alone(self.folder, self.kubeconfig, before.port)
        self.token = token if token is not None else before.token if before else secrets.token_urlsafe(24)
        self._socket = listen(host, port, before.port if before else 0)
        self.port: int = self._socket.getsockname()[1]
        self.address = f"https://{known_as or host}:{self.port}"
        certificate = before.certificate if before else make_certificate(host, known_as)
        for name, data in (("server.crt", certificate.certificate), ("server.key", certificate.key)):
            write_private(self.folder / name, data)
        self.contexts = list(contexts)
        servers = {context: f"{self.address}{prefix}" for context, prefix in contexts.items()}
        write_kubeconfig(self.kubeconfig, kubeconfig(servers, certificate.certificate, self.token))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._app: App | None = None
        self._server: Any = None
        self._threads = [threading.Thread(target=self._serve, name="karmadalab-server", daemon=True)]
        if isinstance(clock, WallClock):
            self._threads.append(threading.Thread(target=self._pace, name="karmadalab-clock", daemon=True))

    def start(self) -> Served:
        """Begin to listen. Raises what kept it from that."""
        self._threads[0].start()
        self._ready.wait()
        if self.error is not None:
            raise self.error
        for thread in self._threads[1:]:
            thread.start()
        return self

    @property
    def environment(self) -> dict[str, str]:
        """What kubectl needs: this lab's kubeconfig, and a discovery cache that no other lab has written to."""
        return {"KUBECONFIG": str(self.kubeconfig), "KUBECACHEDIR": str(self.folder / "cache")}

    @property
    def watchers(self) -> int:
        """How many watches are open."""
        return sum(len(api.hub) for api in self._app.apis.all()) if self._app else 0

    def close(self) -> None:
        """End all connections, then the server; closing twice is no error."""
        self._stopping.set()
        loop = self._loop
        if loop is not None and self._app is not None and self._threads[0].is_alive():
            loop.call_soon_threadsafe(self._app.closing.set)
        with self._clock.taken():
            pass  # wakes the thread that keeps the clock going
        for thread in self._threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(_STOP_S)
        self._socket.close()
        self._remove_own_folder()

    def _remove_own_folder(self) -> None:
        if self._own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)
            atexit.unregister(self._remove_own_folder)

    def wait(self) -> None:
        """Until the server ends, or somebody presses Ctrl-C."""
        while self._threads[0].is_alive():
            self._threads[0].join(0.5)
        if self.error is not None:
            raise self.error

    def __enter__(self) -> Served:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseException as error:  # it must not get lost in a thread: `start` and `wait` raise it again
            self.error = error
        finally:
            self._ready.set()

    async def _main(self) -> None:
        import uvicorn

        from karmadalab.server.connection import Connection

        self._loop = asyncio.get_running_loop()
        with self._clock.taken():
            apis = self._make_apis(self._loop)
        self._app = App(self._clock, apis, self.token)
        config = uvicorn.Config(
            self._app,
            log_config=None,
            log_level="error",  # a stranger's broken request is answered, and not worth a line in a notebook
            access_log=False,
            lifespan="off",
            http=Connection,
            ws="none",
            server_header=False,
            ssl_certfile=str(self.folder / "server.crt"),
            ssl_keyfile=str(self.folder / "server.key"),
        )
        self._server = uvicorn.Server(config)  # outside the main thread it leaves signals alone
        serving = asyncio.ensure_future(self._server.serve(sockets=[self._socket]))
        closing = asyncio.ensure_future(self._app.closing.wait())
        try:
            while not self._server.started and not serving.done():
                await asyncio.sleep(0.002)
            self._ready.set()
            await asyncio.wait((serving, closing), return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                await serving  # for what ended it
            await self._answered()
        finally:
            # uvicorn's own way to end looks every 0.1 s whether it should, and says goodbye over TLS to each client,
            # which waits for the client's.
            serving.cancel()
            with suppress(NotImplementedError):  # Windows' event loop has no readers
                self._loop.remove_reader(self._socket)  # nobody is let in any more
            for _ in range(_TURNS_TO_BEGIN):
                await asyncio.sleep(0)
            for server in getattr(self._server, "servers", ()):
                server.close()
            with self._clock.taken():
                for api in apis.all():
                    api.hub.close()
            for connection in tuple(self._server.server_state.connections):
                connection.transport.abort()

    async def _answered(self) -> None:
        """Until all have their answers, or for a second."""
        connections = self._server.server_state.connections
        with suppress(TimeoutError):
            async with asyncio.timeout(_GOODBYE_S):
                while any(c.cycle is not None and not c.cycle.response_complete for c in connections):
                    await asyncio.sleep(0.002)

    def _pace(self) -> None:
        """Keep a live lab going."""
        clock = self._clock
        try:
            while not self._stopping.is_set():
                clock.step()  # type: ignore[attr-defined]  # only wall clocks are kept going
        except BaseException as error:
            self.error = error
            if self._loop is not None and self._app is not None:
                self._loop.call_soon_threadsafe(self._app.closing.set)

    def __repr__(self) -> str:
        state = "running" if self._threads[0].is_alive() else "ended"
        return f"<Served {self.address} {state}, KUBECONFIG={self.kubeconfig}>"


def serve(lab: Lab, *, port: int = 0, folder: str | Path | None = None, host: str = LOOPBACK, **options: Any) -> Served:
    """Serve a lab's control plane and members over HTTPS.

    Args:
        lab: virtual or live.
        port: 0 for any free one.
        folder: where the kubeconfig goes; by default a new one that goes when the server ends. Who starts again in the
            same folder has the same token, certificate and, if it is free, port.
        host: an address of this machine. Anything but loopback lets others in who have the token.
        options: `token`; see `Served`.

    Raises:
        ImportError: the `server` extra is not installed.
        BadRequest: the port is taken, or the folder's server still runs.
    """
    _require_extra()

    def make(loop: asyncio.AbstractEventLoop) -> Apis:
        return LabApis(lab, loop)

    contexts = {KARMADA: "", **{name: f"/members/{name}" for name in _simulated(lab)}}
    return Served(lab.clock, make, contexts, port=port, folder=folder, host=host, **options).start()


def serve_store(store: Store, name: str, kubernetes: str = KUBERNETES, **options: Any) -> Served:
    """Serve one store alone, as a process of its own does; with `known_as`, for clients that know this machine so."""
    _require_extra()
    return Served(
        store.clock, lambda loop: OneApi(Api(store, loop, kubernetes=kubernetes)), {name: ""}, **options
    ).start()


def _simulated(lab: Lab) -> list[str]:
    """The members that this server stands for, in the order of the fleet."""
    members = lab.world.members
    return [spec.name for spec in lab.world.fleet.members if isinstance(members.get(spec.name), SimulatedMember)]


def _require_extra() -> None:
    try:
        import cryptography  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ImportError(f"serving a lab needs {error.name}: pip install 'karmadalab[server]'") from None
