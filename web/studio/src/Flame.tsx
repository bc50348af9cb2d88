import { colourAt, number } from "./names";

export interface Piece {
  name: string;
  seconds: number;
  share: number;
}

/** What parts took of a run, the most expensive first, and what is left for all else. */
export function piecesOfTime(whole: number, parts: Record<string, number>): Piece[] {
  const used = Object.values(parts).reduce((sum, s) => sum + s, 0);
  const total = Math.max(whole, used) || 1;
  const found = Object.entries(parts)
    .sort((a, b) => b[1] - a[1])
    .map(([name, seconds]) => ({ name, seconds, share: seconds / total }));
  const rest = total - used;
  return rest > 0 ? [...found, { name: "coupling and recording", seconds: rest, share: rest / total }] : found;
}

/** The time of a run as a bar, cut into what its parts took. */
export function Flame({ whole, parts }: { whole: number; parts: Record<string, number> }) {
  const pieces = piecesOfTime(whole, parts);
  return (
    <div className="flame">
      <div className="whole">run: {number(whole)} s</div>
      <div className="cut">
        {pieces.map((piece, k) => (
          <div
            key={piece.name}
            className={piece.name in parts ? "" : "rest"}
            style={{ width: `${100 * piece.share}%`, background: piece.name in parts ? colourAt(k) : undefined }}
            title={`${piece.name}: ${number(piece.seconds)} s, ${number(Math.round(1000 * piece.share) / 10)} %`}
          >
            {piece.share > 0.08 ? piece.name : ""}
          </div>
        ))}
      </div>
      <ul>
        {pieces.slice(0, 12).map((piece, k) => (
          <li key={piece.name}>
            <i style={{ background: piece.name in parts ? colourAt(k) : undefined }} />
            <span>{piece.name}</span>
            <small>{number(piece.seconds)} s, {number(Math.round(1000 * piece.share) / 10)} %</small>
          </li>
        ))}
      </ul>
    </div>
  );
}
