"""What can go wrong between a packet and its answer."""

from __future__ import annotations

from mindloop.store.errors import MindloopError


class HostError(MindloopError):
    """A host gave no answer.

    ``stops_the_run`` tells a driver whether the next packet would meet the same wall.
    """

    stops_the_run = False


class HostMissing(HostError):
    """The host cannot work at all: not installed, too old, not logged in, no way to the model."""

    stops_the_run = True


class HostFailed(HostError):
    """This one call gave no answer; another may."""
