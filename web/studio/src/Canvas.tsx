import {
  Background,
  type Connection,
  ConnectionMode,
  Controls,
  type Edge,
  MarkerType,
  MiniMap,
  type Node,
  type NodeChange,
  type NodeHandle,
  applyNodeChanges,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { type DragEvent, type MouseEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type BlockData, BlockNode, JunctionNode } from "./BlockNode";
import { endOf, FIT, number } from "./names";
import { startTour } from "./Tour";
import { WireEdge } from "./WireEdge";
import { WireLayer } from "./WireLayer";
import { FAR, MANY, nearest, PIN, pinAt, waysOf } from "./wires";
import { recordItems } from "./recording";
import { coordinate, solvingItems } from "./solving";
import { edit, get, link, place, plot, reloadLibrary, request, set, toast, useStudio } from "./store";
import type { Block, Drawing } from "./types";

const NODES = { part: BlockNode, junction: JunctionNode };
const EDGES = { wire: WireEdge };
export const COLOURS = ["c0", "c1", "c2", "c3", "c4"];

/** Blocks of the drawing as nodes. */
export function nodesOf(drawing: Drawing, selected: string[]): Node<BlockData>[] {
  return drawing.blocks.map((block) => ({
    id: block.name,
    type: block.junction ? "junction" : "part",
    position: { x: block.x, y: block.y },
    width: block.width,
    height: block.height,
    measured: { width: block.width, height: block.height },
    handles: handlesOf(block),
    data: { block },
    draggable: !block.junction,
    selected: selected.includes(block.name),
  }));
}

/** Where the pins of a block are: wires to blocks that were never in sight know it from here. */
function handlesOf(block: Block): NodeHandle[] {
  const made = (id: string, sort: "in" | "out" | "port", name: string, type: "source" | "target", position: Position): NodeHandle => {
    const [x, y] = pinAt(block, sort, name);
    return { id, type, position, x: x - block.x - PIN / 2, y: y - block.y - PIN / 2, width: PIN, height: PIN };
  };
  if (block.junction) return [made("junction", "port", "", "source", Position.Right)];
  const left = (block.left ?? []).map((p) => {
    const sort = p.kind === "power" ? "port" : "in";
    return made(`${sort}:${p.name}`, sort, p.name, "target", Position.Left);
  });
  const right = (block.right ?? []).map((p) => {
    const sort = p.kind === "power" ? "port" : "out";
    return made(`${sort}:${p.name}`, sort, p.name, "source", Position.Right);
  });
  return [...left, ...right];
}

/** Wires and bonds as edges; with values, where a run gives some. */
export function edgesOf(
  drawing: Drawing,
  selected: string | null,
  last: Record<string, number | string>,
  weakest: string | null,
): Edge[] {
  const bottoms = new Map(drawing.blocks.map((b) => [b.name, b.y + b.height]));
  const wires: Edge[] = drawing.wires.map((wire, lane) => {
    const [from, out] = endOf(wire.source);
    const [to, into] = endOf(wire.target);
    const value = last[wire.source];
    const words = [wire.label, value === undefined ? "" : number(value)].filter(Boolean);
    const marked = weakest === `${wire.source} -> ${wire.target}`;
    const names = ["wire", wire.cycle === null ? "" : COLOURS[wire.cycle % COLOURS.length], marked ? "weakest" : ""];
    return {
      id: wire.target,
      source: from,
      target: to,
      sourceHandle: `out:${out}`,
      targetHandle: `in:${into}`,
      type: "wire",
      data: {
        low: Math.max(bottoms.get(from) ?? 0, bottoms.get(to) ?? 0),
        lane,
        words: words.join("  "),
        marked,
      },
      className: names.filter(Boolean).join(" "),
      selected: wire.target === selected,
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, markerUnits: "userSpaceOnUse" },
    };
  });
  const bonds: Edge[] = drawing.bonds.map((bond, k) => ({
    id: `bond ${k}`,
    source: bond.from[0],
    target: bond.to[0],
    sourceHandle: bond.from[1] ? `port:${bond.from[1]}` : "junction",
    targetHandle: bond.to[1] ? `port:${bond.to[1]}` : "junction",
    type: "straight",
    className: weakest !== null && weakest.includes(bond.junction) ? "bond weakest" : "bond",
    selectable: false,
  }));
  return [...wires, ...bonds];
}

