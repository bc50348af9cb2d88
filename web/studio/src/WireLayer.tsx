import { type Node, useStoreApi } from "@xyflow/react";
import { useEffect, useRef } from "react";
import type { BlockData } from "./graph";
import { FAR, type Way } from "./wires";

interface Stroke {
  colour: string;
  width: number;
  lines: Path2D;
  heads: Path2D;
}

/** Ways of one colour as one path: strokes of thousands cost little then. */
export function strokesOf(ways: Way[]): Stroke[] {
  const found = new Map<string, Stroke>();
  for (const way of ways) {
    const key = `${way.colour}${way.bond}${way.strong}`;
    const stroke = found.get(key) ?? { colour: way.colour, width: way.bond ? 3.5 : way.strong ? 3 : 1.6, lines: new Path2D(), heads: new Path2D() };
    found.set(key, stroke);
    const [first, ...others] = way.points;
    stroke.lines.moveTo(...first);
    if (way.curved) stroke.lines.bezierCurveTo(...others[0], ...others[1], ...others[2]);
    else for (const point of others) stroke.lines.lineTo(...point);
    if (way.bond) continue;
    const [x, y] = others[others.length - 1];
    stroke.heads.moveTo(x, y);
    stroke.heads.lineTo(x - 7, y - 3.5);
    stroke.heads.lineTo(x - 7, y + 3.5);
    stroke.heads.closePath();
  }
  return [...found.values()];
}

/** All wires of a large drawing on one canvas below its blocks, and from afar these too; it follows the paper by itself. */
export function WireLayer({ ways, nodes, theme }: { ways: Way[]; nodes: Node<BlockData>[]; theme: string }) {
  const store = useStoreApi();
  const home = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = home.current!;
    const pen = canvas.getContext("2d");
    const around = canvas.parentElement!;
    if (!pen) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name);
    const strokes = strokesOf(ways).map((s) => ({ ...s, colour: colour(s.colour) }));
    const written = ways.filter((w) => w.words);
    let wanted = 0;
    const paint = () => {
      wanted = 0;
      const [x, y, zoom] = store.getState().transform;
      const unit = devicePixelRatio;
      const [width, height] = [around.clientWidth, around.clientHeight];
      if (canvas.width !== width * unit || canvas.height !== height * unit) {
        canvas.width = width * unit;
        canvas.height = height * unit;
      }
      pen.setTransform(1, 0, 0, 1, 0, 0);
      pen.clearRect(0, 0, canvas.width, canvas.height);
      pen.setTransform(zoom * unit, 0, 0, zoom * unit, x * unit, y * unit);
      for (const stroke of strokes) {
        pen.strokeStyle = pen.fillStyle = stroke.colour;
        pen.lineWidth = zoom < FAR ? (stroke.width > 2 ? 2.5 : 1) / zoom : stroke.width; // thin lines are drawn faster
        pen.stroke(stroke.lines);
        if (zoom >= FAR) pen.fill(stroke.heads);
      }
      if (zoom < FAR) blocks(pen, nodes, zoom, colour);
      if (zoom < 0.6) return;
      pen.font = "11px system-ui";
      pen.textAlign = "right";
      pen.fillStyle = colour("--ink");
      for (const way of written) {
        const [px, py] = way.points[way.points.length - 1];
        if (px * zoom + x > 0 && px * zoom + x < width + 200 && py * zoom + y > 0 && py * zoom + y < height + 20) pen.fillText(way.words, px - 14, py - 6);
      }
    };
    const soon = () => {
      if (!wanted) wanted = requestAnimationFrame(paint);
    };
    paint();
    const leave = store.subscribe((now, before) => {
      if (now.transform !== before.transform) soon();
    });
    const watcher = new ResizeObserver(soon);
    watcher.observe(around);
    return () => {
      leave();
      watcher.disconnect();
      cancelAnimationFrame(wanted);
    };
  }, [ways, nodes, theme, store]);
  return <canvas ref={home} className="wirelayer" role="img" aria-label={`${ways.length} wires`} />;
}

/** Blocks as they are seen from afar: boxes, with their names as long as there is room. */
function blocks(pen: CanvasRenderingContext2D, nodes: Node<BlockData>[], zoom: number, colour: (name: string) => string): void {
  const [paper, ink, soft, accent] = ["--block", "--ink", "--soft", "--accent"].map(colour);
  pen.font = `600 ${Math.max(13, 9 / zoom)}px system-ui`;
  pen.textAlign = "center";
  for (const { id, position, width, height, selected, data } of nodes) {
    const [wide, high] = [width ?? 0, height ?? 0];
    const { cycle, junction } = data.block;
    pen.fillStyle = junction ? colour("--c1") : paper;
    pen.strokeStyle = selected ? accent : cycle === null ? soft : colour(`--c${cycle % 5}`);
    pen.lineWidth = (selected ? 3 : 1) / zoom;
    pen.fillRect(position.x, position.y, wide, high);
    pen.strokeRect(position.x, position.y, wide, high);
    if (zoom < 0.2 || junction) continue;
    pen.fillStyle = ink;
    pen.fillText(id, position.x + wide / 2, position.y + high / 2, wide);
  }
}
