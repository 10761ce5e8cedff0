"""The names Karmada generates. They appear in every `kubectl get work`, so they are Karmada's to the letter."""

from __future__ import annotations

_SAFE = "bcdfghjklmnpqrstvwxz2456789"


def _fnv32a(text: str) -> int:
    value = 0x811C9DC5
    for byte in text.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def safe_encode(text: str) -> str:
    """`rand.SafeEncodeString`: no vowels, so that no word appears by chance."""
    return "".join(_SAFE[ord(char) % len(_SAFE)] for char in text)


def hashed(text: str) -> str:
    """FNV-1a of the text in decimal, made safe.

    >>> hashed("default-nginx-deployment")
    '687f7fb96f'
    """
    return safe_encode(str(_fnv32a(text)))


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
