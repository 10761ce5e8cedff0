"""One API server: the control plane's, or a member's. From a request to an answer, in one turn of the lab."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

from karmadalab.api.errors import AlreadyExists, ApiError, Invalid, KarmadalabError, NotFound, Unreachable
from karmadalab.api.scheme import AnyObject
from karmadalab.core.client import ADDED
from karmadalab.core.controller import Wait
from karmadalab.core.store import Store
from karmadalab.core.trace import ERROR
from karmadalab.server import discovery, openapi
from karmadalab.server.call import Call, Target, not_served, target
from karmadalab.server.changes import missed
from karmadalab.server.encode import json_bytes, manifest
from karmadalab.server.kinds import REVIEWS
from karmadalab.server.logs import chosen, log_lines, log_text
from karmadalab.server.namespaces import make_first_namespaces
from karmadalab.server.reply import TEXT, Reply, Stream, reply
from karmadalab.server.selectors import Selection
from karmadalab.server.status import failure
from karmadalab.server.table import partial, table
from karmadalab.server.verbs import METADATA, TABLE, Verbs, check_version, form_of, included, log_bounds
from karmadalab.server.watch import Hub, Render, Watcher

_LONGEST_WATCH_S = 3600
_SELECTIONS_KEPT = 1000
_HEALTH = ("readyz", "livez", "healthz")


class Way(NamedTuple):
    """How the control plane's proxy reaches a member.

    Args:
        api: the member's API server.
        cross: raises what a call over the link meets.
    """

    api: Api
    cross: Callable[[], None]


class Api:
    """One API server.

    Args:
        store: its objects.
        loop: the event loop of the server.
        is_up: raises `Unreachable` when this API server is down.
        way: finds the member that a request is passed on to.
        kubernetes: which version it says it is.
    """

    def __init__(
        self,
        store: Store,
        loop: asyncio.AbstractEventLoop,
        is_up: Callable[[], None] = lambda: None,
        way: Callable[[str], Way | None] = lambda name: None,
        kubernetes: str = discovery.KUBERNETES,
    ) -> None:
        self.store = store
        make_first_namespaces(store)
        self.hub = Hub(store, loop)
        self._is_up = is_up
        self._way, self._kubernetes = way, kubernetes
        self._verbs = Verbs(store)
        self._renders: dict[tuple[str, ...], Render] = {}
        self._selections: dict[tuple[str | None, ...], Selection] = {}

    def answer(self, call: Call) -> Reply | Stream:
        """Answer a request; the caller has the turn. Never raises what a request can cause."""
        meant: Target | None = None
        try:
            self._is_up()
            parts = call.parts
            if not parts or parts[0] not in ("api", "apis") or len(parts) < (3 if parts[0] == "api" else 4):
                return self._document(call, parts)
            if call.method == "POST" and parts[-1] in [rt.plural for rt in REVIEWS]:
                return self._review(call, parts[-1])
            meant = target(self.store, parts)
            if meant.subresource == "proxy":
                return self._proxy(call, meant)
            with self.store.trace.acting(_actor(call), None):
                return self._on_objects(call, meant)
        except (ApiError, KarmadalabError) as error:
            return _failed(error, meant)
        except Exception as error:  # a defect of ours: one request fails, the trace tells, the server goes on
            self.broken(call, error)
            return _failed(error, meant)

    def broken(self, call: Call, error: Exception) -> None:
        """Leave word of a defect in the trace."""
        text = f"{call.method} {call.path}: {type(error).__name__}: {error}"
        self.store.trace.note("server", self.store.world or "karmada-apiserver", text, verb=ERROR)

    def _on_objects(self, call: Call, meant: Target) -> Reply | Stream:
        if call.method == "GET" and call.flag("watch"):
            return self._watch(call, meant)
        if call.method == "GET" and meant.subresource == "log" and call.flag("follow"):
            return self._follow(call, meant)
        return self._verbs.answer(call, meant)

    # --- documents

    def _document(self, call: Call, parts: list[str]) -> Reply:
        if call.method not in ("GET", "HEAD"):
            raise not_served()
        found = self._found(call, parts)
        if found is None:
            raise not_served()
        return found

    def _found(self, call: Call, parts: list[str]) -> Reply | None:
        data: Any = None
        if not parts:
            data = {"paths": ["/api", "/apis", "/healthz", "/livez", "/openapi/v3", "/readyz", "/version"]}
        elif parts[0] in _HEALTH:
            return Reply(b"ok", content_type=TEXT)
        elif parts == ["version"]:
            data = discovery.version_of(self.store.clock, self._kubernetes)
        elif parts[0] in ("api", "apis"):
            if len(parts) == 1 and "g=apidiscovery.k8s.io;v=v2;" in call.accept.replace(" ", ""):
                body = json_bytes(discovery.aggregated(self.store, parts[0] == "api"))
                return Reply(body, content_type=discovery.AGGREGATED)
            data = self._legacy(parts)
        elif parts[:2] == ["openapi", "v3"]:
            path = "/".join(parts[2:])
            data = openapi.document(self.store, path) if path else openapi.index(self.store, call.prefix)
        return None if data is None else reply(data)

    def _legacy(self, parts: list[str]) -> Any:
        if parts[0] == "api":
            return discovery.api_versions() if len(parts) == 1 else discovery.resources(self.store, "", parts[1])
        if len(parts) == 1:
            return discovery.api_groups(self.store)
        if len(parts) == 2:
            return discovery.group_of(self.store, parts[1])
        return discovery.resources(self.store, parts[1], parts[2])

    def _review(self, call: Call, plural: str) -> Reply:
        """Whoever has the token may do everything."""
        rt = next(rt for rt in REVIEWS if rt.plural == plural)
        data = call.data()
        head = {"kind": rt.kind, "apiVersion": rt.api_version, "metadata": {}}
        spec = data.get("spec", {}) if isinstance(data, dict) else {}
        if rt.kind == "SelfSubjectAccessReview":
            return reply(
                {**head, "spec": spec, "status": {"allowed": True, "reason": "the lab's token may do all"}}, 201
            )
        if rt.kind == "SelfSubjectRulesReview":
            rules = [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}]
            others = [{"verbs": ["*"], "nonResourceURLs": ["*"]}]
            status = {"resourceRules": rules, "nonResourceRules": others, "incomplete": False}
            return reply({**head, "status": status}, 201)
        user = {"username": "karmadalab", "groups": ["system:masters", "system:authenticated"]}
        return reply({**head, "status": {"userInfo": user}}, 201)

    def _proxy(self, call: Call, meant: Target) -> Reply | Stream:
        """Pass a request on to a member, over the same link that the control plane uses."""
        self._verbs.answer(call._replace(method="GET"), meant._replace(subresource=""))  # NotFound, if it is none
        way = self._way(meant.name)
        if way is None:
            raise NotFound(f"cluster {meant.name} has no API server that this server can reach")
        try:
            way.cross()
        except Wait:
            raise Unreachable(f"{meant.name}: no answer in time") from None
        before, rest = call.split(len(meant.rest))
        return way.api.answer(call._replace(path=rest, prefix=call.prefix + before))

    # --- watching

    def _watch(self, call: Call, meant: Target) -> Stream:
        check_version(call, self.store)
        group_kind, selection = meant.kind.type.group_kind, self._selection(call, meant)
        render = self._render(call, meant)
        since, initial = call.number("resourceVersion"), call.flag("sendInitialEvents")
        begin = since if since and not initial else self.store.version
        changes = missed(self.store, group_kind, begin) if begin < self.store.version else []
        watcher = Watcher(selection, render, begin)
        if not since or initial:
            now = self.store.clock.now()
            for obj in self._verbs.objects(meant, call):
                watcher.put(render(ADDED, obj, now))
        if initial:
            watcher.put(self._bookmark(call, meant, watcher, ends_initial=True))
        if changes:
            watcher.offer(changes, {})
        watcher.knows(self.store.version)
        self.hub.add(group_kind, watcher)
        timeout_s = min(call.number("timeoutSeconds", _LONGEST_WATCH_S) or _LONGEST_WATCH_S, _LONGEST_WATCH_S)
        bookmark = (lambda: self._bookmark(call, meant, watcher)) if call.flag("allowWatchBookmarks") else None
        return Stream(watcher, lambda: self.hub.remove(group_kind, watcher), float(timeout_s), bookmark)

    def _bookmark(self, call: Call, meant: Target, watcher: Watcher, ends_initial: bool = False) -> bytes:
        rt = meant.kind.type
        metadata: dict[str, Any] = {"resourceVersion": str(watcher.since), "creationTimestamp": None}
        if ends_initial:
            metadata["annotations"] = {"k8s.io/initial-events-end": "true"}
        obj: dict[str, Any] = {"kind": rt.kind, "apiVersion": rt.api_version, "metadata": metadata}
        form = form_of(call)
        if form == TABLE:
            row = {
                "cells": [],
                "object": {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata},
            }
            obj = {**table(meant.kind, [], 0.0, {"resourceVersion": str(watcher.since)}, "None"), "rows": [row]}
        elif form == METADATA:
            obj = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata}
        return json_bytes({"type": "BOOKMARK", "object": obj}) + b"\n"

    def _selection(self, call: Call, meant: Target) -> Selection:
        """The same object for all who want to see the same, so that it is looked through once for all."""
        asked = (call.query.get(name, "") for name in ("labelSelector", "fieldSelector"))
        key = (meant.kind.type.group_kind, meant.namespace, meant.name, *asked)
        if len(self._selections) > _SELECTIONS_KEPT:
            self._selections.clear()
        if key not in self._selections:
            self._selections[key] = meant.selection(call)
        return self._selections[key]

    def _render(self, call: Call, meant: Target) -> Render:
        """The same function for all who want the same form, so that one rendering serves them all."""
        form, include = form_of(call), included(call)
        key = (meant.kind.type.group_kind, form, include if form == TABLE else "")
        if key not in self._renders:
            self._renders[key] = _renderer(meant, form, include)
        return self._renders[key]

    def _follow(self, call: Call, meant: Target) -> Stream:
        """A pod's log, until the pod is gone."""
        pod = self.store.get("Pod", meant.name, meant.namespace or "")
        container, timestamps = call.query.get("container", ""), call.flag("timestamps")
        before = log_lines(self.store, pod, container)
        sent = len(before) - len(chosen(before, *log_bounds(call, self.store)))
        watcher = Watcher(meant.selection(call), lambda event, obj, now: b"\n", self.store.version)

        def convert() -> tuple[bytes, bool]:
            nonlocal sent
            watcher.take()
            lines = log_lines(self.store, pod, container)
            new, sent = lines[sent:], len(lines)
            return log_text(new, timestamps).encode(), self.store.find("Pod", meant.name, meant.namespace or "") is None

        watcher.news.set()
        self.hub.add("Pod", watcher)
        return Stream(
            watcher, lambda: self.hub.remove("Pod", watcher), _LONGEST_WATCH_S, convert=convert, content_type=TEXT
        )