export function Canvas({ theme }: { theme: string }) {
  const drawing = useStudio((s) => s.shown!.drawing);
  const selection = useStudio((s) => s.selection);
  const run = useStudio((s) => s.runs.find((r) => r.number === s.run));
  const last = useStudio((s) => (s.run === null ? undefined : s.last[s.run]));
  const hint = useStudio((s) => s.hint);
  const flow = useReactFlow();
  const [nodes, setNodes] = useState<Node<BlockData>[]>([]);
  const fitted = useRef<string | null | undefined>(undefined);

  useEffect(() => void setNodes(nodesOf(drawing, selection.parts)), [drawing, selection.parts]);
  const weakest = run?.weakest ?? null;
  const many = drawing.wires.length > MANY;
  const [near, setNear] = useState<string | null>(null); // the wire below the mouse, among many
  const far = useStore((s) => many && s.transform[2] < FAR);
  const all = useMemo(() => edgesOf(drawing, selection.wire, last ?? {}, weakest), [drawing, selection.wire, last, weakest]);
  const edges = useMemo(
    () => (many ? all.filter((e) => e.id === near || e.selected || e.className?.includes("weakest")) : all),
    [all, many, near],
  );
  const seen = useMemo(() => (far ? nodes.map((n) => ({ ...n, hidden: true })) : nodes), [far, nodes]);
  const ways = useMemo(() => {
    if (!many) return [];
    const places = new Map(nodes.map((n) => [n.id, n.position]));
    const strong: Record<string, string> = { [weakest?.split(" -> ")[1] ?? ""]: "--bad", [selection.wire ?? ""]: "--accent" };
    return waysOf(drawing, places, strong, (source, label) => [label, last?.[source] === undefined ? "" : number(last[source])].filter(Boolean).join("  "));
  }, [drawing, many, nodes, last, weakest, selection.wire]);
  const sought = (event: MouseEvent) => {
    if (!many || event.buttons !== 0) return;
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    setNear(nearest(ways, [x, y], 7 / flow.getZoom()));
  };
  const home = useRef<HTMLDivElement>(null);
  const lower = useStudio((s) => s.table) || run !== undefined;
  useEffect(() => {
    if (!lower) return;
    const timer = setTimeout(() => void flow.fitView(FIT), 120);
    return () => clearTimeout(timer);
  }, [lower, flow]);
  useEffect(() => {
    const isOther = fitted.current !== drawing.file;
    fitted.current = drawing.file;
    if (drawing.blocks.length > 0 && isOther) {
      setTimeout(() => void flow.fitView(FIT), 60);
    }
  }, [drawing, flow]);

  const changed = useCallback((changes: NodeChange<Node<BlockData>>[]) => {
    setNodes((old) => applyNodeChanges(changes, old));
    const picked = changes.filter((c) => c.type === "select");
    if (picked.length === 0) return;
    const parts = new Set(get().selection.parts);
    for (const c of picked) c.selected ? parts.add(c.id) : parts.delete(c.id);
    const chosen = [...parts];
    set({
      selection: { parts: chosen, wire: null, junction: null },
      ...(chosen.length > 0 ? { tab: "inspect" as const } : {}),
    });
  }, []);

  const dropped = useCallback(
    async (event: DragEvent) => {
      event.preventDefault();
      const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
      const offer = event.dataTransfer.getData("application/x-dovetail");
      if (offer) {
        const { model, name, options } = JSON.parse(offer) as { model: string; name: string; options?: Record<string, string> };
        await place(model, name, at, options);
      }
      const solver = get().coordinators.find((c) => c.model === event.dataTransfer.getData("application/x-dovetail-coordinator"));
      const onto = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__node-junction")?.dataset.id;
      if (solver && onto) coordinate(onto, solver);
      else if (solver) toast("Drop it onto a junction.");
      for (const file of event.dataTransfer.files) await upload(file, at);
    },
    [flow],
  );

  return (
    <div ref={home} className="canvas" onDrop={dropped} onDragOver={(e) => e.preventDefault()}>
      <ReactFlow
        nodes={seen}
        edges={edges}
        nodeTypes={NODES}
        edgeTypes={EDGES}
        colorMode={theme === "system" ? "system" : (theme as "light" | "dark")}
        onNodesChange={changed}
        onPaneMouseMove={sought}
        onMoveStart={() => home.current?.classList.add("moving")}
        onMoveEnd={() => home.current?.classList.remove("moving")}
        onNodeDragStop={(_, __, moved) => {
          const places = Object.fromEntries(
            moved.map((n) => [n.id, [Math.round(n.position.x), Math.round(n.position.y)]]),
          );
          void edit({ do: "move", places });
        }}
        onEdgeClick={(_, edge) => {
          if (edge.id.startsWith("bond ")) return;
          set({ selection: { parts: [], wire: edge.id, junction: null }, tab: "inspect" });
        }}
        onPaneClick={(event) => {
          const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
          const at = far ? nodes.filter((n) => x >= n.position.x && x <= n.position.x + n.width! && y >= n.position.y && y <= n.position.y + n.height!) : [];
          const wire = at.length > 0 ? null : near;
          set({ selection: { parts: at.slice(-1).map((n) => n.id), wire, junction: null }, ...(at.length > 0 || wire ? { tab: "inspect" as const } : {}) });
        }}
        onNodeContextMenu={nodeMenu}
        onEdgeContextMenu={edgeMenu}
        onConnectStart={(_, from) => void begin(from.nodeId, from.handleId)}
        onConnect={connect}
        onConnectEnd={(_, state) => {
          const { dragged } = get();
          const to = state.toHandle;
          if (dragged && to && !state.isValid) {
            const why = dragged.reasons[`${to.nodeId}.${nameOf(to.id)}`];
            if (why) toast(why);
          }
          set({ dragged: null, hint: "" });
        }}
        isValidConnection={(c) => {
          const { dragged } = get();
          if (!dragged) return true;
          const there = otherEnd(c, dragged.end);
          const why = dragged.reasons[there];
          const wanted = why === undefined ? "" : why;
          if (get().hint !== wanted) queueMicrotask(() => set({ hint: wanted }));
          return why === "" || there.endsWith(".junction");
        }}
        connectionMode={ConnectionMode.Loose}
        connectionRadius={28}
        deleteKeyCode={null}
        multiSelectionKeyCode={["Shift", "Meta", "Control"]}
        selectionKeyCode="Shift"
        onlyRenderVisibleElements
        minZoom={0.05}
        maxZoom={3}
        proOptions={{ hideAttribution: false }}
      >
        <Background gap={20} />
        {many && <WireLayer ways={ways} nodes={nodes} theme={theme} />}
        <Controls showInteractive={false} fitViewOptions={FIT} position="top-left" orientation="horizontal" />
        {drawing.blocks.length > 14 && !far && <MiniMap pannable zoomable />}
      </ReactFlow>
      {drawing.blocks.length === 0 && (
        <Empty />
      )}
      {hint && <div className="hint" role="alert">{hint}</div>}
    </div>
  );
}

