import { act } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { edgesOf, nodesOf } from "../src/graph";
import { orderOf } from "../src/BenchmarkFound";
import { settingsOf } from "../src/CompareTab";
import { wantedInputs } from "../src/ConnectTable";
import { piecesOfTime } from "../src/Flame";
import { unpacked } from "../src/link";
import { duration, endOf, freeSpot, number, short, tall } from "../src/names";
import { linesOf } from "../src/Plots";
import { actionsNow, matching } from "../src/actions";
import { broken, rowsAddress } from "../src/saving";
import { typed } from "../src/RunPane";
import { byUnit } from "../src/Story";
import { firstPanels, link, set } from "../src/store";
import { valuesOf } from "../src/StudyTab";
import { pathOf, rangeIn } from "../src/SweepFound";
import type { Drawing, Run, Shown } from "../src/types";
import { Verdict } from "../src/Verdict";
import { wayOf } from "../src/WireEdge";
import { nearest, piecesOf, waysOf } from "../src/wires";
import { pairsOf, rangeOf } from "../src/XYPlot";

vi.mock("uplot", () => ({ default: class {} }));

const pin = (name: string) => ({ name, kind: "signal" as const, linked: true, type: "real", unit: null });
const block = (name: string, x: number, left: string[], right: string[]) => ({
  name, x, y: 0, width: 100, height: 80, cycle: 0, kind: "Dynamic", model: "m.py", left: left.map(pin), right: right.map(pin), hidden: [0, 0] as [number, number],
});
const drawing: Drawing = {
  revision: 1, name: "o", file: "o.yaml", saved: true, trusted: true, undo: "", redo: "", notes: [], marks: [], inside: [], settings: {},
  blocks: [block("mass", 0, ["force"], ["x", "a.b"]), block("spring", 300, ["x"], ["force"])],
  wires: [
    { source: "mass.a.b", target: "spring.x", gain: 2, offset: 0, convert: true, table: [], label: "× 2", cycle: 0 },
    { source: "spring.force", target: "mass.force", gain: 1, offset: 0, convert: true, table: [], label: "", cycle: 0 },
  ],
  bonds: [],
};
const run: Run = {
  number: 1, system: "o", file: "runs/o.csv", state: "finished", settings: {}, rows: 2,
  signals: ["mass.x", "mass.a.b", "spring.force", "mass.force"], units: { "mass.x": "m", "spring.force": "N" },
};

afterEach(() => {
  document.body.innerHTML = "";
});

function rendered(element: React.ReactElement): HTMLElement {
  const home = document.createElement("div");
  document.body.append(home);
  act(() => createRoot(home).render(element));
  return home;
}

describe("a part without a place", () => {
  it("comes into the middle of what is seen, or beside what is there", () => {
    expect(freeSpot({ x: 400, y: 300 }, [])).toEqual({ x: 320, y: 240 });
    const there = { x: 300, y: 200, width: 200, height: 200 };
    const { x, y } = freeSpot({ x: 400, y: 300 }, [there]);
    expect(x + 160 < 300 || x > 500 || y + 120 < 200 || y > 400).toBe(true);
    expect(Math.hypot(x - 320, y - 240)).toBeLessThan(300);
  });
});

describe("numbers on wires", () => {
  it("have three digits and no plus", () => {
    expect([short(1.7654e6), short(-0.04651), short(100), short("on"), short(12345)]).toEqual(["1.77e6", "-0.0465", "100", "on", "1.23e4"]);
  });
});

describe("the drawing", () => {
  it("has a node for each block and an edge for each wire, between the right pins", () => {
    expect(nodesOf(drawing, ["mass"]).map((n) => [n.id, n.selected])).toEqual([["mass", true], ["spring", false]]);
    const [first, second] = edgesOf(drawing, "mass.force", { "mass.a.b": 0.123456 }, "mass.a.b -> spring.x");
    expect([first.sourceHandle, first.targetHandle]).toEqual(["out:a.b", "in:x"]);
    expect(first.className).toContain("weakest");
    expect((first.data as { words: string }).words).toBe("× 2  0.123");
    expect(second.selected).toBe(true);
  });

  it("leads a wire that goes back below both blocks", () => {
    expect(wayOf([0, 0], [300, 0], 80, 0)).toBeNull();
    expect(wayOf([300, 40], [0, 40], 80, 0)).toContain("V88");
  });
});

