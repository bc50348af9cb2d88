/** Changes of the settings of the run, one after another: each of them sends all settings. */

import { edit, get } from "./store";

type Settings = Record<string, unknown>;
let last: Promise<unknown> = Promise.resolve();

/** When all that was typed so far has arrived. */
export const settled = (): Promise<unknown> => last;

/** Give one of them another value; undefined takes it away. */
export function giveSetting(name: string, value: unknown): Promise<unknown> {
  last = last.then(async () => {
    const { [name]: before, ...rest } = get().shown!.drawing.settings as Settings;
    const run = value === undefined ? rest : { ...rest, [name]: value };
    if (JSON.stringify(value) !== JSON.stringify(before)) await edit({ do: "settings", run });
  });
  return last;
}
