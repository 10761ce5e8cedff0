"""Resource models: size classes of nodes, by which the scheduler counts how many large pods a cluster still takes."""

from __future__ import annotations

from karmadalab.api.cluster import ResourceModel, ResourceModelRange
from karmadalab.api.meta import replace
from karmadalab.webhook.rules import Errors, invalid

Models = tuple[ResourceModel, ...]

MAX_INT64 = "9223372036854775807"
_ZERO = "0"

_CPU_STEPS = ("0", "1", "2", "4", "8", "16", "32", "64", "128", MAX_INT64)
_MEMORY_STEPS = ("0", "4Gi", "16Gi", "32Gi", "64Gi", "128Gi", "256Gi", "512Gi", "1Ti", MAX_INT64)

# The nine grades that a cluster gets when its owner names none.
DEFAULT_MODELS: Models = tuple(
    ResourceModel(
        grade,
        (
            ResourceModelRange("cpu", _CPU_STEPS[grade], _CPU_STEPS[grade + 1]),
            ResourceModelRange("memory", _MEMORY_STEPS[grade], _MEMORY_STEPS[grade + 1]),
        ),
    )
    for grade in range(9)
)


def standardized(models: Models) -> Models:
    """`StandardizeClusterResourceModels`: sorted by grade; the first starts at zero, the last has no end."""
    first, *rest = sorted(models, key=lambda model: model.grade)
    models = (replace(first, ranges=tuple(replace(r, min=_ZERO) for r in first.ranges)), *rest)
    last = models[-1]
    return (*models[:-1], replace(last, ranges=tuple(replace(r, max=MAX_INT64) for r in last.ranges)))


def validate_models(models: Models) -> Errors:
    """`ValidateClusterResourceModels`: stops at the first broken rule."""
    for before, model in zip((None, *models), models, strict=False):
        detail = _broken_rule(before, model)
        if detail:
            return [invalid("spec.resourceModels", models, detail)]
    return []


def _broken_rule(before: ResourceModel | None, model: ResourceModel) -> str:
    if before is None:
        return ""
    if before.grade == model.grade:
        return "The grade of each models should not be the same"
    if len(before.ranges) != len(model.ranges):
        return "The number of resource types should be the same"
    for lower, upper in zip(before.ranges, model.ranges, strict=True):
        if lower.name != upper.name:
            return "The resource types of each models should be the same"
        if str(lower.max) != str(upper.min):  # Karmada compares how a quantity is written, not how large it is
            return "Model intervals for resources must be contiguous and non-overlapping"
    return ""