describe("the wires of a large drawing", () => {
  const ways = waysOf(drawing, new Map(), { "spring.x": "--bad" }, (source, label) => `${source} ${label}`.trim());

  it("begin and end at the pins that they connect", () => {
    expect(ways.map((w) => [w.id, w.points[0], w.points[w.points.length - 1], w.curved])).toEqual([
      ["spring.x", [105, 52.5 + 1.5 * 22.5], [295, 52.5 + 0.5 * 22.5], true],
      ["mass.force", [405, 52.5 + 0.5 * 22.5], [-5, 52.5 + 0.5 * 22.5], false],
    ]);
    expect(ways.map((w) => w.colour)).toEqual(["--bad", "--c0"]);
    expect(ways[0].words).toBe("mass.a.b × 2");
  });

  it("follow a block that is dragged", () => {
    const [first] = waysOf(drawing, new Map([["spring", { x: 500, y: 10 }]]), {}, () => "");
    expect(first.points[3]).toEqual([495, 10 + 52.5 + 0.5 * 22.5]);
  });

  it("are found near the mouse, on their curves and not in the boxes around them", () => {
    const middle = piecesOf(ways[0])[12];
    expect(middle).toEqual([200, 75]);
    expect(nearest(ways, [200, 78], 7)).toBe("spring.x");
    expect(nearest(ways, [130, 66], 7)).toBe(null);
    expect(nearest(ways, [200, 94], 7)).toBe(null);
    const under = ways[1].points[2][1];
    expect(nearest(ways, [200, under + 5], 7)).toBe("mass.force");
  });
});

describe("how a run went", () => {
  it("is a bar of what its parts took and of all else", () => {
    const found = piecesOfTime(10, { a: 2, b: 5 });
    expect(found.map((p) => [p.name, p.share])).toEqual([["b", 0.5], ["a", 0.2], ["coupling and recording", 0.3]]);
    expect(piecesOfTime(1, { a: 2, b: 2 }).map((p) => p.share)).toEqual([0.5, 0.5]); // side by side
  });

  it("draws curves of one unit together", () => {
    const drawn = { times: [0, 1], lines: { a: [1, 2], b: [3, 4], c: [5, 6] }, units: { a: "J", b: "W", c: "J" } };
    expect(byUnit(drawn).map(([unit, one]) => [unit, Object.keys(one.lines)])).toEqual([["J", ["a", "c"]], ["W", ["b"]]]);
  });
});

describe("studies", () => {
  it("take values as they were typed, or a stretch of them", () => {
    expect(valuesOf("1, 2.5 ,x,true")).toEqual([1, 2.5, "x", true]);
    expect(valuesOf("0 to 0.3 in 4")).toEqual([0, 0.1, 0.2, 0.3]);
    for (const none of ["", " , ", "1 to x in 3", "1 to 2 in 1", "1 to 2 in 999"]) expect(valuesOf(none)).toBe(null);
  });

  it("show of each algorithm its best run, the good ones first and then the cheap ones", () => {
    const row = (algorithm: string, seconds: number | string, good: boolean, ranked: boolean) => ({
      algorithm, controller: "", status: "done", error: 0, seconds, evaluations: 1, windows: 1, reason: "", best: false, ranked, good,
    });
    const rows = [row("a", 3, true, true), row("a", 9, true, false), row("b", 1, false, true), row("c", 2, true, true), row("d", "nan", true, true)];
    expect(orderOf(rows, false).map((r) => r.algorithm)).toEqual(["c", "a", "d", "b"]);
    expect(orderOf(rows, true)).toHaveLength(5);
  });

  it("draw all runs of a signal on one scale, with gaps where there is no number", () => {
    const one = { values: {}, status: "done", verdict: "", evaluations: 1, seconds: 1, reason: "" };
    const found = { times: [0, 1, 2], signals: ["x"], rows: [{ ...one, number: 0, lines: { x: [0, 1, null] } }, { ...one, number: 1, lines: { x: [4, null, 2] } }] };
    const range = rangeIn(found, "x");
    expect(range).toEqual([0, 4]);
    expect(pathOf(found.times, found.rows[0].lines.x, range, [100, 40])).toBe("M0.0,40.0L50.0,30.0");
    expect(pathOf(found.times, found.rows[1].lines.x, range, [100, 40])).toBe("M0.0,0.0M100.0,20.0");
  });

  it("say of a run what was set otherwise than in others", () => {
    const other = { ...run, number: 2, settings: { stop: 1, algorithm: { jacobi: {} } } };
    const mine = { ...run, settings: { stop: 1, step: 0.1 } };
    expect(settingsOf(mine, [mine, other])).toBe("step 0.1");
    expect(settingsOf(other, [mine, other])).toBe('algorithm {"jacobi":{}}');
  });
});

describe("the connect table", () => {
  it("is filtered by the input, by what feeds it, and to what is open", () => {
    const inputs = ["mass.force", "spring.x", "b.y"].map((end, k) => ({ end, unit: null, type: "real", fed: k ? null : "spring.force" }));
    const found = (text: string, open: boolean) => wantedInputs(inputs, text, open).map((i) => i.end);
    expect(found("SPRING", false)).toEqual(["mass.force", "spring.x"]);
    expect(found("spring", true)).toEqual(["spring.x"]);
    expect(found("", true)).toEqual(["spring.x", "b.y"]);
  });
});

