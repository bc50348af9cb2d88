import { useEffect, useState } from "react";
import { BenchmarkFound, type Tried } from "./BenchmarkFound";
import { duration } from "./names";
import { link, request, useStudio } from "./store";
import { Settable } from "./Settable";
import { SweepFound, type Swept } from "./SweepFound";

interface Study {
  number: number;
  kind: "benchmark" | "sweep";
  system: string;
  asked: Record<string, unknown>;
  state: "running" | "finished" | "failed" | "stopped";
  text: string;
  seconds: number;
  done?: number;
  total?: number;
  limit?: number;
  found?: Record<string, unknown>;
}

/** Values as they were typed: "1, 2, 5" or "1 to 5 in 9"; null if they are none. */
export function valuesOf(text: string): (number | string | boolean)[] | null {
  const stretch = /^\s*(\S+)\s+to\s+(\S+)\s+in\s+(\d+)\s*$/.exec(text);
  if (stretch) {
    const [begin, end, count] = stretch.slice(1).map(Number);
    if (![begin, end].every(Number.isFinite) || count < 2 || count > 200) return null;
    return Array.from({ length: count }, (_, k) => Number((begin + ((end - begin) * k) / (count - 1)).toPrecision(12)));
  }
  const words = text.split(",").map((w) => w.trim()).filter(Boolean);
  if (words.length === 0) return null;
  return words.map((w) => (w === "true" || w === "false" ? w === "true" : Number.isFinite(Number(w)) ? Number(w) : w));
}

/** Benchmarks and sweeps of the drawing: what is asked, how far it is, what came of it. */
export function StudyTab() {
  const ok = useStudio((s) => s.shown!.check.ok);
  const [chosen, setChosen] = useState<number | null>(null);
  const [study, setStudy] = useState<Study | null>(null);
  const [all, setAll] = useState<Study[]>([]);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let wanted = true;
    link.ask<Study[]>("studies").then((found) => {
      if (!wanted) return;
      setAll(found);
      if (chosen === null && found.length > 0) setChosen(found[found.length - 1].number);
    }, () => undefined);
    return () => {
      wanted = false;
    };
  }, [turn, chosen]);
  useEffect(() => {
    if (chosen === null) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wanted = true;
    const look = () =>
      link.ask<Study>("study", { number: chosen }).then((found) => {
        if (!wanted) return;
        setStudy(found);
        if (found.state === "running") timer = setTimeout(look, 500);
        else setTurn((t) => t + 1);
      }, () => undefined);
    void look();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [chosen]);
  const begun = (number: number | undefined) => number !== undefined && setChosen(number);
  return (
    <div className="study">
      <section aria-label="Ask">
        <h3>Which algorithm is best</h3>
        <Benchmark ok={ok} begun={begun} />
        <h3>Sweep</h3>
        <Sweep ok={ok} begun={begun} />
        {all.length > 0 && <h3>Asked so far</h3>}
        <ul>
          {[...all].reverse().map((one) => (
            <li key={one.number}>
              <button aria-pressed={one.number === chosen} onClick={() => setChosen(one.number)}>
                {one.number}: {one.kind} of {one.system}, {one.state}
              </button>
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Found">{study && study.number === chosen && <Found study={study} />}</section>
    </div>
  );
}

function Found({ study }: { study: Study }) {
  if (study.state === "running") {
    const share = study.total ? (study.done ?? 0) / study.total : study.limit ? Math.min(0.99, study.seconds / study.limit) : 0;
    return (
      <p className="progress">
        <progress value={share} />
        {study.total ? `${study.done ?? 0} of ${study.total} runs` : `${duration(study.seconds)}${study.limit ? ` of at most about ${duration(study.limit)}` : ""}`}
        <button onClick={() => void request("end_study", { number: study.number })}>Stop</button>
      </p>
    );
  }
  if (study.state !== "finished" || !study.found) return <p className="failure">{study.text || "It was stopped."}</p>;
  return study.kind === "benchmark" ? <BenchmarkFound found={study.found as unknown as Tried} /> : <SweepFound found={study.found as unknown as Swept} />;
}

type Begin = { ok: boolean; begun: (number: number | undefined) => void };

function Benchmark({ ok, begun }: Begin) {
  const [budget, setBudget] = useState("60");
  const [tolerance, setTolerance] = useState("0.1");
  const ask = async () => begun(await request<number>("benchmark", { budget: Number(budget), tolerance: Number(tolerance) / 100 }));
  return (
    <div className="row">
      <label>right to <input aria-label="Tolerance in %" size={4} value={tolerance} onChange={(e) => setTolerance(e.target.value)} /> %</label>
      <label>within <input aria-label="Budget in s" size={4} value={budget} onChange={(e) => setBudget(e.target.value)} /> s</label>
      <button className="go" disabled={!ok} onClick={() => void ask()}>Try all</button>
    </div>
  );
}

function Sweep({ ok, begun }: Begin) {
  const selection = useStudio((s) => s.selection.parts[0]);
  const panels = useStudio((s) => s.panels);
  const blocks = useStudio((s) => s.shown!.drawing.blocks);
  const [rows, setRows] = useState<[string, string][]>([["", ""]]);
  const [record, setRecord] = useState("");
  const usual = panels.flat().slice(0, 3).join(", ");
  const outputs = blocks.flatMap((b) => (b.right ?? []).filter((p) => p.kind !== "power").map((p) => `${b.name}.${p.name}`));
  const change = (k: number, pair: [string, string]) => setRows(rows.map((old, n) => (n === k ? pair : old)));
  const vary = Object.fromEntries(rows.filter(([name]) => name.trim()).map(([name, text]) => [name.trim(), valuesOf(text)]));
  const whole = Object.keys(vary).length > 0 && Object.values(vary).every((v) => v !== null);
  const count = whole ? Object.values(vary).reduce((product, v) => product * v!.length, 1) : 0;
  const ask = async () => {
    const names = (record || usual || outputs.slice(0, 3).join(", ")).split(",").map((n) => n.trim()).filter(Boolean);
    begun(await request<number>("sweep", { vary, record: names }));
  };
  return (
    <div className="asked">
      <Settable />
      {rows.map(([name, text], k) => (
        <div className="row" key={k}>
          <input aria-label="What is varied" list="settable" placeholder={selection ? `${selection}.parameter` : "part.parameter"} value={name} onChange={(e) => change(k, [e.target.value, text])} />
          <input aria-label="Its values" placeholder="1, 2, 5 or 1 to 5 in 9" value={text} onChange={(e) => change(k, [name, e.target.value])} />
        </div>
      ))}
      {rows.length < 3 && <button onClick={() => setRows([...rows, ["", ""]])}>and another</button>}
      <input aria-label="Signals to draw" list="outputs" placeholder={usual || outputs.slice(0, 3).join(", ")} value={record} onChange={(e) => setRecord(e.target.value)} />
      <datalist id="outputs">{outputs.slice(0, 200).map((name) => <option key={name} value={name} />)}</datalist>
      <button className="go" disabled={!ok || !whole} onClick={() => void ask()}>{count > 0 ? `Make ${count} runs` : "Make runs"}</button>
    </div>
  );
}
