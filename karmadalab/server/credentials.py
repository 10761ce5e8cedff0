"""A token, a certificate and the kubeconfig that holds both.

TLS is no luxury here: kubectl sends a token only over TLS. Each server makes a certificate of its own for the loopback
address when it starts; the kubeconfig brings it along, so nothing needs to be trusted beyond that file. The file is
readable by its owner alone and lies in the lab's own folder, never in `~/.kube`.
"""

from __future__ import annotations

import base64
import datetime
import ipaddress
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from karmadalab.core.clock import real_time
from karmadalab.core.view import to_yaml

_DAYS = 30


class Certificate(NamedTuple):
    """A self-signed certificate and its key, as PEM."""

    certificate: bytes
    key: bytes


def make_certificate(*hosts: str) -> Certificate:
    """A certificate for addresses of this machine, and names that others have for it; empty ones don't count.

    Raises:
        ImportError: the `server` extra is not installed.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "karmadalab")])
    now = datetime.datetime.fromtimestamp(real_time(), datetime.UTC)
    alternatives = [x509.DNSName("localhost"), *(_alternative(x509, host) for host in dict.fromkeys(hosts) if host)]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=5))
        .not_valid_after(now + datetime.timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(x509), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return Certificate(certificate.public_bytes(serialization.Encoding.PEM), private)


def _alternative(x509: Any, host: str) -> Any:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _usage(x509: Any) -> Any:
    names = (
        "content_commitment",
        "key_encipherment",
        "data_encipherment",
        "key_agreement",
        "crl_sign",
        "encipher_only",
        "decipher_only",
    )
    return x509.KeyUsage(digital_signature=True, key_cert_sign=True, **dict.fromkeys(names, False))


def kubeconfig(servers: Mapping[str, str], certificate: bytes, token: str) -> dict[str, Any]:
    """A kubeconfig with a context for each server; the first is the current one.

    Args:
        servers: context name -> address.
        certificate: whom to trust, as PEM.
        token: what to bring.
    """
    trusted = base64.b64encode(certificate).decode()
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": next(iter(servers)),
        "clusters": [
            {"name": name, "cluster": {"server": address, "certificate-authority-data": trusted}}
            for name, address in servers.items()
        ],
        "users": [{"name": "karmadalab", "user": {"token": token}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": "karmadalab"}} for name in servers],
    }


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, at once in full."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
    partial.replace(path)


def write_kubeconfig(path: Path, config: dict[str, Any]) -> None:
    """Write a kubeconfig with mode 0600."""
    write_private(path, to_yaml(config).encode())
