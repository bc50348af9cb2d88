/** What the server says, as `src/dovetail/studio` makes it. */

export interface Pin {
  name: string;
  kind: "signal" | "tuned" | "power";
  linked: boolean;
  type: string;
  unit: string | null;
  at?: [number, number]; // where it is on its block, if not in a row
  signal?: string | null; // inside a group: what a run calls it
  outside?: string[]; // inside a group: what is connected from outside
}

export interface Mark {
  x: number;
  y: number;
  width: number;
  height: number;
  text: string;
  colour: string;
}

export interface Block {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
  cycle: number | null;
  junction?: boolean;
  kind?: string;
  model?: string;
  left?: Pin[];
  right?: Pin[];
  hidden?: [number, number];
  group?: boolean; // there is a drawing inside
  colour?: string;
}

export interface WireData {
  source: string;
  target: string;
  gain: number;
  offset: number;
  convert: boolean;
  table: [unknown, unknown][];
  label: string;
  cycle: number | null;
  way?: [number, number][]; // its corners, if it has some of its own
  signal?: string | null;
}

export interface Bond {
  from: [string, string];
  to: [string, string];
  junction: string;
  coordinator?: string;
}

export interface Drawing {
  revision: number;
  name: string;
  file: string | null;
  saved: boolean;
  trusted: boolean;
  undo: string;
  redo: string;
  notes: string[];
  blocks: Block[];
  wires: WireData[];
  bonds: Bond[];
  marks: Mark[];
  inside: string[]; // the way into the group that is shown
  settings: Record<string, unknown>;
  plots?: { signals: string[]; over: string }[];
}

export interface Problem {
  what: string;
  warning: boolean;
  part: string;
  variable: string;
}

export interface Check {
  ok: boolean;
  problems: Problem[];
  cycles: string[][];
  loops: string[][];
}

export interface Shown {
  drawing: Drawing;
  check: Check;
  wanted: string | null;
}

export interface VariableData {
  name: string;
  type: string;
  unit: string | null;
  start: unknown;
  value: unknown;
  given: boolean;
  minimum: number | null;
  maximum: number | null;
  literals: string[];
  description: string;
  variability: string;
  fed?: string | null;
}

export interface Details {
  name: string;
  kind: string;
  model: string;
  states: number | null;
  parameters: VariableData[];
  inputs: VariableData[];
  outputs: VariableData[];
  ports: { name: string; domain: string; effort: string; flow: string }[];
  abilities: { what: string; able: boolean }[];
  against_rollback: string;
  has_documentation: boolean;
}

export interface Offer {
  group: string;
  model: string;
  name: string;
  note: string;
  options?: Record<string, string>;
}

/** A server with its parts, or what is wrong with it. */
export interface Server {
  address: string;
  access: Record<string, string>;
  parts: { name: string; note: string; kind: string; model: string; inputs: number; outputs: number; parameters: number }[];
  problem: string;
}

export interface Coordinator {
  model: string;
  name: string;
  note: string;
}

export interface Library {
  offers: Offer[];
  files: { name: string; kind: string; size: number }[];
  examples: { name: string; title: string; purpose: string }[];
  templates: { kind: string; title: string; purpose: string }[];
  folder: string;
}

export interface InputEnd {
  end: string;
  unit: string | null;
  type: string;
  fed: string | null;
}

export interface Ends {
  inputs: InputEnd[];
  outputs: { end: string; unit: string | null; type: string; feeds: number }[];
}

export interface Run {
  number: number;
  system: string;
  file: string;
  state: "starting" | "running" | "paused" | "finished" | "stopped" | "failed";
  settings: Record<string, unknown>;
  rows: number;
  signals: string[];
  units: Record<string, string>;
  kinds?: Record<string, string>; // of signals that are no reals
  literals?: Record<string, string[]>;
  pace?: number | null;
  late?: number;
  marks?: { number: number; time: number }[];
  unmarked?: string;
  start?: number;
  stop?: number;
  time?: number | null;
  windows?: number;
  algorithm?: string;
  controller?: string;
  text?: string;
  said?: string;
  status?: string;
  lines?: string[];
  weakest?: string | null;
  errors?: [string, number][];
  native_windows?: number;
  evaluations?: number;
  events?: number;
  seconds?: number;
  seconds_by_part?: Record<string, number>;
  messages?: string[];
  change?: { done: boolean; name: string; value?: unknown; text?: string };
}

export interface Advice {
  text: string;
  run: Record<string, unknown> | null;
  lines: string[];
  problem: string;
  speed?: string;
}

export interface Answer {
  id: number | null;
  answer?: unknown;
  kind?: "refused" | "question" | "trust";
  about?: string;
  problems?: { where: string; what: string }[];
}
