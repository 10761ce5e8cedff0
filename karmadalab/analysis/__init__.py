"""From a timeline to tables: how long each part of an outage took, who served when, and what it cost.

outages(lab)            # one a failed member and workload: detect, wait, evict, reschedule, start, recover
serving(lab)            # replicas answering requests, by cluster, over time
phase_table(lab)        # the same as data frames
activity(lab)           # who wrote what, and what woke whom
heartbeat(lab, "member3")  # the lease of a pull member
messages(lab)           # one failover: who told whom, when
assigned(lab)           # replicas as the bindings have them, by cluster, over time
"""

from karmadalab.analysis.activity import Activity, activity
from karmadalab.analysis.assigned import assigned
from karmadalab.analysis.bands import Band, condition_bands, fault_bands, ready_at, taint_bands, task_bands
from karmadalab.analysis.costs import outage_costs
from karmadalab.analysis.heartbeat import Heartbeat, heartbeat
from karmadalab.analysis.messages import Message, messages
from karmadalab.analysis.outage import PHASES, Outage, outages
from karmadalab.analysis.recording import Recording, record
from karmadalab.analysis.serving import Serving, serving
from karmadalab.analysis.steps import Steps
from karmadalab.analysis.tables import (
    band_table,
    event_table,
    outage_table,
    phase_records,
    phase_table,
    serving_table,
    summary_table,
)
from karmadalab.analysis.workloads import check_workload

__all__ = [
    "PHASES",
    "Activity",
    "Band",
    "Heartbeat",
    "Message",
    "Outage",
    "Recording",
    "Serving",
    "Steps",
    "activity",
    "assigned",
    "band_table",
    "check_workload",
    "condition_bands",
    "event_table",
    "fault_bands",
    "heartbeat",
    "messages",
    "outage_costs",
    "outage_table",
    "outages",
    "phase_records",
    "phase_table",
    "ready_at",
    "record",
    "serving",
    "serving_table",
    "summary_table",
    "taint_bands",
    "task_bands",
]
