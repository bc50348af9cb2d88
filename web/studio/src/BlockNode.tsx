import { Handle, type NodeProps, Position, useUpdateNodeInternals } from "@xyflow/react";
import { type CSSProperties, type MouseEvent, useEffect, useRef, useState } from "react";
import { type BlockData, SIDES } from "./graph";
import { enter } from "./groups";
import { edit, set, useStudio } from "./store";
import type { Check, Pin } from "./types";
import { HEADER, ROW, sideOf, toBorder } from "./wires";

type Side = "left" | "right" | "top" | "bottom";

function pinTitle(pin: Pin): string {
  const unit = pin.unit ? ` in ${pin.unit}` : "";
  const outside = pin.outside ? `\nconnected outside: ${pin.outside.join(", ")}` : "";
  return (pin.kind === "power" ? `power port ${pin.name}, ${pin.type}` : `${pin.name}: ${pin.type}${unit}`) + outside;
}

/** Whether a pin takes the wire that is being dragged: yes, no, or no wire is dragged. */
function useFit(name: string): string {
  return useStudio((s) => {
    if (s.dragged === null) return "";
    if (s.dragged.end === name) return "";
    const why = s.dragged.reasons[name];
    return why === "" ? " fits" : " misfits";
  });
}

/** Where a pin and its name are: in a row, or where it was put. */
function placesOf(at: [number, number] | undefined, k: number, usual: "left" | "right"): { side: Side; pin: CSSProperties; name: CSSProperties } {
  if (!at) {
    const top = HEADER + ROW * (k + 0.5);
    return { side: usual, pin: { top }, name: { top: top - ROW / 2 } };
  }
  const side = sideOf(at);
  const [x, y] = at.map((share) => `${share * 100}%`);
  const level = { top: `calc(${y} - ${ROW / 2}px)` };
  const name = { left: level, right: level, top: { left: x, bottom: "calc(100% + 8px)" }, bottom: { left: x, top: "calc(100% + 8px)" } }[side];
  return { side, pin: { left: x, top: y, right: "auto", bottom: "auto", transform: "translate(-50%, -50%)" }, name };
}

function PinRow({ part, pin, k, usual, at }: { part: string; pin: Pin; k: number; usual: "left" | "right"; at?: [number, number] }) {
  const name = `${part}.${pin.name}`;
  const signal = pin.signal === undefined ? name : pin.signal;
  const fit = useFit(name);
  const sort = pin.kind === "power" ? "port" : usual === "left" ? "in" : "out";
  const place = placesOf(at, k, usual);
  const asked = { onMouseEnter: () => set({ lit: name }), onMouseLeave: () => set({ lit: part }) };
  return (
    <>
      <Handle
        id={`${sort}:${pin.name}`}
        type={usual === "left" ? "target" : "source"}
        position={SIDES[place.side]}
        style={place.pin}
        className={`pin nokey ${pin.kind}${pin.linked ? " linked" : ""}${pin.outside ? " outside" : ""}${fit}`}
        title={pinTitle(pin)}
        data-pin={name}
        {...asked}
      />
      <span
        className={`pinname ${place.side}${at ? " free" : ""}${fit}`}
        style={place.name}
        title={pinTitle(pin)}
        data-pin={name}
        data-signal={pin.kind === "power" ? undefined : (signal ?? undefined)}
        {...asked}
      >
        {pin.name}
      </span>
      {pin.outside && (
        <span className={`beyond ${place.side}`} style={place.name} title={pinTitle(pin)}>
          {pin.kind === "power" ? `= ${pin.outside[0]}` : usual === "left" ? `${pin.outside[0]} →` : `→ ${pin.outside[0]}`}
          {pin.outside.length > 1 && ` +${pin.outside.length - 1}`}
        </span>
      )}
    </>
  );
}

const failures = new WeakMap<Check, Set<string>>();

/** The parts that something stands against. */
function failingIn(check: Check): Set<string> {
  let found = failures.get(check);
  if (!found) failures.set(check, (found = new Set(check.problems.filter((p) => !p.warning).map((p) => p.part))));
  return found;
}

export function BlockNode({ id, data, selected }: NodeProps & { data: BlockData }) {
  const { block } = data;
  const left = block.left ?? [];
  const right = block.right ?? [];
  const failing = useStudio((s) => s.shown!.drawing.inside.length === 0 && failingIn(s.shown!.check).has(block.name));
  const [moved, setMoved] = useState<{ name: string; at: [number, number] } | null>(null);
  const update = useUpdateNodeInternals();
  const places = [...left, ...right].map((p) => p.at?.join() ?? "").join(" ");
  const known = useRef(places); // the first ones came with the node
  useEffect(() => {
    if (known.current === places) return;
    known.current = places;
    setMoved(null);
    update(id);
  }, [id, places, update]);
  useEffect(() => void (moved && update(id)), [id, moved, update]);
  /** A pin that is dragged with Alt moves along the border of its block. */
  const grab = (event: MouseEvent<HTMLDivElement>) => {
    const name = (event.target as HTMLElement).closest<HTMLElement>(".pin[data-pin]")?.dataset.pin;
    if (!event.altKey || !name) return;
    event.preventDefault();
    event.stopPropagation();
    const box = event.currentTarget.getBoundingClientRect();
    let at: [number, number] | null = null;
    const move = (e: globalThis.MouseEvent) => {
      at = toBorder([(e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height]);
      setMoved({ name, at });
    };
    const up = () => {
      removeEventListener("mousemove", move);
      removeEventListener("mouseup", up);
      if (at !== null) void edit({ do: "pin", name, at }).then((done) => done || setMoved(null));
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", up);
  };
  const row = (usual: "left" | "right") => (pin: Pin, k: number) => (
    <PinRow
      key={`${pin.kind}${pin.name}`}
      part={block.name}
      pin={pin}
      k={k}
      usual={usual}
      at={moved?.name === `${block.name}.${pin.name}` ? moved.at : pin.at}
    />
  );
  const cycle = block.cycle === null ? "" : ` c${block.cycle % 5}`;
  const looks = `${block.group ? " group" : ""}${block.colour ? ` paint-${block.colour}` : ""}`;
  return (
    <div
      className={`block${selected ? " selected" : ""}${failing ? " failing" : ""}${cycle}${looks}`}
      onMouseDownCapture={grab}
      onMouseEnter={() => set({ lit: block.name })}
      onMouseLeave={() => set({ lit: null })}
      onDoubleClick={() => block.group && void enter(block.name)}
    >
      <header>
        <b>{block.name}</b>
        <span>{block.model}</span>
      </header>
      {left.map(row("left"))}
      {right.map(row("right"))}
      {block.hidden && block.hidden[0] > 0 && (
        <span className="pinname left more" style={{ top: HEADER + ROW * left.length }}>+ {block.hidden[0]} more</span>
      )}
      {block.hidden && block.hidden[1] > 0 && (
        <span className="pinname right more" style={{ top: HEADER + ROW * right.length }}>+ {block.hidden[1]} more</span>
      )}
    </div>
  );
}

/** Where power ports meet; its rim is dragged to move it, its middle to connect it. */
export function JunctionNode({ data, selected }: NodeProps & { data: BlockData }) {
  const fit = useFit(`${data.block.name}.junction`);
  return (
    <div className={`junction${fit}${selected ? " selected" : ""}`} title={data.block.name}>
      <Handle id="junction" type="source" position={Position.Right} className="pin junctionpin" />
    </div>
  );
}
