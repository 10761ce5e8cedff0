"""Policies that make no sense; the rules and the words are Karmada's."""

from __future__ import annotations

from karmadalab.api.errors import Denied, Forbidden, Invalid
from tests.worlds import policy

from .wrong import Wrong, placed, with_policy

POLICIES = [
    Wrong(
        "a misspelt field",
        lambda lab: lab.apply(with_policy(placment={})),
        Invalid,
        "PropagationPolicy default/web: spec.placment: unknown field; did you mean placement? (strict "
        'decoding error: unknown field "spec.placment")',
    ),
    Wrong(
        "a misspelt field deeper down",
        lambda lab: lab.apply(placed(clusterAffinty={})),
        Invalid,
        "PropagationPolicy default/web: spec.placement.clusterAffinty: unknown field; did you mean "
        'clusterAffinity? (strict decoding error: unknown field "spec.placement.clusterAffinty")',
    ),
    Wrong(
        "a priority in words",
        lambda lab: lab.apply(with_policy(priority="high")),
        Invalid,
        "PropagationPolicy default/web: spec.priority: expected a whole number, got text (json: cannot "
        "unmarshal string into Go struct field PropagationSpec.spec.priority of type int32)",
    ),
    Wrong(
        "no selectors",
        lambda lab: lab.apply({**policy(), "spec": {"placement": {}}}),
        Invalid,
        'PropagationPolicy default/web: spec.resourceSelectors: Invalid value: "null": spec.resourceSelectors'
        ' in body must be of type array: "null"',
    ),
    Wrong(
        "an empty list of selectors",
        lambda lab: lab.apply(with_policy(resourceSelectors=[])),
        Invalid,
        "PropagationPolicy default/web: spec.resourceSelectors: Invalid value: 0: spec.resourceSelectors in "
        "body should have at least 1 items",
    ),
    Wrong(
        "spread by field and by label",
        lambda lab: lab.apply(placed(spreadConstraints=[{"spreadByField": "cluster", "spreadByLabel": "a"}])),
        Denied,
        'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: '
        "spec.placement.spreadConstraints[0]: Invalid value: "
        '{"spreadByField":"cluster","spreadByLabel":"a","minGroups":1}: spreadByLabel should not co-exist '
        "with spreadByField",
    ),
    Wrong(
        "at least three and at most two",
        lambda lab: lab.apply(placed(spreadConstraints=[{"spreadByField": "cluster", "minGroups": 3, "maxGroups": 2}])),
        Denied,
        'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: '
        "spec.placement.spreadConstraints[0]: Invalid value: "
        '{"spreadByField":"cluster","maxGroups":2,"minGroups":3}: maxGroups lower than minGroups is not '
        "allowed",
    ),
    Wrong(
        "less than no group",
        lambda lab: lab.apply(placed(spreadConstraints=[{"spreadByField": "cluster", "minGroups": -1}])),
        Denied,
        'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: '
        'spec.placement.spreadConstraints[0]: Invalid value: {"spreadByField":"cluster","minGroups":-1}: '
        "minGroups lower than 0 is not allowed",
    ),
    Wrong(
        "spread by cluster twice",
        lambda lab: lab.apply(placed(spreadConstraints=[{"spreadByField": "cluster"}, {"spreadByField": "cluster"}])),
        Denied,
        'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: '
        "spec.placement.spreadConstraints: Invalid value: "
        '[{"spreadByField":"cluster","minGroups":1},{"spreadByField":"cluster","minGroups":1}]: multiple '
        "cluster spread constraints are not allowed",
    ),
    Wrong(
        "spread by region alone",
        lambda lab: lab.apply(placed(spreadConstraints=[{"spreadByField": "region"}])),
        Denied,
        'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: '
        'spec.placement.spreadConstraints: Invalid value: [{"spreadByField":"region","minGroups":1}]: the '
        "cluster spread constraint must be enabled in one of the constraints in case of SpreadByField is "
        "enabled",
    ),
    Wrong(
        "spread by planet",
        lambda lab: lab.apply(placed(spreadConstraints=[{"spreadByField": "planet"}])),
        Invalid,
        "PropagationPolicy default/web: spec.placement.spreadConstraints[0].spreadByField: Unsupported value:"
        ' "planet": supported values: "cluster", "region", "zone", "provider"',
    ),
    Wrong(
        "one affinity and several",
        lambda lab: lab.apply(
            placed(clusterAffinity={"clusterNames": ["a"]}, clusterAffinities=[{"affinityName": "x"}])
        ),
        Denied,
        'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: '
        'spec.placement: Invalid value: {"clusterAffinity":{"clusterNames":["a"]},"clusterAffinities":[{"affi'
        'nityName":"x"}],"clusterTolerations":[{"key":"cluster.karmada.io/not-ready","operator":"Exists","eff'
        'ect":"NoExecute","tolerationSeconds":300},{"key":"cluster.karmada.io/unreachable","operator":"Exists'
        '","effect":"NoExecute","tolerationSeconds":300}]}: clusterAffinities cannot co-exist with '
        "clusterAffinity",
    ),
    Wrong(
        "two affinities of one name",
        lambda lab: lab.apply(placed(clusterAffinities=[{"affinityName": "x"}, {"affinityName": "x"}])),
        Denied,
        'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: '
        'spec.placement.clusterAffinities: Invalid value: [{"affinityName":"x"},{"affinityName":"x"}]: each '
        "affinity term in a policy must have a unique name",
    ),
    Wrong(
        "a field that no cluster has",
        lambda lab: lab.apply(
            placed(
                clusterAffinity={
                    "fieldSelector": {"matchExpressions": [{"key": "colour", "operator": "In", "values": ["red"]}]}
                }
            )
        ),
        Denied,
        'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: '
        "spec.placement.clusterAffinity.fieldSelector: Invalid value: "
        '{"matchExpressions":[{"key":"colour","operator":"In","values":["red"]}]}: unsupported key "colour", '
        "must be provider, region, or zone",
    ),
    Wrong(
        "an unknown kind of scheduling",
        lambda lab: lab.apply(placed(replicaScheduling={"replicaSchedulingType": "Doubled"})),
        Invalid,
        "PropagationPolicy default/web: spec.placement.replicaScheduling.replicaSchedulingType: Unsupported "
        'value: "Doubled": supported values: "Duplicated", "Divided"',
    ),
    Wrong(
        "a weight of zero",
        lambda lab: lab.apply(
            placed(
                replicaScheduling={
                    "replicaSchedulingType": "Divided",
                    "weightPreference": {"staticWeightList": [{"targetCluster": {}, "weight": 0}]},
                }
            )
        ),
        Invalid,
        "PropagationPolicy default/web: "
        "spec.placement.replicaScheduling.weightPreference.staticWeightList[0].weight: Invalid value: 0: "
        "spec.placement.replicaScheduling.weightPreference.staticWeightList[0].weight in body should be "
        "greater than or equal to 1",
    ),
    Wrong(
        "a toleration in minutes",
        lambda lab: lab.apply(
            placed(clusterTolerations=[{"key": "a", "operator": "Exists", "tolerationSeconds": "5m"}])
        ),
        Invalid,
        "PropagationPolicy default/web: spec.placement.clusterTolerations[0].tolerationSeconds: expected a "
        "whole number, got text (json: cannot unmarshal string into Go struct field "
        "Toleration.spec.placement.clusterTolerations.tolerationSeconds of type int64)",
    ),
    Wrong(
        "another scheduler afterwards",
        lambda lab: lab.apply(with_policy(schedulerName="other")),
        Forbidden,
        'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: '
        "the schedulerName should not be updated",
    ),
    Wrong(
        "failover without dependencies and with negative patience",
        lambda lab: lab.apply(with_policy(failover={"application": {"decisionConditions": {"tolerationSeconds": -5}}})),
        Denied,
        'PropagationPolicy default/web: admission webhook "propagationpolicy.karmada.io" denied the request: '
        "[spec.propagateDeps: Invalid value: false: application failover is set, propagateDeps must be true, "
        "spec.failover.application.decisionConditions.tolerationSeconds: Invalid value: -5: must be greater "
        "than or equal to 0]",
    ),
]
