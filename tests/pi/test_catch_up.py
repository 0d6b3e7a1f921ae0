"""Indexing behind the answers: one process at a time, ended with the bridge."""

import sys
import threading

from clawa_search.pi.catch_up import CatchUp


def test_catching_up_runs_one_process_at_a_time_and_takes_all_folders(tmp_path):
    log = tmp_path / "log"
    script = "import sys; open(sys.argv[1], 'a').write(' '.join(sys.argv[2:]) + '\\n')"
    catch_up = CatchUp((sys.executable, "-c", script, str(log)))
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        assert catch_up.request(str(tmp_path / name))
    assert not catch_up.request("")
    assert not catch_up.request(str(tmp_path / "missing"))
    catch_up.close(20)
    assert sorted(log.read_text().split()) == [str(tmp_path / "a"), str(tmp_path / "b")]
    assert not catch_up.request(str(tmp_path))


def test_closing_ends_a_run_that_takes_too_long(tmp_path):
    catch_up = CatchUp((sys.executable, "-c", "import time; time.sleep(60)"))
    catch_up.request(str(tmp_path))
    catch_up.close(0.1)
    assert not [one for one in threading.enumerate() if one.name == "catch-up"]


def test_a_command_that_cannot_start_is_no_error(tmp_path):
    catch_up = CatchUp((str(tmp_path / "nothing"),))
    catch_up.request(str(tmp_path))
    catch_up.close(5)
