import { useEffect, useMemo, useState } from "react";
import { type Drawn, MiniPlot } from "./MiniPlot";
import { number } from "./names";
import { link, set } from "./store";
import type { Run } from "./types";

interface Event {
  time: number;
  jumps: { name: string; from: unknown; to: unknown }[];
}

interface Told {
  windows: { times: number[]; sizes: number[] };
  smallest: number | null;
  largest: number | null;
  events: Event[];
  event_count: number;
  created?: Drawn;
  disagreed?: Drawn;
}

/** Curves of one unit each: what is drawn in one picture. */
export function byUnit(drawn: Drawn): [string, Drawn][] {
  const units = [...new Set(Object.values(drawn.units))];
  return units.map((unit) => {
    const names = Object.keys(drawn.lines).filter((n) => drawn.units[n] === unit);
    const lines = Object.fromEntries(names.map((n) => [n, drawn.lines[n]]));
    return [unit, { times: drawn.times, lines, units: drawn.units }];
  });
}

/** How a run went that is over: windows and ledger over time, and its events. */
export function Story({ run }: { run: Run }) {
  const [told, setTold] = useState<Told | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let wanted = true;
    setTold(null);
    setProblem("");
    link.ask<Told>("story", { run: run.number }).then((t) => wanted && setTold(t), (e: Error) => wanted && setProblem(e.message));
    return () => {
      wanted = false;
    };
  }, [run.number]);
  const windows = useMemo(
    () => told && { times: told.windows.times, lines: { window: told.windows.sizes }, units: { window: "s" } },
    [told],
  );
  const pictures = useMemo(() => (told?.created ? byUnit(told.created) : []), [told]);
  const gaps = useMemo(() => (told?.disagreed ? byUnit(told.disagreed) : []), [told]);
  if (problem) return <p className="note">{problem}</p>;
  if (told === null) return null;
  const same = told.smallest !== null && told.largest !== null && told.largest - told.smallest < 1e-6 * told.largest;
  return (
    <>
      {pictures.map(([unit, drawn]) => <MiniPlot key={unit} title={`Created by coupling, in ${unit}`} drawn={drawn} />)}
      {gaps.map(([unit, drawn]) => <MiniPlot key={unit} title={`Ports that meet disagree, in ${unit || "1"}`} drawn={drawn} />)}
      {windows && told.smallest !== null && (
        same
          ? <div><h3>Windows</h3><p>All of {number(told.largest)} s.</p></div>
          : <MiniPlot title={`Windows, ${number(told.smallest)} to ${number(told.largest)} s`} drawn={windows} logarithmic={told.largest! > 20 * told.smallest} stepped />
      )}
      {told.event_count > 0 && <Events events={told.events} count={told.event_count} />}
    </>
  );
}

function Events({ events, count }: { events: Event[]; count: number }) {
  return (
    <div>
      <h3>Events ({count})</h3>
      <ul className="events" aria-label="Events">
        {events.map((event) => (
          <li key={event.time}>
            <button title="Show it in the plots" onClick={() => set({ lower: "plots", jump: { time: event.time } })}>
              <b>t = {number(event.time)} s</b>
              <span>{event.jumps.length > 0 ? event.jumps.map((j) => `${j.name}: ${number(j.from)} → ${number(j.to)}`).join(", ") : "no recorded signal jumps"}</span>
            </button>
          </li>
        ))}
      </ul>
      {count > events.length && <p className="note">and {count - events.length} later ones</p>}
    </div>
  );
}
