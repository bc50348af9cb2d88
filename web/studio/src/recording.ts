/** What a run records, chosen by a right click. */

import { giveSetting } from "./settings";
import { get } from "./store";

export interface Item {
  text: string;
  act: () => void;
}

/** The patterns of the settings; null where everything is recorded. */
export function recorded(settings: Record<string, unknown>): string[] | null {
  const { record } = settings;
  if (record === undefined || record === null || record === "*") return null;
  return (Array.isArray(record) ? record : [record]).map(String);
}

/** Whether a pattern with * and ? means this signal. */
export function means(pattern: string, signal: string): boolean {
  const text = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".");
  return new RegExp(`^${text}$`).test(signal);
}

const give = (record: string[] | null): void => void giveSetting("record", record ?? undefined);

/** What a menu offers for a signal. */
export function recordItems(signal: string): Item[] {
  const now = recorded(get().shown!.drawing.settings);
  if (now === null) return [{ text: `Record only ${signal}`, act: () => give([signal]) }];
  const items: Item[] = [];
  if (!now.some((pattern) => means(pattern, signal))) items.push({ text: `Record ${signal}`, act: () => give([...now, signal]) });
  else if (now.includes(signal) && now.length > 1) items.push({ text: `Do not record ${signal}`, act: () => give(now.filter((n) => n !== signal)) });
  return [...items, { text: "Record everything", act: () => give(null) }];
}