/** What an empty paper says: how to begin, and examples. */
function Empty() {
  const examples = useStudio((s) => s.library?.examples);
  return (
    <div className="empty">
      <p>Drag a model from the left onto this paper, or open a file.</p>
      <p>Then drag from an output to an input to connect them. Press ? for keys.</p>
      {examples && <p>Or begin with an example, copied into your folder:</p>}
      <div className="gallery">
        <button className="begin" onClick={() => void startTour()}>
          <b>A tour</b>
          <small>one minute, on the belt drive</small>
        </button>
        {examples?.map((one) => (
          <button key={one.name} onClick={() => void request("example", { name: one.name })}>
            <b>{one.title}</b>
            <small>{one.purpose}</small>
          </button>
        ))}
      </div>
    </div>
  );
}

const nameOf = (handle: string | null | undefined): string => (handle ?? "").replace(/^(in|out|port):/, "");

async function begin(node: string | null, handle: string | null): Promise<void> {
  if (!node || !handle) return;
  const end = `${node}.${nameOf(handle)}`;
  set({ dragged: { end, reasons: {} } });
  const block = get().shown?.drawing.blocks.find((b) => b.name === node);
  if (block?.junction) return;
  const reasons = await link.ask<Record<string, string>>("targets", { end }).catch(() => ({}));
  if (get().dragged?.end === end) set({ dragged: { end, reasons } });
}

function otherEnd(c: Connection | Edge, end: string): string {
  const one = `${c.source}.${nameOf(c.sourceHandle)}`;
  const other = `${c.target}.${nameOf(c.targetHandle)}`;
  return one === end ? other : one;
}

