"""Part servers in the library of the studio: listed, placed, run, and kept in the file."""

import json
import stat

import pytest
from machines import certificates, mass, offered, serving, spring

import dovetail as dv
from dovetail.machines.access import Access
from dovetail.studio.desk import Desk
from dovetail.studio.folder import WorkFolder
from dovetail.studio.questions import QUESTIONS
from dovetail.studio.servers import KEPT

PATIENCE = 60  # s
TOKEN = "a-token-of-some-length-0123456789"


@pytest.fixture
def desk(tmp_path):
    made = Desk(WorkFolder.of(tmp_path), is_trusted=False, told=lambda run: None)
    yield made
    made.close()


def do(desk, **command):
    desk.ask("edit", {"command": command})


def test_parts_of_two_servers_are_placed_wired_run_and_saved(desk, tmp_path):
    with (
        serving(offered(mass(), "mass")) as (one, _),
        serving(offered(spring(), "spring")) as (
            two,
            _,
        ),
    ):
        for address in (one, two):
            QUESTIONS["add_server"](desk, address)
        found = {s["address"]: s for s in QUESTIONS["servers"](desk)}
        assert [p["name"] for p in found[one]["parts"]] == ["mass"]
        assert [p["name"] for p in QUESTIONS["servers"](desk, search="spr")[0]["parts"]] == []
        for server in found.values():
            for part in server["parts"]:
                do(desk, do="add", name=part["name"], model=part["model"], options={})
        do(desk, do="connect", source="mass.x", target="spring.x")
        do(desk, do="connect", source="spring.force", target="mass.force")
        do(desk, do="settings", run={"stop": 0.5, "step": 0.1})
        number = desk.ask("run", {"verify": False})[0]["number"]
        run = desk.runs[number]
        assert run.ready.wait(PATIENCE) and run.state == "finished", run.facts
        desk.ask("save", {"name": "far.yaml"})
        same = dv.simulate(tmp_path / "far.yaml", quiet=True, verify=False)
        assert (dv.read(run.path)["mass.x"] == same["mass.x"]).all()
        assert f"{one}/mass" in (tmp_path / "far.yaml").read_text()
        again = Desk(WorkFolder.of(tmp_path), is_trusted=False, told=lambda run: None)
        assert set(again.servers.known()) == {one, two}, "they are listed at the next start"
    (gone, _) = QUESTIONS["servers"](desk)
    assert gone["parts"] == [] and gone["problem"]
    QUESTIONS["remove_server"](desk, one)
    assert set(desk.servers.known()) == {two}
    with pytest.raises(dv.OptionError, match="there is no server"):
        QUESTIONS["remove_server"](desk, one)


def test_a_token_is_kept_in_a_file_that_only_its_owner_reads(desk, tmp_path):
    with serving(offered(spring(), "spring"), access=Access(token=TOKEN)) as (address, _):
        QUESTIONS["add_server"](desk, address, token="another-token-of-some-length")
        assert "token" in QUESTIONS["servers"](desk)[0]["problem"]
        QUESTIONS["add_server"](desk, address, token=TOKEN)
        (server,) = QUESTIONS["servers"](desk)
        assert [p["name"] for p in server["parts"]] == ["spring"], server["problem"]
        place = tmp_path / server["access"]["token_file"]
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        assert TOKEN not in (tmp_path / KEPT).read_text()
        do(desk, do="add", name="far", model=server["parts"][0]["model"],
           options=server["access"])  # fmt: skip
        desk.ask("save", {"name": "far.yaml"})
        assert TOKEN not in (tmp_path / "far.yaml").read_text()
        assert dv.open(tmp_path / "far.yaml").parts["far"].description.outputs[0].name == "force"


def test_certificates_of_the_folder_let_one_in_and_no_other_files(desk, tmp_path):
    lab = certificates(tmp_path / "lab")
    side = {n: str(lab / f) for n, f in (("ca", "ca.pem"), ("cert", "server.pem"),
                                         ("key", "server-key.pem"))}  # fmt: skip
    mine = {"ca": "lab/ca.pem", "cert": "lab/client.pem", "key": "lab/client-key.pem"}
    with serving(offered(spring(), "spring"), access=Access(**side)) as (address, _):
        QUESTIONS["add_server"](desk, address)
        assert QUESTIONS["servers"](desk)[0]["problem"], "without a certificate it is refused"
        QUESTIONS["add_server"](desk, address, **mine)
        (server,) = QUESTIONS["servers"](desk)
        assert [p["name"] for p in server["parts"]] == ["spring"], server["problem"]
        do(desk, do="add", name="far", model=server["parts"][0]["model"], options=mine)
        with pytest.raises(dv.DovetailError, match="outside the folder"):
            do(desk, do="add", name="b", model=server["parts"][0]["model"],
               options={"ca": "/etc/hosts"})  # fmt: skip
        with pytest.raises(dv.OptionError, match="not used with 'listen'"):
            do(desk, do="add", name="b", model=server["parts"][0]["model"],
               options={"listen": True})  # fmt: skip


def test_what_is_no_server_is_refused_and_a_damaged_list_is_none(desk, tmp_path):
    for wrong in ("http://x", "dovetail://", "dovetail://a/b", "dovetail://a:99999"):
        with pytest.raises(dv.OptionError):
            QUESTIONS["add_server"](desk, wrong)
    with pytest.raises(dv.FileError, match="is not in the folder"):
        QUESTIONS["add_server"](desk, "dovetail://127.0.0.1:1", ca="no.pem")
    for text in ("{", "7", "[7]", '[{"address": 3}]', '[{"address": "ftp://x"}]'):
        (tmp_path / KEPT).write_text(text)
        assert desk.servers.known() == {}
    (tmp_path / KEPT).write_text(json.dumps([{"address": "dovetail://127.0.0.1:1", "x": "y"}]))
    (server,) = QUESTIONS["servers"](desk)
    assert server["access"] == {} and server["problem"]
