"""How quick the server is: a long list, many watchers, many writes.

    .venv/bin/python benchmarks/server.py [--objects 10000] [--watchers 100] [--rate 1000] [--seconds 5]

The server and the lab run in this process, the clients in a second one, over TLS on loopback. Latencies of watches are
from the write in the store to the line in the client.

For orientation only, for these are other machines and other promises. etcd 3.2.0 (2017), on three servers of 8 vCPUs
with SSDs and values of 256 bytes, writes 583 keys a second from one client with 1.6 ms on average, and 44,341 a second
from 1,000 clients with 22 ms (etcd.io, operations guide, "Performance"). Kubernetes has objectives and no benchmark of
its API server: in clusters of up to 5,000 nodes the 99th percentile over five minutes is at most 1 s for a write or a
read of one object and 30 s for a list, custom resources excepted; for watches there is none yet (kubernetes/community,
sig-scalability/slos/api_call_latency.md and watch_latency.md, read in 2026).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import re
import ssl
import statistics
import time
from pathlib import Path
from typing import Any

from karmadalab.api.meta import ObjectMeta
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace
from karmadalab.server import Served, serve_store

CONFIGS = "/api/v1/namespaces/default/configmaps"
_SENT = re.compile(rb'"sent":"([\d.]+)"')


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=10_000)
    parser.add_argument("--watchers", type=int, default=100)
    parser.add_argument("--rate", type=float, default=1000.0, help="updates a second while they watch")
    parser.add_argument("--seconds", type=float, default=5.0)
    args = parser.parse_args()
    clock = VirtualClock()
    store = Store(clock, Trace(clock.now))
    for number in range(args.objects):
        store.create(config(f"c{number:05d}"))
    with serve_store(store, "bench") as served:
        reach = (served.port, served.token, str(served.folder / "server.crt"))
        row("list of objects", args.objects, in_other_process(list_all, reach, 5))
        row("list in pages of 500", args.objects, in_other_process(list_pages, reach, 3))
        for connections in (1, 8):
            row(
                f"server-side apply, {connections} client(s)",
                None,
                in_other_process(apply_many, reach, connections, args.seconds),
            )
        row(f"read one, {8} clients", None, in_other_process(read_many, reach, 8, args.seconds))
        row(f"{args.watchers} watchers, {args.rate:g} updates/s", None, watched(served, store, reach, args))


def config(name: str, **data: str) -> Unstructured:
    text = {"colour": "red", "text": "x" * 100, **data}
    return Unstructured(
        "v1", "ConfigMap", ObjectMeta(name=name, namespace="default", labels={"app": "bench"}), {"data": text}
    )


def row(what: str, count: int | None, found: tuple[str, list[float]]) -> None:
    """One line of the table; latencies in milliseconds."""
    note, latencies_s = found
    ordered = sorted(latencies_s)
    p50, p99 = statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    size = f"{count} " if count is not None else ""
    print(f"{size + what:42} p50 {p50 * 1e3:9.2f} ms   p99 {p99 * 1e3:9.2f} ms   {note}", flush=True)


def in_other_process(work: Any, *args: Any) -> Any:
    """Run a client where it does not share our interpreter."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, args)


# --- clients


def list_all(reach: Any, times: int) -> tuple[str, list[float]]:
    async def go() -> tuple[str, list[float]]:
        client = await Client.open(reach)
        took, size = [], 0
        for _ in range(times):
            started = time.perf_counter()
            size = len(await client("GET", CONFIGS))
            took.append(time.perf_counter() - started)
        return f"{size / 1e6:.1f} MB", took

    return asyncio.run(go())


def list_pages(reach: Any, times: int) -> tuple[str, list[float]]:
    async def go() -> tuple[str, list[float]]:
        client, took, pages = await Client.open(reach), [], 0
        for _ in range(times):
            started, token, pages = time.perf_counter(), "", 0
            while True:
                body = json.loads(await client("GET", f"{CONFIGS}?limit=500&continue={token}"))
                pages, token = pages + 1, body["metadata"].get("continue", "")
                if not token:
                    break
            took.append(time.perf_counter() - started)
        return f"{pages} pages, decoded", took

    return asyncio.run(go())


