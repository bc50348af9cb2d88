import { useReactFlow } from "@xyflow/react";
import { useEffect, useState } from "react";
import { goTo } from "./groups";
import { near } from "./names";
import { askAdvice, edit, link, set, useStudio } from "./store";
import type { Problem } from "./types";

const NAMED = 20; // parts of a cycle

export function CheckPane() {
  const { drawing, check } = useStudio((s) => s.shown!);
  const advice = useStudio((s) => s.advice);
  const flow = useReactFlow();
  const jump = (problem: Problem) => {
    if (!problem.part) return;
    if (drawing.inside.length > 0) {
      void goTo([]).then(() => set({ selection: { parts: [problem.part], wire: null, junction: null } }));
      return;
    }
    set({ selection: { parts: [problem.part], wire: null, junction: null } });
    void flow.fitView(near(problem.part));
  };
  const errors = check.problems.filter((p) => !p.warning);
  const notes = check.problems.filter((p) => p.warning);
  return (
    <div className="pane">
      <h2 className={drawing.blocks.length === 0 ? "" : check.ok ? "good" : "bad"}>
        {drawing.blocks.length === 0 ? "Nothing is drawn yet" : check.ok ? "It fits together" : "It cannot be run yet"}
      </h2>
      {drawing.blocks.length > 0 && (
        <ul className="problems">
          {[...errors, ...notes].map((p, k) => (
            <li key={k} className={p.warning ? "warning" : "error"}>
              <button onClick={() => jump(p)} disabled={!p.part}>{p.what}</button>
            </li>
          ))}
        </ul>
      )}
      {check.cycles.map((cycle, k) => (
        <p key={k} className={`cycle c${k % 5}`}>
          {cycle.slice(0, NAMED).join(", ")}
          {cycle.length > NAMED ? ` and ${cycle.length - NAMED} others` : ""} {cycle.length > 1 ? "depend on each other" : "depends on itself"}
        </p>
      ))}
      {drawing.blocks.length > 0 && check.ok && (
        <>
          <h3>Recommended</h3>
          {advice === null && <button onClick={() => void askAdvice()}>Ask the parts</button>}
          {advice === null && <p className="note">Parts are started for it, in a process of its own.</p>}
          {advice === "asked" && <p className="note">Asking the parts …</p>}
          {advice !== null && advice !== "asked" && (
            <>
              <p>{advice.problem || advice.text}</p>
              {advice.run && (
                <button onClick={() => void edit({ do: "settings", run: { ...keep(drawing.settings), ...advice.run } })}>
                  Apply
                </button>
              )}
              {advice.lines.map((line) => <p key={line} className="note">{line}</p>)}
            </>
          )}
          <Ways />
        </>
      )}
    </div>
  );
}

/** Settings without those that a recommendation replaces. */
function keep(settings: Record<string, unknown>): Record<string, unknown> {
  const { algorithm: _, controller: __, step: ___, ...rest } = settings;
  return rest;
}

function Ways() {
  const revision = useStudio((s) => s.shown!.drawing.revision);
  const [ways, setWays] = useState<{ able: boolean; what: string }[]>([]);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      link.ask<{ able: boolean; what: string }[]>("ways").then((w) => current && setWays(w), () => undefined);
    }, 250);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [revision]);
  if (ways.length === 0) return null;
  return (
    <>
      <h3>What it can be run with</h3>
      <ul className="abilities">
        {ways.filter((w) => w.able).map((w) => <li key={w.what} className="able">✓ {w.what}</li>)}
      </ul>
      {ways.some((w) => !w.able) && (
        <details>
          <summary>and what not, and why</summary>
          <ul className="abilities">
            {ways.filter((w) => !w.able).map((w) => <li key={w.what} className="unable">– {w.what}</li>)}
          </ul>
        </details>
      )}
    </>
  );
}
