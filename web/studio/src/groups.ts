/** Groups, notes and how blocks look: what keys, menus and the palette have in common. */

import type { Action } from "./actions";
import { edit, get, request, set } from "./store";

export const PAINTS = ["red", "orange", "yellow", "green", "blue", "purple", "grey"] as const;

/** Of these blocks the parts, without junctions. */
export function onlyParts(names: string[]): string[] {
  const blocks = get().shown?.drawing.blocks ?? [];
  return names.filter((p) => blocks.some((b) => b.name === p && !b.junction));
}

/** Selected parts. */
export const chosen = (): string[] => onlyParts(get().selection.parts);

/** Selected junctions. */
export const chosenJunctions = (): string[] => {
  const parts = new Set(chosen());
  return get().selection.parts.filter((p) => !parts.has(p));
};

export const inside = (): string[] => get().shown?.drawing.inside ?? [];

/** Look into a group of what is shown, or at the drawing along a path. */
export function enter(part: string): Promise<unknown> {
  return goTo([...inside(), part]);
}

export function goTo(path: string[]): Promise<unknown> {
  set({ selection: { parts: [], wire: null, junction: null } });
  return request("enter", { path });
}

export const leave = (): Promise<unknown> => (inside().length > 0 ? goTo(inside().slice(0, -1)) : Promise.resolve());

export async function group(names = chosen()): Promise<void> {
  const parts = onlyParts(names);
  if (parts.length === 0) return;
  const taken = new Set(get().shown!.drawing.blocks.map((b) => b.name));
  let name = "group";
  for (let k = 2; taken.has(name); k++) name = `group${k}`;
  if (await edit({ do: "group", parts, name })) set({ selection: { parts: [name], wire: null, junction: null }, dialog: { what: "rename", part: name } });
}

export async function ungroup(parts = chosen()): Promise<void> {
  const blocks = get().shown!.drawing.blocks;
  for (const part of parts) if (blocks.find((b) => b.name === part)?.group) await edit({ do: "ungroup", part });
}

/** One command for parts, if there are some. */
function ofParts(names: string[], command: Record<string, unknown>): unknown {
  const parts = onlyParts(names);
  return parts.length > 0 && edit({ ...command, parts });
}

export const turn = (parts = chosen(), quarters = 1) => ofParts(parts, { do: "turn", quarters });

export const mirror = (across: "x" | "y", parts = chosen()) => ofParts(parts, { do: "mirror", across });

export const paint = (colour: string | null, parts = chosen()) => ofParts(parts, { do: "paint", colour });

/** A note at a place of the paper, to be written into at once. */
export async function note(at: { x: number; y: number }, colour: string | null = null): Promise<void> {
  const number = get().shown!.drawing.marks.length;
  const size = colour === null ? [180, 60] : [320, 220];
  const made = await edit({ do: "note", text: "", at: [Math.round(at.x), Math.round(at.y), ...size], colour });
  if (made) set({ selection: { parts: [], wire: null, junction: null, notes: [number] }, writing: number });
}

/** What was copied, and in which group. */
let copied: { parts: string[]; source: string[]; file: string | null } | null = null;

export function copy(): void {
  const parts = chosen();
  if (parts.length > 0) copied = { parts, source: inside(), file: get().shown!.drawing.file };
}

/** What was copied, with its middle at a point: one step of undo. */
export async function paste(at: { x: number; y: number }): Promise<void> {
  if (copied === null || copied.file !== get().shown!.drawing.file) return;
  const { parts, source } = copied;
  const before = new Set(get().shown!.drawing.blocks.map((b) => b.name));
  const place = [Math.round(at.x), Math.round(at.y)];
  const here = source.join(".") === inside().join(".");
  if (!(await edit({ do: "copy", parts, at: place, ...(here ? {} : { source }) }))) return;
  const made = get().shown!.drawing.blocks.filter((b) => !before.has(b.name) && !b.junction).map((b) => b.name);
  set({ selection: { parts: made, wire: null, junction: null } });
}

export const hasCopied = (): boolean => copied !== null;

/** Of these, what the palette offers now. */
export function groupActions(): Action[] {
  const parts = chosen();
  const { shown, wiresHidden } = get();
  const found: Action[] = [
    { title: wiresHidden ? "Show all wires" : "Hide wires", key: "W", act: () => set({ wiresHidden: !wiresHidden }) },
  ];
  if (inside().length > 0) found.push({ title: "Leave this group", key: "Alt+Up", act: leave });
  if (parts.length === 0) return found;
  const them = parts.length === 1 ? parts[0] : `${parts.length} parts`;
  found.push(
    { title: `Make a group of ${them}`, key: "Ctrl+G", act: () => group(parts) },
    { title: `Turn ${them}`, key: "R", act: () => turn(parts) },
    { title: `Mirror ${them} left to right`, key: "X", act: () => mirror("x", parts) },
    { title: `Mirror ${them} upside down`, key: "Y", act: () => mirror("y", parts) },
    ...PAINTS.map((colour) => ({ title: `Paint ${them} ${colour}`, act: () => paint(colour, parts) })),
    { title: `Take the colour of ${them} away`, act: () => paint(null, parts) },
  );
  const group_ = parts.length === 1 && shown!.drawing.blocks.find((b) => b.name === parts[0])?.group;
  if (group_)
    found.push(
      { title: `Look into ${parts[0]}`, key: "Enter", act: () => enter(parts[0]) },
      { title: `Take the group ${parts[0]} apart`, key: "Ctrl+Shift+G", act: () => ungroup(parts) },
    );
  return found;
}
