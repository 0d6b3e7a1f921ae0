"""Indexing behind the answers: one process at a time, ended with the bridge."""

import os
import subprocess
import sys
import threading

import pytest

from clawa_search.pi.catch_up import CatchUp
from tests.builders import Home, user


@pytest.fixture
def home(tmp_path):
    made = Home(tmp_path)
    yield made
    made.close()


def test_catching_up_runs_one_process_at_a_time_and_takes_all_folders(tmp_path):
    log = tmp_path / "log"
    script = "import sys; open(sys.argv[1], 'a').write(' '.join(sys.argv[2:]) + '\\n')"
    catch_up = CatchUp((sys.executable, "-c", script, str(log)))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        assert catch_up.request(str(tmp_path / name), "/index")
    assert catch_up.request(str(tmp_path / "a"), "/other")
    assert not catch_up.request("", "/index")
    assert not catch_up.request(str(tmp_path / "missing"), "/index")
    catch_up.close(20)
    runs = [line.split() for line in log.read_text().splitlines()]
    told = {(index, name) for index, *names in runs for name in names}
    both = {("/index", str(tmp_path / name)) for name in ("a", "b")}
    assert told == both | {("/other", str(tmp_path / "a"))}
    assert not catch_up.request(str(tmp_path), "/index")


def test_closing_ends_a_run_that_takes_too_long(tmp_path):
    catch_up = CatchUp((sys.executable, "-c", "import time; time.sleep(60)"))
    catch_up.request(str(tmp_path), "/index")
    catch_up.close(0.1)
    assert not [one for one in threading.enumerate() if one.name == "catch-up"]


def test_a_command_that_cannot_start_is_no_error(tmp_path):
    catch_up = CatchUp((str(tmp_path / "nothing"),))
    catch_up.request(str(tmp_path), "/index")
    catch_up.close(5)


def test_what_lies_below_the_folder_of_a_session_is_not_indexed(home):
    home.write("a.jsonl", user("tea"))
    home.write("deep/er/b.jsonl", user("coffee"))
    folders = [home.recall.places.index_dir, str(home.sessions)]
    command = [sys.executable, "-P", "-m", "clawa_search.pi.catch_up", *folders]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:  # its lifeline
        assert process.wait(60) == 0
    catalog = home.recall.open_catalog()
    assert catalog is not None
    assert [os.path.basename(path) for path in catalog.told()] == ["a.jsonl"]
    assert catalog.roots() == []
