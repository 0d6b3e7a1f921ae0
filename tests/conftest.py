"""What all tests share: a fixed course for hypothesis, and no path that leads to a user's files."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    derandomize=True,  # the same examples on each run: a red build is a red build for everybody
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile(  # new examples on each run, as many times more as TEST_SCALE says
    "deep",
    settings.get_profile("ci"),
    derandomize=False,
    max_examples=100 * int(os.environ.get("TEST_SCALE", "1")),
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# A shell without job control starts what it runs in the background deaf to Ctrl-C, and so would
# be every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

OURS = ("CLAWA_", "PI_", "XDG_")


@pytest.fixture(autouse=True)
def nobodys_home(tmp_path_factory, monkeypatch):
    """Give each test a home of its own, so that none can touch a user's files."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(OURS):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("CLAWA_INDEX_DIR", str(home / "index"))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(home / ".pi/agent"))
    return home
