"""The names Karmada generates. They appear in every `kubectl get work`, so they are Karmada's to the letter."""

from __future__ import annotations

SAFE = "bcdfghjklmnpqrstvwxz2456789"


def fnv32a(text: str) -> int:
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def safe_encode(text: str) -> str:
    """`rand.SafeEncodeString`: no vowels, so that no word appears by chance."""
    return "".join(SAFE[ord(char) % len(SAFE)] for char in text)


def hashed(text: str) -> str:
    """FNV-1a of the text in decimal, made safe.

    >>> hashed("default-nginx-deployment")
    '687f7fb96f'
    """
    return safe_encode(str(fnv32a(text)))


def binding_name(kind: str, name: str) -> str:
    """The binding of a template.

    >>> binding_name("Deployment", "nginx")
    'nginx-deployment'
    """
    return f"{name.replace(':', '.')}-{kind}".lower()


def work_name(kind: str, name: str, namespace: str = "") -> str:
    """The Work of a template, the same in every execution namespace.

    >>> work_name("Deployment", "nginx", "default")
    'nginx-687f7fb96f'
    """
    plain = name.replace(":", ".").lower()
    key = f"{namespace}-{plain}-{kind}" if namespace else f"{plain}-{kind}"
    return f"{plain}-{hashed(key.lower())}"


def policy_name(namespace: str, name: str, gvk: str) -> str:
    """The policy that `karmadactl promote` makes for an object.

    Args:
        namespace: of the object, empty for a cluster-scoped one.
        name: of the object.
        gvk: its kind as Go prints it, `apps/v1, Kind=Deployment`.

    >>> policy_name("default", "xp", "rbac.authorization.k8s.io/v1, Kind=ClusterRole")
    'xp-5dc8bc456d'
    """
    return f"{name.replace(':', '.')}-{hashed(namespace + gvk)}".lower()


def binding_reference_key(namespace: str, name: str) -> str:
    """The suffix of the `depended-by-` label that an attached binding carries.

    >>> binding_reference_key("default", "xp")
    '597966c679'
    """
    return hashed(namespaced_key(namespace, name))


def namespaced_key(namespace: str, name: str) -> str:
    """`namespace/name`, or the name alone without a namespace."""
    return f"{namespace}/{name}" if namespace else name


def derived_service_name(name: str) -> str:
    """The Service that makes an imported service resolvable.

    >>> derived_service_name("serve")
    'derived-serve'
    """
    return f"derived-{name}"


def endpoint_slice_name(cluster: str, name: str) -> str:
    """An EndpointSlice collected from a cluster, as it is called in the control plane.

    >>> endpoint_slice_name("member1", "serve-abc")
    'imported-member1-serve-abc'
    """
    return f"imported-{cluster}-{name}"


def estimator_name(cluster: str) -> str:
    """The Deployment and Service of a cluster's accurate scheduler estimator."""
    return f"karmada-scheduler-estimator-{cluster}"


def impersonation_secret_name(cluster: str) -> str:
    """The Secret with the token that acts for users in a cluster."""
    return f"{cluster}-impersonator"


def service_account_name(cluster: str) -> str:
    """The account that the control plane has in a member."""
    return f"karmada-{cluster}"


def role_name(service_account: str) -> str:
    """The ClusterRole of that account."""
    return f"karmada-controller-manager:{service_account}"


def is_reserved_namespace(namespace: str) -> bool:
    """Whether Karmada keeps a namespace for itself and never propagates it.

    >>> is_reserved_namespace("karmada-es-member1"), is_reserved_namespace("karmada-s02")
    (True, False)
    """
    return namespace in ("karmada-system", "karmada-cluster") or namespace.startswith("karmada-es-")
