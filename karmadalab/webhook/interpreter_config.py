"""ResourceInterpreterWebhookConfiguration: names, operations, and an address that can be called."""

from __future__ import annotations

from karmadalab.api.config import (
    ResourceInterpreterWebhook,
    ResourceInterpreterWebhookConfiguration,
    RuleWithOperations,
    WebhookClientConfig,
)
from karmadalab.webhook.rules import (
    Errors,
    check_dns_label,
    check_subdomain,
    duplicate,
    invalid,
    invalid_each,
    not_supported,
    required,
)
from karmadalab.webhook.urls import UrlError, not_an_address, parse_url

_OPERATIONS = (
    "*",
    "AggregateStatus",
    "InterpretDependency",
    "InterpretHealth",
    "InterpretReplica",
    "InterpretStatus",
    "Retain",
    "ReviseReplica",
)
_CONTEXT_VERSION = "v1alpha1"
_URL_FORM = "; desired format: https://host[/path]"


def validate_interpreter_webhooks(config: ResourceInterpreterWebhookConfiguration, components: bool) -> Errors:
    """Each webhook, and that their names differ.

    Args:
        config: what was written.
        components: whether the release knows the operation `InterpretComponent`, as v1.18 does.
    """
    operations = (*_OPERATIONS, "InterpretComponent") if components else _OPERATIONS
    errors: Errors = []
    names: set[str] = set()
    for index, webhook in enumerate(config.webhooks):
        path = f"webhooks[{index}]"
        errors += _validate_webhook(webhook, path, tuple(sorted(operations)))
        if webhook.name in names:
            errors.append(duplicate(f"{path}.name", webhook.name))
        names.add(webhook.name)
    return errors


def _validate_webhook(webhook: ResourceInterpreterWebhook, path: str, operations: tuple[str, ...]) -> Errors:
    errors = _validate_name(webhook.name, f"{path}.name")
    for index, rule in enumerate(webhook.rules):
        errors += _validate_rule(rule, f"{path}.rules[{index}]", operations)
    timeout = webhook.timeoutSeconds
    if timeout is not None and not 1 <= timeout <= 30:
        detail = "the timeout value must be between 1 and 30 seconds"
        errors.append(invalid(f"{path}.timeoutSeconds", timeout, detail))
    errors += _validate_client(webhook.clientConfig, f"{path}.clientConfig")
    return errors + _validate_versions(webhook.interpreterContextVersions, f"{path}.interpreterContextVersions")


def _validate_name(name: str, path: str) -> Errors:
    if not name:
        return [required(path)]
    errors = invalid_each(path, name, check_subdomain(name.removesuffix(".")))
    if not errors and "." not in name:
        errors.append(invalid(path, name, "should be a domain with at least two segments separated by dots"))
    return errors


def _validate_rule(rule: RuleWithOperations, path: str, known: tuple[str, ...]) -> Errors:
    errors: Errors = []
    if not rule.operations:
        errors.append(required(f"{path}.operations"))
    if len(rule.operations) > 1 and "*" in rule.operations:
        detail = "if '*' is present, must not specify other operations"
        errors.append(invalid(f"{path}.operations", rule.operations, detail))
    for index, operation in enumerate(rule.operations):
        if operation not in known:
            errors.append(not_supported(f"{path}.operations[{index}]", operation, known))
    for field, values in (("apiGroups", rule.apiGroups), ("apiVersions", rule.apiVersions), ("kinds", rule.kinds)):
        if not values:
            errors.append(required(f"{path}.{field}"))
        elif len(values) > 1 and "*" in values:
            detail = f"if '*' is present, must not specify other {field}"
            errors.append(invalid(f"{path}.{field}", values, detail))
    return errors


def _validate_client(client: WebhookClientConfig, path: str) -> Errors:
    if (client.url is None) == (client.service is None):
        return [required(path, "exactly one of url or service is required")]
    if client.url is not None:
        return _validate_url(client.url, f"{path}.url")
    service = client.service
    errors: Errors = []
    if service is not None and not service.name:
        errors.append(required(f"{path}.service.name", "service name is required"))
    if service is not None and not service.namespace:
        errors.append(required(f"{path}.service.namespace", "service namespace is required"))
    return errors


def _validate_url(text: str, path: str) -> Errors:
    try:
        url = parse_url(text)
    except UrlError as error:
        return [required(path, f"url must be a valid URL: {error}{_URL_FORM}")]
    errors: Errors = []
    if url.scheme != "https":
        errors.append(invalid(path, url.scheme, f"'https' is the only allowed URL scheme{_URL_FORM}"))
    if not url.host:
        errors.append(invalid(path, url.host, f"host must be specified{_URL_FORM}"))
    return errors + not_an_address(url, path)


def _validate_versions(versions: tuple[str, ...], path: str) -> Errors:
    if not versions:
        return [required(path, f"must specify one of {_CONTEXT_VERSION}")]
    errors: Errors = []
    for index, version in enumerate(versions):
        errors += invalid_each(f"{path}[{index}]", version, check_dns_label(version))
    if _CONTEXT_VERSION not in versions:
        errors.append(invalid(path, versions, f"must include at least one of {_CONTEXT_VERSION}"))
    return errors
