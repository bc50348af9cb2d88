import { useState } from "react";
import { number } from "./names";
import { edit, request } from "./store";

type Numbers = (number | null)[];

export interface Swept {
  times: Numbers;
  signals: string[];
  rows: { number: number; values: Record<string, unknown>; status: string; verdict: string; evaluations: number; seconds: number; reason: string; lines: Record<string, Numbers> }[];
}

/** A curve as a path of SVG in a box of this size; gaps where there is no number. */
export function pathOf(times: Numbers, values: Numbers, [low, high]: [number, number], [width, height]: [number, number]): string {
  const begin = times[0] ?? 0;
  const span = ((times[times.length - 1] ?? 1) - begin) || 1;
  const room = high - low || 1;
  let open = false;
  return values
    .map((value, k) => {
      const time = times[k];
      if (value === null || time === null || time === undefined) {
        open = false;
        return "";
      }
      const x = ((time - begin) / span) * width;
      const y = height - ((value - low) / room) * height;
      const step = `${open ? "L" : "M"}${x.toFixed(1)},${y.toFixed(1)}`;
      open = true;
      return step;
    })
    .join("");
}

/** The least and the largest value of a signal in all runs. */
export function rangeIn(found: Swept, signal: string): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const row of found.rows)
    for (const value of row.lines[signal] ?? [])
      if (value !== null) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
  return low > high ? [0, 1] : [low, high];
}

const BOX: [number, number] = [132, 52];

/** A sweep as a table, each run with small pictures of its signals, all on the same scale. */
export function SweepFound({ found }: { found: Swept }) {
  const [order, setOrder] = useState<string | null>(null);
  const varied = Object.keys(found.rows[0]?.values ?? {});
  const ranges = Object.fromEntries(found.signals.map((s) => [s, rangeIn(found, s)]));
  const last = (row: Swept["rows"][0], signal: string) => row.lines[signal]?.[found.times.length - 1] ?? null;
  const rows = order === null ? found.rows : [...found.rows].sort((a, b) => (last(a, order) ?? Infinity) - (last(b, order) ?? Infinity));
  const take = async (values: Record<string, unknown>) => {
    for (const [name, value] of Object.entries(values)) if (!(await edit({ do: "set", name, value }))) return;
  };
  return (
    <table className="grid sweep">
      <thead>
        <tr>
          <th><button title="In the order of the runs" onClick={() => setOrder(null)}>run</button></th>
          {varied.map((name) => <th key={name}>{name}</th>)}
          {found.signals.map((signal) => (
            <th key={signal}>
              <button title="By its last value" onClick={() => setOrder(signal)}>{signal}</button> <small>{number(ranges[signal][0])} to {number(ranges[signal][1])}</small>
            </th>
          ))}
          <th>state</th><th>advances</th><th />
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.number} title={row.reason}>
            <td>{row.number + 1}</td>
            {varied.map((name) => <td key={name}>{number(row.values[name])}</td>)}
            {found.signals.map((signal) => (
              <td key={signal}>
                <svg width={BOX[0]} height={BOX[1]} role="img" aria-label={`${signal} of run ${row.number + 1}`}>
                  <path d={pathOf(found.times, row.lines[signal] ?? [], ranges[signal], BOX)} />
                </svg>
                <small>{last(row, signal) === null ? "" : number(last(row, signal))}</small>
              </td>
            ))}
            <td className={row.status === "done" ? "" : "bad"}>{row.status}</td>
            <td>{row.evaluations}</td>
            <td><button title="Give the drawing these values" onClick={() => void take(row.values)}>Take</button> <button title="Give it these values, and run it" onClick={() => void take(row.values).then(() => request("run"))}>Run</button></td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
