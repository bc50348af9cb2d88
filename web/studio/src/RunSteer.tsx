import { useEffect, useState } from "react";
import { number } from "./names";
import { get, look, request, set, useStudio } from "./store";
import type { Run } from "./types";

const GOES = ["starting", "running", "paused"];

/** As fast as the clock, so many times as fast, or as fast as it can: before a run and during it. */
export function PaceChoice() {
  const pace = useStudio((s) => s.pace);
  const run = useStudio((s) => s.runs.find((r) => r.number === s.run));
  const goes = run !== undefined && GOES.includes(run.state);
  const shown = goes ? (run.pace ?? null) : pace;
  const [text, setText] = useState("1");
  useEffect(() => {
    if (shown !== null) setText(String(shown));
  }, [shown]);
  const give = (factor: number | null) => {
    set({ pace: factor });
    if (goes) void request("steer", { run: run.number, what: "pace", value: factor });
  };
  const typed = () => {
    const factor = Number(text);
    if (Number.isFinite(factor) && factor > 0) give(factor);
    else setText(String(shown ?? 1));
  };
  return (
    <>
      <label className="check">
        <input type="checkbox" checked={shown !== null} onChange={(e) => give(e.target.checked ? Number(text) || 1 : null)} /> in real time
        {shown !== null && (
          <>
            {" times "}
            <input
              className="pace"
              aria-label="Times as fast as the clock"
              value={text}
              onChange={(e) => setText(e.target.value)}
              onBlur={typed}
              onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
            />
          </>
        )}
      </label>
      {goes && run.pace != null && (run.late ?? 0) > 0 && <p className="note bad">The run is {number(run.late)} s behind the clock.</p>}
    </>
  );
}

export const mark = () => request("steer", { run: get().run, what: "mark" });

/** Back to a mark; a run that is over stays as it is, and another one goes on from there. */
export async function back(to: number): Promise<void> {
  const other = await request<Run | null>("steer", { run: get().run, what: "back", value: to });
  if (!other) return;
  if (!get().runs.some((r) => r.number === other.number)) set({ runs: [...get().runs, other] });
  look(other.number);
}

/** Marks of a run: points to go back to. */
export function Marks() {
  const run = useStudio((s) => s.runs.find((r) => r.number === s.run));
  const marks = run?.marks ?? [];
  const goes = run !== undefined && ["running", "paused"].includes(run.state);
  if (!run || (!goes && marks.length === 0)) return null;
  return (
    <>
      <h3>Marks</h3>
      <div className="row wrap" role="group" aria-label="Marks">
        {goes && <button title="Keep where the run stands, to go back to it" onClick={() => void mark()}>Mark this point</button>}
        {marks.map((one) => (
          <button key={one.number} title={goes ? "Go back to this point: the run waits there" : "Go on from this point, as another run, which waits there"} onClick={() => void back(one.number)}>
            ⟲ t = {number(one.time)} s
          </button>
        ))}
      </div>
      {run.unmarked && <p className="note">{run.unmarked}</p>}
    </>
  );
}
