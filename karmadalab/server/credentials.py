"""A token, a certificate and the kubeconfig that holds both.

TLS is no luxury here: kubectl sends a token only over TLS. Each server makes a certificate of its own for the loopback
address when it first starts in a folder; the kubeconfig brings it along, so nothing needs to be trusted beyond that
file. It is readable by its owner alone and lies in the lab's own folder, never in `~/.kube`. Who starts again in the
same folder is found by the same file.
"""

from __future__ import annotations

import base64
import datetime
import ipaddress
import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from karmadalab.api.errors import KarmadalabError
from karmadalab.core.clock import real_time
from karmadalab.core.view import to_yaml
from karmadalab.environments.files import parse_yaml

_DAYS, _DAY_S = 30, 86400.0


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


class Kept(NamedTuple):
    """What a server of the same folder had before this one.

    Args:
        token: what its clients bring.
        port: where they look for it.
        certificate: what they trust.
    """

    token: str
    port: int
    certificate: Certificate


def kept(folder: Path, host: str) -> Kept | None:
    """What clients of this folder's last server, called `host`, know: a control plane that was killed is found again.

    None, if there is nothing, if somebody else can have written it, or if the certificate ends within a day.
    """
    paths = [folder / name for name in ("kubeconfig", "server.crt", "server.key")]
    try:
        if not all(map(_is_ours_alone, paths)):
            return None
        text, certificate, key = (path.read_bytes() for path in paths)
        config = parse_yaml(text.decode(), str(paths[0]))[0]
        address = urlsplit(config["clusters"][0]["cluster"]["server"])
        token = config["users"][0]["user"]["token"]
        if address.hostname != host or not address.port or not token or not _lasts(certificate):
            return None
        return Kept(token, address.port, Certificate(certificate, key))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, KarmadalabError):
        return None  # it is no kubeconfig of ours, or there are no owners here (Windows)


def _is_ours_alone(path: Path) -> bool:
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and not found.st_mode & 0o077 and found.st_uid == os.getuid()


def _lasts(certificate: bytes) -> bool:
    from cryptography import x509

    ends = x509.load_pem_x509_certificate(certificate).not_valid_after_utc.timestamp()
    return ends > real_time() + _DAY_S


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
    """Write a file that only its owner can read, at once in full, under a name that nobody could foresee until then."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:  # mode 0600
        file.write(data)
    Path(file.name).replace(path)


def write_kubeconfig(path: Path, config: dict[str, Any]) -> None:
    """Write a kubeconfig with mode 0600."""
    write_private(path, to_yaml(config).encode())
