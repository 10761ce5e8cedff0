"""Figures that say what to see: each comes with a paragraph, the table behind it and an alternative text.

show.timeline(lab)                  # a failover, a lane a cluster
show.outage_split({"defaults": lab})  # the parts of an outage, a bar a run
show.sequence(lab)                  # one failover: who told whom, and when
show.replicas(lab)                  # assigned and serving replicas of each cluster
show.moment(lab, "6m")              # the fleet at one moment: what is true, what is believed
show.control_plane_map(lab)         # who wrote what, and what woke whom
show.lease_clock(lab, "member3")    # the age of a lease against the grace period
show.funnel(lab.explain("deployment/nginx").scheduling)  # one decision of the scheduler
show.curves({"defaults": points}, title="...", text="...", x="outage (s)", y="moves")
show.source(function)               # the package's own code, in a notebook
"""

from karmadalab.show.control_map import control_plane_map
from karmadalab.show.curves import curves
from karmadalab.show.figure import Figure, Parts
from karmadalab.show.funnel import funnel, funnel_parts
from karmadalab.show.lease_clock import lease_clock
from karmadalab.show.moment import moment, moment_parts
from karmadalab.show.page import page
from karmadalab.show.replicas import replicas
from karmadalab.show.sequence import sequence
from karmadalab.show.source import Source, source
from karmadalab.show.split import outage_split, split_parts
from karmadalab.show.text import tell
from karmadalab.show.timeline import timeline, timeline_parts

__all__ = [
    "Figure",
    "Parts",
    "Source",
    "control_plane_map",
    "curves",
    "funnel",
    "funnel_parts",
    "lease_clock",
    "moment",
    "moment_parts",
    "outage_split",
    "page",
    "replicas",
    "sequence",
    "source",
    "split_parts",
    "tell",
    "timeline",
    "timeline_parts",
]
