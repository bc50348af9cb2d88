"""The studio over its protocol: what a page gets, and what nobody else does."""

import json
import zipfile

import pytest
from studio.serving import Studio
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import dovetail as dv


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Stands for the page, so that these tests need no Node."""
    place = tmp_path_factory.mktemp("site")
    (place / "index.html").write_text("<title>studio</title>")
    (place / "assets").mkdir()
    (place / "assets" / "a.js").write_text("1")
    (place / "secret.txt").write_text("not for you")
    return place


@pytest.fixture
def studio(folder, site):
    made = Studio(folder / "oscillator.yaml", site)
    yield made
    said = made.end()
    assert "Traceback" not in said, said


def test_the_page_edits_and_every_other_page_sees_it(studio, folder):
    with studio.page() as one, studio.page() as two:
        assert one.shown["drawing"]["file"] == "oscillator.yaml"
        assert one.shown["check"]["ok"]
        one.do(do="set", name="mass.m", value="3")
        while two.shown["drawing"]["saved"]:
            two.take()
        assert two.ask("inspect", part="mass")["answer"]["parameters"][0]["name"]
        assert two.shown["drawing"]["undo"] == "set"
        refused = two.ask("edit", command={"do": "remove", "parts": ["ghost"]})
        assert refused["problems"] == [{"where": "ghost", "what": "there is no part 'ghost'."}]
        two.ask("undo")
        assert two.shown["drawing"]["saved"]
        two.do(do="remove", wires=["mass.force"])
        (problem,) = two.shown["check"]["problems"]
        assert (problem["part"], problem["variable"]) == ("mass", "force")
        assert two.ask("targets", end="spring.force")["answer"]["mass.force"] == ""
        assert two.ask("save")["answer"]["notes"] == []
        assert "mass.force" not in (folder / "oscillator.yaml").read_text()


def test_nobody_comes_in_without_the_token_the_right_host_and_the_right_origin(studio):
    status, body, headers = studio.request("GET", "/")
    assert (status, body) == (200, b"<title>studio</title>")
    rules = headers["Content-Security-Policy"]
    assert "default-src 'none'" in rules and "'unsafe" not in rules
    assert "frame-ancestors 'none'" in rules
    assert studio.request("POST", "/session", b"wrong")[0] == 403
    assert studio.request("POST", "/session", b"x" * 5000)[0] == 403
    token = studio.token.encode()
    for wrong in (
        {"host": "evil.example"}, {"host": f"evil.example:{studio.port}"}, {"host": "127.0.0.1"},
        {"origin": "http://evil.example"}, {"origin": "null"}, {"origin": ""},
        {"origin": f"https://127.0.0.1:{studio.port}"},
    ):  # fmt: skip
        assert studio.request("POST", "/session", token, **wrong)[0] == 403, wrong
    assert studio.request("GET", "/", origin="http://evil.example")[0] == 403
    assert studio.request("POST", "/upload?name=a.csv", b"time,y\n0,1\n")[0] == 403
    where = f"ws://127.0.0.1:{studio.port}/talk"
    for origin, cookie in (
        (studio.address, "dovetail_studio=1"), (studio.address, ""),
        (studio.address, f"dovetail_studio_{studio.port}=guess"),
    ):  # fmt: skip
        with pytest.raises(InvalidStatus):
            connect(where, origin=origin, additional_headers={"Cookie": cookie})
    studio.enter()
    for origin in ("http://evil.example", None):
        with pytest.raises(InvalidStatus):
            connect(where, origin=origin, additional_headers={"Cookie": studio.cookie})
    _, _, headers = studio.request("POST", "/session", token)
    flags = headers["Set-Cookie"].lower()
    assert "httponly" in flags and "samesite=strict" in flags


def test_paths_lead_nowhere_but_to_the_page_and_into_the_folder(studio, folder):
    studio.enter()
    for path in (
        "/../secret.txt", "/secret.txt", "/assets/../secret.txt", "/assets/..%2fsecret.txt",
        "/assets/%2e%2e/secret.txt", "/assets//etc/passwd", "/%00", "/assets/a.js%00.txt",
    ):  # fmt: skip
        status, body, _ = studio.request("GET", path)
        assert status in (400, 404) and b"not for you" not in body and b"root:" not in body, path
    assert studio.request("GET", "/assets/a.js")[0] == 200
    with studio.page() as page:
        for name in ("../x.yaml", "/etc/passwd", "..", "a/../../b.yaml", "~/x.yaml", "\0", "", 3):
            assert "problems" in page.ask("open", name=name), name
            assert "problems" in page.ask("save", name=name), name
            assert "problems" in page.ask("write", file=name, text="1"), name
    status, _, _ = studio.request("POST", "/upload?name=../../evil.csv", b"time,y\n0,1\n1,2\n")
    assert status == 200
    assert (folder / "evil.csv").exists(), "a name is only a name"
    assert not (folder.parent / "evil.csv").exists()


def test_uploads_are_looked_into_before_they_are_kept(studio, folder, archive, tmp_path):
    studio.enter()
    bomb = tmp_path / "bomb.fmu"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("modelDescription.xml", b"<x/>")
        for k in range(8):
            file.writestr(f"resources/{k}", b"\0" * (128 * 2**20))
    slip = tmp_path / "slip.ssp"
    with zipfile.ZipFile(slip, "w") as file:
        file.writestr("../../evil", b"x")
    for name, data in (
        ("bomb.fmu", bomb.read_bytes()), ("slip.ssp", slip.read_bytes()),
        ("text.fmu", b"not a zip"), ("page.html", b"<script>"), (".hidden", b""),
        ("binary.csv", bytes(range(256))),
    ):  # fmt: skip
        status, body, _ = studio.request("POST", f"/upload?name={name}", data)
        assert status == 400, name
        assert json.loads(body)["problem"].endswith(
            tuple("abcdefghijklmnopqrstuvwxyz').0123456789")
        )
    assert {p.name for p in folder.iterdir() if p.name[0] != "."} == {
        "models.py",
        "oscillator.yaml",
    }
    status, _, _ = studio.request("POST", "/upload?name=a.fmu", archive("linear", 2).read_bytes())
    assert status == 200
    with studio.page() as page:
        assert "a.fmu" in [o["model"] for o in page.ask("library")["answer"]["offers"]]
        page.do(do="add", name="a", model="a.fmu")


def test_ten_thousand_malformed_messages_change_nothing_and_harm_nobody(studio):
    nonsense = (
        "", "{", "[]", "null", "7", '"x"', '{"id": 1}', '{"id": [], "ask": 3}', "{}" * 50,
        '{"id": 2, "ask": "edit"}', '{"id": 3, "ask": "edit", "with": {"command": 5}}',
        '{"id": 4, "ask": "__init__", "with": {}}', '{"id": 5, "ask": "close", "with": {}}',
        '{"id": 6, "ask": "steer", "with": {"run": {}, "what": "go"}}', "[" * 500,
        '{"id": 7, "ask": "watch", "with": {"run": 9, "names": [1]}}', '{"seen": {}}',
        '{"id": 8, "ask": "edit", "with": {"command": {"do": "move", "places": {"mass": [1]}}}}',
    )  # fmt: skip
    with studio.page() as page:
        before = page.shown["drawing"]
        for _ in range(10):  # as many as a page may leave waiting, ten times; each is answered
            for k in range(1000):
                page.link.send(nonsense[k % len(nonsense)])
            page.ask("runs")
        page.link.send(b"\0\1\2")
        assert page.ask("runs")["answer"] == []
        assert page.shown["drawing"] == before
        with pytest.raises(ConnectionClosed):  # larger than any request: this page goes
            page.link.send("x" * 2**22)
            for _ in range(5):
                page.take()
    with studio.page() as page:
        page.do(do="set", name="mass.m", value=3)


def test_a_server_killed_in_the_middle_of_edits_has_lost_none_of_them(folder, site):
    first = Studio(folder / "oscillator.yaml", site)
    with first.page() as page:
        for k in range(20):
            page.do(do="set", name="mass.m", value=2.0 + k)
        page.do(do="move", places={"mass": [400, 300]})
        first.kill()
    again = Studio(folder / "oscillator.yaml", site)
    try:
        name, _, key = first.cookie.partition("=")
        for cookie in (first.cookie, f"{name.rpartition('_')[0]}_{again.port}={key}"):
            status, _, _ = again.request("GET", "/rows?run=1", cookie=cookie)
            assert status == 403, "whoever was in before is out"
        assert again.request("POST", "/session", first.token.encode())[0] == 403
        with again.page() as page:
            drawing = page.shown["drawing"]
            assert not drawing["saved"]
            assert drawing["notes"] == ["21 edits that had not been saved were done again."]
            (mass,) = [b for b in drawing["blocks"] if b["name"] == "mass"]
            assert (mass["x"], mass["y"]) == (400, 300)
            page.ask("undo")
            page.ask("undo")
            (m,) = [p for p in page.ask("inspect", part="mass")["answer"]["parameters"]
                    if p["name"] == "m"]  # fmt: skip
            assert m["value"] == 20.0
    finally:
        again.end()


def test_python_waits_for_the_users_word_and_then_the_file_is_open(folder, site):
    studio = Studio(folder / "oscillator.yaml", site, trusted=False)
    try:
        with studio.page() as page:
            assert page.shown["wanted"] == "oscillator.yaml"
            assert page.shown["drawing"]["blocks"] == []
            found = page.ask("write", file="own.py", text="print(1)")
            assert "only in a folder that you trust" in found["problems"][0]["what"]
            assert page.ask("open", name="oscillator.yaml")["kind"] == "trust"
            page.ask("trust")
            assert len(page.shown["drawing"]["blocks"]) == 2
    finally:
        studio.end()


def test_all_rows_of_a_run_come_as_csv_and_only_to_who_is_known(studio, folder):
    with studio.page() as page:
        page.do(do="settings", run={"stop": 1.0, "step": 1e-3})
        number = page.ask("run")["answer"]["number"]
        assert page.until_over(number)["state"] == "finished"
    way = f"/rows?run={number}&name=mass.x&name=spring.force&name=ghost"
    status, body, headers = studio.request("GET", way)
    assert status == 200 and headers["Content-Type"].startswith("text/csv")
    (folder / "all.csv").write_bytes(body)
    rows, kept = dv.read(folder / "all.csv"), dv.read(folder / page.runs[number]["file"])
    assert (rows.time == kept.time).all() and len(rows.time) > 1000
    for name in ("mass.x", "spring.force"):
        assert (rows[name] == kept[name]).all(), "every row, every bit"
    assert body.splitlines()[0] == b"time [s],mass.x [m],spring.force [N]"
    _, body, _ = studio.request("GET", way + "&begin=0.5&end=0.6")
    times = [float(line.split(b",")[0]) for line in body.splitlines()[1:]]
    assert times[0] >= 0.5 and times[-1] <= 0.6 and len(times) >= 99
    for wrong in ("/rows", "/rows?run=x", "/rows?run=1&begin=nan", "/rows?run=1&end=soon"):
        assert studio.request("GET", wrong)[0] == 400
    for wrong in ("/rows?run=99&name=mass.x", f"/rows?run={number}&name=ghost"):
        assert studio.request("GET", wrong)[0] == 404
    assert studio.request("GET", way, cookie="")[0] == 403
    assert studio.request("GET", way, origin="http://elsewhere.test")[0] == 403