def apply_many(reach: Any, connections: int, seconds: float) -> tuple[str, list[float]]:
    def request(worker: int, number: int) -> tuple[str, str, bytes, str]:
        name = f"apply-{worker}-{number % 50}"
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"n": str(number)}}
        path = f"{CONFIGS}/{name}?fieldManager=bench&force=true"
        return "PATCH", path, json.dumps(body).encode(), "application/apply-patch+yaml"

    return asyncio.run(many(reach, connections, seconds, request))


def read_many(reach: Any, connections: int, seconds: float) -> tuple[str, list[float]]:
    def request(worker: int, number: int) -> tuple[str, str, bytes, str]:
        return "GET", f"{CONFIGS}/c{number % 1000:05d}", b"", "application/json"

    return asyncio.run(many(reach, connections, seconds, request))


async def many(reach: Any, connections: int, seconds: float, request: Any) -> tuple[str, list[float]]:
    took: list[float] = []
    end = time.perf_counter() + seconds

    async def work(worker: int) -> None:
        client, number = await Client.open(reach), 0
        while time.perf_counter() < end:
            started = time.perf_counter()
            await client(*request(worker, number))
            took.append(time.perf_counter() - started)
            number += 1

    await asyncio.gather(*(work(worker) for worker in range(connections)))
    return f"{len(took) / seconds:.0f} requests/s", took


def watched(served: Served, store: Store, reach: Any, args: argparse.Namespace) -> tuple[str, list[float]]:
    """Update at a fixed rate while another process watches."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        watching = pool.apply_async(watch_many, (reach, args.watchers, args.seconds))
        while served.watchers < args.watchers:
            time.sleep(0.01)
        began, done = time.perf_counter(), 0
        while (now := time.perf_counter() - began) < args.seconds:
            while done < now * args.rate:
                with store.clock.taken():
                    found = store.get("ConfigMap", f"c{done % 100:05d}", "default")
                    store.update(found.with_body(data={"sent": f"{time.monotonic():.6f}"}))
                done += 1
            time.sleep(0.001)
        store.create(config("the-end"))
        note, latencies_s = watching.get(60)
    return f"{done / args.seconds:.0f} updates/s, {note}", latencies_s


def watch_many(reach: Any, watchers: int, seconds: float) -> tuple[str, list[float]]:
    async def watch(latencies_s: list[float], ended: list[bool]) -> None:
        client = await Client.open(reach)
        version = json.loads(await client("GET", f"{CONFIGS}?limit=1"))["metadata"]["resourceVersion"]
        await client.send("GET", f"{CONFIGS}?watch=1&resourceVersion={version}")
        left = b""
        while chunk := await client.reader.read(1 << 16):
            now = time.monotonic()
            latencies_s.extend(now - float(sent) for sent in _SENT.findall(left + chunk))
            if b"the-end" in left + chunk:
                ended.append(True)
                return
            left = (left + chunk).rpartition(b"\n")[2]

    async def go() -> tuple[str, list[float]]:
        latencies_s: list[float] = []
        ended: list[bool] = []
        await asyncio.wait_for(asyncio.gather(*(watch(latencies_s, ended) for _ in range(watchers))), seconds + 40)
        return f"{len(latencies_s) / seconds:.0f} events/s delivered, {len(ended)} saw the end", latencies_s

    return asyncio.run(go())


class Client:
    """HTTP/1.1 over one TLS connection, no more than a benchmark needs."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
        self.reader, self.writer, self.token = reader, writer, token

    @classmethod
    async def open(cls, reach: Any) -> Client:
        port, token, certificate = reach
        context = ssl.create_default_context(cadata=Path(certificate).read_text())
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, limit=1 << 22)
        return cls(reader, writer, token)

    async def send(self, method: str, path: str, body: bytes = b"", content_type: str = "application/json") -> None:
        head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n"
        head += f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
        self.writer.write(head.encode() + body)
        await self.writer.drain()

    async def __call__(
        self, method: str, path: str, body: bytes = b"", content_type: str = "application/json"
    ) -> bytes:
        await self.send(method, path, body, content_type)
        head = await self.reader.readuntil(b"\r\n\r\n")
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
            raise RuntimeError(head.decode())
        length = int(re.search(rb"content-length: (\d+)", head)[1])  # type: ignore[index] # or the benchmark ends here
        return await self.reader.readexactly(length)


if __name__ == "__main__":
    main()
