import { describe, expect, it, vi } from "vitest";
import { edgesOf, nodesOf, notesOf, signalOf } from "../src/graph";
import { groupActions } from "../src/groups";
import { rangeOf } from "../src/Inspector";
import { bent } from "../src/menus";
import { set } from "../src/store";
import type { Block, Drawing, Pin, Shown } from "../src/types";
import { cornered } from "../src/WireEdge";
import { pinAt, sideOf, toBorder, waysOf } from "../src/wires";

vi.mock("uplot", () => ({ default: class {} }));

const pin = (name: string, more: Partial<Pin> = {}): Pin => ({ name, kind: "signal", linked: true, type: "real", unit: null, ...more });
const block = (name: string, x: number, more: Partial<Block>): Block => ({ name, x, y: 0, width: 100, height: 80, cycle: null, hidden: [0, 0], left: [], right: [], ...more });
const drawing: Drawing = {
  revision: 1, name: "o", file: "o.yaml", saved: true, trusted: true, undo: "", redo: "", notes: [], inside: ["car"], settings: {}, bonds: [],
  marks: [{ x: 1, y: 2, width: 30, height: 40, text: "look", colour: "red" }],
  blocks: [
    block("a", 0, { right: [pin("y", { at: [0.5, 0], signal: "car.a.y" })], group: true }),
    block("b", 300, { left: [pin("u", { signal: null })], colour: "green" }),
  ],
  wires: [{ source: "a.y", target: "b.u", gain: 1, offset: 0, convert: true, table: [], label: "", cycle: null, way: [[50, -40], [200, -40]], signal: "car.a.y" }],
};

describe("pins that were moved", () => {
  it("are where they were put, on the side that is nearest", () => {
    expect(pinAt(drawing.blocks[0], "out", "y")).toEqual([50, 0]);
    const [first] = nodesOf(drawing, []);
    expect(first.handles!.map((h) => [h.id, h.position])).toEqual([["out:y", "top"]]);
    expect([sideOf([0.1, 0.5]), sideOf([0.9, 0.5]), sideOf([0.5, 0.9])]).toEqual(["left", "right", "bottom"]);
  });

  it("go along the border of their block, also when the mouse is outside", () => {
    expect(toBorder([0.2, 0.52])).toEqual([0, 0.5]);
    expect(toBorder([0.31, 1.7])).toEqual([0.3, 1]);
    expect(toBorder([1.4, -0.2])).toEqual([1, 0]);
  });
});

describe("wires", () => {
  it("have the corners that they were given, also among many", () => {
    const [edge] = edgesOf(drawing, null, { "car.a.y": 3 }, null, "b");
    expect(edge.data).toMatchObject({ way: [[50, -40], [200, -40]], usual: false, words: "3" });
    expect(edge.className).toContain("lit");
    expect(cornered([0, 0], [[1, 2]], [3, 4])).toBe("M0,0 L1,2 L3,4");
    const [way] = waysOf(drawing, new Map(), {}, (source) => source);
    expect(way).toMatchObject({ curved: false, words: "car.a.y" });
    expect(way.points).toHaveLength(4);
  });

  it("get a corner more between those that it lies between", () => {
    expect(bent([], [5, 5])).toEqual([[5, 5]]);
    expect(bent([[0, 0], [100, 0]], [50, 10])).toEqual([[0, 0], [50, 10], [100, 0]]);
  });

  it("are known to a run by the names of the whole drawing", () => {
    const [wire] = drawing.wires;
    expect([signalOf(wire), signalOf({ ...wire, signal: undefined }), signalOf({ ...wire, signal: null })]).toEqual(["car.a.y", "a.y", ""]);
  });
});

describe("what else is on the paper", () => {
  it("are notes, below the blocks", () => {
    const [note] = notesOf(drawing, [0]);
    expect(note).toMatchObject({ id: "note 0", type: "note", position: { x: 1, y: 2 }, selected: true, zIndex: -1 });
  });

  it("can be grouped, turned and looked into from the palette", () => {
    set({
      shown: { drawing, check: { ok: true, problems: [], cycles: [], loops: [] }, wanted: null } as Shown,
      selection: { parts: ["a"], wire: null, junction: null },
    });
    const titles = groupActions().map((a) => a.title);
    for (const wanted of ["Leave this group", "Make a group of a", "Turn a", "Paint a green", "Look into a", "Take the group a apart"]) expect(titles).toContain(wanted);
    set({ selection: { parts: ["b"], wire: null, junction: null } });
    expect(groupActions().map((a) => a.title)).not.toContain("Look into b");
  });
});

describe("the inspector", () => {
  it("says in few letters what a value may be", () => {
    expect([rangeOf({ minimum: 0, maximum: 10 }), rangeOf({ minimum: 0.5, maximum: null }), rangeOf({ minimum: null, maximum: 2 }), rangeOf({ minimum: null, maximum: null })]).toEqual(["0 … 10", "≥ 0.5", "≤ 2", ""]);
  });
});
