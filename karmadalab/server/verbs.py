"""Requests about objects: from what the path names to what goes back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from karmadalab.api.errors import BadRequest, NotFound
from karmadalab.api.scheme import AnyObject
from karmadalab.api.time import Time
from karmadalab.core.clock import real_time
from karmadalab.core.store import Store
from karmadalab.server import patches
from karmadalab.server.call import Call, Target
from karmadalab.server.changes import as_of
from karmadalab.server.encode import item_list, json_bytes, manifest
from karmadalab.server.events import are_derived, events_of
from karmadalab.server.kinds import EVENT
from karmadalab.server.logs import chosen, log_lines, log_text
from karmadalab.server.options import delete_options
from karmadalab.server.pages import Page, Pages
from karmadalab.server.reply import TEXT, Reply, reply
from karmadalab.server.resources import Caller, Resources
from karmadalab.server.scale import scale_of, scaled
from karmadalab.server.status import HttpError, success
from karmadalab.server.table import partial, table
from karmadalab.webhook import warnings_for

TABLE, METADATA, OBJECTS = "table", "metadata", "objects"


class Verbs:
    """What can be done with the objects of one store.

    Args:
        store: the API server's objects.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pages = Pages()

    def answer(self, call: Call, target: Target) -> Reply:
        """Do what a request about objects asks for."""
        resources = Resources(self._store, target.kind, target.namespace, caller(call))
        if target.subresource:
            return self._subresource(call, target, resources)
        if target.name:
            return self._on_object(call, target, resources)
        return self._on_collection(call, target, resources)

    # --- collections

    def _on_collection(self, call: Call, target: Target, resources: Resources) -> Reply:
        if call.method == "GET":
            return self._list(call, target)
        if call.method == "POST":
            if target.kind.type.namespaced and target.namespace is None:
                raise HttpError(405, "MethodNotAllowed", "objects are created in a namespace: .../namespaces/NAME/...")
            return _shown(resources.create(call.data()), call, target, 201)
        if call.method == "DELETE":
            meant = [obj for obj in resources.list() if target.selection(call).matches(obj)]
            for obj in meant:
                inside = Resources(self._store, target.kind, obj.metadata.namespace, resources.caller)
                inside.delete(obj.metadata.name, delete_options(call))
            return reply(success(target.kind.resource, "", ""))
        raise not_allowed(call)

    def objects(self, target: Target, call: Call) -> list[AnyObject]:
        """What a list of this target holds, by namespace and name."""
        selection, group_kind = target.selection(call), target.kind.type.group_kind
        past = exact_version(call)
        if past is not None:
            found = as_of(self._store, group_kind, past)
        elif target.name and selection.namespace is not None:
            found = [self._store.find(group_kind, target.name, selection.namespace)]
            found = [obj for obj in found if obj is not None]
        else:
            found = self._store.list(group_kind, selection.namespace)
        if are_derived(self._store, group_kind):
            told = events_of(self._store.trace, self._store.clock.now())
            found = [*found, *(e for e in told if past is None or int(e.metadata.resourceVersion) <= past)]
        return [obj for obj in found if selection.matches(obj)]

    def _list(self, call: Call, target: Target) -> Reply:
        limit, token = call.number("limit"), call.query.get("continue", "")
        check_version(call, self._store)
        question = (target.kind.type.group_kind, target.selection(call))
        if token:
            page = self._pages.next(question, token, limit)
        else:
            past = exact_version(call)
            version = self._store.version if past is None else past
            page = self._pages.first(question, self.objects(target, call), version, limit)
        meta = _list_meta(page)
        form = form_of(call)
        if form == TABLE:
            include = included(call)
            return reply(table(target.kind, page.objects, self._store.clock.now(), meta, include))
        if form == METADATA:
            head = {"kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1", "metadata": meta}
            return reply({**head, "items": [partial(obj) for obj in page.objects]})
        objects = page.objects
        if target.kind.type.group_kind == EVENT and call.user_agent.startswith("kubectl"):
            objects = [self._dated_for_kubectl(obj) for obj in objects]
        return Reply(item_list(target.kind.type.api_version, target.kind.type.kind, meta, objects))

    def _dated_for_kubectl(self, event: Any) -> Any:
        """An Event dated back from the real present, since `kubectl describe` counts its age by the real clock."""
        clock = self._store.clock
        times = {key: event[key] for key in ("firstTimestamp", "lastTimestamp") if isinstance(event.get(key), str)}
        shift_s = real_time() - clock.now()
        return event.with_body(**{key: str(Time(Time.parse(at) + shift_s)) for key, at in times.items()})

    # --- single objects

    def _on_object(self, call: Call, target: Target, resources: Resources) -> Reply:
        name = target.name
        if call.method == "GET":
            return self._get(call, target, resources)
        if call.method == "PUT":
            return _shown(resources.update(name, call.data()), call, target)
        if call.method == "PATCH":
            obj, new = resources.patch(name, call.content_type, _patch(call))
            return _shown(obj, call, target, 201 if new else 200)
        if call.method == "DELETE":
            uid = resources.get(name).metadata.uid
            left = resources.delete(name, delete_options(call))
            return reply(success(target.kind.resource, name, uid)) if left is None else _shown(left, call, target)
        raise not_allowed(call)

    def _get(self, call: Call, target: Target, resources: Resources) -> Reply:
        if target.kind.type.group_kind == EVENT:
            found = self.objects(target, call)
            if not found:
                raise NotFound(f"Event {target.name} not found")
            return self._rendered(call, target, found[0])
        return self._rendered(call, target, resources.get(target.name))

    def _rendered(self, call: Call, target: Target, obj: AnyObject) -> Reply:
        form = form_of(call)
        if form == TABLE:
            meta = {"resourceVersion": obj.metadata.resourceVersion}
            include = included(call)
            return reply(table(target.kind, [obj], self._store.clock.now(), meta, include))
        return reply(partial(obj)) if form == METADATA else Reply(manifest(obj))

    # --- subresources

    def _subresource(self, call: Call, target: Target, resources: Resources) -> Reply:
        handler: Callable[[Call, Target, Resources], Reply] | None = {
            "status": self._status,
            "scale": self._scale,
            "log": self._log,
        }.get(target.subresource)
        if handler is None:
            raise not_allowed(call)
        return handler(call, target, resources)

    def _status(self, call: Call, target: Target, resources: Resources) -> Reply:
        if call.method == "GET":
            return self._get(call, target, resources)
        if call.method == "PUT":
            return _shown(resources.update(target.name, call.data(), status=True), call, target)
        if call.method == "PATCH":
            obj, _ = resources.patch(target.name, call.content_type, _patch(call), status=True)
            return _shown(obj, call, target)
        raise not_allowed(call)

    def _scale(self, call: Call, target: Target, resources: Resources) -> Reply:
        old = resources.get(target.name)
        if call.method == "GET":
            return reply(scale_of(target.kind, old))
        if call.method == "PUT":
            wanted = call.data()
        elif call.method == "PATCH":
            wanted = resources.patcher(call.content_type)(scale_of(target.kind, old), _patch(call))
        else:
            raise not_allowed(call)
        new = resources.update(target.name, scaled(target.kind, old, wanted))
        return reply(scale_of(target.kind, new))

    def _log(self, call: Call, target: Target, resources: Resources) -> Reply:
        if call.method != "GET":
            raise not_allowed(call)
        lines = log_lines(self._store, resources.get(target.name), call.query.get("container", ""))
        text = log_text(chosen(lines, *log_bounds(call, self._store)), call.flag("timestamps"))
        return Reply(text.encode(), content_type=TEXT)


