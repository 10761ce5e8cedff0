"""A store's objects on disk, so that a control plane that is killed comes back with all that it ever confirmed.

etcd's part of the API server, in SQLite: every write is committed before anybody is told that it happened. What is kept
is the present state, not the history; a watcher that knows an older version is told to list again. Committed writes
survive the death of the process (kill -9) at any moment. A power cut may cost the last of them, as the disk is not made
to confirm each: that would slow every heartbeat down for a case that a lab does not have.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from karmadalab.api.codec import decode, to_dict, to_json
from karmadalab.api.errors import BadRequest
from karmadalab.core.store import Store
from karmadalab.core.trace import CREATE, DELETE, STATUS, UPDATE

_FORMAT = "1"
_WRITES = (CREATE, UPDATE, STATUS, DELETE)
_SCHEMA = """
create table if not exists objects
  (kind text, namespace text, name text, version integer, manifest text,
   primary key (kind, namespace, name)) without rowid;
create table if not exists facts (name text primary key, value text) without rowid;
"""


class Journal:
    """The file of one store.

    Args:
        path: the SQLite file; made when it is not there.

    Raises:
        BadRequest: it can't be opened, is in use, or is something else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._store: Store | None = None
        self._row = 0
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch(mode=0o600)  # Secrets are in it; SQLite gives the files beside it the same mode
            # The lab's threads take turns, so that SQLite need not keep them apart.
            self._db = sqlite3.connect(self.path, check_same_thread=False, isolation_level=None, timeout=0.3)
            self._db.execute("pragma locking_mode = exclusive")  # two control planes on one file would undo each other
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = normal")
            self._db.execute("begin immediate")
            for statement in _SCHEMA.strip().split(";\n"):
                self._db.execute(statement.rstrip(";"))
            self._db.execute("insert or ignore into facts values ('format', ?)", (_FORMAT,))
            self._db.execute("commit")
            self._facts = dict(self._db.execute("select name, value from facts"))
        except (sqlite3.Error, OSError) as error:
            raise BadRequest(f"{path}: can't be used to keep objects in: {error}") from None
        if self._facts["format"] != _FORMAT:
            raise BadRequest(f"{path}: was written by another version (format {self._facts['format']}, not {_FORMAT})")

    @property
    def last_time(self) -> float:
        """The lab's time when the last write was kept, Unix seconds; 0 for a new file."""
        return float(self._facts.get("time", 0.0))

    def attach(self, store: Store) -> None:
        """Fill an empty store with what is kept, and keep what is written to it from now on."""
        objects = [decode(manifest) for manifest in self._manifests()]
        with store.trace.acting("restore", None):
            store.restore(objects, int(self._facts.get("version", 0)), int(self._facts.get("uids", 0)))
        self._store, self._row = store, len(store.trace.rows)

    def _manifests(self) -> Iterator[dict[str, Any]]:
        for (text,) in self._db.execute("select manifest from objects order by version, kind, namespace, name"):
            yield json.loads(text)

    def flush(self) -> None:
        """Keep what was written since the last time; all of it or, if the process dies meanwhile, nothing."""
        store = self._store
        if store is None:
            return
        rows = store.trace.rows[self._row :]
        self._row += len(rows)
        last = {
            (row.kind, row.namespace, row.name): row for row in rows if row.world == store.world and row.verb in _WRITES
        }
        if not last:
            return
        gone = [key for key, row in last.items() if row.new is None]
        kept = [(*key, row.version, to_json(to_dict(row.new))) for key, row in last.items() if row.new is not None]
        facts = {"version": str(store.version), "uids": str(store.uids), "time": repr(store.clock.now())}
        self._db.execute("begin immediate")
        self._db.executemany("delete from objects where kind = ? and namespace = ? and name = ?", gone)
        self._db.executemany("insert or replace into objects values (?, ?, ?, ?, ?)", kept)
        self._db.executemany("insert or replace into facts values (?, ?)", facts.items())
        self._db.execute("commit")

    def close(self) -> None:
        """Keep the rest and let go of the file; `flush` then does nothing more."""
        self.flush()
        self._store = None
        self._db.close()

    def __repr__(self) -> str:
        return f"<Journal {self.path}>"