function connect(c: Connection): void {
  const ends = [
    { part: c.source, handle: c.sourceHandle ?? "" },
    { part: c.target, handle: c.targetHandle ?? "" },
  ];
  const text = (e: { part: string; handle: string }) => `${e.part}.${nameOf(e.handle)}`;
  const blocks = get().shown!.drawing.blocks;
  const met = ends.find((e) => blocks.find((b) => b.name === e.part)?.junction);
  if (met) {
    const port = ends.find((e) => e !== met)!;
    const bond = get().shown!.drawing.bonds.find((b) => b.junction === met.part);
    const there = bond && (bond.from[1] ? bond.from : bond.to);
    if (there) void edit({ do: "join", ports: [there.join("."), text(port)] });
    return;
  }
  if (ends.every((e) => e.handle.startsWith("port:"))) {
    void edit({ do: "join", ports: ends.map(text) });
    return;
  }
  const source = ends.find((e) => e.handle.startsWith("out:"));
  const target = ends.find((e) => e.handle.startsWith("in:"));
  if (source && target) void edit({ do: "connect", source: text(source), target: text(target) });
}

function nodeMenu(event: MouseEvent, node: Node): void {
  event.preventDefault();
  const block = get().shown!.drawing.blocks.find((b) => b.name === node.id);
  if (!block) return;
  const { clientX: x, clientY: y } = event;
  if (block.junction) {
    set({ menu: { x, y, items: [
      ...solvingItems(block.name),
      { text: "Take this junction apart", act: () => void edit({ do: "remove", junctions: [block.name] }) },
    ] } });
    return;
  }
  const pin = (event.target as HTMLElement).closest<HTMLElement>("[data-signal]")?.dataset.signal;
  const all = [...(block.right ?? []), ...(block.left ?? [])]
    .filter((p) => p.kind !== "power")
    .map((p) => `${block.name}.${p.name}`);
  const outs = (block.right ?? []).filter((p) => p.kind !== "power").map((p) => `${block.name}.${p.name}`);
  const panels = get().panels.length;
  set({
    menu: { x, y, items: [
      ...(pin ? [{ text: `Plot ${pin}`, act: () => plot([pin]) }] : []),
      ...(pin && panels ? [{ text: `Plot ${pin} in the last plot`, act: () => plot([pin], panels - 1) }] : []),
      ...(pin ? recordItems(pin) : []),
      { text: "Plot its outputs", act: () => plot(outs.length > 0 ? outs : all) },
      { text: "Rename …", act: () => set({ dialog: { what: "rename", part: block.name } }) },
      { text: "Copy", act: () => void edit({ do: "copy", parts: [block.name] }) },
      ...(block.hidden && block.hidden[0] + block.hidden[1] > 0
        ? [{ text: "Show every input and output", act: () => void link.ask("whole", { part: block.name, on: true }) }]
        : [{ text: "Show what is connected first", act: () => void link.ask("whole", { part: block.name, on: false }) }]),
      { text: "Remove", act: () => void edit({ do: "remove", parts: [block.name] }) },
    ] },
  });
}

function edgeMenu(event: MouseEvent, edge: Edge): void {
  event.preventDefault();
  if (edge.id.startsWith("bond ")) return;
  const wire = get().shown!.drawing.wires.find((w) => w.target === edge.id);
  if (!wire) return;
  set({ menu: { x: event.clientX, y: event.clientY, items: [
    { text: `Plot ${wire.source}`, act: () => plot([wire.source]) },
    { text: `Plot ${wire.source} and ${wire.target}`, act: () => plot([wire.source, wire.target]) },
    ...recordItems(wire.source),
    { text: "Remove", act: () => void edit({ do: "remove", wires: [edge.id] }) },
  ] } });
}

async function upload(file: File, at: { x: number; y: number }): Promise<void> {
  const answer = await fetch(`/upload?name=${encodeURIComponent(file.name)}`, { method: "POST", body: file });
  const found = (await answer.json().catch(() => ({ problem: "It was refused." }))) as { name?: string; problem?: string };
  if (!found.name) {
    toast(found.problem ?? "It was refused.");
    return;
  }
  await reloadLibrary();
  toast(`${found.name} is in the folder now.`, true);
  if (/\.(fmu|csv|tsv|xlsx|parquet)$/i.test(found.name)) await place(found.name, found.name.replace(/\.\w+$/, ""), at);
}