# --- reading a request


def caller(call: Call) -> Caller:
    """Who a request is from, and whether it is meant."""
    dry_run = call.query.get("dryRun", "")
    if dry_run not in ("", "All"):
        raise BadRequest(f"dryRun: {dry_run!r} is not supported; write All")
    if call.method == "DELETE" and delete_options(call).dryRun:
        dry_run = "All"  # where kubectl says so
    product = call.user_agent.partition("/")[0] or "unknown"
    strict = call.query.get("fieldValidation") != "Ignore"
    return Caller(call.query.get("fieldManager") or product, bool(dry_run), call.flag("force"), strict)


def log_bounds(call: Call, store: Store) -> tuple[float | None, int | None]:
    """Since when a log is wanted, and how many of its last lines. Raises `BadRequest`."""
    since_s = call.number("sinceSeconds")
    tail = call.number("tailLines") if call.query.get("tailLines") else None
    return (store.clock.now() - since_s if since_s else None), tail


def form_of(call: Call) -> str:
    """In which form the answer is wanted: a table, metadata alone, or the objects.

    Raises:
        HttpError: 406, a form that there is not.
    """
    options = [option.strip() for option in call.accept.split(",") if option.strip()]
    for option in options:
        kind, _, rest = option.partition(";")
        if kind == "application/json" and "as=Table" in rest:
            return TABLE
        if kind == "application/json" and "as=PartialObjectMetadata" in rest:
            return METADATA
        if kind in ("application/json", "*/*", "application/*") and "as=" not in rest:
            return OBJECTS
    if not options:
        return OBJECTS
    raise HttpError(406, "NotAcceptable", "only the following media types are accepted: application/json")


