"""A lab with a server in front: started, told about, and ended.

The server runs in a thread of its own. In a live lab a second thread keeps the clock going; a virtual lab moves only
when somebody calls `lab.run`, and requests in between see it standing still.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
import socket
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from karmadalab.api.errors import BadRequest, Unreachable
from karmadalab.core.clock import VirtualClock, WallClock
from karmadalab.core.store import Store
from karmadalab.environments.link import UP, Link
from karmadalab.environments.member import SimulatedMember
from karmadalab.lab import Lab
from karmadalab.server.api import Api, Way
from karmadalab.server.app import Apis, App
from karmadalab.server.credentials import kubeconfig, make_certificate, write_kubeconfig, write_private
from karmadalab.server.discovery import KUBERNETES

KARMADA = "karmada-apiserver"
LOOPBACK = "127.0.0.1"
_STOP_S = 10.0

MakeApis = Callable[[asyncio.AbstractEventLoop], Apis]


class LabApis:
    """The API servers of a lab: the control plane's, and those of the members there are at the moment."""

    def __init__(self, lab: Lab, loop: asyncio.AbstractEventLoop) -> None:
        self._lab, self._loop = lab, loop
        self._members: dict[str, Way] = {}
        self._control_plane = Api(lab.store, loop, way=self._way)

    def find(self, name: str) -> Api | None:
        """A member's; the control plane's without a name."""
        way = self._way(name) if name else None
        return self._control_plane if not name else way.api if way is not None else None

    def all(self) -> list[Api]:
        """Those that somebody has asked for, and the control plane's."""
        return [self._control_plane, *(way.api for way in self._members.values())]

    def _way(self, name: str) -> Way | None:
        member = self._lab.world.members.get(name)
        way = self._members.get(name)
        if not isinstance(member, SimulatedMember):  # a real cluster has an API server of its own
            return None
        if way is None or way.api.store is not member.store:  # a cluster that left and came back is another one
            api = Api(member.store, self._loop, _gate(member.from_agent.link), kubernetes=member.spec.kubernetes)
            way = self._members[name] = Way(api, member.from_control_plane.link.cross)
        return way


class OneApi:
    """A single API server."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def find(self, name: str) -> Api | None:
        """It has no name."""
        return None if name else self._api

    def all(self) -> list[Api]:
        """Just the one."""
        return [self._api]


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
        self.token = secrets.token_urlsafe(24) if token is None else token
        self._own_folder = folder is None
        self.folder = Path(tempfile.mkdtemp(prefix="karmadalab-")) if folder is None else Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.error: BaseException | None = None
        self._ready, self._stopping = threading.Event(), threading.Event()
        self._socket = _listen(host, port)
        self.port: int = self._socket.getsockname()[1]
        self.address = f"https://{known_as or host}:{self.port}"
        self.kubeconfig = self.folder / "kubeconfig"
        certificate = make_certificate(host, known_as)
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
        if loop is not None and self._server is not None and self._threads[0].is_alive():
            loop.call_soon_threadsafe(self._end)
        with self._clock.taken():
            pass  # wakes the thread that keeps the clock going
        for thread in self._threads:
            if thread.is_alive() and thread is not threading.current_thread():
                thread.join(_STOP_S)
        self._socket.close()
        if self._own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

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

        self._loop = asyncio.get_running_loop()
        with self._clock.taken():
            apis = self._make_apis(self._loop)
        self._app = App(self._clock, apis, self.token)
        config = uvicorn.Config(
            self._app,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            timeout_graceful_shutdown=1,
            ssl_certfile=str(self.folder / "server.crt"),
            ssl_keyfile=str(self.folder / "server.key"),
        )
        self._server = uvicorn.Server(config)  # outside the main thread it leaves signals alone
        serving = asyncio.ensure_future(self._server.serve(sockets=[self._socket]))
        try:
            while not self._server.started and not serving.done():
                await asyncio.sleep(0.002)
            self._ready.set()
            await serving
        finally:
            with self._clock.taken():
                for api in apis.all():
                    api.hub.close()
            for connection in tuple(self._server.server_state.connections):  # whoever did not read to the end
                connection.transport.abort()

    def _end(self) -> None:
        """In the server's thread: no more streams, no idle connections, then the server itself."""
        if self._app is not None:
            self._app.closing.set()
        for connection in tuple(self._server.server_state.connections):
            if connection.cycle is None or connection.cycle.response_complete:
                connection.transport.abort()  # a polite goodbye over TLS waits for the other side's
        self._server.should_exit = True

    def _pace(self) -> None:
        """Keep a live lab going."""
        clock = self._clock
        try:
            while not self._stopping.is_set():
                clock.step()  # type: ignore[attr-defined]  # only wall clocks are kept going
        except BaseException as error:
            self.error = error
            if self._server is not None:
                self._server.should_exit = True

    def __repr__(self) -> str:
        state = "running" if self._threads[0].is_alive() else "ended"
        return f"<Served {self.address} {state}, KUBECONFIG={self.kubeconfig}>"


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        found = socket.create_server((host, port), family=family, backlog=256)
        # Connections inherit it. asyncio sets it only on sockets that were made with IPPROTO_TCP; without it the second
        # part of every answer waits 40 ms for the client's delayed acknowledgement of the first.
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (OSError, OverflowError) as error:
        raise BadRequest(
            f"port {port}: can't listen on {host}: {error}; choose another, or 0 for any free one"
        ) from None
    return found


def serve(lab: Lab, *, port: int = 0, folder: str | Path | None = None, host: str = LOOPBACK, **options: Any) -> Served:
    """Serve a lab's control plane and members over HTTPS.

    Args:
        lab: virtual or live.
        port: 0 for any free one.
        folder: where the kubeconfig goes; by default a new one that goes when the server ends.
        host: an address of this machine. Anything but loopback lets others in who have the token.
        options: `token`; see `Served`.

    Raises:
        ImportError: the `server` extra is not installed.
        BadRequest: the port is taken.
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


def _gate(link: Link) -> Callable[[], None]:
    """What a request to a member's API server meets when that is down."""

    def is_up() -> None:
        if link.state != UP:
            what = "connection refused" if link.state != "silent" else "no answer in time"
            raise Unreachable(f"{link.name.partition(' -> ')[2]}: its API server is down ({what}); a fault acts on it")

    return is_up


def _require_extra() -> None:
    try:
        import cryptography  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ImportError(f"serving a lab needs {error.name}: pip install 'karmadalab[server]'") from None
