"""config.karmada.io: webhooks that interpret kinds.

The lab calls no webhooks, it only checks these objects as Karmada does; a kind is given meaning by a Python function
(`Interpreter.register`). The Lua sibling, ResourceInterpreterCustomization, is not known at all for the same reason.
"""

from __future__ import annotations

from typing import ClassVar

from karmadalab.api.meta import Data, Resource


class ServiceReference(Data):
    namespace: str = ""
    name: str = ""
    path: str | None = None
    port: int | None = None


class WebhookClientConfig(Data):
    url: str | None = None
    service: ServiceReference | None = None
    caBundle: str = ""


class RuleWithOperations(Data):
    operations: tuple[str, ...] = ()
    apiGroups: tuple[str, ...] = ()
    apiVersions: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()


class ResourceInterpreterWebhook(Data):
    name: str = ""
    clientConfig: WebhookClientConfig = WebhookClientConfig()
    rules: tuple[RuleWithOperations, ...] = ()
    timeoutSeconds: int | None = None
    interpreterContextVersions: tuple[str, ...] = ()


class ResourceInterpreterWebhookConfiguration(Resource, kw_only=True):
    """Which webhook interprets which kinds."""

    GROUP_KIND: ClassVar[str] = "ResourceInterpreterWebhookConfiguration.config.karmada.io"

    apiVersion: str = "config.karmada.io/v1alpha1"
    kind: str = "ResourceInterpreterWebhookConfiguration"
    webhooks: tuple[ResourceInterpreterWebhook, ...] = ()
