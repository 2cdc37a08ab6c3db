"""A Ray cluster of three nodes on this machine, one of which can be lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

NODE = {"num_cpus": 1, "object_store_memory": 100 << 20}


@dataclass
class SmallCluster:
    """A running cluster; `nodes` are those that can be removed."""

    cluster: Any
    nodes: list[Any]

    @property
    def address(self) -> str:
        return self.cluster.address

    def lose_node(self) -> None:
        """Stop one node, unless one was stopped before."""
        if len(self.nodes) == 2:
            self.cluster.remove_node(self.nodes.pop())

    @property
    def lost(self) -> bool:
        return len(self.nodes) == 1


@contextmanager
def small_cluster() -> Iterator[SmallCluster]:
    """Start a head and two nodes with a CPU each, and stop them afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_worker_niceness", "0")
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
        try:
            nodes = [cluster.add_node(**NODE) for _ in range(2)]
            cluster.wait_for_nodes()
            yield SmallCluster(cluster, nodes)
        finally:
            cluster.shutdown()
