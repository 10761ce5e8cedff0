"""A host, a node and a pod as network namespaces, and a measure that is taken in the node and undone again.

Run as a program inside `unshare --net --mount`, so that nothing of it outlives the process. Its argument is JSON: the
measure's two commands, and probes as (from, address, port). It prints what each probe met before, with the measure and
after; how many of 500 datagrams arrived; what happened to an open connection; and whether all rules and queues are as
they were again, a bystander's rule among them.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time

HOST, NODE, POD, KARMADA = "172.18.0.1", "172.18.0.2", "10.244.0.5", 6444
PORTS = {"host": (KARMADA, 5000), "node": (6443,)}
SENT = 500
BYSTANDER = "iptables -A INPUT -p tcp --dport 6443 -m comment --comment mine -j ACCEPT"

ROOMS = f"""
mount -t tmpfs none /run
ip netns add node
ip netns add pod
ip link set lo up
ip -n node link set lo up
ip link add veth0 type veth peer name eth0 netns node
ip addr add {HOST}/16 dev veth0
ip link set veth0 up
ip -n node addr add {NODE}/16 dev eth0
ip -n node link set eth0 up
ip -n node link add pods type veth peer name eth0 netns pod
ip -n node addr add 10.244.0.1/24 dev pods
ip -n node link set pods up
ip -n pod addr add {POD}/24 dev eth0
ip -n pod link set eth0 up
ip -n pod route add default via 10.244.0.1
ip netns exec node sysctl -q -w net.ipv4.ip_forward=1
ip route add 10.244.0.0/24 via {NODE}
ip netns exec node {BYSTANDER}
"""

SERVE = """
import socket, sys, threading
def echo(connection):
    while data := connection.recv(100):
        connection.sendall(data)
def listen(port):
    server = socket.create_server(("", port))
    print("up", flush=True)
    while True:
        threading.Thread(target=echo, args=(server.accept()[0],), daemon=True).start()
for port in sys.argv[1:]:
    threading.Thread(target=listen, args=(int(port),)).start()
"""
KNOCK = """
import socket, sys, time
began = time.monotonic()
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=1.0).close()
    print("open", time.monotonic() - began)
except OSError as error:
    print(type(error).__name__, time.monotonic() - began)
"""
POUR = f"""
import socket, time
pipe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range({SENT}):
    pipe.sendto(b"x", ("{HOST}", 9999))
    time.sleep(0.001)
"""


def inside(room: str, *words: str) -> list[str]:
    return list(words) if room == "host" else ["ip", "netns", "exec", room, *words]


def said(room: str, *words: str) -> str:
    return subprocess.run(inside(room, *words), capture_output=True, text=True, check=True).stdout


def python(room: str, script: str, *words: str) -> list[str]:
    return inside(room, sys.executable, "-SE", "-c", script, *words)


def knocked(probes: list[list[str]]) -> list[list[object]]:
    """What each probe met, and after how many seconds."""
    met: list[list[object]] = []
    for room, *where in probes:
        result, seconds = subprocess.run(
            python(room, KNOCK, *where), capture_output=True, text=True, check=True
        ).stdout.split()
        met.append([result, float(seconds)])
    return met


def arrived() -> int:
    """How many of the node's datagrams reach the host, read as they come: a buffer would lose some of them, too."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as pipe:
        pipe.bind((HOST, 9999))
        pipe.settimeout(1.0)
        count = 0
        with subprocess.Popen(python("node", POUR)) as pouring:
            while True:
                try:
                    pipe.recv(10)
                    count += 1
                except TimeoutError:
                    if pouring.poll() is not None:
                        return count


def state() -> list[str]:
    """All that a measure could leave in a node's network: filter rules and queues."""
    return [said("node", "iptables", "-S"), said("node", "tc", "qdisc", "show", "dev", "eth0")]


def echoes(connection: socket.socket) -> str:
    """Whether an open connection still carries something."""
    try:
        connection.sendall(b"x")
        return "carries" if connection.recv(10) else "ended"
    except OSError as error:
        return type(error).__name__


def main() -> None:
    do, undo, probes = json.loads(sys.argv[1])
    for line in ROOMS.strip().splitlines():
        subprocess.run(line.split(), check=True)
    servers = [
        subprocess.Popen(python(room, SERVE, *map(str, ports)), stdout=subprocess.PIPE) for room, ports in PORTS.items()
    ]
    try:
        for server, ports in zip(servers, PORTS.values(), strict=True):
            for _ in ports:
                server.stdout.readline()
        before = state()
        with socket.create_connection((NODE, 6443), timeout=1.0) as connection:
            found = {"before": knocked(probes), "open connection before": echoes(connection)}
            subprocess.run(inside("node", *do), check=True)
            found |= {"during": knocked(probes), "open connection": echoes(connection), "changed": state() != before}
            found["arrived"] = arrived()
            subprocess.run(inside("node", *undo), check=True)
            time.sleep(0.3)
        found |= {"after": knocked(probes), "as before": state() == before}
        again = subprocess.run(inside("node", *undo), capture_output=True, text=True, check=False)
        print(json.dumps({**found, "undone twice": again.stderr}))
    finally:
        for server in servers:
            server.kill()


if __name__ == "__main__":
    main()
