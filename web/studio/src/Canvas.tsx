import {
  Background,
  ConnectionMode,
  Controls,
  MiniMap,
  type Node,
  type NodeChange,
  applyNodeChanges,
  ReactFlow,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import { type DragEvent, type MouseEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { BlockNode, JunctionNode } from "./BlockNode";
import { begin, connect, nameOf, otherEnd } from "./connecting";
import { type BlockData, edgesOf, nodesOf, type NoteData, notesOf } from "./graph";
import { dropWire, receiver } from "./dropping";
import { edgeMenu, nodeMenu, paperMenu } from "./menus";
import { FIT, short } from "./names";
import { NoteNode } from "./NoteNode";
import { coordinate } from "./solving";
import { startTour } from "./Tour";
import { WireEdge } from "./WireEdge";
import { WireLayer } from "./WireLayer";
import { FAR, MANY, nearest, waysOf } from "./wires";
import { edit, get, place, reloadLibrary, request, set, sight, toast, useStudio } from "./store";

const NODES = { part: BlockNode, junction: JunctionNode, note: NoteNode };
const EDGES = { wire: WireEdge };

export function Canvas({ theme }: { theme: string }) {
  const drawing = useStudio((s) => s.shown!.drawing);
  const selection = useStudio((s) => s.selection);
  const run = useStudio((s) => s.runs.find((r) => r.number === s.run));
  const last = useStudio((s) => (s.run === null ? undefined : s.last[s.run]));
  const hint = useStudio((s) => s.hint);
  const lit = useStudio((s) => (s.dragged === null && s.shown!.drawing.wires.length <= MANY ? s.lit : null));
  const hidden = useStudio((s) => s.wiresHidden);
  const flow = useReactFlow();
  const [nodes, setNodes] = useState<Node<BlockData>[]>([]);
  const [notes, setNotes] = useState<Node<NoteData>[]>([]);
  const fitted = useRef<string | undefined>(undefined);

  useEffect(() => void setNodes(nodesOf(drawing, selection.parts)), [drawing, selection.parts]);
  useEffect(() => void setNotes(notesOf(drawing, selection.notes ?? [])), [drawing, selection.notes]);
  const weakest = run?.weakest ?? null;
  const many = drawing.wires.length > MANY;
  const [near, setNear] = useState<string | null>(null); // the wire below the mouse, among many
  const far = useStore((s) => many && s.transform[2] < FAR);
  const all = useMemo(() => edgesOf(drawing, selection.wire, last ?? {}, weakest, lit), [drawing, selection.wire, last, weakest, lit]);
  const edges = useMemo(() => {
    if (many) return all.filter((e) => (e.id === near && !hidden) || e.selected || e.className?.includes("weakest"));
    if (!hidden) return all;
    return all.filter((e) => e.selected || e.className?.includes("lit") || selection.parts.includes(e.source) || selection.parts.includes(e.target));
  }, [all, many, near, hidden, selection.parts]);
  const seen = useMemo<Node[]>(() => [...notes, ...(far ? nodes.map((n) => ({ ...n, hidden: true })) : nodes)], [far, nodes, notes]);
  const ways = useMemo(() => {
    if (!many || hidden) return [];
    const places = new Map(nodes.map((n) => [n.id, n.position]));
    const strong: Record<string, string> = { [weakest?.split(" -> ")[1] ?? ""]: "--bad", [selection.wire ?? ""]: "--accent" };
    return waysOf(drawing, places, strong, (source, label) => [label, last?.[source] === undefined ? "" : short(last[source])].filter(Boolean).join("  "));
  }, [drawing, many, hidden, nodes, last, weakest, selection.wire]);
  const sought = (event: MouseEvent) => {
    if (!many || event.buttons !== 0) return;
    const { x, y } = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    setNear(nearest(ways, [x, y], 7 / flow.getZoom()));
  };
  const home = useRef<HTMLDivElement>(null);
  useEffect(() => {
    sight.middle = () => {
      const { left, top, width, height } = home.current!.getBoundingClientRect();
      return flow.screenToFlowPosition({ x: left + width / 2, y: top + height / 2 });
    };
  }, [flow]);
  const studied = useStudio((s) => s.lower === "study");
  const lower = useStudio((s) => s.table || s.study || s.panels.length > 0) || run !== undefined;
  useEffect(() => {
    if (!lower) return;
    const timer = setTimeout(() => void flow.fitView(FIT), 120);
    return () => clearTimeout(timer);
  }, [lower, run === undefined, studied, flow]);
  useEffect(() => {
    const here = JSON.stringify([drawing.file, drawing.inside]);
    const isOther = fitted.current !== here;
    fitted.current = here;
    if (drawing.blocks.length > 0 && isOther) {
      setTimeout(() => void flow.fitView(FIT), 60);
    }
  }, [drawing, flow]);

  const changed = useCallback((changes: NodeChange[]) => {
    const isNote = (c: NodeChange) => "id" in c && c.id.startsWith("note ");
    setNodes((old) => applyNodeChanges(changes.filter((c) => !isNote(c)) as NodeChange<Node<BlockData>>[], old));
    setNotes((old) => applyNodeChanges(changes.filter(isNote) as NodeChange<Node<NoteData>>[], old));
    const picked = changes.filter((c) => c.type === "select");
    if (picked.length === 0) return;
    const parts = new Set(get().selection.parts);
    const written = new Set(get().selection.notes);
    for (const c of picked) {
      const number = Number(c.id.slice(5));
      if (isNote(c)) c.selected ? written.add(number) : written.delete(number);
      else c.selected ? parts.add(c.id) : parts.delete(c.id);
    }
    const chosen = [...parts];
    set({
      selection: { parts: chosen, wire: null, junction: null, notes: [...written] },
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
        onNodeDragStop={(_, __, moved) => void settle(moved)}
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
        onEdgeDoubleClick={(event, edge) => {
          if (!edge.id.startsWith("bond ")) set({ wireEditor: { target: edge.id, x: event.clientX, y: event.clientY } });
        }}
        onNodeContextMenu={nodeMenu}
        onEdgeContextMenu={(event, edge) => edgeMenu(event, edge, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }))}
        onPaneContextMenu={(event) => paperMenu(event, flow.screenToFlowPosition({ x: event.clientX, y: event.clientY }))}
        zoomOnDoubleClick={false}
        onConnectStart={(event, from) => void begin(from.nodeId, from.handleId, "shiftKey" in event && event.shiftKey)}
        onConnect={connect}
        autoPanOnConnect={!lower}
        onConnectEnd={(event, state) => {
          dropWire(event);
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
      <DropHere />
      {hint && <div className="hint" role="alert">{hint}</div>}
    </div>
  );
}

/** Where a signal is dropped to be plotted, while no plot is in sight. */
function DropHere() {
  const carried = useStudio((s) => s.carried);
  const inSight = useStudio((s) => s.panels.length > 0 && s.lower === "plots");
  if (carried === null || inSight) return null;
  return <div className="drophere" {...receiver(null)}>Drop it here to plot {carried}</div>;
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

/** Blocks, junctions and notes that were dragged: one step of undo for each kind. */
async function settle(moved: Node[]): Promise<void> {
  const isNote = (n: Node) => n.type === "note";
  const at = (n: Node) => [Math.round(n.position.x), Math.round(n.position.y)];
  const places = Object.fromEntries(moved.filter((n) => !isNote(n)).map((n) => [n.id, at(n)]));
  if (Object.keys(places).length > 0) await edit({ do: "move", places });
  for (const n of moved.filter(isNote)) {
    const { mark, number } = (n as Node<NoteData>).data;
    const [x, y] = at(n);
    if (x !== Math.round(mark.x) || y !== Math.round(mark.y))
      await edit({ do: "note", number, text: mark.text, at: [x, y, mark.width, mark.height], colour: mark.colour || null });
  }
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
