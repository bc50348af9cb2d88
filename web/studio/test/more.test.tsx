import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, describe, expect, test } from "vitest";
import { drop, signalOfPin } from "../src/dropping";
import { Lanes, shadeOf } from "../src/Lanes";
import { means, recorded } from "../src/recording";
import { stretchesOf, strokesOf, tableOf, wordOf } from "../src/rows";
import { get, set } from "../src/store";
import type { Shown } from "../src/types";
import { pathOf, svgOf, ticksOf } from "../src/svg";

let root: Root | null = null;

function render(shown: React.ReactElement): HTMLElement {
  const home = document.createElement("div");
  document.body.append(home);
  act(() => {
    root = createRoot(home);
    root.render(shown);
  });
  return home;
}

afterEach(() => {
  act(() => root?.unmount());
  root = null;
  document.body.replaceChildren();
});
const at = (...times: number[]) => Float64Array.from(times);

describe("rows of a plot", () => {
  test("a jump is a gap of the signal that jumps and of no other", () => {
    const times = at(0, 1, 1, 2);
    const [xs, jumps, goes] = tableOf([{ times, values: at(0, 1, 5, 6) }, { times, values: at(0, 1, 1, 2) }]);
    expect(Array.from(xs)).toEqual([0, 1, 1, 1, 2]);
    expect(jumps).toEqual([0, 1, null, 5, 6]);
    expect(goes).toEqual([0, 1, undefined, 1, 2]);
  });

  test("what is no number is a gap", () => {
    const times = at(0, 1, 2);
    expect(tableOf([{ times, values: at(1, NaN, 3) }])[1]).toEqual([1, null, 3]);
  });

  test("runs of other times keep both rows of an event", () => {
    const one = { times: at(0, 1, 1, 2), values: at(0, 1, 5, 6) };
    const [xs, a, b] = tableOf([one, { times: at(0, 0.5, 2), values: at(7, 8, 9) }]);
    expect(xs.length).toBe(6);
    expect(Array.from(xs)).toEqual([...xs].sort((p, q) => p - q));
    expect([...a].filter((v) => v !== undefined)).toEqual([0, 1, null, 5, 6]);
    expect([...b].filter((v) => v !== undefined)).toEqual([7, 8, 9]);
  });

  test("the pen is lifted at a gap that takes no time", () => {
    expect(strokesOf([0, 1, null, 5, undefined, 6], 0, 5)).toEqual([[0, 1], [3, 5]]);
    expect(strokesOf([null, null], 0, 1)).toEqual([]);
  });

  test("lanes are stretches of one value with its word", () => {
    const found = stretchesOf({ times: at(0, 1, 1, 2, 3), values: at(0, 0, 1, 1, 0) });
    expect(found).toEqual([{ from: 0, to: 1, value: 0 }, { from: 1, to: 3, value: 1 }, { from: 3, to: 3, value: 0 }]);
    expect(wordOf("boolean", 1)).toBe("true");
    expect(wordOf("enumeration", 2, ["off", "on"])).toBe("on");
    expect(wordOf("enumeration", 9, ["off"])).toBe("9");
    expect(shadeOf("boolean", 0)).toBe("none");
  });
});

describe("lanes", () => {
  const lane = { label: "relay.on", kind: "boolean", times: at(0, 4, 4, 10), values: at(0, 0, 1, 1) };

  test("are drawn with their words where there is room", () => {
    render(<Lanes lanes={[lane]} view={{ min: 0, max: 10, left: 60, width: 500 }} />);
    expect(document.querySelector("[role=img]")?.getAttribute("aria-label")).toBe("relay.on");
    const bars = document.querySelectorAll(".lanes g g rect");
    expect([...bars].map((b) => [Number(b.getAttribute("x")), Number(b.getAttribute("width"))])).toEqual([[60, 200], [260, 300]]);
    expect(document.querySelector(".lanes")?.textContent).toContain("true");
  });

  test("show the stretch that the curves show", () => {
    render(<Lanes lanes={[lane]} view={{ min: 5, max: 10, left: 60, width: 500 }} />);
    const bars = document.querySelectorAll(".lanes g g rect");
    expect([...bars].map((b) => [Number(b.getAttribute("x")), Number(b.getAttribute("width"))])).toEqual([[60, 500]]);
  });
});