def included(call: Call) -> str:
    """How much of each object goes into its row of a table. Raises `BadRequest`."""
    found = call.query.get("includeObject") or "Metadata"
    if found not in ("None", "Metadata", "Object"):
        raise BadRequest(f"includeObject: {found!r} is not supported; write None, Metadata or Object")
    return found


def check_version(call: Call, store: Store) -> None:
    """Nobody can have seen a version that there has not been yet.

    Raises:
        BadRequest: it is not clear which version is meant.
        HttpError: 504, as a real API server answers after it waited in vain.
    """
    exact_version(call)
    version = call.number("resourceVersion")
    if version > store.version:
        cause = ("ResourceVersionTooLarge", "", "Too large resource version")
        message = f"Too large resource version: {version}, current: {store.version}"
        raise HttpError(504, "Timeout", message, (cause,))


def exact_version(call: Call) -> int | None:
    """The version whose state is asked for; None for the present one, which is not older than any.

    Raises:
        BadRequest: the two parameters do not go together.
    """
    match, version = call.query.get("resourceVersionMatch", ""), call.query.get("resourceVersion", "")
    if match and not version and not call.flag("sendInitialEvents"):
        raise BadRequest("resourceVersionMatch: forbidden without resourceVersion")
    if match not in ("", "Exact", "NotOlderThan"):
        raise BadRequest(f"resourceVersionMatch: {match!r} is not supported; write Exact or NotOlderThan")
    if match == "Exact" and call.flag("watch"):
        raise BadRequest("resourceVersionMatch: a watch begins at a resourceVersion by itself; leave it out")
    if match == "Exact" and version == "0":
        raise BadRequest("resourceVersionMatch: Exact is forbidden for resourceVersion 0, which stands for any")
    return call.number("resourceVersion") if match == "Exact" else None


def not_allowed(call: Call) -> HttpError:
    """What Kubernetes says of a verb that a resource does not have."""
    return HttpError(405, "MethodNotAllowed", f"the server does not allow {call.method} on this resource")


def _patch(call: Call) -> Any:
    if call.content_type == patches.APPLY and not call.query.get("fieldManager"):
        raise BadRequest("fieldManager: is required for apply patch")
    return call.data()


def _list_meta(page: Page) -> dict[str, Any]:
    meta: dict[str, Any] = {"resourceVersion": str(page.version)}
    if page.token:
        meta |= {"continue": page.token, "remainingItemCount": page.remaining}
    return meta


def _shown(obj: Any, call: Call, target: Target, code: int = 200) -> Reply:
    """A written object, with the warnings about it."""
    form = form_of(call)
    body = json_bytes(partial(obj)) if form == METADATA else manifest(obj)
    return Reply(body, code, warnings=warnings_for(obj))
