import { useEffect, useState } from "react";
import { type Drawn, MiniPlot } from "./MiniPlot";
import { number } from "./names";
import { link, look, set, useStudio } from "./store";
import type { Run } from "./types";

interface Difference {
  rows: { name: string; error: number; unit: string; share: number | string | null; time: number }[];
  curves: Drawn;
  only: [string[], string[]];
}

/** Settings of a run in words, without those that all of them share. */
export function settingsOf(run: Run, others: Run[]): string {
  const shown = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));
  const differs = (name: string) => others.some((r) => shown(r.settings[name]) !== shown(run.settings[name]));
  return Object.entries(run.settings)
    .filter(([name]) => differs(name))
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(", ");
}

/** All runs in a table, and by how much two of them differ. */
export function CompareTab() {
  const runs = useStudio((s) => s.runs);
  const current = useStudio((s) => s.run);
  const overlaid = useStudio((s) => s.overlaid);
  const over = runs.filter((r) => r.rows > 0 && ["finished", "stopped", "failed"].includes(r.state));
  const [other, setOther] = useState<number | null>(null);
  const chosen = over.find((r) => r.number === other && r.number !== current);
  if (runs.length === 0) return <p className="note pad">There are no runs yet.</p>;
  return (
    <div className="compare">
      <section aria-label="Runs">
        <table className="grid">
          <thead>
            <tr><th>run</th><th>with</th><th>set otherwise</th><th>verdict</th><th title="the largest estimated error, of a range">error</th><th>windows</th><th>advances</th><th>time</th><th title="draw it with the one that is looked at">over</th><th>minus</th></tr>
          </thead>
          <tbody>
            {[...runs].reverse().map((run) => (
              <tr key={run.number} className={run.number === current ? "current" : ""}>
                <td><button title="Look at this run" onClick={() => look(run.number)}>{run.number}</button></td>
                <td className="with" title={`${run.system}: ${run.algorithm ?? ""}, ${run.controller ?? ""}`}>{run.algorithm ? `${run.algorithm}, ${run.controller}` : ""}</td>
                <td className="with" title={settingsOf(run, runs)}>{settingsOf(run, runs)}</td>
                <td>{run.status ?? run.state}</td>
                <td>{run.errors && run.errors.length > 0 ? `${number(100 * run.errors[0][1])} %` : ""}</td>
                <td>{run.windows ?? ""}</td>
                <td>{run.evaluations ?? ""}</td>
                <td>{run.seconds === undefined ? "" : `${number(run.seconds)} s`}</td>
                <td>
                  {run.number !== current && (
                    <input
                      type="checkbox"
                      aria-label={`Draw run ${run.number} over it`}
                      checked={overlaid.includes(run.number)}
                      onChange={(e) => current !== null && look(current, e.target.checked ? [...overlaid, run.number] : overlaid.filter((n) => n !== run.number))}
                    />
                  )}
                </td>
                <td>
                  {run.number !== current && over.includes(run) && (
                    <input type="radio" name="minus" aria-label={`Difference to run ${run.number}`} checked={other === run.number} onChange={() => setOther(run.number)} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {current !== null && chosen && over.some((r) => r.number === current) && <Differences run={current} other={chosen.number} />}
    </div>
  );
}

function Differences({ run, other }: { run: number; other: number }) {
  const [found, setFound] = useState<Difference | null>(null);
  const [problem, setProblem] = useState("");
  const [name, setName] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    setProblem("");
    link.ask<Difference>("difference", { run, other, names: name === null ? [] : [name] }).then(
      (d) => wanted && setFound(d),
      (e: Error) => wanted && setProblem(e.message),
    );
    return () => {
      wanted = false;
    };
  }, [run, other, name]);
  if (problem) return <p className="failure">{problem}</p>;
  if (found === null) return null;
  const drawn = Object.keys(found.curves.lines)[0];
  const unit = drawn ? found.curves.units[drawn] : "";
  return (
    <section aria-label="Differences">
      <h3>Run {run} minus run {other}</h3>
      {drawn && <MiniPlot title={unit ? `${drawn} in ${unit}` : drawn} drawn={found.curves} />}
      <table className="grid">
        <thead><tr><th>signal</th><th>apart by</th><th>of its range</th><th>at</th></tr></thead>
        <tbody>
          {found.rows.map((row) => (
            <tr key={row.name} className={row.name === drawn ? "current" : ""}>
              <td><button onClick={() => setName(row.name)}>{row.name}</button></td>
              <td>{number(row.error)} {row.unit}</td>
              <td>{typeof row.share === "number" ? `${number(100 * row.share)} %` : ""}</td>
              <td><button title="Show it in the plots" onClick={() => (look(run, [other]), set({ lower: "plots", jump: { time: row.time } }))}>{number(row.time)} s</button></td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.rows.length === 0 && <p className="note">They have no signal in common.</p>}
    </section>
  );
}
