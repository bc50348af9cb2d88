
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

/** Seconds for people. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Room around a drawing that is fitted: for the buttons above it and wires that lead back below. */
export const FIT = {
  padding: { top: "56px", left: "64px", right: "48px", bottom: "72px" },
  maxZoom: 1.25,
  includeHiddenNodes: true, // of a large drawing seen from afar, whose blocks are painted
} as const;

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