def _renderer(meant: Target, form: str, include: str) -> Render:
    kind = meant.kind

    def as_table(event: str, obj: AnyObject, now: float) -> bytes:
        meta = {"resourceVersion": obj.metadata.resourceVersion}
        return json_bytes({"type": event, "object": table(kind, [obj], now, meta, include)}) + b"\n"

    def as_metadata(event: str, obj: AnyObject, now: float) -> bytes:
        return json_bytes({"type": event, "object": partial(obj)}) + b"\n"

    def as_object(event: str, obj: AnyObject, now: float) -> bytes:
        return b'{"type":"%b","object":%b}\n' % (event.encode(), manifest(obj))

    return {TABLE: as_table, METADATA: as_metadata}.get(form, as_object)


def _actor(call: Call) -> str:
    """Who the trace will say it was: an agent says so itself, everybody else is a user."""
    return call.user_agent if call.user_agent.startswith("karmada-agent@") else "user"


def _failed(error: Exception, meant: Target | None) -> Reply:
    if meant is None:
        status = failure(error)
    else:
        kind = meant.kind.type.kind
        status = failure(error, meant.kind.resource, meant.name or _name_in(error, kind), kind)
    return reply(status, status["code"])


def _name_in(error: Exception, kind: str) -> str:
    """The name that an error about a new object speaks of: `Deployment default/web already exists`."""
    about, _, rest = str(error).partition(" ")
    if about != kind or not isinstance(error, AlreadyExists | NotFound | Invalid):
        return ""
    return rest.partition(" ")[0].rpartition("/")[2].rstrip(":").removeprefix("(no")  # `(no name)`
