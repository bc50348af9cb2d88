import { useEffect, useState } from "react";
import { get, request, set, useStudio } from "./store";

interface Stop {
  at: string; // what it points to
  title: string;
  text: string;
  before?: () => void;
}

/** A minute: seven stops, on the drawing that is open. */
export const STOPS: Stop[] = [
  { at: ".library", title: "Models", text: "The models of your folder: FMUs, tables, Python, whole systems, and what part servers offer. Drag one onto the paper." },
  { at: ".canvas", title: "The drawing", text: "Drag from an output to an input: green ones fit, the others say why not. Squares are power ports; they meet in junctions. A right click has the rest." },
  { at: ".side", title: "Inspect", text: "Click a part for its parameters, with units, and what it can do.", before: () => set({ tab: "inspect" }) },
  { at: ".side", title: "Check", text: "Always on: problems, each leading to its place, and cycles, coloured. Ask the parts for a recommendation with its reason.", before: () => set({ tab: "check" }) },
  { at: ".side", title: "Run", text: "Stop time, windows, algorithm: what you leave empty Dovetail chooses. While a run goes on you can change values, mark a point and go back to it.", before: () => set({ tab: "run" }) },
  { at: ".toolbar .go", title: "Run it", text: "Or Ctrl+Enter. Values appear on the wires, plots below the drawing, and a verdict with the estimated error at the end." },
  { at: ".toolbar", title: "And then", text: "Study finds the best algorithm and sweeps values, Code shows it all as Python. Ctrl+K finds anything by its name, ? has the keys." },
];

/** Begin it; on an empty paper with an example, once its folder is trusted. */
export async function startTour(): Promise<void> {
  const begin = () => set({ tour: 0, dialog: null });
  set({ dialog: null });
  if (get().shown!.drawing.blocks.length > 0) return begin();
  const opened = await request("example", { name: "belt_drive" });
  const { dialog } = get();
  if (opened !== undefined) begin();
  else if (dialog?.what === "trust") set({ dialog: { ...dialog, then: begin } });
}

export function Tour() {
  const at = useStudio((s) => s.tour);
  const dialog = useStudio((s) => s.dialog);
  const [box, setBox] = useState<DOMRect | null>(null);
  const stop = at === null ? undefined : STOPS[at];
  useEffect(() => {
    if (!stop) return;
    stop.before?.();
    const look = () => setBox(document.querySelector(stop.at)?.getBoundingClientRect() ?? null);
    const timer = setTimeout(look, 60);
    addEventListener("resize", look);
    const key = (event: KeyboardEvent) => event.key === "Escape" && set({ tour: null });
    addEventListener("keydown", key);
    return () => {
      clearTimeout(timer);
      removeEventListener("resize", look);
      removeEventListener("keydown", key);
    };
  }, [at]);
  if (!stop || at === null || dialog !== null) return null;
  const last = at === STOPS.length - 1;
  const side = box ? placeOf(box) : { left: innerWidth / 2 - 160, top: 120 };
  return (
    <div className="tour">
      {box && <div className="spot" style={{ left: box.x - 3, top: box.y - 3, width: box.width + 6, height: box.height + 6 }} />}
      <div className="stop" role="dialog" aria-label={`Tour: ${stop.title}`} style={side}>
        <h2>{stop.title}</h2>
        <p>{stop.text}</p>
        <div className="buttons">
          <small>{at + 1} of {STOPS.length}</small>
          <button onClick={() => set({ tour: null })}>End</button>
          {at > 0 && <button onClick={() => set({ tour: at - 1 })}>Back</button>}
          <button className="go" autoFocus key={at} onClick={() => set({ tour: last ? null : at + 1 })}>{last ? "Done" : "Next"}</button>
        </div>
      </div>
    </div>
  );
}

/** Beside what it points to, on the side that has room; over it where none has. */
function placeOf(box: DOMRect): { left: number; top: number } {
  const wide = 330;
  const top = Math.max(56, Math.min(box.y + 20, innerHeight - 220));
  if (box.height < 60) return { left: Math.max(8, Math.min(box.x, innerWidth - wide - 8)), top: box.bottom + 12 };
  if (box.right + wide < innerWidth) return { left: box.right + 14, top };
  if (box.x > wide) return { left: box.x - wide - 14, top };
  return { left: box.x + box.width / 2 - wide / 2, top: box.y + 24 };
}
