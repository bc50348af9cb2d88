import { colourAt } from "./names";
import { type Rows, stretchesOf, wordOf } from "./rows";

export const LANE = 30; // px

export interface Lane extends Rows {
  label: string;
  kind: string;
  literals?: string[];
}

export interface View {
  min: number;
  max: number;
  left: number;
  width: number;
}

/** The colour of a value: no colour is that of false, or of none. */
export function shadeOf(kind: string, value: number): string {
  if (Number.isNaN(value)) return "none";
  return kind === "boolean" ? (value ? colourAt(0) : "none") : colourAt(Math.max(0, Math.round(value)));
}

/** Booleans and enumerations over time: a lane each, with the words for its values. */
export function Lanes({ lanes, view }: { lanes: Lane[]; view: View | null }) {
  if (lanes.length === 0 || view === null) return null;
  const at = (time: number) => view.left + ((time - view.min) / (view.max - view.min)) * view.width;
  const end = view.left + view.width;
  return (
    <svg className="lanes" height={LANE * lanes.length} width="100%" role="img" aria-label={lanes.map((l) => l.label).join(", ")}>
      {lanes.map((lane, row) => (
        <g key={lane.label} transform={`translate(0,${row * LANE})`}>
          <text x={view.left} y={11}>{lane.label}</text>
          <rect className="lane" x={view.left} y={15} width={view.width} height={13} />
          {stretchesOf(lane).map(({ from, to, value }) => {
            const x1 = Math.max(view.left, at(from));
            const x2 = Math.min(end, at(to));
            if (x2 <= x1) return null;
            const word = wordOf(lane.kind, value, lane.literals);
            const fill = shadeOf(lane.kind, value);
            return (
              <g key={from}>
                <rect x={x1} y={15} width={x2 - x1} height={13} fill={fill}>
                  <title>{`${lane.label}: ${word} from ${from} s to ${to} s`}</title>
                </rect>
                {x2 - x1 > 8 + 7 * word.length && <text className={fill === "none" ? "" : "on"} x={x1 + 4} y={25}>{word}</text>}
              </g>
            );
          })}
        </g>
      ))}
    </svg>
  );
}