describe("numbers", () => {
  it("come out of a message as they were put in", () => {
    const head = new TextEncoder().encode(JSON.stringify({ run: 3, names: ["a", "b"], rows: 2 }));
    const size = head.length + ((8 - ((4 + head.length) % 8)) % 8);
    const data = new ArrayBuffer(4 + size + 48);
    new DataView(data).setUint32(0, size, true);
    new Uint8Array(data, 4, size).fill(32);
    new Uint8Array(data, 4, head.length).set(head);
    new Float64Array(data, 4 + size).set([0, 1, 10, 11, 20, 21]);
    const curves = unpacked(data);
    expect([...curves.times]).toEqual([0, 1]);
    expect(curves.lines.map((line) => [...line])).toEqual([[10, 11], [20, 21]]);
    expect(linesOf(["b", "c"], [{ run: { ...run, number: 3 }, curves }]).map((l) => l.label)).toEqual(["b"]);
  });

  it("are written shortly, and names are cut at their first dot", () => {
    expect([number(0.30000000004), number(12), number(1.5e-7), number("on")]).toEqual(["0.3", "12", "1.5e-7", "on"]);
    expect(endOf("mass.a.b")).toEqual(["mass", "a.b"]);
    expect([duration(20), duration(600), duration(7200)]).toEqual(["20 s", "10 min", "2.0 h"]);
  });

  it("that were typed are numbers, options of an algorithm are options, words are words", () => {
    expect([typed("0.5"), typed(""), typed("jacobi")]).toEqual([0.5, undefined, "jacobi"]);
    expect(typed('{"gauss_seidel": 20}')).toEqual({ gauss_seidel: 20 });
  });
});

describe("plots and verdict", () => {
  it("have a range that can be divided, whatever the values are", () => {
    for (const [low, high] of [[1 - 1e-14, 1], [0, 0], [5, 5], [null, null], [0, Infinity], [-1e-310, 1e-310]] as const) {
      const [from, to] = tall(low, high);
      expect(to - from).toBeGreaterThan(1e-10 * Math.max(Math.abs(from), Math.abs(to)));
    }
    expect(tall(0, 100)).toEqual([-6, 106]);
  });

  it("over another signal take both from the same rows, run by run", () => {
    const curves = { run: 1, names: ["a", "b"], times: new Float64Array(2), lines: [new Float64Array([1, NaN]), new Float64Array([3, 4])] };
    const shown = [{ run, curves }, { run: { ...run, number: 2 }, curves: { ...curves, names: ["b"], lines: [curves.lines[1]] } }];
    const pairs = pairsOf(["a", "b", "c"], "a", shown);
    expect(pairs.map((p) => [p.label, ...p.x, ...p.y])).toEqual([["b", 1, NaN, 3, 4]]);
    expect(rangeOf([curves.lines[0], curves.lines[1]])).toEqual([1, 4]);
    expect(rangeOf([])).toEqual([null, null]);
  });

  it("are saved with labels that fit on the picture and all rows of what is shown", () => {
    expect(broken([40, 40, 40, 200, 10], 100)).toEqual([[0, 1], [2], [3], [4]]);
    expect(rowsAddress(3, ["a.x", "b & c"], [0.5, 2])).toBe("/rows?run=3&begin=0.5&end=2&name=a.x&name=b+%26+c");
  });

  it("begin with the outputs, one plot for each unit", () => {
    set({ shown: { drawing, check: { ok: true, problems: [], cycles: [], loops: [] }, wanted: null } as Shown });
    expect(firstPanels(run)).toEqual([["mass.x"], ["mass.a.b"]]);
  });

  it("say why a run failed, in the words of the server", () => {
    set({ runs: [{ ...run, state: "failed", text: "part 'it' failed" }], run: 1 });
    expect(rendered(<Verdict />).textContent).toContain("part 'it' failed");
  });
});

describe("the palette", () => {
  it("offers what can be done with what is selected, each title once", () => {
    act(() => set({
      shown: { drawing: { ...drawing, undo: "move" }, check: { ok: true, problems: [], cycles: [], loops: [] }, wanted: null } as Shown,
      selection: { parts: ["mass"], wire: null, junction: null }, runs: [], run: null,
    }));
    const titles = actionsNow(() => undefined).map((a) => a.title);
    for (const wanted of ["Run", "Undo move", "Remove mass", "Rename mass", "Go to spring", "Plot mass.a.b"]) expect(titles).toContain(wanted);
    expect(titles.some((t) => t.startsWith("Redo"))).toBe(false);
    expect(new Set(titles).size).toBe(titles.length);
  });

  it("finds by all words, in any order, beginnings first", () => {
    const all = ["Save as", "Show the code", "Undo save"].map((title) => ({ title, act: () => undefined }));
    const found = (text: string) => matching(all, text).map((a) => a.title);
    expect(found("sav")).toEqual(["Save as", "Undo save"]);
    expect(found("CODE show")).toEqual(["Show the code"]);
    expect(found("zzz")).toEqual([]);
  });
});

describe("the line to the server", () => {
  it("fails a request at once while nobody is there", async () => {
    await expect(link.ask("library")).rejects.toThrow("The studio is gone.");
  });
});
