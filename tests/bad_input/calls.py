"""Calls that make no sense."""

from __future__ import annotations

from karmadalab.api.errors import BadRequest, Conflict, Invalid, NotFound
from karmadalab.lab import Lab

from .wrong import Wrong, update_web

CALLS = [
    Wrong(
        "back in time", lambda lab: lab.run("-5s"), BadRequest, "run: time runs one way; to look back use lab.at(55)"
    ),
    Wrong(
        "a while",
        lambda lab: lab.run("a while"),
        BadRequest,
        "run: 'a while' is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "None",
        lambda lab: lab.run(None),
        BadRequest,
        "run: None is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "the future",
        lambda lab: lab.at("1h"),
        BadRequest,
        "at: 1h has not come yet, it is 1m0s in the lab; use run() first",
    ),
    Wrong(
        "before",
        lambda lab: lab.at("before"),
        BadRequest,
        "at: 'before' is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "what never happens",
        lambda lab: lab.run_until(lambda _: False, timeout=0),
        BadRequest,
        "run_until: still not so after 0; look at lab.timeline to see what happened",
    ),
    Wrong(
        "a step of nothing",
        lambda lab: lab.run_until(lambda _: False, step=0),
        BadRequest,
        "step: must be at least 1e-06s, or time would not pass, got 0",
    ),
    Wrong(
        "a step that is too small for a clock",
        lambda lab: lab.run_until(lambda _: False, step=1e-9),
        BadRequest,
        "step: must be at least 1e-06s, or time would not pass, got 1e-09",
    ),
    Wrong(
        "longer than a hundred years",
        lambda lab: lab.run(10**10),
        BadRequest,
        "run: 10000000000 is longer than a hundred years",
    ),
    Wrong(
        "longer than any float",
        lambda lab: lab.run(10**400),
        BadRequest,
        "run: a number of more than 64 bits is longer than a hundred years",
    ),
    Wrong(
        "hours without bound",
        lambda lab: lab.run("9" * 400 + "h"),
        BadRequest,
        "run: '999999999999999999999999999999999999... is longer than a hundred years",
    ),
    Wrong(
        "no end",
        lambda lab: lab.run(float("inf")),
        BadRequest,
        "run: inf is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "two signs",
        lambda lab: lab.run("+-5s"),
        BadRequest,
        "run: '+-5s' is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "a misspelt kind",
        lambda lab: lab.get("Deploymnt", "web"),
        BadRequest,
        "there is no kind 'Deploymnt'; did you mean Deployment? Custom kinds are written Kind.group, for "
        "example Redis.example.io",
    ),
    Wrong(
        "a misspelt name",
        lambda lab: lab.get("Deployment", "webb"),
        NotFound,
        "Deployment default/webb not found; there is web",
    ),
    Wrong(
        "a cluster that is not there",
        lambda lab: lab.get("Cluster", "member9"),
        NotFound,
        "Cluster member9 not found; there is member1, member2, member3",
    ),
    Wrong(
        "a member that is not there",
        lambda lab: lab.member("member9"),
        BadRequest,
        "there is no member 'member9'; there are member1, member2, member3",
    ),
    Wrong(
        "a misspelt name in a member",
        lambda lab: lab.member("member1").get("Deployment", "webb"),
        NotFound,
        "Deployment default/webb not found in member1; there is web",
    ),
    Wrong(
        "fewer than none",
        lambda lab: lab.scale("web", -1),
        BadRequest,
        "replicas: expected a whole number of 0 or more, got -1",
    ),
    Wrong(
        "replicas in words",
        lambda lab: lab.scale("web", "3"),
        BadRequest,
        "replicas: expected a whole number of 0 or more, got '3'",
    ),
    Wrong(
        "more replicas than fit",
        lambda lab: lab.scale("web", 2**31),
        Invalid,
        "Deployment default/web: spec.replicas: expected a whole number up to 2147483647, got 2147483648",
    ),
    Wrong(
        "nobody's replicas",
        lambda lab: lab.scale("nobody", 3),
        NotFound,
        "Deployment default/nobody not found; there is web",
    ),
    Wrong(
        "a taint without effect",
        lambda lab: lab.taint("member1", "maintenance"),
        BadRequest,
        "taint: write key=value:effect with one of NoSchedule, PreferNoSchedule, NoExecute, not 'maintenance'",
    ),
    Wrong(
        "a taint with an unknown effect",
        lambda lab: lab.taint("member1", "maintenance:Now"),
        BadRequest,
        "taint: write key=value:effect with one of NoSchedule, PreferNoSchedule, NoExecute, not 'maintenance:Now'",
    ),
    Wrong(
        "nobody's taint",
        lambda lab: lab.taint("member9", "maintenance:NoExecute"),
        NotFound,
        "Cluster member9 not found; there is member1, member2, member3",
    ),
    Wrong(
        "nobody deleted",
        lambda lab: lab.delete("Deployment", "nobody"),
        NotFound,
        "Deployment default/nobody not found",
    ),
    Wrong(
        "a stale update",
        lambda lab: update_web(lab, resourceVersion="1"),
        Conflict,
        "Deployment default/web: you wrote resourceVersion 1, the store has <version>; read it again and "
        "reapply your change",
    ),
    Wrong(
        "an update without version",
        lambda lab: update_web(lab, resourceVersion=""),
        BadRequest,
        "Deployment default/web: metadata.resourceVersion must be specified for an update: read the object, "
        "change it and write it back",
    ),
    Wrong(
        "an update with replicas in words",
        lambda lab: lab.update(lab.get("Deployment", "web").with_spec(replicas="2")),
        Invalid,
        "Deployment default/web: spec.replicas: expected a whole number of 0 or more, got '2'",
    ),
    Wrong(
        "an explanation of a bare name",
        lambda lab: lab.explain("web"),
        BadRequest,
        "explain: write kind/name, for example deployment/nginx or cluster/member1, not 'web'",
    ),
    Wrong(
        "an explanation of nobody",
        lambda lab: lab.explain("deployment/nobody"),
        NotFound,
        "explain: there never was a Deployment default/nobody; there were deployment/default/web; "
        "lab.timeline, and karmadalab run FILE --format json, name what there was",
    ),
    Wrong(
        "a kind without a name",
        lambda lab: lab.get("deployment"),
        BadRequest,
        "which one? write a kind and a name, for example deployment/nginx, not 'deployment'",
    ),
    Wrong(
        "a timeline of a misspelt kind",
        lambda lab: lab.timeline.where("deploymnt"),
        BadRequest,
        "there is no kind 'deploymnt'; did you mean Deployment? Custom kinds are written Kind.group, for "
        "example Redis.example.io",
    ),
    Wrong(
        "a look at before the beginning",
        lambda lab: lab.at("-5m"),
        BadRequest,
        "at: the lab began at 0s, there is nothing to see at -5m",
    ),
    Wrong(
        "an explanation of a misspelt kind",
        lambda lab: lab.explain("deploymnt/web"),
        BadRequest,
        "there is no kind 'deploymnt'; did you mean Deployment? Custom kinds are written Kind.group, for "
        "example Redis.example.io",
    ),
    Wrong(
        "less than no load",
        lambda lab: lab.load("web", -1),
        BadRequest,
        "load on web: requests_s must be a number from 0 to 1,000,000,000, got -1",
    ),
    Wrong(
        "a load that is no number",
        lambda lab: lab.load("web", float("nan")),
        BadRequest,
        "load on web: requests_s must be a number from 0 to 1,000,000,000, got nan",
    ),
    Wrong(
        "a load without end",
        lambda lab: lab.load("web", float("inf")),
        BadRequest,
        "load on web: requests_s must be a number from 0 to 1,000,000,000, got inf",
    ),
    Wrong(
        "a load beyond all fleets",
        lambda lab: lab.load("web", 1e308),
        BadRequest,
        "load on web: requests_s must be a number from 0 to 1,000,000,000, got 1e+308",
    ),
    Wrong(
        "a load in words",
        lambda lab: lab.load("web", "5"),
        BadRequest,
        "load on web: requests_s must be a number from 0 to 1,000,000,000, got '5'",
    ),
    Wrong(
        "requests that cost no number",
        lambda lab: lab.load("web", 5, cpu_ms=float("nan")),
        BadRequest,
        "load on web: cpu_ms must be a number from 0 to 1,000,000, got nan",
    ),
    Wrong(
        "a load on a number",
        lambda lab: lab.load(5, 3),
        BadRequest,
        "which one? write a kind and a name, for example deployment/nginx, not 5",
    ),
    Wrong(
        "a number to scale",
        lambda lab: lab.scale(5, 3),
        BadRequest,
        "which one? write a kind and a name, for example deployment/nginx, not 5",
    ),
    Wrong(
        "what has no replicas",
        lambda lab: lab.scale("cluster/member1", 3),
        BadRequest,
        "Cluster member1: has no spec.replicas to scale; a Deployment, a StatefulSet, a ReplicaSet has, and so can a "
        "kind of one's own",
    ),
    Wrong(
        "a manifest for an object",
        lambda lab: lab.update({"kind": "ConfigMap"}),
        BadRequest,
        "update: expected an object that was read, got {'kind': 'ConfigMap'}; a manifest goes to lab.apply",
    ),
    Wrong(
        "a taint that is a number",
        lambda lab: lab.taint("member1", 5),
        BadRequest,
        "taint: write key=value:effect with one of NoSchedule, PreferNoSchedule, NoExecute, not 5",
    ),
    Wrong(
        "a kind that is a number",
        lambda lab: lab.list(5),
        BadRequest,
        "expected a kind such as Deployment, deploy or Redis.example.io, got 5",
    ),
    Wrong(
        "a story of a number",
        lambda lab: lab.explain(5),
        BadRequest,
        "explain: write kind/name, for example deployment/nginx or cluster/member1, not 5",
    ),
    Wrong(
        "members that are a list",
        lambda lab: lab.member(["member1"]),
        BadRequest,
        "there is no member ['member1']; there are member1, member2, member3",
    ),
    Wrong(
        "leaving as a list",
        lambda lab: lab.unjoin(["member1"]),
        BadRequest,
        "no cluster object ['member1'] found in karmada control Plane",
    ),
    Wrong(
        "until five",
        lambda lab: lab.run_until(5),
        BadRequest,
        "run_until: expected a function of the lab that says when to stop, got 5",
    ),
    Wrong(
        "phases that are a mapping",
        lambda lab: Lab.fake(phases={"monitor_s": 1}),
        BadRequest,
        "phases: expected Phases(...), got {'monitor_s': 1}",
    ),
    Wrong(
        "a threshold that is a number",
        lambda lab: Lab.fake(threshold=5),
        BadRequest,
        "threshold: expected a function like threshold_adjusted, got 5",
    ),
    Wrong(
        "an interpreter that is a number",
        lambda lab: Lab.fake(interpreter=5),
        BadRequest,
        "interpreter: expected an Interpreter with your kinds in it, got 5",
    ),
]
