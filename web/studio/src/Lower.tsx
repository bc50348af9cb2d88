import { useState } from "react";
import { CompareTab } from "./CompareTab";
import { ConnectTable } from "./ConnectTable";
import { Plots } from "./Plots";
import { set, useStudio } from "./store";
import { StudyTab } from "./StudyTab";
import { Verdict } from "./Verdict";

/** Below the drawing: plots and verdict of the run that is looked at. */
export function Lower() {
  const run = useStudio((s) => s.runs.find((r) => r.number === s.run));
  const panels = useStudio((s) => s.panels.length);
  const tab = useStudio((s) => s.lower);
  const table = useStudio((s) => s.table);
  const study = useStudio((s) => s.study);
  const setTab = (lower: typeof tab) => set({ lower });
  const [chosen, setHeight] = useState<number | null>(null);
  const share = tab === "study" ? 0.48 : 0.3; // tables of studies are long
  const usual = !run && tab === "plots" ? 112 : Math.max(260, Math.round(share * innerHeight)); // before a run plots have nothing to show
  const height = chosen ?? usual;
  if (!run && panels === 0 && !table && !study) return null;
  const drag = (event: React.PointerEvent) => {
    const from = event.clientY;
    const before = height;
    const move = (e: PointerEvent) => setHeight(Math.max(120, Math.min(innerHeight - 220, before + from - e.clientY)));
    const up = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
  };
  const sign = !run ? "" : run.state === "failed" ? " ✗" : run.status === "doubtful" ? " ?" : run.status === "trusted" ? " ✓" : "";
  return (
    <section className="lower" style={{ height }}>
      <div className="grip" onPointerDown={drag} />
      <nav className="tabs" role="tablist">
        <button role="tab" aria-selected={tab === "plots"} onClick={() => setTab("plots")}>Plots</button>
        <button role="tab" aria-selected={tab === "verdict"} onClick={() => setTab("verdict")}>Verdict{sign}</button>
        {run && <button role="tab" aria-selected={tab === "compare"} onClick={() => setTab("compare")}>Compare</button>}
        {study && (
          <span className="closable">
            <button role="tab" aria-selected={tab === "study"} onClick={() => setTab("study")}>Study</button>
            <button aria-label="Close the study" onClick={() => set({ study: false, lower: "plots" })}>×</button>
          </span>
        )}
        {table && (
          <span className="closable">
            <button role="tab" aria-selected={tab === "connect"} onClick={() => setTab("connect")}>Connect</button>
            <button aria-label="Close the connect table" onClick={() => set({ table: false, lower: "plots" })}>×</button>
          </span>
        )}
        {run && <span className="which">run {run.number} of {run.system}: {run.state}{run.algorithm ? `, ${run.algorithm} with ${run.controller}` : ""}</span>}
      </nav>
      {tab === "plots" && <Plots height={height - 44} />}
      {tab === "verdict" && <Verdict />}
      {tab === "compare" && <CompareTab />}
      {tab === "study" && <StudyTab />}
      {tab === "connect" && <ConnectTable />}
    </section>
  );
}
