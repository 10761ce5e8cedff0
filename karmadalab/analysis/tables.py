"""The same as data frames. pandas is imported only here, and only when a table is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from karmadalab.analysis.bands import condition_bands, fault_bands, taint_bands, task_bands
from karmadalab.analysis.outage import PHASES, outages
from karmadalab.analysis.recording import Source, record
from karmadalab.analysis.serving import serving

if TYPE_CHECKING:
    import pandas


def frame(records: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> pandas.DataFrame:
    """A data frame with a row a record.

    Args:
        records: mappings, in the order of the rows.
        columns: the columns, so that an empty table has them too.

    Raises:
        ImportError: pandas is missing; the message names the extra.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("tables need pandas: pip install 'karmadalab[notebooks]'") from None
    return pandas.DataFrame(list(records), columns=None if columns is None else list(columns))


def phase_records(source: Source) -> list[dict[str, Any]]:
    """The phases of all outages, a record a phase, those that did not come left out.

    Returns:
        mappings with cluster, binding, phase, begin_s, end_s (since the run began) and seconds.
    """
    rows = []
    for outage in outages(source):
        begin_s = outage.fault_s
        for phase in PHASES:
            span_s = outage.phases[phase]
            if span_s is None:
                break
            rows.append(_phase(outage.cluster, outage.binding, phase, begin_s, span_s))
            begin_s += span_s
        if outage.healed_s is not None and outage.recover_s is not None:
            rows.append(_phase(outage.cluster, outage.binding, "recover", outage.healed_s, outage.recover_s))
    return rows


def _phase(cluster: str, binding: str, phase: str, begin_s: float, span_s: float) -> dict[str, Any]:
    return {
        "cluster": cluster,
        "binding": binding,
        "phase": phase,
        "begin_s": round(begin_s, 6),
        "end_s": round(begin_s + span_s, 6),
        "seconds": span_s,
    }


def phase_table(source: Source) -> pandas.DataFrame:
    """A row a phase: cluster, binding, phase, begin_s, end_s, seconds."""
    return frame(phase_records(source), ("cluster", "binding", "phase", "begin_s", "end_s", "seconds"))


def outage_table(source: Source) -> pandas.DataFrame:
    """A row an outage and workload, with all moments, phases and costs; see `Outage`."""
    return frame(outage.as_record() for outage in outages(source))


def summary_table(source: Source) -> pandas.DataFrame:
    """A row an outage and workload: phases, total and costs, in seconds and replica-seconds."""
    names = ("cluster", "binding", *PHASES, "total_s", "recover_s", "lost", "degraded_s", "double_s")
    rows = []
    for outage in outages(source):
        values = {name: getattr(outage, name) for name in names if name not in PHASES}
        rows.append({**values, **outage.phases})
    return frame(rows, names)


def serving_table(source: Source, workload: str | None = None) -> pandas.DataFrame:
    """A row a change: t (s), the replicas serving on each cluster that ever served, and their total."""
    found = serving(source, workload)
    names = found.clusters()
    times = sorted({0.0, *(t for name in names for t in found.by_cluster[name].times), found.end_s})
    rows = [
        {"t": t, **{name: found.by_cluster[name].at(t) for name in names}, "total": found.total.at(t)} for t in times
    ]
    return frame(rows, ("t", *names, "total"))


def band_table(source: Source) -> pandas.DataFrame:
    """A row a span of time: about (condition, taint, fault, eviction), cluster, what, begin_s, end_s, ended."""
    recording = record(source)
    readers = {"fault": fault_bands, "condition": condition_bands, "taint": taint_bands, "eviction": task_bands}
    rows = [{"about": about, **asdict(band)} for about, reader in readers.items() for band in reader(recording)]
    return frame(rows, ("about", "cluster", "what", "begin_s", "end_s", "ended"))


def event_table(source: Source) -> pandas.DataFrame:
    """A row an event: t (s), kind, namespace, name, what."""
    names = ("t", "kind", "namespace", "name", "what")
    return frame(({name: getattr(event, name) for name in names} for event in record(source).events), names)
