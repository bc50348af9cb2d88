import { Handle, type NodeProps, Position } from "@xyflow/react";
import { useStudio } from "./store";
import type { Block, Check, Pin } from "./types";
import { HEADER, ROW } from "./wires";

export type BlockData = { block: Block } & Record<string, unknown>;

function pinTitle(pin: Pin): string {
  const unit = pin.unit ? ` in ${pin.unit}` : "";
  return pin.kind === "power" ? `power port ${pin.name}, ${pin.type}` : `${pin.name}: ${pin.type}${unit}`;
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

function PinRow({ part, pin, k, side }: { part: string; pin: Pin; k: number; side: "left" | "right" }) {
  const signal = `${part}.${pin.name}`;
  const fit = useFit(signal);
  const sort = pin.kind === "power" ? "port" : side === "left" ? "in" : "out";
  const top = HEADER + ROW * (k + 0.5);
  return (
    <>
      <Handle
        id={`${sort}:${pin.name}`}
        type={side === "left" ? "target" : "source"}
        position={side === "left" ? Position.Left : Position.Right}
        style={{ top }}
        className={`pin ${pin.kind}${pin.linked ? " linked" : ""}${fit}`}
        title={pinTitle(pin)}
      />
      <span
        className={`pinname ${side}${fit}`}
        style={{ top: top - ROW / 2 }}
        title={pinTitle(pin)}
        data-signal={pin.kind === "power" ? undefined : signal}
      >
        {pin.name}
      </span>
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

export function BlockNode({ data, selected }: NodeProps & { data: BlockData }) {
  const { block } = data;
  const left = block.left ?? [];
  const right = block.right ?? [];
  const failing = useStudio((s) => failingIn(s.shown!.check).has(block.name));
  const cycle = block.cycle === null ? "" : ` c${block.cycle % 5}`;
  return (
    <div className={`block${selected ? " selected" : ""}${failing ? " failing" : ""}${cycle}`}>
      <header>
        <b>{block.name}</b>
        <span>{block.model}</span>
      </header>
      {left.map((pin, k) => <PinRow key={`${pin.kind}${pin.name}`} part={block.name} pin={pin} k={k} side="left" />)}
      {right.map((pin, k) => <PinRow key={`${pin.kind}${pin.name}`} part={block.name} pin={pin} k={k} side="right" />)}
      {block.hidden && block.hidden[0] > 0 && (
        <span className="pinname left more" style={{ top: HEADER + ROW * left.length }}>+ {block.hidden[0]} more</span>
      )}
      {block.hidden && block.hidden[1] > 0 && (
        <span className="pinname right more" style={{ top: HEADER + ROW * right.length }}>+ {block.hidden[1]} more</span>
      )}
    </div>
  );
}

export function JunctionNode({ data }: NodeProps & { data: BlockData }) {
  const fit = useFit(`${data.block.name}.junction`);
  return (
    <div className={`junction${fit}`} title={data.block.name}>
      <Handle id="junction" type="source" position={Position.Right} className="pin junctionpin" />
    </div>
  );
}