describe("a plot as SVG", () => {
  test("has a new beginning behind a jump and a value that is none", () => {
    const same = (v: number) => v;
    expect(pathOf([0, 1, 1, 2], [0, 1, 5, 6], true, same, same)).toBe("M0.00,0.00L1.00,1.00M1.00,5.00L2.00,6.00");
    expect(pathOf([0, 1, 1], [0, NaN, 5], true, same, same)).toBe("M0.00,0.00M1.00,5.00");
    expect(pathOf([1, 1], [0, 5], false, same, same)).toBe("M1.00,0.00L1.00,5.00");
  });

  test("is a document with names that harm nobody", () => {
    const line = { label: `a<script>"&`, unit: "m", colour: "#123456", dash: false, xs: [0, 1], ys: [2, 3] };
    const lane = { label: "on", kind: "boolean", times: at(0, 1), values: at(1, 1) };
    const text = svgOf({ lines: [line], lanes: [lane], axis: "time in s", range: null, inTime: true, width: 800, height: 420 });
    const found = new DOMParser().parseFromString(text, "image/svg+xml");
    expect(found.querySelector("parsererror")).toBeNull();
    expect(found.querySelector("script")).toBeNull();
    expect(found.documentElement.textContent).toContain(`a<script>"& in m`);
    expect(found.documentElement.textContent).toContain("true");
    expect([...found.querySelectorAll("path")].some((p) => p.getAttribute("stroke") === "#123456")).toBe(true);
  });

  test("has round ticks", () => {
    expect(ticksOf(0, 10)).toEqual([0, 2, 4, 6, 8, 10]);
    expect(ticksOf(-0.031, 0.05)).toEqual([-0.02, 0, 0.02, 0.04]);
    expect(ticksOf(3, 3)).toEqual([3]);
  });
});

describe("signals that are carried into plots", () => {
  test("are those of pins, by the names that a run knows them by", () => {
    const pin = (name: string, more = {}) => ({ name, kind: "signal", linked: false, type: "real", unit: null, ...more });
    const block = { name: "a", x: 0, y: 0, width: 1, height: 1, cycle: null, left: [pin("u")], right: [pin("y", { signal: "g.a.y" }), pin("p", { kind: "power" }), pin("z", { signal: null })] };
    set({ shown: { drawing: { blocks: [block], plots: [] } } as unknown as Shown });
    expect(["in:u", "out:y", "port:p", "out:p", "out:z", "in:y"].map((h) => signalOfPin("a", h))).toEqual(["a.u", "g.a.y", null, null, null, null]);
  });

  test("leave the plot that they come from, and are in one only once", () => {
    set({ shown: null, panels: [["a.x", "a.y"], ["b.x"]] });
    drop({ name: "a.y", from: 0 }, 1);
    expect(get().panels).toEqual([["a.x"], ["b.x", "a.y"]]);
    drop({ name: "a.y" }, 1);
    expect(get().panels).toEqual([["a.x"], ["b.x", "a.y"]]);
    drop({ name: "a.x", from: 0 }, null); // its plot had no other signal
    expect(get().panels).toEqual([["b.x", "a.y"], ["a.x"]]);
  });
});

describe("what is recorded", () => {
  test("is everything, or what patterns mean", () => {
    expect(recorded({})).toBeNull();
    expect(recorded({ record: "*" })).toBeNull();
    expect(recorded({ record: "a.*" })).toEqual(["a.*"]);
    expect(means("a.*", "a.x")).toBe(true);
    expect(means("a.x", "aqx")).toBe(false);
    expect(means("?.x", "b.x")).toBe(true);
  });
});
