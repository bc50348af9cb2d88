
/** `part.variable` in two; a part has no dot in its name, a variable may. */
export function endOf(text: string): [string, string] {
  const dot = text.indexOf(".");
  return [text.slice(0, dot), text.slice(dot + 1)];
}

/** A value in few digits. */
export function number(value: unknown): string {
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  return value.toPrecision(4).replace(/\.?0+(?=e|$)/, "");
}

/** The same where there is little room. */
export function short(value: unknown): string {
  if (typeof value !== "number" || (Number.isInteger(value) && Math.abs(value) < 1e4)) return number(value);
  return value.toPrecision(3).replace(/\.?0+(?=e|$)/, "").replace("e+", "e");
}

/** Seconds for people. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Room around a drawing that is fitted: for the buttons above it and wires that lead back below. */
export const FIT = {
  padding: { top: "56px", left: "68px", right: "68px", bottom: "72px" },
  maxZoom: 1.25,
  includeHiddenNodes: true, // of a large drawing seen from afar, whose blocks are painted
} as const;

/** One part in the middle, with what is around it. */
export const near = (part: string) => ({ nodes: [{ id: part }], maxZoom: 1.2, duration: 200, padding: 0.8, includeHiddenNodes: true });

/** Where a block has room, as near to a point as can be: its upper left corner. */
export function freeSpot(middle: { x: number; y: number }, taken: { x: number; y: number; width: number; height: number }[]): { x: number; y: number } {
  const [wide, high, gap] = [160, 120, 24];
  const hits = (x: number, y: number) => taken.some((b) => x < b.x + b.width + gap && x + wide + gap > b.x && y < b.y + b.height + gap && y + high + gap > b.y);
  for (let ring = 0; ring < 60; ring++)
    for (let k = 0; k < Math.max(1, 8 * ring); k++) {
      const angle = (2 * Math.PI * k) / Math.max(1, 8 * ring);
      const [x, y] = [middle.x - wide / 2 + 40 * ring * Math.cos(angle), middle.y - high / 2 + 40 * ring * Math.sin(angle)];
      if (!hits(x, y)) return { x, y };
    }
  return { x: middle.x, y: middle.y };
}

const PALETTE = ["#2a6fdb", "#d9480f", "#2b8a3e", "#9c36b5", "#c92a2a", "#0b7285", "#e67700", "#5f3dc4"];

/** The colour of a curve among the signals of its plot. */
export const colourOf = (names: string[], name: string): string => colourAt(Math.max(0, names.indexOf(name)));

export const colourAt = (place: number): string => PALETTE[place % PALETTE.length];

/** A little more than the values take; a range that floating point can divide, also for a constant. */
export function tall(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const least = Math.max(1e-9 * Math.max(Math.abs(low), Math.abs(high)), 1e-300);
  if (high - low < least) {
    const middle = (low + high) / 2;
    const half = Math.abs(middle) * 0.05 || 1;
    return [middle - half, middle + half];
  }
  const room = 0.06 * (high - low);
  return [low - room, high + room];
}
