import { useState } from "react";
import { number } from "./names";
import { edit } from "./store";

interface Row {
  algorithm: string;
  controller: string;
  status: string;
  error: number | string;
  seconds: number | string;
  evaluations: number;
  windows: number;
  reason: string;
  best: boolean;
  ranked: boolean;
  good: boolean;
}

export interface Tried {
  rows: Row[];
  left: { algorithm: string; reason: string }[];
  reference: string;
  recommended: string;
  why: string;
  run: Record<string, unknown>;
  took: number;
}

/** For each algorithm its cheapest run that is good enough, the cheapest first; or all runs. */
export function orderOf(rows: Row[], all: boolean): Row[] {
  if (all) return rows;
  const cost = (r: Row) => (typeof r.seconds === "number" ? r.seconds : Infinity);
  return rows.filter((r) => r.ranked).sort((a, b) => Number(b.good) - Number(a.good) || cost(a) - cost(b));
}

export function BenchmarkFound({ found }: { found: Tried }) {
  const [all, setAll] = useState(false);
  return (
    <>
      <h3>Recommended: {found.recommended}</h3>
      <p>Because {found.why}. <button className="go" onClick={() => void edit({ do: "settings", run: found.run })}>Apply</button></p>
      <p className="note">{found.rows.length} runs in {number(found.took)} s; errors are against {found.reference}.</p>
      <label className="check"><input type="checkbox" checked={all} onChange={(e) => setAll(e.target.checked)} /> every run</label>
      <table className="grid">
        <thead><tr><th>algorithm</th><th>windows</th><th>error</th><th>time</th><th>advances</th><th /></tr></thead>
        <tbody>
          {orderOf(found.rows, all).map((row, k) => (
            <tr key={k} className={row.best ? "current" : ""} title={row.reason}>
              <td>{row.algorithm}</td>
              <td>{row.controller}</td>
              <td>{typeof row.error === "number" ? row.error.toExponential(1) : ""}</td>
              <td>{typeof row.seconds === "number" ? `${number(row.seconds)} s` : ""}</td>
              <td>{row.evaluations || ""}</td>
              <td className={row.good ? "good" : ""}>{row.best ? "recommended" : row.status !== "done" ? row.status : row.good ? "good enough" : "not good enough"}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.left.length > 0 && (
        <details>
          <summary>{found.left.length} could not run</summary>
          {found.left.map((one, k) => <p key={k} className="note">{one.algorithm}: {one.reason}</p>)}
        </details>
      )}
    </>
  );
}
