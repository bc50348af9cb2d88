/** How a junction is solved: by a coordinator, or as the run chooses. */

import { edit, get } from "./store";
import type { Coordinator } from "./types";

/** What a menu offers for a junction. */
export function solvingItems(junction: string): { text: string; act: () => void }[] {
  const now = get().shown!.drawing.bonds.find((b) => b.junction === junction)?.coordinator;
  const known = get().coordinators;
  const ways = known.map((one) => ({
    text: `${now?.startsWith(one.model) ? "✓ " : ""}Solve it by ${one.name.toLowerCase()}`,
    act: () => coordinate(junction, one),
  }));
  return now === undefined ? ways : [...ways, { text: "Let the run choose how to solve it", act: () => void edit({ do: "coordinate", junction }) }];
}

export function coordinate(junction: string, one: Coordinator): void {
  void edit({ do: "coordinate", junction, coordinator: one.model });
}
